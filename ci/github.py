"""The GitHub command line, if it is installed and authorised; otherwise a night prints everything."""
import json
import os
import shutil
import subprocess

from ci import steps


def gh(*words, check=True):
    """gh's answer; None if a tolerated failure occurred."""
    done = subprocess.run(["gh", *words], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, errors="replace", env={**os.environ, "GH_PROMPT_DISABLED": "1"})
    if done.returncode == 0:
        return done.stdout.strip()
    if check:
        raise steps.CannotRun(f"gh {' '.join(words[:2])}: {done.stderr.strip() or done.returncode}")
    return None


def is_there():
    return shutil.which("gh") is not None and gh("auth", "status", check=False) is not None


def found(*words):
    """The list that gh answers as JSON."""
    try:
        return json.loads(gh(*words) or "[]")
    except ValueError as error:
        raise steps.CannotRun(f"gh {' '.join(words[:2])}: its answer is not JSON: {error}") from error


def pull_request_of(branch, repository):
    """The number of the open pull request of a branch, or None."""
    numbers = found("pr", "list", "--head", branch, "--state", "open", "--json", "number", *repository)
    return str(numbers[0]["number"]) if numbers else None


def issues_of(words, repository):
    """The open issues with these words in their titles."""
    return found("issue", "list", "--state", "open", "--search", f'in:title "{words}"', "--limit", "1000", "--json",
                 "number,title,body", *repository)


def issue_of(title, repository):
    """The number of the open issue with exactly this title, or None."""
    return next((str(one["number"]) for one in issues_of(title, repository) if one["title"] == title), None)


def in_repository(name):
    """The option that names the repository, if it is not gh's own choice."""
    return ["--repo", name] if name else []
