"""
Topics of sentences with BERTopic
=================================

This example is for users of BERTopic's online topics, which need a cluster model with ``partial_fit``, ``labels_``
and ``predict``. PHIDA has these methods, and ``phida.bertopic.ClusterModel`` adds topics that keep their numbers from
batch to batch.

The texts are docstrings of Python's standard library and arrive subject by subject. The embeddings come from the
package `wordllama <https://pypi.org/project/wordllama>`_ (``pip install wordllama``), which contains its weights, so
nothing is downloaded. A small class stands for BERTopic and calls its two models in the same way.
"""

import inspect
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from safetensors.numpy import load_file
from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import IncrementalPCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import adjusted_mutual_info_score
from tokenizers import Tokenizer

from phida import PHIDA

# %%
# The texts: docstrings of ten modules, at most 60 words each.
SUBJECTS = [
    "logging",
    "decimal",
    "asyncio",
    "email.message",
    "unittest",
    "math",
    "datetime",
    "pathlib",
    "tarfile",
    "socket",
]


def docstrings(name):
    """What a module says about its public functions, classes and methods."""
    own = name.split(".")[0]
    things = [thing for key, thing in vars(import_module(name)).items() if not key.startswith("_") and callable(thing)]
    things = [thing for thing in things if str(getattr(thing, "__module__", "")).split(".")[0].strip("_") == own]
    methods = [vars(thing) for thing in things if inspect.isclass(thing)]
    things += [method for space in methods for key, method in space.items() if not key.startswith("_")]
    texts = [" ".join((inspect.getdoc(thing) or "").split()[:60]) for thing in things]
    return [text for text in dict.fromkeys(texts) if len(text.split()) >= 5]


documents = [(text, subject) for subject in SUBJECTS for text in docstrings(subject)]
texts, subjects = (np.array(column) for column in zip(*documents, strict=True))
print(f"{len(texts)} texts, for example: {texts[0][:74]}…")

# %%
# The embeddings: the mean of the vectors of a text's tokens, scaled to length 1. The files of the package are read
# directly.
folder = Path(find_spec("wordllama").origin).parent
vectors = load_file(folder / "weights" / "l2_supercat_256.safetensors")["embedding.weight"].astype(np.float64)
tokens = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
encoded = tokens.encode_batch(texts.tolist(), add_special_tokens=False)
means = np.array([vectors[one.ids].mean(axis=0) for one in encoded])
embeddings = means / np.linalg.norm(means, axis=1, keepdims=True)

# %%
# How BERTopic calls its models. Each batch is one subject. All documents are labelled at the end.


class OnlineTopics:
    """What BERTopic does with the two models, and nothing else of it."""

    def __init__(self, umap_model, hdbscan_model):
        self.umap_model, self.hdbscan_model = umap_model, hdbscan_model

    def partial_fit(self, batch):
        """Learn a batch of embeddings; its topics are in ``topics_``."""
        reduced = self.umap_model.partial_fit(batch).transform(batch)
        self.topics_ = self.hdbscan_model.partial_fit(reduced).labels_
        return self

    def transform(self, embeddings):
        """Topics of any embeddings."""
        return self.hdbscan_model.predict(self.umap_model.transform(embeddings))


def topics_of(model, batches, reduction=None):
    """Topics of all texts after they came in batches."""
    topics = OnlineTopics(reduction or IncrementalPCA(n_components=15), model)
    for batch in batches:
        topics.partial_fit(embeddings[batch])
    return topics.transform(embeddings)


def in_turn(order):
    """Batches of one subject each."""
    return [np.flatnonzero(subjects == SUBJECTS[subject]) for subject in order]


moving = topics_of(PHIDA(), in_turn(range(10)))
print(f"{len(set(moving))} topics, adjusted mutual information {adjusted_mutual_info_score(subjects, moving):.2f}")

# %%
# ``IncrementalPCA`` changes its axes as it learns, so earlier clusters no longer fit. It is better to fit the
# reduction once, here on a sample of 300 texts.


class Settled:
    """A reduction that has learned enough."""

    def __init__(self, reduction):
        self.transform = reduction.transform

    def partial_fit(self, batch):
        """Stay."""
        return self


sample = np.random.default_rng(0).choice(len(texts), 300, replace=False)
settled = Settled(IncrementalPCA(n_components=15).fit(embeddings[sample]))
found = topics_of(PHIDA(), in_turn(range(10)), settled)
print(f"{len(set(found))} topics, adjusted mutual information {adjusted_mutual_info_score(subjects, found):.2f}")

# %%
# The subjects in each topic, and the words that distinguish each topic most.
counts = CountVectorizer(stop_words="english", min_df=3, token_pattern=r"[a-z]{3,}")
words = counts.fit_transform(texts)
names = counts.get_feature_names_out()
order = sorted(set(found), key=lambda topic: -(found == topic).sum())
table = np.array([[((found == topic) & (subjects == subject)).sum() for subject in SUBJECTS] for topic in order])
share = np.array([np.asarray(words[found == topic].sum(axis=0)).ravel() for topic in order], dtype=float)
share /= np.maximum(share.sum(axis=1, keepdims=True), 1)
telling = share * np.log(1 + share.max(axis=0) / (share.mean(axis=0) + 1e-9))
figure, ax = plt.subplots(figsize=(8.4, 0.34 * len(order) + 1.6), layout="constrained")
ax.imshow(table / table.sum(axis=0), cmap="Blues", aspect="auto", vmin=0, vmax=1)
for (row, column), count in np.ndenumerate(table):
    if count:
        dark = count > 0.6 * table[:, column].sum()
        ax.text(column, row, count, ha="center", va="center", fontsize=7, color="white" if dark else "black")
ax.set(yticks=range(len(order)), xticks=range(len(SUBJECTS)))
ax.set_yticklabels([f"{', '.join(names[np.argsort(-row)[:4]])}" for row in telling], fontsize=8)
ax.set_xticklabels(SUBJECTS, rotation=40, ha="right", fontsize=8)
ax.set_title("Texts of each subject (columns) in each topic (rows)", loc="left", fontsize=10)
plt.show()

# %%
# Comparison with MiniBatchKMeans, which is given the true number of topics: subject by subject, and with all subjects
# mixed in every batch, with both kinds of reduction. Values are the adjusted mutual information with the subjects,
# means of five seeds.


def mixed(seed):
    """Ten batches in which every subject may come."""
    return np.array_split(np.random.default_rng(seed).permutation(len(texts)), 10)


streams = {
    "subject by subject": [in_turn(np.random.default_rng(seed).permutation(10)) for seed in range(5)],
    "mixed": [mixed(seed) for seed in range(5)],
}
for title, orders in streams.items():
    for word, reduction in (("moving", None), ("settled", settled)):
        given = {
            "PHIDA": [topics_of(PHIDA(), batches, reduction) for batches in orders],
            "MiniBatchKMeans": [
                topics_of(MiniBatchKMeans(10, random_state=seed), batches, reduction)
                for seed, batches in enumerate(orders)
            ],
        }
        for name, topics in given.items():
            scores = [adjusted_mutual_info_score(subjects, labels) for labels in topics]
            spread = f"from {min(scores):.2f} to {max(scores):.2f}"
            print(f"{title:18} {word:7} {name:16} {np.mean(scores):.2f} ({spread})")

# %%
# With fixed axes, PHIDA is better if subjects come one after the other. If they are mixed, k-means is better, because
# it is given their number. Neither finds the subjects well, because sentence embeddings have no clear gaps. The
# number of axes, 15, was chosen after comparing a few others on these texts, so expect lower scores on your own
# texts. Look at the words before you trust a topic.
