"""Messages name the caller's own words: calls every function of the header from a context to a stream with each
argument bad in turn. The message begins with the function's name and continues with a parameter of its prototype.
Functions, parameters and the table of in-place calls are read from the header."""
import ctypes
import re

import numpy as np
import pytest

from gpuprims_ctypes import (HEADER, LIBRARY, OPERATORS, RESULT_NAMES, TYPES, Aggregate, Axes, Call, Column, Context,
                             Field, Graph, Layout, Permutation, Segments)

with open(HEADER, encoding="utf-8") as file:
    TEXT = file.read()
FUNCTIONS = {name: [re.match(r"(.*?)(\w+)$", one).groups() for one in re.split(r",\s*", arguments.strip())]
             for name, arguments in re.findall(r"GP__API gp_result (gp_\w+)\(([^)]*gp_stream stream)\);", TEXT)
             if arguments.strip().startswith("gp_context *ctx,") and name not in ("gp_run", "gp_reserve")}
MEMBERS = {field.rstrip("_") for field, *_ in Call._fields_}
WORDS = {"in", "out", "end", "op", "begin", "keys", "count", "length", "fields", "flags", "source", "sources", "step",
         "target", "limit", "transform", "equal", "segments", "bins", "channels", "active", "bad", "graph", "policy",
         "statistics", "fault", "init", "primitive", "permutation", "value", "start", "scalar", "rows",
         "lower", "upper", "seed", "k", "n", "struct_size"}  # members that messages also use as words

COUNT, SEGMENTS = 10, 2
OPS = {"gp_transform": "NEGATE", "gp_transform_if": "NEGATE", "gp_adjacent_difference": "SUB"}
ROOM = 4096
# Host memory of any alignment, or a buffer of bytes, which needs no alignment.
UNALIGNED = {"value", "new_value", "start", "step", "init", "scalar", "lower", "upper", "permutation", "to", "graph",
             "relabelled", "segments", "aggregates", "axes", "columns"}
APART = {("gp_convert_layout", "from"), ("gp_bfs_sources", "sources")}  # host memory too
BYTES = {("gp_bfs_sources", "sources"), ("gp_convert_layout", "in"), ("gp_convert_layout", "out"), ("gp_any", "out"),
         ("gp_all", "out"), ("gp_equal_arrays", "out"), ("gp_is_partitioned", "out"), ("gp_contains", "out")}
ANY_NUMBER = {("gp_shuffle", "seed"), ("gp_shift", "by"), ("gp_check_offsets", "count")}
# Pointers that may be missing, by the header's comments.
OPTIONAL = {(None, "init"), (None, "start"), (None, "step"), (None, "end"), (None, "parents"),
            (None, "components"), (None, "order"), (None, "numbers"),
            ("gp_bfs_sources", "depths"), ("gp_bfs_sources", "reached"), ("gp_graph_from_edges", "bad"),
            ("gp_graph_from_edges", "targets"), ("gp_reduce_by_key", "out_keys"), ("gp_group_by", "out_keys"),
            ("gp_run_length_encode", "out_keys"), ("gp_run_length_encode", "lengths"), ("gp_argsort", "out_keys"),
            ("gp_segmented_sort_pairs", "values"), ("gp_merge_sort_pairs", "values"), ("gp_top_k", "values"),
            ("gp_argsort_axis", "out_keys"), ("gp_top_k_axis", "out_keys"), ("gp_top_k_axis", "out_indices"),
            ("gp_top_k", "out_keys"), ("gp_top_k_rows", "out_keys"), ("gp_top_k_rows", "out_indices"),
            ("gp_group_by_many", "out_keys"), ("gp_distinct", "out"), (None, "out_probe"), (None, "out_build"),
            *(("gp_segmented_top_k", name) for name in ("out_keys", "out_indices")),
            ("gp_histogram_even", "lower"), ("gp_histogram_even", "upper"), ("gp_shuffle", "in")}


class Arguments:
    """Good arguments of a function, by the names of its parameters."""

    def __init__(self, name):
        self.name, self.keep, self.parameters = name, [], FUNCTIONS[name][1:-1]
        self.values = {parameter: self.good(type_.strip(), parameter) for type_, parameter in self.parameters}
        if name == "gp_graph_from_edges":
            self.values["graph"] = self.graph(edges=COUNT)

    def array(self, values=None):
        buffer = np.zeros(ROOM // 4 + 4, np.uint32)
        buffer = buffer[-buffer.ctypes.data % 16 // 4:]
        if values is not None:
            buffer[:len(values)] = values
        self.keep.append(buffer)
        return buffer.ctypes.data

    def graph(self, edges=3):
        graph = Graph(3, edges, TYPES["u32"], TYPES["u32"], self.array([0, 1, 2, 3]), self.array([1, 2, 0]),
                      self.array([0, 1, 2, 3]) if "transpose" in self.name else None,
                      self.array([2, 0, 1]) if "transpose" in self.name else None, 0)
        self.keep.append(graph)
        return ctypes.addressof(graph)

    def structure(self, value):
        self.keep.append(value)
        return ctypes.addressof(value)

    def good(self, type_, parameter):
        if type_ == "gp_type":
            return TYPES["u32"]
        if type_ == "gp_op":
            return (OPERATORS["LESS"] if parameter in ("predicate", "less") else
                    0 if parameter in ("equal", "transform") else OPERATORS[OPS.get(self.name, "SUM")])
        if type_.startswith("const gp_graph"):
            return self.graph()
        if type_.startswith("const gp_permutation"):
            return self.structure(Permutation(2, (0, 1, 0, 0), (2, 5)))
        if type_.startswith("const gp_axes"):
            out = {"gp_reduce_axis": (1, 0), "gp_top_k_axis": (3, 1)}.get(self.name, (5, 1))
            return self.structure(Axes(2, 1, (2, 5), (5, 1), out))
        if type_.startswith("const gp_segments"):
            return self.structure(Segments(TYPES["u32"], self.array([0, 4, 10]), None, SEGMENTS))
        if type_.startswith("const gp_aggregate"):
            return self.structure(Aggregate(1, TYPES["u32"], self.array(), self.array(), 0))
        if type_.startswith("const gp_column"):
            return self.structure(Column(TYPES["u32"], 0, self.array(), self.array()))
        if type_.startswith("const gp_layout"):
            fields = (Field * 1)(Field(0, 4))
            self.keep.append(fields)
            return self.structure(Layout(1, 4, fields, 1, 0, None))
        if "*" in type_:
            return self.array({"begin": [0, 4, 10], "offsets": [0, 4, 10], "end": [4, 10], "boundaries": range(5),
                               "upper": [100], "scalar": [5], "depths": [0, 1, 2], "parents": [0, 0, 1],
                               "sources": [0]}.get(parameter))
        return {"count": 1 if self.name == "gp_bfs_sources" else COUNT, "count2": COUNT, "segments": SEGMENTS,
                "count_a": COUNT, "count_b": COUNT, "out_elements": COUNT, "from_elements": COUNT,
                "build_count": COUNT, "probe_count": COUNT, "capacity": COUNT, "aggregate_count": 1,
                "column_count": 1,
                "runs": SEGMENTS, "sorted_count": 5, "bins": 4, "k": 3, "n": 3, "rows": 2, "columns": 5,
                "batch": 1}.get(parameter, 0)

    def call(self, host, **changes):
        """The result's name, and the message of an error."""
        values = {**self.values, **changes}
        result = getattr(host.library, self.name)(values.pop("ctx", host.handle), *values.values(), None)
        return RESULT_NAMES[result], host.library.gp_last_message().decode() if result else ""


def check_message(name, message):
    parameters = {parameter for _, parameter in FUNCTIONS[name]}
    told = re.match(rf"{name}: (\w+)", message)
    assert told, f"{name}: the message does not begin with the function's name: {message}"
    assert told.group(1) in parameters, f"{name} has no parameter {told.group(1)}: {message}"
    strange = (MEMBERS - WORDS - parameters) & set(re.findall(r"(?<![.>\w])\w+", message))
    assert not strange, f"{name} has no parameter {strange}: {message}"
    assert not re.search(r"[\x00-\x08@]", message), message


def expect(host, arguments, changes, *names):
    result, message = arguments.call(host, **changes)
    what = f"{arguments.name} with {changes}: {result} {message}"
    assert result in names, what
    check_message(arguments.name, message)
    return message


every_function = pytest.mark.parametrize("name", FUNCTIONS)


@every_function
def test_good_arguments(host, name):
    arguments = Arguments(name)
    assert arguments.call(host) == ("GP_SUCCESS", "")


@every_function
def test_context(host, name):
    for context in (None, 4096):
        expect(host, Arguments(name), {"ctx": context}, "GP_E_CONTEXT")


@every_function
@pytest.mark.turn
def test_types_and_operators(host, name):
    arguments = Arguments(name)
    for type_, parameter in arguments.parameters:
        for bad in (99, -3):
            if type_.strip() == "gp_type":
                assert re.match(rf"{name}: {parameter}\b", expect(host, arguments, {parameter: bad}, "GP_E_TYPE"))
            if type_.strip() == "gp_op":
                assert re.match(rf"{name}: {parameter}\b", expect(host, arguments, {parameter: bad}, "GP_E_OPERATOR"))
        if type_.strip() == "gp_op" and parameter not in ("equal", "less", "transform"):
            expect(host, arguments, {parameter: 0}, "GP_E_OPERATOR")
            expect(host, arguments, {parameter: OPERATORS["HEADS"]}, "GP_E_OPERATOR")
        # any other combination is either accepted or refused by name
        for other in (0, *(TYPES[t] for t in ("u8", "i32", "u64", "f16", "f64"))):
            if type_.strip() == "gp_type":
                result, message = arguments.call(host, **{parameter: other})
                if result != "GP_SUCCESS":
                    check_message(name, message)
        for op in range(OPERATORS["HEADS"] + 2):
            if type_.strip() == "gp_op":
                result, message = arguments.call(host, **{parameter: op})
                if result != "GP_SUCCESS":
                    check_message(name, message)


def pointers(arguments):
    return [(type_, parameter) for type_, parameter in arguments.parameters if "*" in type_]


@every_function
def test_null(host, name):
    arguments = Arguments(name)
    for _, parameter in pointers(arguments):
        result, message = arguments.call(host, **{parameter: None})
        if (name, parameter) in OPTIONAL or (None, parameter) in OPTIONAL:
            assert result == "GP_SUCCESS", (name, parameter, result, message)
            continue
        assert result == "GP_E_NULL", (name, parameter, result, message)
        check_message(name, message)
        assert re.match(rf"{name}: {parameter}\b", message), message


@every_function
def test_alignment(host, name):
    arguments = Arguments(name)
    for _, parameter in pointers(arguments):
        result, message = arguments.call(host, **{parameter: arguments.values[parameter] + 1})
        if parameter in UNALIGNED or (name, parameter) in BYTES | APART:
            if not (parameter in ("graph", "relabelled", "from", "to", "permutation", "segments", "aggregates",
                                  "axes", "columns")):
                assert result == "GP_SUCCESS" or result == "GP_E_ARGUMENT", (name, parameter, result, message)
            continue
        assert result == "GP_E_ALIGNMENT", (name, parameter, result, message)
        check_message(name, message)
        assert re.match(rf"{name}: {parameter}\b", message), message


@every_function
def test_sizes(host, name):
    """Numbers beyond all bounds, and unknown flags."""
    arguments = Arguments(name)
    for type_, parameter in arguments.parameters:
        if type_.strip() not in ("uint64_t", "int") or (name, parameter) in ANY_NUMBER:
            continue
        for bad in (2**64 - 1, 2**63, 2**62) if type_.strip() == "uint64_t" else (1 << 30,):
            message = expect(host, arguments, {parameter: bad}, "GP_E_SIZE", "GP_E_ARGUMENT", "GP_E_OVERLAP")
            assert re.search(rf"\b{parameter}\b|: \d+ elements of|overlap", message), message


@every_function
def test_count_zero(host, name):
    """An empty call is not an error, and needs no memory except for results that are always written."""
    arguments = Arguments(name)
    if "count" not in arguments.values:
        return
    zero = {"count": 0, **{n: 0 for n in ("count2", "k", "n") if n in arguments.values}}
    if "segments" in arguments.values:
        by_number = name in ("gp_load_balance", "gp_check_offsets", "gp_expand")
        zero["segments"] = 0 if by_number else arguments.structure(Segments(TYPES["u32"], None, None, 0))
    result, message = arguments.call(host, **zero)
    assert result == "GP_SUCCESS", message


# The rows of the header's table of in-place calls: functions, and pairs of parameters.
IN_PLACE = {
    "copy": {"gp_copy": {("in", "out")}},
    "reverse": {"gp_reverse": {("in", "out")}},
    "transform, replace_if": {
        "gp_transform": {("in", "out")}, "gp_transform2": {("a", "out"), ("b", "out")},
        "gp_transform_if": {("in", "out")}, "gp_gather_flags": {("flags", "out")},
        "gp_replace_if": {("in", "out")}},
    "reduce": {"gp_reduce": set()},
    "scan, by key or of segments": {
        f"gp_{which}": {("in", "out"), ("values", "out_values")} for kind in ("inclusive", "exclusive")
        for which in (f"{kind}_scan", f"{kind}_scan_by_key", f"segmented_{kind}_scan")},
    "select, unique": {"gp_select_if": {("in", "out")}, "gp_select_flags": {("in", "out")},
                       "gp_select_stencil": {("in", "out")},
                       "gp_unique": {("in", "out")},
                       "gp_unique_by_key": {("values", "out_values"), ("keys", "out_keys")}},
    "sorts: radix, merge, by segments": {
        f"gp_{which}": {("keys", "out_keys"), ("values", "out_values")}
        for which in ("sort_keys", "sort_pairs", "argsort", "merge_sort_keys", "merge_sort_pairs",
                      "segmented_sort_keys", "segmented_sort_pairs")},
    "sort_columns": {"gp_sort_columns": {("keys", "out_keys")}},
    "group by": {"gp_group_by": {("values", "out_values")}},
    "transpose": {name: {("in", "out")} for name in ("gp_transpose", "gp_transpose_batched", "gp_permute")},
    "convert_layout": {"gp_convert_layout": {("in", "out")}},
    "row_map, scan_axis, sort_axis": {
        "gp_row_map": {("in", "out")}, "gp_scan_axis": {("in", "out")}, "gp_sort_axis": {("keys", "out_keys")},
        "gp_argsort_axis": {("keys", "out_keys")}},
    "others": {},
}


def test_rows_of_the_table():
    table = re.search(r"// +In place +\| call +\|.*?\n(.*?)// +Alignment", TEXT, re.S).group(1)
    rows, row = [], ""
    for cell, may in re.findall(r"\|(.*?)\|(.*?)\|.*?\|\n", table):
        if cell.startswith("   "):
            row += " " + cell.strip()
            continue
        rows.append(row)
        row = cell.strip()
    rows.append(row)
    assert {row.strip() for row in rows[1:]} == set(IN_PLACE)


@every_function
def test_overlap(host, name):
    """Every output over every other buffer: at its beginning, and some bytes later."""
    allowed = {pair for row in IN_PLACE.values() for function, pairs in row.items() if function == name
               for pair in pairs}
    arguments = Arguments(name)
    buffers = [(type_, parameter) for type_, parameter in pointers(arguments)
               if parameter not in UNALIGNED and (name, parameter) not in APART]
    for out_type, out in buffers:
        if out_type.strip().startswith("const"):
            continue
        for _, other in buffers:
            if other == out:
                continue
            result, message = arguments.call(host, **{out: arguments.values[other]})
            if (other, out) in allowed or (out, other) in allowed:
                assert result == "GP_SUCCESS", (name, out, other, message)
            else:
                assert result == "GP_E_OVERLAP", (name, out, other, result)
                check_message(name, message)
                assert {other, out} <= set(re.findall(r"\w+", message)), message


# Room for results whose number depends on the data, by the header's comments. Another buffer may begin right after that
# room, not before.
ROOM_OF = {"gp_select_if": ("out", COUNT), "gp_select_flags": ("out", COUNT),
           "gp_select_stencil": ("out", COUNT), "gp_unique": ("out", COUNT),
           "gp_unique_by_key": ("out_values", COUNT), "gp_reduce_by_key": ("out_values", COUNT),
           "gp_group_by": ("out_values", COUNT), "gp_group_by_many": ("out_keys", COUNT),
           "gp_distinct": ("out", COUNT), "gp_inner_join": ("out_build", COUNT), "gp_semi_join": ("out_probe", COUNT),
           "gp_run_length_encode": ("lengths", COUNT), "gp_nontrivial_runs": ("lengths", COUNT // 2),
           "gp_set_union": ("out_keys", 2 * COUNT), "gp_set_intersection": ("out_keys", COUNT),
           "gp_set_difference": ("out_keys", COUNT), "gp_set_symmetric_difference": ("out_keys", 2 * COUNT),
           "gp_partition": ("rejected", 1), "gp_partition_flags": ("selected", 1)}


@pytest.mark.parametrize("name", ROOM_OF)
def test_room_for_results(host, name):
    assert "Overlap is judged by that room" in TEXT and "its beginning is judged" in TEXT
    out, room = ROOM_OF[name]
    count = "out_counts" if "partition" in name else "out_count"
    arguments = Arguments(name)
    end = arguments.values[out] + 8 * ((4 * room + 7) // 8)
    for where, expected in ((end, "GP_SUCCESS"), (end - 8, "GP_E_OVERLAP")):
        result, message = arguments.call(host, **{count: where})
        assert result == expected, (name, where - end, result, message)


def test_layouts_without_a_capacity(host):
    """GP_SOA in one buffer has a capacity; other widths and columns have none, by the struct's comment."""
    assert re.search(r"capacity; +// GP_SOA in one buffer.*?Otherwise 0.*?with columns, GP_E_ARGUMENT", TEXT, re.S)
    arguments = Arguments("gp_convert_layout")
    fields = (Field * 1)(Field(0, 4))
    columns = (ctypes.c_void_p * 1)(arguments.array())
    for width, capacity, by_columns, expected in (
            (0, 0, False, "GP_SUCCESS"), (0, COUNT + 6, False, "GP_SUCCESS"), (0, COUNT - 1, False, "GP_E_ARGUMENT"),
            (0, 0, True, "GP_SUCCESS"), (0, COUNT, True, "GP_E_ARGUMENT"), (1, COUNT, False, "GP_E_ARGUMENT"),
            (16, COUNT, False, "GP_E_ARGUMENT"), (1, 0, True, "GP_E_ARGUMENT")):
        layout = Layout(width, 4, fields, 1, capacity, columns if by_columns else None)
        changes = {"to": ctypes.addressof(layout), **({"out": None} if by_columns else {})}
        result, message = arguments.call(host, **changes)
        assert result == expected, (width, capacity, by_columns, result, message)
        if result != "GP_SUCCESS":
            assert re.match(r"gp_convert_layout: to: (capacity|columns) ", message), message


# ---- functions without a stream

OTHERS = {
    name: [re.match(r"(.*?)(\w+)$", one).groups() for one in re.split(r",\s*", arguments.strip())]
    for name, arguments in re.findall(r"GP__API gp_result (gp_\w+)\(([^)]*)\);", TEXT)
    if name not in FUNCTIONS and name not in ("gp_run", "gp_prepared_run") and
    not name.startswith(("gp_tuner_", "gp_world_", "gp_external_"))}
MAY_BE_NULL = {("gp_open", "config"), ("gp_reserve", "stream"), ("gp_compile", "user"), ("gp_edges_parse", "name"),
               ("gp_kernel_origin", "name"), ("gp_warm", "name")}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.turn
def test_null_of_functions_without_a_stream(name):
    """Each pointer missing in turn, the others present."""
    room = [np.zeros(64, np.uint64) for _ in range(8)]
    plain = ctypes.CDLL(LIBRARY)  # without the types of arguments
    with Context() as context:
        call = Call(primitive=1, in_type=TYPES["u32"], in_=room[6].ctypes.data, out=room[7].ctypes.data, count=3)
        own = {"ctx": context.handle, "call": ctypes.addressof(call)}
        pointers_ = [p for type_, p in OTHERS[name] if "*" in type_ or p in ("stream", "take")]
        for missing in pointers_:
            if (name, missing) in MAY_BE_NULL or (name, missing) == ("gp_open", "ctx"):
                continue
            values = [ctypes.c_void_p(None) if p == missing else own[p] if p in own else ctypes.c_void_p(a.ctypes.data)
                      if p in pointers_ else ctypes.c_uint64(90) for a, (_, p) in zip(room, OTHERS[name])]
            result = getattr(plain, name)(*values)
            message = context.library.gp_last_message().decode()
            assert RESULT_NAMES[result] == ("GP_E_CONTEXT" if missing == "ctx" else "GP_E_NULL"), (missing, message)
            assert re.match(rf"{name}: {missing} is null", message), message
        if name == "gp_open":
            assert RESULT_NAMES[context.library.gp_open(None, None)] == "GP_E_NULL"
            assert context.library.gp_last_message().decode() == "gp_open: ctx is null"


# ---- parameter names in the messages of wrappers

WRAPPERS = TEXT[TEXT.index(" - calls by name"):]
OF_SEGMENTS = "".join(re.findall(
    '"(.*?)"', re.search(r"define GP__SEGMENT_NAMES(.*?[^\\])\n", WRAPPERS, re.S)[1]))
NAMED = re.findall(r'stream\)?,\s*"(gp_\w+(?: [\w.\[\]]+=[\w.]+)*)"', re.sub(
    r'"\s*\n\s*"', "", re.sub(r'" GP__SEGMENT_NAMES', OF_SEGMENTS + '"', WRAPPERS)))


def test_names_are_parameters():
    said = {}
    for text in NAMED:
        name, *pairs = text.split(" ")
        if name.startswith("gp_world_"):  # tests/world/
            continue
        said[name] = dict(pair.split("=") for pair in pairs)
    assert set(said) == set(FUNCTIONS)
    for name, pairs in said.items():
        parameters = {parameter for _, parameter in FUNCTIONS[name]}
        for member, parameter in pairs.items():
            assert re.match(r"\w+", member).group() in MEMBERS, (name, member)
            assert re.match(r"\w+", parameter).group() in parameters, (name, member, parameter)


def test_gp_run_names_members(host):
    def message_of(**fields):
        call = Call(**fields)
        assert host.library.gp_run(host.handle, ctypes.byref(call), None)
        return host.library.gp_last_message().decode()

    arguments = Arguments("gp_partition")
    less, u32 = OPERATORS["LESS"], TYPES["u32"]
    primitives = {n: int(i) for n, i in re.findall(r"X\((\w+), (\d+), \w+\) ", re.search(
        r"#define GP_PRIMITIVES\(X\).*?\n\n", TEXT, re.S).group())}
    common = dict(primitive=primitives["PARTITION"], op=less, in_type=u32, count=3, in_=arguments.array(),
                  scalar=arguments.array(), out_count=arguments.array())
    assert message_of(**common, out2=arguments.array()) == "gp_partition: out is null"
    assert message_of(**common, out=arguments.array()) == "gp_partition: out2 (the second part) is null"
    with Context() as other:  # a name with the mark in it stays unchanged
        op = other.operator("a@out", lambda r, a, b: None, arity=1)
        with pytest.raises(Exception, match=r'operator "a@out" is unary, not binary'):
            other.call("gp_reduce", op, "u32", "u32", arguments.array(), 3, arguments.array())
