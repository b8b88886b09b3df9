"""A handoff for a session that nobody summed up, from what is noted anyway; no model reads anything."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from ctxrepo.agents import only_reads
from ctxrepo.agents.known import transcripts_of
from ctxrepo.agents.recorded import prompts
from ctxrepo.domain.secrets import mask
from ctxrepo.domain.tape.handoff import MAX_ASKED, MAX_FILES, Handoff, one_line
from ctxrepo.domain.words.prompt_terms import is_left_alone
from ctxrepo.domain.working.daily import words_of
from ctxrepo.hooks.known.locate import top_of
from ctxrepo.lazy import dataclass
from ctxrepo.services.notes.scratch import items_in
from ctxrepo.services.reading.find import NamedScope
from ctxrepo.services.reading.log import entries_today
from ctxrepo.services.reading.tape import anchor_names
from ctxrepo.services.transcripts.conversations import ends_of_session
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
class Sitting:
    """A session as far as it is known: `cwd` where it works, `transcript` the agent's own record of it."""

    agent: str = ""
    session: str = ""
    cwd: str = ""
    transcript: str = ""


def gather(memory: Memory, scope: NamedScope, sitting: Sitting, now: datetime) -> Handoff:
    """What is open in the scope's checklist, and what this session logged, named, edited and was asked.

    `now` has the offset of whoever works. Secrets in it are masked.
    """
    goal, asked = _asked(memory, sitting)
    entries, is_mine = entries_today(memory, scope, sitting.session, now)
    names = anchor_names(memory, scope.folder, sitting.session, now) if sitting.session else []
    left = [found.item.text for found in items_in(memory, scope) if not found.item.is_done]
    return Handoff(
        goal=goal,
        done=_clean([words_of(e.plain) for e in (entries if is_mine else entries[-_LINES:])]),
        open=_clean(left),
        files=_clean(list(_edited(memory, sitting))),
        anchors=_clean([name for name in dict.fromkeys(names) if not name.startswith(OWN)]),
        asked=asked,
    )


def _asked(memory: Memory, sitting: Sitting) -> tuple[str, str]:
    """The first and the last thing that the user asked for; a "hello" or "ok, thanks" asks for nothing."""
    transcripts = transcripts_of(sitting.agent)
    if transcripts is None or not sitting.transcript:
        return "", ""
    path = Path(sitting.transcript)
    ends = memory.outside.ask(
        path.parent, partial(ends_of_session, transcripts, path, sitting.session, _READ)
    )
    head, tail = (prompts(transcripts.messages(lines)) for lines in ends)
    first = next((said for said in head if not is_left_alone(said, is_follow_up=True)), "")
    last = [said for said in tail if not is_left_alone(said, is_follow_up=True)][-1:]
    return _cut(first), _cut("".join(last))


def _edited(memory: Memory, sitting: Sitting) -> Iterator[str]:
    """The files of the project that the session has edited, the one it edited last first."""
    cwd = Path(sitting.cwd)
    tops = memory.outside.ask(cwd, partial(_tops, cwd)) if sitting.cwd and sitting.session else ()
    if not tops:
        return
    seen: set[str] = set()
    for access in AccessLog(memory.state.access).newest():
        if access.session != sitting.session:
            continue
        path = _below(access.path, tops)
        if path and path not in seen and not only_reads(sitting.agent, access.tool):
            seen.add(path)
            yield path
        if len(seen) == MAX_FILES:
            return


def _tops(cwd: Path) -> tuple[str, ...]:
    """What the top of the checkout at `cwd` is called: as one came there, and without links."""
    top = top_of(str(cwd)) if is_path(cwd) else ""
    return tuple(dict.fromkeys((top, os.path.realpath(top)))) if top else ()


def _below(path: str, tops: Sequence[str]) -> str:
    """The path relative to the top of the project, '' for one outside it."""
    for start in tops:
        found = os.path.relpath(os.path.normpath(path), start) if os.path.isabs(path) else ".."
        if found.partition("/")[0] not in ("..", ".", ".git"):
            return found
    return ""


def _clean(items: Sequence[str]) -> tuple[str, ...]:
    return tuple(mask(item[:_PROMPT]) for item in items)


def _cut(prompt: str) -> str:
    return one_line(mask(prompt[:_PROMPT]), MAX_ASKED)
