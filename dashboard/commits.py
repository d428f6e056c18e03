"""Commits: what git knows about the measured ones, and the changes between two."""
import re
import subprocess

PATHS = ["gpuprims.h", "gpuprims_policies.h"]  # files that affect measurements
MOST_DIFFS = 80         # pages of diffs, newest ones
LARGEST = 150_000       # characters of a diff on a page
MOST_LISTED = 200       # commits, files


def git(repository, *words, data=None):
    """git's output; "" without git, a repository, or such an object."""
    try:
        done = subprocess.run(["git", "-C", repository, *words], input=data, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, check=False, errors="replace", timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def web_address(text):
    """https://host/owner/name for a remote's address, or "" if it has no web page."""
    match = re.fullmatch(r"(?:https://|ssh://)?(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+)[:/]([\w./-]+?)(?:\.git)?/?",
                         text.strip())
    return f"https://{match[1]}/{match[2]}" if match else ""


def name_of(commit):
    """A commit's common form, because stores abbreviate differently; without the "+" of a changed tree."""
    return commit.rstrip("+")[:7] if re.fullmatch(r"[0-9a-f]{7,40}\+?", commit or "") else ""


class Commits:
    """The measured commits. known: {short name: (hash, date, subject)}; pairs: [(before, after)] of short names whose
    diff has a page. url: the repository's web address, or ""."""

    def __init__(self, repository, url, measured=(), pairs=()):
        self.repository, self.url, self.known = repository, url, {}
        names = sorted({name_of(commit) for commit in measured} - {""})
        found = git(repository, "cat-file", "--batch-check", data="".join(f"{name}^{{commit}}\n" for name in names))
        hashes = [line.split()[0] for line in found.splitlines() if line.endswith(tuple("0123456789"))]
        if hashes:
            log = git(repository, "log", "--no-walk", "--stdin", "--format=%H%x00%cs%x00%s",
                      data="\n".join(hashes) + "\n")
            for line in log.splitlines():
                full, date, subject = line.split("\0")
                for name in names:
                    if full.startswith(name):
                        self.known[name] = full, date, subject
        pairs = {(name_of(before), name_of(after)) for before, after in pairs}
        pairs = [pair for pair in pairs if pair[0] != pair[1] and all(name in self.known for name in pair)]
        self.pairs = sorted(pairs, key=lambda pair: (self.known[pair[1]][1], pair), reverse=True)[:MOST_DIFFS]
        self.paired = set(self.pairs)

    def path_of(self, before, after):
        """The address of a diff's page, or ""."""
        pair = name_of(before), name_of(after)
        return f"commits/{pair[0]}-{pair[1]}.html" if pair in self.paired else ""

    def between(self, before, after):
        """A pair's {"log": [(name, date, subject)], "files": [(added, removed, path)], "diff": [(kind, line)], "left":
        number of omitted diff lines, "command"}."""
        one, other = self.known[before][0], self.known[after][0]
        log = [line.split("\0") for line in git(self.repository, "log", f"-{MOST_LISTED}", "--format=%h%x00%cs%x00%s",
                                                f"{one}..{other}").splitlines()]
        files = [line.split("\t") for line in git(self.repository, "diff", "--no-ext-diff", "--numstat", one,
                                                  other).splitlines()]
        text = git(self.repository, "diff", "--no-ext-diff", "--no-color", one, other, "--", *PATHS)
        shown = text[:LARGEST].rsplit("\n", 1)[0] if len(text) > LARGEST else text
        lines = shown.splitlines()
        kinds = {"+": "added", "-": "removed", "@": "place"}
        return {"log": log, "files": [file for file in files if len(file) == 3][:MOST_LISTED],
                "left_files": max(0, len(files) - MOST_LISTED), "diff": joined(
                    (kinds.get(line[:1], "") if not line.startswith(("+++", "---")) else "", line) for line in lines),
                "left": text.count("\n") - shown.count("\n") if len(text) > LARGEST else 0,
                "command": f"git diff {before} {after} -- {' '.join(PATHS)}"}


def joined(lines):
    """[(kind, text)]: merges neighbours of one kind, so that a page has few elements."""
    found = []
    for kind, line in lines:
        if found and found[-1][0] == kind:
            found[-1][1].append(line)
        else:
            found.append((kind, [line]))
    return [(kind, "\n".join(those)) for kind, those in found]
