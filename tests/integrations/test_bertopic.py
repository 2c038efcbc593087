"""Topics of real sentences, with the real BERTopic."""

import copy

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_mutual_info_score
from texts import documents, embeddings

from phida import PHIDA, PHIDAPlus
from phida.bertopic import ClusterModel

pytestmark = pytest.mark.filterwarnings("ignore")  # from BERTopic
BATCHES = 8


class Settled:
    """A reduction that has learned enough: moving axes would move the clusters."""

    def __init__(self, reduction):
        self.transform = reduction.transform

    def fit(self, X, y=None):
        return self

    partial_fit = fit


@pytest.fixture(scope="module")
def bertopic():
    return pytest.importorskip("bertopic", reason="make test-integrations installs BERTopic")


def online(bertopic, order, cluster_model):
    """Return a topic model that learned in batches, and the topic of each document in its batch."""
    from bertopic.vectorizers import OnlineCountVectorizer

    texts, rows = np.array(documents()[0]), embeddings()
    topics = bertopic.BERTopic(
        embedding_model=None,
        umap_model=Settled(PCA(15, random_state=0).fit(rows[order[:150]])),
        hdbscan_model=cluster_model,
        vectorizer_model=OnlineCountVectorizer(stop_words="english"),
    )
    came = np.empty(len(order), np.int64)
    for batch in np.array_split(order, BATCHES):
        topics.partial_fit(texts[batch].tolist(), rows[batch])
        came[batch] = topics.topics_
    return topics, came


def orders():
    return [np.random.default_rng(seed).permutation(len(embeddings())) for seed in range(3)]


def test_lasting_ids_improve_topics(bertopic):
    _, subjects = documents()
    scores = {"labels": [], "ids": []}
    for order in orders():
        for name, model in {"labels": PHIDAPlus(), "ids": ClusterModel()}.items():
            _, came = online(bertopic, order, model)
            scores[name].append(adjusted_mutual_info_score(subjects, came))
    assert np.mean(scores["ids"]) > np.mean(scores["labels"]) + 0.02


def test_topics_of_a_batch_are_cluster_ids(bertopic):
    texts, rows = np.array(documents()[0]), embeddings()
    topics, came = online(bertopic, orders()[0], ClusterModel())
    model = topics.hdbscan_model
    last = np.array_split(orders()[0], BATCHES)[-1]
    np.testing.assert_array_equal(topics.probabilities_, model.probabilities_)
    assert topics.probabilities_.shape == last.shape
    assert ((topics.probabilities_ > 0) & (topics.probabilities_ <= 1)).all()
    predicted, _ = topics.transform(texts[last].tolist(), rows[last])
    np.testing.assert_array_equal(predicted, came[last])
    np.testing.assert_array_equal(model.labels_, model.predict(topics.umap_model.transform(rows[last])))
    # BERTopic renumbers later topics, one to one.
    numbers = topics.topic_mapper_.get_mappings()
    assert [numbers[id] for id in model.labels_.tolist()] == came[last].tolist()
    assert set(topics.get_topic_info()["Topic"]) >= set(came[last].tolist())
    info = topics.get_document_info(texts[last].tolist())
    assert info["Probability"].tolist() == topics.probabilities_.tolist()


@pytest.mark.parametrize("model", [None, PHIDA(), PHIDAPlus()], ids=str)
def test_fit_transform_finds_topics(bertopic, model):
    texts, rows = documents()[0], embeddings()
    reduction = Settled(PCA(15, random_state=0).fit(rows))
    topics = bertopic.BERTopic(embedding_model=None, umap_model=reduction, hdbscan_model=ClusterModel(model))
    found, probabilities = topics.fit_transform(texts, rows)
    assert len(found) == len(probabilities) == len(texts)
    assert list(topics.transform(texts, rows)[0]) == list(found)
    assert len(set(found)) > 1


def test_copied_topic_model_continues(bertopic):
    texts, rows = documents()[0], embeddings()
    topics, _ = online(bertopic, orders()[0], ClusterModel())
    twin = copy.deepcopy(topics)
    for model in (topics, twin):
        model.partial_fit(texts[:40], rows[:40])
    assert list(twin.topics_) == list(topics.topics_)
