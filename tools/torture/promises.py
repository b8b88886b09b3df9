"""What actors were promised, and whether it was kept: the checker of the search over interleavings.

Each line that an actor adds has a token of its own. A line is promised when a command or a hook has
acknowledged it, and when a commit looked at a file that had it. A promised line is in the history, always.
It is in the newest commit as well, unless it is `excused`: an actor left it out who had it in the copy that
they had read, or somebody overwrote it from a stale copy when it was committed and checked out already, and
no save of it waited any more.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from machines import Machine

from ctxrepo.domain.records.save import TOOL, Save
from ctxrepo.storage.clone.reffiles import WT, WT_NEXT
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.journal import Intent

TOKEN = re.compile(r"\bq[0-9a-z]+q\b")
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
"""What the guard refuses; made at run time, so that none stands in the tree."""

_MARKER = re.compile(r"^(<{7} |>{7} |={7}$)", re.MULTILINE)


class Fault(NamedTuple):
    """`kind` is one of LIMITS, or lost, lost from view, doubled, wedged, marker, leaked or unexpected."""

    kind: str
    what: str


LIMITS = {
    "secret": "acknowledged in versions with a secret in them only, and out of them before a commit",
    "taken out": "acknowledged and knowingly taken out before a commit: no history has it",
    "guessed": "a tool's, overwritten by somebody who seemed to have read it: in the history only",
    "emptied": "in a file that an editor had emptied while others wrote to it: in the history only",
}
"""What can be lost as the fold is made now. It is counted and shown, and fails nobody."""


@dataclass
class Promises:
    """`refused` are lines that only versions with a secret in them were promised for: these can't be in the
    history as they are."""

    promised: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    excused: Counter[str] = field(default_factory=Counter)
    guessed: set[str] = field(default_factory=set)
    """Lines of tools that somebody overwrote who is taken to have read them (domain/merge/fold.py): they hold
    another new line of the same version, or no other session wrote to the file."""
    emptied: set[str] = field(default_factory=set)
    """Lines that an editor had put back into a file that it had emptied."""

    def promise(self, data: bytes | None) -> None:
        """Somebody was told that these bytes are safe, or a commit looked at them."""
        (self.refused if SECRET.encode() in (data or b"") else self.promised).update(tokens(data))

    def excuse(self, left_out: set[str]) -> None:
        self.excused.update(left_out)

    def unexcuse(self, left_out: set[str]) -> None:
        """Take back `excuse`: whoever left these out has put them back."""
        self.excused.subtract(left_out)

    def faults(self, history: set[str], files: Mapping[str, str]) -> Iterator[Fault]:
        """What was not kept, by the tokens of all history and by the files of the newest commit."""
        view = {token for text in files.values() for token in TOKEN.findall(text)}
        excused = set(+self.excused)
        lost = (self.promised | self.refused) - history
        unseen = (self.promised | self.refused) - excused - view - lost
        by_kind = {
            "lost": lost & self.promised - excused,
            "lost from view": unseen - self.guessed - self.emptied,
            "secret": lost - self.promised - excused,
            "taken out": lost & self.promised & excused,
            "guessed": unseen & self.guessed,
            "emptied": unseen & self.emptied - self.guessed,
        }
        yield from (
            Fault(kind, token) for kind, tokens_of_kind in by_kind.items() for token in sorted(tokens_of_kind)
        )
        for path, text in files.items():
            counted = Counter(TOKEN.findall(text))
            yield from (Fault("doubled", f"{token} in {path}") for token, n in counted.items() if n > 1)
            if _MARKER.search(text):
                yield Fault("marker", path)


def tokens(data: bytes | None) -> set[str]:
    return set(TOKEN.findall((data or b"").decode("utf-8", "replace")))


def settled(memory: Memory, path: str, on_disk: bytes | None) -> set[str]:
    """The lines of a file that are committed and checked out, and no save of which waits any more. Those of a
    file that a commit has taken as it is are, too, when the run was killed before the checkout."""
    trees = [memory.objects.tree_of(memory.head), *map(memory.objects.ref, (WT, WT_NEXT))]
    head, base, following = (memory.objects.find(tree, path) if tree else None for tree in trees)
    intent = _left_half_way(memory)
    taken = intent.on_disk.get(path) if intent else None
    checked_out = tokens(base) | (tokens(memory.objects.data(taken)) if taken else set())
    checked_out |= tokens(on_disk) if on_disk in (head, following) else set()
    waiting = (added_by(memory, save) for save in waiting_saves(memory, path))
    return (tokens(head) & checked_out).difference(*waiting)


def _left_half_way(memory: Memory) -> Intent | None:
    objects, head = memory.objects, memory.head
    return memory.journal.left_half_way(lambda commit: head is not None and objects.is_in(head, commit))


def waiting_saves(memory: Memory, path: str) -> list[Save]:
    """The saves of a file in the journal, but for those that a commit holds whose run was killed."""
    intent = _left_half_way(memory)
    done = intent.done if intent else ()
    return [save for save in memory.journal.read() if save.path == path and save.place not in done]


def added_by(memory: Memory, save: Save) -> set[str]:
    """The lines that are new in a save; of a tool of which nothing is known, beside what is checked out."""
    tree = save.tree or (memory.objects.ref(WT) if save.op == TOOL else None)
    base = memory.objects.find(tree, save.path) if tree else save.base
    return tokens(save.after) - tokens(base)


def seemingly_read(memory: Memory, path: str, kept: set[str]) -> set[str]:
    """The lines of tools that wait, and that whoever writes `kept` to the file will be taken to have read;
    those that a command added are safe from that."""
    waiting = waiting_saves(memory, path)
    # A version that has nothing new any more was committed before its hook was heard.
    versions = [
        (save.author, added) for save in waiting if save.op == TOOL and (added := added_by(memory, save))
    ]
    commanded = set[str]().union(*(added_by(memory, save) for save in waiting if save.is_command))
    is_one_session = len({author for author, _ in versions}) == 1
    read = set[str]().union(*(added for _, added in versions if is_one_session or added & kept))
    return read - commanded - kept


def files_of(memory: Memory) -> dict[str, str]:
    """path -> text of the notes in the newest commit, those kept aside included."""
    files = memory.objects.files(memory.head_tree)
    return {p: memory.objects.data(key).decode() for p, key in files.items() if p.endswith(".md")}


def history_of(machine: Machine) -> tuple[set[str], bool]:
    """The tokens of all lines that any commit added to any file; and whether a secret is among them."""
    words = ["git", "log", "-p", "-m", "--format=", "--text", "--no-ext-diff", "HEAD"]
    run = subprocess.run(words, cwd=machine.clone, env=machine.env, capture_output=True, check=True)
    return tokens(run.stdout), SECRET.encode() in run.stdout
