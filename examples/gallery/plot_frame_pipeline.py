"""
A data frame in a scikit-learn pipeline
=======================================

This example is for users of pandas and scikit-learn. A scaler and PHIDA in a pipeline find similar periods in fifty
years of the economy of the United States, and show which features distinguish them. The data come from statsmodels,
quarter by quarter.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.datasets
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from phida import PHIDA
from phida.plots import plot_profile, style

economy = statsmodels.datasets.macrodata.load_pandas().data
quarters = pd.PeriodIndex.from_fields(year=economy.year.astype(int), quarter=economy.quarter.astype(int), freq="Q")
frame = pd.DataFrame(
    {
        "growth": 400 * np.log(economy.realgdp).diff(),
        "inflation": economy.infl,
        "unemployment": economy.unemp,
        "interest": economy.tbilrate,
        "investment": 100 * economy.realinv / economy.realgdp,
    }
).set_index(quarters)[1:]
print(frame.describe().loc[["mean", "std", "min", "max"]].round(1))

# %%
# The pipeline keeps feature names. ``transform`` returns a frame with the distance of every quarter to every cluster.
pipeline = make_pipeline(StandardScaler(), PHIDA()).set_output(transform="pandas")
distances = pipeline.fit(frame).transform(frame)
model = pipeline[-1]
print(f"{len(frame)} quarters, {model.n_nodes_} nodes, {model.n_clusters_} clusters")
print(f"features: {', '.join(model.feature_names_in_)}")
print(distances.tail(3).round(1))

# %%
# What distinguishes each cluster, in standard deviations from the mean.
plot_profile(model)
plt.show()

# %%
# The quarters of each cluster. An id has the same colour in every picture of the model.
# sphinx_gallery_thumbnail_number = 2
ids = model.cluster_ids_[model.labels_]
palette = style.Palette.of(model)
figure, axes = plt.subplots(4, 1, figsize=(8.4, 6), sharex=True, layout="constrained", height_ratios=[1, 1, 1, 0.35])
time = frame.index.to_timestamp()
for ax, name in zip(axes, ("growth", "inflation", "unemployment"), strict=False):
    ax.plot(time, frame[name], color="#8a8a8a", linewidth=0.8, zorder=1)
    for id in model.cluster_ids_:
        ax.scatter(time[ids == id], frame[name][ids == id], s=18, **palette.look(id), zorder=2)
    ax.set_ylabel(f"{name} (%)")
for quarter, id in zip(time, ids, strict=True):
    axes[3].axvspan(quarter, quarter + pd.Timedelta(days=92), color=palette.colour(id), linewidth=0)
axes[3].set(yticks=[], ylabel="id")
known = sorted(model.cluster_ids_.tolist())
handles = [plt.Line2D([], [], linestyle="", marker=palette.marker(id), color=palette.colour(id)) for id in known]
figure.legend(handles, [f"id {id}" for id in known], loc="outside upper right", ncols=len(known), frameon=False)
plt.show()

# %%
# A new quarter:
quarter = pd.DataFrame([[-4.0, 9.0, 7.5, 12.0, 13.0]], columns=frame.columns)
print("it belongs to id", model.cluster_ids_[pipeline.predict(quarter)][0])

# %%
# How long do neighbouring quarters stay in one cluster, compared with the same labels shuffled?
same = (ids[1:] == ids[:-1]).mean()
rng = np.random.default_rng(0)
shuffled = np.mean([(mixed[1:] == mixed[:-1]).mean() for mixed in (rng.permutation(ids) for _ in range(200))])
print(f"the next quarter is in the same cluster: {100 * same:.0f} %; by chance it would be {100 * shuffled:.0f} %")
print(model.cut_clarity_)

# %%
# Time is not a feature, but the rows came in temporal order, which affects the nodes. With 202 rows, the clusters
# describe this table and are no law of the economy. Other scales, features or orders give other clusters.
