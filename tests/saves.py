"""Saves as hooks leave them in the journal, without a hook."""

from __future__ import annotations

from machines import NOW, Machine

from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.records.save import TOOL, Origin, Save
from ctxrepo.storage.clone.reffiles import WT


def checked_out(machine: Machine) -> str:
    """The tree that the clone's files were checked out as."""
    tree = machine.open().objects.ref(WT)
    assert tree
    return tree


def save_of_tool(path: str, after: bytes, tree: str = "", session: str = "s", agent: str = "claude") -> Save:
    """What a tool of this session left in the file, where `tree` was checked out."""
    return Save(path, None, after, TOOL, Origin("", session, agent), stamp(NOW), id=f"{session}-1", tree=tree)


def leave(
    machine: Machine, path: str, after: bytes, tree: str = "", session: str = "s", agent: str = "claude"
) -> None:
    """Put such a save into the machine's journal, as the hook does when the tool has written."""
    machine.open().journal.add([save_of_tool(path, after, tree, session, agent)])
