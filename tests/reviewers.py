"""People who review what a machine sends, with plain git, and a machine whose work waits for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from machines import NOW, Machine

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.review.changes import ReviewText, pull_request
from ctxrepo.domain.records.save import Origin
from ctxrepo.services.notes.remember import remember
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.repository.init import InitRequest, init
from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.clone.reffiles import OPEN

DEPLOY = """\
---
description: How the shop gets to its machines
---
# Deploy

- argo deploys what is on main within two minutes
- Where argo fails, ssh to build-1 and pull by hand
- Rollbacks take the last green tag
"""

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
    run = subprocess.run(["git", *words], cwd=place, capture_output=True, text=True, check=True)
    return run.stdout.strip()


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


def pull_request_of(machine: Machine) -> ReviewText:
    """A pull request of two sessions and a hand, on a machine that has no memory yet."""
    places = machine.places
    places.state.mkdir(parents=True)
    places.host_file.write_text("laptop-3f1c\n")
    init(places, machine.env, InitRequest(), sys.executable, NOW)
    machine.write("shop/topics/deploy.md", DEPLOY)
    base = commit(machine.open(), NOW).head
    facts = (
        ("8f2e1c3d", "claude", "Invoices are rounded per line, and the sum is not rounded again", "decision"),
        ("8f2e1c3d", "claude", "The bank answers within 8 s or not at all: ask @ben, see #12", "gotcha"),
        ("4b7d9e10", "codex", "CI caches `node_modules` by the lock file", "gotcha"),
    )
    for session, agent, fact, category in facts:
        memory = machine.open()
        origin = Origin(memory.host, f"{session}-5c1e-4f7a-9d3b-0a1b2c3d4e5f", agent)
        remember(memory, Fact(fact, category=category), machine.project(), origin, NOW)
        commit(machine.open(), NOW)
    edited = machine.read("shop/topics/deploy.md").replace("argo deploys", "flux, since May, deploys")
    machine.write(
        "shop/topics/deploy.md", edited.replace("- Where argo fails, ssh to build-1 and pull by hand\n", "")
    )
    tip = commit(machine.open(), NOW).head
    objects = machine.open().objects
    objects.set_ref("refs/remotes/origin/main", str(base))
    objects.set_ref(f"{OPEN}ctxrepo/laptop-3f1c/20261120", str(tip))
    desk = Desk(Call(machine.project_folder, machine.env), lambda: NOW, sys.executable)
    try:
        return desk.perform(pull_request, None).value
    finally:
        desk.close()
