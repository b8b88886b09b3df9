"""Where an agent's writes are staged: which notes that is true of, and a change of one as proposals, an entry
each (ADR 89)."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from ctxrepo.domain.formats.jsonl import objects, text_of
from ctxrepo.domain.note.changes import entry_changes
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import (
    CHECKLIST,
    DAILY,
    GLOBAL,
    INBOX,
    PROJECT,
    REGISTRY,
    is_aside,
    is_note,
    scope_of,
)
from ctxrepo.domain.project.policy import scopes_in, stages
from ctxrepo.domain.project.registry import parse
from ctxrepo.domain.records.proposal import InboxLine, Proposal, ProposalVerb, inbox_lines, is_inbox
from ctxrepo.domain.records.save import Save
from ctxrepo.domain.text import blake2b
from ctxrepo.errors import ConfigError, NotFound, Refused
from ctxrepo.services.locate.identify import project_of, read_registry
from ctxrepo.services.reading.find import NamedScope, scope_named
from ctxrepo.storage.memory import Memory


def is_staged(memory: Memory, agent: str, folder: str) -> bool:
    """Whether what this agent writes to a scope becomes proposals; never what a person writes. With the file
    that holds the rules for all, where what it writes to any scope does: it can't lift them."""
    return bool(agent) and any(_stages(memory, agent, folder, rules) for rules in _team_rules(memory))


def require_person(memory: Memory, agent: str, folders: Iterable[str], what: str) -> None:
    """Refused for an agent that may only propose in one of these scopes: it decides nothing there."""
    if any(is_staged(memory, agent, folder) for folder in dict.fromkeys(folders)):
        raise Refused(
            f"{what} waits for a person's yes, and {agent} is none",
            "Tell your user of it; they decide in a shell of their own: `ctxrepo inbox` shows what waits.",
        )


def staged_paths(memory: Memory, agent: str, paths: Iterable[str]) -> list[str]:
    """The notes among these that an agent may only propose to change. What is going on isn't held as true, so
    that the checklist and the daily log are written by anybody."""
    notes = [path for path in paths if agent and _is_of_facts(path)]
    rules = _team_rules(memory) if notes else ()
    return [path for path in notes if any(_stages(memory, agent, scope_of(path), team) for team in rules)]


def proposals_of(memory: Memory, save: Save) -> Iterator[Proposal]:
    """A change of a note as proposals: one for each entry, or one for the note where more was changed. Their
    ids come of the save's, so that they are the same whenever it is asked again."""
    path, (folder, _, rest) = save.path, save.path.partition("/")
    is_whole = not is_note(path)
    projects = read_registry(memory).projects
    owner = next((name for name, place in projects.items() if place == folder), "")

    def made(number: int, verb: ProposalVerb, text: str, **fields: str) -> Proposal:
        name = blake2b(f"{save.id}\0{path}\0{number}".encode(), digest_size=6).hexdigest()
        whole: dict[str, Any] = {**fields, **asdict(save.by), "note": rest, "owner": owner}
        return Proposal(name, save.at, verb, text, folder, **whole | {"host": memory.host})

    was, now = (None if side is None else decode(side) for side in (save.base, save.after))
    changes = None if was is None or now is None or is_whole else entry_changes(path, was, now)
    if changes is None:
        yield made(0, "note", now or "", was=was or "")
        return
    for number, change in enumerate(changes):
        old, new = change.before, change.after
        text = new.text if new else ""
        if old is None:
            heading = new.heading[-1] if new and new.heading else ""
            yield made(number, "add", text, heading=heading)
        else:
            yield made(number, "edit" if new else "forget", text, was=old.text, entry=old.id)


def _team_rules(memory: Memory) -> list[tuple[str, ...]]:
    """The rules of the memory itself as they are now and in the last commit: whoever takes them away is bound
    by them until that is committed, and of an agent's own tool it isn't."""
    committed = parse(decode(memory.objects.find(memory.head_tree, REGISTRY) or b""))
    return [*dict.fromkeys((read_registry(memory).policy, committed.policy))]


def _stages(memory: Memory, agent: str, folder: str, team: tuple[str, ...]) -> bool:
    own, shared = memory.settings.inbox.policy, memory.global_folder
    folders = [folder] if folder != REGISTRY else [shared, *scopes_in((*own, *team)) - {"*", GLOBAL}, PROJECT]
    return any(stages(rules, agent, folder, shared) for rules in (own, team) for folder in folders)


def _is_of_facts(path: str) -> bool:
    rest = path.partition("/")[2]
    is_working = rest == CHECKLIST or rest.startswith(f"{DAILY}/")
    return is_note(path) and not is_working and not is_aside(path)


def waiting(memory: Memory) -> list[InboxLine]:
    """What waits in the inbox, oldest first, and then what can't be read."""
    lines = [line for file, data in _files(memory).items() for line in inbox_lines(file, data)]
    return sorted(lines, key=lambda line: (line.proposal is None, line.proposal.ts if line.proposal else ""))


def inbox_records(memory: Memory, start: str) -> list[dict[str, Any]]:
    """The records in the inbox whose ids begin with `start`: proposals, and verdicts by what they decided."""
    records = (fields for data in _files(memory).values() for fields in objects(decode(data)))
    return [fields for fields in records if text_of(fields, "id").startswith(start)]


def _files(memory: Memory) -> dict[str, bytes]:
    """Path -> bytes of the files with proposals, by path."""
    paths = filter(is_inbox, sorted(memory.worktree.scan(INBOX).files))
    return {path: memory.worktree.read(path) or b"" for path in paths}


def scope_of_proposal(memory: Memory, proposal: Proposal) -> NamedScope:
    """The scope that a proposal is for, wherever its project's folder is by now; NotFound for none."""
    if proposal.scope == REGISTRY:
        return NamedScope(REGISTRY, REGISTRY)
    if not proposal.owner:
        return scope_named(memory, proposal.scope, None)
    project = project_of(memory, read_registry(memory), proposal.owner)
    return NamedScope(project.id, project.folder, project)


def path_of_proposal(memory: Memory, proposal: Proposal) -> str:
    """The note that a proposal is about, as far as it says, or the folder of its scope."""
    try:
        folder = scope_of_proposal(memory, proposal).folder
    except (ConfigError, NotFound):
        folder = proposal.scope
    return f"{folder}/{proposal.note}" if proposal.note else folder
