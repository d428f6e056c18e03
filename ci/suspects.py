"""Suspects of a regression: the commits between base and head that changed what ran.

What ran is the machine code of the cell's kernels, on the header's policy for the device and on the policies of both
sides; if those differ, also the device's rows of the table. In a linear history (first parents), halving finds every
commit that changes this, except changes that were reverted in between.
"""
import collections
import hashlib
import re

from ci import machine_code, steps
from tools.farm import regress

# commit: its whole name; title: the first line of its message; what: its change.
Suspect = collections.namedtuple("Suspect", "commit title what")
MOST = 10  # suspects of a first call
LIBRARY = ("gpuprims.h", "gpuprims_policies.h")


def commits_between(repository, base, head):
    """The commits after the base up to the head that touched the library, oldest first."""
    names = steps.git(repository, "rev-list", "--first-parent", "--reverse", f"{base}..{head}", "--", *LIBRARY)
    return names.split()


def rows_of(repository, commit, device, primitive):
    """The text of a commit's rows in the table for a device's primitive."""
    data = steps.file_at(repository, commit, "gpuprims_policies.h") or b""
    text = re.sub(r"\\\n", "\n", data.decode(errors="replace"))
    quoted = re.escape(f'ROW("{device}", GP_{primitive.upper()},')
    return re.findall(rf"{quoted}[^\"]*", re.sub(r"\s+", " ", text))


class Prints:
    """The part of a commit that a cell's time depends on; computed once a commit."""

    def __init__(self, repository, jobs, device, primitive, chosen, command):
        self.repository, self.jobs, self.command = repository, jobs, command
        self.device, self.primitive, self.chosen, self.known = device, primitive, chosen, {}
        self.why = ""  # a reason why something did not compile
        self.good = set()

    def of(self, commit):
        if commit not in self.known:
            tree = regress.tree_of_commit(commit, self.repository)
            codes = machine_code.codes_of(tree, self.jobs, self.command, self.device)
            if any(code.status == "ok" for code in codes.values()):
                self.good.add(commit)
            self.why = next((code.message for code in codes.values() if code.message), self.why)
            parts = {f"machine code of {job.policy}": f"{code.code or code.status}" for job, code in codes.items()}
            if self.chosen:
                rows = rows_of(self.repository, commit, self.device, self.primitive)
                parts["rows of the table"] = hashlib.sha256("".join(rows).encode()).hexdigest()[:16]
            self.known[commit] = parts
        return self.known[commit]


    def compiled(self, commit):
        self.of(commit)
        return commit in self.good


def changes(commits, prints):
    """Positions of commits whose print differs from their predecessor's; commits[0] is the base."""
    found, left = [], [(0, len(commits) - 1)]
    while left:
        low, high = left.pop()
        if high <= low or prints.of(commits[low]) == prints.of(commits[high]):
            continue
        if high - low == 1:
            found.append(high)
        else:
            middle = (low + high) // 2
            left += [(low, middle), (middle, high)]
    return sorted(found)


def of_first_calls(repository, commits):
    """Commits that changed the compiler's input, the whole header; first those that made it longer by most."""
    sizes = [len(steps.file_at(repository, commit, "gpuprims.h") or b"") for commit in commits]
    grown = sorted(((after - before, commit) for before, after, commit in zip(sizes, sizes[1:], commits[1:])),
                   key=lambda one: -one[0])
    titles = {commit: steps.git(repository, "log", "-1", "--format=%s", commit) for _, commit in grown[:MOST]}
    found = [Suspect(commit, titles[commit], f"gpuprims.h: {more:+d} bytes") for more, commit in grown[:MOST]]
    return found, f"the compiler reads the whole header in a first call; {len(grown)} commits touched the library"


def find(repository, base, head, device, cell, capability, policies, command=None):
    """(suspects, a sentence). cell: its text; policies: those of base and head, as texts ("" if unknown)."""
    if steps.git(repository, "cat-file", "-e", f"{base}^{{commit}}", check=False) is None or \
            steps.git(repository, "cat-file", "-e", f"{head}^{{commit}}", check=False) is None:
        return [], f"{base} or {head} is not a commit of this repository: nothing to search"
    chosen = policies[0] != policies[1]
    jobs = [machine_code.Job(cell, capability, policy) for policy in dict.fromkeys(["default", *policies]) if policy]
    base = steps.git(repository, "rev-parse", f"{base}^{{commit}}")
    commits = [base, *commits_between(repository, base, head)]
    if len(commits) == 1:
        return [], "no commit between base and head touched the library: look at the machine"
    if cell.endswith("protocol=first_call"):
        return of_first_calls(repository, commits)
    prints = Prints(repository, jobs, device, cell.split()[0], chosen, command)
    if not any(prints.compiled(commit) for commit in (commits[0], commits[-1])):
        return [], f"the machine code cannot be compiled here: {prints.why or 'there is no NVRTC'}"
    suspects = []
    for position in changes(commits, prints):
        before, after = prints.of(commits[position - 1]), prints.of(commits[position])
        what = ", ".join(name for name in after if before.get(name) != after[name])
        title = steps.git(repository, "log", "-1", "--format=%s", commits[position])
        suspects.append(Suspect(commits[position], title, what))
    if suspects:
        return suspects, f"{len(suspects)} of {len(commits) - 1} commits that touched the library changed what ran"
    return [], (f"none of {len(commits) - 1} commits that touched the library changed the machine code: look at the "
                "host's part of the call, and at the machine")
