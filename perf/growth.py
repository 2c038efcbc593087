"""Growth of each stage: fits the exponents of the paper's complexity and plots them on log axes.

Reads the CSV that ``phida_perf growth`` prints. Run as ``python perf/growth.py growth.csv growth.png``.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np

#: Per stage: the term in which the paper says its time is linear.
LAW = {
    "matching": ("K·d", lambda r: r["nodes"] * r["dims"]),
    "vigilance": ("λ·d + λ²", lambda r: r["interval"] * r["dims"] + r["interval"] ** 2),
    "refresh": ("K²·d", lambda r: r["nodes"] ** 2 * r["dims"]),
    "stream": ("rows learned", lambda r: r["rows"]),
}


def read(path: Path) -> dict[str, list[dict[str, float]]]:
    stages: dict[str, list[dict[str, float]]] = {name: [] for name in LAW}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            stage = row.pop("stage")
            stages[stage].append({key: float(value) for key, value in row.items() if value})
    return stages


def exponent(rows: list[dict[str, float]], law: object, upper_half: bool = True) -> float:
    """Return the slope on log axes over the larger half of the sizes, where fixed costs are negligible."""
    x = np.array([law(row) for row in rows])  # type: ignore[operator]
    y = np.array([row["microseconds"] for row in rows])
    keep = x >= np.median(x) if upper_half else np.ones(len(x), dtype=bool)
    return float(np.polyfit(np.log(x[keep]), np.log(y[keep]), 1)[0])


def main(source: Path, target: Path) -> None:
    stages = read(source)
    figure, axes = plt.subplots(1, 4, figsize=(16, 4), layout="constrained")
    for axis, (stage, rows) in zip(axes, stages.items(), strict=True):
        label, law = LAW[stage]
        slope = exponent(rows, law, upper_half=stage != "stream")
        for dims in sorted({row["dims"] for row in rows}):
            chosen = [row for row in rows if row["dims"] == dims]
            axis.loglog(
                [law(row) for row in chosen], [row["microseconds"] for row in chosen], "o-", label=f"d = {dims:.0f}"
            )
        unit = "µs per refresh" if stage == "refresh" else "µs per row"
        axis.set(title=f"{stage}: exponent {slope:.2f}", xlabel=label, ylabel=unit)
        if stage == "stream":
            axis.set_ylim(bottom=axis.get_ylim()[0] / 3, top=axis.get_ylim()[1] * 3)
        axis.legend()
        axis.grid(alpha=0.3)
        print(f"{stage:10} time ~ ({label}) ^ {slope:.2f}")
    figure.savefig(target, dpi=110)
    print(f"plotted in {target}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
