"""River's progressive evaluation: predict a row, score the answer, then learn the row.

Needs river: ``pip install "phida[river]"``.
"""

from river import datasets, evaluate, metrics, preprocessing

from phida.river import PHIDAPlus

# Row by row, against the true classes. Every prediction comes right after a learned row and so is worked out anew.
model = preprocessing.StandardScaler() | PHIDAPlus()
metric = metrics.AdjustedRand() + metrics.NormalizedMutualInfo()
for state in evaluate.iter_progressive_val_score(datasets.ImageSegments().take(2000), model, metric, step=500):
    scores = ", ".join(f"{name} {state[name].get():.3f}" for name in ("AdjustedRand", "NormalizedMutualInfo"))
    print(f"{state['Step']:4d} rows: {scores}, {model['PHIDAPlus'].n_clusters} clusters")

# Without true classes: river compares the distance to the own centre with that to the next one.
model = preprocessing.StandardScaler() | PHIDAPlus()
silhouette = evaluate.progressive_val_score(datasets.ImageSegments().take(500), model, metrics.Silhouette())
print(f"Silhouette {silhouette.get():.3f}")
