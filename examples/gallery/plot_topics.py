"""
Topics of sentences, as BERTopic asks for them
==============================================

BERTopic's online topics need a cluster model with ``partial_fit``, ``labels_`` and ``predict``. PHIDA has them, and
``phida.bertopic.ClusterModel`` adds topics that keep their numbers from batch to batch. Here real texts come subject by
subject: what Python's own library says about its functions. The embeddings are those of the package
`wordllama <https://pypi.org/project/wordllama>`_ (``pip install wordllama``), whose wheel carries its weights, so that
nothing is downloaded. A small class stands for BERTopic and calls its two models as it does.
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
# The texts: docstrings of ten modules, 60 words of each at most.
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
# The embeddings: the mean of the vectors of a text's tokens, scaled to length 1. The wheel's files are read as they
# are.
folder = Path(find_spec("wordllama").origin).parent
vectors = load_file(folder / "weights" / "l2_supercat_256.safetensors")["embedding.weight"].astype(np.float64)
tokens = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
encoded = tokens.encode_batch(texts.tolist(), add_special_tokens=False)
means = np.array([vectors[one.ids].mean(axis=0) for one in encoded])
embeddings = means / np.linalg.norm(means, axis=1, keepdims=True)

# %%
# How BERTopic calls its models. A batch is a subject; afterwards all documents are labelled.


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
# ``IncrementalPCA`` moves its axes as it learns, under the feet of whatever clusters behind it. It is better to fit the
# reduction once, here on a sample of 300 texts, and to leave it as it is.


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
# Which topic holds which subject, and the words by which each topic differs most from the others.
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
# Beside MiniBatchKMeans, which is told the right number of topics: subject by subject, and with all subjects mixed in
# every batch, with both kinds of reduction. Adjusted mutual information with the subjects, means of five seeds.


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
# With axes that stay, PHIDA is ahead where subjects come one after the other. Where they come mixed, k-means is, which
# knows how many there are. Neither finds the subjects well: embeddings of sentences have no clear gaps. The 15 axes
# were chosen after a look at the scores of a few other numbers on these texts, so on texts of your own expect less.
# Look at the words before you trust a topic.
