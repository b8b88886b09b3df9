"""The node that tests run parts of our bridges with."""

from __future__ import annotations

import os
import shutil
import subprocess

from live import install
from needs import unless

# Before any test hides the environment.
AGENTS = install.root(os.environ)


def _find() -> str:
    """A node that runs TypeScript: that of the agents, or one on PATH; '' without one."""
    ours = AGENTS / "node" / "node_modules" / "node" / "bin" / "node"
    node = str(ours) if ours.exists() else shutil.which("node") or ""
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout if node else ""
    return node if [int(part) for part in version[1:].split(".")[:2] if part.isdigit()] >= [22, 18] else ""


NODE = _find()
needs_node = unless("" if NODE else "node 22.18 or newer isn't here; `python -m live pi` brings one")
