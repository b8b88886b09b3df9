"""What must hold after every turn of two programs on one memory: each check answers with what is wrong."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ctxrepo.domain.formats.jsonl import TOMBSTONE
from live.recorded import Prompt
from live.stage import Stage

TOKEN = re.compile(r"tok\d+x\d+(?:its|ours)")
"""A word that stands for what was said: which turn, which of its deeds, whose."""

MARKER = re.compile(r"^(?:<<<<<<<|>>>>>>>)(?: |$)", re.MULTILINE)

STANDING = ("rebase-merge", "rebase-apply", "MERGE_HEAD")
"""What git keeps of a merge or a rebase that isn't over."""

_HEAD = re.compile(r"---\r?\n(.*?)\r?\n---\r?\n", re.DOTALL)
_UPDATED = re.compile(r"(?m)^updated:.*\n?")
_ITEM = re.compile(r"- path: (.*)\n  priority: .*\n  description: (.*)\n  tags: (.*)")

Item = tuple[str, str, str]
"""A note in an index: its path, its description, its tags."""

ANCHOR_KEYS = {"id", "name", "type", "timestamp", "sessionId", "sessionEntryId"}


def files(memory: Path) -> Iterator[Path]:
    """The files of a working tree, without git's own."""
    for folder, folders, names in os.walk(memory):
        folders[:] = [name for name in folders if name != ".git"]
        yield from (Path(folder) / name for name in names)


def text(file: Path) -> str:
    return file.read_text("utf-8", "replace")


def tokens(memory: Path) -> set[str]:
    """What stands in a clone: in its last commit, or in its files."""
    words = ["git", "-C", str(memory), "grep", "-ahoE", TOKEN.pattern.replace(r"\d", "[0-9]"), "HEAD", "--"]
    committed = subprocess.run([w.replace("(?:", "(") for w in words], capture_output=True, text=True).stdout
    return {
        *TOKEN.findall(committed),
        *(word for file in files(memory) for word in TOKEN.findall(text(file))),
    }


def lost(memories: Iterable[Path], words: set[str]) -> list[str]:
    """What was said and stands in none of these clones."""
    known = set().union(*map(tokens, memories))
    return [f"lost: {', '.join(sorted(words - known))}"] if words - known else []


def head(note: str) -> str | None:
    """The head of a note but for the day it was updated; None where it has none."""
    match = _HEAD.match(note)
    return _UPDATED.sub("", match[1] + "\n").strip() if match else None


def heads(memory: Path) -> dict[str, str | None]:
    return {str(file.relative_to(memory)): head(text(file)) for file in files(memory) if file.suffix == ".md"}


def changed(before: dict[str, str | None], after: dict[str, str | None]) -> list[str]:
    """Heads that aren't what they were."""
    return [
        f"the head of {path} changed: {before[path]!r} became {now!r}"
        for path, now in after.items()
        if before.get(path) is not None and before[path] != now
    ]


def git(here: Stage) -> list[str]:
    """What git would complain of: conflict markers, a merge or rebase that stands, a broken object, a change
    that nobody committed."""
    memory = here.memory
    faults = [f"markers in {file.relative_to(memory)}" for file in files(memory) if MARKER.search(text(file))]
    stands = [
        name for name in ("rebase-merge", "rebase-apply", "MERGE_HEAD") if (memory / ".git" / name).exists()
    ]
    faults += [f"a {name} stands" for name in stands]
    if (broken := _git(here, "fsck", "--no-dangling")).returncode:
        faults.append(f"fsck: {broken.stderr.strip()[:200]}")
    if waits := _git(here, "status", "--short").stdout.strip():
        faults.append(f"not committed: {waits[:200]}")
    if stashed := _git(here, "stash", "list").stdout.strip():
        faults.append(f"a stash is left: {stashed[:200]}")
    return faults


def together(stages: Sequence[Stage]) -> list[str]:
    """Clones that aren't what the remote is."""
    faults = []
    for here in stages:
        counts = _git(here, "rev-list", "--left-right", "--count", "@{u}...HEAD").stdout.split()
        if counts != ["0", "0"]:
            faults.append(f"{here.root.name} is behind and ahead by {counts}")
    return faults


def anchors(memory: Path) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The anchors that stand in a clone, by name; and lines of its tapes that neither program could read.

    One that we put on pi-memory-md's tape, where it isn't any more, was deleted there.
    """
    lines = {file: _lines(file) for file in sorted((memory / "TAPE").rglob("*.jsonl"))}
    theirs = {fields.get("id") for file in lines if file.parent.name == "TAPE" for fields, _ in lines[file]}
    names: dict[str, dict[str, Any]] = {}
    faults: list[str] = []
    for file, ours in lines.items():
        for anchor, line in ours:
            if not anchor.keys() >= ANCHOR_KEYS:
                faults.append(f"{file.relative_to(memory)} has a line that is no anchor: {line[:60]!r}")
            elif anchor["id"] in theirs or not anchor.get("pi"):
                names[anchor["name"]] = anchor
    return names, faults


def _lines(file: Path) -> list[tuple[dict[str, Any], str]]:
    """What each line of a tape says, nothing where it can't be read; without what marks a deleted one."""
    parsed: list[tuple[dict[str, Any], str]] = []
    for line in filter(str.strip, text(file).split("\n")):
        try:
            fields = json.loads(line)
        except ValueError:
            fields = None
        parsed.append((fields if isinstance(fields, dict) else {}, line))
    return [(fields, line) for fields, line in parsed if TOMBSTONE not in fields]


def index(delivered: str) -> frozenset[Item]:
    """The notes that a delivered index lists, in one spelling."""
    items = _ITEM.findall(delivered)
    return frozenset((path, about.replace("&lt;", "<"), tags) for path, about, tags in items)


def differ(its: frozenset[Item], ours: frozenset[Item]) -> list[str]:
    return [f"the indexes differ in {sorted(its ^ ours)[:3]}"] if its != ours else []


def errors(prompt: Prompt) -> list[str]:
    """The tools that failed, of all that the model is told of."""
    return [
        f"a tool failed: {json.dumps(part.get('content'))[:300]}"
        for message in prompt.messages
        for part in _parts(json.loads(message))
        if part.get("is_error")
    ]


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for part in message.get("content", []) if isinstance(part, dict)]


def _git(here: Stage, *words: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "-C", str(here.memory), *words]
    return subprocess.run(command, env=here.machine.env, capture_output=True, text=True)
