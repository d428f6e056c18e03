"""gpuprims.raw offers what the header declares, as tools/docs.py reads it from the parts: functions, enumerators with
their values, structs with their members."""
import os
import re
import sys

import gpuprims as gp
import pytest
from gpuprims import errors, raw

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import docs  # noqa: E402

ITEMS = [item for page in docs.pages() if page.name != "tile" for item in page.items()]


def functions():
    names = {item.name for item in ITEMS if item.kind == "function"}
    return sorted(name for name in names if name.startswith("gp_"))


def enumerators():
    return {name: int(row[2]) for item in ITEMS if item.kind == "enum" for row in item.rows for name in row[1]
            if row[2] and not name.endswith("_COUNT")}


def test_there_are_many():
    assert len(functions()) > 100 and len(enumerators()) > 200


@pytest.mark.parametrize("name", functions())
def test_function(name):
    assert callable(getattr(raw, name))
    item = next(item for item in ITEMS if item.name == name)
    code = item.code if isinstance(item.code, str) else "\n".join(item.code)
    found = re.search(rf"\b{name}\s*\(([^)]*)\)", code)
    if found and found.group(1) not in ("", "void") and not code.startswith("GP__INIT"):
        assert len(raw.ffi.typeof(getattr(raw.lib, name)).args) == len(found.group(1).split(","))


def test_enumerators():
    assert {name: getattr(raw, name) for name in enumerators()} == enumerators()


def test_structs():
    structs = [item for item in ITEMS if item.kind == "struct" and item.rows]
    assert len(structs) > 15
    for item in structs:
        members = [name for row in item.rows for name in row[1]]
        there = dict(raw.ffi.typeof("struct gp_bundle" if item.name == "gp_bundle" else item.name).fields)
        assert set(members) == set(there), item.name


def test_macros():
    assert raw.GPUPRIMS_VERSION == gp.__version__ == re.search(
        r'GPUPRIMS_VERSION "(.*)"', open(os.path.join(ROOT, "gpuprims.h"), encoding="utf-8").read()).group(1)
    assert raw.gp_version() == 10000 * raw.GPUPRIMS_VERSION_MAJOR + 100 * raw.GPUPRIMS_VERSION_MINOR + \
        raw.GPUPRIMS_VERSION_PATCH
    assert raw.GP_TRANSPOSED == 2**63 and raw.GP_ANY_LAYOUT == 2**63 - 1


def test_names_that_are_not_there():
    for name in ("gp_nothing", "GP_NOTHING", "nothing"):
        with pytest.raises(AttributeError, match=name):
            getattr(raw, name)
    assert not any(name.startswith(("gp__", "GPUPRIMS__")) for name in dir(raw))
    assert {"gp_reduce", "GP_SUM"} <= set(dir(raw))


def test_a_class_for_each_result():
    results = {name for name in enumerators() if name.startswith("GP_E_")}
    assert set(errors.CLASSES) == results
    for one in errors.CLASSES.values():
        assert issubclass(one, gp.GpuprimsError)


def test_an_error_has_its_class_and_message():
    context = raw.ffi.new("gp_context **")
    config = raw.ffi.new("gp_config *", raw.gp_config_init())
    config.backend = raw.GP_BACKEND_HOST
    assert raw.gp_open(config, context) is None
    with pytest.raises(errors.NullError, match="^gp_reduce: in is null$") as caught:
        raw.gp_reduce(context[0], raw.GP_SUM, raw.GP_F32, raw.GP_F32, raw.ffi.NULL, 5, raw.ffi.new("float *"),
                      raw.ffi.NULL)
    assert caught.value.result == raw.GP_E_NULL and isinstance(caught.value, ValueError)
    assert raw.gp_close(context[0]) is None
    with pytest.raises(errors.ContextError):
        raw.gp_close(context[0])


def test_a_call_of_the_c_api():
    ffi = raw.ffi
    context = ffi.new("gp_context **")
    config = ffi.new("gp_config *", raw.gp_config_init())
    config.backend = raw.GP_BACKEND_HOST
    raw.gp_open(config, context)
    values, total = ffi.new("int32_t[]", list(range(10))), ffi.new("int64_t *")
    call = ffi.new("gp_call *", raw.gp_call_init(raw.GP_REDUCE))
    call.op, call.in_type, call.out_type, call.count, call.out = raw.GP_SUM, raw.GP_I32, raw.GP_I64, 10, total
    setattr(call, "in", values)
    raw.gp_run(context[0], call, ffi.NULL)
    assert total[0] == 45
    described = ffi.new("gp_input *", raw.gp_input_strided(raw.GP_I32, values, 3))
    raw.gp_reduce(context[0], raw.GP_SUM, raw.GP_INPUT, raw.GP_I64, described, 4, total, ffi.NULL)
    assert total[0] == 0 + 3 + 6 + 9
    assert raw.gp_type_name(ffi.NULL, raw.GP_F32) == "f32" and raw.gp_type_name(ffi.NULL, 12345) is None
    assert raw.gp_type_size(ffi.NULL, raw.GP_F64) == 8 and raw.gp_result_name(raw.GP_E_NULL) == "GP_E_NULL"
    raw.gp_close(context[0])
