"""pi-memory-md beside ctxrepo: its sources, which whoever asks must have, and a machine that uses both."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from machines import Machine

from live import install, pi, stage
from live.install import Installed
from live.model import Model
from live.stage import Stage

DEPENDENCIES = ("@orama/orama", "gray-matter")
"""What its code imports and pi doesn't supply. Without nodejieba it splits words of Chinese plainly."""

_WANTED = ("index.ts", "memory-core.ts", "tape/tape-anchor.ts", "skills/memory-write/scripts/memory-write.sh")

SECTION = "pi-memory-md"
"""The key of its settings in pi's settings.json."""

EXCLUDED = ("/dev", "/proc", "/run", "/snap", "/sys", "/nix/store")
"""It keeps no tape for a project below these folders."""


@dataclass(frozen=True)
class Package:
    """Its code in a folder that pi can load it from."""

    folder: Path

    @property
    def extension(self) -> Path:
        return self.folder / "index.ts"

    def script(self, skill: str) -> Path:
        """The script of one of its skills."""
        return self.folder / "skills" / skill / "scripts" / f"{skill}.sh"


def bring(sources: Path, below: Path) -> Package:
    """Copy its sources and bring what they import from npm; SystemExit with what to do when that can't be."""
    if missing := [name for name in _WANTED if not (sources / name).exists()]:
        raise SystemExit(f"live: {sources} holds no sources of pi-memory-md: {missing[0]} isn't there")
    root = below / SECTION
    folder = root / "package"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sources, folder, ignore=shutil.ignore_patterns("node_modules", ".git", "tests"))
    if not all((root / "node_modules" / name).exists() for name in DEPENDENCIES):
        path = install.path_with_node(below, pi.PACKAGE.node)
        if not install.npm(root, *wanted(folder / "package.json"), path=path):
            raise SystemExit(f"live: npm could not install {' and '.join(DEPENDENCIES)}")
    return Package(folder)


def wanted(manifest: Path) -> list[str]:
    """Its dependencies in the versions that it asks for."""
    dependencies: dict[str, str] = json.loads(manifest.read_text("utf-8")).get("dependencies", {})
    return [f"{name}@{dependencies.get(name, 'latest')}" for name in DEPENDENCIES]


@dataclass(frozen=True)
class SharedMachine(Machine):
    """The memory is where pi-memory-md has it."""

    @property
    def clone(self) -> Path:
        return self.home / ".pi" / "memory-md"


def place(root: Path, remote: Path, model: Model, installed: Installed) -> Stage:
    """A machine with pi and a checkout of the project; no memory yet, and nothing is connected."""
    if any(root.resolve().is_relative_to(folder) for folder in EXCLUDED):
        raise SystemExit(f"live: pi-memory-md keeps no tape below {root}: name another folder (--keep)")
    bare = stage.before_init(root, remote, model, installed)
    here = replace(bare, machine=SharedMachine(bare.machine.home, bare.machine.more))
    pi.know_model(here)
    return here


def settings(here: Stage, **section: Any) -> None:
    """Write pi's settings with those of pi-memory-md, which say where the memory is."""
    places = {"repoUrl": str(here.remote), "localPath": str(here.memory), "globalMemory": "global"}
    file = here.machine.home / ".pi" / "agent" / "settings.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({SECTION: {"memoryDir": places, **section}}))


def words(package: Package) -> list[str]:
    """What makes a session of pi one of pi-memory-md: its extension and its skills, and no other ones."""
    return ["--no-extensions", "-e", str(package.folder)]
