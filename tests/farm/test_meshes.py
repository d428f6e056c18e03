"""examples/tuner/mesh.py: raw volumes from NIfTI-1, and pictures of the meshes that marching_cubes writes."""
import gzip
import importlib.util
import os
import struct
import subprocess
import sys

import numpy as np
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "examples", "tuner", "mesh.py")
specification = importlib.util.spec_from_file_location("mesh", SCRIPT)
mesh = importlib.util.module_from_spec(specification)
specification.loader.exec_module(mesh)

SIDES = (12, 9, 10)


def ball():
    """Bytes, x fastest: 200 within 3.5 points of a centre, 20 outside."""
    z, y, x = np.indices(SIDES[::-1])
    return np.where((x - 5) ** 2 + (y - 4) ** 2 + (z - 5) ** 2 < 3.5 ** 2, 200, 20).astype(np.uint8)


def nifti(order="<", kind=2, offset=352, dimensions=3):
    head = bytearray(offset)
    head[0:4] = struct.pack(f"{order}i", 348)
    head[40:56] = struct.pack(f"{order}8h", dimensions, *SIDES, 1, 1, 1, 1)
    head[70:74] = struct.pack(f"{order}2h", kind, 8)
    head[108:112] = struct.pack(f"{order}f", offset)
    return bytes(head) + ball().tobytes()


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    built = tmp_path_factory.mktemp("marching_cubes") / "marching_cubes"
    library = os.path.join(ROOT, "build")
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-O1", "-DTUNER_WITHOUT_IMPLEMENTATION", f"-I{ROOT}",
                    os.path.join(ROOT, "examples", "tuner", "marching_cubes.c"), "-o", built, f"-L{library}",
                    "-lgpuprims", f"-Wl,-rpath,{library}", "-ldl", "-lpthread", "-lm"], check=True)
    return built


@pytest.mark.parametrize("order, offset, packed", [("<", 352, True), (">", 352, False), ("<", 400, True)])
def test_a_volume_becomes_raw(tmp_path, order, offset, packed):
    path = tmp_path / ("v.nii.gz" if packed else "v.nii")
    data = nifti(order, offset=offset)
    path.write_bytes(gzip.compress(data) if packed else data)
    done = run("raw", path, tmp_path / "v.raw")
    assert done.stdout == f"--volume {tmp_path / 'v.raw'} --dimensions 12,9,10\n" and not done.returncode
    assert (tmp_path / "v.raw").read_bytes() == ball().tobytes()


@pytest.mark.parametrize("data, why", [(b"no volume" * 99, "is not NIfTI-1"), (nifti(kind=4), "only volumes of bytes"),
                                       (nifti(dimensions=2), "only volumes of bytes"), (nifti()[:-1], "cut short")])
def test_other_files_are_refused(tmp_path, data, why):
    (tmp_path / "v.nii").write_bytes(data)
    done = run("raw", tmp_path / "v.nii", tmp_path / "v.raw")
    assert done.returncode and why in done.stderr and not (tmp_path / "v.raw").exists()


@pytest.mark.turn
def test_from_a_volume_to_a_picture(program, tmp_path):
    (tmp_path / "v.nii.gz").write_bytes(gzip.compress(nifti()))
    options = run("raw", tmp_path / "v.nii.gz", tmp_path / "v.raw").stdout.split()
    ply = tmp_path / "v.ply"
    done = subprocess.run([program, *options, "--level", "110", "--check", "--write", ply], text=True, cwd=ROOT,
                          stdout=subprocess.PIPE, check=True)
    assert "14 x 11 x 12 points" in done.stdout and "Euler characteristic 2" in done.stdout
    places, faces = mesh.read_mesh(ply)
    assert len(places) - 3 * len(faces) // 2 + len(faces) == 2
    assert set(faces.ravel()) == set(range(len(places)))
    centre = np.array([6, 5, 6])  # a border of one point is added
    distances = np.linalg.norm(places - centre, axis=1)
    assert 2.8 < distances.min() and distances.max() < 4.2
    corners = places[faces].astype(float)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("fc,fc->f", normals, corners.mean(1) - centre) > 0).all()  # outwards
    image = mesh.shaded(places, faces, 30, 20)
    covered = np.isfinite(image)
    side = np.sqrt(covered.sum() / np.pi) * 2 / len(image)
    assert 0.8 < side < 1 and covered[len(image) // 2, len(image) // 2] and not covered[0, 0]
    rows = np.flatnonzero(covered.any(1))
    assert all(covered[row, np.flatnonzero(covered[row])[0]:np.flatnonzero(covered[row])[-1] + 1].all()
               for row in rows)  # no gap
    assert np.nanmean(image[:450]) > np.nanmean(image[450:])  # light from above
    assert run("draw", ply, "--out", tmp_path / "picture").stdout == f"{tmp_path / 'picture'}.png\n"
    assert (tmp_path / "picture.png").stat().st_size > 20000
    (tmp_path / "broken.ply").write_bytes(ply.read_bytes().replace(b"\x03", b"\x04"))
    with pytest.raises(SystemExit, match="not a mesh of triangles"):
        mesh.read_mesh(tmp_path / "broken.ply")


@pytest.mark.turn
def test_a_near_part_hides_a_far_one():
    """Two squares across the view: from the front one is seen, from the back the other."""
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]], float)
    places = np.concatenate([square, square * [0.5, 1, 0.5] + [0.25, 1, 0.25]])
    faces = np.array([[0, 1, 2], [0, 2, 3], [4, 6, 5], [4, 7, 6]])
    front, back = mesh.shaded(places, faces, 0, 0), mesh.shaded(places, faces, 180, 0)
    assert len(np.unique(np.round(front[np.isfinite(front)], 3))) == 1
    assert len(np.unique(np.round(back[np.isfinite(back)], 3))) == 2
    assert np.isfinite(front).sum() == np.isfinite(back).sum()
