"""phida as the cluster model of BERTopic's online topics.

BERTopic asks three things of it: ``partial_fit(embeddings)``, ``labels_`` of that batch, and ``predict`` for
``transform``. ``ClusterModel`` has them, and its labels are ids, so that a topic keeps its number::

    topics = BERTopic(
        umap_model=GaussianRandomProjection(n_components=16, random_state=0),
        hdbscan_model=ClusterModel(),
        vectorizer_model=OnlineCountVectorizer(),
    )
    for documents in batches:
        topics.partial_fit(documents)

So that this file needs neither BERTopic nor a language model, the small class below stands for BERTopic and calls its
models in that way, and made-up embeddings stand for the documents.
"""

import numpy as np
from sklearn.random_projection import GaussianRandomProjection

from phida.bertopic import ClusterModel


class OnlineTopics:
    """How BERTopic calls its models to learn a batch and to label documents; the rest of it is left out."""

    def __init__(self, umap_model, hdbscan_model):
        self.umap_model = umap_model
        self.hdbscan_model = hdbscan_model

    def partial_fit(self, embeddings):
        """Reduce, cluster, and take the topics of the batch from ``labels_``."""
        if not hasattr(self, "topics_"):
            self.umap_model.fit(embeddings)  # a reduction without partial_fit is fitted once, and its axes stay
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
topics = OnlineTopics(GaussianRandomProjection(n_components=16, random_state=0), ClusterModel())
for number, embeddings in enumerate(stream, start=1):
    topics.partial_fit(embeddings)
    print(f"batch {number}: {len(set(topics.topics_))} topics in it, {topics.hdbscan_model.model_.n_clusters_} in all")
print("topics of all documents so far:", sorted(set(topics.transform(np.vstack(stream)).tolist())))
