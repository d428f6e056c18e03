"""markdown_links.py: the links and anchors of a Markdown text, as GitHub and the site of the documentation make them.

lint.py checks them, docs_site.py rewrites them.
"""
import collections
import os
import re

LINK = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\](?:\([^()]*\))?)*\]\(\s*<?([^()\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
FENCE = re.compile(r"^( *)(`{3,}|~{3,})[^\n]*\n.*?^\1\2[ \t]*$", re.M | re.S)
Link = collections.namedtuple("Link", "line start end target")


def spaces(match):
    return re.sub(r"[^\n]", " ", match.group())


def without_code(text):
    """The text with blocks of code, code spans, comments and escaped characters blanked out."""
    text = FENCE.sub(spaces, text)
    text = re.sub(r"<!--.*?-->", spaces, text, flags=re.S)
    text = re.sub(r"\\[^\w\s]", spaces, text)
    return re.sub(r"(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", spaces, text, flags=re.S)


def links(text):
    """[Link] of images and links; start and end are those of the target."""
    blank = without_code(text)
    found = []
    for match in LINK.finditer(blank):
        inner = [(at.start(1) + match.start(), at.end(1) + match.start())
                 for at in re.finditer(r"\]\(([^()\s]+)", match.group()[:match.start(1) - match.start() - 1])]
        for start, end in inner + [match.span(1)]:
            found.append(Link(text.count("\n", 0, start) + 1, start, end, text[start:end]))
    return found


def is_local(target):
    return not re.match(r"[a-z][a-z0-9+.-]*:|//", target)


def slug(heading):
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    heading = re.sub(r"[`*\\]", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def anchors(text):
    """Everything that #ANCHOR finds."""
    # headings may hold code, blocks may not be headings
    plain = re.sub(r"<!--.*?-->", spaces, FENCE.sub(spaces, text), flags=re.S)
    found, seen = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", plain)), collections.Counter()
    for heading in re.findall(r"^#{1,6} +(.*?)\s*#*$", plain, re.M):
        name = slug(heading)
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


def resolve(path, target):
    """(file or folder, anchor) that a link of the file `path` leads to; both relative to the repository."""
    place, _, anchor = target.partition("#")
    if not place:
        return path, anchor
    return os.path.normpath(os.path.join(os.path.dirname(path), place)), anchor


def wrong_links(path):
    """A line for each local link of a Markdown file that leads nowhere."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for link in links(text):
        if not is_local(link.target):
            continue
        place, anchor = resolve(path, link.target)
        where = f"{path}:{link.line}: links to {link.target}"
        if place.startswith("..") or not os.path.exists(place):
            yield f"{where}, which is not there"
        elif anchor and place.endswith(".md"):
            with open(place, encoding="utf-8") as file:
                if anchor not in anchors(file.read()):
                    yield f"{where}: {place} has no such anchor"
