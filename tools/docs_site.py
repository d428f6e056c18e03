"""docs_site.py: what `make docs` adds to MkDocs (a hook of mkdocs.yml).

A folder in the site's navigation becomes its pages, in the order in which its README.md links to them. Files outside
docs/ that a page links to become pages of the site too, under files/: Markdown as it is, code as a page of code,
images, large files and what is no text as they are. So every link of the repository works in the site, and strict
builds check it. The search ranks the reference first.
"""
import os
import posixpath
import re
import sys

from mkdocs.structure.files import File, InclusionLevel

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import markdown_links  # noqa: E402

DOCS, FILES = "docs", "files"
LARGEST_PAGE = 100_000  # bytes of code that are shown as a page
LANGUAGES = {".c": "c", ".h": "c", ".cu": "cuda", ".cuh": "cuda", ".cpp": "cpp", ".py": "python", ".sh": "sh",
             ".yml": "yaml", ".cmake": "cmake"}
originals = {}  # path in the site: path in the repository, of files outside docs/


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def pages_of(folder):
    """The Markdown files of a folder under docs/, README.md first, then as that links to them."""
    first = f"{DOCS}/{folder}README.md"
    linked = [markdown_links.resolve(first, link.target)[0] for link in markdown_links.links(read(first))]
    there = sorted(f"{DOCS}/{folder}{name}" for name in os.listdir(os.path.join(ROOT, DOCS, folder))
                   if name.endswith(".md"))
    order = [first] + [path for path in dict.fromkeys(linked) if path in there] + there
    return [path[len(DOCS) + 1:] for path in dict.fromkeys(order)]


def expanded(nav):
    """The navigation with folders as lists of their pages; a folder that is not there is left out."""
    found = []
    for entry in nav:
        (title, value), = entry.items()
        if isinstance(value, list):
            found.append({title: expanded(value)})
        elif not value.endswith("/"):
            found.append(entry)
        elif os.path.exists(os.path.join(ROOT, DOCS, value, "README.md")):
            found.append({title: pages_of(value)})
    return found


def on_config(config):
    config["nav"] = expanded(config["nav"])
    return config


def is_shown(path):
    """A page shows the file as text; others are copied."""
    with open(os.path.join(ROOT, path), "rb") as file:
        data = file.read(LARGEST_PAGE + 1)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return len(data) <= LARGEST_PAGE and not path.endswith((".svg", ".png"))


def place_of(path):
    """(path in the site, path in the repository) of a file or folder outside docs/."""
    whole = os.path.join(ROOT, path)
    if os.path.isdir(whole):
        path = posixpath.join(path, "README.md")
        return f"{FILES}/{path}", path
    return f"{FILES}/{path}{'.md' if not path.endswith('.md') and is_shown(path) else ''}", path


def text_for(path):
    """A page for a file outside docs/, or None: it is copied."""
    if path.endswith(".md"):
        if os.path.exists(os.path.join(ROOT, path)):
            return read(path)
        folder = os.path.dirname(path)
        names = sorted(name for name in os.listdir(os.path.join(ROOT, folder)) if not name.startswith("."))
        files = [name for name in names if os.path.isfile(os.path.join(ROOT, folder, name))]
        return f"# {folder}\n\n" + "".join(f"- [{name}]({name})\n" for name in files)
    if place_of(path)[0].endswith(".md"):
        language = LANGUAGES.get(os.path.splitext(path)[1], "text")
        return (f"---\nsearch:\n  exclude: true\n---\n\n# {path}\n\n````{language}\n{read(path)}````\n")
    return None


def outside(path, text):
    """Local links of a text that lead out of docs/."""
    for link in markdown_links.links(text):
        if markdown_links.is_local(link.target):
            place, anchor = markdown_links.resolve(path, link.target)
            if not place.startswith(DOCS + "/") and os.path.exists(os.path.join(ROOT, place)):
                yield link, place, anchor


def on_files(files, config):
    originals.clear()
    in_nav = re.findall(rf"'{FILES}/([^']+)'", repr(config["nav"]))
    waiting = list(in_nav)
    for file in files.documentation_pages():
        path = f"{DOCS}/{file.src_uri}"
        waiting += [place for _, place, _ in outside(path, read(path))]
    while waiting:
        uri, path = place_of(waiting.pop())
        if uri in originals:
            continue
        originals[uri] = path
        text = text_for(path)
        if text is None:
            files.append(File.generated(config, uri, abs_src_path=os.path.join(ROOT, path)))
            continue
        level = InclusionLevel.UNDEFINED if path in in_nav else InclusionLevel.NOT_IN_NAV
        files.append(File.generated(config, uri, content=text, inclusion=level))
        if path.endswith(".md"):
            waiting += [place for _, place, _ in outside(path, text)]
    return files


def on_page_markdown(markdown, page, **_):
    """Links out of docs/ lead to the site's copies; links of these copies into docs/ lead to its pages."""
    uri = page.file.src_uri
    if uri.startswith("reference/"):
        page.meta["search"] = {"boost": 2}
    path = originals.get(uri, f"{DOCS}/{uri}")
    folder = posixpath.dirname(uri)
    changes = [(link, place_of(place)[0], anchor) for link, place, anchor in outside(path, markdown)]
    if uri in originals:
        for link in markdown_links.links(markdown):
            place, anchor = markdown_links.resolve(path, link.target)
            if markdown_links.is_local(link.target) and place.startswith(DOCS + "/"):
                if os.path.isdir(os.path.join(ROOT, place)):
                    place = posixpath.join(place, "README.md")
                changes.append((link, place[len(DOCS) + 1:], anchor))
    for link, target, anchor in sorted(changes, key=lambda change: -change[0].start):
        target = posixpath.relpath(target, folder or ".") + (f"#{anchor}" if anchor else "")
        markdown = markdown[:link.start] + target + markdown[link.end:]
    return markdown
