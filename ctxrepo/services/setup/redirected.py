"""An agent's own memory, kept in a project's folder here, as a file of the checkout says; the way back."""

from collections.abc import Sequence
from pathlib import Path

from ctxrepo.agents.known import Agent
from ctxrepo.agents.protocol import Redirection
from ctxrepo.agents.wanted import EditedDocument
from ctxrepo.errors import CtxrepoError, UsageError
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.files import EditedOnDisk
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.disk.foreign import Change
from ctxrepo.storage.user import receipt
from ctxrepo.storage.user.receipt import Receipt, WrittenFile, digest


def can_redirect(agent: Agent) -> bool:
    """Whether the agent can be told where to keep its own memory."""
    return agent.native_memory is not None and agent.native_memory.redirection is not None


def redirection_of(agent: Agent) -> Redirection:
    """How it is told; UsageError where it can't be."""
    if (native := agent.native_memory) and native.redirection:
        return native.redirection
    raise UsageError(
        f"{agent.title} can't be told where to keep a memory of its own",
        "The page on how to connect it says what can be done with that memory.",
    )


def redirect(agent: Agent, machine: Machine, checkout: Path, folder: Path) -> tuple[Change, ...]:
    """The changes that have the agent keep its own memory in this folder, in sessions in the checkout."""
    redirection = redirection_of(agent)
    file = checkout / redirection.settings
    place = receipt.place(machine.places.config_dir, _named(agent), file)
    slip = foreign.read(place)
    known = receipt.load(slip)
    record = known.files.get(file) if known else None
    there = EditedOnDisk(EditedDocument(file, redirection.document(str(folder))), foreign.read(file))
    after = there.connected(record)
    new_folders = known.folders[1:] if known else foreign.missing_folders(file)
    new = Receipt({file: WrittenFile(there.before(record), digest(after))}, folders=(folder, *new_folders))
    # The receipt first: what a crash leaves then has its way back.
    return Change(place, slip, new.dump(), private=True), Change(file, there.data, after)


def give_back(
    agent: Agent, machine: Machine, checkout: Path | None
) -> tuple[Sequence[Change], Sequence[Path], Sequence[str]]:
    """The changes that take this back, in the checkout or with None in all of them; the folders that go
    afterwards if they are empty; and what to tell of files that stay as they are."""
    redirection = redirection_of(agent)
    file_here = checkout / redirection.settings if checkout else None
    changes: list[Change] = []
    emptied: list[Path] = []
    notices: list[str] = []
    for place in sorted((machine.places.config_dir / "receipts").glob(f"{_named(agent)}-*.json")):
        slip = foreign.read(place)
        known = receipt.load(slip) or Receipt({})
        for file, record in known.files.items():
            if file_here not in (None, file) or not known.folders:
                continue
            try:
                document = redirection.document(str(known.folders[0]))
                there = EditedOnDisk(EditedDocument(file, document), foreign.read(file))
                change = Change(file, there.data, there.original(record))
            except CtxrepoError as error:
                if checkout:
                    raise
                notices.append(f"{error.message}; where it names {known.folders[0]}, that stays")
                continue
            if there.data is None:
                notices.append(
                    f"{file} is gone; where its checkout is now, it may still name {known.folders[0]}"
                )
            changes += [change, Change(place, slip, None, private=True)]
            emptied += known.folders
    return changes, emptied, notices


def _named(agent: Agent) -> str:
    """How the receipts for this are named, which are those of no installation."""
    return f"{agent.name}-memory"
