"""Data of the plots."""

import numpy as np
import pytest
from data import blobs

from phida import PHIDA, PHIDAPlus, records
from phida.answers import Profile
from phida.plots import Dendrogram, LineageBands, NodePositions, PersistenceDiagram
from phida.plots.lanes import lanes
from phida.projection import Projection
from plots.doubles import hand_made, lineage, with_ids


@pytest.fixture(scope="module")
def rows():
    return blobs(600, d=3)


@pytest.fixture
def model(rows):
    return PHIDA().fit(rows)


def test_persistence_diagram_keeps_the_peaks_of_components(model):
    record = PersistenceDiagram.of(model)
    found = model.persistence_
    assert record.kept.sum() == model.n_components_
    lower, upper = record.gap
    lasting = found.persistence[np.isfinite(found.persistence)]
    assert lower == found.threshold and not ((lasting > lower) & (lasting < upper)).any()
    frame = record.to_pandas()
    assert frame["id"].tolist() == [model.cluster_ids_[model.nodes_.cluster[node]] for node in found.node]
    assert (frame["persistence"] > lower).tolist() == frame["kept"].tolist()


def test_gap_of_a_single_mode_has_no_upper_end():
    made = hand_made()
    kept = made.persistence_
    made.persistence_ = records.Persistence(
        kept.node[:1], kept.birth[:1], np.array([-np.inf]), kept.partner[:1], kept.input_nodes, kept.base, 0.0
    )
    assert PersistenceDiagram.of(made).gap == (0.0, np.inf)


def test_records_of_phida_plus_keep_the_peaks_of_clusters(rows):
    model = PHIDAPlus().fit(rows)
    found, cluster = model.persistence_, model.nodes_.cluster
    diagram, nodes, tree = PersistenceDiagram.of(model), NodePositions.of(model), Dendrogram.of(model)
    assert diagram.measure == "density" and diagram.kept.sum() == model.n_clusters_
    assert diagram.id.tolist() == model.cluster_ids_[cluster[found.node]].tolist()
    assert nodes.edges == "saddles" and nodes.weight.sum() == len(rows)
    frame = nodes.edges_to_pandas()
    assert len(frame) == len(model.hierarchy_.merge_height) - model.hierarchy_.level and (frame["height"] >= 1).all()
    assert (cluster[frame["source"]] != cluster[frame["target"]]).all()
    assert tree.leaves == "peak" and tree.n_leaves == model.n_nodes_ and tree.n_absorbed == tree.n_apart == 0
    assert tree.mass.sum() == pytest.approx(len(rows)) and len(tree.cluster_ids) == model.n_clusters_
    assert sorted(set(tree.cluster.tolist())) == list(range(model.n_clusters_))


def test_each_mode_of_phida_plus_has_its_own_threshold():
    record = PersistenceDiagram.of(hand_made(plus=True))
    assert record.threshold[0] == 0.25 and record.threshold[-1] == 0.5
    assert record.kept.tolist() == (record.ratio >= 1).tolist() == [True, False] * 6
    assert np.isposinf(record.ratio[0])


def test_saddle_joins_two_clusters_at_their_closest_nodes():
    made = hand_made(8, 4, plus=True)
    made.nodes_ = records.Nodes(
        **vars(made.nodes_) | {"cluster": np.arange(8) // 2, "representatives": np.arange(32.0).reshape(8, 4)}
    )
    source, target = np.array([0, 1, 0, 2, 1]), np.array([1, 2, 2, 3, 3])
    distance = np.array([0.1, 2.0, 1.0, 0.1, 3.0])
    made.graph_ = records.Graph(**vars(made.graph_) | {"source": source, "target": target, "distance": distance})
    merges = {
        "merge_into": np.array([0, 2, 4, 6, 0, 0, 0]),
        "merge_from": np.array([1, 3, 5, 7, 2, 4, 6]),
        "merge_height": np.array([0, 0, 0, 0, 1.5, 2.0, np.inf]),
    }
    made.hierarchy_ = records.Hierarchy(**vars(made.hierarchy_) | merges | {"level": 4, "cluster": np.arange(8) // 2})
    record = NodePositions.of(made)
    # Clusters 0 to 2 have edges, of which 0-2 is the shortest. No edge joins 0 to 3 with 4 and 5; 3 is the nearest.
    assert record.edges_to_pandas().to_numpy().tolist() == [[0, 2, 1.5], [3, 4, 2.0]]


def test_node_positions_are_projected_with_ids_of_clusters(model):
    record = NodePositions.of(model)
    nodes = model.nodes_
    expected = Projection.of(model).transform(nodes.representatives)
    np.testing.assert_array_equal(record.position, expected)
    frame = record.to_pandas()
    outside = nodes.cluster < 0
    assert frame["id"].isna().tolist() == outside.tolist()
    assert frame["id"][~outside].tolist() == model.cluster_ids_[nodes.cluster[~outside]].tolist()
    assert len(record.edges_to_pandas()) == len(model.graph_.source)


def dendrogram(merges, level, cluster, count=5, minimum=1, *, prominence=None, mass=None):
    made, plus = hand_made(), prominence is not None
    into, source, heights = (np.array(part) for part in zip(*merges)) if merges else ([], [], [])
    made.hierarchy_ = records.Hierarchy(
        leaves="node" if plus else "component",
        height="prominence" if plus else "dispersion",
        threshold=1.0 if plus else np.inf,
        mode=np.arange(count),
        leaf=np.arange(count),
        persistence=np.ones(count),
        mass=np.ones(count) if mass is None else np.array(mass),
        centroid=np.zeros((count, 2)),
        cluster=np.array(cluster),
        merge_into=np.array(into, dtype=np.int64),
        merge_from=np.array(source, dtype=np.int64),
        merge_height=np.array(heights, dtype=float),
        minimum_count=minimum,
        level=level,
        merge_prominence=np.array(prominence) if plus else None,
    )
    made.cluster_ids_ = np.arange(max(cluster) + 1) + 20
    return Dendrogram.of(made)


def test_dendrogram_equals_manual_layout():
    record = dendrogram([(0, 3, 1.0), (1, 2, 2.0), (0, 1, 6.0)], 2, [0, 1, 1, 0, 2])
    assert record.order.tolist() == [0, 3, 1, 2, 4]
    frame = record.to_pandas()
    assert frame[["left", "right"]].to_numpy().tolist() == [[0, 1], [2, 3], [0.5, 2.5]]
    assert frame[["left_base", "right_base"]].to_numpy().tolist() == [[0, 0], [0, 0], [1, 2]]
    assert frame["made"].tolist() == [True, True, False] and frame["cluster"].tolist() == [0, 1, -1]
    assert record.jump == (2.0, 6.0)
    assert record.components_to_pandas()["id"].tolist() == [20, 20, 21, 21, 22]


#: Nodes 0 and 1, and 3 and 4, are the peaks of two clusters; 2 and 5 are slopes.
PEAKS = [(1, 2, 0.0), (3, 5, 0.0), (0, 1, 0.5), (3, 4, 0.8), (0, 3, 3.0)]


def test_leaves_of_phida_plus_are_peaks():
    record = dendrogram(PEAKS, 4, [0, 0, 0, 1, 1, 1], count=6, prominence=[-1.0, -1.0, 0.5, 0.8, 3.0])
    assert record.leaves == "peak" and record.n_leaves == 6
    assert record.order.tolist() == [1, 0, 3, 4] and record.mass.tolist() == [2, 1, 2, 1]
    assert record.height.tolist() == [0.5, 0.8, 3.0] and record.made.tolist() == [True, True, False]
    assert record.left_cluster.tolist() == [0, 1, 0] and record.right_cluster.tolist() == [0, 1, 1]
    assert record.to_pandas()[["left_base", "right_base"]].to_numpy().tolist() == [[0, 0], [0, 0], [0.5, 0.8]]
    assert record.root.tolist() == [1.5] and record.root_base.tolist() == [3] and record.root_cluster.tolist() == [-1]
    assert record.components_to_pandas().columns[0] == "peak"


def test_slope_joins_the_heaviest_peak_of_its_cluster():
    merges = [(0, 1, 0.5), (0, 2, 0.5)]
    record = dendrogram(merges, 2, [0, 0, 0], count=3, prominence=[0.5, -1.0], mass=[1.0, 4.0, 2.0])
    assert record.order.tolist() == [1, 0] and record.mass.tolist() == [6, 1]


def test_merges_far_below_the_cut_are_left_out(monkeypatch):
    monkeypatch.setattr("phida.plots.hierarchy._PEAKS", 4)
    merges = [(0, i, 0.1 * i) for i in range(1, 6)]
    record = dendrogram(merges, 5, [0] * 6, count=6, prominence=[1.0] * 5)
    assert record.n_absorbed == 2 and record.order.tolist() == [0, 3, 4, 5] and record.mass.tolist() == [3, 1, 1, 1]


def test_clusters_far_apart_are_left_out(monkeypatch):
    monkeypatch.setattr("phida.plots.hierarchy._PEAKS", 4)
    merges = [(2, 4, 1.5), (0, 1, 2.0), (0, 2, 7.0), (0, 3, 8.0)]
    record = dendrogram(merges, 0, [0, 1, 2, 3, 4], prominence=[1.0] * 4)
    assert record.height.tolist() == [1.5, 2.0] and record.order.tolist() == [0, 1, 2, 4] and record.n_apart == 1
    alone = dendrogram([], 0, range(5), prominence=[], mass=[1.0, 5.0, 2.0, 3.0, 4.0])
    assert alone.order.tolist() == [1, 4, 3, 2] and alone.n_apart == 1


def test_cuts_below_the_first_and_above_the_last_merge():
    merges = [(0, 1, 3.0)]
    assert dendrogram(merges, 0, [0, 1, 2, 3, 4]).jump == (0.0, 3.0)
    assert dendrogram(merges, 1, [0, 0, 1, 2, 3]).jump is None
    assert dendrogram([], 0, [0, 1, 2, 3, 4]).jump is None


def test_leaves_of_a_cluster_are_adjacent(model):
    record = Dendrogram.of(model)
    assert sorted(record.order) == list(range(model.n_components_))
    changes = np.count_nonzero(np.diff(record.cluster)) + 1
    assert changes == model.n_clusters_


def test_lives_of_ids_follow_the_events():
    record = LineageBands.of(hand_made())
    bands = record.to_pandas()
    found = bands[["id", "begin", "end", "begun_by", "ended_by"]].to_numpy().tolist()
    assert found == [
        [1, 10, 1000, "born", ""],
        [3, 60, 400, "born", "died"],
        [5, 200, 300, "split", "merged"],
        [5, 500, 1000, "revived", ""],
        [3, 1000, 1000, "", ""],  # alive again since the last refresh
    ]
    links = record.links_to_pandas().to_numpy().tolist()
    assert links == [[200, "split", 1, 5], [300, "merged", 5, 3], [500, "revived", 1, 5]]


def test_lives_from_before_the_record_begin_with_it():
    made = with_ids(hand_made(n_clusters=1), 2, 6, 8)
    made.lineage_ = lineage(("split", 700, (6,), (6, 7)), ("merged", 800, (6, 7), (6,)), n_dropped=4)
    record = LineageBands.of(made)
    assert record.n_dropped == 4
    assert record.to_pandas()[["id", "begin", "end"]].to_numpy().tolist() == [
        [6, 700, 1000],
        [7, 700, 800],
        [2, 700, 1000],
        [8, 1000, 1000],
    ]


def test_ids_since_the_last_refresh_begin_now():
    made = with_ids(hand_made(n_clusters=2), 0, 1)
    made.lineage_ = lineage(("born", 1, (), (0,)))
    found = LineageBands.of(made)
    assert found.id.tolist() == [0, 1] and found.begin.tolist() == [1, 1000] and found.end.tolist() == [1000, 1000]


def test_lanes_go_to_the_heaviest_and_longest_lives():
    made = with_ids(hand_made(300, 60), *range(60))
    ended = [("born", 10, (), (60 + i,)) for i in range(60)] + [("died", 20 + i, (60 + i,), ()) for i in range(60)]
    made.lineage_ = lineage(*(("born", 1 + id, (), (id,)) for id in range(60)), *ended)
    record = LineageBands.of(made)
    assert record.lane.max() == 39
    weight = np.bincount(made.nodes_.cluster, made.nodes_.support)
    drawn = record.id[record.lane >= 0]
    assert set(np.argsort(-weight, kind="stable")[:28].tolist()) <= set(drawn.tolist())
    assert {119, 118} <= set(drawn.tolist()) and 60 not in drawn


def test_bands_in_one_lane_do_not_overlap():
    rng = np.random.default_rng(0)
    begin = np.sort(rng.integers(0, 1000, 200))
    end = begin + rng.integers(0, 300, 200)
    lane = lanes(begin.tolist(), end.tolist(), [None] * 200)
    for number in np.unique(lane):
        mine = lane == number
        assert (begin[mine][1:] > end[mine][:-1]).all()
    assert lane.max() < 60


def test_child_is_next_to_its_parent():
    assert lanes([0, 0, 0, 60], [10, 100, 20, 100], [None, None, None, 2]).tolist() == [0, 1, 2, 2]


def test_profile_equals_centres_in_standard_deviations(rows, model):
    record = Profile.of(model)
    np.testing.assert_allclose(model.moments_.mean, rows.mean(axis=0))
    np.testing.assert_allclose(model.moments_.deviation, rows.std(axis=0, ddof=1))
    assert record.id.tolist() == model.cluster_ids_[record.label].tolist()
    expected = (model.cluster_centers_[record.label] - rows.mean(axis=0)) / rows.std(axis=0, ddof=1)
    np.testing.assert_allclose(record.deviations, expected)
    frame = record.to_pandas()
    assert len(frame) == len(record.id) * 3
    first = frame.groupby("label", sort=False).head(1)
    assert first["feature"].tolist() == [f"feature {j}" for j in np.abs(expected).argmax(axis=1)]
    assert record.rows.sum() == len(rows) and record.share.sum() == pytest.approx(1.0)


def test_constant_feature_is_not_telling():
    made = hand_made()
    made.moments_ = records.Moments(mean=np.ones(4), deviation=np.array([1.0, 0.0, 1.0, 1.0]))
    record = Profile.of(made)
    assert not record.deviations[:, 1].any() and 1 not in record.telling(0)


@pytest.mark.parametrize("record", [PersistenceDiagram, NodePositions, Dendrogram, LineageBands, Profile])
def test_plot_records_are_read_only(record, model):
    found = record.of(model)
    with pytest.raises(ValueError, match="read-only"):
        next(value for value in vars(found).values() if isinstance(value, np.ndarray))[:] = 0
