"""What the page of the papers reads: committed measurements, a folder a device. A file that is missing leaves its part
of the page without numbers; a file that cannot be read is named on the page."""
import collections
import glob
import gzip
import json
import os

from tools import bench
from tools.farm import evidence, landscape, store
from tools.farm.arrays import np

SEARCHED = 256 * bench.MIB  # the largest size that searches (gp_tune --search) measure of all types
TYPES = landscape.TYPES
BY_KEY = "reduce_by_key"
PRIMITIVES = (*landscape.PRIMITIVES, BY_KEY)

# A device's folder. landscape, peers: of tools/farm/landscape.py, or None. searched: {primitive: {type: {policy: us}}}
# at SEARCHED bytes, of the newest search that has the primitive. points: {cell: [point]}. quality: {(cell, library):
# row}. damaged: [text].
Device = collections.namedtuple("Device", "folder title landscape peers searched points quality others damaged")


def text_lines(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


def json_lines(path):
    return [json.loads(line) for line in text_lines(path) if line.strip()]


def found(folder, topic):
    """Files of a topic, oldest first."""
    return sorted(glob.glob(os.path.join(folder, f"*.{topic}.*")) +
                  glob.glob(os.path.join(folder, "landscape", f"*.{topic}.*")), key=os.path.basename)


def newest(folder, topic, *ends):
    """The newest file of a topic with one of the ends, or None."""
    files = [path for path in found(folder, topic) if path.endswith(ends or (".json", ".jsonl", ".gz"))]
    return files[-1] if files else None


class Reader:
    """Reads a device's files; keeps what was wrong."""

    def __init__(self, folder):
        self.folder, self.damaged = folder, []

    def read(self, path, function):
        """What the function makes of the path; None without a path, or where it is damaged."""
        if path is None:
            return None
        try:
            return function(path)
        except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, gzip.zlib.error,
                store.StoreError) as error:
            self.damaged.append(f"{os.path.basename(path)}: {error}")
            return None

    def json(self, topic):
        return self.read(newest(self.folder, topic, ".json"), lambda path: json.loads("\n".join(text_lines(path))))


def landscape_file(path):
    return landscape.landscape_of([line.value for line in store.read(path).lines], os.path.basename(path))


def searched_file(path):
    """{primitive: {type: {policy: us}}} of a search, at SEARCHED bytes in cold caches, sums of one type."""
    times = {}
    for text in text_lines(path):
        if '"phase":"matrix"' not in text.replace(" ", "") or '"protocol":"cold"' not in text.replace(" ", ""):
            continue
        line = json.loads(text)
        type_ = line["in"]
        if line["primitive"] not in PRIMITIVES or type_ not in TYPES or line["op"] not in ("", "SUM") or \
                line["out"] != type_ or line["status"] != "ok" or evidence.unusable(line):
            continue
        if line["primitive"] != BY_KEY and line["n"] * store.type_sizes()[type_] != SEARCHED:
            continue
        sizes = times.setdefault(line["primitive"], {}).setdefault(type_, {}).setdefault(line["n"], {})
        sizes.setdefault(store.policy_text(line["policy"]), []).append(float(np.median(line["us"])))
    return {primitive: {type_: {policy: float(np.median(us)) for policy, us in sizes[max(sizes)].items()}
                        for type_, sizes in types.items()} for primitive, types in times.items()}


def searches_of(reader):
    """Of each primitive the newest search."""
    searched = {}
    for path in reversed(found(reader.folder, "tune")):
        for primitive, types in (reader.read(path, searched_file) or {}).items():
            searched.setdefault(primitive, types)
        if len(searched) == len(PRIMITIVES):
            break
    return searched


def points_of(reader):
    """{cell: points}, each of the newest file that has the cell."""
    cells = {}
    for path in found(reader.folder, "points"):
        own = {}
        for line in reader.read(path, json_lines) or ():
            if line["kind"] == "point":
                own.setdefault(line["cell"], []).append(line)
        cells.update(own)
    return cells


def quality_of(reader):
    rows = {}
    for path in found(reader.folder, "quality"):
        rows.update({(line["cell"], line["library"]): line for line in reader.read(path, json_lines) or ()
                     if line["kind"] == "quality" and line.get("median_us")})
    return rows


def figure8_of(path):
    """{(type, bytes): {label: us}} of reductions that gp_bench measured."""
    times = {}
    for line in json_lines(path):
        if line["kind"] == "sample" and line["primitive"] == "reduce" and line.get("median_us"):
            name = line["label"] if line["variant"] == "peer" else line["variant"]
            times.setdefault((line["in"], line["bytes"]), {})[name] = line["median_us"]
    return times


def device_in(path):
    """The device that a store's first environment names."""
    return next(line["device"] for line in map(json.loads, text_lines(path)[:100]) if line["kind"] == "environment")


TOPICS = ("ladder", "ladder_counters", "transfers", "layout_programs", "reyes", "empty_kernel", "online", "study",
          "cotuning")


def device_of(folder, topics=None):
    """topics: of JSON files; with them nothing else is read, which takes a moment instead of seconds."""
    reader = Reader(folder)
    others = {topic: reader.json(topic) for topic in topics or TOPICS}
    title = next((one["device"] for one in others.values() if one and "device" in one), None)
    if topics:
        return Device(folder, (title or os.path.basename(folder)).replace("NVIDIA ", ""), None, None, {}, {}, {},
                      others, reader.damaged)
    survey = reader.read(newest(folder, "landscape"), landscape_file)
    peers = survey and reader.read(newest(folder, "peers"), lambda path: landscape.peers_of(
        landscape.records_of(path), os.path.basename(path), survey.environment["device"], survey.protocols))
    title = (survey.environment["device"] if survey else title) or \
        reader.read(newest(folder, "tune"), device_in) or os.path.basename(folder)
    others["figure8"] = reader.read(newest(folder, "figure8"), figure8_of) or {}
    return Device(folder, title.replace("NVIDIA ", ""), survey, peers, searches_of(reader), points_of(reader),
                  quality_of(reader), others, reader.damaged)


def devices_of(measurements, topics=None):
    """The devices of a folder of measurements, those with a landscape first."""
    folders = [path for path in sorted(glob.glob(os.path.join(measurements, "*"))) if os.path.isdir(path)]
    return sorted((device_of(folder, topics) for folder in folders),
                  key=lambda device: (device.landscape is None, device.title))
