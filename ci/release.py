#!/usr/bin/env python3
"""A release: its artifacts, its notes, and a draft on GitHub (Python's standard library only).

    ci/release.py --dry-run [--out FOLDER]        everything but the draft: make release ARGS=--dry-run
    ci/release.py --wheel --out FOLDER            builds the Python package's wheel for this machine's architecture
    ci/release.py --tag vX.Y.Z --wheels FOLDER [--out FOLDER]   checks the tag, builds the artifacts
    ci/release.py --try FILE                      does a released library or wheel load on this machine and answer?
    ci/release.py --tag vX.Y.Z --draft [--out FOLDER] [--github OWNER/NAME]   drafts the release from FOLDER, by gh

The tag must be GPUPRIMS_VERSION of gpuprims.h, and CHANGELOG.md must have notes for it (with --dry-run "[Unreleased]"
does). Artifacts are made from the files of the commit HEAD, not from the working tree, and two runs make the same
bytes with the same compilers: gpuprims.h, gpuprims_policies.h, libgpuprims-X.Y.Z-ARCH.so for x86-64 and aarch64, a
wheel for each, a source archive, notes.md, SHA256SUMS. The compiler is $CC of this machine; for the other architecture
it is ARCH-linux-gnu-gcc (apt-get install gcc-aarch64-linux-gnu). Each wheel is built on a machine of its architecture
and put into --wheels; what builds it comes from requirements.lock, by pip. An architecture without a compiler or a
wheel is an error, and with --dry-run a line that says what is missing.

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
import tarfile
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ARCHITECTURES = ("x86_64", "aarch64")
MACHINES = {"x86_64": 62, "aarch64": 183}  # e_machine of an ELF file
OPTIMISE = "-O2"
GLIBC = 35  # a released library loads with glibc 2.35 and later
MOST_NOTES = 120  # lines
MOST_WHEEL = 3_000_000  # bytes
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


def check_elf(path, data, architecture, *needed):
    """Is it a library of this architecture that older systems load, and does it have these bytes?"""
    if data[:4] != b"\x7fELF" or int.from_bytes(data[18:20], "little") != MACHINES[architecture]:
        raise CannotRun(f"{path} is not a library for {architecture}")
    for wanted in (*needed, b"/* device text of gpuprims.h\n"):
        if wanted not in data:
            raise CannotRun(f"{path} lacks {wanted!r}")
    newest = max(int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", data))
    if newest > GLIBC:
        raise CannotRun(f"{path} needs glibc 2.{newest}, later than 2.{GLIBC}: build it on an older system")
    if b"libgomp" in data:
        raise CannotRun(f"{path} needs OpenMP's library, which a system may lack")


def check_library(path, architecture, version):
    """Is it of this architecture, does it say its soname, does it carry the device text?"""
    with open(path, "rb") as file:
        check_elf(path, file.read(), architecture, f"libgpuprims.so.{abi_of(version)}".encode() + b"\0")


# ---- the Python package


def wheel_name(version, architecture):
    return f"gpuprims-{version}-cp310-abi3-manylinux_2_{GLIBC}_{architecture}.whl"


def check_wheel(path, architecture, version):
    """Is it for this architecture, with the library inside, small, and without what a system may lack?"""
    if os.path.basename(path) != wheel_name(version, architecture):
        raise CannotRun(f"{path} is not named {wheel_name(version, architecture)}")
    if os.path.getsize(path) > MOST_WHEEL:
        raise CannotRun(f"{path} has {os.path.getsize(path)} bytes, more than {MOST_WHEEL}")
    with zipfile.ZipFile(path) as file:
        names = file.namelist()
        for name in ("gpuprims/__init__.py", "gpuprims/raw.pyi", "gpuprims/_gpuprims.abi3.so"):
            if name not in names:
                raise CannotRun(f"{path} lacks {name}")
        check_elf(path, file.read("gpuprims/_gpuprims.abi3.so"), architecture)


def locked(lock, *names):
    """The blocks of packages in a lock file, with their hashes."""
    blocks = [re.search(rf"^{name}==.*\n(?: .*\n)+", lock, re.M) for name in names]
    if None in blocks:
        raise CannotRun(f"requirements.lock lacks one of {', '.join(names)}")
    return "".join(re.sub(r" ; [^\\\n]*", " ", block.group()) for block in blocks)


def python_for_wheels(folder):
    """A Python with what builds the package, as requirements.lock has it."""
    path = os.path.join(folder, "requirements.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(locked(command("git", "show", "HEAD:requirements.lock").decode(), "setuptools", "cffi", "pycparser"))
    command(sys.executable, "-m", "venv", os.path.join(folder, "venv"))
    python = os.path.join(folder, "venv", "bin", "python")
    command(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--require-hashes",
            "--only-binary", ":all:", "-r", path)
    return python


def make_wheel(out):
    """The wheel for this machine from the commit's files. It has no OpenMP, as a released library has none."""
    version, architecture = version_of(command("git", "show", "HEAD:gpuprims.h").decode()), platform.machine()
    os.makedirs(out, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="gpuprims-wheel-") as folder:
        packed = command("git", "archive", "--format=tar", "HEAD", "python", "gpuprims.h", "gpuprims_policies.h",
                         "LICENSE")
        with tarfile.open(fileobj=io.BytesIO(packed)) as file:
            file.extractall(folder)
        env = {name: value for name, value in os.environ.items() if name != "GPUPRIMS_SYSTEM_LIBRARY"}
        env.update(GPUPRIMS_OPENMP="no", LC_ALL="C",
                   SOURCE_DATE_EPOCH=command("git", "log", "-1", "--format=%ct").decode().strip())
        command(python_for_wheels(folder), "setup.py", "-q", "bdist_wheel", "--plat-name",
                f"manylinux_2_{GLIBC}_{architecture}", "--dist-dir", os.path.abspath(out),
                cwd=os.path.join(folder, "python"), env=env)
    path = os.path.join(out, wheel_name(version, architecture))
    check_wheel(path, architecture, version)
    return path


def try_wheel(path):
    """Installs a wheel in a fresh environment and runs the demonstration, as a user does."""
    with tempfile.TemporaryDirectory(prefix="gpuprims-try-") as folder:
        command(sys.executable, "-m", "venv", os.path.join(folder, "venv"))
        python = os.path.join(folder, "venv", "bin", "python")
        command(python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", os.path.abspath(path))
        said = command(python, "-m", "gpuprims.demo", cwd=folder).decode()
        if "NumPy says the same." not in said:
            raise CannotRun(f"{path}: the demonstration says {said!r}")
        version = command(python, "-c", "import gpuprims; print(gpuprims.__version__)", cwd=folder).decode().strip()
    if f"-{version}-" not in os.path.basename(path):
        raise Wrong(f"{path} says that it is {version}")
    return version


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


def make(tag, out, dry_run, wheels=None):
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
    for architecture in ARCHITECTURES:
        path = os.path.join(wheels or "", wheel_name(version, architecture))
        if wheels and os.path.exists(path):
            check_wheel(path, architecture, version)
            shutil.copy(path, out)
        elif dry_run:
            print(f"skipped: no wheel for {architecture}: ci/release.py --wheel on such a machine, then --wheels")
        else:
            raise CannotRun(f"no {wheel_name(version, architecture)} in {wheels or '--wheels'}: ci/release.py --wheel")
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
    parser.add_argument("--wheel", action="store_true")
    parser.add_argument("--wheels")
    options = parser.parse_args(words)
    if not (options.library or options.tag or options.dry_run or options.wheel) or options.draft and not options.tag:
        parser.error("--tag vX.Y.Z, --dry-run, --wheel, or --try FILE; --draft needs --tag")
    if options.draft and options.dry_run:
        parser.error("--dry-run drafts nothing")
    out = os.path.abspath(options.out)
    try:
        if options.library:
            load = try_wheel if options.library.endswith(".whl") else try_library
            print(f"{options.library}: gpuprims {load(options.library)} loads")
        elif options.wheel:
            print(make_wheel(out))
        elif options.draft:
            draft(options.tag, out, options.github)
        else:
            version = make(options.tag, out, options.dry_run, options.wheels)
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
