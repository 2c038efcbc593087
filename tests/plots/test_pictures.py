"""The pictures: any size of model, where they are drawn, what is written on them."""

import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from data import blobs
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from phida import PHIDA, PHIDAPlus, plots, records
from phida.answers import Profile
from phida.plots import gallery, style
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
def test_at_any_size(plot, size, plus):
    ax = plot(hand_made(**SIZES[size], plus=plus))
    ax.figure.canvas.draw()
    assert ax.get_title(loc="left")


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.__name__)
@pytest.mark.parametrize("make", [PHIDA, PHIDAPlus])
def test_of_a_fitted_model_on_the_axes_given(plot, make):
    model = make().fit(blobs(400))
    figure = Figure(layout="constrained")
    left, right = figure.subplots(1, 2)
    assert plot(model, ax=right) is right
    assert not left.has_data() and (right.has_data() or right.child_axes)
    assert not plt.get_fignums()
    figure.canvas.draw()


#: Rows of which little is learned: one node, three nodes, one place, places far from each other.
RARE = {
    "one row": [[0.0, 1.0]],
    "three rows": [[0.0, 1.0], [0.5, 1.0], [9.0, 3.0]],
    "one place": [[2.0, 1.0]] * 50,
    "places": (100 * np.random.default_rng(4).normal(size=(30, 3))).tolist() * 20,
}


@pytest.mark.parametrize("method", [PHIDA, PHIDAPlus])
@pytest.mark.parametrize("rows", RARE)
@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.__name__)
def test_little_that_was_learned(plot, rows, method):
    ax = plot(method().fit(RARE[rows]))
    ax.figure.canvas.draw()
    assert np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all()


def test_a_cut_of_phida_plus_is_drawn():
    cut = PHIDAPlus().fit(blobs(400)).cut(n_clusters=2)
    for plot in (plots.plot_nodes, plots.plot_hierarchy, plots.plot_persistence):
        assert plot(cut).get_title(loc="left")


def test_clusters_bear_their_ids():
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


def test_what_the_captions_say():
    made = hand_made()
    said = " ".join(texts(plots.plot_hierarchy(made)))
    assert "6 components, cut to 3 clusters" in said and "cut: 2.78 to 4" in said
    assert "merging ends at 2 (no two are adjacent)" in said
    assert "threshold 0.25" in " ".join(texts(plots.plot_persistence(made)))
    assert "12 nodes, 11 edges, 3 clusters" in " ".join(texts(plots.plot_nodes(made)))
    history = plots.plot_history(made)
    assert [panel.get_ylabel() for panel in history.child_axes] == ["nodes", "clusters", "vigilance", "interval"]
    assert history.child_axes[2].lines[0].get_ydata().tolist() == [0.5, 0.625, 0.75]


def test_what_the_captions_of_phida_plus_say():
    made = hand_made(plus=True)
    ax = plots.plot_hierarchy(made)
    assert ax.get_yscale() == "symlog" and ax.get_ylabel() == "prominence / chance"
    said = " ".join(texts(ax))
    assert "12 nodes, cut to 3 clusters" in said and "cut: 0.8 to inf" in said and "not drawn" not in said
    assert "the lowest 4,640 merges are not drawn" in " ".join(
        texts(plots.plot_hierarchy(hand_made(**SIZES["many"], plus=True)))
    )
    said = " ".join(texts(plots.plot_nodes(made)))
    assert "Neighbour graph: 12 nodes, 9 edges, 3 clusters" in said and "area is weight, at most " in said
    ax = plots.plot_persistence(made)
    assert ax.get_xlabel() == "birth (log density)" and ax.get_ylabel() == "prominence / chance"
    assert {"never dies", "what chance alone would show"} <= set(texts(ax))
    assert [panel.get_ylabel() for panel in plots.plot_history(made).child_axes] == ["nodes", "clusters"]


def test_colour_is_never_alone():
    looks = {(style.colour(id), style.marker(id)) for id in range(56)}
    assert len(looks) == 56
    for id in range(-5, 200):
        assert style.colour(id) != style.colour(id + 1) and style.marker(id) != style.marker(id + 1)


def test_nodes_without_a_cluster_are_crosses():
    made = hand_made()
    nodes = made.nodes_
    cluster = np.where(np.arange(12) == 2, -1, nodes.cluster)
    made.nodes_ = records.Nodes(**{**vars(nodes), "cluster": cluster, "cluster_id": cluster * 2 + 1})
    ax = plots.plot_nodes(made)
    assert len(ax.collections[1].get_offsets()) == 1
    assert "× has no cluster" in " ".join(texts(ax))


def test_nothing_yet():
    made = with_ids(hand_made())
    made.history_, made.lineage_ = history(*[()] * 4), lineage()
    assert "no refresh yet" in texts(plots.plot_history(made))
    assert "no cluster has an id yet" in texts(plots.plot_lineage(made))


def test_one_cluster_of_a_profile():
    ax = plots.plot_profile(hand_made(names=("a", "b", "c", "d")), id=3)
    assert ax.get_title(loc="left") == "What makes cluster 3"
    assert len(ax.patches) == 4
    with pytest.raises(ValueError, match="no cluster has id 2 now"):
        plots.plot_profile(hand_made(), id=2)


def test_a_wide_profile_shows_the_telling_features_of_the_largest_clusters():
    made = hand_made(200, 40, d=60)
    ax = plots.plot_profile(made)
    record = Profile.of(made)
    shown = [label.get_text() for label in ax.get_xticklabels()]
    largest = np.argsort(-record.rows)[:8]
    assert len(shown) == 14 and len(ax.get_yticks()) == 24
    assert {f"feature {record.telling(cluster, 1)[0]}" for cluster in largest} <= set(shown)
    assert "the 24 largest of 40 clusters, 14 of 60 features" in " ".join(texts(ax))


def test_names_of_features_are_only_text():
    names = ("$\\frac{$", "line\nbreak", "x" * 200, "<script>")
    for id in (None, 1):
        ax = plots.plot_profile(hand_made(names=names), id=id)
        ax.figure.canvas.draw()
        found = texts(ax)
        assert "$\\frac{$" in found and "line break" in found and "x" * 27 + "…" in found


def test_names_do_not_cover_each_other():
    figure = Figure(figsize=(4, 4))
    ax = figure.add_subplot()
    x = np.linspace(0.1, 0.9, 400)
    assert 3 < style.name_points(ax, x, x, [str(i) for i in range(400)]) < 100
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.mark.parametrize("format", gallery.FORMATS)
def test_the_same_model_gives_the_same_files(format):
    one, other = (list(gallery.rendered(hand_made(), format)) for _ in range(2))
    assert one == other
    assert [picture.name for picture in one] == list(gallery.PICTURES)
    assert {plot.__name__ for plot in gallery.PICTURES.values()} == {plot.__name__ for plot in PLOTS}
    assert not plt.get_fignums()


def test_dark_pictures_are_dark():
    light, dark = (next(iter(gallery.rendered(hand_made(), "svg", dark=dark))).data for dark in (False, True))
    assert b"#171a1d" in dark and b"#171a1d" not in light


def test_without_matplotlib_the_extra_is_named():
    code = "import sys; sys.modules['matplotlib'] = None\nimport phida.plots"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert 'phida.plots needs matplotlib: pip install "phida[plot]"' in found.stderr
