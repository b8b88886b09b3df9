"""What a person said that they want done from now on is proposed, once, and decided by them (ADR 106)."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

from ctxrepo.agents.known import transcripts_of
from ctxrepo.domain.dream.cues import cues_in
from ctxrepo.domain.formats.jsonl import TOMBSTONE, record, text_of, with_room
from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.note.entry import gist
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import INBOX
from ctxrepo.domain.records.proposal import OF_CUE, STAGE, Proposal, to_line
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.secrets import mask
from ctxrepo.domain.text import blake2b
from ctxrepo.services.locate.look import find_location
from ctxrepo.services.reading.find import NamedScope, scope_named, search_order
from ctxrepo.services.saving.write import drafting
from ctxrepo.services.sessions.conversations import ends_of_session
from ctxrepo.storage.cache.entries import entries_of_scopes
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.spool import SpoolEvent

CATEGORY = "preference"

MOST_WAITING = 10
"""Of so many that wait nobody decides: until they do, no more are proposed."""

_READ = 256 * 1024
"""Bytes of the end of a transcript in which the last prompt is looked for."""


def stage_cues(memory: Memory, event: SpoolEvent, env: Mapping[str, str], now: datetime) -> None:
    """Propose what the person asked for in the turn that has ended, unless that was proposed before, however
    it was decided, or memory says it. No lock is held, for the session's folder may hang."""
    if not memory.settings.inbox.cues or event.event not in ("stop", "end") or not event.transcript:
        return
    cues = [cue for cue in cues_in(_prompt(memory, event)) if mask(cue) == cue]
    if not cues:
        return
    here = find_location(memory, Path(event.cwd), {**env, "CTXREPO_PROJECT": ""}) if event.cwd else None
    if here and (here.is_withheld or here.unknown):
        return
    project = here.project if here else None
    scope = scope_named(memory, "", project)
    proposals = [_proposal(cue, scope, event, memory.host, now) for cue in cues]
    known = _known(memory)
    entries = (one.entry for one in memory.cache.ask(entries_of_scopes, search_order(memory, project)))
    said = {gist(entry.plain.removeprefix(f"[{entry.category}]")) for entry in entries}
    new = [one for one in proposals if one.id not in known and gist(one.text) not in said]
    waiting = sum(name.startswith(OF_CUE) and waits for name, waits in known.items())
    if new and waiting < MOST_WAITING:
        with drafting(memory, STAGE, Origin(memory.host, event.session, event.agent), now) as draft:
            draft.saying = new[0].words
            for one in new:
                draft.append_line(with_room(f"{INBOX}/{memory.host}", draft.there), to_line(one))


def _prompt(memory: Memory, event: SpoolEvent) -> str:
    """What the person said last in a session; '' where that isn't recorded."""
    transcripts, path = transcripts_of(event.agent), Path(event.transcript)
    if transcripts is None:
        return ""
    read = partial(ends_of_session, transcripts, path, event.session, _READ, first=0)
    messages = reversed([*transcripts.messages(memory.outside.ask(path.parent, read).tail)])
    return next((one.text for one in messages if one.who == "user" and one.text), "")


def _proposal(cue: str, scope: NamedScope, event: SpoolEvent, host: str, now: datetime) -> Proposal:
    """The same words are the same proposal on all machines, and in all sessions."""
    name = blake2b(f"{scope.folder}\0{gist(cue)}".encode(), digest_size=6).hexdigest()
    return Proposal(
        f"{OF_CUE}{name}",
        stamp(now),
        "remember",
        cue,
        scope.folder,
        owner=scope.project.id if scope.project else "",
        category=CATEGORY,
        host=host,
        agent=event.agent,
        session=event.session,
    )


def _known(memory: Memory) -> dict[str, bool]:
    """The ids of all that was ever proposed by a cue, and whether it waits: a verdict keeps the id."""
    files = [path for path in memory.worktree.scan(INBOX).files if path.endswith(".jsonl")]
    lines = (line for path in files for line in decode(memory.worktree.read(path) or b"").split("\n"))
    read = [fields for line in lines if OF_CUE in line and (fields := record(line))]
    names = {text_of(fields, "id"): True for fields in read}
    return names | {text_of(fields, "id"): False for fields in read if TOMBSTONE in fields}
