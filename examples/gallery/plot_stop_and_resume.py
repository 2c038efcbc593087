"""
Stop and resume
===============

This example is for long-running programs that must stop and resume. ``save`` writes one file without code, and
``PHIDA.load`` resumes with bit-identical results. 40,000 readings of a space shuttle, from river, are learned once
without a stop and once with a stop after every 4,000 rows.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from river import datasets

from phida import PHIDA

readings = np.array([list(x.values()) for x, _ in datasets.Shuttle().take(40_000)], dtype=float)
never_stopped = PHIDA(compute_labels=False).partial_fit(readings)

# %%
# Each stop deletes the model; only the file remains.
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "model.safetensors"
    sizes, nodes = [], []
    for first in range(0, len(readings), 4_000):
        model = PHIDA.load(file) if file.exists() else PHIDA(compute_labels=False)
        model.partial_fit(readings[first : first + 4_000])
        model.save(file)
        sizes.append(file.stat().st_size)
        nodes.append(model.n_nodes_)
    resumed = PHIDA.load(file)

# %%
# Nodes, what they have learned, ids, events, history and predictions are bit-identical.
same = {
    "representatives": np.array_equal(resumed.nodes_.representatives, never_stopped.nodes_.representatives),
    "support": np.array_equal(resumed.nodes_.support, never_stopped.nodes_.support),
    "vigilance": resumed.vigilance_ == never_stopped.vigilance_,
    "events": [str(event) for event in resumed.lineage_] == [str(event) for event in never_stopped.lineage_],
    "history": np.array_equal(resumed.history_.n_clusters, never_stopped.history_.n_clusters),
    "labels": np.array_equal(resumed.predict(readings), never_stopped.predict(readings)),
}
print(", ".join(f"{name}: {'the same' if equal else 'DIFFERENT'}" for name, equal in same.items()))
assert all(same.values())

# %%
# The file grows with the nodes, the latest rows that the vigilance uses, and the lineage. It does not grow with the
# number of learned rows.
figure, axes = plt.subplots(1, 2, figsize=(8.4, 3), layout="constrained")
rows = np.arange(4_000, len(readings) + 1, 4_000)
axes[0].plot(rows, np.array(sizes) / 1e3, marker="o", color="#0072b2", label="model file")
axes[0].plot(rows, rows * readings.shape[1] * 8 / 1e3, marker="s", color="#e69f00", label="the rows themselves")
axes[0].set(ylabel="kB", yscale="log", title="Size of the file")
axes[0].legend(frameon=False)
axes[1].plot(
    never_stopped.history_.sample, never_stopped.history_.n_nodes, color="#8a8a8a", linewidth=3, label="never stopped"
)
axes[1].plot(rows, nodes, "o", color="#0072b2", label="at each stop")
axes[1].set(ylabel="nodes", title="Nodes", ylim=(0, None))
axes[1].legend(frameon=False)
for ax in axes:
    ax.set(xlabel="rows learned", xlim=(0, None))
print(f"{sizes[-1] / 1e3:.0f} kB after {len(readings)} rows, which are {readings.nbytes / 1e3:.0f} kB themselves")
plt.show()
