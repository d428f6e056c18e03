"""python3 -m tools.farm COMMAND: the farm's commands (tools/farm/README.md)."""
import importlib
import sys

# command: (module, its function, what it does)
COMMANDS = {
    "list": ("store", "list_main", "what stores hold: devices, runs, checks, coverage"),
    "query": ("store", "query_main", "lines of stores whose fields have these values"),
    "merge": ("store", "merge_main", "several stores to one"),
    "validate": ("validate", "main", "stores against schema.json, decisions against their samples"),
    "trust": ("trust", "main", "what of a store is trusted: clocks, throttling, pairs"),
    "propose": ("propose", "main", "which buckets the rerun has to confirm: a plan for gp_tune"),
    "decide": ("decide", "main", "which rows the rerun confirms; report of regret; stability"),
    "retire": ("retire", "main", "rows that an algorithm overtook which their tune did not have go"),
    "table": ("table", "main", "gpuprims_policies.h out of the stores"),
    "tune": ("tune", "main", "search, propose, confirm, decide, table on this machine's GPU"),
    "record": ("recording", "main", "how much this machine's measurements scatter, for tests of the statistics"),
    "regress": ("regress", "main", "this tree against another commit"),
    "layouts": ("layouts", "main", "a kernel of yours over the layouts of its arrays: a decision tree by size"),
    "landscape": ("landscape", "main", "tables and figures of a space measured whole"),
    "study": ("study", "main", "Back40's study, which examples/study measures: its tables"),
    "online": ("online", "main", "online tuners replayed on spaces that the programs of examples/tuner measured"),
    "tuner": ("tuner", "main", "the path of an online tuner as pictures, and as a store of candidates for tune"),
    "worker": ("measure", "worker_main", "a worker that replays a store or makes measurements up"),
}


def main(argv):
    asked = argv[:1] in (["--help"], ["-h"], ["help"])
    if not argv or argv[0] not in COMMANDS:
        out = sys.stdout if asked else sys.stderr
        if argv and not asked:
            print(f"python3 -m tools.farm: no command {argv[0]}", file=out)
        print("usage: python3 -m tools.farm COMMAND ... (COMMAND --help says more)", file=out)
        for name, (_, _, text) in COMMANDS.items():
            print(f"  {name:<10} {text}", file=out)
        return 0 if asked else 2
    module, function, _ = COMMANDS[argv[0]]
    from tools.farm import store
    try:
        return getattr(importlib.import_module(f"tools.farm.{module}"), function)(argv[1:])
    except store.StoreError as error:
        print(f"python3 -m tools.farm {argv[0]}: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("tools."):
            raise
        print(f"python3 -m tools.farm {argv[0]} needs {error.name}: pip install {error.name}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # `list | head`
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
