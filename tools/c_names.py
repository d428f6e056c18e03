"""c_names.py: finds the names that a C or C++ text defines and mentions, as far as this project's style needs.

Universal Ctags 5.9 finds 2,443 of the 2,480 names of gpuprims.h: it lacks functions that macros define and enumerators
behind lists. libclang sees one branch of each condition at a time. With this module `make header` needs only Python.
"""
import bisect
import functools
import re

PROJECT_NAME = re.compile(r"\b(?:(?:gp_|GP_|GPUPRIMS_)\w+|u?int(?:8|16|32|64)_t|size_t)\b")
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)


def remembered(function):
    """A function of lines that caches its latest few results; callers must not change them."""
    keep = functools.lru_cache(4)(lambda lines, words: function(lines, **dict(words)))
    return functools.wraps(function)(lambda lines, **words: keep(tuple(lines), tuple(words.items())))


def blank(text):
    """The text with comments and the insides of strings blanked out; lines keep their numbers."""
    return TOKEN.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def split_directives(text):
    """(code without directives, the directives as (line, text) with continuation lines joined)."""
    code, directives = [], []
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        if lines[number].lstrip().startswith("#"):
            first, parts = number, []
            while True:
                parts.append(lines[number].rstrip("\\"))
                more = lines[number].endswith("\\") and number + 1 < len(lines)
                code.append("")
                number += 1
                if not more:
                    break
            directives.append((first + 1, " ".join(parts)))
        else:
            code.append(lines[number])
            number += 1
    return "\n".join(code), directives


def strip_templates(text):
    """Without "template <...>"; parentheses inside may hold anything."""
    while "template" in text:
        match = re.search(r"\btemplate\s*<", text)
        if not match:
            return text
        depth, at = 1, match.end()
        while depth and at < len(text):
            if text[at] == "(":
                at = text.find(")", at)
            depth += {"<": 1, ">": -1}.get(text[at], 0)
            at += 1
        text = text[:match.start()] + " " + text[at:]
    return text


@functools.lru_cache(4096)
def strip_groups(text):
    """Without (...) of attributes and <...> of templates, which hide the declared name."""
    previous = None
    text = strip_templates(text)
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", " ", text)
    text = re.sub(r"\b(alignas|__launch_bounds__|__align__|GP(?:UPRIMS)?__[A-Z_0-9]+)\s*\((?:[^()]|\([^()]*\))*\)", " ",
                  text)
    while previous != text:
        previous, text = text, re.sub(r"<[^<>(){};]*>", " ", text)
    return text


class Definition:
    def __init__(self, name, line, kind, text):
        self.name, self.line, self.kind, self.text = name, line, kind, text


def definitions(code):
    """Names defined at file scope: functions, prototypes, types, enumerators, variables."""
    found, depth, start = [], 0, 0
    opened = None  # the open block, or the one just closed
    line_of = line_numbers(code)
    for match in re.finditer(r"^(?:GPUPRIMS__|GP__?)\w+\((.*)\)[ \t]*$", code, re.M):  # a defining macro
        names = re.findall(r"\b(?:gp_|GP__)\w+", match.group(1).split(",")[0])
        found += [Definition(name, line_of(match.start()), "macro's", match.group()) for name in names]
    code = re.sub(r"^(?:GPUPRIMS__|GP__?)\w+\(.*\)[ \t]*$", lambda match: " " * len(match.group()), code, flags=re.M)
    for match in re.finditer(r"[{};]", code):
        sign, at = match.group(), match.start()
        if sign == "{":
            head = code[start:at]
            if depth == 0:
                if re.search(r'extern\s+"?\s*"?\s*$', head.strip()) or re.match(r"\s*namespace\b", head):
                    start = at + 1
                    continue
                opened = (head, start, at)
            depth += 1
        elif sign == "}":
            if depth == 0:
                start = at + 1
                continue
            depth -= 1
            if depth == 0 and opened:
                head, first, brace = opened
                where = line_of(first + len(head) - len(head.lstrip()))
                found += describe_block(head, where, code[brace + 1:at], line_of(brace))
                start = at + 1
                if re.search(r"\b(struct|enum|union|class)\b", strip_groups(head)) and "(" not in strip_groups(head):
                    opened = ("type", first, brace)
                elif "=" in head:
                    opened = ("value", first, brace)
                else:
                    opened = None
        elif depth == 0:
            statement = code[start:at]
            if opened and opened[0] == "type":
                for name in re.findall(r"\b\w+\b", statement):
                    found.append(Definition(name, line_of(at), "type", statement))
            elif not (opened and opened[0] == "value"):
                found += describe_statement(statement, line_of(start + len(statement) - len(statement.lstrip())))
            opened = None
            start = at + 1
    return found


def line_numbers(text):
    starts = [match.start() for match in re.finditer("\n", text)]
    return lambda position: bisect.bisect_left(starts, position) + 1


def describe_block(head, line, body, body_line):
    plain = strip_groups(head)
    kind = re.search(r"\b(struct|enum|union|class)\b(?:\s+(\w+))?", plain)
    derived = re.match(r"\s*(?:struct|union|class)\s+(\w+)\s*:(?!:)", plain)  # its base may call functions
    if derived:
        return [Definition(derived.group(1), line, "type", head)]
    if "(" in plain and not re.search(r"=\s*$", plain):
        name = re.search(r"\b(\w+)\s*\(", plain)
        return [Definition(name.group(1), line, "function", head)] if name else []
    found = []
    if kind:
        if kind.group(2):
            found.append(Definition(kind.group(2), line, "type", head))
        if kind.group(1) == "enum":
            for item in re.finditer(r"(?:^|,|\))\s*(\w+)\s*(?=[=,]|$)", body):
                at = body_line + body.count("\n", 0, item.start(1))
                found.append(Definition(item.group(1), at, "enumerator", body))
    else:
        name = re.search(r"\b(\w+)\s*(?:\[[^\]]*\]\s*)*=\s*$", plain)
        if name:
            found.append(Definition(name.group(1), line, "variable", head))
    return found


def describe_statement(statement, line):
    plain = strip_groups(statement).strip()
    if not plain:
        return []
    pointer = re.match(r"typedef\b.*\(\s*\*\s*(\w+)\s*\)\s*\(", plain, re.S)
    if pointer:
        return [Definition(pointer.group(1), line, "type", statement)]
    if plain.startswith("typedef"):
        # typedef unsigned a, b; and typedef struct tag name;
        tail = re.sub(r"\[[^\]]*\]", "", plain)
        names = re.findall(r"(\w+)\s*(?:,|$)", tail)
        return [Definition(name, line, "type", statement) for name in names]
    forward = re.match(r"(?:struct|union|enum)\s+(\w+)$", plain)
    if forward:
        return [Definition(forward.group(1), line, "forward", statement)]
    if re.match(r"(template\b|using\b|static_assert\b|_Static_assert\b|friend\b)", plain) and "(" not in plain:
        name = re.search(r"\b(?:struct|class)\s+(\w+)$", plain)
        return [Definition(name.group(1), line, "forward", statement)] if name else []
    if re.match(r"(static_assert|_Static_assert|__asm__|asm)\b", plain):
        return []
    before_value = plain.split("=", 1)[0]
    if "(" in before_value:
        name = re.search(r"\b(\w+)\s*\(", before_value)
        return [Definition(name.group(1), line, "prototype", statement)] if name and " " in before_value.strip() else []
    name = re.search(r"\b(\w+)\s*(?:\[[^\]]*\]\s*)*$", before_value)
    return [Definition(name.group(1), line, "variable", statement)] if name and " " in before_value.strip() else []


@remembered
def homes_of(lines):
    """({name: [(line of the header, its part)]} of the parts' declarations, [(line, text that mentions names)])."""
    code, directives = split_directives(blank("".join(line.text + "\n" for line in lines)))
    defined = {}
    for item in definitions(code):
        defined.setdefault(item.name, []).append(item.line)
    mentions = list(enumerate(code.split("\n"), 1))
    for number, directive in directives:
        macro = re.match(r"\s*#\s*define\s+(\w+)(\(X\))?", directive)
        if macro:
            defined.setdefault(macro.group(1), []).append(number)
        if macro and macro.group(2):  # a list: its names, and texts
            for name in re.findall(r"\bX\((\w+)", directive):
                defined.setdefault(name if name.startswith("GP_") else f"GP_{name}", []).append(number)
        else:
            mentions.append((number, directive))
    part_at = [None] + [line.part for line in lines]
    return {name: sorted((number, part_at[number]) for number in numbers if part_at[number])
            for name, numbers in defined.items()}, mentions


@remembered
def names_of_parts(lines, every=False):
    """({part: the parts above it whose names it mentions}, [(part, name, the part below that defines it)]). every: all
    parts above that define a name, instead of the last one."""
    homes, mentions = homes_of(lines)
    part_at = [None] + [line.part for line in lines] + [None]
    uses, below = {line.part: set() for line in lines if line.part}, []
    for number, text in mentions:
        part = part_at[number]
        for name in PROJECT_NAME.findall(text) if part else []:
            places = homes.get(name, [])
            above = [home for at, home in places if at <= number]
            if above and (every or above[-1] != part):
                uses[part].update(set(above if every else above[-1:]) - {part})
            elif places and not above and part not in [home for _, home in places]:
                below.append((part, name, places[0][1]))
    order = {part: place for place, part in enumerate(uses)}
    return {part: sorted(used, key=order.get) for part, used in uses.items()}, below
