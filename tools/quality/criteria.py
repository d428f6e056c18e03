"""The paper's criteria of a kernel and of a primitive: pure functions of counters (metrics.counters_of).

Each criterion is a number in [0, 1], 1 is best, or None where a counter is missing ("NO DATA"): a counter that was not
read is no zero. `as_printed` computes Section III to the letter, `as_meant` what its words ask for; DEFAULT says which
of the two counts, and WHY explains it.
"""
from collections import namedtuple

from tools.quality.metrics import ISSUE_LANES

NAMES = {"OC": "occupancy", "LB": "load balancing", "WE": "warp efficiency", "SO": "synchronisation",
         "IO": "instruction optimisation", "MH": "memory hierarchy", "MC": "memory coalescing", "DT": "data transfer"}
WEIGHTS = {"OC": 30, "LB": 30, "WE": 15, "SO": 10, "IO": 70, "MH": 100, "MC": 100, "DT": 50}  # caption of Table III
IN_PRINTED_QM = ("OC", "LB", "WE", "IO", "MH", "MC", "DT")  # the formula of Section III.I leaves SO out
DEFAULT = {"OC": "meant", "LB": "printed", "WE": "meant", "SO": "meant", "IO": "printed", "MH": "meant",
           "MC": "printed", "DT": "meant"}
WHY = {
    "OC": "The printed register ratio is upside down and rounded down to 0, shared memory has no term, and the blocks "
          "are the maximum of two limits. Meant: blocks that fit by registers, shared memory, threads and block slots, "
          "the minimum of them, and the grid's share of the device.",
    "LB": "The formula is the mean of active over possible warps. It can be meant, but does not tell an even small "
          "load from an uneven one. Beside it: the mean multiprocessor's warps over the busiest one's.",
    "WE": "Threads over warps launched is the block size's remainder, not divergence, and up to 32. Meant: threads "
          "that execute an instruction, of 32.",
    "SO": "The printed sum grows with overhead, while 1 shall be best. Meant: 1 less the sum. The weights W1 and W2 "
          "are not printed: one half each.",
    "IO": "Printed: 1 less the arithmetic instructions over what the device issues in the kernel's time. A slower "
          "kernel scores higher, so read it beside the time.",
    "MH": "Instructions of warps count a bulk copy of kilobytes as nothing, and spills as a fast memory. Meant: bytes "
          "by shared memory over bytes by shared memory and between multiprocessors and L2.",
    "MC": "Printed, in bytes: DRAM's bytes over time over its bandwidth. Data that L2 holds scores low.",
    "DT": "The printed terms add up to one half at best, where each copy overlaps or none exists. Meant: 1 less the "
          "copied bytes that nothing hides, over all bytes.",
}

# ---- occupancy, from the launch alone

# threads, blocks, registers and shared bytes of a multiprocessor; shared memory's unit, and bytes of a block that the
# driver keeps (CUDA C++ Programming Guide, technical specifications by compute capability).
Limits = namedtuple("Limits", "threads blocks registers shared shared_unit reserved")
LIMITS = {75: Limits(1024, 16, 65536, 64 << 10, 256, 0), 80: Limits(2048, 32, 65536, 164 << 10, 128, 1024),
          86: Limits(1536, 16, 65536, 100 << 10, 128, 1024), 87: Limits(1536, 16, 65536, 164 << 10, 128, 1024),
          89: Limits(1536, 24, 65536, 100 << 10, 128, 1024), 90: Limits(2048, 32, 65536, 228 << 10, 128, 1024),
          100: Limits(2048, 32, 65536, 228 << 10, 128, 1024), 103: Limits(2048, 32, 65536, 228 << 10, 128, 1024),
          110: Limits(1536, 24, 65536, 228 << 10, 128, 1024), 120: Limits(1536, 24, 65536, 100 << 10, 128, 1024),
          121: Limits(1536, 24, 65536, 100 << 10, 128, 1024)}


def round_up(number, unit):
    return -(-number // unit) * unit


def resident_blocks(limits, registers, shared, block):
    """{limit: blocks of a multiprocessor that it allows}."""
    warps = round_up(block, 32) // 32
    # A scheduler owns a quarter of the registers, in units of 256 for a warp.
    by_registers = 4 * (limits.registers // 4 // round_up(32 * max(registers, 1), 256)) // warps
    by_shared = limits.shared // round_up(shared + limits.reserved, limits.shared_unit) \
        if shared + limits.reserved else limits.blocks
    return {"threads": limits.threads // (32 * warps), "block slots": limits.blocks, "registers": int(by_registers),
            "shared memory": int(by_shared)}


def occupancy(capability, registers, shared, block, grid, multiprocessors):
    """(OC as meant, the limit that decides) of a launch; (None, reason) if something is unknown."""
    limits = LIMITS.get(capability)
    if limits is None:
        return None, f"no limits known for compute capability {capability}"
    if None in (registers, shared, block, grid, multiprocessors) or not block or not multiprocessors:
        return None, "the launch is not known"
    blocks = resident_blocks(limits, int(registers), int(shared), int(block))
    limit = min(blocks, key=blocks.get)
    threads = round_up(int(block), 32)
    of_grid = grid * threads / (multiprocessors * limits.threads)
    of_multiprocessor = blocks[limit] * threads / limits.threads
    return (of_grid, "grid") if of_grid < of_multiprocessor else (min(1.0, of_multiprocessor), limit)


def printed_occupancy(capability, registers, block, grid, multiprocessors):
    """Section III.A to the letter: registers upside down and floored, a maximum of block limits, no shared memory."""
    limits = LIMITS.get(capability)
    if limits is None or None in (registers, block, grid, multiprocessors) or not block or not multiprocessors:
        return None
    threads = round_up(int(block), 32)
    by_registers = int(block / 32 * round_up(32 * int(registers), 256)) // limits.registers
    by_blocks = max(limits.blocks, limits.threads // threads)
    return min(by_registers, by_blocks, grid * threads / (multiprocessors * limits.threads), 1)


# ---- the criteria of a kernel


def clamp(x):
    return None if x is None else min(1.0, max(0.0, x))


def ratio(a, b):
    return None if a is None or b is None or b <= 0 else a / b


def total(counters, *keys):
    """The sum; None if one is missing."""
    values = [counters.get(key) for key in keys]
    return None if None in values else sum(values)


def shared_bytes(c):
    return total(c, "static_shared", "dynamic_shared")


def less(x):
    return None if x is None else 1 - x


def arithmetic(c):
    """Arithmetic thread instructions over what the device issues in the kernel's cycles."""
    cycles, multiprocessors = c.get("cycles"), c.get("multiprocessors")
    possible = None if None in (cycles, multiprocessors) else cycles * multiprocessors * ISSUE_LANES
    return ratio(total(c, "int_instructions", "sp_instructions", "dp_instructions"), possible)


def sync_overhead(c, w1=0.5, w2=0.5):
    """W1 x share of stalls at barriers + W2 x share of the call between kernels."""
    barrier, gap = c.get("barrier"), c.get("gap")
    return None if None in (barrier, gap) else w1 * barrier + w2 * gap


def transfer(c):
    """(printed, meant) DT of `problem_bytes`, `copied_bytes` and `overlapped_bytes`, the bytes of copies that kernels
    hide."""
    problem, copied, hidden = c.get("problem_bytes"), c.get("copied_bytes"), c.get("overlapped_bytes")
    if None in (problem, copied, hidden) or problem + copied <= 0:
        return None, None
    return 0.5 + (hidden - copied) / (problem + copied), 1 - (copied - hidden) / (problem + copied)


def as_printed(c):
    launched = ratio(c.get("threads"), c.get("warps"))
    fast = total(c, "texture_loads", "shared_loads", "shared_stores", "local_loads", "local_stores")
    slow = total(c, "global_loads", "global_stores")
    return {
        "OC": clamp(printed_occupancy(c.get("capability"), c.get("registers"), c.get("block"), c.get("grid"),
                                      c.get("multiprocessors"))),
        "LB": clamp(c.get("active_warps")),
        "WE": clamp(None if launched is None else launched / 32),
        "SO": clamp(sync_overhead(c)),
        "IO": clamp(less(arithmetic(c))),
        "MH": clamp(ratio(fast, None if None in (fast, slow) else fast + slow)),
        "MC": clamp(c.get("dram_share")),
        "DT": clamp(transfer(c)[0]),
    }


def as_meant(c):
    threads = c.get("threads_per_instruction")
    wavefronts, moved = c.get("shared_wavefronts"), total(c, "l2_to_sm_bytes", "sm_to_l2_bytes")
    fast = None if wavefronts is None else 128 * wavefronts
    return {
        "OC": clamp(occupancy(c.get("capability"), c.get("registers"), shared_bytes(c), c.get("block"), c.get("grid"),
                              c.get("multiprocessors"))[0]),
        "LB": clamp(ratio(c.get("warps_mean"), c.get("warps_most"))),
        "WE": clamp(None if threads is None else threads / 32),
        "SO": clamp(less(sync_overhead(c))),
        "IO": clamp(less(arithmetic(c))),
        "MH": clamp(ratio(fast, None if None in (fast, moved) else fast + moved)),
        "MC": clamp(c.get("dram_share")),
        "DT": clamp(transfer(c)[1]),
    }


def criteria(c):
    """The defaults of a kernel's counters."""
    both = {"printed": as_printed(c), "meant": as_meant(c)}
    return {name: both[DEFAULT[name]][name] for name in NAMES}


# ---- quality


def quality(values, weights=None, names=tuple(NAMES)):
    """(QM, the criteria without data). QM is the weighted mean over the criteria that have data; None if none has.
    `names=IN_PRINTED_QM`: as printed, without SO."""
    weights = weights or WEIGHTS
    there = [name for name in names if values.get(name) is not None]
    missing = [name for name in names if values.get(name) is None]
    weight = sum(weights[name] for name in there)
    return (sum(weights[name] * values[name] for name in there) / weight if weight > 0 else None), missing


def of_primitive(kernels, of=criteria):
    """A primitive's criteria: the kernels' mean, weighted by their times. None where one of the kernels, or its time,
    has no data, and for no kernels at all."""
    times = [kernel.get("nanoseconds") for kernel in kernels]
    values = [of(kernel) for kernel in kernels]
    if not kernels or None in times or sum(times) <= 0:
        return values[0] if len(kernels) == 1 else dict.fromkeys(NAMES)
    return {name: None if any(value[name] is None for value in values)
            else sum(time * value[name] for time, value in zip(times, values)) / sum(times) for name in NAMES}


def gap_between(kernels, call_us):
    """The share of a call's time in which none of its kernels runs. One kernel has no gap; None if unknown."""
    times = [kernel.get("nanoseconds") for kernel in kernels]
    if len(kernels) == 1:
        return 0.0
    if not kernels or None in times or not call_us:
        return None
    return clamp(1 - sum(times) / 1e3 / call_us)
