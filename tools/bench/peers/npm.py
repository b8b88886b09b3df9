"""Programs that npm installs, each in the version that package.json beside this file names; not from here."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from bench.peers.base import NotHereError, Tools

PACKAGES: dict[str, str] = json.loads(Path(__file__).with_name("package.json").read_text("utf-8"))[
    "dependencies"
]

_INSTALL = "make peers"


def package(tools: Tools, name: str) -> Path:
    """Where `name` is, in the version that figures are for."""
    folder = tools.npm.resolve() / "node_modules" / name if tools.npm else None
    if folder is None or not (folder / "package.json").exists():
        raise NotHereError(f"{_INSTALL}, then --npm .peers")
    version = json.loads((folder / "package.json").read_text("utf-8"))["version"]
    if version != PACKAGES[name]:
        raise NotHereError(f"{_INSTALL} for {name} {PACKAGES[name]}; here is {version}")
    return folder


def bun(tools: Tools) -> Path:
    return package(tools, "bun") / "bin/bun.exe"


def node() -> str:
    path = shutil.which("node")
    if not path:
        raise NotHereError("install Node.js 20 or newer")
    return path


def node_version() -> str:
    return subprocess.run([node(), "--version"], capture_output=True, text=True, check=True).stdout.strip()
