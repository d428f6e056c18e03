#!/usr/bin/env python3
"""Random calls of the whole library against NumPy: every primitive with random types, operators, policies, sizes, data,
alignments and flags, in place, with counts in device memory, on several streams and threads, captured in graphs.

    tests/gpu/fuzz.py                           100,000 calls on the GPU, two minutes
    tests/gpu/fuzz.py --backend host            10,000 calls on the host back end
    tests/gpu/fuzz.py --seed 7 --seconds 3600   other calls, for longer
    tests/gpu/fuzz.py --seed 7 --case 456       one of these calls
    tests/gpu/fuzz.py --replay '[[...]]'        a failure's printed calls, in one context
    tests/gpu/fuzz.py --only 'sort,top_k'       some primitives
    tests/gpu/fuzz.py --tree DIR                the library of another tree; --library FILE: a built one

Each call's buffers are in one image, each between guards, filled with noise. After the call the image must equal
NumPy's, byte for byte: results in place, everything else, including inputs and guards, unchanged. Some calls are wrong
on purpose: they must be refused with a message that names the argument, and write nothing.

Many calls share one context, in random order, because a call must not depend on earlier ones. Worker processes announce
each batch of calls, so that the parent knows what ran when one dies or hangs. A failure is minimised before it is
printed: fewer earlier calls, fewer elements, fewer options. The last line is "N passed, N failed, N skipped".
"""
import argparse
import collections
import ctypes
import hashlib
import json
import os
import queue
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build", "tests-gpu", "fuzz")
sys.path.insert(0, os.path.join(ROOT, "tests", "unit"))
CC = os.environ.get("CC", "gcc")
GROUPS = 12             # of a chunk, which one worker runs in random order
SHOTS = {"cuda": 40, "host": 4}  # of a group in a chunk
# On a GPU the compiler takes longer for kernels than the calls take: groups return with other shots in other chunks,
# whose workers find the kernels on disk. After this many rounds other groups follow.
POOL = {"cuda": 360, "host": 1 << 40}
ROUNDS = 7
BATCH = 12              # calls between two waits
CHUNKS = {"cuda": 20, "host": 40}  # run by one process, in one context
HANG_SECONDS, CALL_SECONDS = 40, 15  # of silence: of a batch, of a call alone
POLICY_TRIES = 12
GUARD, LENT_MOST = 256, 1 << 22  # bytes behind a workspace of the caller's, and of the largest
# NumPy's own threads would take the other workers' cores.
ENVIRONMENT = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="2")


# ---- a worker: runs cases and reports faults


class Worker:
    def __init__(self, args):
        import fuzz_cases
        import fuzz_device
        import gpuprims_ctypes as gp
        import numpy as np
        self.cases, self.gp, self.np, self.args = fuzz_cases, gp, np, args
        self.DeviceError = fuzz_device.DeviceError
        self.device = fuzz_device.Host() if args.backend == "host" else fuzz_device.Cuda()
        self.host = self.device if args.backend == "host" else fuzz_device.Host()
        self.library = gp.load()
        for name, types in {"gp_policy_origin": [ctypes.c_void_p] * 4, "gp_prepare": [ctypes.c_void_p] * 2,
                            "gp_workspace_size": [ctypes.c_void_p] * 3}.items():
            getattr(self.library, name).argtypes = types
        self.library.gp_policy_space.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]
        self.library.gp_policy_space.restype = ctypes.c_size_t
        self.library.gp_result_name.restype = ctypes.c_char_p
        self.operators = ctypes.CDLL(args.operators)
        self.slots = [self.device.slot() for _ in range(BATCH)]
        self.host_slot = self.host.slot()
        self.context = self.host_context = None
        self.defining = threading.Lock()
        self.spaces, self.rows = {}, policy_rows(gp, args.header)

    # contexts

    def open(self, device):
        gp = self.gp
        config = gp.Config()
        config.backend, config.cache_dir = device.backend, self.args.cache.encode()
        config.host_threads = 1 if device is self.device else 2
        handle = ctypes.c_void_p()
        self.say_if(self.library.gp_open(ctypes.byref(config), ctypes.byref(handle)), "gp_open")
        return Context(handle, {}, device)

    def say_if(self, result, what):
        if result:
            raise self.DeviceError(f"{what}: {self.name(result)}: {self.message()}")

    def message(self):
        return self.library.gp_last_message().decode(errors="replace")

    def name(self, result):
        return self.library.gp_result_name(result).decode()

    def close(self):
        for context in {self.context, self.host_context} - {None}:
            self.say_if(self.library.gp_close(context.handle), "gp_close")

    def fresh(self):
        self.close()
        self.context = self.open(self.device)
        self.host_context = self.context if self.device is self.host else self.open(self.host)

    def type_of(self, context, type_):
        gp = self.gp
        if type_ in gp.TYPES:
            return gp.TYPES[type_]
        if type_ not in context.handles:
            size, align, source = self.cases.STRUCTS[type_]
            desc = gp.TypeDesc(f"fuzz_{type_}".encode(), source and source.encode(), size, align)
            handle = ctypes.c_int()
            self.say_if(self.library.gp_type_struct(context.handle, ctypes.byref(desc), ctypes.byref(handle)), type_)
            context.handles[type_] = handle.value
        return context.handles[type_]

    def op_of(self, context, name, type_):
        gp = self.gp
        if name in gp.OPERATORS:
            return gp.OPERATORS[name]
        name = "GP_" + name if "GP_" + name in gp.OPERATORS else name
        if (name, type_) not in context.handles:
            _, arity, body, identity, _, _ = self.cases.USER[name]
            function = ctypes.cast(getattr(self.operators, f"fuzz_{name}_{type_}"), ctypes.c_void_p).value
            desc = gp.OpDesc(name=f"fuzz_{name}".encode(), body=body.encode(), identity=identity and identity.encode(),
                             arity=arity, host=gp.HostFunction(function))
            if identity:
                value = self.cases.identity_of(name, type_).tobytes()
                kept = ctypes.create_string_buffer(value, len(value))
                desc.host_identity, desc.host_identity_size = ctypes.cast(kept, ctypes.c_void_p), len(value)
            handle = ctypes.c_int()
            self.say_if(self.library.gp_op_define(context.handle, ctypes.byref(desc), ctypes.byref(handle)), name)
            context.handles[name, type_] = handle.value
        return context.handles[name, type_]

    # a call, for C

    def filled(self, context, call, base):
        gp = self.gp
        made = gp.Call()
        with self.defining:  # types and operators, made at first use
            self.fill(made, context, call)
        for piece in call.pieces:
            if piece.field:
                setattr(made, piece.field, base + piece.at)
        made.inputs = []  # they live as long as the call
        for field, described in call.described.items():
            root = described.made(base, self.type_of(context, described.type), made.inputs)
            setattr(made, field, ctypes.addressof(root))
        for field, piece in call.placed:
            setattr(made, field, base + piece.at)
        for graph, pieces in call.after_layout:
            for name, piece in pieces:
                setattr(graph, name, base + piece.at)
        for field, value in call.kept.items():
            if " " not in field:
                setattr(made, field, value.ctypes.data if hasattr(value, "ctypes") else ctypes.addressof(value))
        if call.wrong:
            what, piece = call.wrong[:2]
            setattr(made, piece.field, None if what == "null" else base + piece.at + 1 if what == "alignment" else
                    base + call.wrong[2].at + piece.align)
        return made

    def fill(self, made, context, call):
        gp, g = self.gp, call.group
        for field, value in call.fields.items():
            if isinstance(value, str):
                if field == "primitive":
                    value = gp.PRIMITIVES[value]
                elif field.endswith("_type"):
                    value = self.type_of(context, value)
                else:
                    stencil = g["primitive"] in ("scatter", "gather") and field == "op"
                    by_key = stencil or (value in ("below", "a_below", "fours", "a_equal") and g.get("key_type"))
                    value = self.op_of(context, value, g.get("key_type" if by_key else "in_type") if value != "by_b"
                                       else "pair")
            setattr(made, field, value)

    def policy_of(self, context, call, made):
        """The call's policy, if it has a valid one: a row of the table, or a random one of the space."""
        kind = call.group.get("policy")
        if not kind:
            return "table"
        gp, p = self.gp, call.fields["primitive"]
        draw = random.Random(call.group["policy_seed"])
        members = policy_members(self.args.header)
        policy, source = (ctypes.c_int * (len(members) + 16))(), ctypes.c_int()
        filled = (ctypes.c_int * (len(members) + 16))()
        for _ in range(POLICY_TRIES):
            values = [0] * len(members)
            if kind == "row" and self.rows.get(p):
                values = draw.choice(self.rows[p])
            elif kind == "random":
                space = self.space_of(p)
                for name in draw.sample(sorted(space), min(len(space), draw.randrange(1, 5))):
                    values[members.index(name)] = draw.choice(space[name])
            for i, value in enumerate(values):
                policy[i] = value
            made.policy = ctypes.addressof(policy)
            call.kept["policy in use"] = policy
            if not self.library.gp_policy_origin(context.handle, ctypes.byref(made), filled, ctypes.byref(source)):
                return kind
        made.policy = None
        return "table"

    def space_of(self, p):
        if p not in self.spaces:
            number = self.gp.PRIMITIVES[p]
            size = self.library.gp_policy_space(number, None, 0)
            text = ctypes.create_string_buffer(size + 1)
            self.library.gp_policy_space(number, text, size + 1)
            self.spaces[p] = {f["name"]: f["values"] for f in json.loads(text.value)["fields"]}
        return self.spaces[p]

    # running

    def launch(self, run):
        """One call, from upload to download, in the order of its stream."""
        call, slot, device, library = run.call, run.slot, self.device, self.library
        size, stream = call.bytes, run.stream
        slot.fit(size)
        slot.there[:size] = call.image_at(slot.base)
        made = self.filled(self.context, call, slot.base)
        if call.must_refuse is None:
            run.policy = self.policy_of(self.context, call, made)
        elif call.shot["invalid"] == "flags":
            run.policy = "table"
        made, size = self.lend(run, made, size)

        def go():
            result = library.gp_run(self.context.handle, ctypes.byref(made), stream)
            run.message = self.message() if result else ""
            return result
        device.upload(slot, size, stream)
        if not run.captured:
            run.result = go()
            device.download(slot, size, stream)
            return
        context, at, need = self.context.handle, ctypes.byref(made), ctypes.c_uint64()
        run.result = library.gp_prepare(context, at)
        if not run.result and not run.guard:
            run.result = (library.gp_workspace_size(context, at, ctypes.byref(need)) or
                          library.gp_reserve(context, stream, self.context.most_of(stream, need.value)))
        run.message = self.message() if run.result else ""
        if run.result:
            return
        run.result, graph = device.capture(stream, go)
        if run.result:
            return
        for second in (False, True):
            device.upload(slot, size, stream)
            device.launch(graph, stream)
            device.download(slot, size, stream, second)
        self.graphs.append(graph)

    def lend(self, run, made, size):
        """Gives some calls their workspace: as many bytes as they need behind the image, then a guard, all of them full
        of anything. Returns the call and the bytes of the whole."""
        call, slot, need = run.call, run.slot, ctypes.c_uint64()
        if call.must_refuse is not None or call.shot["seed"] % 4 or self.library.gp_workspace_size(
                self.context.handle, ctypes.byref(made), ctypes.byref(need)) or need.value > LENT_MOST:
            return made, size
        at = -(-size // GUARD) * GUARD
        run.guard = slice(at + need.value, at + need.value + GUARD)
        slot.fit(run.guard.stop)
        slot.there[:size] = call.image_at(slot.base)
        slot.there[size:run.guard.stop] = self.np.random.default_rng(call.shot["seed"]).integers(
            0, 256, run.guard.stop - size, self.np.uint8)
        policy, made = made.policy, self.filled(self.context, call, slot.base)
        made.policy, made.workspace, made.workspace_bytes = policy, slot.base + at, need.value
        return made, run.guard.stop

    def judge(self, run):
        """None, or the fault."""
        call, slot, size = run.call, run.slot, run.call.bytes
        name = self.name(run.result)
        if call.must_refuse is not None:
            if run.result == 0:
                return f"accepted, though {call.shot['invalid']} of {call.names[0]} is wrong"
            if name not in call.must_refuse:
                return f"refused by {name} in place of {' or '.join(call.must_refuse)}: {run.message}"
            wanted = [self.cases.NAMES.get(n, n) for n in call.names]
            if not any(re.search(rf"\b{n}\b", run.message) for n in wanted):
                return f"the message does not name {wanted[0]}: {run.message}"
        elif run.result:
            if name == "GP_E_DRIVER":
                raise self.DeviceError(run.message)
            run.refused = True
            return f"refused: {name}: {re.sub(r'0x[0-9a-f]+', '0x', run.message)}"
        if run.result and run.captured:
            return None
        if run.guard and (slot.back[run.guard] != slot.there[run.guard]).any():
            return f"wrote past the end of its workspace, which begins at byte {-(-size // GUARD) * GUARD}"
        wrong = call.compare(slot.back[:size])
        if wrong or not run.captured:
            return wrong or self.against_host(run)
        if call.by_host or not (slot.back[:size] == slot.again[:size]).all():
            wrong = call.compare(slot.again[:size])
            if wrong:
                return f"second replay of a graph: {wrong}"
            if not call.fields["primitive"].startswith("bfs"):  # parents and times may differ
                again = slot.again[:size] != slot.back[:size]
                if again.any():
                    at = self.np.flatnonzero(again)[0]
                    return f"second replay of a graph: other bits than the first, at byte {at}"
        return None

    def against_host(self, run):
        """Some of the GPU's calls also run on the host back end, whose bits must be equal where the header promises
        it."""
        call = run.call
        if self.device is self.host or run.result or not (call.by_host or call.shot["seed"] % 8 == 0 or
                                                          call.fields.get("flags", 0) & self.gp.REPRODUCIBLE):
            return None
        slot, size = self.host_slot, call.bytes
        slot.fit(size)
        slot.memory[:size] = call.image_at(slot.base)
        made = self.filled(self.host_context, call, slot.base)
        result = self.library.gp_run(self.host_context.handle, ctypes.byref(made), None)
        if result:
            return f"refused by the host back end alone: {self.name(result)}: {self.message()}"
        wrong = call.compare(slot.memory[:size])
        if wrong:
            return f"host back end: {wrong}"
        if not call.by_host and not call.fields.get("flags", 0) & self.gp.REPRODUCIBLE:
            return None
        for piece, at, wanted, how, _ in call.expected:
            if piece.field == "statistics":  # they tell how a back end searched
                continue
            length = wanted if callable(how) else wanted.nbytes
            a, b = (memory[piece.at + at:piece.at + at + length] for memory in (run.slot.back, slot.memory))
            if isinstance(how, str) and how[0] in "=~":
                equal = self.cases.oracle.same(a.copy().view(wanted.dtype), b.copy().view(wanted.dtype), how[1:]).all()
            elif hasattr(how, "same"):  # all NaNs are equal
                equal = how.same(a, b).all()
            else:
                equal = (a == b).all()
            if not equal:
                return f"{call.name_of(piece)}: the two back ends differ"
        return None

    def batch(self, some, threads):
        """Runs cases (number, group, shot); yields (number, fault or None, Run)."""
        runs = []
        for i, (number, group, shot) in enumerate(some):
            call = self.cases.build(group, shot)
            lane = i % threads
            captured = bool(shot["capture"]) and call.must_refuse is None
            index = 1 + lane if threads > 1 else max(shot["stream"], 1) if captured else shot["stream"]
            runs.append(Run(number, call, self.slots[i], self.device.streams[index], captured, lane))
        self.graphs, problems = [], []

        def lane(k):
            try:
                self.device.enter()
                for run in runs:
                    if run.lane == k:
                        self.launch(run)
            except Exception as error:  # noqa: BLE001 (told by the thread that waits)
                problems.append(error)
        helpers = [threading.Thread(target=lane, args=(k,)) for k in range(1, threads)]
        for helper in helpers:
            helper.start()
        lane(0)
        for helper in helpers:
            helper.join()
        if problems:
            raise problems[0]
        self.device.synchronize()
        for graph in self.graphs:
            self.device.destroy(graph)
        return [(run.number, self.judge(run), run) for run in runs]

    def serve(self):
        """Reads commands and writes reports as lines of JSON."""
        for line in sys.stdin:
            command = json.loads(line)
            if command.get("fresh") or not self.context:
                self.fresh()
                tell(fresh=1)
            some = command["cases"] if "cases" in command else [
                (n, *case_of(self.args, n)) for n in chunk_of(self.args, command["chunk"])]
            order, at = random.Random(command.get("chunk", 0)), 0
            size = command.get("batch", BATCH)
            while at < len(some):
                part = some[at:at + size]
                at += len(part)
                tell(batch=[number for number, _, _ in part])
                threads = 3 if size > 1 and order.random() < 0.25 else 1
                counts = collections.Counter()
                try:
                    judged = self.batch(part, threads)
                except self.DeviceError as error:
                    tell(lost=str(error))
                    os._exit(3)
                for number, wrong, run in judged:
                    p = run.call.group["primitive"]
                    counts[p, "calls"] += 1
                    counts[p, "refused" if run.result and run.call.must_refuse is None else
                           "wrong on purpose" if run.call.must_refuse else "accepted"] += 1
                    counts[p, "captured"] += run.captured
                    counts[p, "lent"] += run.guard is not None
                    counts[p, "in place"] += run.call.in_place
                    counts[p, "described"] += bool(run.call.described)
                    counts[p, "apply"] += "apply" in run.call.fields
                    counts[p, "count_device"] += "device" in run.call.shot
                    counts[p, "policy " + run.policy] += 1
                    if wrong:
                        tell(finding=number, what=wrong, group=run.call.group, shot=run.call.shot)
                tell(done=len(part), counts=[[*key, value] for key, value in counts.items() if value])
            tell(idle=1)
        self.close()


class Run:
    def __init__(self, number, call, slot, stream, captured, lane):
        self.number, self.call, self.slot, self.stream = number, call, slot, stream
        self.captured, self.lane = captured, lane
        self.guard = None  # behind the call's own workspace
        self.result, self.message, self.policy, self.refused = 0, "", "table", False


class Context:
    def __init__(self, handle, handles, device):
        self.handle, self.handles, self.device, self.most = handle, handles, device, {}

    def most_of(self, stream, need):
        """Room to reserve: for two calls of the largest size so far, by the header's rules for graphs."""
        self.most[stream] = max(self.most.get(stream, 0), need)
        return 2 * self.most[stream]


def tell(**what):
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def policy_members(header, known={}):
    if header not in known:
        with open(header, encoding="utf-8") as file:
            body = re.search(r"#define GP_POLICY_MEMBERS\(X\)(.*?)\n\n", file.read(), re.S).group(1)
        known[header] = re.findall(r"\bX\((\w+)\)", body)
    return known[header]


def policy_rows(gp, header):
    """Policies of the tuned table beside the header, by primitive."""
    path = os.path.join(os.path.dirname(header), "gpuprims_policies.h")
    if not os.path.exists(path):
        return {}
    numbers = {"GP_AUTO": 0, **{f"GP_{name}": number for name, number in gp.ALGORITHMS.items()}, **gp.CACHES}
    members, rows = len(policy_members(header)), collections.defaultdict(list)
    with open(path, encoding="utf-8") as file:
        table = file.read().replace("\\\n", " ")
    for row in re.findall(r"\bROW\((\"[^\"]*\",[^\"]*),\s*\"", table):
        words = [word.strip() for word in row.split(",")][1:]
        fields = words[6:6 + members]
        try:
            rows[words[0][3:].lower()].append([numbers[w] if w in numbers else int(w) for w in fields])
        except ValueError:
            continue
    return dict(rows)


# ---- cases by number


def chunk_of(args, chunk):
    """Numbers of a chunk's cases, in random order."""
    size = GROUPS * SHOTS[args.backend]
    numbers = list(range(chunk * size, (chunk + 1) * size))
    random.Random(f"{args.seed} {chunk}").shuffle(numbers)
    return numbers


def case_of(args, number):
    import fuzz_cases
    shots, pool, large = SHOTS[args.backend], POOL[args.backend], args.backend != "host"
    group = number // shots % pool + number // (shots * pool * ROUNDS) * pool
    drawn = random.Random(f"{args.seed} group {group}")
    g = fuzz_cases.draw_group(drawn, args.only.split(",") if args.only else None, group)
    g["policy_seed"] = drawn.randrange(2**30)
    return g, fuzz_cases.draw_shot(random.Random(f"{args.seed} shot {number}"), g, large)


# ---- the parent


class Process:
    """A worker, and its reports. `running` is the batch that it last announced."""

    def __init__(self, args, cache=""):
        self.child = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "--worker", "--cache", cache, *args.forward],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1,
            env=ENVIRONMENT)
        self.lines, self.running, self.history, self.chunks = queue.Queue(), [], [], 0
        self.errors = collections.deque(maxlen=12)
        threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=lambda: self.errors.extend(self.child.stderr), daemon=True).start()

    def read(self):
        for line in self.child.stdout:
            try:
                self.lines.put(json.loads(line))
            except ValueError:
                self.errors.append(line)
        self.child.wait()
        self.lines.put(None)

    def send(self, **command):
        try:
            self.child.stdin.write(json.dumps(command) + "\n")
            self.child.stdin.flush()
        except OSError:
            pass

    def messages(self, patience=HANG_SECONDS):
        """Reports until the worker waits again; {"dead": why} is the last."""
        while True:
            try:
                message = self.lines.get(timeout=patience)
            except queue.Empty:
                self.child.kill()
                self.child.wait()
                yield {"dead": f"no word for {patience} s: it hangs"}
                return
            if message is None:
                code = self.child.returncode
                yield {"dead": self.lost or f"the process ended with {code}: {' '.join(self.errors)[-300:].strip()}"}
                return
            self.lost = message.get("lost", "")
            if "batch" in message:
                self.running = message["batch"]
                self.history += message["batch"]
            yield message
            if "idle" in message:
                return

    lost = ""

    def end(self):
        self.child.stdin.close()
        try:
            self.child.wait(20)
        except subprocess.TimeoutExpired:
            self.child.kill()


def kind_of(what):
    """A fault without its numbers: failures of one kind are printed once."""
    what = re.sub(r"0x[0-9a-f]+|[-+]?\d[\w.+-]*", "#", what)
    return re.sub(r"(: #? ?instead of|instead of).*|first at.*|by a message.*", "", what)[:160]


class Finding:
    def __init__(self, number, what, group, shot, history):
        self.number, self.what, self.group, self.shot, self.history = number, what, group, shot, history
        self.count, self.sequence, self.note = 1, None, ""

    def key(self):
        g = self.group
        return g["primitive"], g.get("op"), g.get("transform"), kind_of(self.what)


class Parent:
    def __init__(self, args):
        self.args, self.lock = args, threading.Lock()
        self.counts, self.findings, self.dead = collections.Counter(), {}, []
        self.next, self.calls, self.failed, self.end = 0, 0, 0, time.monotonic() + args.seconds
        self.lost, self.cache = 0, ""

    def more(self):
        with self.lock:
            if self.calls >= self.args.calls or time.monotonic() > self.end or len(self.findings) > 400:
                return None
            self.next += 1
            return self.next - 1

    def work(self):
        process, chunk = None, None
        while (chunk := self.more()) is not None:
            if process and process.chunks == CHUNKS[self.args.backend]:
                process.end()
                process = None
            process = process or Process(self.args, self.cache)
            process.send(chunk=chunk)
            process.chunks += 1
            for message in process.messages():
                if "finding" in message:
                    self.found(message["finding"], message["what"], message["group"], message["shot"], process)
                elif "done" in message:
                    with self.lock:
                        self.calls += message["done"]
                        for p, what, value in message["counts"]:
                            self.counts[p, what] += value
                elif "dead" in message:
                    self.died(process, message["dead"])
                    process = None
                if time.monotonic() > self.end + 30:
                    break
        if process:
            process.end()

    def found(self, number, what, group, shot, process):
        finding = Finding(number, what, group, shot, list(process.history))
        with self.lock:
            self.failed += 1
            known = self.findings.setdefault(finding.key(), finding)
            if known is not finding:
                known.count += 1
                return
        say(f"FAILED {describe(group, shot)}: {what}\n    {self.line(number)}")

    def died(self, process, why):
        with self.lock:
            self.failed += 1
            self.lost += len(process.running)
            self.dead.append((why, list(process.running), list(process.history)))
        say(f"FAILED a worker died in calls {process.running}: {why}")

    def line(self, number):
        more = " ".join(self.args.told)
        return f"tests/gpu/fuzz.py {more + ' ' if more else ''}--seed {self.args.seed} --case {number}"

    # minimising failures

    def reduce(self):
        end = time.monotonic() + self.args.reduce_seconds
        reducer = Reducer(self.args)
        seen = collections.Counter()
        for why, running, history in self.dead[:6]:
            reducer.end = min(end, time.monotonic() + self.args.reduce_seconds / 2)
            sequence = reducer.death(running, history)
            if sequence:
                say(f"a worker died: {why}\n" + self.replay(sequence))
            else:
                say(f"a worker died: {why}: {reducer.why_not()} by calls {running}, nor behind those before them")
        for finding in sorted(self.findings.values(), key=lambda f: -f.count):
            p = finding.group["primitive"]
            seen[p] += 1
            if seen[p] > 3 or time.monotonic() > end:
                continue
            reducer.end = min(end, time.monotonic() + self.args.reduce_seconds / 3)
            sequence = reducer.finding(finding)
            if not sequence:
                say(f"{describe(finding.group, finding.shot)}: {finding.what}\n    fails {finding.count} times, "
                    f"{reducer.why_not()} alone or behind others\n    {self.line(finding.number)}")
                continue
            say(f"{p}: fails {finding.count} times; smallest: {describe(*sequence[-1][1:])}: {reducer.what}\n"
                + self.replay(sequence))
        reducer.close()

    def replay(self, sequence):
        cases = [[group, shot] for _, group, shot in sequence]
        more = " ".join(self.args.told)
        if len(cases) > 8:
            path = os.path.join(BUILD, f"replay-{hashlib.sha1(json.dumps(cases).encode()).hexdigest()[:8]}.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(cases, file)
            return f"    tests/gpu/fuzz.py {more} --replay {os.path.relpath(path, ROOT)}   ({len(cases)} calls)"
        return f"    tests/gpu/fuzz.py {more} --replay '{json.dumps(cases, separators=(',', ':'))}'"

    def report(self):
        columns = ["calls", "accepted", "refused", "wrong on purpose", "captured", "lent", "in place", "described",
                   "apply", "count_device", "policy table", "policy rule", "policy row", "policy random"]
        import fuzz_cases
        say("")
        say(f"{'primitive':<26}" + " ".join(f"{c.replace('wrong on purpose', 'invalid').replace('policy ', ''):>12}"
                                            for c in columns))
        names = self.args.only.split(",") if self.args.only else list(fuzz_cases.FAMILIES)
        for p in names:
            say(f"{p:<26}" + " ".join(f"{self.counts[p, c]:12d}" for c in columns))
        say(f"{'all':<26}" + " ".join(f"{sum(self.counts[p, c] for p in names):12d}" for c in columns))
        missing = [p for p in names if not self.counts[p, "accepted"]]
        if missing and self.calls >= 1000 * SHOTS[self.args.backend]:
            self.failed += len(missing)
            say(f"FAILED no call was accepted: {', '.join(missing)}")
        known = set(fuzz_cases.FAMILIES)
        import gpuprims_ctypes as gp
        unknown = sorted(set(gp.PRIMITIVES) - known)
        if unknown and not self.args.tree:
            self.failed += len(unknown)
            say(f"FAILED primitives that nothing draws: {', '.join(unknown)}")
        for finding in sorted(self.findings.values(), key=lambda f: -f.count)[:40]:
            say(f"  {finding.count:6d} times  {finding.key()}")


class Reducer:
    """Runs sequences of cases in a fresh context, or after a death in a fresh process."""

    def __init__(self, args):
        self.args, self.end, self.process, self.what, self.died_at = args, 0.0, None, "", None
        self.slow = False  # a process for each try: the fault outlives a context

    def close(self):
        if self.process:
            self.process.end()
            self.process = None

    def why_not(self):
        """Why there is no minimised failure."""
        return "no time was left to repeat it" if time.monotonic() > self.end else "not repeated"

    def fails(self, sequence):
        """Whether the last call of the sequence fails or dies. None: no time left."""
        if time.monotonic() > self.end:
            return None
        if self.slow:
            self.close()
        self.process = self.process or Process(self.args)
        self.process.send(cases=sequence, fresh=True, batch=1)
        failed = False
        for message in self.process.messages(CALL_SECONDS):
            if "finding" in message and message["finding"] == sequence[-1][0]:
                failed, self.what = True, message["what"]
            if "dead" in message:
                self.died_at = self.process.running[0] if self.process.running else None
                self.process, self.what = None, message["dead"]
                return True
        return failed

    def cases(self, numbers):
        return [(n, *case_of(self.args, n)) for n in numbers]

    def finding(self, finding):
        for self.slow in (False, True):
            self.close()
            sequence = self.smallest(finding)
            if sequence:
                return sequence
        return None

    def smallest(self, finding):
        last = (finding.number, finding.group, finding.shot)
        sequence = self.shorter([], last) if self.fails([last]) else None
        if sequence is None:
            history = self.cases(n for n in finding.history if n != finding.number)
            near = [c for c in history if c[1]["primitive"] == finding.group["primitive"]]
            for before in (near, history):
                if before and self.fails([*before, last]):
                    sequence = self.shorter(before, last)
                    break
        return sequence and self.simpler(sequence)

    def death(self, running, history):
        self.slow, cases = True, self.cases(running)
        earlier = self.cases(n for n in history if n not in running)
        like = {g["primitive"] for _, g, _ in cases}
        near = [c for c in earlier if c[1]["primitive"] in like]
        for sequence in (cases, near + cases, earlier + cases):
            if not sequence or not self.fails(sequence):
                continue
            at = max(i for i, c in enumerate(sequence) if c[0] == self.died_at)
            before, last = sequence[:at], sequence[at]
            alike = [c for c in before if c[1]["primitive"] == last[1]["primitive"]]
            for fewer in ([], alike):
                if self.fails([*fewer, last]):
                    before = fewer
                    break
            return self.simpler(self.shorter(before, last))
        return None

    def shorter(self, before, last):
        """Removes halves, quarters and so on of the calls before the last one, while it still fails."""
        step = -(-len(before) // 2)
        while step:
            at = 0
            while at < len(before):
                fewer = before[:at] + before[at + step:]
                if self.fails([*fewer, last]):
                    before = fewer
                else:
                    at += step
            step = step // 2 if step > 1 else 0
        return [*before, last]

    def simpler(self, sequence):
        """Reduces elements and options of the last call, then of those before it."""
        for at in range(len(sequence) - 1, -1, -1):
            tried = True
            while tried:
                tried = False
                number, group, shot = sequence[at]
                for other in self.simpler_cases(group, shot):
                    changed = [*sequence[:at], (number, *other), *sequence[at + 1:]]
                    failed = self.fails(changed)
                    if failed is None:
                        return sequence
                    if failed:
                        sequence, tried = changed, True
                        break
        return sequence

    @staticmethod
    def simpler_cases(group, shot):
        n = shot["n"]
        for field, value in (("capture", 0), ("policy", ""), ("place", 0), ("shift", 0), ("stream", 0), ("init", 0),
                             ("kind", "small"), ("flags", 0)):
            if field == "policy":
                if group.get("policy"):
                    yield dict(group, policy=""), shot
            elif shot.get(field, value) != value:
                yield group, dict(shot, **{field: value})
        if "device" in shot:
            yield group, {k: v for k, v in shot.items() if k != "device"}
        if group.get("checked"):
            yield dict(group, checked=False), shot
        for fewer in (n // 2, n * 3 // 4, n - 1):
            if 0 <= fewer < n:
                yield group, dict(shot, n=fewer)


def describe(group, shot):
    words = [f"{k}={v}" for k, v in group.items() if k not in ("primitive", "policy_seed", "policy", "bits") and v]
    words += [f"{k}={v}" for k, v in shot.items() if k in ("n", "kind", "device", "invalid") and v is not None]
    words += [k for k in ("place", "init", "capture") if shot.get(k)]
    words += [f"bits={shot['bits']}"] if shot.get("bits", [0, 0]) != [0, 0] else []
    words += [f"policy={group['policy']}"] if group.get("policy") else []
    return f"{group['primitive']}({', '.join(words)})"


def say(text):
    print(text, flush=True)


def gpu_reason():
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "no libcuda.so.1 on this machine"
    count = ctypes.c_int()
    return "the driver finds no device" if cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(count)) or \
        not count.value else None


def built(sources, flags, name):
    """A shared library, rebuilt if its sources have changed."""
    digest = hashlib.sha1(" ".join(flags).encode())
    for source in sources:
        with open(source, "rb") as file:
            digest.update(file.read())
    path = os.path.join(BUILD, f"{name}-{digest.hexdigest()[:12]}.so")
    if not os.path.exists(path):
        new = f"{path}.{os.getpid()}"
        subprocess.run([CC, "-fPIC", "-shared", *flags, "-o", new, "-ldl", "-lpthread", "-lm"], check=True)
        os.replace(new, path)
    return path


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--backend", choices=["cuda", "host"], default="cuda")
    parser.add_argument("--calls", type=int, help="default: 100000, on the host 10000")
    parser.add_argument("--seconds", type=float, default=120, help="of calls; making failures small comes after that")
    parser.add_argument("--reduce-seconds", type=float, default=120)
    parser.add_argument("--processes", type=int, help="default: the cores, 16 at most; on the host 1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int)
    parser.add_argument("--replay", metavar="JSON", help="cases, or a file of them")
    parser.add_argument("--only", default="", metavar="PRIMITIVES")
    parser.add_argument("--tree", help="take gpuprims.h from there")
    parser.add_argument("--library", help="take this library, and the header of --tree")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--operators", help=argparse.SUPPRESS)
    parser.add_argument("--cache", default="", help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.header = os.path.join(os.path.abspath(args.tree or ROOT), "gpuprims.h")
    os.environ["GPUPRIMS_HEADER"] = args.header
    return args


def main():
    args = arguments()
    if args.worker:
        os.environ["GPUPRIMS_LIBRARY"] = args.library
        Worker(args).serve()
        return 0
    reason = gpu_reason() if args.backend == "cuda" else None
    if reason:
        say(f"skipped: random calls: {reason}")
        say("0 passed, 0 failed, 1 skipped")
        return 0
    os.makedirs(BUILD, exist_ok=True)
    import fuzz_cases
    source = os.path.join(BUILD, "operators.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(fuzz_cases.operators_source())
    args.operators = built([source], ["-O2", "-w", source], "operators")
    folder = os.path.dirname(args.header)
    policies = os.path.join(folder, "gpuprims_policies.h")
    args.library = os.path.abspath(args.library) if args.library else built(
        [args.header, *([policies] if os.path.exists(policies) else [])],
        ["-O2", "-g", "-fopenmp", f"-I{folder}", "-x", "c", "-DGPUPRIMS_IMPLEMENTATION", args.header, "-x", "none"],
        "libgpuprims")
    args.calls = args.calls or (10000 if args.backend == "host" else 100000)
    args.processes = args.processes or (1 if args.backend == "host" else max(1, min(16, os.cpu_count() or 1)))
    told = {"--backend": args.backend if args.backend == "host" else "", "--only": args.only, "--tree": args.tree}
    args.told = [word for option, value in told.items() if value for word in (option, value)]
    args.forward = [*args.told, "--seed", str(args.seed), "--library", args.library, "--operators", args.operators]
    return replayed(args) if args.replay or args.case is not None else fuzzed(args)


def replayed(args):
    if args.case is not None:
        cases = [case_of(args, args.case)]
    elif os.path.exists(args.replay):
        with open(args.replay, encoding="utf-8") as file:
            cases = json.load(file)
    else:
        cases = json.loads(args.replay)
    process, failed = Process(args), 0
    process.send(cases=[[i, *case] for i, case in enumerate(cases)], fresh=True, batch=1)
    for message in process.messages():
        if "finding" in message:
            failed += 1
            say(f"FAILED {describe(*cases[message['finding']])}: {message['what']}")
        if "dead" in message:
            failed += 1
            who = describe(*cases[process.running[0]]) if process.running else "the worker"
            say(f"FAILED {who}: {message['dead']}")
    process.end()
    say(f"{max(0, len(cases) - failed)} passed, {failed} failed, 0 skipped")
    return failed != 0


def fuzzed(args):
    parent, start = Parent(args), time.monotonic()
    # Workers share their kernels on disk. Minimised calls share none, because they must fail alone.
    with tempfile.TemporaryDirectory(prefix="gpuprims-fuzz-") as parent.cache:
        workers = [threading.Thread(target=parent.work) for _ in range(args.processes)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    took = time.monotonic() - start
    if parent.findings or parent.dead:
        parent.reduce()
    parent.report()
    if parent.lost:
        say(f"{parent.lost} calls were lost with the workers that died in them")
    say(f"{parent.calls} calls in {took:.1f} s by {args.processes} processes, seed {args.seed}")
    say(f"{max(0, parent.calls - parent.failed)} passed, {parent.failed} failed, 0 skipped")
    return parent.failed != 0


if __name__ == "__main__":
    sys.exit(main())
