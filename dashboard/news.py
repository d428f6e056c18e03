"""A night's summary for other programs: feed.xml (Atom, RFC 4287) and status.json (commit statuses)."""
import collections
import json
import os

import jinja2

from dashboard import model, pages

MOST_NIGHTS = 30
LONGEST = 140  # GitHub's limit for a commit status


def write(site, out):
    """Writes both files into a folder."""
    entries = [entry for device in site.devices for entry in entries_of(site, device)]
    entries.sort(key=lambda entry: (entry["updated"], entry["id"]), reverse=True)
    found = jinja2.Environment(loader=jinja2.FileSystemLoader(os.path.join(os.path.dirname(__file__), "templates")),
                               autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    text = found.get_template("feed.xml").render(
        entries=entries[:MOST_NIGHTS], home=site.home, updated=entries[0]["updated"] if entries else
        f"{site.today}T00:00:00Z")
    with open(os.path.join(out, "feed.xml"), "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(out, "status.json"), "w", encoding="utf-8") as file:
        json.dump([status for device in site.devices for status in status_of(site, device)], file, indent=1)
        file.write("\n")


def nights_of(device):
    return sorted({run.night for run in device.runs}, reverse=True)[:MOST_NIGHTS]


def words_of(summary):
    """A line a family: speed, and peer."""
    parts = [model.counted(summary.cells, "cell")]
    if summary.of_peer:
        parts.append(f"{summary.of_peer:.2f} times the fastest peer's speed")
    if summary.of_week:
        parts.append(f"{100 * (summary.of_week - 1):+.1f} % against a week before")
    return ", ".join(parts)


def entries_of(site, device):
    """A device's nights, newest first."""
    slow, past, _ = model.cases_of(device, site.accepted)
    confirmed = collections.Counter(case.night for case in slow + past)
    found = []
    for night in nights_of(device):
        changes = model.changes_of(device, night, site.accepted)
        counts = {what: len(changes.get(what, [])) for what, _ in pages.CHANGES}
        summary = model.summary_of(device, night)
        last = max(run.environment["date"] for run in device.runs if run.night == night)
        title = f"{device.title}, {night}: " + (words_of(summary[0]) if summary else "no cell was timed")
        if confirmed[night]:
            title += f"; {confirmed[night]} confirmed slower"
        found.append({"id": f"tag:gpuprims,2026:{device.folder}/{night}", "title": title,
                      "updated": updated(last, night), "href": f"index.html#{device.folder}", "lines": [
                          f"{one.family}: {words_of(one)}" for one in summary[1:]] + [
                          f"{title.lower()}: {counts[what]}" for what, title in pages.CHANGES if counts[what]]})
    return found


def updated(date, night):
    """A date of RFC 3339."""
    return date if len(date) == 20 and date.endswith("Z") and "T" in date else f"{night}T00:00:00Z"


def status_of(site, device):
    """The status of the commit of a device's last night: [{commit, state, context, description, target_url}]."""
    runs = [run for run in device.runs if run.night == device.last_night]
    full = [site.commits.known.get(pages.commits.name_of(run.environment["commit"]), ("",))[0] for run in runs
            if not run.environment["commit"].endswith("+")]
    commit = next((one for one in reversed(full) if one), "")
    if not commit:
        return []
    slow, _, _ = model.cases_of(device, site.accepted)
    summary = model.summary_of(device, device.last_night)
    wrong = sum(points[-1].measure.ours[0].status != "ok" for points in device.history.values()
                if points[-1].run.night == device.last_night)
    text = "; ".join(([f"{wrong} wrong"] if wrong else []) + ([f"{len(slow)} slower, not accepted"] if slow else []) +
                     ([words_of(summary[0])] if summary else ["no cell was timed"]))
    return [{"sha": commit, "state": "failure" if wrong or slow else "success", "context": f"night/{device.folder}",
             "description": text[:LONGEST], "target_url": f"{site.home.rstrip('/')}/index.html#{device.folder}"
             if site.home else ""}]
