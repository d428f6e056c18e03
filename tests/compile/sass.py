"""Runs the machine code of small CUDA kernels without a GPU: one thread a lane, each lane on data of its own.

A kernel takes two pointers, (const void *in, void *out), and is one thread. nvdisasm provides its text. Registers are
NumPy arrays of one 32-bit word a lane. An unknown instruction, modifier or operand raises Unknown with its text. Only
instructions without effect on values are skipped (NOP, reconvergence barriers).

The semantics follow the instructions' use. Negation before an addition is the complement and a carry of one, as carries
show. A comparison with .EX continues that of the lower words. A minimum of a minimum is VIMNMX3. Floats: moves, sums,
products and comparisons of f32 only where NumPy rounds as the machine does (no fused multiply-add).
"""
import functools
import re
import struct

import numpy as np

U32, U64 = np.uint32, np.uint64
IN, OUT = 0x7F0100000000, 0x7F0200000000  # the addresses of the two buffers: 64-bit, with zeros below
LIMIT = 20000  # instructions: a longer kernel hangs


class Unknown(Exception):
    """The interpreter cannot run this correctly."""


# ---- a cubin's parts -------------------------------------------------------------------------------------------------


def sections(cubin):
    """{name: bytes} of an ELF file of 64 bits."""
    offset, = struct.unpack_from("<Q", cubin, 0x28)
    size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    rows = [struct.unpack_from("<IIQQQQ", cubin, offset + i * size) for i in range(count)]
    base = rows[names][4]

    def name(row):
        start = base + row[0]
        return cubin[start:cubin.index(b"\0", start)].decode()

    return {name(row): cubin[row[4]:row[4] + row[5]] for row in rows if row[1] != 8}  # (8: no bits in the file)


LINE = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s*(.*?)\s*;")


def kernels(disassembly):
    """{kernel: [(address, text)]} and the addresses of its labels, from nvdisasm's text."""
    found, code, labels, waiting = {}, None, None, []
    for line in disassembly.splitlines():
        if line.startswith("\t.section\t"):
            name = line.split()[1].split(",")[0]
            code, labels, waiting = None, None, []
            if name.startswith(".text."):
                code, labels = [], {}
                found[name[len(".text."):]] = code, labels
            continue
        if code is None:
            continue
        at = LINE.match(line)
        if at:
            address = int(at[1], 16)
            for label in waiting:
                labels[label] = len(code)
            waiting = []
            code.append((address, at[2]))
        elif line.startswith(".L_") and line.rstrip().endswith(":"):
            waiting.append(line.strip().rstrip(":"))
    return found


# ---- operands --------------------------------------------------------------------------------------------------------

REGISTER = re.compile(r"^([-~]?)(\|?)(U?R)(\d+|Z)(\.64|\.H0_H0|\.H1_H1)?(\|?)$")
PREDICATE = re.compile(r"^(!?)(U?P)(\d|T)$")
CONSTANT = re.compile(r"^([-~]?)c\[(0x[0-9a-f]+)\]\[(0x[0-9a-f]+)\]$")
NUMBER = re.compile(r"^([-~]?)(0x[0-9a-f]+|\d+)$")


def word(x):
    return np.array([x & 0xFFFFFFFF], U32)


ZERO, ONE, TRUE, FALSE = word(0), word(1), np.array([True]), np.array([False])


def is_predicate(text):
    return PREDICATE.match(text) is not None


def register(text):
    """The machine's name for a register: ("R", 5)."""
    at = REGISTER.match(text)
    if not at or at[1] or at[2] or at[5] not in (None, ".64"):
        raise Unknown(f"destination {text}")
    return at[3], at[4]


def next_register(name, by=1):
    return name if name[1] == "Z" else (name[0], str(int(name[1]) + by))


def predicate(text):
    """A function of the machine: a Boolean a lane."""
    at = PREDICATE.match(text)
    if not at:
        raise Unknown(f"predicate {text}")
    if at[3] == "T":
        value = FALSE if at[1] else TRUE
        return lambda m: value
    name = at[2] + at[3]
    return (lambda m: ~m.predicates[name]) if at[1] else (lambda m: m.predicates[name])


def raw(text, part=0):
    """(A function of the machine: word `part` of an operand, without its sign; the sign: "", "-", "~" or "|")."""
    at = REGISTER.match("RZ" if text == "SRZ" else text)
    if at:
        if at[5] not in (None, ".64"):
            raise Unknown(f"operand {text}")
        if bool(at[2]) != bool(at[6]):
            raise Unknown(f"operand {text}")
        sign = at[1] + ("|" if at[2] else "")
        if at[4] == "Z":
            return (lambda m: ZERO), sign
        name = next_register((at[3], at[4]), part)
        return (lambda m: m.registers[name]), sign
    at = CONSTANT.match(text)
    if at:
        bank, offset = int(at[2], 16), int(at[3], 16) + 4 * part
        return (lambda m: m.constant(bank, offset)), at[1]
    at = NUMBER.match(text)
    if at:
        number = int(at[2], 0)
        if at[1]:  # the disassembler's spelling of a number
            number = -number if at[1] == "-" else ~number
        value = word(number >> 32 * part)
        return (lambda m: value), ""
    raise Unknown(f"operand {text}")


def plain(text, part=0):
    get, sign = raw(text, part)
    if sign == "":
        return get
    if sign == "-" and part == 0:
        return lambda m: ~get(m) + ONE
    if sign == "~":
        return lambda m: ~get(m)
    raise Unknown(f"operand {text}")


def addend(text):
    """A term of a sum with carries: (its word, the addition to it)."""
    get, sign = raw(text)
    if sign == "":
        return get, 0
    if sign == "-":
        return (lambda m: ~get(m)), 1
    if sign == "~":
        return (lambda m: ~get(m)), 0
    raise Unknown(f"operand {text}")


def wide(text):
    """An operand of 64 bits."""
    (low, sign), (high, _) = raw(text), raw(text, 1)
    if sign not in ("", "-"):
        raise Unknown(f"operand {text}")
    both = lambda m: low(m).astype(U64) | high(m).astype(U64) << U64(32)  # noqa: E731
    return (lambda m: ~both(m) + U64(1)) if sign else both


def f32(text):
    at = REGISTER.match(text)
    if at and at[5] is None:
        get, sign = raw(text.replace("|", "").lstrip("-"))
        magnitude, negative = bool(at[2]), at[1] == "-"
        if at[1] == "~":
            raise Unknown(f"operand {text}")

        def value(m):
            bits = get(m)
            bits = bits & U32(0x7FFFFFFF) if magnitude else bits
            return (bits ^ U32(0x80000000) if negative else bits).view(np.float32)

        return value
    try:
        constant = np.array([float({"+INF": "inf", "-INF": "-inf"}.get(text, text))], np.float32)
    except ValueError as error:
        raise Unknown(f"operand {text}") from error
    return lambda m: constant


def signed(x):
    return x.view(np.int32)


def low(x):
    return (x & U64(0xFFFFFFFF)).astype(U32)


def high(x):
    return (x >> U64(32)).astype(U32)


# ---- instructions: functions of (modifiers, operands) that return a function of the machine and the running lanes ----


def split(operands):
    """Predicates before, values, predicates after."""
    first = 0
    while first < len(operands) and is_predicate(operands[first]):
        first += 1
    last = len(operands)
    while last > first and is_predicate(operands[last - 1]):
        last -= 1
    return operands[:first], operands[first:last], operands[last:]


def to_predicate(text):
    at = PREDICATE.match(text)
    if not at or at[1]:
        raise Unknown(f"destination {text}")
    return None if at[3] == "T" else at[2] + at[3]


def only(modifiers, *known):
    for modifier in modifiers:
        if modifier not in known:
            raise Unknown(f"modifier .{modifier}")


def write(name, value):
    """value: a function of the machine that returns a word."""
    return lambda m, lanes: m.write(name, value(m), lanes)


def write_pair(name, value):
    after = next_register(name)

    def run(m, lanes):
        both = value(m)
        m.write(name, low(both), lanes)
        m.write(after, high(both), lanes)

    return run


def move(modifiers, o):
    if modifiers == ["64"]:
        return write_pair(register(o[0]), wide(o[1]))
    only(modifiers, "U32")
    if len(o) == 3 and o[2] != "0xf":
        raise Unknown("a mask of a move")
    return write(register(o[0]), plain(o[1]))


def load_constant(modifiers, o):
    if modifiers == ["64"]:
        return write_pair(register(o[0]), wide(o[1]))
    if modifiers == ["128"]:
        first, second = register(o[0]), CONSTANT.match(o[1])
        upper = f"c[{second[2]}][{int(second[3], 16) + 8:#x}]"
        parts = write_pair(first, wide(o[1])), write_pair(next_register(first, 2), wide(upper))
        return lambda m, lanes: [part(m, lanes) for part in parts]
    only(modifiers)
    return write(register(o[0]), plain(o[1]))


def system_register(modifiers, o):
    """An operand that is always zero, as a pair."""
    only(modifiers, "32")
    if o[1] != "SRZ":
        raise Unknown("a system register")
    return write(register(o[0]), plain(o[1])) if modifiers else write_pair(register(o[0]), wide(o[1]))


def lane_number(modifiers, o):
    """The thread is the first of its warp; there is no lower lane."""
    only(modifiers)
    if o[1] not in ("SR_LANEID", "SR_LTMASK"):
        raise Unknown("a system register")
    return write(register(o[0]), lambda m: ZERO)


def add3(modifiers, o):
    if modifiers == ["64"]:
        carries, values, _ = split(o[1:])
        if any(to_predicate(p) for p in carries) or len(carries) + len(values) != len(o) - 1:
            raise Unknown("carries")
        terms = [wide(v) for v in values]
        return write_pair(register(o[0]), lambda m: functools.reduce(np.add, [get(m) for get in terms]))
    only(modifiers, "X")
    carries_out, values, carries_in = split(o[1:])
    if not 2 <= len(values) <= 3:
        raise Unknown("number of operands")
    destination, terms = register(o[0]), [addend(v) for v in values]
    carries_in = [predicate(p) for p in carries_in]
    carries_out = [to_predicate(p) for p in carries_out]
    if carries_in and "X" not in modifiers:
        raise Unknown("a carry without .X")
    extra = sum(by for _, by in terms)
    if extra and carries_in:
        raise Unknown("a negation with a carry")

    def run(m, lanes):
        total = U64(extra)
        for get, _ in terms:
            total = total + get(m).astype(U64)
        for carry in carries_in:
            total = total + carry(m).astype(U64)
        m.write(destination, low(total), lanes)
        for i, name in enumerate(carries_out):
            m.write_predicate(name, high(total) > U32(i), lanes)

    return run


def product(a, b, is_signed):
    if is_signed:
        return (signed(a).astype(np.int64) * signed(b).astype(np.int64)).view(U64)
    return a.astype(U64) * b.astype(U64)


def multiply_add(modifiers, o):
    if modifiers[:1] in (["MOV"], ["IADD"], ["SHL"]):
        modifiers = modifiers[1:]
    only(modifiers, "U32", "WIDE", "HI", "X")
    carries_out, values, carries_in = split(o[1:])
    destination, (a, b) = register(o[0]), (plain(values[0]), plain(values[1]))
    unsigned = "U32" in modifiers
    if "WIDE" in modifiers:
        if carries_out or carries_in:
            raise Unknown("carries")
        c = wide(values[2])
        return write_pair(destination, lambda m: product(a(m), b(m), not unsigned) + c(m))
    if "HI" in modifiers:
        if values[2] not in ("RZ", "URZ") or carries_out or carries_in:
            raise Unknown("an addition to an upper half")
        return write(destination, lambda m: high(product(a(m), b(m), not unsigned)))
    c, one = addend(values[2])
    if "X" in modifiers:
        if one or len(carries_in) != 1:
            raise Unknown("carries")
        carry = predicate(carries_in[0])
    elif carries_in:
        raise Unknown("carries")
    else:
        carry = None
    names = [to_predicate(p) for p in carries_out]
    if any(names) and values[1] not in ("0x1", "RZ"):
        raise Unknown("a carry of a product")

    def run(m, lanes):
        total = low(product(a(m), b(m), False)).astype(U64) + c(m).astype(U64) + U64(one)
        if carry:
            total = total + carry(m).astype(U64)
        m.write(destination, low(total), lanes)
        for i, name in enumerate(names):
            m.write_predicate(name, high(total) > U32(i), lanes)

    return run


def logic3(modifiers, o):
    only(modifiers, "LUT")
    names, values, others = split(o)
    if len(others) != 1:
        raise Unknown("predicates")
    other = predicate(others[0])
    destination, sources, table = register(values[0]), [plain(v) for v in values[1:4]], int(values[4], 0)
    name = to_predicate(names[0]) if names else None

    def run(m, lanes):
        result = lookup(table, *(get(m) for get in sources))
        m.write(destination, result, lanes)
        m.write_predicate(name, (result != 0) | other(m), lanes)

    return run


def lookup(table, a, b, c):
    """Bit i of the table is the result where a, b, c are the bits 2, 1, 0 of i."""
    result = ZERO if a.dtype == U32 else FALSE
    for i in range(8):
        if table >> i & 1:
            result = result | ((a if i & 4 else ~a) & (b if i & 2 else ~b) & (c if i & 1 else ~c))
    return result


def predicate_logic3(modifiers, o):
    only(modifiers, "LUT")
    names, sources = [to_predicate(p) for p in o[:2]], [predicate(p) for p in o[2:5]]
    tables = [int(x, 0) for x in o[5:7]]

    def run(m, lanes):
        values = [get(m) for get in sources]
        for name, table in zip(names, tables):
            m.write_predicate(name, lookup(table, *values), lanes)

    return run


def select(modifiers, o):
    choice = predicate(o[3])
    if modifiers == ["64"]:
        a, b = wide(o[1]), wide(o[2])
        return write_pair(register(o[0]), lambda m: np.where(choice(m), a(m), b(m)))
    only(modifiers)
    a, b = plain(o[1]), plain(o[2])
    return write(register(o[0]), lambda m: np.where(choice(m), a(m), b(m)))


def select_float(modifiers, o):
    only(modifiers)
    a, b, choice = f32(o[1]), f32(o[2]), predicate(o[3])
    return write(register(o[0]), lambda m: np.where(choice(m), a(m).view(U32), b(m).view(U32)))


def permute(modifiers, o):
    only(modifiers)
    a, selector, b = plain(o[1]), plain(o[2]), plain(o[3])

    def value(m):
        x, y, s = a(m), b(m), selector(m)
        both = x.astype(U64) | y.astype(U64) << U64(32)
        result = ZERO
        for i in range(4):
            nibble = s >> U32(4 * i) & U32(15)
            byte = (both >> (nibble & U32(7)).astype(U64) * U64(8)).astype(U32) & U32(255)
            byte = np.where(nibble & U32(8), np.where(byte & U32(128), U32(255), U32(0)), byte).astype(U32)
            result = result | byte << U32(8 * i)
        return result

    return write(register(o[0]), value)


def shift(modifiers, o):
    """The lower and the upper one of the words (a, c)."""
    only(modifiers, "L", "R", "U32", "S32", "U64", "S64", "HI", "W")
    a, by, c = plain(o[1]), plain(o[2]), plain(o[3])
    left, upper = "L" in modifiers, "HI" in modifiers
    arithmetic = "S32" in modifiers or "S64" in modifiers
    words_of_64 = "U64" in modifiers or "S64" in modifiers

    def value(m):
        s = by(m)
        if "W" in modifiers:
            s = s & U32(63 if words_of_64 else 31)
        if (s >= (64 if words_of_64 else 32)).any():
            raise Unknown("a shift by more than a word")
        both = a(m).astype(U64) | c(m).astype(U64) << U64(32)
        if left:
            both = both << s.astype(U64)
        elif arithmetic:
            both = (both.view(np.int64) >> s.astype(np.int64)).view(U64)
        else:
            both = both >> s.astype(U64)
        return high(both) if upper else low(both)

    return write(register(o[0]), value)


def shifted_add(modifiers, o):
    only(modifiers, "HI", "X", "SX32")
    carries_out, values, carries_in = split(o[1:])
    carry = predicate(carries_in[0]) if "X" in modifiers else None
    if len(carries_in) != (1 if carry else 0):
        raise Unknown("carries")
    names = [to_predicate(p) for p in carries_out]
    destination, a, (b, one) = register(o[0]), plain(values[0]), addend(values[1])
    by = int(values[-1], 0)
    upper = plain(values[2]) if len(values) == 4 else None
    if ("HI" in modifiers) != (upper is not None or "SX32" in modifiers) or one and carry:
        raise Unknown("operands")

    def run(m, lanes):
        x = a(m).astype(U64)
        if "SX32" in modifiers:
            x = signed(a(m)).astype(np.int64).view(U64)
        elif upper:
            x = x | upper(m).astype(U64) << U64(32)
        x = x << U64(by)
        total = (high(x) if "HI" in modifiers else low(x)).astype(U64) + b(m).astype(U64) + U64(one)
        if carry:
            total = total + carry(m).astype(U64)
        m.write(destination, low(total), lanes)
        for i, name in enumerate(names):
            m.write_predicate(name, high(total) > U32(i), lanes)

    return run


COMPARISONS = {"LT": np.less, "GT": np.greater, "LE": np.less_equal, "GE": np.greater_equal, "EQ": np.equal,
               "NE": np.not_equal}
COMBINE = {"AND": np.logical_and, "OR": np.logical_or, "XOR": np.logical_xor}


def set_predicate(modifiers, o):
    comparison, kinds = modifiers[0], modifiers[1:]
    only(kinds, "U32", "S32", "U64", "S64", "AND", "OR", "XOR", "EX")
    compare, strict = COMPARISONS[comparison], COMPARISONS[comparison.replace("E", "T") if comparison in ("LE", "GE")
                                                           else comparison]
    combine = next(COMBINE[k] for k in kinds if k in COMBINE)
    names = [to_predicate(p) for p in o[:2]]
    both = "U64" in kinds or "S64" in kinds
    a, b = (wide(o[2]), wide(o[3])) if both else (plain(o[2]), plain(o[3]))
    view = {"U64": U64, "S64": np.int64, "U32": U32}.get(next((k for k in kinds if k[0] in "US"), ""), np.int32)
    other = predicate(o[4])
    lower = predicate(o[5]) if "EX" in kinds else None
    if len(o) != (6 if lower else 5):
        raise Unknown("number of operands")

    def run(m, lanes):
        x, y = a(m).view(view), b(m).view(view)
        if lower is None:
            result = compare(x, y)
        elif comparison == "EQ":
            result = (x == y) & lower(m)
        elif comparison == "NE":
            result = (x != y) | lower(m)
        else:
            result = strict(x, y) | (x == y) & lower(m)
        third = other(m)
        m.write_predicate(names[0], combine(result, third), lanes)
        m.write_predicate(names[1], combine(~result, third), lanes)

    return run


def halves(x, kind):
    return x.astype(U32).view(kind).reshape(-1, 2)


def extreme_operands(o):
    """Predicates of the result, before or after it; values, the result first; the choice."""
    before, values, _ = split(o)
    after, sources, choices = split(o[len(before) + 1:])
    return before + after, values[:1] + sources, [choice.replace("UPT", "PT") for choice in choices]


def extreme(modifiers, o):
    """Minimum (PT) or maximum (!PT) of two or three; of both halves of a word; of pairs of registers."""
    names, values, choices = extreme_operands(o)
    if any(to_predicate(p) for p in names) or len({*choices[1:]} - {"!PT"}) or choices[0] not in ("PT", "!PT"):
        raise Unknown("predicates")
    only(modifiers, "U32", "S32", "U64", "S64", "U16x2", "S16x2")
    kind = modifiers[0] if modifiers else "S32"
    choose = np.minimum if choices[0] == "PT" else np.maximum
    destination = register(values[0])
    if kind in ("U64", "S64"):
        view = U64 if kind == "U64" else np.int64
        sources = [wide(v) for v in values[1:]]
        return write_pair(destination, lambda m: functools.reduce(choose, [x(m).view(view) for x in sources]).view(U64))
    sources = [plain(v) for v in values[1:]]
    if kind in ("U16x2", "S16x2"):
        if any(raw(v)[1] for v in values[1:]):
            raise Unknown("a sign of halves")
        view = np.uint16 if kind == "U16x2" else np.int16

        def pairs(m):
            result = functools.reduce(choose, [halves(x(m), view) for x in sources])
            return np.ascontiguousarray(result).view(U32).reshape(-1)

        return write(destination, pairs)
    view = U32 if kind == "U32" else np.int32
    return write(destination, lambda m: functools.reduce(choose, [x(m).view(view) for x in sources]).view(U32))


def added_extreme(modifiers, o):
    """VIADDMNMX: the extreme of a + b and c."""
    only(modifiers, "U32")
    names, values, choices = extreme_operands(o)
    if any(to_predicate(p) for p in names) or len(choices) != 1 or choices[0] not in ("PT", "!PT") or len(values) != 4:
        raise Unknown("operands")
    a, b, c = (plain(v) for v in values[1:])
    choose, view = np.minimum if choices[0] == "PT" else np.maximum, U32 if modifiers else np.int32
    return write(register(values[0]), lambda m: choose((a(m) + b(m)).view(view), c(m).view(view)).view(U32))


def absolute(modifiers, o):
    only(modifiers)
    a = plain(o[1])
    return write(register(o[0]), lambda m: np.where(signed(a(m)) < 0, ~a(m) + ONE, a(m)))


def dot(modifiers, o):
    a, b, c = (plain(v) for v in o[1:4])
    if modifiers[0] == "4A":
        only(modifiers[1:], "U8", "S8")
        kinds = [np.uint8 if k == "U8" else np.int8 for k in modifiers[1:]]
        parts = lambda m: (a(m).astype(U32).view(kinds[0]).reshape(-1, 4),  # noqa: E731
                           b(m).astype(U32).view(kinds[1]).reshape(-1, 4))
    elif modifiers[0] == "2A":
        only(modifiers[1:], "LO", "HI", "U16", "S16", "U8", "S8")
        half = 2 * ("HI" in modifiers)
        kinds = [{"U16": np.uint16, "S16": np.int16, "U8": np.uint8, "S8": np.int8}[k] for k in modifiers[2:]]
        parts = lambda m: (a(m).astype(U32).view(kinds[0]).reshape(-1, 2),  # noqa: E731
                           b(m).astype(U32).view(kinds[1]).reshape(-1, 4)[:, half:half + 2])
    else:
        raise Unknown("a dot product")

    def value(m):
        x, y = parts(m)
        return low((x.astype(np.int64) * y.astype(np.int64)).sum(axis=1).view(U64) + c(m).astype(U64))

    return write(register(o[0]), value)


def sign_extend(modifiers, o):
    only(modifiers, "U32", "W")
    bits = int(o[2], 0)
    if not 0 < bits < 32:
        raise Unknown("a width")
    a, left = plain(o[1]), U32(32 - bits)
    if "U32" in modifiers:
        return write(register(o[0]), lambda m: a(m) << left >> left)
    return write(register(o[0]), lambda m: ((a(m) << left).view(np.int32) >> np.int32(32 - bits)).view(U32))


def pack_predicates(modifiers, o):
    only(modifiers)
    if o[1] != "PR":
        raise Unknown(f"operand {o[1]}")
    a, mask = plain(o[2]), word(int(o[3], 0))

    def value(m):
        bits = ZERO
        for i in range(7):
            bits = bits | m.predicates[f"P{i}"].astype(U32) << U32(i) if f"P{i}" in m.predicates else bits
        return bits & mask | a(m) & ~mask

    return write(register(o[0]), value)


def unpack_predicates(modifiers, o):
    only(modifiers)
    if o[0] != "PR":
        raise Unknown(f"operand {o[0]}")
    a, mask = plain(o[1]), int(o[2], 0)

    def run(m, lanes):
        for i in range(7):
            if mask >> i & 1:
                m.write_predicate(f"P{i}", (a(m) >> U32(i) & ONE) != 0, lanes)

    return run


def half_constant(modifiers, o):
    """0 times 0, to which a constant is added: a move, by the unit for halves."""
    only(modifiers, "MMA")
    if [o[1].lstrip("-"), o[2].lstrip("-")] != ["RZ", "RZ"] or len(o) != 5:
        raise Unknown("arithmetic of halves")
    bits = 0
    for i, text in enumerate(o[3:]):
        try:
            number = float({"+INF": "inf", "-INF": "-inf"}.get(text, text))
        except ValueError as error:
            raise Unknown(f"operand {text}") from error
        bits |= int(np.float16(number).view(np.uint16)) << (16 - 16 * i)
    value = word(bits)
    return write(register(o[0]), lambda m: value)


ADDRESS = re.compile(r"^(?:desc\[UR\d+\])?\[([^]]*)\]$")


def address(text):
    """A function of the machine: the address of a load or a store."""
    at = ADDRESS.match(text)
    if not at:
        raise Unknown(f"address {text}")
    terms, offset = [], 0
    for part in re.findall(r"[+-]?[^+-]+", at[1].replace("+-", "-")):
        part = part.lstrip("+")
        if re.match(r"^-?0x[0-9a-f]+$", part):
            offset += int(part, 16)
        else:
            terms.append(wide(part))

    def value(m):
        total = np.array([offset & (1 << 64) - 1], U64)
        for term in terms:
            total = total + term(m)
        return total

    return value


SIZES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
SILENT = ("E", "SYS", "CONSTANT", "STRONG", "GPU", "EF", "EL")


def access(modifiers):
    only(modifiers, *SIZES, *SILENT)
    return next((m for m in modifiers if m in SIZES), "32")


def load(modifiers, o):
    kind, place, destination = access(modifiers), address(o[1]), register(o[0])
    size = SIZES.get(kind, 4)

    def run(m, lanes):
        bytes_ = m.read(place(m), size, lanes)
        if size < 4:
            view = {"U8": np.uint8, "S8": np.int8, "U16": np.uint16, "S16": np.int16}[kind]
            values = [bytes_.view(view).reshape(-1).astype(np.int32).view(U32)]
        else:
            values = [bytes_[:, i:i + 4].copy().view(U32).reshape(-1) for i in range(0, size, 4)]
        for i, value in enumerate(values):
            m.write(next_register(destination, i), value, lanes)

    return run


def store(modifiers, o):
    kind, place = access(modifiers), address(o[0])
    size = SIZES.get(kind, 4)
    sources = [plain(o[1], i) for i in range((size + 3) // 4)]

    def run(m, lanes):
        words = np.stack([np.broadcast_to(get(m), (m.lanes,)) for get in sources], axis=1)
        m.store(place(m), np.ascontiguousarray(words).view(np.uint8)[:, :size], lanes)

    return run


def float_pair(function):
    def decode(modifiers, o):
        only(modifiers)
        a, b = f32(o[1]), f32(o[2])
        return write(register(o[0]), lambda m: function(a(m), b(m)).astype(np.float32).view(U32))

    return decode


def nothing(modifiers, o):
    return lambda m, lanes: None


INSTRUCTIONS = {
    "MOV": move, "UMOV": move, "R2UR": move, "CS2R": system_register,
    "S2R": lane_number, "S2UR": lane_number, "LDC": load_constant, "ULDC": load_constant, "LDCU": load_constant,
    "IADD3": add3, "UIADD3": add3, "IADD": add3, "VIADD": add3, "UIADD": add3, "UVIADD": add3,
    "IMAD": multiply_add, "UIMAD": multiply_add,
    "LOP3": logic3, "ULOP3": logic3, "PLOP3": predicate_logic3, "UPLOP3": predicate_logic3,
    "SEL": select, "USEL": select, "FSEL": select_float, "PRMT": permute, "UPRMT": permute, "SHF": shift, "USHF": shift,
    "LEA": shifted_add, "ULEA": shifted_add, "ISETP": set_predicate, "UISETP": set_predicate,
    "IMNMX": extreme, "UIMNMX": extreme, "VIMNMX": extreme, "UVIMNMX": extreme, "VIMNMX3": extreme,
    "VIADDMNMX": added_extreme, "IABS": absolute, "UIABS": absolute, "IDP": dot, "SGXT": sign_extend,
    "USGXT": sign_extend, "P2R": pack_predicates, "R2P": unpack_predicates, "HFMA2": half_constant,
    "FADD": float_pair(np.add), "FMUL": float_pair(np.multiply),
    "LDG": load, "STG": store, "NOP": nothing, "BMOV": nothing, "BSSY": nothing, "BSYNC": nothing, "WARPSYNC": nothing,
}


@functools.lru_cache(maxsize=None)
def decode(text):
    """(The guard or None, the instruction; a branch's label; None for an exit)."""
    words = text.replace(".reuse", "")
    guard = None
    if words.startswith("@"):
        condition, words = words[1:].split(None, 1)
        guard = predicate(condition)
    name, _, rest = words.partition(" ")
    operands = [part.strip() for part in rest.split(",")] if rest.strip() else []
    opcode, *modifiers = name.split(".")
    try:
        if opcode == "EXIT" and not modifiers and not operands:
            return guard, None
        if opcode == "BRA" and modifiers == ["U"] and len(operands) == 2 and guard is None:
            guard = predicate(operands.pop(0))
        if opcode == "BRA" and len(operands) == 1:
            only(modifiers, "U")
            return guard, operands[0].strip("`()")
        if opcode not in INSTRUCTIONS:
            raise Unknown("the instruction")
        return guard, INSTRUCTIONS[opcode](modifiers, operands)
    except Unknown as error:
        raise Unknown(f"{text}: {error}") from None
    except (IndexError, StopIteration, KeyError, ValueError) as error:
        raise Unknown(f"{text}: {error!r}") from None


class Machine:
    """The state of a kernel's lanes. `data`: the input's bytes, a row a lane; `out`: the output's, afterwards."""

    def __init__(self, data, out_bytes, constants):
        self.lanes = len(data)
        self.data, self.constants = data, constants
        self.out = np.full((self.lanes, out_bytes), 0xA5, np.uint8)
        self.registers, self.predicates = Registers(), Predicates()
        self.all = np.ones(self.lanes, bool)

    def constant(self, bank, offset):
        table = self.constants.get(bank)
        if table is None or offset + 4 > len(table):
            raise Unknown(f"c[{bank:#x}][{offset:#x}]")
        return word(int.from_bytes(table[offset:offset + 4], "little"))

    def write(self, name, value, lanes):
        if name[1] == "Z":
            return
        if lanes is not None:
            value = np.where(lanes, value, self.registers[name])
        self.registers[name] = value

    def write_predicate(self, name, value, lanes):
        if name is None:
            return
        if lanes is not None:
            value = np.where(lanes, value, self.predicates.get(name, FALSE))
        self.predicates[name] = value

    def place(self, addresses, buffer, base, size, lanes):
        first = np.broadcast_to(addresses, (self.lanes,)) - U64(base)
        good = (first <= U64(buffer.shape[1] - size)) & (first % U64(size) == 0)
        if not (good if lanes is None else good | ~lanes).all():
            raise Unknown(f"an access at {int(np.broadcast_to(addresses, (self.lanes,))[~good][0]):#x}")
        return np.where(good, first, U64(0)).astype(np.int64)[:, None] + np.arange(size)

    def read(self, addresses, size, lanes):
        columns = self.place(addresses, self.data, IN, size, lanes)
        return np.take_along_axis(self.data, columns, 1)

    def store(self, addresses, bytes_, lanes):
        columns = self.place(addresses, self.out, OUT, bytes_.shape[1], lanes)
        rows = np.arange(self.lanes)[:, None]
        if lanes is not None:
            rows, columns, bytes_ = rows[lanes], columns[lanes], bytes_[lanes]
        self.out[rows, columns] = bytes_

    def run(self, code, labels):
        """The lanes furthest behind go first, so that diverged lanes meet again."""
        at, count = np.zeros(self.lanes, np.int64), 0
        together = 0  # the place of all lanes, or None
        alive = self.all.copy()
        while True:
            count += 1
            if count > LIMIT:
                raise Unknown("no end")
            if together is None:
                place = int(at[alive].min())
                lanes = alive & (at == place)
                if (lanes == self.all).all():
                    together, lanes = place, None
            else:
                place, lanes = together, None
            if place >= len(code):
                raise Unknown("runs past its end")
            guard, what = decode(code[place][1])
            where = lanes
            if guard is not None:
                where = np.broadcast_to(guard(self), (self.lanes,))
                where = where if lanes is None else where & lanes
                if where.all():
                    where = None
            if what is None or isinstance(what, str):
                taken = self.all if where is None else where
                if together is not None:
                    at[:] = place
                at[alive if lanes is None else lanes] = place + 1
                if what is None:
                    alive &= ~taken
                    if not alive.any():
                        return
                else:
                    if what not in labels:
                        raise Unknown(f"{code[place][1]}: no such label")
                    at[taken] = labels[what]
                together = int(at[0]) if alive.all() and (at == at[0]).all() else None
                continue
            try:
                if where is None or where.any():
                    what(self, where)
            except Unknown as error:
                raise Unknown(f"{code[place][1]}: {error}") from None
            if together is not None:
                together += 1
            else:
                at[self.all if lanes is None else lanes] = place + 1


class Registers(dict):
    """Unwritten data is noise: code may read it and drop it again."""

    def __missing__(self, name):
        return word(0x9E3779B9 * (int(name[1]) + 77) ^ 0xC0FFEE11)


class Predicates(dict):
    def __missing__(self, name):
        raise Unknown(f"{name} is read before it is written")


# The address of a kernel's arguments in constant memory, by compute capability.
ARGUMENTS = ((100, 0x380), (90, 0x210), (0, 0x160))


def constants_of(cubin_sections, name, capability):
    """{bank: bytes}; bank 0 has the two pointers."""
    base = next(offset for least, offset in ARGUMENTS if capability >= least)
    banks = {0: bytes(base) + struct.pack("<QQ", IN, OUT)}
    for section, content in cubin_sections.items():
        at = re.match(r"^\.nv\.constant(\d+)\." + re.escape(name) + "$", section)
        if at and at[1] != "0":
            banks[int(at[1])] = content
    return banks


def run(code, labels, constants, data, out_bytes):
    """The output's bytes, a row a lane."""
    machine = Machine(data, out_bytes, constants)
    with np.errstate(all="ignore"):
        machine.run(code, labels)
    return machine.out
