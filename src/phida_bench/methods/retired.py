"""Methods that are gone. Results of theirs are recorded, and reports still show them."""

from __future__ import annotations

from phida_bench.methods.interface import Declined, Method, System, Task


def _gone(task: Task) -> System:
    raise Declined("the method is gone; its results are recorded in docs/benchmark")


RETIRED = (Method("PHIDA-coactivation", "phida", 4, "nodes joined that win together; superseded by PHIDA+", _gone),)
