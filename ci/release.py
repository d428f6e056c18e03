#!/usr/bin/env python3
"""A release: its artifacts, its notes, and a draft on GitHub (Python's standard library only).

    ci/release.py --dry-run [--out FOLDER]        everything but the draft: make release ARGS=--dry-run
    ci/release.py --tag vX.Y.Z [--out FOLDER]     checks the tag, builds the artifacts
    ci/release.py --try LIBRARY                   does a released library load on this machine and answer?
    ci/release.py --tag vX.Y.Z --draft [--out FOLDER] [--github OWNER/NAME]   drafts the release from FOLDER, by gh

The tag must be GPUPRIMS_VERSION of gpuprims.h, and CHANGELOG.md must have notes for it (with --dry-run "[Unreleased]"
does). Artifacts are made from the files of the commit HEAD, not from the working tree, and two runs make the same
bytes with the same compilers: gpuprims.h, gpuprims_policies.h, libgpuprims-X.Y.Z-ARCH.so for x86-64 and aarch64, a
source archive, notes.md, SHA256SUMS. The compiler is $CC of this machine; for the other architecture it is
ARCH-linux-gnu-gcc (apt-get install gcc-aarch64-linux-gnu). An architecture without a compiler is an error, and with
--dry-run a line that says what to install.

Exit status: 0 done; 1 the tag, the version and the notes do not agree; 2 something is missing or does not build.
"""
import argparse
import ctypes
import gzip
import hashlib
import io
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ARCHITECTURES = ("x86_64", "aarch64")
MACHINES = {"x86_64": 62, "aarch64": 183}  # e_machine of an ELF file
OPTIMISE = "-O2"
GLIBC = 35  # a released library loads with glibc 2.35 and later
MOST_NOTES = 120  # lines
SUMS, NOTES = "SHA256SUMS", "notes.md"


class Wrong(Exception):
    """Tag, version and notes do not agree."""


class CannotRun(Exception):
    """Something is missing, or does not build."""


def command(*words, cwd=ROOT, env=None):
    """A command's output, in bytes."""
    try:
        done = subprocess.run(words, cwd=cwd, env=env, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    except OSError as error:
        raise CannotRun(f"{words[0]}: {error.strerror}") from error
    if done.returncode:
        raise CannotRun(f"{' '.join(words)}: {done.stderr.decode(errors='replace').strip()[-2000:]}")
    return done.stdout


def version_of(header):
    """GPUPRIMS_VERSION, which must be what its three numbers say."""
    numbers = re.findall(r"^#define GPUPRIMS_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.M)
    text = re.search(r'^#define GPUPRIMS_VERSION "([^"]+)"$', header, re.M)
    if not text or text.group(1) != ".".join(numbers) or len(numbers) != 3:
        raise Wrong(f"gpuprims.h: GPUPRIMS_VERSION is {text.group(1) if text else 'not there'}, its numbers are "
                    f"{'.'.join(numbers)}")
    return text.group(1)


def abi_of(version):
    """The soname's suffix, as the Makefile has it."""
    major, minor, _ = version.split(".")
    return f"0.{minor}" if major == "0" else major


def notes_of(changelog, version, unreleased=False):
    """The section of a version, without its heading."""
    names = [version] + (["Unreleased"] if unreleased else [])
    for name in names:
        found = re.search(rf"^## \[{re.escape(name)}\][^\n]*\n(.*?)(?=^## \[|^\[[^\]]+\]: |\Z)", changelog, re.M | re.S)
        if found and found.group(1).strip():
            notes = found.group(1).strip() + "\n"
            if notes.count("\n") > MOST_NOTES:
                raise Wrong(f"CHANGELOG.md: [{name}] has {notes.count(chr(10))} lines, more than {MOST_NOTES}")
            return notes
    raise Wrong(f"CHANGELOG.md has no notes for [{version}]")


def check_tag(tag, version):
    if not re.fullmatch(r"v\d+\.\d+\.\d+", tag):
        raise Wrong(f"tag {tag} is not of the form vX.Y.Z")
    if tag != f"v{version}":
        raise Wrong(f"tag {tag} is not v{version}, the version of gpuprims.h")


def compiler_for(architecture):
    """The compiler, or None."""
    if architecture == platform.machine():
        words = os.environ.get("CC", "gcc")
    else:
        words = f"{architecture}-linux-gnu-gcc"
    return words if shutil.which(words) else None


def package_of(architecture):
    """Debian's package of the other architecture's compiler."""
    return f"gcc-{architecture.replace('_', '-')}-linux-gnu"


def build(compiler, folder, version, target):
    """The shared library from the header in `folder`, as `make lib` builds it, but for OpenMP: a released library must
    load where no OpenMP is installed."""
    command(compiler, OPTIMISE, "-g0", "-fPIC", "-shared", f"-Wl,-soname,libgpuprims.so.{abi_of(version)}",
            "-Wl,--build-id=sha1", f"-ffile-prefix-map={folder}=.", '-DGPUPRIMS_SOURCE="gpuprims.h"', "-I.", "-x", "c",
            "-DGPUPRIMS_IMPLEMENTATION", "gpuprims.h", "-x", "none", "-o", target, "-ldl", "-lpthread", "-lm",
            cwd=folder, env={**os.environ, "LC_ALL": "C"})


def check_library(path, architecture, version):
    """Is it of this architecture, does it say its soname, does it carry the device text?"""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"\x7fELF" or int.from_bytes(data[18:20], "little") != MACHINES[architecture]:
        raise CannotRun(f"{path} is not a library for {architecture}")
    for wanted in (f"libgpuprims.so.{abi_of(version)}".encode() + b"\0", b"/* device text of gpuprims.h\n"):
        if wanted not in data:
            raise CannotRun(f"{path} lacks {wanted!r}")
    newest = max(int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", data))
    if newest > GLIBC:
        raise CannotRun(f"{path} needs glibc 2.{newest}, later than 2.{GLIBC}: build it on an older system")


def source_archive(version, target):
    """All files of the commit, as git archives them: times and owners are the commit's, so the bytes are, too."""
    data = command("git", "archive", "--format=tar", f"--prefix=gpuprims-{version}/", "HEAD")
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", filename="", mtime=0, compresslevel=9) as file:
        file.write(data)
    with open(target, "wb") as file:
        file.write(packed.getvalue())


def sums_of(folder):
    """The text of SHA256SUMS, as sha256sum --check reads it: all files that a release has; the notes are its text."""
    lines = []
    for name in sorted(os.listdir(folder)):
        if name not in (SUMS, NOTES):
            with open(os.path.join(folder, name), "rb") as file:
                lines.append(f"{hashlib.sha256(file.read()).hexdigest()}  {name}\n")
    return "".join(lines)


def make(tag, out, dry_run):
    header = command("git", "show", "HEAD:gpuprims.h")
    version = version_of(header.decode())
    if tag:
        check_tag(tag, version)
    changelog = command("git", "show", "HEAD:CHANGELOG.md").decode()
    notes = notes_of(changelog, version, unreleased=dry_run)
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    files = {"gpuprims.h": header, "gpuprims_policies.h": command("git", "show", "HEAD:gpuprims_policies.h"),
             NOTES: notes.encode()}
    for name, data in files.items():
        with open(os.path.join(out, name), "wb") as file:
            file.write(data)
    with tempfile.TemporaryDirectory(prefix="gpuprims-release-") as folder:
        for name in ("gpuprims.h", "gpuprims_policies.h"):
            shutil.copy(os.path.join(out, name), folder)
        for architecture in ARCHITECTURES:
            compiler = compiler_for(architecture)
            if not compiler:
                missing = f"no compiler for {architecture}: apt-get install {package_of(architecture)}"
                if not dry_run:
                    raise CannotRun(missing)
                print(f"skipped: {missing}")
                continue
            target = os.path.join(out, f"libgpuprims-{version}-{architecture}.so")
            build(compiler, folder, version, target)
            check_library(target, architecture, version)
    source_archive(version, os.path.join(out, f"gpuprims-{version}.tar.gz"))
    with open(os.path.join(out, SUMS), "w", encoding="utf-8") as file:
        file.write(sums_of(out))
    for name in sorted(os.listdir(out)):
        print(f"{os.path.getsize(os.path.join(out, name)):10}  {name}")
    return version


def try_library(path):
    """Loads a library as another language does: its version, and a context that is opened and closed."""
    library = ctypes.CDLL(os.path.abspath(path))
    number = library.gp_version()
    version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    if f"-{version}-" not in os.path.basename(path):
        raise Wrong(f"{path} says that it is {version}")
    library.gp_result_name.restype = ctypes.c_char_p
    if library.gp_result_name(0) != b"GP_SUCCESS":
        raise CannotRun(f"{path}: gp_result_name(0) is {library.gp_result_name(0)}")
    context = ctypes.c_void_p()
    result = library.gp_open(None, ctypes.byref(context)) or library.gp_close(context)
    if result:
        raise CannotRun(f"{path}: gp_open and gp_close: {library.gp_result_name(result).decode()}")
    return version


def draft(tag, out, repository):
    """The release as a draft, from a folder that make() left; nobody sees it before a person publishes it."""
    with open(os.path.join(out, SUMS), encoding="utf-8") as file:
        if file.read() != sums_of(out):
            raise CannotRun(f"{out}: {SUMS} does not match the files in its folder")
    files = [os.path.join(out, name) for name in sorted(os.listdir(out)) if name != NOTES]
    command("gh", "release", "create", tag, "--draft", "--verify-tag", "--title", f"gpuprims {tag[1:]}", "--notes-file",
            os.path.join(out, NOTES), *(["--repo", repository] if repository else []), *files)
    print(f"{tag}: drafted, with {len(files)} files")


def main(words=None):
    parser = argparse.ArgumentParser(description="a release's artifacts and its draft")
    parser.add_argument("--tag")
    parser.add_argument("--out", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--draft", action="store_true")
    parser.add_argument("--github", default="")
    parser.add_argument("--try", dest="library")
    options = parser.parse_args(words)
    if not options.library and not options.tag and not options.dry_run or options.draft and not options.tag:
        parser.error("--tag vX.Y.Z, --dry-run, or --try LIBRARY; --draft needs --tag")
    if options.draft and options.dry_run:
        parser.error("--dry-run drafts nothing")
    out = os.path.abspath(options.out)
    try:
        if options.library:
            print(f"{options.library}: gpuprims {try_library(options.library)} loads")
        elif options.draft:
            draft(options.tag, out, options.github)
        else:
            version = make(options.tag, out, options.dry_run)
            print(f"gpuprims {version}: artifacts in {out}" + (", nothing published" if options.dry_run else ""))
    except Wrong as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    except (CannotRun, OSError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
