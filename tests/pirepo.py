"""Builders: a machine where pi-memory-md was used, with a memory repository that its own code reads."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from machines import Machine, make_machine
from repositories import make_checkout

FIXTURE = Path(__file__).parent / "fixtures" / "pi-memory-md"
SHOP_URL = "https://git.example.org/ada/demo-shop.git"


@dataclass(frozen=True)
class PiMachine(Machine):
    """The memory repository is where pi-memory-md has it by default."""

    @property
    def project_folder(self) -> Path:
        return self.home / "demo-shop"

    @property
    def clone(self) -> Path:
        return self.home / ".pi" / "memory-md"

    def settings(self, **section: Any) -> None:
        """What pi's settings for all projects say of pi-memory-md."""
        file = self.home / ".pi" / "agent" / "settings.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"theme": "dark", "pi-memory-md": section}))

    def project_settings(self, **section: Any) -> None:
        """What comes with the project."""
        file = self.project_folder / ".pi" / "settings.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"pi-memory-md": section}))

    def files(self) -> dict[str, bytes]:
        """Every byte of the working tree, and what git holds of it."""
        tree = {p: p.read_bytes() for p in self.clone.rglob("*") if p.is_file() and ".git" not in p.parts}
        held = {"HEAD": self.git("rev-parse", "HEAD"), "index": self.git("ls-files", "--stage")}
        status = {"status": self.git("status", "--porcelain", "--ignored")}
        return {str(p.relative_to(self.clone)): data for p, data in tree.items()} | {
            name: text.encode() for name, text in (held | status).items()
        }


def make_pi_machine(root: Path, **memory_dir: Any) -> PiMachine:
    """A machine before `init`, with the fixture's repository and pi-memory-md's settings."""
    machine = PiMachine(make_machine(root, "ada").home)
    make_checkout(machine.project_folder, SHOP_URL)
    shutil.copytree(FIXTURE / "repo", make_checkout(machine.clone), dirs_exist_ok=True)
    for words in (("add", "-A"), ("commit", "-qm", "as pi-memory-md left it")):
        machine.git(*words)
    machine.settings(memoryDir={"localPath": "~/.pi/memory-md", "globalMemory": "global", **memory_dir})
    return machine
