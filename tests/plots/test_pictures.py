"""The plots: models of any size, axes and texts."""

import matplotlib
import numpy as np
import pytest
from data import blobs
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from phida import PHIDA, PHIDAPlus, plots, records
from phida.answers import Profile
from phida.answers.links import ClusterLinks
from phida.plots import gallery, style
from phida.projection import spread_colours
from plots.doubles import hand_made, history, lineage, with_ids

matplotlib.use("Agg")

PLOTS = [getattr(plots, name) for name in plots.__all__ if name.startswith("plot_")]
SIZES = {
    "five nodes": {"n_nodes": 5, "n_clusters": 1},
    "one component": {"n_nodes": 5, "n_clusters": 1, "per_cluster": 1},
    "one feature": {"n_nodes": 8, "n_clusters": 2, "d": 1},
    "some": {},
    "many": {"n_nodes": 5000, "n_clusters": 300, "d": 30},
}


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    monkeypatch.setattr(plt, "show", lambda *_, **__: pytest.fail("a picture was shown"))
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.findobj(matplotlib.text.Text) if text.get_text()]


@pytest.mark.parametrize("plus", [False, True])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.__name__)
def test_models_of_any_size_are_drawn(plot, size, plus):
    ax = plot(hand_made(**SIZES[size], plus=plus))
    ax.figure.canvas.draw()
    assert ax.get_title(loc="left")


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.__name__)
@pytest.mark.parametrize("make", [PHIDA, PHIDAPlus])
def test_fitted_model_is_drawn_on_given_axes(plot, make):
    model = make().fit(blobs(400))
    figure = Figure(layout="constrained")
    left, right = figure.subplots(1, 2)
    assert plot(model, ax=right) is right
    assert not left.has_data() and (right.has_data() or right.child_axes)
    assert not plt.get_fignums()
    figure.canvas.draw()


#: Short streams: one node, three nodes, one place, places far from each other.
RARE = {
    "one row": [[0.0, 1.0]],
    "three rows": [[0.0, 1.0], [0.5, 1.0], [9.0, 3.0]],
    "one place": [[2.0, 1.0]] * 50,
    "places": (100 * np.random.default_rng(4).normal(size=(30, 3))).tolist() * 20,
}


@pytest.mark.parametrize("method", [PHIDA, PHIDAPlus])
@pytest.mark.parametrize("rows", RARE)
@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.__name__)
def test_models_of_short_streams_are_drawn(plot, rows, method):
    ax = plot(method().fit(RARE[rows]))
    ax.figure.canvas.draw()
    assert np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all()


def test_cut_of_phida_plus_is_drawn():
    cut = PHIDAPlus().fit(blobs(400)).cut(n_clusters=2)
    for plot in (plots.plot_nodes, plots.plot_hierarchy, plots.plot_persistence):
        assert plot(cut).get_title(loc="left")


def test_clusters_are_labelled_with_their_ids():
    made = with_ids(hand_made(), 41, 57, 63)
    made.lineage_ = lineage(*(("born", 1, (), (id,)) for id in (41, 57, 63)))
    for plot in (
        plots.plot_nodes,
        plots.plot_hierarchy,
        plots.plot_persistence,
        plots.plot_lineage,
        plots.plot_profile,
    ):
        found = " ".join(texts(plot(made))).split()
        assert {"41", "57", "63"} <= set(found), plot.__name__


def test_captions_of_phida_name_components_and_threshold():
    made = hand_made()
    said = " ".join(texts(plots.plot_hierarchy(made)))
    assert "6 components, cut to 3 clusters" in said and "cut: 2.78 to 4" in said
    assert "merging ends at 2 (no two are adjacent)" in said
    assert "threshold 0.25" in " ".join(texts(plots.plot_persistence(made)))
    assert "Nodes: 12 in 3 clusters" in " ".join(texts(plots.plot_nodes(made)))
    history = plots.plot_history(made)
    assert [panel.get_ylabel() for panel in history.child_axes] == ["nodes", "clusters", "vigilance", "interval"]
    assert history.child_axes[2].lines[0].get_ydata().tolist() == [0.5, 0.625, 0.75]


def test_captions_of_phida_plus():
    made = hand_made(plus=True)
    ax = plots.plot_hierarchy(made)
    assert ax.get_ylabel() == "prominence / chance"
    said = " ".join(texts(ax))
    assert "12 nodes, cut to 3 clusters" in said and "cut: what chance alone would show" in said
    assert "left out" not in said and "merging ends at 2: no path joins them" in said
    many = hand_made(**SIZES["many"], plus=True)
    said = " ".join(texts(plots.plot_hierarchy(many)))
    assert "4,683 lower peaks left out" in said and "clusters farther apart left out" in said
    said = " ".join(texts(plots.plot_nodes(made)))
    assert "Nodes: 12 in 3 clusters" in said and "area is weight, at most " in said
    ax = plots.plot_persistence(made)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["4"]
    assert ax.get_xlabel() == "neighbours that density is measured over" and ax.get_ylabel() == "prominence / chance"
    assert {"never dies", "what chance alone would show"} <= set(texts(ax))
    assert [panel.get_ylabel() for panel in plots.plot_history(made).child_axes] == ["nodes", "clusters"]


def test_lowest_saddles_are_drawn(monkeypatch):
    model = PHIDAPlus().fit(blobs(600, centers=8, spread=4.0))
    links = ClusterLinks.of(model)
    assert len(links.height) > 2 and (np.diff(links.height) >= 0).all()
    monkeypatch.setattr("phida.plots.nodes._SADDLES", 2)
    ax = plots.plot_nodes(model)
    assert len(ax.collections[-1].get_segments()) == 2
    assert "lines are the 2 lowest saddles" in " ".join(" ".join(texts(ax)).split())


def test_modes_are_in_the_column_of_their_scale():
    made = hand_made(plus=True)
    kept = vars(made.persistence_)
    scale = np.array([1, 0, 32] * 4)
    made.persistence_ = records.Persistence(**kept | {"scale": scale})
    ax = plots.plot_persistence(made)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["equal rows", "1", "32"]
    edges = sorted(line.get_xdata()[0] for line in ax.lines if line.get_xdata()[0] == line.get_xdata()[1])
    x = np.concatenate([found.get_offsets()[:, 0] for found in ax.collections if len(found.get_offsets())])
    assert np.bincount(np.searchsorted(edges, x)).tolist() == [4, 4, 4]


@pytest.mark.parametrize("top", [0.3, 1.0, 1.04, 1.7, 6.0, 3000.0])
def test_ratio_axis_is_continuous(top):
    ax = Figure().subplots()
    style.scale_by_ratio(ax, top)
    along = ax.yaxis.get_transform()
    y = np.concatenate([np.linspace(-0.2, 1, 100), np.geomspace(1.001, max(1.2 * top, 1.1), 100)])
    placed = along.transform(y)
    assert (np.diff(placed) > 0).all() and np.diff(placed).max() < 0.05
    np.testing.assert_allclose(along.inverted().transform(placed), y, atol=1e-9)
    assert 3 <= len(ax.get_yticks()) <= 16 and max(ax.get_yticks()) <= max(top, 1)


def test_twelve_largest_clusters_have_different_colours():
    made = with_ids(hand_made(300, 40), *(12 * np.arange(40)))  # all ids map to the first colour
    palette = style.Palette.of(made)
    weight = np.bincount(made.nodes_.cluster, made.nodes_.support)
    largest = made.cluster_ids_[np.argsort(-weight, kind="stable")[:12]]
    assert len(set(palette.colours(largest))) == 12
    assert len({palette.marker(id) for id in range(8)}) == 8
    assert palette.colour(5) == style.COLOURS[5]  # id of an ended cluster


def test_neighbouring_clusters_differ_in_colour():
    place = np.array([(x, y) for x in range(9) for y in range(9)], dtype=float)
    colour = spread_colours(np.ones(81), place, np.arange(81) % 12, 12)
    away = np.abs(place[:, None] - place).max(axis=2)
    neighbours = (away == 1) & (np.abs(place[:, None] - place).sum(axis=2) == 1)
    assert not (neighbours & (colour[:, None] == colour)).any()


def test_nodes_without_a_cluster_are_crosses():
    made = hand_made()
    nodes = made.nodes_
    cluster = np.where(np.arange(12) == 2, -1, nodes.cluster)
    made.nodes_ = records.Nodes(**{**vars(nodes), "cluster": cluster, "cluster_id": cluster * 2 + 1})
    ax = plots.plot_nodes(made)
    assert len(ax.collections[0].get_offsets()) == 1
    assert "× has no cluster" in " ".join(texts(ax))


def test_models_without_rows_have_empty_plots():
    made = with_ids(hand_made())
    made.history_, made.lineage_ = history(*[()] * 4), lineage()
    assert "no refresh yet" in texts(plots.plot_history(made))
    assert "no cluster has an id yet" in texts(plots.plot_lineage(made))


def test_single_cluster_profile_compares_feature_variances():
    made = hand_made(n_clusters=1, names=("a", "b", "c", "d"))
    made.moments_ = records.Moments(mean=np.array([1.0, 2.0, 3.0, 4.0]), deviation=np.array([1.0, 3.0, 0.0, 2.0]))
    ax = plots.plot_profile(made)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "d", "a", "c"]
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], [900 / 14, 400 / 14, 100 / 14, 0])
    assert "2 ± 3" in texts(ax)


def test_long_lineage_counts_the_ids_without_a_band():
    made = with_ids(hand_made(300, 100), *range(100))
    made.lineage_ = lineage(*(("born", 1 + id, (), (id,)) for id in range(100)))
    ax = plots.plot_lineage(made)
    assert len(ax.patches) == 40 and "60 more ids, at most 60 at a time" in texts(ax)


def test_profile_of_one_id_has_a_bar_per_feature():
    ax = plots.plot_profile(hand_made(names=("a", "b", "c", "d")), id=3)
    assert ax.get_title(loc="left") == "What makes cluster 3"
    assert len(ax.patches) == 4
    with pytest.raises(ValueError, match="no cluster has id 2 now"):
        plots.plot_profile(hand_made(), id=2)


def test_wide_profile_shows_the_telling_features_of_the_largest_clusters():
    made = hand_made(200, 40, d=60)
    ax = plots.plot_profile(made)
    record = Profile.of(made)
    shown = [label.get_text() for label in ax.get_xticklabels()]
    largest = np.argsort(-record.rows)[:8]
    assert len(shown) == 14 and len(ax.get_yticks()) == 24
    assert {f"feature {record.telling(cluster, 1)[0]}" for cluster in largest} <= set(shown)
    said = " ".join(" ".join(texts(ax)).split())
    assert "the 24 largest of 40 clusters; the others hold " in said and "14 of 60 features" in said


def test_feature_names_are_drawn_as_plain_text():
    names = ("$\\frac{$", "line\nbreak", "x" * 200, "<script>")
    for id in (None, 1):
        ax = plots.plot_profile(hand_made(names=names), id=id)
        ax.figure.canvas.draw()
        found = texts(ax)
        assert "$\\frac{$" in found and "line break" in found and "x" * 27 + "…" in found


def test_names_do_not_overlap():
    figure = Figure(figsize=(4, 4))
    ax = figure.add_subplot()
    x = np.linspace(0.1, 0.9, 400)
    assert 3 < style.Names(ax).write(np.column_stack([x, x]), [str(i) for i in range(400)]).sum() < 100
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.mark.parametrize("format", gallery.FORMATS)
def test_same_model_gives_identical_files(format):
    one, other = (list(gallery.rendered(hand_made(), format)) for _ in range(2))
    assert one == other
    assert [picture.name for picture in one] == list(gallery.PICTURES)
    assert {plot.__name__ for plot in gallery.PICTURES.values()} == {plot.__name__ for plot in PLOTS}
    assert not plt.get_fignums()


def test_dark_plots_have_dark_backgrounds():
    light, dark = (next(iter(gallery.rendered(hand_made(), "svg", dark=dark))).data for dark in (False, True))
    assert b"#171a1d" in dark and b"#171a1d" not in light
