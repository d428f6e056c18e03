"""Records what a row's Python processes read of the tree, for tests/run.py, which keeps the results of rows with
unchanged inputs. Python imports this file at its start if PYTHONPATH has its folder.

The file named by GPUPRIMS_WATCH gets lines: "read PATH" for each opened file and folder of the tree, "commits" if git
reads the tree's commits, "opaque WHAT" for programs and libraries that this file cannot watch.
"""
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LOG = os.environ.get("GPUPRIMS_WATCH")
# Parts of build/ that are not inputs: installed packages, compiled modules, the tests' own outputs, and a library of
# tools/tune/cells.c and its neighbours.
OWN = ("build/venv/", "build/tests/", "build/pycache/", "build/cells.so")
CELLS = "build/cells.so.fresh"  # that library, while it is made (tools/farm/cell_keys.py)
# Commands of git that read commits, the list of files and the remotes, but no file of the tree.
OF_COMMITS = {"rev-parse", "rev-list", "log", "show", "archive", "cat-file", "ls-tree", "ls-files", "merge-base",
              "clone", "remote"}
STARTS = {"os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn"}

seen, inside = set(), [False]


def note(line):
    if line in seen:
        return
    seen.add(line)
    try:
        log = os.open(LOG, os.O_WRONLY | os.O_APPEND)  # never rebuilt
        try:
            text = os.fsencode(line + "\n")
            if os.write(log, text) != len(text):
                raise OSError
        finally:
            os.close(log)
    except OSError:
        if os.path.exists(LOG):
            os.unlink(LOG)  # then the reads are unknown


def in_tree(path):
    """A path relative to the tree's root; None outside of it."""
    path = os.path.realpath(os.fsdecode(path))
    return os.path.relpath(path, ROOT) if path == ROOT or path.startswith(ROOT + os.sep) else None


def read(path):
    if path is None or isinstance(path, int):
        return
    path = in_tree(path)
    if path is None or path.startswith(".git" + os.sep) or "\n" in path:
        return note("opaque .git") if path else None
    compiled = "build/pycache" + ROOT + "/"  # of a module of the tree
    if path.startswith(compiled):
        path = re.sub(r"\.cpython-[^/]*\.pyc.*$", ".py", path[len(compiled):])
    if path in ("build", ".") or not path.startswith("build/"):
        note(f"read {path}")
    elif not f"{path}/".startswith(OWN):
        note(f"opaque {path}")


def watched(env):
    return env is None or (env.get("GPUPRIMS_WATCH") == LOG and HERE in env.get("PYTHONPATH", "").split(os.pathsep))


def git(words, cwd):
    """Records whether it reads the tree, or its commits."""
    words, folders = list(words[1:]), [cwd or os.getcwd()]
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word in ("-C", "-c") and words:
            value = words.pop(0)
            folders += [os.path.join(folders[-1], value)] if word == "-C" else []
        elif word.startswith("--git-dir=") or word.startswith("--work-tree="):
            folders.append(word.partition("=")[2])
    if in_tree(folders[-1]) is None and not any(ROOT in word for word in words):
        return
    end = words.index("--") if "--" in words else len(words)
    names = [word for word in words[1:end] if not word.startswith("-")]
    differ = words[:1] == ["diff"] and len(names) == 2 and "--no-index" not in words  # of two commits
    differ = differ and ("--" in words or all(re.fullmatch("[0-9a-f]{40}", word) for word in names))
    note("commits" if words and words[0] in OF_COMMITS or differ else f"opaque git {' '.join(words[:1])}")


def start(program, words, cwd, env):
    """Another program: a watched Python, git, or an opaque one."""
    program = os.fsdecode(program)
    words = [os.fsdecode(word) for word in ([words] if isinstance(words, (str, bytes)) else words)]
    name = os.path.basename(program)
    if name == "git":
        return git(words, cwd)
    if name == "tar" and words[1:2] and re.match("-?x", words[1]) and not any(ROOT in word for word in words):
        return None  # it unpacks its input
    inputs = [word for word in words if word.endswith((".c", ".h"))]
    if words[-1] == os.path.join(ROOT, CELLS) and all(word.startswith("tools/tune/") for word in inputs):
        return None
    found = shutil.which(program, path=(os.environ if env is None else env).get("PATH"))
    if found and in_tree(found) is None:
        with open(found, "rb") as file:
            first = file.readline(200)
        if re.match(rb"#!\S*(/env )?\S*python[\d.]*\s*$", first):
            name = "python"
    apart = [word for word in words[1:] if re.match(r"-[a-zA-Z]*[IES]", word)]
    if not re.fullmatch(r"python[\d.]*", name) or apart or not watched(env):
        note(f"opaque {name}")
    return None


def library(name):
    """None: this program itself. A name without a folder is the system's."""
    if name is None:
        return
    name = os.fsdecode(name)
    path = in_tree(name) if os.sep in name else None
    if re.search("nv|cuda", os.path.basename(name)) or path and not path.startswith(OWN):
        note(f"opaque {os.path.basename(name)}")


def hook(event, arguments):
    if inside[0]:
        return
    inside[0] = True
    try:
        if event == "open":
            read(arguments[0])
        elif event in ("os.listdir", "os.scandir"):
            read(arguments[0] if arguments[0] is not None else ".")
        elif event in ("os.link", "os.symlink"):
            read(arguments[0])
        elif event == "subprocess.Popen":
            start(*arguments)
        elif event == "ctypes.dlopen":
            library(arguments[0])
        elif event in STARTS:
            note(f"opaque {event}")
    except Exception as error:  # an unknown event keeps no result
        note(f"opaque {error!r}")
    finally:
        inside[0] = False


if LOG:
    note("watched")
    sys.addaudithook(hook)
