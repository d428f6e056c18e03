"""Reports: the texts <device>/*.md beside the measurements, for what no store holds: CommonMark and tables."""
import functools
import html
import os

import markdown_it
import markupsafe

from tools.farm import files

LARGEST = 400_000  # bytes of all texts on the page; the rest is only named


def reports_below(folder):
    """([(device's folder, name, text)], newest first, [(device's folder, name, why it is not shown)])."""
    names, refused = files.below(folder)
    found, left, size = [], [], 0
    for path, reason in sorted([*((name, "") for name in names), *refused], reverse=True):
        device, _, name = path.partition(os.sep)
        if not name.endswith(".md") or os.path.basename(name) == "README.md":  # it has a page of its own
            continue
        if reason:
            left.append((device, name, f"refused: {reason}"))
            continue
        try:
            with open(os.path.join(folder, path), encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            left.append((device, name, f"cannot be read: {error}"))
            continue
        if size + len(text) > LARGEST:
            left.append((device, name, "too long for this page"))
        else:
            size += len(text)
            found.append((device, name, text))
    return found, left


def link(self, tokens, place, options, env):
    """A link or a picture as its words: its target may be on no page."""
    return html.escape(tokens[place].content) if tokens[place].type == "image" else ""


@functools.cache
def parser():
    """CommonMark with tables; HTML stays text."""
    found = markdown_it.MarkdownIt("commonmark", {"html": False}).enable("table")
    for name in ("link_open", "link_close", "image"):
        found.add_render_rule(name, link)
    return found


def plain(token):
    """The words of an inline token, without marks."""
    return "".join(" " if one.type in ("softbreak", "hardbreak") else one.content
                   for one in token.children or () if one.type not in ("link_open", "link_close"))


def blocks(text):
    """[(kind, content)]: heading: (level, text); table: (columns, rows); html: all between them."""
    tokens, found, between, at = parser().parse(text), [], [], 0

    def flush():
        if between:
            rendered = parser().renderer.render(between, parser().options, {})
            found.append(("html", markupsafe.Markup(rendered)))
            between.clear()

    while at < len(tokens):
        token = tokens[at]
        if token.level == 0 and token.type in ("heading_open", "table_open"):
            flush()
            end = next(place for place in range(at, len(tokens))
                       if tokens[place].level == 0 and tokens[place].type == token.type.replace("_open", "_close"))
            inside = tokens[at:end]
            found.append(("heading", (int(token.tag[1]), plain(inside[1]))) if token.type == "heading_open"
                         else ("table", table_of(inside)))
            at = end
        elif token.type not in ("heading_close", "table_close") or token.level:
            between.append(token)
        at += 1
    flush()
    return found


def table_of(tokens):
    """(titles of the columns, rows of words)."""
    rows = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(plain(token))
    return rows[0], rows[1:]


def sections(text):
    """[(title, words)]: a report's parts by its headings, for the search."""
    found = [["", []]]
    for kind, content in blocks(text):
        if kind == "heading":
            found.append([content[1], []])
        elif kind == "table":
            found[-1][1] += content[0] + [entry for row in content[1] for entry in row]
        else:
            found[-1][1].append(html.unescape(content.striptags()))
    return [(title, " ".join(words)) for title, words in found if title or words]
