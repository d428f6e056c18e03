"""The page's form: items with tables, pictures and a paragraph, written as one HTML file without scripts."""
import collections
import html
import os

# tables: [(title, header, rows)]; pictures: [(SVG or None, what it shows)]; text: paragraphs.
Detail = collections.namedtuple("Detail", "tables pictures text")
NOTHING = Detail((), (), ())

STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,'DejaVu Sans',sans-serif;max-width:68rem;margin:0 auto;padding:1rem}
table{border-collapse:collapse;margin:.6rem 0;font-size:.85rem}caption{text-align:left;font-weight:600}
th,td{border-bottom:1px solid #8886;padding:.2rem .6rem;text-align:left;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}code{font-size:.85em;overflow-wrap:anywhere}
.wide{overflow-x:auto}figure{margin:.6rem 0}svg{max-width:100%;height:auto}figcaption{font-size:.85rem}
.to-do{border-left:4px solid #c24e08;padding-left:.6rem}h3{margin-top:2rem}
@media print{h3{break-after:avoid}figure,tr{break-inside:avoid}body{font-size:10pt}}
"""


def number(value, form=".2f"):
    return "" if value is None else format(value, form)


def escape(value):
    return html.escape("" if value is None else str(value))


def is_number(text):
    return str(text).replace(",", "").replace(".", "", 1).replace("-", "", 1).removesuffix(" x").isdigit()


def table_html(title, header, rows):
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = "".join("<tr>" + "".join(
        f'<td class="n">{escape(cell)}</td>' if is_number(cell) else f"<td>{escape(cell)}</td>" for cell in row) +
        "</tr>\n" for row in rows)
    return f'<div class="wide"><table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead>\n' \
        f"<tbody>{body}</tbody></table></div>\n"


def picture_html(svg, text):
    shown = svg or "<p>No picture: matplotlib is missing (pip install matplotlib).</p>"
    return f"<figure>{shown}<figcaption>{escape(text)}</figcaption></figure>\n"


def item_html(row, detail, to_do):
    """row: of tools/papers.py. to_do: what is said where nothing was measured, or ""."""
    lines = [f"<h3>{escape(row.item)}: {escape(row.what)}</h3>\n",
             table_html("", ["printed", "measured"], [[row.printed, row.measured]])]
    lines += [table_html(*one) for one in detail.tables]
    lines += [picture_html(*one) for one in detail.pictures]
    lines += [f"<p>{escape(text)}</p>\n" for text in detail.text]
    if to_do:
        lines.append(f'<p class="to-do">{escape(to_do)}</p>\n')
    if row.command:
        lines.append(f"<p>Made by <code>{escape(row.command)}</code></p>\n")
    if row.files and not row.files.startswith("<"):
        lines.append(f"<p>File: <code>ci/measurements/{escape(row.files)}</code></p>\n")
    return "".join(lines)


def whole(title, lead, papers, damaged):
    """papers: [(title, note, [item's HTML])]."""
    ids = [f"paper-{place}" for place in range(1, len(papers) + 1)]
    lines = ["<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">",
             '<meta name="viewport" content="width=device-width, initial-scale=1">',
             f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>\n<h1>{escape(title)}</h1>\n",
             *(f"<p>{escape(text)}</p>\n" for text in lead), "<ul>",
             *(f'<li><a href="#{id_}">{escape(paper[0])}</a></li>' for id_, paper in zip(ids, papers)), "</ul>\n"]
    if damaged:
        lines.append("<h2>Files that could not be read</h2><ul>" +
                     "".join(f"<li>{escape(text)}</li>" for text in damaged) + "</ul>\n")
    for id_, (name, note, items) in zip(ids, papers):
        lines += [f'<h2 id="{id_}">{escape(name)}</h2>\n<p>{escape(note)}</p>\n', *items]
    return "".join(lines) + "</body></html>\n"


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
