"""Strangers' files in a folder: only plain files inside it count. A link, in a repository or in a board's output, would
put a file of this machine on a page; reading a pipe never ends.
"""
import os
import stat

KINDS = ((stat.S_ISLNK, "a link"), (stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"),
         (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"))


class Refused(OSError):
    """An error message for the user, in `strerror`."""

    def __init__(self, path, reason):
        super().__init__(None, f"refused: {reason}", named(path))


def named(path):
    """A path as safe text for pages and terminals: a stranger may have chosen it."""
    return path if path.isprintable() else ascii(path)[1:-1]


def why_not(folder, name):
    """Why a file of a folder, by its path there, must not be read, or ""; OSError if it does not exist."""
    parts = name.split(os.sep)
    if os.path.isabs(name) or "\0" in name or not set(parts).isdisjoint(("", ".", "..")):
        return "its path leaves the folder"
    if not name.isprintable():
        return "its name is not one line of text"
    for count in range(1, len(parts) + 1):
        mode = os.lstat(os.path.join(folder, *parts[:count])).st_mode
        if stat.S_ISREG(mode) and count == len(parts) or stat.S_ISDIR(mode) and count < len(parts):
            continue
        what = next((text for test, text in KINDS if test(mode)), "no file")
        return f"it is {what}" if count == len(parts) else f"it lies in {what}"
    return ""


def path_of(folder, name):
    """The path of a plain file of a folder; raises Refused, or OSError if it does not exist."""
    reason = why_not(folder, name)
    if reason:
        raise Refused(os.path.join(folder, name), reason)
    return os.path.join(folder, name)


def check(folder, *names):
    """Raises Refused if one of these paths below a folder, or anything in them, is neither a plain file nor a folder.
    No names: checks everything."""
    for name in names or ("",):
        path = folder
        for part in name.split(os.sep):
            path = os.path.join(path, part)
            if os.path.islink(path):
                raise Refused(path, "it is a link")
        if os.path.lexists(path) and not os.path.isdir(path):
            path_of(folder, name)
        for inside, reason in below(path)[1]:
            raise Refused(os.path.join(path, inside), reason)


def is_plain(folder, name):
    try:
        return not why_not(folder, name)
    except (OSError, ValueError):
        return False


def below(folder):
    """([path below it], [(path below it, why it is refused)]) for all files of a folder, in order. Links to folders are
    refused too, and not followed."""
    found, refused = [], []
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted([*names, *(one for one in folders if os.path.islink(os.path.join(place, one)))]):
            path = os.path.relpath(os.path.join(place, name), folder)
            reason = why_not(folder, path)
            refused += [(named(path), reason)] * bool(reason)
            found += [path] * (not reason)
    return sorted(found), sorted(refused)
