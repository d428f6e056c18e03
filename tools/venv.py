#!/usr/bin/env python3
"""venv.py DIR LOCK: makes a virtual environment with the packages of a lock file, each checked against its hashes, and
DIR/.ready when it is complete.

Changes nothing outside DIR. If the system's Python cannot make an environment with pip, it tries other ways in turn. If
all fail, it prints the command that helps.
"""
import os
import re
import shutil
import subprocess
import sys


def runs(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def make(directory):
    """Makes the environment; returns the command line of a pip that installs into it."""
    python = os.path.join(directory, "bin", "python")
    tries = []
    # This Python's own pip, where it is 22.3 or later, saves the time of putting another one into the environment.
    shutil.rmtree(directory, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "--python", python]
    if not runs(sys.executable, "-m", "venv", "--without-pip", directory).returncode and \
            not runs(*command, "--version").returncode:
        return command
    for command in ([sys.executable, "-m", "venv", directory], [sys.executable, "-m", "virtualenv", directory]):
        shutil.rmtree(directory, ignore_errors=True)
        done = runs(*command)
        if done.returncode == 0:
            return [python, "-m", "pip"]
        tries.append((command, done.stdout))
    for command, output in tries:
        print(f"{' '.join(command)}\n{output.strip()}\n", file=sys.stderr)
    shutil.rmtree(directory, ignore_errors=True)
    sys.exit("venv.py: no way to make a virtual environment: apt-get install python3-venv")


def main():
    directory, lock = sys.argv[1:]
    print(f"setting up {directory} from {lock}", flush=True)
    pip = make(directory)
    # The lock's setuptools builds source packages: pip would fetch another one, without a check of its hash.
    first = os.path.join(directory, "setuptools.lock")
    with open(lock, encoding="utf-8") as whole, open(first, "w", encoding="utf-8") as file:
        file.write(re.search(r"^setuptools==.*\n(?: .*\n)+", whole.read(), re.M).group())
    for path in (first, lock):
        # (Python compiles modules when they are imported; pip would compile all of them.)
        done = runs(*pip, "install", "--quiet", "--no-compile", "--disable-pip-version-check", "--no-input",
                    "--require-hashes", "--no-build-isolation", "-r", path)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}\nvenv.py: pip could not install {lock}: is a package index within reach? VENV=no "
                     "runs on the packages of python3 itself")
    open(os.path.join(directory, ".ready"), "w").close()


if __name__ == "__main__":
    main()
