"""python3 -m tools.quality.libraries: libraries beside gpuprims, CUB and Thrust for tools/quality.

    --fetch                  their sources, at pinned commits, to build/peers (git)
    --from NAME=REPOSITORY   fetches a library from another repository, also a local one
    --arch sm_90             builds build/libgp_more.so for this architecture; default: this machine's

moderngpu and CUDPP are left out where their sources are missing. The library can be carried to a machine without them.
"""
import argparse
import collections
import os
import sys

from tools import bench

SOURCES = bench.SOURCES
TARGET = os.path.join(bench.BUILD, "libgp_more.so")

# flags: of every compilation that reads its headers. compiled: its own sources that the library links.
Library = collections.namedtuple("Library", "url commit flags compiled")
# Without sa, which needs moderngpu 1, and multisplit, whose shuffles and votes without a mask sm_70 and later lack.
CUDPP_APPS = ("compact", "compress", "listrank", "mergesort", "radixsort", "rand", "reduce", "scan", "segmented_scan",
              "spmvmult", "stringsort", "tridiagonal")
LIBRARIES = {
    "moderngpu": Library("https://github.com/moderngpu/moderngpu", "267cc8d02c03f00f1656f1205c61c946a1e530b0",
                         ["-Isrc", "--extended-lambda"], []),
    "cudpp": Library("https://github.com/cudpp/cudpp", "9dc7357ee818498a87bc2f68f9d887c298e0e3f6",
                     ["-Iinclude", "-Isrc/cudpp", "-Isrc/cudpp/app", "-Isrc/cudpp/kernel", "-Isrc/cudpp/cta"],
                     [f"src/cudpp/app/{name}_app.cu" for name in CUDPP_APPS]
                     + [f"src/cudpp/{name}.cpp" for name in ("cudpp", "cudpp_plan", "cudpp_manager",
                                                             "cudpp_maximal_launch")]),
}
PARTS = {"moderngpu": 1, "thrust": 2, "cudpp": 3}  # of tools/peers/more.cu


def fetch(name, url=None):
    """The pinned commit in build/peers/<name>, without history. Ends the program if git fails."""
    library = LIBRARIES[name]
    return bench.fetch_commit(url or library.url, library.commit, os.path.join(SOURCES, name))


def commit_of(name):
    """The commit of the sources that are here, or None."""
    return bench.git_of(os.path.join(SOURCES, name))


def in_folder(flags, folder):
    return [f"-I{os.path.join(folder, flag[2:])}" if flag.startswith("-I") else flag for flag in flags]


def commands(names, architecture, folder=SOURCES):
    """[(compiler's arguments behind nvcc, the object)] of the library with these libraries beside Thrust."""
    plain = ["-O3", f"-arch={architecture}", "-Xcompiler", "-fPIC,-fvisibility=hidden", "-w"]
    defined = [f"-DGP_MORE_{name.upper()}=\"{LIBRARIES[name].commit[:7]}\"" for name in names]
    made = [([*plain, "-std=c++17", "-DGP_MORE_PART=0", *defined, "-c", "tools/peers/more.cu"], "build/gp_more_0.o")]
    for name in ("thrust", *names):
        flags = in_folder(LIBRARIES[name].flags, os.path.join(folder, name)) if name in LIBRARIES else []
        made.append(([*plain, "-std=c++17", *flags, f"-DGP_MORE_PART={PARTS[name]}", "-c", "tools/peers/more.cu"],
                     f"build/gp_more_{PARTS[name]}.o"))
        for source in LIBRARIES[name].compiled if name in LIBRARIES else []:
            object_ = f"build/gp_more_{name}_{os.path.basename(source).split('.')[0]}.o"
            made.append(([*plain, "-std=c++17", *flags, "-c", os.path.join(folder, name, source)], object_))
    return made


def build(architecture=None):
    """The path of the library, or None with the reason printed. A library that is current needs no nvcc."""
    architecture = architecture or bench.device_architecture()
    if not architecture:
        print("tools.quality: no GPU, so no more peers (--arch names its architecture)", file=sys.stderr)
        return None
    names = [name for name in LIBRARIES if commit_of(name) == LIBRARIES[name].commit]
    sources = ["tools/peers/more.cu", "tools/peers/peers_segments.h", "tools/peers/peers.h", "tools/peers/data.h"]

    def stamp(those):
        return bench.stamp_of(sources, [repr({name: LIBRARIES[name] for name in those}), architecture])

    # With all libraries it is current wherever their sources are, also on a machine to which it was carried.
    if any(bench.current(TARGET, stamp(those)) for those in (LIBRARIES, names)):
        return TARGET
    nvcc = bench.find_nvcc()
    if not nvcc:
        print("tools.quality: no nvcc, so no more peers", file=sys.stderr)
        return None
    for name in LIBRARIES:
        if name not in names:
            print(f"tools.quality: without {name}: python3 -m tools.quality.libraries --fetch", file=sys.stderr)
        elif name == "cudpp":  # its CMake writes this file, empty but for the Windows build
            open(os.path.join(SOURCES, name, "include", "cudpp_config.h"), "a", encoding="utf-8").close()
    import concurrent.futures  # imported here: as in bench.py
    made = commands(names, architecture)
    print(f"tools.quality: compiling more peers for {architecture} (a minute)", file=sys.stderr, flush=True)
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        for job in [pool.submit(bench.run, [nvcc, *arguments, "-o", object_]) for arguments, object_ in made]:
            job.result()
    objects = [object_ for _, object_ in made]
    bench.run([nvcc, "-shared", f"-arch={architecture}", "-cudart", "static", *objects, "-o", TARGET])
    for name in objects:
        os.remove(os.path.join(bench.ROOT, name))
    bench.sign(TARGET, stamp(names))
    return TARGET


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python3 -m tools.quality.libraries", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--from", dest="urls", metavar="NAME=REPOSITORY", action="append", default=[])
    parser.add_argument("--arch")
    args = parser.parse_args(argv)
    urls = dict(url.split("=", 1) for url in args.urls if "=" in url)
    unknown = [url for url in args.urls if url.split("=")[0] not in LIBRARIES or "=" not in url]
    if unknown:
        parser.error(f"--from {unknown[0]}: NAME=REPOSITORY with one of {', '.join(LIBRARIES)}")
    if args.fetch or urls:
        for name in LIBRARIES:
            print(fetch(name, urls.get(name)))
    if args.arch or not (args.fetch or urls):
        os.makedirs(bench.BUILD, exist_ok=True)
        target = build(args.arch)
        print(target or "not built")
        return 0 if target else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
