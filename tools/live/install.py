"""Agents from npm, each in a folder of its own below the checkout that git ignores."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tarfile
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

NODE = "node@22"


VERSIONS = tomllib.loads(Path(__file__).with_name("versions.toml").read_text("utf-8"))


@dataclass(frozen=True)
class Package:
    """What to ask npm for, the program it brings, and the oldest node that its maker supports."""

    name: str
    version: str
    program: str
    node: int
    beside: tuple[str, ...] = ()
    """What its own bundle needs beside it. With this it is taken out of its archive where npm doesn't find
    all that it depends on."""

    @property
    def wanted(self) -> str:
        return f"{self.name}@{self.version}"


@dataclass(frozen=True)
class Installed:
    """A program, and the folders that must be on PATH for it."""

    program: Path
    path: tuple[Path, ...] = ()


def root(environment: dict[str, str] | os._Environ[str] = os.environ) -> Path:
    """Where agents are: CTXREPO_LIVE, else .live/ in the checkout."""
    return Path(environment.get("CTXREPO_LIVE", "") or CHECKOUT / ".live")


def newest(package: Package) -> Package:
    """The package in the newest version that npm knows of; SystemExit when it can't be asked."""
    asked = subprocess.run(["npm", "view", package.name, "version"], capture_output=True, text=True)
    if asked.returncode:
        raise SystemExit(f"live: npm doesn't tell the newest version of {package.name}")
    return replace(package, version=asked.stdout.split()[-1])


def find(name: str, package: Package, below: Path) -> Installed | None:
    """The agent as it is installed, or None when it isn't, or in another version."""
    folder = below / name / "node_modules"
    program = folder / ".bin" / package.program
    manifest = folder / package.name / "package.json"
    if not program.exists():
        manifest = _unpacked(name, below) / "package" / "package.json"
        program = _bundle(manifest, package)
    if not program.exists() or f'"version": "{package.version}"' not in manifest.read_text("utf-8"):
        return None
    node = below / "node" / "node_modules" / "node" / "bin"
    return Installed(program, (node,) if node.exists() else ())


def _unpacked(name: str, below: Path) -> Path:
    """Where a package is that was taken out of its archive."""
    return below / f"{name}-pack"


def _bundle(manifest: Path, package: Package) -> Path:
    """The program of an unpacked package, as its `package.json` says."""
    programs: dict[str, str] = (
        json.loads(manifest.read_text("utf-8")).get("bin", {}) if manifest.exists() else {}
    )
    return manifest.parent / programs.get(package.program, package.program)


def install(name: str, package: Package, below: Path) -> Installed:
    """The agent, brought from npm unless it is there; SystemExit with what to do when it can't be."""
    if installed := find(name, package, below):
        return installed
    path = path_with_node(below, package.node)
    print(f"live: bringing {package.wanted} into {below / name}", flush=True)
    if not npm(below / name, package.wanted, path=path):
        _unpack(name, package, below, path)
    installed = find(name, package, below)
    if not installed:
        raise SystemExit(
            f"live: npm brought no {package.program} into {below / name}; look at what it says there"
        )
    return installed


def path_with_node(below: Path, oldest: int) -> str:
    """PATH with npm and a node that is new enough, which is brought where there is none."""
    if not shutil.which("npm"):
        raise SystemExit(f"live: npm is needed to bring agents; install node {oldest} or newer")
    path, ours = os.environ["PATH"], below / "node" / "node_modules" / "node" / "bin"
    if _node_version() >= oldest:
        return path
    if not ours.exists():
        print(f"live: node is older than {oldest}: bringing {NODE} into {below / 'node'}", flush=True)
        if not npm(below / "node", NODE, path=path):
            raise SystemExit(f"live: npm could not install {NODE}")
    return f"{ours}:{path}"


def _unpack(name: str, package: Package, below: Path, path: str) -> None:
    """Take the package out of its archive, with what its bundle needs beside it."""
    folder = _unpacked(name, below)
    if not package.beside or not npm(folder, *package.beside, path=path):
        raise SystemExit(f"live: npm could not install {package.wanted}")
    print(
        f"live: npm doesn't find all that {package.wanted} depends on: its bundle is taken alone", flush=True
    )
    take_out(package.wanted, folder, path=path)


def take_out(package: str, folder: Path, *, path: str) -> None:
    """Take what npm publishes under this name into `folder`/package, without what it depends on."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["npm", "pack", "--silent", package]
    run = subprocess.run(words, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"live: npm could not pack {package}")
    archive = folder / run.stdout.split()[-1]
    with tarfile.open(archive) as inside:
        inside.extractall(folder, filter="data")
    archive.unlink()


def npm(folder: Path, *packages: str, path: str) -> bool:
    """Whether npm could install these packages into this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel=error"]
    return subprocess.run([*words, *packages], env={**os.environ, "PATH": path}).returncode == 0


def _node_version() -> int:
    try:
        output = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
    except FileNotFoundError:
        return 0
    match = re.match(r"v(\d+)", output)
    return int(match[1]) if match else 0
