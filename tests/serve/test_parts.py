"""Pace, trail and axes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phida._serve.painting import Pace
from phida._serve.snapshot import SteadyAxes
from phida._serve.trail import Column, Trail
from phida.projection import Projection


def test_pace_covers_the_last_seconds():
    pace = Pace()
    assert pace.note(0.0, 0) == 0
    assert pace.note(1.0, 100) == 100
    for second in range(2, 11):
        rate = pace.note(float(second), 100 + 50 * (second - 1))
    assert rate == 50
    for second in range(11, 16):
        rate = pace.note(float(second), 550)
    assert rate == 0


def column(number):
    return Column(number, {number % 7}, f'{{"number":{number}}}', b"snapshot %d" % number)


@given(most=st.integers(2, 9), count=st.integers(1, 200), catch_up=st.integers(1, 40))
def test_listener_that_fetches_missing_snapshots_has_the_whole_trail(most, count, catch_up):
    trail, stride, held = Trail(most), 0, []
    for number in range(count):
        trail.offer(column(number))
        if number % catch_up == 0 or number == count - 1:
            stride, begin, news = trail.since(stride, len(held))
            held = held[:begin] + [one.number for one in news]
    _, _, everything = trail.since(0, 0)
    numbers = [one.number for one in everything]
    assert held == numbers
    assert len(numbers) <= most
    assert numbers[0] == 0 and len({b - a for a, b in zip(numbers, numbers[1:])}) <= 1
    assert all(trail.at(number) == b"snapshot %d" % number for number in numbers)
    assert trail.at(count) is None
    assert trail.ids() == {number % 7 for number in numbers}


@given(turn=st.floats(0, 6.3), mirror=st.booleans())
def test_rotated_plane_keeps_its_axes(turn, mirror):
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(40, 5)) * [5, 4, 1, 1, 1]
    axes, plane = SteadyAxes(), Projection.fit(rows)
    before = axes.turned(plane).transform(rows)
    c, s = np.cos(turn), np.sin(turn)
    turned = np.array([[c, -s], [s, c]]) @ (np.diag([1, -1]) if mirror else np.eye(2)) @ plane.axes
    after = axes.turned(Projection(plane.center, plane.denominator, plane.mean, turned, plane.share)).transform(rows)
    np.testing.assert_allclose(after, before, atol=1e-9)


@pytest.mark.parametrize("width", [1, 2, 4])
def test_axes_from_one_node_continue_with_more(width):
    axes, rng = SteadyAxes(), np.random.default_rng(0)
    for count in (1, 2, 3, 10):
        plane = axes.turned(Projection.fit(rng.normal(size=(count, width))))
        assert np.isfinite(plane.axes).all()
        gram = plane.axes @ plane.axes.T
        assert np.allclose(gram, np.diag(np.diag(gram)), atol=1e-9)
