"""The dashboard in a browser: Debian's Chromium, driven by Playwright, from the file system and without a network."""
import csv
import glob
import io
import os
import shutil

import numpy as np
import pytest
from conftest import ROOT

playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install -r requirements.txt")
CHROMIUM = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))),
                None)
if not CHROMIUM:
    pytest.skip("no chromium: apt-get install chromium", allow_module_level=True)

PAGES = ["index.html", "primitives.html", "regressions.html", "noise.html", "landscape.html", "table.html",
         "reports.html", "data.html", "example-one/reduce.html", "example-two/copy.html"]


WIDE = {"width": 1280, "height": 900}


@pytest.fixture(scope="session")
def tabs():
    """A browser whose tabs stay open from test to test: what opens them, and all that went wrong in them."""
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
                page.on("requestfailed", lambda request: wrong.append(f"{path}: {request.url} failed"))
                page.on("request", lambda request: request.url.startswith(("file:", "data:")) or
                        wrong.append(request.url))
            return opened[path, scripts]

        yield open_, wrong
        browser.close()


@pytest.fixture
def open_page(tabs, small_site):
    """Opens a page, or shows the tab that has it; what it logs, what fails, and what is asked of a network must be
    nothing. A test that changes the page takes it anew."""
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
def test_a_page_renders(open_page, name):
    page = open_page(name)
    assert page.locator("h1").count() == 1
    assert page.evaluate("[...document.images].filter(one => !one.complete || !one.naturalWidth).length") == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "wider than the window"
    values = page.locator("td, dd, th").all_inner_texts()
    assert not {"undefined", "None", "nan", "NaN", "Undefined"} & {text.strip() for text in values}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_telephone(open_page, name):
    page = open_page(name)
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(open_page, name, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe: pip install -r requirements.txt")
    page = open_page(name, scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    options = {"preload": False, "resultTypes": ["violations"]}
    if scheme == "dark":
        options["runOnly"] = ["color-contrast"]
    found = axe.Axe().run(page, options=options).response["violations"]
    assert not found, [(one["id"], one["help"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]


def test_search_keeps_the_rows_that_have_every_word(open_page):
    page = open_page("example-one/reduce.html", anew=True)
    rows = page.locator("#cells tr[data-text]")
    total = rows.count()
    page.fill("input[type=search]", "u32 bytes=4m")
    shown = [row for row in rows.all() if row.is_visible()]
    assert [row.get_attribute("id") for row in shown] == ["c-sum-u32-cold-1048576"]
    assert page.inner_text("output") == f"1 of {total}"
    page.fill("input[type=search]", "nothing like that")
    assert not [row for row in rows.all() if row.is_visible()] and page.locator("section.kind:visible").count() == 0
    page.fill("input[type=search]", "")
    assert len([row for row in rows.all() if row.is_visible()]) == total
    page.goto(f"{page.url.partition('?')[0]}?q=bytes%3D4m")
    assert page.input_value("input[type=search]") == "bytes=4m"
    assert len([row for row in page.locator("#cells tr[data-text]").all() if row.is_visible()]) == 1


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
    """The squares of the first heat map, and the rows of its numbers that they stand for."""
    with open(os.path.join(os.path.dirname(page.url[len("file://"):]), "csv", "index.example-one-map.csv"),
              encoding="utf-8") as file:
        numbers = [row for row in csv.DictReader(file) if row["cells"] != "0"]
    page.wait_for_timeout(300)
    links = next(frame for frame in page.frames if "example-one" in frame.url and frame.url.endswith(".svg"))
    links = links.locator("a").all()
    assert len(links) == len(numbers)
    return links, numbers


def test_a_square_of_the_heat_map_leads_to_its_cell(open_page):
    page = open_page("index.html", anew=True)
    links, numbers = squares(page)
    place = next(place for place, row in enumerate(numbers) if row["primitive"] == "reduce")
    links[place].click()
    page.wait_for_url("**/example-one/reduce.html#c-*")
    anchor = page.url.rsplit("#", 1)[1]
    assert page.locator(f"#{anchor}").is_visible()


def test_a_link_into_what_is_folded_opens_it(open_page):
    page = open_page("regressions.html", anew=True)
    hidden = page.locator("details article").first
    if hidden.count():
        page.evaluate("id => { location.hash = id; }", hidden.get_attribute("id"))
        hidden.wait_for(state="visible")
    assert page.locator("article.case").count() >= 1


@pytest.mark.parametrize("name", PAGES)
def test_without_a_script_all_of_it_is_there(open_page, name):
    bare, full = open_page(name, scripts=False), open_page(name)
    for selector in ("tbody tr", "figure", "a", "details", "pre"):
        assert bare.locator(selector).count() == full.locator(selector).count(), selector
    assert bare.locator(".js:visible").count() == 0
    if bare.locator("details").count():
        bare.locator("summary:visible").first.click()
        assert bare.locator("details[open]").count() >= 1


def test_dark_is_dark_and_the_pictures_go_with_it(open_page):
    for scheme, bright in (("light", True), ("dark", False)):
        page = open_page("example-one/reduce.html", scheme=scheme)
        chart = page.locator("figure picture img").first
        chart.scroll_into_view_if_needed()
        image = pixels(page, clip=chart.bounding_box())
        assert (np.median(image) > 128) == bright, "most of a chart is its paper"
        assert np.abs(image - np.median(image, axis=(0, 1))).max() > 100, "its lines are seen"
        page = open_page("index.html", scheme=scheme)
        page.wait_for_timeout(300)
        box = page.locator("object").first.bounding_box()
        corner = pixels(page, clip={"x": box["x"] + 2, "y": box["y"] + 2, "width": 20, "height": 8})
        assert (corner.mean() > 128) == bright, "the heat map lies on the page's paper"


def test_the_squares_have_the_colours_of_their_numbers(open_page):
    """By pixels: the heat map's squares against cividis."""
    from matplotlib import colormaps
    page = open_page("index.html", anew=True)  # with nothing unfolded: the picture stands where it stood
    links, numbers = squares(page)
    image = pixels(page, full_page=True)
    for link, row in zip(links, numbers):
        box = link.bounding_box()
        seen = image[int(box["y"]) + 5, int(box["x"] + box["width"] / 2)]
        share = min(float(row["of the roof (median)"]), 1)
        assert np.abs(seen - 255 * np.array(colormaps["cividis"](share)[:3])).max() < 4, row


def test_png_and_svg_show_the_same(open_page, small_site):
    """By pixels, where it is stable: both forms of a picture at the same size, but for the letters' shapes."""
    page = open_page("data.html", anew=True)
    page.evaluate("""() => { document.body.style.margin = 0; document.body.style.background = '#fff';
      document.body.innerHTML = '<img style="width:600px;display:block">'; }""")
    compared = 0
    for png in sorted(glob.glob(os.path.join(small_site, "img", "example-one.*.png")))[:6]:
        both = []
        for path in (png, png[:-3] + "svg"):
            page.evaluate("path => { document.images[0].src = path; return document.images[0].decode(); }",
                          os.path.relpath(path, small_site))
            image = pixels(page, clip={"x": 0, "y": 0, "width": 600, "height": 200}).mean(axis=2)
            both.append(image[:200, :600].reshape(25, 8, 75, 8).mean(axis=(1, 3)))
        one, other = both
        assert one.std() > 5, png  # something is there
        assert np.corrcoef(one.ravel(), other.ravel())[0, 1] > 0.8, png
        assert np.abs(one - other).mean() < 8, png
        compared += 1
    page.goto("about:blank")
    assert compared == 6


def test_two_builds_look_the_same(open_page, small_store, small_site, make_site):
    again = make_site(small_store, draw=True)
    for name in ("index.html", "example-one/reduce.html"):
        pages = [open_page(name, site, anew=True) for site in (small_site, again)]
        pages[-1].wait_for_timeout(300)
        one, other = (pixels(page) for page in pages)
        assert one.shape == other.shape and np.abs(one - other).max() == 0


def test_the_committed_measurements_render(open_page, tmp_path):
    """Only where they were built already (make dashboard): building them is test_dashboard's."""
    site = os.path.join(ROOT, "build", "dashboard")
    if not os.path.exists(os.path.join(site, "index.html")):
        pytest.skip("no build/dashboard: make dashboard")
    for name in ("index.html", "landscape.html", "table.html"):
        page = open_page(name, site)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
