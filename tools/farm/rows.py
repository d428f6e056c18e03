"""Rows: the sum of all decisions.

Decisions are applied in the order of their runs. An accepted one takes its bucket from the existing rows; a removed one
leaves it to the header's rule; rejected and kept ones change nothing. So a row stays until a decision says otherwise,
however often the group is tuned.
"""
import collections

from tools.farm import store

MOST_ROWS = 4  # of a group in one scope
LARGE = 26     # log2 of bytes far above caches: from here on the best policy stays the best

# scope: a device's name, class:NAME or portable. It serves calls of 2^log2_from bytes or more, less than 2^log2_to.
# boards: the GPUs that confirmed it.
Row = collections.namedtuple("Row", "scope group log2_from log2_to policy provenance boards", defaults=(frozenset(),))


def serves(row, log2):
    return row.log2_from <= log2 < row.log2_to


def edge(below, above):
    """The boundary between the buckets of a size and of the next larger one: halfway, rounded up."""
    return (below + above + 1) // 2


def bucket(sizes, first, last):
    """The range for the measured sizes first to last (positions in `sizes`, ascending logarithms). A large last size
    also stands for all larger ones; otherwise for itself: a policy that is best at 16 MiB was half as fast as the
    header's rule at 1 GiB."""
    if last + 1 < len(sizes):
        end = edge(sizes[last], sizes[last + 1])
    else:
        end = 64 if sizes[last] >= LARGE else sizes[last] + 1
    return edge(sizes[first - 1], sizes[first]) if first > 0 else 0, end


def cut(rows, log2_from, log2_to):
    """The rows, less a range of sizes."""
    left = []
    for row in rows:
        left += [row._replace(log2_from=start, log2_to=end)
                 for start, end in ((row.log2_from, min(row.log2_to, log2_from)),
                                    (max(row.log2_from, log2_to), row.log2_to)) if start < end]
    return left


def put(rows, row):
    return sorted(cut(rows, row.log2_from, row.log2_to) + [row], key=lambda row: row.log2_from)


def gain_text(gain, low, high):
    return f"{100 * gain:+.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def provenance(decision):
    return (f"{decision['scope']}, {decision['date'][:10]}: "
            f"{gain_text(decision['gain'], decision['low'], decision['high'])}, {decision['pairs']} pairs")


def row_of(decision):
    return Row(decision["scope"], decision["group"], decision["log2_from"], decision["log2_to"], decision["policy"],
               provenance(decision), frozenset(decision.get("boards", ())))


def in_force(decisions):
    """Each decision once, in the order of the runs, without those that a later look at the same group of a run
    replaced."""
    replaced = {(name, decision["env"], decision["group"]) for decision in decisions for name in decision["replaces"]}
    kept = {store.dump(decision): decision for decision in decisions
            if (decision["id"], decision["env"], decision["group"]) not in replaced}
    return sorted(kept.values(), key=lambda decision: (decision["date"], decision["env"], decision["group"],
                                                       decision["log2_from"], decision["id"]))


def apply(rows, decisions):
    """A group's rows after some decisions."""
    for decision in decisions:
        if decision["verdict"] == "accepted":
            rows = put(rows, row_of(decision))
        elif decision["verdict"] == "removed":
            rows = cut(rows, decision["log2_from"], decision["log2_to"])
    return rows


def fold(decisions):
    """{(scope, group): rows}, sorted by size."""
    rows = {}
    for decision in in_force(decisions):
        place = decision["scope"], decision["group"]
        rows[place] = apply(rows.get(place, []), [decision])
    return {place: found for place, found in rows.items() if found}


def decisions_of(stores):
    return [decision for a_store in stores for decision in a_store.of("decision")]


def policy_at(standing, log2):
    """The policy's text of the row that serves a size; None without one."""
    return next((store.policy_text(row.policy) for row in standing if serves(row, log2)), None)


def same_policy(row, text):
    return store.policy_text(row.policy) == text


def lookup(rows, classes, device, capability, group, log2, valid=lambda policy: True):
    """(source, row) for a call, in the header's order: exact device, compute capability, class, portable row; None for
    the header's built-in rule. classes: (name, device). The header is compiled for one table; this takes any stores'
    rows, and tests/farm/test_table.py compares both for every call."""
    scopes = [("device", {device}), ("capability", {f"sm_{capability}"}),
              ("class", {f"class:{name}" for name, member in classes if member == device}), ("portable", {"portable"})]
    for source, names in scopes:
        fitting = [row for row in rows if row.scope in names and row.group == group and serves(row, log2) and
                   valid(row.policy)]
        if fitting:
            return source, max(fitting, key=lambda row: row.log2_from)
    return "portable", None
