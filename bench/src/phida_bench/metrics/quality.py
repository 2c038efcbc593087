"""Agreement with the true classes: after the last stage, averaged over the stages, and its loss in later stages."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from phida_bench.metrics.interface import Evaluation, Metric
from phida_bench.protocol import Setting

Stages = list[float]


def _final(stages: Stages) -> float:
    return stages[-1]


def _early(stages: Stages) -> float:
    """The value after the first stage, a tenth of the rows."""
    return stages[0]


def _average(stages: Stages) -> float:
    return float(np.mean(stages))


def _backward_transfer(stages: Stages) -> float:
    """Mean change of a stage's value until the end."""
    return float(np.mean(stages[-1] - np.array(stages[:-1])))


def _of(score: str, summary: Callable[[Stages], float]) -> Callable[[Evaluation], float]:
    return lambda evaluation: summary(getattr(evaluation, score))


def _metrics() -> Iterator[Metric]:
    for place, score in enumerate(("ari", "ami")):
        title = score.upper()
        yield Metric(score, title, place, _of(score, _final), "higher", 3)
        streams: tuple[Setting, ...] = ("nonstationary",)
        yield Metric(f"avginc_{score}", f"avgInc_{title}", 2 + place, _of(score, _average), "higher", 3, streams)
        yield Metric(f"early_{score}", f"early {title}", 6 + place, _of(score, _early), "higher", 3, ("shuffled",))
        yield Metric(f"bwt_{score}", f"BWT_{title}", 4 + place, _of(score, _backward_transfer), "higher", 3, streams)


METRICS = tuple(_metrics())
