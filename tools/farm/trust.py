"""Why a store is trusted, in words: its origin, whether clocks were seen and steady, the throttled share, the number of
processes.

    python3 -m tools.farm trust STORE...

This adds no rules: for everybody, decide.py excludes throttled and failed samples, and asks for at least three
processes and for more gain when processes vary. `checks` are the store's own lines about this.
"""
import argparse
import collections

from tools.farm import evidence, store

THROTTLED, UNSTEADY = 0.1, 0.05  # readers should look twice beyond these shares
UNSEEN = "clocks were not seen: neither throttling nor boost can be told from noise"


class Trust:
    """About one run of a store."""

    def __init__(self, a_store, environments):
        self.device, self.source = environments[0]["device"], environments[0]["source"]
        self.seen = all(one["clocks"] == "yes" for one in environments)
        names = {one["id"] for one in environments}
        self.env = environments[0]["id"]
        samples = [one for one in a_store.of("samples") if one["env"] in names]
        confirming = [one for one in samples if one["phase"] in ("confirm", "regress")]
        self.samples = len(samples)
        self.throttled = sum(bool(one["throttle"] & evidence.SLOWED) for one in samples)
        self.pairs = len({one["process"] for one in confirming})
        clocks = [mhz for one in confirming if not one["throttle"] & evidence.SLOWED
                  for mhz in one.get("sm_mhz", ()) if mhz]
        self.low, self.high = (min(clocks), max(clocks)) if clocks else (0, 0)
        self.failed = [one for one in a_store.of("check") if one["env"] in names and not one["passed"]]

    @property
    def share(self):
        return self.throttled / self.samples if self.samples else 0.0

    @property
    def spread(self):
        return 1 - self.low / self.high if self.high else None

    def checks(self):
        """Lines of the store."""
        values = [("throttled", self.share, THROTTLED)] if self.seen else []
        values += [("clocks", self.spread, UNSTEADY)] if self.spread is not None else []
        return [{"kind": "check", "v": store.VERSION, "env": self.env, "name": name, "group": "",
                 "passed": value <= limit, "value": round(value, 4), "limit": limit} for name, value, limit in values]

    def lines(self):
        yield f"{self.device}: {self.samples} samples, {self.source}; {self.pairs} processes confirm"
        if not self.seen:
            yield UNSEEN
        elif self.high:
            steady = "steady" if self.spread <= UNSTEADY else "not steady: not locked, or the power limit held it back"
            yield f"SM clock {self.low:g} to {self.high:g} MHz while confirming, {steady}"
        if self.throttled:
            yield f"throttled and left out: {self.throttled} samples ({100 * self.share:.1f} %)"
        for name, count in sorted(collections.Counter(one["name"] for one in self.failed).items()):
            yield f"failed self-check {name}: {count}"


def of(a_store):
    """[Trust] of a store's devices."""
    devices = {}
    for one in a_store.of("environment"):
        devices.setdefault(one["device"], {}).setdefault(one["id"], one)
    return [Trust(a_store, list(environments.values())) for environments in devices.values()]


def main(argv):
    parser = argparse.ArgumentParser(prog="python3 -m tools.farm trust", description="what of a store is trusted")
    parser.add_argument("stores", nargs="*")
    for a_store in store.read_all(store.named(parser.parse_args(argv).stores)):
        print(a_store.path)
        for one in of(a_store):
            print("".join(f"  {line}\n" for line in one.lines()), end="")
    return 0
