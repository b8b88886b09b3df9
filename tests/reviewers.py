"""People who review what a machine sends, with plain git, and a machine whose work waits for them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from machines import Machine

NOTE = "global/MEMORY.md"


def make_people(folder: Path, remote: Path) -> Path:
    """A checkout of the remote in which reviewers work with plain git."""
    place = folder / "people"
    subprocess.run(["git", "clone", "-q", str(remote), str(place)], check=True)
    git(place, "config", "user.name", "Rae")
    git(place, "config", "user.email", "rae@example.org")
    return place


def send_for_review(machine: Machine, remote: Path) -> Machine:
    """Have the machine send its work for review; the remote's main holds one note."""
    machine.init(str(remote))
    machine.write(NOTE, "- base\n")
    machine.sync()
    config = machine.places.config_file
    config.write_text(config.read_text().replace("[[repository]]\n", '[[repository]]\nreview = "branch"\n'))
    return machine


def git(place: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=place, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def on(remote: Path, branch: str) -> str:
    """The note as a branch of the remote has it."""
    return git(remote, "show", f"{branch}:{NOTE}")


def branches(remote: Path) -> list[str]:
    return [b for b in git(remote, "for-each-ref", "--format=%(refname:lstrip=2)").split() if b != "main"]


def look(place: Path, branch: str) -> None:
    git(place, "fetch", "-q", "--prune", "origin")
    git(place, "checkout", "-q", "-B", "work", f"origin/{branch}")


def rewrite(place: Path, text: str, *, message: str = "reviewed") -> None:
    (place / NOTE).write_text(text)
    git(place, "commit", "-qam", message)


def squash(place: Path, branch: str, text: str | None = None) -> None:
    """What forges do: one commit on main with all of the branch or what is left of it."""
    git(place, "fetch", "-q", "--prune", "origin")
    git(place, "checkout", "-q", "-B", "main", "origin/main")
    git(place, "merge", "-q", "--squash", f"origin/{branch}")
    if text is not None:
        (place / NOTE).write_text(text)
    git(place, "commit", "-qam", "squashed")
    git(place, "push", "-q", "origin", "main", f":{branch}")
