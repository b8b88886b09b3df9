"""What is left of a session: a handoff for whoever goes on, and anchors that say what happened to it."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from ctxrepo.agents import only_reads
from ctxrepo.agents.known import transcripts_of
from ctxrepo.agents.recorded import prompts
from ctxrepo.domain.formats.jsonl import render
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.secrets import mask, scan
from ctxrepo.domain.tape.anchors import Anchor
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
from ctxrepo.services.anchors.leave_anchor import AnchorRequest, anchor, begun_anchor, write
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.locate.look import find_location, find_project
from ctxrepo.services.notes.working_notes import items_in
from ctxrepo.services.reading.daily_logs import entries_today
from ctxrepo.services.reading.find import NamedScope, scope_named
from ctxrepo.services.reading.tape_files import BY_ITSELF, handoffs_left, tape_here
from ctxrepo.services.sessions.conversations import ends_of_session, last_entry, transcript_of
from ctxrepo.services.sessions.session_settings import leaves_alone, tape_settings
from ctxrepo.storage.disk.private import random_name
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.local_tape import LocalTape
from ctxrepo.storage.state.spool import Compactions, SpoolEvent
from ctxrepo.storage.state.usage import AccessLog
from ctxrepo.storage.user.sound import is_path

_KINDS = {"resume": "resume", "reload": "resume", "fork": "fork", "clear": "clear"}
"""What a start is by its source; any other is a new session's, unless something was said in it before."""


def queue_handoff(memory: Memory, event: SpoolEvent) -> None:
    """Queue a handoff before a compaction: to make it reads the session's folder, which may hang, and this
    runs under the write lock."""
    if event.event == "compact" and "handoff" in memory.settings.hooks.pre_compact:
        Compactions(memory.state.compactions).leave(event)


def hand_over_compaction(memory: Memory, event: SpoolEvent, env: Mapping[str, str], now: datetime) -> None:
    """Leave on the tape what is known of a session before its conversation is shortened, if anything."""
    now = now.astimezone()  # whose day it is decides which log is today's
    working = WorkingSession(event.agent, event.session, event.cwd, event.transcript)
    project = find_project(memory, Path(event.cwd), env) if event.cwd else None
    handoff = prepare(memory, Handoff(), working, project, now)
    if not handoff.says_something:
        return
    origin = Origin(memory.host, event.session, event.agent)
    entry = last_entry(memory, event.agent, event.session, event.transcript)
    request = AnchorRequest("handoff/compaction", trigger=BY_ITSELF, handoff=handoff, entry=entry)
    anchor(memory, request, project, origin, now)


def leave_event_anchor(memory: Memory, event: SpoolEvent, env: Mapping[str, str], now: datetime) -> None:
    """Leave the anchor that an event calls for. No lock is held, for the session's folder may hang."""
    kind = _KINDS.get(event.source, "new") if event.event == "start" else event.event
    is_moment = event.event in ("start", "compact", "end")
    if not is_moment or not event.session or (event.event == "start" and event.source == "compact"):
        return  # after a compaction the session goes on
    here = find_location(memory, Path(event.cwd)) if event.cwd else None
    settings = tape_settings(memory, event.agent)
    if here and (here.is_withheld or here.unknown):
        return
    project = here.project if here else None
    if leaves_alone(settings, event.cwd, project):
        return
    place = scope_named(memory, "", project)
    transcript = event.transcript or transcript_of(event.agent, event.session, memory.places.user_home, env)
    at = min(now, datetime.fromtimestamp(event.at, UTC) if event.at > 0 else now)
    entry = last_entry(memory, event.agent, event.session, transcript, at)
    if kind == "new" and entry:  # something was said in it before
        kind = "resume"
    leave_moment(memory, place, kind, Origin(memory.host, event.session, event.agent), at, entry)


def leave_reset(memory: Memory, place: NamedScope, cwd: Path, origin: Origin, now: datetime) -> Anchor | None:
    """Say on a tape that it was reset; None where nothing is kept of this agent's sessions."""
    if leaves_alone(tape_settings(memory, origin.agent), str(cwd), place.project):
        return None
    return leave_moment(memory, place, "reset", origin, now)


def leave_moment(
    memory: Memory, place: NamedScope, kind: str, origin: Origin, at: datetime, entry: str = ""
) -> Anchor:
    """Write down what happened to a session (`kind`: new, resume, fork, clear, compact, end or reset): here,
    or where `tape.sync` is `all` on the shared tape."""
    anchor = begun_anchor(memory, random_name(), entry, origin, at)
    anchor = replace(anchor, name=f"session/{kind}")
    if tape_settings(memory, origin.agent).sync == "all":
        project = place.project.id if place.project else ""
        write(memory, anchor, place, Origin(memory.host, origin.session, origin.agent, project), at)
    else:
        anchor = replace(anchor, project=place.folder)
        LocalTape(memory.state).note(anchor)
    return anchor


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
    anchors = handoffs_left(memory, scope.folder, working.session, now) if working.session else []
    names = dict.fromkeys(anchor.name for anchor in anchors)
    open_items = [scratch.item.text for scratch in items_in(memory, scope) if not scratch.item.is_done]
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
    head, tail = (prompts(transcripts.messages(lines)) for lines in (ends.head, ends.tail))
    first = next((prompt for prompt in head if not is_left_alone(prompt, is_follow_up=True)), "")
    last = [prompt for prompt in tail if not is_left_alone(prompt, is_follow_up=True)][-1:]
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
        relative_path = os.path.relpath(os.path.normpath(path), start) if os.path.isabs(path) else ".."
        if relative_path.partition("/")[0] not in ("..", ".", ".git"):
            return relative_path
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
