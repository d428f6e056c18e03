"""tools/same_code.py's verdicts, on a fake compiler."""
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from ci import machine_code, steps  # noqa: E402
from tools import same_code  # noqa: E402

JOB = machine_code.Job("copy u32 n=256 protocol=cold", 90, "default")


def ok(*kernels, policy="threads=256"):
    return machine_code.Code("ok", "", "", kernels, policy)


def verdicts(monkeypatch, base, head):
    """The verdict when base and head compile to these codes, one for each number of declarations in front."""
    answers = {"base": base, "head": head}

    def codes(tree, jobs, device, move=0):
        of_tree = answers[tree]
        at = (0, *same_code.MOVES).index(move)
        return {job: of_tree[min(at, len(of_tree) - 1)] for job in jobs}

    monkeypatch.setattr(same_code, "codes", codes)
    return [line.outcome for line in same_code.compare("base", "head", [JOB], "")]


def test_verdicts(monkeypatch):
    refused, broken = machine_code.Code("invalid", "", "no such call"), machine_code.Code("compile", "", "error")
    for outcome, base, head in (
            (["same", "same"], [ok("1", "2")], [ok("1", "2")]),
            (["same", "changed"], [ok("1", "2")], [ok("1", "3")]),
            (["changed"], [ok("1", "2")], [ok("1")]),
            (["policy"], [ok("1")], [ok("1", policy="threads=128")]),
            (["gone"], [ok("1")], [broken]), (["gone"], [broken], [broken]), (["new"], [refused], [ok("1")]),
            ([], [refused], [refused]),
            (["same"], [ok("1"), ok("3")], [ok("2"), ok("3")]),  # base once had the tree's code
            (["unsteady"], [ok("1"), ok("3")], [ok("2")]),
            (["changed"], [ok("1")], [ok("2"), ok("3")])):
        assert verdicts(monkeypatch, base, head) == outcome, (base, head)


def test_a_base_compiles_the_policies_of_the_tree(monkeypatch):
    def codes(tree, jobs, device, move=0):
        own = {"base": "threads=256", "head": "threads=128"}[tree]
        return {job: ok("code of " + (own if job.policy == "default" else job.policy),
                        policy=own if job.policy == "default" else job.policy) for job in jobs}

    monkeypatch.setattr(same_code, "codes", codes)
    assert [line.outcome for line in same_code.compare("base", "head", [JOB], "")] == ["policy"]
    assert [line.outcome for line in same_code.compare("base", "head", [JOB], "", policies=True)] == ["same"]


def test_a_header_that_does_not_compile(monkeypatch):
    with pytest.raises(steps.CannotRun):
        verdicts(monkeypatch, [ok("1")], [machine_code.Code("unbuilt", "", "error: no")])


def test_each_primitive_has_its_turn():
    few = same_code.cells(same_code.TYPES, same_code.FEW_SIZES, True)
    whole = same_code.cells(("u32",), (20,), False)
    assert {cell.split()[0] for _, cell in few} == {cell.split()[0] for _, cell in whole}
