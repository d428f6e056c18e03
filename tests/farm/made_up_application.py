"""An application for the tests of tools/farm/applications.py: two kernels that share two arrays, with known times.

    made_up_application.py MODEL.json --describe | --measure

The model: "features" (default: size), "cases" {name: features}, "device", "capability", "stamp"; "factors": [words of
a described point, kernel, factor] multiply a kernel's 100 us wherever all words occur; "crash", "hang": words of points
at which the program dies, or sleeps; "wrong", "lost" (of kernel `first`): words of points that answer so; "bad": cases
that cannot be loaded; "log": a file that gets a line a loaded case; "compiled": a file that gets a line a compiled
point; "slow": seconds of a run."""
import json
import os
import signal
import sys
import time

KERNELS = ["first", "second"]
FIELDS = [("", "A", ["GP_AOS", "GP_SOA", "32"], [1, 0, 32]),
          ("", "B", ["GP_AOS", "GP_AOS+GP_TRANSPOSED"], [1, 1 | 1 << 63]),
          ("first", "Tile", ["GP_AOS", "GP_SOA"], [1, 0]),
          ("first", "prefer", ["l1", "shared"], [0, 1]),
          ("second", "Tile", ["GP_AOS", "GP_SOA", "16"], [1, 0, 16]),
          ("second", "prefer", ["l1", "shared"], [0, 1])]


def described(case, values):
    words = [f"{kernel + '.' if kernel else ''}{name}={texts[value]}"
             for (kernel, name, texts, _), value in zip(FIELDS, values)]
    return " ".join([f"case={case}", *words]) + " "


def has(text, words):
    return all(f"{word} " in text for word in words.split())


def answer(model, case, identity, rounds, values):
    text = described(case, values)
    if any(has(text, words) for words in model.get("crash", ())):
        print("a fault of the made-up program", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if any(has(text, words) for words in model.get("hang", ())):
        time.sleep(60)
    time.sleep(model.get("slow", 0))
    if any(has(text, words) for words in model.get("wrong", ())):
        return {"run": identity, "failed": "another result than the default's"}
    us, lost = {}, {}
    for kernel in KERNELS:
        time_us = 100.0
        for words, of, factor in model.get("factors", ()):
            if of == kernel and has(text, words):
                time_us *= factor
        us[kernel] = [time_us * (1 + 0.001 * (number % 3)) for number in range(rounds)]
    if any(has(text, words) for words in model.get("lost", ())):
        us["first"], lost["first"] = [], "too many resources requested for launch"
    return {"run": identity, "us": us, "lost": lost}


def main(path, mode):
    with open(path, encoding="utf-8") as file:
        model = json.load(file)
    cases = model.get("cases", {"one": [1000]})
    if mode == "--describe":
        fields = [dict(zip(("kernel", "name", "values", "numbers"), field)) for field in FIELDS]
        print(json.dumps({"application": "made_up", "device": model.get("device", "GPU 1"),
                          "compiles": "compiled" in model,
                          "capability": model.get("capability", 90), "stamp": model.get("stamp", "a"),
                          "kernels": KERNELS, "features": model.get("features", ["size"]), "fields": fields,
                          "cases": [{"name": name, "features": values} for name, values in cases.items()]}))
        return
    case = None
    for line in sys.stdin:
        words = line.split()
        if words[0] == "case":
            bad = words[1] in model.get("bad", ())
            case = None if bad else words[1]
            if "log" in model:
                with open(model["log"], "a", encoding="utf-8") as file:
                    file.write(words[1] + "\n")
            said = {"case": words[1], **({"failed": "its scene has no triangles"} if bad else {})}
        elif words[0] == "compile":
            with open(model["compiled"], "a", encoding="utf-8") as file:
                file.write(" ".join(words[1:]) + "\n")
            said = {"compile": words[1]}
        else:
            said = answer(model, case, words[1], int(words[2]), list(map(int, words[3:])))
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
