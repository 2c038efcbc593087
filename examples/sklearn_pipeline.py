"""A scikit-learn pipeline on a stream: a scaler, then PHIDA+, chunk by chunk.

A scikit-learn ``Pipeline`` has no ``partial_fit``, so each step is called by itself; the pipeline made of the two
learned steps then predicts.
"""

from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from phida import PHIDAPlus

X = load_wine().data
scaler = StandardScaler().fit(X[:60])  # on the first rows; a scaler that goes on learning would move old rows
model = PHIDAPlus(compute_labels=False)

for first in range(0, len(X), 40):
    chunk = X[first : first + 40]
    model.partial_fit(scaler.transform(chunk))
    print(f"{model.n_samples_seen_:3d} rows: {model.n_clusters_} clusters, {model.n_nodes_} nodes")

pipeline = make_pipeline(scaler, model)
print("the last five rows belong to", pipeline.predict(X[-5:]).tolist())

# Where all rows are at hand, one call does; the scaler then knows all rows from the beginning.
labels = make_pipeline(StandardScaler(), PHIDAPlus()).fit_predict(X)
print(f"all at once: {labels.max() + 1} clusters")
