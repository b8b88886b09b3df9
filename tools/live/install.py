"""Agents from npm, each in a folder of its own below the checkout that git ignores."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

NODE = "node@22"


@dataclass(frozen=True)
class Package:
    """What to ask npm for, the program it brings, and the oldest node that its maker supports."""

    name: str
    version: str
    program: str
    node: int

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


def find(name: str, package: Package, below: Path) -> Installed | None:
    """The agent as it is installed, or None when it isn't, or in another version."""
    folder = below / name / "node_modules"
    program = folder / ".bin" / package.program
    said = folder / package.name / "package.json"
    if not program.exists() or f'"version": "{package.version}"' not in said.read_text("utf-8"):
        return None
    node = below / "node" / "node_modules" / "node" / "bin"
    return Installed(program, (node,) if node.exists() else ())


def install(name: str, package: Package, below: Path) -> Installed:
    """The agent, brought from npm unless it is there; SystemExit with what to do when it can't be."""
    if found := find(name, package, below):
        return found
    if not shutil.which("npm"):
        raise SystemExit(
            f"live: npm is needed to bring {package.wanted}; install node {package.node} or newer"
        )
    path = os.environ["PATH"]
    if _node_version() < package.node:
        print(f"live: node is older than {package.node}: bringing {NODE} into {below / 'node'}", flush=True)
        _npm(below / "node", NODE, path)
        path = f"{below / 'node' / 'node_modules' / 'node' / 'bin'}:{path}"
    print(f"live: bringing {package.wanted} into {below / name}", flush=True)
    _npm(below / name, package.wanted, path)
    found = find(name, package, below)
    if not found:
        raise SystemExit(
            f"live: npm brought no {package.program} into {below / name}; look at what it says there"
        )
    return found


def _npm(folder: Path, package: str, path: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    words = [
        "npm",
        "install",
        "--prefix",
        str(folder),
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        package,
    ]
    if subprocess.run(words, env={**os.environ, "PATH": path}).returncode:
        raise SystemExit(f"live: npm could not install {package}")


def _node_version() -> int:
    try:
        said = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
    except FileNotFoundError:
        return 0
    found = re.match(r"v(\d+)", said)
    return int(found[1]) if found else 0
