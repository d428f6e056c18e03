#!/usr/bin/env python3
"""python_page.py: the table of functions in docs/python.md, from the docstrings of python/gpuprims (standard library).

    tools/python_page.py            writes the table
    tools/python_page.py --check    exit status 1 where the page is not what the docstrings say
"""
import ast
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE, FOLDER = os.path.join(ROOT, "docs", "python.md"), os.path.join(ROOT, "python", "gpuprims")
# {a file: its heading}, in the page's order.
FILES = {"_reductions.py": "Reductions, scans, segments", "_sorting.py": "Sorts, sets, searches, groups",
         "_moving.py": "Transforms, selections, moves, histograms", "_graphs.py": "Graphs"}
BEGIN, END = "<!-- functions: tools/python_page.py -->\n", "<!-- end -->\n"


def public():
    with open(os.path.join(FOLDER, "__init__.py"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    names = next(node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
    return set(ast.literal_eval(names))


def signature(function):
    """Names of the arguments, defaults of those that are no None; without types, out and stream."""
    given = function.args
    parts = [one.arg for one in given.posonlyargs + given.args]
    defaults = given.defaults
    for number, default in enumerate(defaults):
        parts[len(parts) - len(defaults) + number] += f"={ast.unparse(default)}"
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        if one.arg not in ("out", "stream", "sync"):
            parts.append(f"{one.arg}={ast.unparse(default)}")
    return ", ".join(parts)


def table():
    names, lines = public(), []
    for file, heading in FILES.items():
        with open(os.path.join(FOLDER, file), encoding="utf-8") as source:
            tree = ast.parse(source.read())
        lines += [f"### {heading}", "", "| function | what it is |", "|---|---|"]
        for function in tree.body:
            if isinstance(function, ast.FunctionDef) and function.name in names:
                text = re.sub(r"\s+", " ", ast.get_docstring(function)).replace("|", "\\|")
                lines.append(f"| `{function.name}({signature(function)})` | {text} |")
        lines.append("")
    return "\n".join(lines)


def main():
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    before, _, rest = page.partition(BEGIN)
    made = f"{before}{BEGIN}{table()}{END}{rest.partition(END)[2]}"
    if "--check" in sys.argv:
        sys.exit(0 if made == page else "docs/python.md: its table is not what the docstrings say: "
                 "tools/python_page.py")
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(made)


if __name__ == "__main__":
    main()
