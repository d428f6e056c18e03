"""Reports: the texts <device>/*.md that lie beside the measurements, of what no store holds. Of Markdown they use
headings, paragraphs, lists, tables and code; all else is shown as it is written.
"""
import os
import re

LARGEST = 400_000  # bytes of all texts on the page; what is beyond is named


def reports_below(folder):
    """([(device's folder, name, text)], the newest first, [(device's folder, name, why it is not shown)])."""
    found, left, size = [], [], 0
    paths = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names
             if name.endswith(".md") and name != "README.md"]  # that one is the landscape's, which has its own page
    parts = [(*os.path.relpath(path, folder).split(os.sep, 1), path) for path in paths]
    for device, name, path in sorted((one for one in parts if len(one) == 3), reverse=True):
        try:
            with open(path, encoding="utf-8") as file:
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


def plain(text):
    """Without the marks of code, of emphasis and of links."""
    return re.sub(r"\*\*|`", "", re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text))


def pieces(text):
    """[(is it code, text)] of a line of words."""
    found = enumerate(text.split("`"))
    return [(place % 2 == 1, piece if place % 2 else plain(piece)) for place, piece in found if piece]


def cells_of(line):
    return [plain(cell.strip()) for cell in line.strip().strip("|").split("|")]


def is_rule(line):
    return bool(re.fullmatch(r"[\s|:-]+", line)) and "-" in line


def blocks(text):
    """[(kind, content)]: heading: (level, text); text: pieces; list: [pieces]; table: (columns, rows); code: text."""
    lines, found, at = text.splitlines(), [], 0

    def run(fits):
        """The lines from here on that fit."""
        nonlocal at
        start = at
        while at < len(lines) and fits(lines[at]):
            at += 1
        return lines[start:at]

    while at < len(lines):
        line = lines[at]
        if line.startswith("```"):
            at += 1
            found.append(("code", "\n".join(run(lambda one: not one.startswith("```")))))
            at += 1
        elif line.startswith("|"):
            columns, *rows = [cells_of(one) for one in run(lambda one: one.startswith("|")) if not is_rule(one)] or [[]]
            rows = [(row + [""] * len(columns))[:len(columns)] for row in rows]
            found.append(("table", (columns, rows)))
        elif re.match(r"#+ ", line):
            at += 1
            found.append(("heading", (min(line.index(" "), 3), plain(line.lstrip("# ")))))
        elif re.match(r"[-*] ", line):
            items = []
            for one in run(lambda one: re.match(r"[-*] | +\S", one)):
                items += [one[2:]] if re.match(r"[-*] ", one) else []
                items[-1] += "" if re.match(r"[-*] ", one) else f" {one.strip()}"
            found.append(("list", [pieces(item) for item in items]))
        elif line.strip():
            words = run(lambda one: one.strip() and not re.match(r"```|\||#+ |[-*] ", one))
            found.append(("text", pieces(" ".join(words))))
        else:
            at += 1
    return found
