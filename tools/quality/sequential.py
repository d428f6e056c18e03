"""The sequential reference of the speed-ups: builds sequential.cpp and runs it while the GPU measures."""
import os
import subprocess

from tools import bench
from tools.quality import measure

TARGET = os.path.join(bench.BUILD, "quality_sequential")
SOURCE = "tools/quality/sequential.cpp"


def build():
    command = [os.environ.get("CXX", "g++"), "-O3", "-std=c++17", "-Wall", "-Wextra", SOURCE, "-o", TARGET]
    stamp = bench.stamp_of([SOURCE], command)
    if not bench.current(TARGET, stamp):
        bench.run(command)
        bench.sign(TARGET, stamp)
    return TARGET


class Reference:
    """One thread on the host, while the GPU measures."""

    def __init__(self, cells, folder):
        self.path = measure.fresh(folder, "sequential.jsonl")
        cells_path = os.path.join(folder, "sequential.cells")
        with open(cells_path, "w", encoding="utf-8") as file:
            file.writelines(cell + "\n" for cell in cells)
        with open(cells_path, encoding="utf-8") as cells_file, open(self.path, "w", encoding="utf-8") as out:
            self.process = subprocess.Popen([build()], stdin=cells_file, stdout=out)

    def times(self, seconds):
        """{cell: microseconds} of what it has measured; it gets some more seconds."""
        try:
            self.process.wait(timeout=max(0, seconds))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        return {line["cell"]: line["us"] for line in measure.lines_of(self.path)}
