"""A handoff: an anchor with what whoever goes on needs to know, as it was given or else drafted."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from ctxrepo.agents import only_reads
from ctxrepo.agents.known import transcripts_of
from ctxrepo.agents.recorded import prompts
from ctxrepo.domain.formats.jsonl import render
from ctxrepo.domain.secrets import mask, scan
from ctxrepo.domain.tape.handoff_parts import (
    MAX_ASKED,
    MAX_FILES,
    Handoff,
    fitted,
    handoff_of,
    meta_of,
    one_line,
)
from ctxrepo.domain.words.prompt_terms import is_left_alone
from ctxrepo.domain.working.daily import words_of
from ctxrepo.hooks.known.locate import top_of
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.notes.working_notes import items_in
from ctxrepo.services.reading.daily_logs import entries_today
from ctxrepo.services.reading.find import NamedScope, scope_named
from ctxrepo.services.reading.tape_files import handoffs_left, tape_here
from ctxrepo.services.sessions.conversations import ends_of_session
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.usage import AccessLog
from ctxrepo.storage.user.sound import is_path

OWN = "handoff/"
"""How the names of handoffs begin: one never tells of another."""

_LINES = 5
"""How many lines of the day's log are taken if this session logged nothing itself."""

_READ = 1024 * 1024
"""Bytes of a transcript that are read, at either end."""

_PROMPT = 4000
"""Characters of a prompt that are looked at for secrets, before it is cut to what is kept."""


@dataclass(frozen=True)
class WorkingSession:
    """A session as far as it is known: `cwd` where it works, `transcript` the agent's own record of it."""

    agent: str = ""
    session: str = ""
    cwd: str = ""
    transcript: str = ""


def gather(memory: Memory, scope: NamedScope, working: WorkingSession, now: datetime) -> Handoff:
    """What is open in the scope's checklist, and what this session logged, named, edited and was asked,
    without secrets; `now` has the offset of whoever works."""
    goal, asked = _asked(memory, working)
    entries, is_mine = entries_today(memory, scope, working.session, now)
    left = handoffs_left(memory, scope.folder, working.session, now) if working.session else []
    names = dict.fromkeys(anchor.name for anchor in left)
    open_items = [found.item.text for found in items_in(memory, scope) if not found.item.is_done]
    return Handoff(
        goal=goal,
        done=_clean([words_of(e.plain) for e in (entries if is_mine else entries[-_LINES:])]),
        open=_clean(open_items),
        files=_clean(list(_edited(memory, working))),
        anchors=_clean([name for name in names if not name.startswith(OWN)]),
        asked=asked,
    )


def _asked(memory: Memory, working: WorkingSession) -> tuple[str, str]:
    """The first and the last thing that the user asked for; a "hello" or "ok, thanks" asks for nothing."""
    transcripts = transcripts_of(working.agent)
    if transcripts is None or not working.transcript:
        return "", ""
    path = Path(working.transcript)
    ends = memory.outside.ask(
        path.parent, partial(ends_of_session, transcripts, path, working.session, _READ)
    )
    head, tail = (prompts(transcripts.messages(lines)) for lines in ends)
    first = next((said for said in head if not is_left_alone(said, is_follow_up=True)), "")
    last = [said for said in tail if not is_left_alone(said, is_follow_up=True)][-1:]
    return _cut(first), _cut("".join(last))


def _edited(memory: Memory, working: WorkingSession) -> Iterator[str]:
    """The files of the project that the session has edited, the one it edited last first."""
    cwd = Path(working.cwd)
    tops = memory.outside.ask(cwd, partial(_tops, cwd)) if working.cwd and working.session else ()
    if not tops:
        return
    seen: set[str] = set()
    for access in AccessLog(memory.state.access).newest():
        if access.session != working.session:
            continue
        path = _below(access.path, tops)
        if path and path not in seen and not only_reads(working.agent, access.tool):
            seen.add(path)
            yield path
        if len(seen) == MAX_FILES:
            return


def _tops(cwd: Path) -> tuple[str, ...]:
    """What the top of the checkout at `cwd` is called: as one came there, and without links."""
    top = top_of(str(cwd)) if is_path(cwd) else ""
    return tuple(dict.fromkeys((top, os.path.realpath(top)))) if top else ()


def _below(path: str, tops: Sequence[str]) -> str:
    for start in tops:
        found = os.path.relpath(os.path.normpath(path), start) if os.path.isabs(path) else ".."
        if found.partition("/")[0] not in ("..", ".", ".git"):
            return found
    return ""


def _clean(items: Sequence[str]) -> tuple[str, ...]:
    return tuple(mask(item[:_PROMPT]) for item in items)


def _cut(prompt: str) -> str:
    return one_line(mask(prompt[:_PROMPT]), MAX_ASKED)


NAME = "handoff/session"


def prepare(
    memory: Memory,
    given: Handoff,
    working: WorkingSession,
    project: Project | None,
    now: datetime,
    scope: str = "",
) -> Handoff:
    """The handoff as it would be left: what is `given`, the rest gathered. The next step can't be gathered:
    that of the newest handoff stays until another is given, and its goal where this session has none."""
    place = scope_named(memory, scope, project)
    gathered = gather(memory, place, working, now)
    newest = tape_here(memory, place.folder).newest_handoff
    if newest and not given.next:
        before = handoff_of(newest.meta)
        gathered = replace(gathered, goal=gathered.goal or before.goal, next=before.next)
    parts = {f.name: getattr(given, f.name) or getattr(gathered, f.name) for f in fields(given)}
    if parts["asked"] == parts["goal"]:
        parts["asked"] = ""
    return _without_secrets(fitted(Handoff(**parts)), given)


def _without_secrets(handoff: Handoff, given: Handoff) -> Handoff:
    """The handoff without what was gathered and the guard would refuse: that must not keep the rest from
    being left."""
    for name in ("asked", "goal", "done", "open", "files", "anchors"):
        if not scan(render(meta_of(handoff))):
            break
        if not getattr(given, name):
            handoff = Handoff(**{**vars(handoff), name: getattr(Handoff(), name)})
    return handoff
