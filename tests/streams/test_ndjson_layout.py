"""Lines of JSON with one layout: reading them in bulk equals json on each line."""

import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from phida._streams.ndjson_layout import Layout

FIRST = b'{"x1": 1.5, "name": "a, b: c", "e": -20, "long name of a column": 3e-05}'


def numbers(*lines: bytes):
    layout = Layout.of(lines[0])
    return None if layout is None else layout.numbers(b"".join(line + b"\n" for line in lines))


def as_json_reads(lines, names):
    return np.array([[json.loads(line)[name] for name in names] for line in lines], float)


def test_bulk_numbers_equal_json_and_strings_are_skipped():
    lines = [FIRST, FIRST.replace(b"1.5", b"12345678901234567890123").replace(b"a, b: c", b""), FIRST]
    assert Layout.of(FIRST).names == ["x1", "e", "long name of a column"]
    assert np.array_equal(numbers(*lines), as_json_reads(lines, Layout.of(FIRST).names))


@pytest.mark.parametrize("blank", [b"", b" ", b"   "])
def test_blanks_are_part_of_the_layout(blank):
    line = b'{%s"a":%s1,%s"b":%s0}' % ((blank,) * 4)
    assert np.array_equal(numbers(line, line.replace(b"1", b"-0.25")), [[1, 0], [-0.25, 0]])
    assert numbers(line, line.replace(b'"b"', b' "b"')) is None


@pytest.mark.parametrize("count", range(12))
def test_shorter_last_line_has_another_layout(count):
    wide = b'{"a":%s1, "b":%s2}' % ((b" " * count,) * 2)
    assert (numbers(wide, b'{"a":1,"b":2}') is None) and (numbers(b'{"b":%s2}' % (b" " * count), b'{"a":1}') is None)


def test_more_lines_than_one_block_are_read():
    lines = [b'{"a": %d, "b": %d.5}' % (i, i % 7) for i in range(30_000)]
    assert np.array_equal(numbers(*lines), as_json_reads(lines, "ab"))


@pytest.mark.parametrize(
    "number",
    ["01", "-01", "00", "1.", ".5", "-.5", "+1", "1.e5", "1.E5", "1e", "1e+", "--1", "-", "", "1 2", " 1", "1 ", "\t1",
     "nan", "NaN", "inf", "-Infinity", "0x10", "1_000", "1,000", "1.5.2", "true", "null", "[1]", '"1"', "{}", "１"],
)  # fmt: skip
def test_values_that_are_not_plain_numbers_are_left_to_json(number):
    lines = [b'{"a": 1, "b": 2}', f'{{"a": {number}, "b": 2}}'.encode()]
    assert numbers(*lines) is None
    assert numbers(lines[0], f'{{"a": 1, "b": {number}}}'.encode()) is None


@pytest.mark.parametrize(
    "other",
    [
        b'{"a": 1, "c": "x"}',
        b'{"b": 1, "a": "x"}',
        b'{"a": 1, "b": "x", "c": 1}',
        b'{"a": 1, "b": "x"} ',
        b' {"a": 1, "b": "x"}',
        b'{"a": 1, "b": "x"}\r',
        b'{"a": 1, "b": "x"',
        b'{"a": 1, "b": x}',
        b'{"a": 1, "b": "x}',
        b'{"a": 1, "b": x"}',
        b'{"a": 1, "b": "}',
        b'{"a": 1, "b": "x"x"}',
        b'{"a": 1, "b": "x\\n"}',
        b'{"a": 1, "b": "x\ty"}',
        b'{"a": 1, "b": "\xff"}',
        b'{"a": 1, "b": "", "b": "x"}',
        b'{"a": 1}',
        b"",
        b"{}",
    ],
)
def test_lines_of_another_layout_are_left_to_json(other):
    line = b'{"a": 1, "b": "x"}'
    assert numbers(line, line) is not None
    assert numbers(line, other) is None
    assert numbers(line, other, line) is None
    assert Layout.of(line).numbers(other + b"\n") is None


@pytest.mark.parametrize(
    "line",
    [b"", b"{}", b"1", b"[1]", b'{"a": 1, "a": 2}', b'{"a": true}', b'{"a\\n": 1}', b'{"\xff": 1}', b'{"a" : 1}'],
)
def test_lines_without_a_layout_are_left_to_json(line):
    assert Layout.of(line) is None


_marks = st.sampled_from(b'0123456789.-+eE ,:"{}abx\n\\')


@given(st.lists(st.tuples(st.integers(0, 200), st.one_of(st.none(), _marks)), max_size=3), st.integers(0, 2))
@example([(1, ord("x"))], 0)
def test_changed_line_is_read_as_json_reads_it_or_not_at_all(changes, which):
    lines = [bytearray(FIRST) for _ in range(3)]
    for at, mark in changes:
        line = lines[which]
        line[at % len(line) : at % len(line) + 1] = b"" if mark is None else bytes([mark])
    block = b"".join(bytes(line) + b"\n" for line in lines)
    layout = Layout.of(FIRST)
    found = layout.numbers(block)
    if found is not None:
        assert np.array_equal(found, as_json_reads(block.split(b"\n")[:-1], layout.names))


@given(st.lists(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3), min_size=1))
def test_random_numbers_equal_json(rows):
    lines = [json.dumps(dict(zip("abc", row, strict=True))).encode() for row in rows]
    assert np.array_equal(numbers(*lines), rows)
