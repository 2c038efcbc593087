"""Reading takes work linear in the bytes, and checks for signals between blocks."""

import os
import threading
import time

import pytest

from phida._streams import lines as lines_module
from phida._streams.batch import DataError
from phida._streams.lines import Interrupted, Lines, Signals
from phida._streams.opening import Source, opened

#: Content of about this many bytes that once took quadratic work.
HOSTILE = {
    "commas, then a quote": lambda n: b"," * n + b'"',
    "commas, then a quoted field": lambda n: b"," * n + b'"x"\n',
    "quoted fields": lambda n: b'"",' * (n // 3) + b"\n",
    "quotes in pairs": lambda n: b'"' + b'""' * (n // 2) + b'"\n',
    "a quote that is never closed": lambda n: b'"' + b"1,2\n" * (n // 4),
    "quotes inside fields": lambda n: b'x"y,' * (n // 4) + b"\n",
    "blank lines": lambda n: b"\n" * n,
    "blank lines with spaces": lambda n: b" \t \r\n" * (n // 5),
    "spaces": lambda n: b" " * n,
    "one long line": lambda n: b"x" * n + b"\n",
    "short lines": lambda n: b"1,2\n" * (n // 4),
}


def seconds(content, part=None):
    """Return the processor time to split content into lines; it arrives in parts of some bytes."""
    out, into = os.pipe()

    def write():
        with os.fdopen(into, "wb", buffering=0) as file:
            for begin in range(0, len(content), part or len(content)):
                file.write(content[begin : begin + (part or len(content))])

    writer = threading.Thread(target=write)
    writer.start()
    lines = Lines(out, delimiter=b",")
    begin = time.thread_time()
    while lines.take(1000):
        pass
    taken = time.thread_time() - begin
    writer.join()
    os.close(out)
    return taken


@pytest.mark.parametrize("name", HOSTILE)
def test_eight_times_the_bytes_take_about_eight_times_the_work(name):
    """Quadratic work would take 64 times as long."""
    small, large = (min(seconds(HOSTILE[name](n)) for _ in range(3)) for n in (1 << 18, 1 << 21))
    assert large < 30 * max(small, 1e-3)


@pytest.mark.parametrize("name", ["one long line", "a quote that is never closed", "blank lines", "quotes in pairs"])
def test_small_parts_take_linear_work(name):
    small, large = (min(seconds(HOSTILE[name](n), 4096) for _ in range(3)) for n in (1 << 18, 1 << 21))
    assert large < 30 * max(small, 1e-3)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("part", [1, 2, 3, 7])
def test_parts_do_not_change_the_lines(name, part):
    """A part may end between two quotes, after a delimiter, or inside a line break."""
    content = b"\xef\xbb\xbf" + b"".join(make(40) + b'",\n "\r\n,"a\n""b",c\n\n' for make in HOSTILE.values())
    content += HOSTILE[name](30)
    assert found(content, part) == found(content, len(content))


def found(content, part):
    """Return each line and the offset of its end."""
    out, into = os.pipe()
    lines, got = Lines(out, delimiter=b","), []

    def write():
        with os.fdopen(into, "wb", buffering=0) as file:
            for begin in range(0, len(content), part):
                file.write(content[begin : begin + part])

    read, lines_module.os.read = os.read, lambda handle, size: read(handle, part)
    try:
        writer = threading.Thread(target=write)
        writer.start()
        while line := lines.take(1):
            got.append((line.lines()[0], lines.offset))
        writer.join()
    finally:
        lines_module.os.read = read
        os.close(out)
    return got


@pytest.mark.parametrize("name", HOSTILE)
def test_signal_stops_reading_between_two_blocks(tmp_path, monkeypatch, name):
    """The test counts blocks instead of seconds: none is read after a signal."""
    path = tmp_path / "rows.csv"
    path.write_bytes(b"a,b\n1,2\n" + HOSTILE[name](1 << 21))
    signals, blocks, read = Signals(), [], os.read

    def counted(handle, size):
        assert size <= 1 << 18
        blocks.append(size)
        if len(blocks) == 3:
            signals.stop()
        return read(handle, size)

    monkeypatch.setattr(lines_module.os, "read", counted)
    with pytest.raises(Interrupted), opened(Source(str(path)), signals) as reader:
        for _ in reader.batches(1 << 30):
            pass
    assert len(blocks) == 3


def test_signal_stops_the_conversion_of_rows(tmp_path):
    path = tmp_path / "rows.csv"
    for rows in ("1,2\n" * 600_000, "1,x\n" * 1000):  # in batches, and one by one
        path.write_text("a,b\n1,2\n" + rows)
        signals = Signals()
        with pytest.raises(Interrupted), opened(Source(str(path)), signals) as reader:
            batches = reader.batches(1 << 30)
            reader._lines._signals = Stopping(signals)
            next(batches)


class Stopping:
    """Signals, of which one arrives when all lines have been read."""

    def __init__(self, signals):
        self._signals = signals

    def wait(self, handle):
        pass

    def check(self):
        self._signals.stop()
        self._signals.check()


def test_object_with_too_many_keys_is_refused_as_first_row(tmp_path):
    path = tmp_path / "rows.ndjson"
    path.write_text("{" + ", ".join(f'"{i}": 1' for i in range(1 << 17 | 1)) + "}\n")
    with pytest.raises(DataError, match="the first row has 131,073 columns"), opened(Source(str(path))):
        pass


def test_line_of_commas_is_refused_as_header(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b"a" + b"," * (1 << 20) + b"\n1\n")
    with (
        pytest.raises(DataError, match="the first line has 1,048,577 columns"),
        opened(Source(str(path))),
    ):
        pass
