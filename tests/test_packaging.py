"""What is built holds what people install: the hooks, skills and templates above all."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
ASSETS = ("hooks", "skills", "templates")

_ASK = """
import sys
sys.path.insert(0, sys.argv[1])
from ctxrepo.storage.user import assets
for name in ("hooks", "skills", "templates"):
    for path, data in assets.files(name).items():
        print(f"{name}/{path} {len(data)}")
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an sdist of this checkout and the wheel that was built from that sdist."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    # A copy, because a build would otherwise take along whatever lies about, and leave things behind.
    left = shutil.ignore_patterns(".git", ".venv", "dist", "build", ".*_cache", ".hypothesis", "__pycache__")
    shutil.copytree(CHECKOUT, source, dirs_exist_ok=True, ignore=left)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(source)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, env=_environment())
    assert run.returncode == 0, run.stdout + run.stderr
    return out


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (file,) = built.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def sdist(built: Path) -> Path:
    (file,) = built.glob("*.tar.gz")
    return file


def _environment() -> dict[str, str]:
    """No index to ask: what a build needs must be there already."""
    return {"PATH": os.environ["PATH"], "PIP_NO_INDEX": "1", "HOME": os.devnull}


def _files(*folders: str) -> dict[str, bytes]:
    paths = {p for folder in folders for p in (CHECKOUT / folder).rglob("*") if p.is_file()}
    return {
        p.relative_to(CHECKOUT).as_posix(): p.read_bytes()
        for p in sorted(paths)
        if "__pycache__" not in p.parts
    }


def test_the_wheel_holds_the_package_and_its_assets(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name}
    assets = {f"ctxrepo/_assets/{path}": data for path, data in _files(*ASSETS).items()}
    assert len(assets) > 5
    assert held == {**_files("ctxrepo"), **assets}


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name.rpartition("/")[2]: name for name in archive.namelist() if ".dist-info/" in name}
        metadata = archive.read(names["METADATA"]).decode()
        entries = archive.read(names["entry_points.txt"]).decode()
    assert "ctxrepo = ctxrepo.__main__:run" in entries
    assert "Requires-Python: >=3.11" in metadata
    assert "LICENSE" in names


def test_the_sdist_holds_what_a_build_and_its_tests_need(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        held = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    assert {*_files("ctxrepo", "tests", *ASSETS), "pyproject.toml", "README.md", "LICENSE"} <= held
    assert not [name for name in held if "__pycache__" in name or name.startswith(".git/")]


def test_installed_and_checkout_find_their_assets_alike(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    # Neighbours of the same names must not be taken for ours.
    for name in ASSETS:
        (site / name).mkdir()
        (site / name / "other.md").touch()
    installed, checkout = (
        subprocess.run(
            [sys.executable, "-I", "-B", "-c", _ASK, str(place)],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
            cwd=tmp_path,
        ).stdout.splitlines()
        for place in (site, CHECKOUT)
    )
    assert installed == checkout == [f"{path} {len(data)}" for path, data in _files(*ASSETS).items()]
