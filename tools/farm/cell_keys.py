"""Cells: a call and its size; as text, as a key, and in bytes. tools/tune/cells.c does this for gp_tune and Python, and
describe.c lists the parts of cells and policies. Both are compiled once, in a second, to build/cells.so.

    read("reduce SUM f16 bytes=1M") -> (Cell(...), "reduce SUM f16 n=524288 protocol=cold")
"""
import collections
import ctypes
import functools
import json
import operator
import os

from tools import bench
from tools.farm import compiled

ROOT = bench.ROOT
SOURCES = [os.path.join("tools", "tune", name) for name in ("cells.c", "describe.c", "json.c", "util.c")]
HEADERS = ["tools/tune/tune.h", "tools/gp_primitives.h", "tools/peers/data.h",
           *(f"src/{name}" for name in ("api/lists.h", "api/policy.h", "core/rules.h", "families.h"))]
MOST = 2048  # bytes of a key


class StoreError(Exception):
    """An error message for the user, with file and line."""


class CannotBuild(StoreError):
    """The compiler's message."""


@functools.cache
def library():
    """The functions of cells.c, recompiled only after a source changed."""
    found = compiled.library("cells.so", SOURCES, HEADERS, ["-O1", "-std=c11", "-D_GNU_SOURCE"], CannotBuild)
    found.cell_key.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
    found.cell_measure.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_ulonglong * 5]
    found.describe.restype = ctypes.c_char_p
    return found


@functools.cache
def description():
    """The output of gp_tune --describe."""
    return json.loads(library().describe())


def primitives():
    """Their families by name, in the library's order."""
    return description()["primitives"]


def type_sizes():
    return description()["types"]


@functools.cache
def having(what):
    """The primitives with this property: a word of tools/gp_primitives.h."""
    return tuple(name for name in primitives() if what in description()["cells"][name]["has"])


@functools.cache
def served():
    """{primitive without a search of its own: the one whose search serves it}; both run the same kernels."""
    return {name: cell["searched"] for name, cell in description()["cells"].items() if cell["searched"]}


Measures = collections.namedtuple("Measures", "sizes bytes degree text group")


@functools.cache
def measures(cell):
    """None: not a cell of this library's primitives and types (a user's kernel, for example)."""
    text, numbers = ctypes.create_string_buffer(MOST), (ctypes.c_ulonglong * 5)()
    if not library().cell_measure(cell.all_words().encode(), text, MOST, numbers):
        return None
    sizes = tuple(numbers[:3])
    return Measures(sizes, numbers[3], numbers[4], text.value.decode(), f"{cell.primitive} {'/'.join(map(str, sizes))}")


class Cell(collections.namedtuple("Cell", "primitive op in_ acc out n protocol words", defaults=("",))):
    """Types by name. words: the primitive's own, in the order of cells.c."""
    __slots__ = ()

    def word(self, name):
        return dict(word.split("=", 1) for word in self.words.split()).get(name, "")

    @property
    def folds(self):
        return self.primitive in having("folds")

    def all_words(self):
        parts = [self.primitive, self.op, self.in_, f"acc={self.acc}" if self.acc else "",
                 f"out={self.out}" if self.out else "", self.words, f"n={self.n}", f"protocol={self.protocol}"]
        return " ".join(part for part in parts if part)

    @property
    def text(self):
        """The cell's canonical text."""
        return measures(self).text

    @property
    def degree(self):
        """For graphs: capacity of the lists, and edges a vertex."""
        return measures(self).degree

    @property
    def sizes(self):
        """Bytes of an element of input, accumulator and output, as rows name them; 0: none. Graphs: bytes of an offset
        and of a vertex's number, and the class of the mean degree."""
        return measures(self).sizes

    @property
    def group(self):
        return measures(self).group

    @property
    def bytes(self):
        return measures(self).bytes

    @property
    def log2(self):
        """The header's measure of size, by which it chooses rows."""
        return self.bytes.bit_length() - 1


fields_of_cell = operator.itemgetter("primitive", "op", "in", "acc", "out", "n", "protocol")


def cell_of(sample):
    return Cell(*fields_of_cell(sample), sample.get("words", ""))


def is_known(cell):
    """Whether it is a primitive on types of this library, in the grammar of its cells (users' kernels are not)."""
    return measures(cell) is not None


def read(text):
    """(Cell, its canonical text) of a cell as people write it: sizes with K, M, G; bytes= for n=; no protocol for cold
    (graphs: back_to_back). ValueError says what is wrong."""
    answer = ctypes.create_string_buffer(MOST)
    good = library().cell_key(text.encode(), answer, MOST)
    said = answer.value.decode(errors="replace")
    if not good:
        raise ValueError(said)
    key = json.loads(said)
    return cell_of(key), key["text"]
