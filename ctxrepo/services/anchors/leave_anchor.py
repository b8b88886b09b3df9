"""A session leaves an anchor for those to come, in a project's anchors file too; and what it is left for."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Literal
from uuid import uuid4

from ctxrepo.domain.formats.jsonl import TOMBSTONE, in_parts, record, with_room
from ctxrepo.domain.formats.moment import month, stamp
from ctxrepo.domain.guard.refusals import check_file, refuse
from ctxrepo.domain.note.note import encode
from ctxrepo.domain.project.layout import COMPATIBLE, anchors_file, tapes_of
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.tape.anchors import (
    Anchor,
    anchor_of,
    anchors_of,
    says_the_same,
    shared_line,
    to_anchors_file_line,
    to_line,
)
from ctxrepo.domain.tape.handoff_parts import Handoff, handoff_of, meta_of, one_line
from ctxrepo.domain.text import hidden
from ctxrepo.errors import CtxrepoError, Refused, UsageError
from ctxrepo.hooks.session.ledger_words import ANCHOR_REQUEST, NO_ANCHOR_REQUEST
from ctxrepo.hooks.session.session import Session
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import NamedScope, scope_named
from ctxrepo.services.reading.tape_files import BY_ITSELF, MOMENT, tape_here, told_handoff
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.services.sessions.session_settings import anchor_commands, keeps_anchors, tape_settings
from ctxrepo.storage.cache.cache import put_handoffs
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.local_tape import LocalTape
from ctxrepo.storage.state.ledgers import Ledger


def share(draft: Draft, folder: str) -> str:
    """Put the handoffs that this machine left for a project into its anchors file, also those from before
    there was one. The file is made where the program that keeps it is set up to use this memory. A line that
    was put there is noted on our own tape and never put there again. What is wrong with the file keeps no
    anchor from being left: then none is put there, and why is returned, else ''."""
    try:
        shared = _shared(draft, folder)
        allow = draft.memory.settings.secrets.allow_secret
        paths = [path for path, text in shared.items() if text != draft.there(path)]
        refuse([finding for path in paths for finding in check_file(path, encode(shared[path]), allow)])
    except Refused as error:
        return f"{anchors_file(folder)} is left as it is, so {COMPATIBLE} doesn't know this anchor: {error}"
    for path, text in shared.items():
        draft.put(path, text)
    return ""


def _shared(draft: Draft, folder: str) -> dict[str, str]:
    memory, theirs = draft.memory, anchors_file(folder)
    their_text = draft.text(theirs)
    if their_text is None and not keeps_anchors(memory.places, memory.env, memory.root):
        return {}
    on_their_tape = {own.id for own in anchors_of(their_text or "")}
    shared: dict[str, str] = {}
    added: list[str] = []
    ours = f"{tapes_of(folder)}/{memory.host}-"
    paths = {path for path in memory.worktree.scan(tapes_of(folder)).files if path.startswith(ours)}
    for path in sorted(paths | {path for path in draft.after if path.startswith(ours)}):
        lines = (draft.text(path) or "").split("\n")
        for number, line in enumerate(lines):
            fields = record(line) or {}
            own = None if TOMBSTONE in fields else anchor_of(fields)
            if own is None or own.is_shared or own.type != "handoff":
                continue
            if own.id not in on_their_tape:
                added.append(to_anchors_file_line(own))
            lines[number] = shared_line(fields)
        shared[path] = "\n".join(lines)
    if added:
        before = their_text or ""
        gap = "" if not before or before.endswith("\n") else "\n"
        shared[theirs] = before + gap + "".join(f"{line}\n" for line in added)
    return shared


MAX_NAME = 200
MAX_SUMMARY = 1000
MAX_KEYWORDS = 50


@dataclass(frozen=True)
class AnchorResult:
    """`path` is the file of the memory that the anchor stands in, '' for one that stays on this machine;
    `existing` says that the anchor was there already, and none was added. `folder` is the scope's; `notice`
    is what the user is to know, or ''."""

    anchor: Anchor
    path: str
    existing: bool = False
    folder: str = ""
    notice: str = ""


@dataclass(frozen=True)
class AnchorRequest:
    """An anchor's name and what it says. `scope` is whose tape it stands on, '' the project's; `trigger` says
    what it was left for, `handoff` tells whoever goes on, and `entry` is the message of the session's
    transcript at which it is left, '' where that isn't known."""

    name: str
    summary: str = ""
    purpose: str = ""
    keywords: Sequence[str] = ()
    scope: str = ""
    trigger: str = "direct"
    handoff: Handoff | None = None
    entry: str = ""


def anchor(
    memory: Memory, request: AnchorRequest, project: Project | None, origin: Origin, now: datetime
) -> AnchorResult:
    """Leave a handoff anchor on the tape of a scope, by default the project's. When the newest one says the
    same, that one stands. Where `tape.sync` is `none` it stays on this machine."""
    name = request.name
    if not name.strip() or len(name) > MAX_NAME or not _is_line(name):
        raise UsageError(
            f"an anchor's name is one line of 1 to {MAX_NAME} characters", "For example task/begin."
        )
    _require_short(request)
    place = scope_named(memory, request.scope, project)
    point = _made(memory, request, origin, now)
    stays_here = tape_settings(memory, origin.agent).sync == "none"
    standing = _standing(memory, place.folder, point)
    if standing and (stays_here or not standing.project):  # what stays here reaches no other machine
        return AnchorResult(standing, "", existing=True, folder=place.folder)
    if stays_here:
        with drafting(memory, "anchor", origin, now) as draft:
            draft.register(place.project)  # a session is told of no folder that isn't registered
            point = replace(point, project=place.folder)
            allow = memory.settings.secrets.allow_secret
            refuse(list(check_file("handoffs.jsonl", to_line(point).encode(), allow)))
            LocalTape(memory.state).keep(point)
            memory.done_log.note_here("anchor", origin, f"anchor {point.name}", [], [to_line(point)])
            tell_newest(memory, place.folder)
            return AnchorResult(point, "", folder=place.folder)
    return write(memory, point, place, origin, now)


def _require_short(request: AnchorRequest) -> None:
    """UsageError where an anchor would say more than whoever reads it is shown, or not on one line."""
    if len(" ".join(request.summary.split())) > MAX_SUMMARY:
        raise UsageError(
            f"an anchor's summary has at most {MAX_SUMMARY} characters", "`ctxrepo remember` keeps the rest."
        )
    lines = [("purpose", request.purpose), ("entry", request.entry)]
    for what, text in [*lines, *(("keyword", word) for word in request.keywords)]:
        if len(text) > MAX_NAME or not _is_line(text):
            raise UsageError(f"an anchor's {what} is one line of at most {MAX_NAME} characters")
    if len(request.keywords) > MAX_KEYWORDS:
        raise UsageError(f"an anchor has at most {MAX_KEYWORDS} keywords")


def _is_line(text: str) -> bool:
    return "\t" not in text and not hidden(text)


def write(memory: Memory, point: Anchor, place: NamedScope, origin: Origin, now: datetime) -> AnchorResult:
    """Put an anchor on the tape that every machine has."""
    verb = BY_ITSELF if point.trigger == BY_ITSELF else "anchor" if point.type == "handoff" else MOMENT
    with drafting(memory, verb, origin, now) as draft:
        draft.saying = f"anchor {point.name}"
        (path,) = append_to_tape(draft, tapes_of(place.folder), [to_line(point)], now)
        notice = share(draft, place.folder)
        draft.register(place.project)
    return AnchorResult(point, path, folder=place.folder, notice=notice)


def append_to_tape(draft: Draft, tape: str, lines: Iterable[str], now: datetime) -> list[str]:
    """Add anchors' lines to this machine's file of the month in a folder of tapes, or to further ones where
    that has no room; returns their paths."""
    paths = []
    for part in in_parts(lines):
        paths.append(with_room(f"{tape}/{draft.memory.host}-{month(now)}", draft.there))
        draft.append_line(paths[-1], part)
    return [*dict.fromkeys(paths)]


def tell_newest(memory: Memory, folder: str) -> None:
    """Tell the cache which handoff of a scope is the newest: no commit tells of those on this machine."""
    memory.cache.change(put_handoffs, [told_handoff(memory, memory.head_tree, folder)])


def _made(memory: Memory, request: AnchorRequest, origin: Origin, now: datetime) -> Anchor:
    fields = {"trigger": request.trigger, "keywords": list(request.keywords)}
    fields |= {"summary": request.summary, "purpose": request.purpose}
    fields |= meta_of(request.handoff) if request.handoff else {}
    point = begun_anchor(memory, str(uuid4()), request.entry, origin, now)
    meta = {name: value for name, value in fields.items() if value}
    return replace(point, name=request.name.strip(), type="handoff", meta=meta)


def begun_anchor(memory: Memory, anchor_id: str, entry: str, origin: Origin, at: datetime) -> Anchor:
    """An anchor without a name at the message `entry` of a session, '' where that isn't known. A session
    whose id isn't plain text is none."""
    return Anchor(
        id=anchor_id,
        timestamp=stamp(at),
        name="",
        type="session",
        session_id=origin.session if origin.session and origin.session.isprintable() else "cli",
        session_entry_id=entry or anchor_id,
        host=memory.host,
        agent=origin.agent,
    )


def _standing(memory: Memory, folder: str, point: Anchor) -> Anchor | None:
    """The newest anchor, when this one says nothing new. A handoff is gathered before each compaction and
    changes seldom."""
    tape = tape_here(memory, folder)
    if "handoff" not in point.meta:
        newest = tape.handoffs.last
        return newest if newest and says_the_same(newest, point) else None
    newest = tape.newest_handoff
    if newest and (point.trigger == BY_ITSELF or newest.name == point.name):
        return newest if handoff_of(newest.meta) == handoff_of(point.meta) else None
    return None


_MOST = 4000
"""Characters of a request that are handed on to the agent."""

_COMMAND = 'ctxrepo anchor NAME --summary "…" --purpose "…"'
_TOOL = "tape_handoff with a name, a summary and a purpose"

_ASKED = """\
The user wants an anchor here. Before you go on, {verb} this:
{call}
- name: in parts from the general to the particular, such as payments/retries, so that it can be found again
- summary: what the request below is about, in its language, in fewer than 18 words
- purpose: one or two words
Take these from the request; don't ask back. Then go on.

The user's request: {prompt}"""


@dataclass(frozen=True)
class Trigger:
    """What an anchor is left for, and the keywords that asked for it, as the session's ledger tells and not
    the agent that leaves one. That is no lock: an agent with a shell could ask for one in its user's place.

    A user asks for an anchor in so many words (`ctxrepo anchor --from-prompt`, /memory-anchor in pi), which
    is noted until an anchor is left. Or a prompt has a keyword: then the anchor of that name is noted until
    another prompt comes, or another anchor is left."""

    name: Literal["direct", "keyword", "manual"] = "direct"
    keywords: tuple[str, ...] = ()


@contextmanager
def triggered(memory: Memory, origin: Origin, name: str) -> Iterator[Trigger]:
    """The trigger of the anchor `name` that is left within this; what asked for it is done with afterwards,
    and what a keyword asked for under another name. Refused where `tape.mode` is `manual` and nobody asked
    for this one."""
    if not origin.session:
        yield Trigger()
        return
    session = Session(str(memory.places.state), memory.state.id, origin.agent, origin.session)
    request = session.record.anchor_request

    def forget() -> None:
        if request:
            session.note(NO_ANCHOR_REQUEST)
            session.save()

    trigger = Trigger()
    if request and request.is_manual:
        trigger = Trigger("manual")
    elif request and request.name == name.strip():
        trigger = Trigger("keyword", request.keywords)
    if trigger.name == "direct" and tape_settings(memory, origin.agent).mode == "manual":
        forget()
        raise Refused(
            "tape.mode is manual: an agent leaves an anchor only where its user asks for one",
            "Go on without one. Users ask by a keyword in a prompt, by `ctxrepo anchor --from-prompt`, or "
            f"{anchor_commands()}.",
        )
    yield trigger
    forget()


def ask_for_anchor(memory: Memory, ledger: Ledger, prompt: str) -> str:
    """Note that the user of a session wants an anchor; what its agent is to be told of that."""
    session = Session(str(memory.places.state), memory.state.id, ledger.agent, ledger.session)
    session.note(ANCHOR_REQUEST)
    session.save()
    again = Session(str(memory.places.state), memory.state.id, ledger.agent, ledger.session)
    if not (again.record.anchor_request and again.record.anchor_request.is_manual):
        raise CtxrepoError(f"{ledger.path} can't be written", "Look whether the disk is full.")
    verb, call = ("call", _TOOL) if tape_settings(memory, ledger.agent).tools else ("run", _COMMAND)
    return _ASKED.format(verb=verb, call=call, prompt=one_line(prompt, _MOST))
