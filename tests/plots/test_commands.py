"""``phida plot`` and ``phida report``, as typed by users."""

import base64
import json
import re
from collections import Counter

import pandas as pd
import pytest
from streams_data import X
from streams_data import invoke as phida

from phida import PHIDA, PHIDAPlus
from phida.answers import Profile
from phida.plots import gallery

NAMES = ("a<script>alert(1)</script>", 'b" onload="x', "c & d")


def make(folder):
    frame = pd.DataFrame(X, columns=NAMES)
    PHIDAPlus().fit(frame).save(folder / "m.safetensors")
    frame.assign(kind=["<b>x", "y", "z"] * 200).to_csv(folder / "rows.csv", index=False)
    return folder


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return make(tmp_path)


def report(folder, *more):
    found = phida("report", folder / "m.safetensors", folder / "rows.csv", "-o", folder / "report.html", *more)
    assert found.exit_code == 0, found.output
    return found.output, (folder / "report.html").read_text("utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Return a report with a label column."""
    return report(make(tmp_path_factory.mktemp("labelled")), "--label", "kind")[1]


def test_help_has_examples():
    for command in ("plot", "report"):
        assert "Example: " in phida(command, "--help").output


@pytest.mark.parametrize(("format", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_plot_writes_every_picture_and_lists_them(here, format, magic):
    found = phida("plot", "m.safetensors", "--out", "new/pictures", "--format", format)
    assert found.exit_code == 0, found.output
    for name in gallery.PICTURES:
        path = here / "new" / "pictures" / f"{name}.{format}"
        assert path.read_bytes().startswith(magic)
        assert f"pictures/{name}.{format}: " in found.output
    assert len(list((here / "new" / "pictures").iterdir())) == len(gallery.PICTURES)


def test_plot_prints_json(here):
    found = phida("plot", "m.safetensors", "--out", "p", "--json")
    assert json.loads(found.stdout)["pictures"] == [f"p/{name}.png" for name in gallery.PICTURES]


def test_report_shows_the_numbers_of_the_model_and_the_data(here):
    said, page = report(here, "--exclude", "kind")
    model = PHIDAPlus.load("m.safetensors")
    assert f"<dt>clusters</dt><dd>{model.n_clusters_}</dd>" in page and f"<dt>nodes</dt><dd>{model.n_nodes_}" in page
    assert f"600 rows in {model.n_clusters_} clusters. Report: " in said
    counts = Counter(model.predict(pd.DataFrame(X, columns=NAMES)).tolist())
    rows = re.findall(r"<tr><td><b>(\d+)</b></td>(?:<td>\d+</td>)?\s*<td>([\d,]+)</td>.*?</tr>", page, re.DOTALL)
    shown = [(int(label), int(count.replace(",", ""))) for label, count in rows]
    assert shown == [(label, counts[label]) for label in Profile.of(model).label.tolist()[:20]]
    for word in ("number of clusters", "The two closest clusters", "Lineage", "unusual rows", "born"):
        assert word in page
    assert "mostly" not in page and "ARI" not in page


def test_report_of_phida_names_the_components(here):
    published = PHIDA().fit(pd.DataFrame(X, columns=NAMES))
    published.save("m.safetensors")
    _, page = report(here, "--exclude", "kind")
    assert f"<dt>clusters</dt><dd>{published.n_clusters_}</dd><dt>components</dt>" in page
    assert " active)</dd><dt>vigilance</dt>" in page


def test_label_column_is_compared_with_the_clusters(page):
    assert "ARI against the label" in page and "mostly" in page and "&lt;b&gt;x (" in page


def test_markup_in_names_is_escaped(page):
    assert "<script" not in page and "&lt;script&gt;" in page
    assert 'b" onload' not in page and "b&#34; onload" in page and "<b>x" not in page
    for picture in re.findall(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)", page):
        assert b"<script" not in base64.b64decode(picture)


def test_report_needs_no_other_file_and_no_network(page):
    assert not re.search(r"""(?:src|href|srcset)="(?!data:|#)""", page) and "url(" not in page
    assert "default-src 'none'" in page
    assert len(re.findall("data:image/svg", page)) == 2 * len(gallery.PICTURES)


def test_report_has_light_and_dark_themes(page):
    assert page.count("(prefers-color-scheme: dark)") == 1 + len(gallery.PICTURES)
    assert "color-scheme: light dark" in page


def test_report_on_no_rows_counts_zero(here):
    (here / "rows.csv").write_text((here / "rows.csv").read_text().splitlines()[0] + "\n")
    assert "<dt>rows</dt><dd>0</dd>" in report(here, "--exclude", "kind")[1]


def test_bad_rows_are_counted_in_the_report(here):
    with (here / "rows.csv").open("a") as file:
        file.write("1,2,,x\n")
    assert phida("report", "m.safetensors", "rows.csv", "-o", "r.html").exit_code == 3
    assert not (here / "r.html").exists()
    assert "<dt>bad rows</dt><dd>1, skipped</dd>" in report(here, "--exclude", "kind", "--on-bad-row", "skip")[1]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["plot", "m.safetensors", "--out", "p", "--format", "gif"], 2, "--format takes png or svg, not 'gif'"),
        (["plot", "rows.csv", "--out", "p"], 4, "rows.csv"),
        (["plot", "m.safetensors"], 2, "--out"),
        (["report", "m.safetensors", "rows.csv", "-o", "none/r.html"], 1, "folder none does not exist"),
        (["report", "m.safetensors", "rows.csv", "-o", "rows.csv"], 2, "is the input"),
        (["report", "m.safetensors", "no.csv", "-o", "r.html"], 1, "no.csv"),
    ],
)
def test_mistake_gives_one_sentence_and_an_exit_code(here, words, code, message):
    found = phida(*words)
    assert found.exit_code == code and message in found.output
