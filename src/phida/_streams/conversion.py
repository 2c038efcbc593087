"""Conversion of dates and booleans to numbers, and advice on non-numeric columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

import numpy as np

from phida._streams.columns import NotNumericError, likely_ids, listed
from phida._streams.dialect import Dialect
from phida._streams.values import is_missing

_TRUE = frozenset(("true", "yes", "y", "t", "ja", "wahr", "oui", "vrai", "si", "sí", "1", "1.0"))
_FALSE = frozenset(("false", "no", "n", "f", "nein", "falsch", "non", "faux", "0", "0.0"))

#: Booleans that are learned by default, like those of Parquet.
_PLAIN = frozenset(("true", "false"))

BOOLEAN = "boolean"

#: Date format of typed files; in text files it is detected.
TYPED = "typed"

#: Date formats besides ISO 8601.
_DATES = ("%d.%m.%Y", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%d.%m.%y", "%m/%d/%Y", "%m/%d/%Y %H:%M",
          "%m/%d/%Y %H:%M:%S", "%d/%m/%Y", "%d/%m/%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%d-%m-%Y", "%Y/%m/%d")  # fmt: skip
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+", re.ASCII)
_GROUPED_COMMA = re.compile(r"[+-]?\d{1,3}(\.\d{3})+(,\d+)?", re.ASCII)
_GROUPED_POINT = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?", re.ASCII)


@dataclass(frozen=True)
class Conversion:
    """Conversion of a column to numbers: booleans to 0 and 1, dates to days since 1970."""

    format: str
    """"boolean", "iso", or a format of ``strptime``."""

    def number(self, value: object) -> float:
        """Return the number; raise ValueError for other values."""
        if self.format == BOOLEAN:
            text = str(value).strip().lower()
            if text not in _TRUE and text not in _FALSE:
                raise ValueError(value)
            return float(text in _TRUE)
        if isinstance(value, date):
            when = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
        else:
            text = str(value).strip()
            when = datetime.fromisoformat(text) if self.format == "iso" else datetime.strptime(text, self.format)
        return ((when if when.tzinfo else when.replace(tzinfo=UTC)) - _EPOCH).total_seconds() / 86400


def conversion_of(values: Sequence[object]) -> Conversion | None:
    """Return the conversion that fits all non-missing values, or None."""
    present = [value for value in values if not is_missing(str(value))]
    for format in (BOOLEAN, "iso", *_DATES) if present else ():
        found = Conversion(format)
        try:
            for value in present:
                found.number(value)
        except ValueError:
            continue
        return found
    return None


def known_conversions(formats: Mapping[str, str | None]) -> dict[str, Conversion]:
    """Return the conversions with known formats."""
    return {name: Conversion(format) for name, format in formats.items() if format not in (None, TYPED)}


def is_boolean(text: str) -> bool:
    """Return whether a text is true or false."""
    return text.strip().lower() in _PLAIN


def kind_of(conversion: Conversion | None) -> str:
    """Return the type of a column's values, for messages."""
    return "number" if conversion is None else "boolean" if conversion.format == BOOLEAN else "date"


@dataclass(frozen=True)
class Column:
    """The first values of a column."""

    name: str
    values: Sequence[object]


@dataclass(frozen=True)
class Widths:
    """Numbers of columns in a file and of features among them."""

    columns: int
    features: int


def not_numeric(
    columns: Sequence[Column], dialect: Dialect, widths: Widths, encoding: str | None = None
) -> NotNumericError:
    """Return one error for all columns that cannot be learned, with options and the ``encoding`` to pass."""
    texts, convertible, commas, groups, gaps = [], [], [], "", False
    ids = [(column.name, str(column.values[0])) for column in columns if _is_id(column, dialect)]
    for column in columns:
        present = [str(value).strip() for value in column.values if not is_missing(str(value))]
        gaps = gaps or len(present) < len(column.values)
        odd = [text for text in present if not dialect.is_number(text)]
        if not odd:
            continue
        others = [text for text in odd if not _DECIMAL_COMMA.fullmatch(text) and not _GROUPED_COMMA.fullmatch(text)]
        if not others and dialect.decimal == ".":
            commas.append((column.name, odd[0]))
            groups = groups or ("." if any(_GROUPED_COMMA.fullmatch(text) for text in odd) else "")
        elif all(_GROUPED_POINT.fullmatch(text) for text in odd) and dialect.decimal == ".":
            groups = ","
            commas.append((column.name, odd[0]))
        elif conversion_of(present) is not None:
            convertible.append((column.name, present[0]))
        elif dialect.is_number(present[0]) and len(odd) <= len(present) / 2:
            continue  # some bad rows in a column of numbers
        else:
            texts.append((column.name, odd[0]))
    sentences: list[str] = []
    options = [] if encoding is None else [f"--encoding {encoding}"]
    if commas:
        decimal = dialect.decimal == "." and groups != ","
        sentences.append(f"{_shown(commas)}: numbers with {'decimal commas' if decimal else 'grouped digits'}.")
        options += ["--decimal ,"] if decimal else []
        options += [f"--thousands {groups}"] if groups else []
    if texts:
        sentences.append(f"{_shown(texts)}: text, which only phida fit --categories can use.")
    if ids:
        sentences.append(f"{_shown(ids)}: numbers that look like an id or a time.")
    if texts or ids:
        options.append(f"--exclude {listed(name for name, _ in (*ids, *texts))}")
    if convertible:
        sentences.append(f"{_shown(convertible)}: dates or booleans, which can be converted to numbers (or excluded).")
        options.append(f"--convert {listed(name for name, _ in convertible)}")
    if gaps:
        sentences.append("Some values are missing (--impute takes median, mean or drop).")
        options.append("--impute median")
    counts = _counted(len(texts) + len(convertible) + len(commas), len(ids), widths)
    return NotNumericError(f"{counts}. {' '.join(sentences)} Add: {' '.join(options)}")


def _is_id(column: Column, dialect: Dialect) -> bool:
    """Return whether the numbers of a column resemble an id; False for columns with other values."""
    texts = [str(value) for value in column.values]
    if not all(map(dialect.is_number, texts)):
        return False
    return bool(likely_ids((column.name,), np.array([[dialect.number(text)] for text in texts])))


def not_numeric_types(
    text: Sequence[tuple[str, str]], dates: Sequence[tuple[str, str]], widths: Widths
) -> NotNumericError:
    """Return one error for all columns with types that are not numeric."""
    sentences, options = [], []
    if text:
        sentences.append(f"{_shown(text)}: of types that cannot be used.")
        options.append(f"--exclude {listed(name for name, _ in text)}")
    if dates:
        sentences.append(f"{_shown(dates)}: dates, which can be converted to numbers (or excluded).")
        options.append(f"--convert {listed(name for name, _ in dates)}")
    counts = _counted(len(text) + len(dates), 0, widths)
    return NotNumericError(f"{counts}. {' '.join(sentences)} Add: {' '.join(options)}")


def nested_values(columns: Sequence[tuple[str, str]]) -> NotNumericError:
    """Return one error for all columns of objects and lists.

    They are not flattened: a flat name such as ``a.x`` may be another key's, and rows are written unchanged.
    """
    names = listed(name for name, _ in columns)
    return NotNumericError(
        f"{_shown(columns)}: objects or lists, which cannot be used. Give each number a key of its own in the data, "
        f"or add: --exclude {names}"
    )


def _counted(others: int, ids: int, widths: Widths) -> str:
    """Return the numbers of columns by type and use."""
    counts = ["1 column is not numeric" if others == 1 else f"{others} columns are not numeric"]
    if ids:
        counts.append("1 looks like an id" if ids == 1 else f"{ids} look like ids")
    if usable := widths.features - others - ids:
        counts.append(f"{usable} can be used")
    if left_out := widths.columns - widths.features:
        counts.append(f"{left_out} {'is' if left_out == 1 else 'are'} left out as requested")
    return counts[0] if len(counts) == 1 else f"{', '.join(counts[:-1])} and {counts[-1]}"


def _shown(columns: Sequence[tuple[str, str]], most: int = 20) -> str:
    """Return columns with an example each."""
    shown = ", ".join(f"{name!r} ({value[:40]!r})" for name, value in columns[:most])
    return shown if len(columns) <= most else f"{shown} and {len(columns) - most} more"
