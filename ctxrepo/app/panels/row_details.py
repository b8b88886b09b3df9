"""What is shown beside the row that somebody looks at: text or difference, with where it is from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ctxrepo.app.panels.panel import PanelRow
from ctxrepo.app.result import Result
from ctxrepo.app.views.deciding import item_view
from ctxrepo.app.views.view import Field, Part, TextLine, View, ViewSection, one_section
from ctxrepo.domain.formats.moment import ago, counted, seconds_of, wall_time
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.project.target import Target
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.tape.anchors import Anchor
    from ctxrepo.domain.tape.session_messages import SessionMessage
    from ctxrepo.services.anchors.tape_view import TapeView
    from ctxrepo.services.usage.read_traces import Trace

MOST_CHARACTERS = 100_000
"""Of a note's text."""

PAST = 5
"""Commits of a note that are shown below it."""

MESSAGES = 40
"""Around an anchor, in the transcript."""

INDEX_SECONDS = 2.0
"""How long sessions are looked for that aren't in the index yet; it has the command to go on with one."""

_TRACES = 20


@dataclass(frozen=True)
class DetailRequest:
    """A row of a panel; `is_place`: of an anchor what was said around it."""

    row: PanelRow
    is_place: bool = False


def look_at(desk: Desk, request: DetailRequest) -> Result[View]:
    """What there is to see of a row."""
    row = request.row
    if row.item:
        from ctxrepo.services.review.proposals import looked_at

        memory = desk.open_memory(or_last_settings=True)
        return Result(item_view(looked_at(memory, row.item, desk.now), desk.now))
    if row.note:
        return Result(_note(desk, row))
    if row.anchor:
        return Result(_place(desk, row) if request.is_place else _anchor(desk, row))
    if row.session:
        return Result(_session(desk, row))
    return Result(row.detail or one_section(row.text, [TextLine(f"{row.text}  {row.side}")]))


def _note(desk: Desk, row: PanelRow) -> View:
    from ctxrepo.app.notes.browsing import read
    from ctxrepo.app.notes.targets import TargetRequest
    from ctxrepo.app.review.past import HistoryRequest, history
    from ctxrepo.app.views.past import history_view

    assert row.note is not None
    target = note_target(row)
    note = read(desk, TargetRequest(target)).value.note
    head = note.head
    about = [
        Field("about", (head.description,)),
        Field("tags", (", ".join(head.tags),)),
        Field("updated", (head.updated or head.created,)),
        Field("problem", (row.note.problem,), "wrong"),
    ]
    body = note.body if len(note.body) <= MOST_CHARACTERS else f"{note.body[:MOST_CHARACTERS]}\n…"
    sections = [
        ViewSection(tuple(field for field in about if any(field.lines))),
        *([ViewSection(tuple(map(TextLine, body.strip("\n").split("\n"))), "text")] if body.strip() else []),
    ]
    with suppress(CtxrepoError):  # a note that no commit has yet
        past = history_view(history(desk, HistoryRequest(target, PAST)).value, PAST)
        sections.append(ViewSection(past.sections[0].parts[1:], "history"))
    return View(row.note.place, tuple(sections))


def note_target(row: PanelRow) -> Target:
    """The note of a row as a command names it."""
    assert row.note is not None
    return Target(row.note.scope, row.note.path)


def _anchor(desk: Desk, row: PanelRow) -> View:
    """What an anchor says, with the message before and after it."""
    view, anchor = _anchor_in_view(desk, row)
    from ctxrepo.services.anchors.tape_lookup import anchor_shown

    near = anchor_shown(view, anchor, 2)
    around = [
        *(TextLine(f"↑ {_message_line(message)}") for message in near.before),
        *(TextLine(f"↓ {_message_line(message)}") for message in near.after),
    ]
    sections = [ViewSection(tuple(_anchor_fields(near.anchor, near.short)))]
    if around:
        sections.append(ViewSection(tuple(around), "said around it"))
    return View(anchor.name, tuple(sections))


def _anchor_fields(anchor: Anchor, short: str) -> Iterator[Part]:
    at = seconds_of(anchor.timestamp)
    fields = {
        "anchor": f"{anchor.name}  ^{short}",
        "left": wall_time(datetime.fromtimestamp(at, UTC)) if at else anchor.timestamp,
        "agent": " ".join(filter(None, (anchor.agent, anchor.session_id[:8]))),
        "machine": anchor.host,
        "summary": anchor.summary,
        "purpose": anchor.purpose,
        "trigger": anchor.trigger,
        "keywords": ", ".join(anchor.keywords),
    }
    yield from (Field(label, (shown(text, 1000),)) for label, text in fields.items() if text)


def _place(desk: Desk, row: PanelRow) -> View:
    """What was said around an anchor, with it between the messages, and how its session goes on."""
    from ctxrepo.app.sessions.tape_operations import read_tape
    from ctxrepo.services.anchors.tape_requests import ReadTape
    from ctxrepo.services.sessions.index_update import update_index

    _, anchor = _anchor_in_view(desk, row)
    request = ReadTape(around=f"^{row.anchor}", limit=MESSAGES, chars=0)
    messages = read_tape(desk, request).value.value.messages
    desk.take_notices()
    parts: list[Part] = []
    is_before = True
    for message in messages:
        if is_before and (seconds_of(message.when) or 0.0) > anchor.moment:
            is_before = False
            parts.append(TextLine(f"⚓ {shown(anchor.name)}"))
        who = "user" if message.who == "user" else shown(message.agent)
        parts.append(Field(who, tuple(_whole(message).split("\n"))))
    if messages and is_before:
        parts.append(TextLine(f"⚓ {shown(anchor.name)}"))
    if not messages:
        parts.append(TextLine("its transcript isn't on this machine, or can't be read"))
    update_index(desk.memory, INDEX_SECONDS, desk.progress)
    resume = resume_of(desk, anchor.session_id)
    about = [Field("resume", (resume,))] if resume else []
    return View(anchor.name, (ViewSection((*about, *parts)),))


def _anchor_in_view(desk: Desk, row: PanelRow) -> tuple[TapeView, Anchor]:
    from ctxrepo.services.anchors.tape_view import resolve, view_of

    view = view_of(desk.memory, "", "", desk.project, desk.session)
    return view, resolve(view.tape, view.own, f"^{row.anchor}", is_only_own=False)


def _whole(message: SessionMessage) -> str:
    return message.text.strip() or f"[{', '.join(dict.fromkeys(message.tools))}]"


def _message_line(message: SessionMessage) -> str:
    who = "user" if message.who == "user" else shown(message.agent)
    return f"{who}: {shown(' '.join(_whole(message).split()), 300)}"


def resume_of(desk: Desk, session: str) -> str:
    """The command that goes on with a session; '' where its transcript isn't indexed here."""
    from ctxrepo.services.sessions.prompt_moments import resumption

    return resumption(desk.memory, "", session).command


def _session(desk: Desk, row: PanelRow) -> View:
    """Where a session is, how far it got, and what its prompts were given."""
    from ctxrepo.app.sessions.measuring import TraceRequest, list_traces
    from ctxrepo.storage.state.ledgers import ledgers

    memory = desk.open_memory(or_last_settings=True)
    known = ledgers(memory.places.sessions, memory.state.id)
    ledger = next(ledger for ledger in known if ledger.session == row.session)
    moments = {"began": ledger.began, "last heard": ledger.touched, "ended": ledger.ended}
    times = {label: datetime.fromtimestamp(at, UTC) for label, at in moments.items() if at}
    fields = {
        "agent": f"{ledger.agent} {ledger.session}",
        "folder": ledger.cwd,
        "project": ledger.project,
        **{label: f"{wall_time(at)}, {ago(at, desk.now)}" for label, at in times.items()},
        "given": counted(ledger.given, "entry", "entries") + ", and nothing more: it is off" * ledger.is_off,
        "resume": resume_of(desk, ledger.session),
    }
    sections = [ViewSection(tuple(Field(k, (shown(v, 1000),)) for k, v in fields.items() if v))]
    with suppress(CtxrepoError):  # no prompt of it has a trace
        traces = list_traces(desk, TraceRequest(session=ledger.session, last=_TRACES)).value
        sections.append(ViewSection(tuple(part for trace in traces for part in _trace(trace)), "prompts"))
    return View(row.text, tuple(sections))


def _trace(trace: Trace) -> Iterator[Part]:
    about = f"edited {trace.edited}" if trace.edited else f"> {trace.prompt}"
    yield TextLine(f"{trace.at[:16].replace('T', ' ')}  {shown(about, 200)}")
    yield from (TextLine(f"given {entry.at}  {shown(entry.text)}", 1) for entry in trace.given)
    if trace.silence:
        yield TextLine(f"nothing: {trace.silence}", 1)
