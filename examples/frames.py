"""Chunks of pandas and polars frames, for the estimator and for the river model.

Needs pandas, polars and river: ``pip install "phida[river]" pandas polars``.
"""

import pandas as pd
import polars as pl
from sklearn.datasets import load_iris

import phida
from phida.river import PHIDAPlus

table = load_iris(as_frame=True).data
SIZE = 30  # rows per chunk; any other number gives the same result

# The estimator takes chunks of a frame as they are. It remembers the names of the columns and their order.
estimator = phida.PHIDAPlus(compute_labels=False)
for first in range(0, len(table), SIZE):
    estimator.partial_fit(table.iloc[first : first + SIZE])
print("estimator, pandas:", estimator.n_clusters_, "clusters of", list(estimator.feature_names_in_))

estimator = phida.PHIDAPlus(compute_labels=False)
for chunk in pl.from_pandas(table).iter_slices(SIZE):
    estimator.partial_fit(chunk)
print("estimator, polars:", estimator.n_clusters_, "clusters")

# The river model takes the columns in any order, and answers in kind: here with the index of the frame.
model = PHIDAPlus()
for first in range(0, len(table), SIZE):
    model.learn_many(table.iloc[first : first + SIZE])
labels: pd.Series = model.predict_many(table[table.columns[::-1]].tail(3))
print("river model, pandas:", model.n_clusters, "clusters;", labels.to_dict())

model, rows = PHIDAPlus(), pl.from_pandas(table)
for chunk in rows.iter_slices(SIZE):
    model.learn_many(chunk)
print("river model, polars:", rows.with_columns(model.predict_many(rows))["cluster"].n_unique(), "clusters")
