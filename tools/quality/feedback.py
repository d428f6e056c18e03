"""What holds a primitive back: the criterion with the most weighted quality to gain, in words, and beside a peer."""
from tools.quality import criteria
from tools.quality.criteria import NAMES, WEIGHTS

USUAL = {
    "OC": "Fewer registers (launch bounds, fewer elements a thread), a smaller tile in shared memory, or more blocks.",
    "LB": "More, smaller tiles than the device holds at once; tiles from a ticket; segments split by elements.",
    "WE": "Branches that whole warps take; short segments gathered in one warp; a tail handled by one predicated loop.",
    "SO": "Warp shuffles in place of barriers, fewer phases a tile, warp-specialised copies; fewer kernels a call.",
    "IO": "Wider loads, index arithmetic out of the loop, 32-bit indices, constants as template arguments.",
    "MH": "Tiles kept in shared memory or registers between phases; a fused second pass; no spills.",
    "MC": "Neighbouring lanes on neighbouring words, 16-byte loads, more bytes in flight (stages, elements a thread).",
    "DT": "Results that stay on the device; copies in a second stream while kernels run.",
}
STALLS = {"barrier": "wait at barriers", "long_scoreboard": "wait for L2 or DRAM",
          "short_scoreboard": "wait for shared memory", "mio_throttle": "wait for the queue of shared memory",
          "lg_throttle": "wait for the queue of global memory", "math_pipe_throttle": "wait for an arithmetic unit",
          "wait": "wait a fixed latency", "not_selected": "were ready while another warp issued",
          "no_instruction": "wait for instructions", "branch_resolving": "wait for a branch",
          "membar": "wait for a memory fence", "drain": "drain stores at the end", "gmma": "wait for tensor cores"}


def percent(x):
    return f"{100 * x:.0f} %"


def gains(values, weights=None):
    """[(weight to gain, criterion)], the largest first; criteria without data are left out."""
    weights = weights or WEIGHTS
    return sorted(((weights[name] * (1 - value), name) for name, value in values.items() if value is not None),
                  key=lambda pair: (-pair[0], pair[1]))


def stall_words(c):
    """ "72 % of the warps' cycles wait at barriers", or "". """
    stalls = {name: share for name, share in c.get("stalls", {}).items() if name != "selected"}
    if not stalls:
        return ""
    worst = max(stalls, key=stalls.get)
    return f"{percent(stalls[worst])} of the warps' cycles {STALLS.get(worst, 'stall by ' + worst)}"


def numbers(name, c):
    """The counters behind a kernel's criterion, in words."""
    words = []
    if name == "OC":
        value, limit = criteria.occupancy(c.get("capability"), c.get("registers"), criteria.shared_bytes(c),
                                          c.get("block"), c.get("grid"), c.get("multiprocessors"))
        if value is not None:
            words.append(f"the {limit} limits the launch ({c['registers']:.0f} registers, {c['block']:.0f} threads, "
                         f"{criteria.shared_bytes(c):.0f} bytes of shared memory, {c['grid']:.0f} blocks)")
        if c.get("achieved") is not None:
            words.append(f"{percent(c['achieved'])} of the warp slots are held while a multiprocessor works")
    elif name == "LB" and c.get("active_warps") is not None:
        words.append(f"{percent(c['active_warps'])} of all warp slots are held")
        even = criteria.ratio(c.get("warps_mean"), c.get("warps_most"))
        if even is not None:
            words.append(f"the mean multiprocessor holds {percent(even)} of the busiest one's warps")
    elif name == "WE" and c.get("threads_per_instruction") is not None:
        words.append(f"{c['threads_per_instruction']:.1f} of 32 threads execute an instruction")
    elif name == "SO":
        if c.get("barrier") is not None:
            words.append(f"{percent(c['barrier'])} of the warps' cycles wait at barriers")
        if c.get("gap"):
            words.append(f"no kernel runs in {percent(c['gap'])} of the call")
    elif name == "IO" and criteria.arithmetic(c) is not None:
        words.append(f"arithmetic takes {percent(criteria.arithmetic(c))} of the issue slots")
    elif name == "MH" and None not in (c.get("shared_wavefronts"), criteria.total(c, "l2_to_sm_bytes",
                                                                                    "sm_to_l2_bytes")):
        moved = criteria.total(c, "l2_to_sm_bytes", "sm_to_l2_bytes")
        words.append(f"{128 * c['shared_wavefronts'] / 1e6:.1f} MB pass shared memory, {moved / 1e6:.1f} MB L2")
    elif name == "MC" and c.get("dram_share") is not None:
        words.append(f"DRAM works at {percent(c['dram_share'])} of its bandwidth")
        if c.get("load_sectors"):
            words.append(f"a load takes {c['load_sectors']:.1f} sectors")
        if c.get("l2_hits") is not None:
            words.append(f"L2 hits {percent(c['l2_hits'])}")
        words += [stall_words(c)] if stall_words(c) else []
    return "; ".join(words)


def advise(values, c, weights=None):
    """What to look at first in a kernel with these criteria and counters."""
    ranked = gains(values, weights)
    if not ranked:
        return "no data"
    gain, name = ranked[0]
    if gain <= 0:
        return "every criterion is at 1"
    weight = (weights or WEIGHTS)[name]
    text = f"{NAMES[name]} ({name} {values[name]:.2f}) has the most to gain ({gain:.0f} of {weight})"
    words = numbers(name, c)
    return f"{text}: {words + '. ' if words else ''}{USUAL[name]}"


def compare(ours, peer, library):
    """Ours beside a peer, criterion by criterion."""
    parts = []
    for name in NAMES:
        a, b = ours.get(name), peer.get(name)
        if a is None or b is None:
            continue
        parts.append(f"{name} {a - b:+.2f}")
    return f"less {library}'s: {', '.join(parts)}" if parts else f"{library}: no common data"
