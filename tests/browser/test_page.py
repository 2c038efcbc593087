"""The live page as a user sees it: clicks, keys and waiting."""

import re
import subprocess

import numpy as np
import pytest
from data import drifting
from playwright.sync_api import expect
from serve_data import as_csv
from waiting import until

ROWS = drifting(20_000)


@pytest.fixture(scope="module")
def stream_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("browser") / "rows.csv"
    path.write_text(as_csv(ROWS))
    return path


@pytest.fixture
def serving(start, stream_file):
    """A stream that lasts longer than any test."""
    return start("--from", stream_file, "--rate", 150)


@pytest.fixture
def page(serving, open_page):
    page = open_page(serving.address)
    expect(page.locator("#state")).to_have_text("learning")
    expect(page.locator("#clusters button")).not_to_have_count(0)
    return page


def number(page, name):
    return int(page.locator(f"#{name}").text_content().replace(",", ""))


def paused(page):
    page.get_by_role("button", name="Pause learning").click()
    expect(page.locator("#state")).to_have_text("paused")
    page.wait_for_timeout(600)  # the last snapshot may still be in transit, and nodes are moving


def test_numbers_change_while_learning(page):
    assert page.title() == "phida" and page.locator("#source").text_content() == "rows.csv"
    before = number(page, "samples")
    page.wait_for_function(
        "(n) => Number(document.querySelector('#samples').textContent.replace(/,/g, '')) > n", arg=before
    )
    assert (
        number(page, "n_nodes") > 0 and number(page, "n_clusters") > 0 and page.locator("#clusters button").count() > 0
    )
    page.wait_for_function("() => Number(document.querySelector('#rate').textContent.replace(/,/g, '')) > 0")


@pytest.mark.parametrize(("words", "measure"), [((), "density"), (("--method", "phida"), "support")])
def test_figures_depend_on_the_method(start, open_page, tmp_path, words, measure):
    path = tmp_path / "rows.csv"
    path.write_text(as_csv(ROWS[:3000]))
    serving = start("--from", path, *words)
    page = open_page(serving.address)
    expect(page.locator("#state")).to_have_text("ended")
    state = serving.state()
    assert number(page, "n_clusters") == state["n_clusters"]
    for name in ("n_components", "vigilance"):
        expect(page.locator(f"#{name}")).to_be_visible(visible=measure == "support")
    expect(page.get_by_text("hollow: not active in prediction")).to_be_visible(visible=measure == "support")
    expect(page.locator("#clarity")).to_have_attribute("title", state["clarity"]["text"])
    expect(page.locator("#diagram-note")).to_have_text(f"of log {measure}")
    until(lambda: drawn(page, "diagram"))
    page.locator("#clusters button").first.click()
    expect(page.locator("#detail")).to_contain_text("Profile")
    assert ("components" in page.locator("#detail dl").first.text_content()) == (measure == "support")


def drawn(page, canvas):
    """Return whether a canvas has any coloured pixel."""
    return page.evaluate(
        """(id) => { const canvas = document.getElementById(id), empty = document.createElement("canvas");
        [empty.width, empty.height] = [canvas.width, canvas.height];
        return canvas.toDataURL() !== empty.toDataURL(); }""",
        canvas,
    )


def test_every_canvas_is_drawn(page):
    for canvas in ("map", "bands", "diagram", "rate-curve", "nodes-curve"):
        until(lambda canvas=canvas: drawn(page, canvas))


def test_clicked_cluster_is_explained(page):
    paused(page)
    row = page.locator("#clusters button").first
    row.click()
    id = row.get_attribute("data-cluster")
    expect(page.locator("#detail-title")).to_have_text(f"Cluster {id}")
    expect(row).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#detail")).to_contain_text("Profile")
    expect(page.locator("#detail table tr")).to_have_count(3)
    expect(page.locator("#detail .example").first).to_contain_text(re.compile(r"row \d+: .+, .+"))
    if page.locator("#clusters button").count() > 1:
        expect(page.locator("#detail")).to_contain_text("the nearest")
    page.keyboard.press("Escape")
    expect(page.locator("#detail-title")).to_have_text("Events")
    expect(row).to_have_attribute("aria-pressed", "false")


def test_clicked_node_is_explained(page, serving):
    paused(page)
    id = serving.state()["nodes"]["id"][0]
    x, y = page.evaluate("async (id) => (await import('/app.js')).map.where(id)", id)
    page.locator("#map").hover(position={"x": x, "y": y})
    expect(page.locator("#tip")).to_contain_text(re.compile(r"\d rows?, cluster"))
    named = int(re.search(r"node (\d+)", page.locator("#tip").text_content())[1])  # nodes may overlap
    page.locator("#map").click(position={"x": x, "y": y})
    expect(page.locator("#detail-title")).to_have_text(f"Node {named}")
    expect(page.locator("#detail")).to_contain_text("Representative")
    expect(page.locator("#detail")).to_contain_text("born at row")
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#detail-title")).to_have_text("Events")


def test_every_panel_works_by_keyboard(page):
    paused(page)
    page.locator("#map").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#detail-title")).to_have_text(re.compile(r"Node \d+"))
    first = page.locator("#detail-title").text_content()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#detail-title")).not_to_have_text(first)
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#detail-title")).to_have_text(first)
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#detail-title")).to_have_text(re.compile(r"Cluster \d+"))


def test_bands_and_modes_can_be_clicked(page):
    page.wait_for_timeout(1500)
    paused(page)
    box = page.locator("#bands").bounding_box()
    page.locator("#bands").click(position={"x": box["width"] * 0.9, "y": box["height"] / 2})
    expect(page.locator("#detail-title")).to_have_text(re.compile(r"Cluster"))
    expect(page.locator("#clusters button[aria-pressed=true]")).to_have_count(1)
    box = page.locator("#diagram").bounding_box()
    for x in range(40, int(box["width"]) - 8, 5):  # along the line of the modes that never died
        page.locator("#diagram").click(position={"x": x, "y": 14})
        if page.locator("#detail-title").text_content().startswith("Node"):
            return
    raise AssertionError("no mode could be clicked")


def test_pause_stops_learning_and_resume_continues(page, serving):
    paused(page)
    rows = serving.state()["rows"]
    expect(page.locator("#note")).to_contain_text("paused")
    page.wait_for_timeout(1000)
    assert serving.state()["rows"] == rows
    page.get_by_role("button", name="Resume learning").click()
    expect(page.locator("#state")).to_have_text("learning")
    until(lambda: serving.state()["rows"] > rows)


def test_earlier_snapshot_is_shown_until_return_to_now(page):
    page.wait_for_timeout(2000)
    now = number(page, "samples")
    slider = page.locator("#past")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
        page.wait_for_timeout(200)
    expect(page.locator("#state")).to_have_text("looking back")
    then = number(page, "samples")
    assert then < now
    expect(page.locator("#when")).to_have_text(f"row {then:,}")
    page.wait_for_timeout(800)
    assert number(page, "samples") == then  # learning continues
    page.locator("#clusters button").first.click()
    expect(page.locator("#detail-note")).to_contain_text("explanations are of the present")
    slider.press("Home")
    page.wait_for_function(
        "(n) => Number(document.querySelector('#samples').textContent.replace(/,/g, '')) < n", arg=then
    )
    page.get_by_role("button", name="Live").click()
    expect(page.locator("#state")).to_have_text("learning")
    page.wait_for_function(
        "(n) => Number(document.querySelector('#samples').textContent.replace(/,/g, '')) > n", arg=now
    )


def test_paused_page_with_an_earlier_snapshot_shows_both_states(page):
    page.wait_for_timeout(1500)
    paused(page)
    page.locator("#past").focus()
    page.keyboard.press("Home")
    expect(page.locator("#when")).to_have_text(re.compile("row"))
    expect(page.locator("#state")).to_have_text("paused, looking back")
    expect(page.locator("#note")).to_contain_text("Learning is paused")
    page.get_by_role("button", name="Resume learning").click()
    expect(page.locator("#state")).to_have_text("looking back")
    expect(page.locator("#note")).to_contain_text("Learning continues")
    page.get_by_role("button", name="Pause learning").click()
    expect(page.locator("#state")).to_have_text("paused, looking back")
    page.get_by_role("button", name="Live").click()
    expect(page.locator("#state")).to_have_text("paused")


def test_clusters_are_listed_by_size_and_keep_the_focus(page, serving):
    paused(page)
    shown = [cluster["name"] for cluster in serving.state()["clusters"]]
    names = "all => all.map(button => button.dataset.cluster)"
    assert page.locator("#clusters button").evaluate_all(names) == shown[:20]
    order = page.evaluate(
        """async () => {
          const { Clusters } = await import("/clusters.js");
          const list = document.createElement("ol");
          document.body.append(list);
          const clusters = new Clusters(list, () => {});
          const one = (name, rows) => ({ name, id: 0, slot: 0, nodes: 1, rows, share: rows / 100, telling: [] });
          clusters.show([one("1", 70), one("2", 20), one("3", 10)], 3, null);
          list.querySelector("[data-cluster='2']").focus();
          clusters.show([one("3", 50), one("2", 40), one("1", 10)], 87, null);
          const found = [document.activeElement.dataset.cluster, [...list.children].map((item) => item.textContent)];
          list.remove();
          return found;
        }"""
    )
    assert order[0] == "2"
    assert [text[0] for text in order[1][:3]] == ["3", "2", "1"] and order[1][3] == "and 84 more"


def test_page_reconnects_after_server_restart(start, page, serving, stream_file, errors):
    until(lambda: number(page, "samples") > 300)
    page.locator("#clusters button").first.click()
    serving.end()
    expect(page.locator("#state")).to_have_text("not connected")
    expect(page.get_by_role("button", name="Pause learning")).to_be_disabled()
    start("--from", stream_file, "--rate", 150, port=serving.port)
    expect(page.locator("#state")).to_have_text("learning")
    page.wait_for_function("() => Number(document.querySelector('#samples').textContent.replace(/,/g, '')) > 0")
    expect(page.locator("#detail-title")).to_have_text("Events")  # the selection belonged to the other run
    before = number(page, "samples")
    until(lambda: number(page, "samples") > before)
    # The browser itself reports failed connections; no other error is allowed.
    assert all("net::ERR" in error for error in errors)
    errors.clear()


def test_end_of_stream_is_shown(start, tmp_path, open_page):
    path = tmp_path / "short.csv"
    path.write_text(as_csv(ROWS[:300]))
    serving = start("--from", path)
    page = open_page(serving.address)
    expect(page.locator("#state")).to_have_text("ended")
    expect(page.locator("#note")).to_contain_text("The stream has ended; this page stays")
    assert number(page, "samples") == 300
    expect(page.locator("#pause")).to_be_disabled()
    expect(page.get_by_role("button", name="Pause learning")).to_be_hidden()
    expect(page.get_by_text("grey: in no cluster")).to_be_visible()


def test_page_opened_before_first_row_waits(start, open_page):
    serving = start("--from", "-", stdin=subprocess.PIPE)
    page = open_page(serving.address)
    expect(page.locator("#state")).to_have_text("learning")
    serving.process.stdin.write(as_csv(ROWS[:50]))
    serving.process.stdin.flush()
    expect(page.locator("#samples")).to_have_text("50")


def test_missing_token_is_asked_for(start, stream_file, open_page, errors):
    serving = start("--from", stream_file, "--rate", 150, "--token", "open sesame")
    page = open_page(serving.address)
    page.get_by_label("Token").fill("guess")
    page.get_by_role("button", name="Show the stream").click()
    expect(page.get_by_label("Token")).to_be_visible()
    page.get_by_label("Token").fill("open sesame")
    page.get_by_role("button", name="Show the stream").click()
    expect(page.locator("#state")).to_have_text("learning")
    assert page.url == serving.address + "/"
    page.reload()
    expect(page.locator("#state")).to_have_text("learning")
    page.get_by_role("button", name="Pause learning").click()
    expect(page.locator("#state")).to_have_text("paused")
    # The browser itself reports the two 401 answers.
    assert all("401" in error for error in errors)
    errors.clear()


def test_names_with_markup_are_shown_as_text(start, tmp_path, open_page):
    hostile = "<img src=x onerror=alert(1)>"
    text = as_csv(ROWS[:400]).replace("a,b,c", f'"{hostile}",b,"&lt;c"', 1)
    path = tmp_path / "<b>rows.csv"
    path.write_text(text)
    serving = start("--from", path)
    page = open_page(serving.address)
    expect(page.locator("#state")).to_have_text("ended")
    expect(page.locator("#source")).to_have_text("<b>rows.csv")
    page.locator("#clusters button").first.click()
    expect(page.locator("#detail")).to_contain_text(hostile)
    expect(page.locator("#detail")).to_contain_text("&lt;c")
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("width", [320, 390, 768, 1024, 1920])
def test_nothing_exceeds_the_window(serving, open_page, width):
    page = open_page(serving.address, viewport={"width": width, "height": 844})
    expect(page.locator("#state")).to_have_text("learning")
    expect(page.locator("#clusters button")).not_to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#clusters button").first.click()
    expect(page.locator("#detail")).to_contain_text("Profile")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_dark_theme_has_dark_background(serving, open_page):
    def brightness(scheme):
        page = open_page(serving.address, color_scheme=scheme)
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3]))

    assert brightness("dark") < 150 < 600 < brightness("light")


def test_rows_of_clusters_add_up(start, open_page, tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.permutation(np.concatenate([rng.normal(at, 1, (1500, 3)) for at in (0, 30)]))
    (tmp_path / "rows.csv").write_text(as_csv(rows))
    page = open_page(start("--from", tmp_path / "rows.csv").address)
    expect(page.locator("#state")).to_have_text("ended")
    expect(page.locator("#samples")).to_have_text("3,000")
    shown = page.locator("#clusters .number:not(.quiet)").all_text_contents()
    assert len(shown) > 1 and sum(int(text.removesuffix(" rows").replace(",", "")) for text in shown) == 3000
    expect(page.locator("#clusters-note")).to_contain_text("rows won, share")
    expect(page.locator("#clusters .telling").first).to_contain_text("σ)")


def test_bands_follow_new_rows(page):
    """Columns of rows learned and won: first all rows fall into one cluster, then into another, which splits."""
    highest = page.evaluate(
        """async () => {
          const { Bands } = await import("/bands.js");
          const bands = new Bands(document.createElement("canvas"), () => {});
          const columns = [[1000, [1000, 0, 0]], [3000, [3000, 0, 0]], [4000, [3000, 1000, 0]],
            [5000, [3000, 2000, 0]], [6000, [3000, 1500, 1500]], [7000, [3000, 2000, 2000]]];
          const asBands = (won) => won.map((rows, id) => [id, id, 0, rows]);
          bands.columns = columns.map(([samples, won]) => ({ samples, won: samples, bands: asBands(won) }));
          bands.order = [0, 1, 2];
          return bands.stack().map((column) => column.map(([, high]) => high));
        }"""
    )
    assert highest == [[1, 1, 1], [1, 1, 1], [0, 1, 1], [0, 1, 1], [0, 1, 1], [0, 0.5, 1]]
