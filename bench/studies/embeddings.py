"""What reduction and scaling do to clusters of sentence embeddings, and lasting ids to topics of BERTopic.

Texts: docstrings of ten modules of Python's library. Embeddings: means of the token vectors in the wheel of wordllama.
Run: python studies/embeddings.py, after make test-integrations has installed wordllama and BERTopic
"""

import inspect
import sys
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from bertopic import BERTopic
from bertopic.vectorizers import OnlineCountVectorizer
from safetensors.numpy import load_file
from sklearn.cluster import HDBSCAN, MiniBatchKMeans
from sklearn.decomposition import PCA, IncrementalPCA
from sklearn.metrics import adjusted_mutual_info_score
from sklearn.preprocessing import normalize
from sklearn.random_projection import GaussianRandomProjection
from tokenizers import Tokenizer

from phida import PHIDA, PHIDAPlus
from phida.bertopic import ClusterModel

SUBJECTS = ["logging", "decimal", "asyncio", "email.message", "unittest"]
SUBJECTS += ["math", "datetime", "pathlib", "tarfile", "socket"]
SEEDS, SAMPLE = 10, 300


def docstrings(name):
    own = name.split(".")[0]
    things = [thing for key, thing in vars(import_module(name)).items() if not key.startswith("_") and callable(thing)]
    things = [thing for thing in things if str(getattr(thing, "__module__", "")).split(".")[0].strip("_") == own]
    methods = [vars(thing) for thing in things if inspect.isclass(thing)]
    things += [method for space in methods for key, method in space.items() if not key.startswith("_")]
    texts = [" ".join((inspect.getdoc(thing) or "").split()[:60]) for thing in things]
    return [text for text in dict.fromkeys(texts) if len(text.split()) >= 5]


def embedded(texts):
    folder = Path(find_spec("wordllama").origin).parent
    vectors = load_file(folder / "weights" / "l2_supercat_256.safetensors")["embedding.weight"].astype(np.float64)
    tokens = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    encoded = tokens.encode_batch(texts, add_special_tokens=False)
    return np.array([vectors[one.ids].mean(axis=0) for one in encoded])


documents = [(text, subject) for subject in SUBJECTS for text in docstrings(subject)]
subjects = np.array([subject for _, subject in documents])
means = embedded([text for text, _ in documents])
print(f"Python {sys.version.split()[0]}: {len(subjects)} texts, {means.shape[1]} dimensions")

REDUCTIONS = {
    "none": lambda sample: lambda rows: rows,
    **{f"PCA {d}": lambda sample, d=d: PCA(d, random_state=0).fit(sample).transform for d in (5, 15, 30, 60)},
    **{
        f"random {d}": lambda sample, d=d: GaussianRandomProjection(d, random_state=0).fit(sample).transform
        for d in (30, 60)
    },
}
METHODS = {
    "PHIDA+": PHIDAPlus,
    "PHIDA": PHIDA,
    "k-means (told 10)": lambda: MiniBatchKMeans(10, random_state=0, n_init=3),
    "HDBSCAN": lambda: HDBSCAN(min_cluster_size=10, copy=True),
}


def found(make, rows, order):
    """Clusters of all rows, learned in this order in ten batches where that is possible."""
    model = make()
    if not hasattr(model, "partial_fit"):
        return model.fit_predict(rows)
    for batch in np.array_split(order, 10):
        model.partial_fit(rows[batch])
    return model.predict(rows)


ORDERS = [np.random.default_rng(seed).permutation(len(means)) for seed in range(SEEDS)]
unit = normalize(means)
for title, rows in {"as they are": means, "length 1": unit}.items():
    for reduction in ("none", "PCA 15"):
        scores = []
        for order in ORDERS:
            reduced = REDUCTIONS[reduction](rows[order[:SAMPLE]])(rows)
            scores.append(adjusted_mutual_info_score(subjects, found(PHIDAPlus, reduced, order)))
        print(f"{title:12} {reduction:8} AMI {np.mean(scores):.2f} ({min(scores):.2f} to {max(scores):.2f})")

for reduction, fit in REDUCTIONS.items():
    for name, make in METHODS.items():
        scores, counts, seconds = [], [], []
        for order in ORDERS:
            reduced = np.ascontiguousarray(fit(unit[order[:SAMPLE]])(unit))
            began = time.perf_counter()
            labels = found(make, reduced, order)
            seconds.append(time.perf_counter() - began)
            scores.append(adjusted_mutual_info_score(subjects, labels))
            counts.append(len(set(labels.tolist())))
        print(
            f"{reduction:10} {name:18} AMI {np.mean(scores):.2f} ({min(scores):.2f} to {max(scores):.2f}), "
            f"{np.mean(counts):4.1f} clusters, {1e3 * np.median(seconds):6.1f} ms"
        )

scores = []
for order in ORDERS:
    moving, model = IncrementalPCA(15), PHIDAPlus()
    for batch in np.array_split(order, 10):
        model.partial_fit(moving.partial_fit(unit[batch]).transform(unit[batch]))
    scores.append(adjusted_mutual_info_score(subjects, model.predict(moving.transform(unit))))
print(f"IncrementalPCA 15, PHIDA+: AMI {np.mean(scores):.2f} ({min(scores):.2f} to {max(scores):.2f})")


class Settled:
    """A reduction that BERTopic does not fit again."""

    def __init__(self, reduction):
        self.transform = reduction.transform

    def partial_fit(self, rows):
        return self


few = np.flatnonzero(np.isin(subjects, ["decimal", "asyncio", "unittest", "tarfile"]))
texts, few_subjects, few_rows = np.array([text for text, _ in documents])[few], subjects[few], unit[few]
for name, make in {"labels": PHIDAPlus, "lasting ids": ClusterModel}.items():
    came, final = [], []
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(few))
        topics = BERTopic(
            embedding_model=None,
            umap_model=Settled(PCA(15, random_state=0).fit(few_rows[order[:150]])),
            hdbscan_model=make(),
            vectorizer_model=OnlineCountVectorizer(stop_words="english"),
        )
        given = np.empty(len(few), int)
        for batch in np.array_split(order, 8):
            topics.partial_fit(texts[batch].tolist(), few_rows[batch])
            given[batch] = topics.topics_
        came.append(adjusted_mutual_info_score(few_subjects, given))
        final.append(adjusted_mutual_info_score(few_subjects, topics.transform(texts.tolist(), few_rows)[0]))
    print(f"BERTopic, {len(few)} texts, {name}: AMI {np.mean(came):.2f} as they came, {np.mean(final):.2f} at the end")
