"""The dashboard in a browser: Debian's Chromium, driven by Playwright, from the file system and without a network."""
import csv
import glob
import io
import json
import os
import shutil
import urllib.parse

import made_up
import numpy as np
import pytest
from conftest import ROOT

playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install -r requirements.txt")
CHROMIUM = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))),
                None)
if not CHROMIUM:
    pytest.skip("no chromium: apt-get install chromium", allow_module_level=True)

CELL = "example-one/reduce/sum-u32-cold-1048576.html"
PAGES = ["index.html", "primitives.html", "regressions.html", "compare.html", "commits.html", "noise.html",
         "landscape.html", "online.html", "programs.html", "quality.html", "table.html", "reports.html", "data.html",
         "search.html",
         "example-one/reduce.html",
         "example-two/copy.html", CELL, "example-two/copy/u32-cold-1024.html"]


WIDE = {"width": 1280, "height": 900}


@pytest.fixture(scope="session")
def tabs():
    """A browser whose tabs stay open from test to test: opens them, and collects their errors."""
    with playwright.sync_playwright() as found:
        browser = found.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--force-color-profile=srgb",
                                                                        "--disable-gpu"])
        contexts, opened, wrong = {}, {}, []

        def open_(path, scripts):
            if scripts not in contexts:
                contexts[scripts] = browser.new_context(viewport=WIDE, java_script_enabled=scripts)
            if (path, scripts) not in opened:
                page = opened[path, scripts] = contexts[scripts].new_page()
                page.on("console", lambda message: wrong.append(f"{path}: {message.text}"))
                page.on("pageerror", lambda error: wrong.append(f"{path}: {error}"))
                # A page that is left stops waiting.
                page.on("requestfailed", lambda request: request.failure == "net::ERR_ABORTED" or
                        wrong.append(f"{path}: {request.url} failed"))
                page.on("request", lambda request: request.url.startswith(("file:", "data:")) or
                        wrong.append(request.url))
            return opened[path, scripts]

        yield open_, wrong
        browser.close()


@pytest.fixture
def open_page(tabs, small_site):
    """Opens a page, or shows its tab; it must log nothing, fail nothing, and ask for nothing from a network. A test
    that changes the page reloads it."""
    open_tab, wrong = tabs
    wrong.clear()

    def open_(name, site=small_site, scripts=True, scheme="light", anew=False):
        page = open_tab(os.path.join(site, name), scripts)
        if anew or page.url != f"file://{site}/{name}":
            page.goto(f"file://{site}/{name}")
        page.set_viewport_size(WIDE)
        page.emulate_media(color_scheme=scheme)
        return page

    yield open_
    assert wrong == []


def pixels(page, **options):
    from PIL import Image
    return np.asarray(Image.open(io.BytesIO(page.screenshot(animations="disabled", **options))).convert("RGB"), float)


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.turn
def test_a_page_renders(open_page, name):
    page = open_page(name)
    assert page.locator("h1").count() == 1
    page.evaluate("Promise.all([...document.images].map(one => { one.loading = 'eager'; return one.decode(); }))")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "wider than the window"
    values = page.locator("td, dd, th").all_inner_texts()
    assert not {"undefined", "None", "nan", "NaN", "Undefined"} & {text.strip() for text in values}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.turn
def test_a_page_fits_a_telephone(open_page, name):
    page = open_page(name)
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.turn
def test_a_telephone_shows_a_number_beside_each_cell(open_page, tmp_path_factory, make_site, small_site):
    """For any length of the cell's name; pictures are large enough to read, and scroll."""
    store = tmp_path_factory.mktemp("long")
    lines = list(made_up.records(0, 11))  # one of reduce: with its name in the table
    for line in lines[1:]:
        line["words"] = "graph=geometric:rows=1000:columns=1000:relabelled"
    made_up.write(str(store / "example-one" / f"{made_up.night_of(0)}.jsonl"), lines)
    for site in (make_site(store, draw=True), small_site):
        page = open_page("example-one/reduce.html", site=site, anew=True)
        page.set_viewport_size({"width": 390, "height": 800})
        rows = page.locator("#cells tbody tr[data-text]").all()
        assert rows
        for row in rows:
            box = row.locator("td.n").first.bounding_box()
            assert box["x"] + box["width"] <= 390
        for chart in page.locator("figure img").all():
            assert chart.bounding_box()["width"] >= min(500, float(chart.get_attribute("width")))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.turn
def test_the_longest_name_fits_a_telephone(open_page, tmp_path_factory, make_site):
    store = tmp_path_factory.mktemp("long")
    made_up.write(str(store / "example-one" / f"{made_up.night_of(0)}.regress.jsonl"), made_up.night_of_list([
        f"segmented_exclusive_scan SUM u8 segments=fixed:256 n={n} protocol=cold_graph" for n in (4096, 16384)]))
    page = open_page("example-one/segmented_exclusive_scan.html", site=make_site(store), anew=True)
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
@pytest.mark.turn
def test_axe_finds_nothing(open_page, name, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe: pip install -r requirements.txt")
    page = open_page(name, scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    options = {"preload": False, "resultTypes": ["violations"]}
    if scheme == "dark":
        options["runOnly"] = ["color-contrast"]
    found = axe.Axe().run(page, options=options).response["violations"]
    assert not found, [(one["id"], one["help"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]


@pytest.mark.turn
def test_search_keeps_the_rows_that_have_every_word(open_page):
    page = open_page("example-one/reduce.html", anew=True)
    rows = page.locator("#cells tr[data-text]")
    total = rows.count()
    field = "input[data-filter=cells]"
    page.fill(field, "u32 bytes=4m")
    shown = [row for row in rows.all() if row.is_visible()]
    assert [row.get_attribute("id") for row in shown] == ["c-sum-u32-cold-1048576"]
    assert page.inner_text("output") == f"1 of {total}"
    page.fill(field, "nothing like that")
    assert not [row for row in rows.all() if row.is_visible()] and page.locator("section.kind:visible").count() == 0
    page.fill(field, "")
    assert len([row for row in rows.all() if row.is_visible()]) == total
    page.goto(f"{page.url.partition('?')[0]}?q=bytes%3D4m")
    assert page.input_value(field) == "bytes=4m"
    assert len([row for row in page.locator("#cells tr[data-text]").all() if row.is_visible()]) == 1


@pytest.mark.turn
def test_columns_sort_by_their_numbers(open_page):
    page = open_page("example-one/reduce.html", anew=True)
    table = page.locator("section.kind table:has(tr[data-text])").first

    def column():
        return [float(text.replace(",", "")) for text in table.locator("tbody tr td:nth-child(2)").all_inner_texts()]

    table.get_by_role("button", name="µs").click()
    assert column() == sorted(column(), reverse=True) and len(set(column())) > 5
    assert table.locator("th[aria-sort=descending]").count() == 1
    table.get_by_role("button", name="µs").click()
    assert column() == sorted(column())


def squares(page):
    """The squares of the first heat map, and their rows of numbers."""
    with open(os.path.join(os.path.dirname(page.url[len("file://"):]), "csv", "index.example-one-map.csv"),
              encoding="utf-8") as file:
        numbers = [row for row in csv.DictReader(file) if row["cells"] != "0"]
    links = page.locator("#map-example-one a.square").all()
    assert len(links) == len(numbers)
    return links, numbers


@pytest.mark.turn
def test_a_square_of_the_heat_map_leads_to_its_cell(open_page):
    page = open_page("index.html", anew=True)
    links, numbers = squares(page)
    place = next(place for place, row in enumerate(numbers) if row["primitive"] == "reduce")
    links[place].click()
    page.wait_for_url("**/example-one/reduce.html#c-*")
    anchor = page.url.rsplit("#", 1)[1]
    assert page.locator(f"#{anchor}").is_visible()
    page.locator(f"#{anchor} th a").click()
    page.wait_for_url("**/example-one/reduce/*.html")


# ---- a cell's history ------------------------------------------------------------------------------------------------


def history_of(site, cell=CELL):
    with open(os.path.join(site, "json", cell[:-5].replace("/", ".") + ".history.json"), encoding="utf-8") as file:
        table = json.load(file)
    return [dict(zip(table["columns"], row)) for row in table["rows"]]


def box_of_curve(page):
    over = page.locator(".u-over")
    over.wait_for()
    return over.bounding_box()


@pytest.mark.turn
def test_a_history_tells_what_is_under_the_pointer_and_the_arrow_keys(open_page, small_site):
    page = open_page(CELL, anew=True)
    rows = history_of(small_site)
    box = box_of_curve(page)
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2)
    told = page.inner_text("output.told")
    assert rows[-1]["night"] in told and f"{rows[-1]['us']} µs" in told and rows[-1]["commit"][:7] in told
    assert "threads=256" in told.replace(", ", ",")
    page.mouse.move(box["x"] + 1, box["y"] + box["height"] / 2)
    assert rows[0]["night"] in page.inner_text("output.told")
    page.locator("figure [role=group]").focus()
    page.keyboard.press("ArrowRight")
    assert rows[1]["night"] in page.inner_text("output.told")


def test_a_history_that_is_drawn_too_wide_leaves_the_page_as_it_is(open_page):
    page = open_page(CELL, anew=True)
    box_of_curve(page)
    page.evaluate("document.querySelector('.uplot').style.width = '3000px'")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.turn
def test_a_history_is_zoomed_and_its_range_is_in_the_address(open_page, small_site):
    page = open_page(CELL, anew=True)
    rows = history_of(small_site)
    box = box_of_curve(page)
    page.get_by_role("button", name="7 days").click()
    assert page.input_value("input[type=date] >> nth=0") == rows[-7]["night"]
    assert f"from={rows[-7]['night']}" in page.url
    page.get_by_role("button", name="all").click()
    assert page.input_value("input[type=date] >> nth=0") == rows[0]["night"] and "from=" not in page.url
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.5 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.9 * box["width"], middle, steps=4)
    page.mouse.up()
    assert page.input_value("input[type=date] >> nth=0") > rows[0]["night"]
    page.goto(f"{page.url.partition('?')[0]}?from={rows[2]['night']}&to={rows[4]['night']}")
    assert page.input_value("input[type=date] >> nth=0") == rows[2]["night"]


def test_a_history_without_a_script_is_a_line_and_a_table(open_page, small_site):
    page = open_page(CELL, scripts=False)
    points = page.locator("figure svg.line polyline").get_attribute("points").split()
    rows = history_of(small_site)
    assert len(points) == len(rows) == page.locator("table:has-text('policy from') tbody tr").count()


# ---- search, compare, accept -----------------------------------------------------------------------------------------


@pytest.mark.turn
def test_the_search_finds_cells_commits_and_files(open_page):
    page = open_page("index.html", anew=True)
    page.fill("#q", "cell One reduce u32 n=1M")
    page.press("#q", "Enter")
    page.wait_for_url("**/search.html?q=*")
    links = page.locator("#found li a")
    assert links.count() == 1 and CELL in links.first.get_attribute("href")
    page.fill("#q", "cell Example Two")
    playwright.expect(page.locator("#found li", has=page.locator(".tag", has_text="cell"))).to_have_count(30)
    for words, count in (("no problem like that", 0), ("file regress 2026-01-06", 1),
                         ("<img src=x onerror=alert(1)>", 0)):
        page.fill("#q", words)
        playwright.expect(page.locator("#found li")).to_have_count(count)
    assert page.locator("#found img").count() == 0


@pytest.mark.turn
def test_any_two_nights_and_devices_are_compared(open_page, small_site):
    page = open_page("compare.html", anew=True)
    rows = history_of(small_site)

    def shown():
        table = page.locator("#compared table", has_text="from, µs")
        return {row.locator("a").get_attribute("href"): [float(text.rstrip("×")) for text in
                                                         row.locator("td.n").all_inner_texts()]
                for row in table.locator("tbody tr").all()}

    page.select_option("select[name=moment1]", label=f"{rows[0]['night']}  {rows[0]['commit'][:7]}")
    page.select_option("select[name=moment2]", label=f"{rows[-1]['night']}  {rows[-1]['commit'][:7]}")
    found = shown()
    assert len(found) == 60
    before, now, ratio = found[CELL]
    assert before == pytest.approx(rows[0]["us"], rel=1e-4) and now == pytest.approx(rows[-1]["us"], rel=1e-4)
    assert ratio == pytest.approx(before / now, abs=1e-3) and ratio < 0.95, "8 % slower since"
    address = page.url
    page.fill("input[name=words]", "reduce bytes=4m")
    assert list(shown()) == [CELL]
    page.goto(address)
    assert shown() == found
    page.select_option("select[name=device2]", label="Example Two")
    assert len(shown()) == 29, "one of 30 is wrong there"
    page.select_option("select[name=device1]", label="Example Two")
    assert set(entry[2] for entry in shown().values()) == {1.0}


@pytest.mark.turn
def test_a_reason_goes_into_the_pull_request_and_the_command(open_page, tmp_path_factory, make_site):
    store = tmp_path_factory.mktemp("slow")
    made_up.write(str(store / "example-one" / f"{made_up.night_of(0)}.regress.jsonl.gz"),
                  made_up.regress(0, {3: ("SLOW", 1.2)}, count=6))
    page = open_page("regressions.html", site=make_site(store, url="https://forge.example/them/it"), anew=True)
    page.locator("details.accept > summary").click()
    page.fill("input[data-reason]", 'it\'s "exact" & <now>')
    href = urllib.parse.urlsplit(page.locator("a.accept").get_attribute("href"))
    asked = urllib.parse.parse_qs(href.query)
    assert href.path == "/them/it/new/main/ci/baselines/accepted" and asked["filename"][0].endswith(".jsonl")
    line = json.loads(asked["value"][0])
    assert line["reason"] == 'it\'s "exact" & <now>' and line["device"] == "Example One" and line["high"] > 1.2
    command = page.locator("details.accept pre").inner_text()
    assert "--reason 'it'\\''s \"exact\" & <now>'" in command


@pytest.mark.turn
def test_a_slower_benchmark_has_the_form_of_what_the_command_writes(open_page, tmp_path_factory, make_site):
    """The form proposes the line that ci/baseline.py --accept writes, and the pages accept it."""
    from ci import baseline
    root = tmp_path_factory.mktemp("slower")
    place = root / "ci" / "measurements"
    for night, factor in ((0, 1), (1, 1.1)):
        made_up.write(str(place / "example-one" / f"{made_up.night_of(night)}.jsonl"),
                      made_up.records(night, 30, noise=0, slow={("copy", "u32"): (1, factor)}))
    made_up.write(str(place / "example-one" / f"{made_up.night_of(0)}.regress.jsonl.gz"), made_up.regress(0, count=6))
    page = open_page("regressions.html", site=make_site(place, url="https://forge.example/them/it"), anew=True)
    row = page.locator("li", has_text="copy u32 bytes=16M")
    row.locator("summary").click()
    row.locator("input[data-reason]").fill("it's exact")
    asked = urllib.parse.parse_qs(urllib.parse.urlsplit(row.locator("a.accept").get_attribute("href")).query)
    baseline.main(["--folder", str(root), "--accept", "copy u32 bytes=16M", "--device", "Example One", "--reason",
                   "it's exact"])
    written, = baseline.accepted_of(str(root))
    assert json.loads(asked["value"][0]) == written
    assert "--accept 'copy u32 bytes=16M' --device 'Example One'" in row.locator("pre").inner_text()


def test_a_link_into_what_is_folded_opens_it(open_page):
    page = open_page("regressions.html", anew=True)
    hidden = page.locator("details article").first
    if hidden.count():
        page.evaluate("id => { location.hash = id; }", hidden.get_attribute("id"))
        hidden.wait_for(state="visible")
    assert page.locator("article.case").count() >= 1


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.turn
def test_without_a_script_all_of_it_is_there(open_page, name):
    bare, full = open_page(name, scripts=False), open_page(name)
    for selector in ("main tbody tr", "figure", "main a", "details", "pre"):
        own = selector.removeprefix("main ")
        added = full.locator(f"#compared {own}, .u-legend {own}").count()
        assert bare.locator(selector).count() == full.locator(selector).count() - added, selector
    assert bare.locator(".js:visible").count() == 0
    if bare.locator("details").count():
        bare.locator("summary:visible").first.click()
        assert bare.locator("details[open]").count() >= 1


@pytest.mark.turn
def test_dark_is_dark_and_the_pictures_go_with_it(open_page):
    for scheme, bright in (("light", True), ("dark", False)):
        page = open_page("example-one/reduce.html", scheme=scheme)
        chart = page.locator("figure img").first
        chart.scroll_into_view_if_needed()
        image = pixels(page, clip=chart.bounding_box())
        assert (np.median(image) > 128) == bright, "most of a chart is its paper"
        assert np.abs(image - np.median(image, axis=(0, 1))).max() > 100, "its lines are seen"


@pytest.mark.turn
def test_the_squares_have_the_colours_of_their_numbers(open_page):
    """Compares the heat map's pixels with cividis."""
    from matplotlib import colormaps
    page = open_page("index.html", anew=True)  # with everything folded: the picture stays in place
    links, numbers = squares(page)
    image = pixels(page, full_page=True)
    for link, row in zip(links, numbers):
        box = link.bounding_box()
        seen = image[int(box["y"]) + 4, int(box["x"] + box["width"] / 2)]
        share = min(float(row["of the roof (median)"]), 1)
        assert np.abs(seen - 255 * np.array(colormaps["cividis"](share)[:3])).max() < 4, row


@pytest.mark.turn
def test_two_builds_look_the_same(open_page, small_store, small_site, make_site):
    again = make_site(small_store, draw=True)
    for name in ("index.html", "example-one/reduce.html"):
        pages = [open_page(name, site, anew=True) for site in (small_site, again)]
        pages[-1].wait_for_timeout(300)
        one, other = (pixels(page) for page in pages)
        assert one.shape == other.shape and np.abs(one - other).max() == 0


REAL = ["index.html", "primitives.html", "regressions.html", "compare.html", "commits.html", "noise.html",
        "landscape.html", "online.html", "programs.html", "quality.html", "table.html", "reports.html", "data.html",
          "search.html"]


@pytest.mark.parametrize("name", REAL + ["a primitive", "a cell", "a diff"])
@pytest.mark.turn(16)
def test_the_committed_measurements_render(open_page, committed_site, name):
    """axe, and the widths of a window and a telephone, on the committed pages; pictures are drawn elsewhere."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe: pip install -r requirements.txt")
    if name.startswith("a "):
        found = glob.glob(os.path.join(committed_site, *{"a cell": ("nvidia-h200", "*", "*.html"), "a diff": (
            "commits", "*.html"), "a primitive": ("nvidia-h200", "*.html")}[name]))
        if not found:
            pytest.skip("the commits that were measured are not in this clone")
        name = os.path.relpath(max(found, key=os.path.getsize), committed_site)
    page = open_page(name, committed_site, anew=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "wider than the window"
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "wider than a telephone"
    page.set_viewport_size(WIDE)
    found = axe.Axe().run(page, options={"preload": False, "resultTypes": ["violations"], "rules": {
        "color-contrast": {"enabled": False}}}).response["violations"]  # slow on large pages; checked elsewhere
    assert not found, [(one["id"], one["help"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]
