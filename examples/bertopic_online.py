"""PHIDA as the cluster model of BERTopic's online topics.

BERTopic asks three things of it: ``partial_fit(embeddings)``, ``labels_`` of that batch, and ``predict`` for
``transform``. PHIDA has them, so it goes in as it is::

    topics = BERTopic(
        umap_model=IncrementalPCA(n_components=5),
        hdbscan_model=PHIDA(),
        vectorizer_model=OnlineCountVectorizer(),
    )
    for documents in batches:
        topics.partial_fit(documents)

So that this file needs neither BERTopic nor a language model, the small class below stands for BERTopic and calls its
models in that way, and made-up embeddings stand for the documents. ``labels_`` is of one batch, and cluster numbers may
change from batch to batch: for the topics of all documents so far, predict them again.
"""

import numpy as np
from sklearn.decomposition import IncrementalPCA

from phida import PHIDA


class OnlineTopics:
    """How BERTopic calls its models to learn a batch and to label documents; the rest of it is left out."""

    def __init__(self, umap_model, hdbscan_model):
        self.umap_model = umap_model
        self.hdbscan_model = hdbscan_model
        self.topics_ = []

    def partial_fit(self, embeddings):
        """Reduce, cluster, and take the topics of the batch from ``labels_``."""
        self.umap_model.partial_fit(embeddings)
        reduced = self.umap_model.transform(embeddings)
        self.hdbscan_model = self.hdbscan_model.partial_fit(reduced)
        self.topics_ = self.hdbscan_model.labels_.tolist()
        return self

    def transform(self, embeddings):
        """Topics of documents, whether they were learned or not."""
        return self.hdbscan_model.predict(self.umap_model.transform(embeddings))


def batches(subjects, *, size=200, width=128, seed=0):
    """Embeddings of documents on more and more subjects: one more in each batch."""
    rng = np.random.default_rng(seed)
    middle = rng.normal(size=(subjects, width))
    for known in range(2, subjects + 1):
        yield middle[rng.integers(0, known, size=size)] + 0.3 * rng.normal(size=(size, width))


stream = list(batches(6))
topics = OnlineTopics(IncrementalPCA(n_components=5), PHIDA())
for number, embeddings in enumerate(stream, start=1):
    topics.partial_fit(embeddings)
    print(f"batch {number}: {len(set(topics.topics_))} topics in it, {topics.hdbscan_model.n_clusters_} in all")
print("topics of all documents so far:", sorted(set(topics.transform(np.vstack(stream)).tolist())))
