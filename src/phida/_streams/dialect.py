"""Dialect of a text file: delimiter, decimal and thousands separators, encoding."""

from __future__ import annotations

import codecs
import csv
import re
from dataclasses import dataclass

from phida._streams.batch import DataError

#: Delimiters that are tried, the most frequent first.
_DELIMITERS = (",", ";", "\t", "|")

#: Bytes and lines used to detect the delimiter.
_HEAD = 1 << 16
_SAMPLE = 50

#: First bytes of files in encodings of more than one byte per character.
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)

_NUMBER = re.compile(r"\s*[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?\s*", re.ASCII)


@dataclass(frozen=True)
class Dialect:
    """The dialect of a text file."""

    delimiter: str | None = None
    """Separator of fields; None: detected."""
    decimal: str = "."
    """Decimal separator."""
    thousands: str | None = None
    """Separator of groups of three digits, if any."""
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        for name, value in (("delimiter", self.delimiter), ("decimal", self.decimal), ("thousands", self.thousands)):
            if value is not None and (len(value) != 1 or value in '"\r\n' or (value.isalnum() and name != "delimiter")):
                raise ValueError(f"--{name} must be one character, not {value!r}.")
        if not self.decimal.isascii() or (self.delimiter is not None and not self.delimiter.isascii()):
            raise ValueError("--delimiter and --decimal must be ASCII characters.")
        if self.decimal in (self.delimiter, self.thousands) or (self.thousands or "") == self.delimiter:
            raise ValueError("--delimiter, --decimal and --thousands must differ from each other.")
        try:
            narrow = "\n".encode(self.encoding) == b"\n"
        except LookupError:
            raise ValueError(
                f"unknown encoding {self.encoding!r}; common ones are utf-8, cp1252 and latin-1."
            ) from None
        if not narrow:
            raise ValueError(f"{self.encoding} has more than one byte per line break. {_RECODE}")

    @property
    def is_utf8(self) -> bool:
        """Return whether bytes are used unchanged."""
        return codecs.lookup(self.encoding).name == "utf-8"

    @property
    def plain(self) -> bool:
        """Return whether digits are ungrouped."""
        return self.thousands is None

    def number(self, text: str) -> float:
        """Return the number in a field; raise ValueError without one in ASCII digits.

        ``float`` accepts digits of every script and underscores, which are more likely damage. "nan" and "inf" are
        numbers here, but are not learned.
        """
        stripped = text.strip()
        if self.thousands is not None and self.thousands in stripped:
            whole, point, rest = stripped.partition(self.decimal)
            groups = whole.lstrip("+-").split(self.thousands)
            if not 1 <= len(groups[0]) <= 3 or any(len(group) != 3 for group in groups[1:]) or self.thousands in rest:
                raise ValueError(text)
            stripped = whole.replace(self.thousands, "") + point + rest
        if self.decimal != ".":
            if "." in stripped:
                raise ValueError(text)
            stripped = stripped.replace(self.decimal, ".")
        if not stripped.isascii() or "_" in stripped:
            raise ValueError(text)
        return float(stripped)

    def is_number(self, text: str) -> bool:
        """Return whether a field is a number, including "nan" and "inf"."""
        try:
            self.number(text)
        except ValueError:
            return False
        return True

    def decoded(self, content: bytes) -> str:
        """Return content as text."""
        return content.decode(self.encoding)


_RECODE = "Save the file as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8 FILE | phida fit - (or another command)."


def check_marks(head: bytes) -> None:
    """Refuse a file that starts with the mark of UTF-16 or UTF-32."""
    if head.startswith(_WIDE_MARKS):
        raise DataError(f"the input is UTF-16 or UTF-32. {_RECODE}")


def detected_delimiter(head: bytes, encoding: str, width: int | None = None) -> str:
    """Return the delimiter for which the first lines most resemble a table, or a comma.

    Numeric fields count, so that ``1,5;2,5`` is two numbers and not three fields. ``width``: the number of columns if
    known.
    """
    lines = head[:_HEAD].decode(encoding, errors="replace").splitlines()
    complete = lines if len(lines) < 2 or head[:_HEAD].endswith(b"\n") else lines[:-1]
    sample = [line for line in complete if line.strip()][:_SAMPLE]
    return max(_DELIMITERS, key=lambda delimiter: _likeness(sample, delimiter, width)) if sample else ","


def _likeness(lines: list[str], delimiter: str, width: int | None) -> tuple[bool, bool, float, float]:
    """Return how much lines resemble a table: of the known width, several columns, equal widths, numbers."""
    try:
        rows = list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:  # a field is too long
        return False, False, 0.0, 0.0
    first = len(rows[0])
    same = sum(len(row) == first for row in rows) / len(rows)
    fields = [field for row in rows for field in row]
    numbers = sum(_NUMBER.fullmatch(field) is not None for field in fields) / len(fields)
    return first == width, first > 1, same if first > 1 else 0.0, numbers
