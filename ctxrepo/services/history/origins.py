"""Where a note or an entry comes from: what it says, and the commits that made it what it is."""

from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from ctxrepo.domain.note.entry import Entry
from ctxrepo.domain.note.note import decode, encode
from ctxrepo.domain.project.target import Target
from ctxrepo.domain.records.proposal import Proposal, inbox_lines, is_inbox, verdicts
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass
from ctxrepo.services.history.commits import CommitSummary, TargetHistory
from ctxrepo.services.history.versions import Step, whereabouts
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.targets import resolve
from ctxrepo.storage.memory import Memory

NEWEST = 3
"""Changes that are told beside the first one; `history` tells all."""


@dataclass(frozen=True)
class Origins:
    """A note, or an entry of it (`id`, else ''), as it is, or as it was last where it `is_gone`.

    `deeds` are the newest commits that changed it and, as the last, the one that brought it; `count` is how
    many there are. Nothing is in them of what no commit holds. `is_cut`: what was before is not on this
    machine. `ids` are all that the entry was called, `paths` all that its note was."""

    path: str
    at: str
    text: str
    id: str
    is_gone: bool
    ids: frozenset[str]
    paths: frozenset[str]
    deeds: Sequence[CommitSummary]
    count: int
    is_cut: bool


def find_origins(memory: Memory, target: Target, project: Project | None) -> Origins:
    """Follow a note or an entry back to where it came from, also one that is gone; NotFound for nothing."""
    now = None
    with suppress(NotFound):
        now = resolve(memory, target, project, follows=True)
    past = None
    with suppress(NotFound):
        past = TargetHistory(memory, target, project)
    if now is None and past and not past.entry:  # a note under its former name
        folder, _, rest = whereabouts(memory, past.path)[0].partition("/")
        with suppress(NotFound):
            now = resolve(memory, Target(folder, rest), project)
            past = TargetHistory(memory, Target(folder, rest), project)
    newest: list[tuple[Step, list[str]]] = []
    last: deque[tuple[Step, list[str]]] = deque(maxlen=1)
    ids, paths, count = set[str](), set[str](), 0
    version: tuple[str, Entry | None, bytes] | None = None
    for step, lines in past.steps() if past else ():
        places = [place for place in (step.now, *step.before) if place.key]
        entries = {place: past.entry.at(place) for place in places} if past and past.entry else {}
        ids |= {entry.id for entry in entries.values() if entry}
        there = [place for place in places if not entries or entries[place]]
        paths |= {place.path for place in there}
        if now is None and version is None and there:
            entry = entries.get(there[0])
            version = (there[0].path, entry, memory.objects.data_or_empty(there[0].key or ""))
        if lines or (step.is_version and past and not past.entry):
            count += 1
            last.append((step, lines))
            if len(newest) < NEWEST:
                newest.append((step, lines))
    if now is None and version is None:  # it came and went between two commits
        from ctxrepo.services.history.restore import bygone  # it loads what writes

        was = bygone(memory, target, project)
        version = (was.path, was.entry, encode(was.text))
    steps = [*newest, *(step for step in last if step not in newest)]
    deeds = [past.deed_of(*step) for step in steps] if past else []
    if now:
        note, entry = now
        path, text = note.path, entry.text if entry else note.text
    else:
        assert version is not None
        path, entry, data = version
        text = entry.text if entry else decode(data)
    name = (entry.id if entry else "") or (past.id if past else "")
    return Origins(
        path=path,
        at=entry.at if entry else path,
        text=text,
        id=name,
        is_gone=now is None,
        ids=frozenset(ids | ({name} if name else set())),
        paths=frozenset(paths | {path}),
        deeds=deeds,
        count=count,
        is_cut=bool(deeds) and deeds[-1].commit in memory.refs.shallow(),
    )


def accepted_proposal(memory: Memory, deed: CommitSummary, origins: Origins) -> Proposal | None:
    """The proposal that a person accepted with a commit, if it was about these entries, or this note."""
    objects = memory.objects
    is_known = deed.commit not in memory.refs.shallow()
    for path, keys in objects.changed_by(deed.commit).items() if is_known else ():
        if not is_inbox(path):
            continue
        was, now = (objects.file_or_none(key) or b"" for key in keys)
        accepted = {
            verdict.id: verdict.entry for verdict in verdicts(decode(now)) if verdict.decision == "accepted"
        }
        for line in inbox_lines(path, was):
            if line.proposal and line.name in accepted:
                of_note = f"{line.proposal.scope}/{line.proposal.note}" in origins.paths and not origins.id
                if of_note or {accepted[line.name], line.proposal.entry} & origins.ids:
                    return line.proposal
    return None
