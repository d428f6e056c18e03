#!/usr/bin/env python3
"""lint.py: checks the project's text (Python's standard library only).

    tools/lint.py            checks, one line a finding; the counts last
    tools/lint.py --format   lays files out instead: clang-format, and plain choices
    tools/lint.py --uses     writes the `uses` lines of the parts under src/ instead

src/: every part is in the manifest once, begins with its head, is no longer than 800 lines and closes the conditions
that it opens; its `uses` line names the parts whose names it mentions, all of them above it, so that there is no
circle; core mentions no more primitives than before; each name in the text for NVRTC is one that a part defines;
gpuprims.h is what the parts make. gpuprims.h: sections that comments name; prefixes; what is external is declared in
the API; error names. Documentation: README.md has at most 160 lines; links of Markdown files lead somewhere, anchors
included; docs/reference is what the comments of src/api say; docs/errors.md has every error, and quotes messages that
exist. Every file: length of lines, unfinished work, paths of one machine. C, C++ and CUDA files: clang-format.
"""
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

import amalgamate
import docs
import markdown_links
from c_names import PROJECT_NAME, Definition, blank, definitions, homes_of, names_of_parts, split_directives

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADER = os.environ.get("GPUPRIMS_HEADER", "gpuprims.h")
CODE = (".c", ".h", ".hpp", ".cpp", ".cu", ".cuh")
TEXT = CODE + (".py", ".sh", ".md", ".yml", ".toml", ".cmake", ".txt", ".in")
NAMED = ("Makefile", "CMakeLists.txt", "run", "LICENSE", ".clang-format", ".gitignore")
# Versions of clang-format differ in layout; the project uses this one.
CLANG_FORMAT_MAJOR = 14
COLUMNS = 120


class Findings:
    """A check passes without findings, which are printed at once."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, name, found):
        found = list(found)
        for line in found[:40]:
            print(f"{name}: {line}")
        if len(found) > 40:
            print(f"{name}: and {len(found) - 40} more")
        if found:
            self.failed += 1
        else:
            self.passed += 1

    def skip(self, name, reason):
        print(f"skipped: {name}: {reason}")
        self.skipped += 1


# ---- gpuprims.h ------------------------------------------------------------------------------------------------------

MARK = re.compile(r"^// >>(\w+) -+$")


def lint_header(findings, path):
    with open(path) as file:
        text = file.read()
    lines = text.split("\n")
    marks = [(number, match.group(1)) for number, line in enumerate(lines, 1) for match in [MARK.match(line)] if match]
    findings.check("marks", check_marks(path, lines, [name for _, name in marks]))

    code, directives = split_directives(blank(text))
    found = definitions(code)
    for number, directive in directives:
        macro = re.match(r"\s*#\s*define\s+(\w+)", directive)
        if macro:
            found.append(Definition(macro.group(1), number, "macro", directive))
    section = lambda line: next((name for number, name in reversed(marks) if number <= line), "")
    findings.check("prefixes", check_prefixes(path, found, section))
    findings.check("namespace", check_namespace(path, found))
    findings.check("errors", check_errors(path, text))
    findings.check("arguments", check_arguments(path, text))
    findings.check("values", check_values(path, text))


def check_marks(path, lines, names):
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{path}: section >>{name} is marked more than once"
    for number, line in enumerate(lines, 1):
        for name in re.findall(r"\b(?:section|in) >>([a-z_]+)\b", line) if "//" in line else []:
            if name not in names:
                yield f"{path}:{number}: names a section >>{name} that does not exist"


def check_prefixes(path, found, section):
    private = {"driver", "host", "kernel_source", "dispatch"}
    api = {item.name for item in found if "GP__API" in item.text and item.kind in ("prototype", "function")}
    for item in found:
        name, where = item.name, f"{path}:{item.line}"
        if re.match(r"u?int\d+_t$|size_t$", name):  # the C library's names that NVRTC lacks
            continue
        if item.kind == "macro":
            if not re.match(r"(GPUPRIMS_|GP_)", name) and name not in api and name != "_GNU_SOURCE":
                yield f"{where}: macro {name}: GPUPRIMS_ or GP_"
        elif item.kind == "enumerator":
            if not re.match(r"GP_|gp__|GPUPRIMS__", name):
                yield f"{where}: enumerator {name}: GP_ (private: GP__)"
        elif not re.match(r"gp_", name):
            yield f"{where}: {item.kind} {name}: gp_ (private: gp__)"
        elif item.kind in ("function", "prototype", "variable") and section(item.line) in private:
            if name not in api and not name.startswith("gp__"):
                yield f"{where}: {item.kind} {name} is not a part of the API: gp__"
        if name in api and not re.match(r"gp_[a-z0-9]", name):
            yield f"{where}: {name} is in the API: gp_"


MOST_ARGUMENTS = 11
# count belongs to the output
OUTPUTS_ALONE = ("gp_fill", "gp_iota", "gp_load_balance", "gp_run_length_expand", "gp_expand", "gp_swap", "gp_rotate",
                 "gp_shift")
RANKS = ((r"gp_context \*ctx$|gp_prepared \*prepared$|gp_tuner \*tuner$|gp_world \*world$", 0), (r"gp_op \w+$", 1),
         (r"gp_type \w+$|const gp_(layout|permutation) \*\w+$", 2),
         (r"const gp_graph \*relabelled$", 4), (r"const \w+ \*\w+$", 3), (r"\w+ \*\w+$", 4), (r"int flags$", 5),
         (r"gp_stream stream$", 6))


def check_values(path, text):
    """Enumerators of the API have written values, since they are part of the ABI; those of a list count up by one."""
    for name, rows in re.findall(r"^#define (GP_\w+)\(X\)(.*?)\n\n", text, re.M | re.S):
        values = re.findall(r"\bX\(\w+, (\d+)[,)]", rows)
        if values and values != [str(int(values[0]) + i) for i in range(len(values))]:
            yield f"{path}: the values of {name} do not count up by one"
    for body in re.findall(r"\benum(?: gp_\w+)? \{([^}]*)\}", re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)):
        for name in re.findall(r"(?:^|,|\))\s*(\w+)\s*(?=,|$)", body):
            if re.match(r"GP_(?!_|\w*_COUNT$)", name):
                yield f"{path}: enumerator {name} has no written value"


def check_arguments(path, text):
    """Context, operators, types, inputs with their counts, outputs with theirs, flags, stream."""
    for declared in re.finditer(r"^GP__API gp_result (gp_\w+)\(([^)]*gp_stream stream)\);", text, re.M):
        name, arguments = declared.group(1), [one.strip() for one in re.split(r",\s*", declared.group(2))]
        where = f"{path}:{text[:declared.start()].count(chr(10)) + 1}: {name}"
        if name in ("gp_run", "gp_prepared_run", "gp_world_run"):
            continue
        if len(arguments) > MOST_ARGUMENTS:
            yield f"{where} has {len(arguments)} arguments, of {MOST_ARGUMENTS}: gp_call has the others"
        latest, outputs = 0, 0
        for one in arguments:
            if re.match(r"uint64_t \w+$|int count$", one):
                if one == "uint64_t count" and outputs and name not in OUTPUTS_ALONE:
                    yield f"{where}: count follows an output"
                continue
            rank = next((rank for pattern, rank in RANKS if re.match(pattern, one)), -1)
            if name == "gp_graph_from_edges" and one == "const gp_graph *graph":
                rank = 4  # its memory is written
            if rank < latest:
                yield f"{where}: {one} is out of order"
                break
            latest, outputs = rank, outputs + (rank == 4)


def check_namespace(path, found):
    """External names are declared under src/api/, so that GPUPRIMS_NAMESPACE renames them, and defined."""
    renamed = {line.split()[1] for line in amalgamate.rename_lines()}
    defined = {item.name for item in found if item.kind == "function" and "GP__API" in item.text}
    for name in sorted(defined - renamed):
        yield f"{path}: {name} is external, and no part of {amalgamate.FOLDER}/api/ declares it"
    for name in sorted(renamed - defined):
        yield f"{path}: {name} is declared, but not defined"


def check_errors(path, text):
    listed = re.search(r"#define GP_RESULTS\(X\)(.*?)\n\n", text, re.S)
    names = re.findall(r"X\((\w+),", listed.group(1)) if listed else []
    if not names:
        yield f"{path}: no list GP_RESULTS"
    for name in names:
        if name != "GP_SUCCESS" and not name.startswith("GP_E_"):
            yield f"{path}: result {name}: GP_E_"
        if name != "GP_SUCCESS" and len(re.findall(rf"\b{name}\b", text)) < 2 and "GPUPRIMS__IMPLEMENTED" in text:
            yield f"{path}: nothing returns {name}"
    for number, line in enumerate(text.split("\n"), 1):
        for name in re.findall(r"\bGP_E_\w+", line):
            if name not in names:
                yield f"{path}:{number}: {name} is no result"


# ---- src/ ------------------------------------------------------------------------------------------------------------

PART_LINES = 800
# Lines of src/core that mention a primitive, a policy family or a kind of kernel, which belong to the families. The
# number may only shrink.
PRIMITIVES_IN_CORE = 0


def parts_of(text, homes):
    """The parts of the device text, and those above it, that a text uses, directly or not."""
    names = set(PROJECT_NAME.findall(blank(text)))
    return amalgamate.closure(*{home for name in names for _, home in homes.get(name, []) if not home.endswith(".c")})


def head_of(part, used):
    """The first line unchanged, and the uses, if any."""
    return part.head[:1] + textwrap.wrap(f"uses: {', '.join(used)}", COLUMNS, initial_indent="// ",
                                         subsequent_indent="//   ", break_on_hyphens=False) * bool(used)


def write_uses():
    for path, used in names_of_parts(amalgamate.header_lines())[0].items():
        part = amalgamate.read_part(path)
        amalgamate.write(f"{amalgamate.FOLDER}/{path}", "\n".join(head_of(part, used) + [""] + part.body) + "\n")


def check_parts(paths):
    listed = amalgamate.paths()
    folder = amalgamate.FOLDER + "/"
    for path in sorted({path for path in listed if listed.count(path) > 1}):
        yield f"{amalgamate.MANIFEST}: part {path} is listed more than once"
    there = {path[len(folder):] for path in paths if path.startswith(folder)} - {"manifest", "README.md"}
    for path in sorted(there - set(listed)):
        yield f"{folder}{path}: is not a part of {amalgamate.MANIFEST}"
    for path in listed:
        part = amalgamate.read_part(path)
        count = len(part.head) + 1 + len(part.body)
        if count > PART_LINES:
            yield f"{folder}{path}: {count} lines, of {PART_LINES}"
        depth = 0
        for line in part.body:
            depth += bool(re.match(r"\s*#\s*if", line)) - bool(re.match(r"\s*#\s*endif\b", line))
            if depth < 0:
                break
        if depth:
            yield f"{folder}{path}: its conditions do not close"
        if not part.body or not part.body[0] or not part.body[-1]:
            yield f"{folder}{path}: begins or ends with an empty line"


@functools.cache
def header_lines():
    return amalgamate.header_lines()


def check_uses():
    uses, below = names_of_parts(header_lines())
    for path, used in uses.items():
        part = amalgamate.read_part(path)
        if part.head != head_of(part, used):
            yield f"{amalgamate.FOLDER}/{path}: its `uses` line is wrong: tools/lint.py --uses"
    for path, name, home in below:
        yield f"{amalgamate.FOLDER}/{path}: mentions {name}, which {home} defines below it"


# Names in the device text that no part defines: names within macros, beginnings of names, NVRTC's own.
NOBODYS = {"gp__struct", "gp__struct_packed", "gp__i", "gp__even_bin_", "GP_LAYOUT_", "GPUPRIMS_SIMT", "size_t"}


def check_device_text():
    """NVRTC gets the parts that define the names in a kernel's text, and the parts above that these mention. A part
    must define each name, and no part below may change its meaning."""
    lines = amalgamate.header_lines(embed=False)
    for line in lines:
        where = f"{amalgamate.FOLDER}/{line.part}:{line.number}"
        if ".cuh:" in where and re.match(r"(template\b.*)?GP_DEVICE\b[^(]*\boperator\b", line.text):
            yield f"{where}: an operator outside a struct has no name to be found by"
        elif re.search(r'"[^"]*\bgp__\w+%s', line.text):
            yield f"{where}: a string with a part of a name: NVRTC gets no part for a name that no string has whole"
    lines = amalgamate.for_nvrtc(lines)
    homes, mentions = homes_of(lines)
    said = set()
    for number, text in mentions:
        part = lines[min(number, len(lines)) - 1].part
        for name in set(PROJECT_NAME.findall(text)) - said:
            above = [home for at, home in homes.get(name, []) if at <= number]
            below = [home for at, home in homes.get(name, []) if at > number]
            if name not in homes and name not in NOBODYS:
                yield f"{amalgamate.FOLDER}/{part}: mentions {name}, which no part defines"
            elif above and below and part not in above + below:
                yield f"{amalgamate.FOLDER}/{part}: mentions {name}, which {below[0]} defines again below it"
            else:
                continue
            said.add(name)
    for line in lines:
        special = re.search(r"\bstruct (gp_\w+) ?<", line.text)
        if special and (first := homes[special.group(1)][0][1]) != line.part:
            yield f"{amalgamate.FOLDER}/{line.part}: specialises {special.group(1)}: NVRTC may get {first} alone"


def check_core():
    kinds = [entry for path in amalgamate.paths() if path.endswith("/kinds.c")
             for entry in re.findall(r"X\((\w+),", "\n".join(amalgamate.read_part(path).body))]
    with open(f"{amalgamate.FOLDER}/api/lists.h") as file:
        listed = re.search(r"#define GP_PRIMITIVES\(X\)(.*?)\n\n", file.read(), re.S)
    names = re.compile(r"\b(?:GP_(?:%s)|GP__(?:FAMILY_\w+|%s))\b" %
                       ("|".join(re.findall(r"X\((\w+),", listed.group(1))), "|".join(kinds)))
    count = sum(bool(names.search(line)) for path in amalgamate.paths() if path.startswith("core/")
                for line in blank("\n".join(amalgamate.read_part(path).body)).split("\n"))
    if count > PRIMITIVES_IN_CORE:
        yield (f"{amalgamate.FOLDER}/core: {count} lines mention a primitive, a family or a kind of kernel, "
               f"of {PRIMITIVES_IN_CORE} at most")
    elif count < PRIMITIVES_IN_CORE:
        yield (f"{amalgamate.FOLDER}/core: {count} lines mention a primitive, a family or a kind of kernel: "
               "lower PRIMITIVES_IN_CORE to that")


def lint_parts(findings, paths):
    try:
        findings.check("core", check_core())
        findings.check("parts", check_parts(paths))
        findings.check("uses", check_uses())
        findings.check("device text", check_device_text())
        findings.check("header", [wrong for wrong in [amalgamate.differs(header_lines())] if wrong])
    except (amalgamate.Wrong, OSError) as error:
        findings.check("parts", [str(error)])


# ---- documentation ---------------------------------------------------------------------------------------------------

README_LINES = 160


def check_errors_page():
    """Every error has a heading; the messages in the tables' first column are those of the library."""
    with open("docs/errors.md", encoding="utf-8") as file:
        page = file.read()
    with open(f"{amalgamate.FOLDER}/api/lists.h", encoding="utf-8") as file:
        listed = re.findall(r"X\((GP_E_\w+),", file.read())
    headings = re.findall(r"^### (GP_E_\w+)$", page, re.M)
    for name in sorted(set(listed) ^ set(headings)):
        yield f"docs/errors.md: {name} is {'not explained' if name in listed else 'no result'}"
    texts = []
    for path in amalgamate.paths():
        if path.endswith((".c", ".h")):
            with open(f"{amalgamate.FOLDER}/{path}", encoding="utf-8") as file:
                texts.append(re.sub(r'"\s*(?:\\\s*)?"', "", file.read()).replace("@", ""))
    source = "\n".join(texts)
    begin, end = page.index("## When a context opens"), page.index("## Wrong results without an error")
    for line in page[begin:end].split("\n"):
        for message in re.findall(r"`([^`]+)`", line.split(" | ")[0]) if line.startswith("| `") else []:
            for piece in message.split("..."):
                if piece.strip() and piece.strip(" :") not in source:
                    yield f"docs/errors.md: no message of the library has the words: {piece.strip()}"


def lint_docs(findings, paths):
    with open("README.md", encoding="utf-8") as file:
        count = len(file.read().split("\n")) - 1
    findings.check("README", [f"README.md: {count} lines, of {README_LINES}"] if count > README_LINES else [])
    for path in paths:
        if path.endswith(".md"):
            findings.check("links", markdown_links.wrong_links(path))
    findings.check("reference", docs.differs())
    findings.check("errors page", check_errors_page())


# ---- every file ------------------------------------------------------------------------------------------------------


def tracked_files():
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    if done.returncode == 0:
        paths = done.stdout.split("\n")
    else:
        paths = [os.path.join(folder, name)[2:] for folder, _, names in os.walk(".") for name in names
                 if not folder.startswith(("./build", "./.git"))]
    return sorted(path for path in paths if os.path.isfile(path))


def lint_text(findings, paths):
    # Spelled so that this file does not find itself.
    unfinished = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b|^(<{7}|>{7}) ")
    places = re.compile(r"(?<![\w.$})])/(?:home|root|work|farm|Users)/\w")
    long_lines, work, paths_found, shape = [], [], [], []
    for path in paths:
        if not path.endswith(TEXT) and os.path.basename(path) not in NAMED:
            continue
        with open(path, errors="replace") as file:
            text = file.read()
        if text and not text.endswith("\n"):
            shape.append(f"{path}: no newline at the end")
        if text.endswith("\n\n"):
            shape.append(f"{path}: empty lines at the end")
        packed = False  # digits may spell any word
        for number, line in enumerate(text.split("\n"), 1):
            packed = line == amalgamate.BEGIN or packed and line != amalgamate.END
            where = f"{path}:{number}"
            table = path.endswith(".md") and line.lstrip().startswith("|")
            if len(line) > COLUMNS and not table:
                long_lines.append(f"{where}: {len(line)} columns")
            if line.rstrip() != line:
                shape.append(f"{where}: space at the end of the line")
            if "\t" in line and os.path.basename(path) != "Makefile":
                shape.append(f"{where}: a tab")
            if unfinished.search(line) and not packed:
                work.append(f"{where}: {line.strip()}")
            if places.search(line) and not packed:
                paths_found.append(f"{where}: {line.strip()}")
    findings.check("columns", long_lines)
    findings.check("white space", shape)
    findings.check("unfinished", work)
    findings.check("absolute path", paths_found)


def lint_python(findings, paths):
    found = []
    for path in paths:
        if path.endswith(".py"):
            with open(path) as file:
                try:
                    compile(file.read(), path, "exec")
                except SyntaxError as error:
                    found.append(str(error))
    findings.check("python", found)


def clang_format_version():
    done = subprocess.run(["clang-format", "--version"], stdout=subprocess.PIPE, text=True)
    match = re.search(r"version (\d+)", done.stdout)
    return int(match.group(1)) if match else 0


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def with_plain_choices(text):
    """clang-format pads before the ? of a chain of choices, and aligns the last : with it. Here each line of a chain
    has the indentation of its first `:`, and one space before its `?`."""
    lines, aligned = text.split("\n"), {}  # column of a padded ?: the indentation of its chain
    for at, line in enumerate(lines):
        body = line.lstrip(" ")
        indent = len(line) - len(body)
        if body[:2] == ": " and indent in aligned:
            line = " " * aligned[indent] + body
        elif indent and body[:2] not in (": ", "? "):
            aligned = {}
        question = re.search(r"(?<=\S) +\? ", line)
        if question and '"' not in line[:question.start()]:
            column = line.index("?", question.start())
            aligned[column] = len(line) - len(line.lstrip(" ")) + (0 if body[:2] == ": " else 4)
            line = line[:question.start()] + " " + line[column:]
        lines[at] = line
    return "\n".join(lines)


def edited_code(paths):
    """The code that people edit. gpuprims.h follows from its parts."""
    return [path for path in paths if path.endswith(CODE) and path != HEADER]


def laid_out(paths):
    """{path: the file as `make format` leaves it}."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(".clang-format", folder)
        copies = {path: os.path.join(folder, path) for path in paths}
        for path, copy in copies.items():
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy(path, copy)
        subprocess.run(["clang-format", "-i", *copies.values()], check=True)
        return {path: with_plain_choices(read(copy)) for path, copy in copies.items()}


def lint_format(findings, paths):
    code = edited_code(paths)
    if not shutil.which("clang-format"):
        findings.skip("clang-format", "no clang-format: apt-get install clang-format")
        return
    version = clang_format_version()
    if version != CLANG_FORMAT_MAJOR:
        findings.skip("clang-format", f"this is version {version}, the layout is that of version {CLANG_FORMAT_MAJOR}: "
                      f"apt-get install clang-format-{CLANG_FORMAT_MAJOR}")
        return
    for path, wanted in laid_out(code).items():
        found = read(path)
        lines = enumerate(zip(found.split("\n"), wanted.split("\n")), 1)
        first = next((at for at, (ours, theirs) in lines if ours != theirs), 0)
        findings.check("clang-format", [f"{path}:{first}: make format"] if found != wanted else [])


def main():
    os.chdir(ROOT)
    paths = tracked_files()
    if "--format" in sys.argv[1:]:
        if not shutil.which("clang-format"):
            sys.exit("no clang-format: apt-get install clang-format")
        for path, text in laid_out(edited_code(paths)).items():
            if text != read(path):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
        sys.exit()
    if "--uses" in sys.argv[1:]:
        sys.exit(write_uses())
    findings = Findings()
    lint_parts(findings, paths)
    lint_header(findings, HEADER)
    lint_docs(findings, paths)
    lint_text(findings, paths)
    lint_python(findings, paths)
    lint_format(findings, paths)
    print(f"{findings.passed} passed, {findings.failed} failed, {findings.skipped} skipped")
    sys.exit(1 if findings.failed else 0)


if __name__ == "__main__":
    main()
