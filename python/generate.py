#!/usr/bin/env python3
"""generate.py: what the Python package takes from gpuprims.h (Python's standard library only).

    generate.py HEADER --cdef       declarations for cffi
    generate.py HEADER --stub       gpuprims/raw.pyi, the same for type checkers

The C preprocessor expands the header's public section, which is all that it declares without GPUPRIMS_IMPLEMENTATION;
its lists become enumerators there. Structs, enumerators, callbacks and prototypes are taken over as they are. Functions
that the header compiles into the program (gp_call_init and others) become prototypes: the extension compiles them.
"""
import argparse
import os
import re
import shlex
import subprocess
import sysconfig

# Functions of the package that the library calls: allocator hooks, the log.
CALLBACKS = """
extern "Python" void *gppy_allocate(void *user, size_t bytes, gp_stream stream);
extern "Python" void gppy_release(void *user, void *pointer, size_t bytes, gp_stream stream);
extern "Python" void gppy_log(void *user, gp_log_level level, const char *message);
"""
WIDE = {"int": "int", "unsigned": "int", "size_t": "int", "uint8_t": "int", "uint32_t": "int", "uint64_t": "int",
        "int32_t": "int", "int64_t": "int", "double": "float", "void": "None"}


def compiler():
    return shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")


def preprocessed(header):
    """The header's own lines after the preprocessor, without those of the system's headers."""
    text = subprocess.run([*compiler()[:1], "-E", "-std=gnu11", "-x", "c", header], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    own, lines = False, []
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            own = os.path.basename(marker.group(1)) == os.path.basename(header)
        elif own and line.strip():
            lines.append(line)
    return re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", "\n".join(lines))


def statements(text):
    """Declarations at file scope as (text before a brace or semicolon, text in braces or None, text after it)."""
    at = 0
    while True:
        end = re.compile(r"[;{]").search(text, at)
        if not end:
            return
        if end.group() == ";":
            yield text[at:end.start()].strip(), None, ""
            at = end.end()
            continue
        depth, close = 1, end.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[close], 0)
            close += 1
        head, body = text[at:end.start()].strip(), text[end.end():close - 1]
        if head.endswith(")"):  # a function
            yield head, body, ""
            at = close
        else:
            semicolon = text.index(";", close)
            yield head, body, text[close:semicolon].strip()
            at = semicolon + 1


class Interface:
    """What a header declares: texts of declarations, {function: (result, arguments)}, names of enumerators, of types,
    and of macros that are numbers or strings."""

    def __init__(self, header):
        self.declarations, self.functions, self.enumerators, self.types = [], {}, [], []
        for head, body, tail in statements(preprocessed(header)):
            head = re.sub(r"^(?:static|extern|inline|\s)+", "", head)
            self.add(head, body, tail)
        with open(header, encoding="utf-8") as file:
            public = re.split(r"^#if .*\bGPUPRIMS_IMPLEMENTATION\b", file.read(), flags=re.M)[0]
        self.numbers = re.findall(r"^#define (GP_[A-Z_]+|GPUPRIMS_VERSION_\w+) (?:0x[0-9a-f]+(?:ull)?|\d+)(?= |$)",
                                  public, re.M)
        self.strings = re.findall(r'^#define (GPUPRIMS_VERSION) "', public, re.M)

    def add(self, head, body, tail):
        function = re.match(r"([^()]*?)\b(\w+)\s*\(([^()]*)\)$", head)
        if function and not head.startswith("typedef"):
            result, name, arguments = (re.sub(r"\s+", " ", text).strip() for text in function.groups())
            if not name.startswith("gp__"):
                self.functions[name] = result, arguments
                self.declarations.append(f"{result} {name}({arguments});")
        elif body is None:
            name = re.search(r"(\w+)$", head) or re.search(r"\(\s*\*\s*(\w+)\s*\)", head)
            if head.startswith("typedef"):
                pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)", head)
                self.types.append(pointer.group(1) if pointer else name.group(1))
            self.declarations.append(f"{head};")
        else:
            if re.search(r"\benum\b", head):
                self.enumerators += [one for one in re.findall(r"(?:^|,)\s*(\w+)", body)
                                     if not one.startswith("GPUPRIMS__")]
            if tail:
                self.types.append(tail)
            self.declarations.append(f"{head} {{{body}}} {tail};")

    def cdef(self):
        constants = [f"#define {name} ..." for name in self.numbers]
        constants += [f"static char *const {name};" for name in self.strings]
        return "\n".join(self.declarations + constants) + CALLBACKS

    def annotation(self, text, result):
        """The Python type of a C type: structs and pointers are cffi's objects."""
        words = re.sub(r"\b(?:const|struct)\b", "", text).split()
        if "*" in text or words[0].endswith("_fn"):
            return "CData" if result else "Pointer"
        if words[0] == "gp_stream":
            return "Pointer"
        if words[0] in WIDE:
            return WIDE[words[0]]
        is_enum = any(re.match(rf"typedef enum {words[0]}\b", one) for one in self.declarations)
        return "int" if is_enum else "CData"

    def stub(self):
        lines = ['"""generated by python/generate.py from gpuprims.h"""', "from typing import Any, Final, TypeAlias",
                 "", "CData: TypeAlias = Any", "Pointer: TypeAlias = Any", "", "ffi: Any", "lib: Any", ""]
        lines += [f"{name}: Final[int]" for name in self.enumerators + self.numbers]
        lines += [f"{name}: Final[str]" for name in self.strings]
        for name, (result, arguments) in self.functions.items():
            parts = []
            for number, one in enumerate([] if arguments in ("", "void") else arguments.split(",")):
                kind, argument = re.match(r"(.*?)(\w+)\s*(?:\[\w*\])?$", one.strip()).groups()
                argument = argument + "_" if argument in ("in", "from") else argument
                parts.append(f"{argument}: {self.annotation(kind, False)}")
            returned = "None" if result == "gp_result" else self.annotation(result, True)
            if result.replace(" ", "") == "constchar*" and "char *text" not in arguments:
                returned = "str | None" if name.endswith("_name") else "str"
            lines.append(f"def {name}({', '.join([*parts, '/'] if parts else [])}) -> {returned}: ...")
        return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="what the Python package takes from gpuprims.h")
    parser.add_argument("header")
    parser.add_argument("--cdef", action="store_true")
    parser.add_argument("--stub", action="store_true")
    options = parser.parse_args()
    interface = Interface(options.header)
    if options.cdef:
        print(interface.cdef(), end="")
    if options.stub:
        print(interface.stub(), end="")


if __name__ == "__main__":
    main()
