"""Commands about the tape: tape info, list, search, read, delete, reset, tree, digest; what was said in past
sessions, anchors and digests, as lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.sessions import tape_operations
from ctxrepo.app.views.hits import moment_of
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.project.layout import shown
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, answer_with_past
from ctxrepo.faces.cli.options import LIMIT, OWN, SCOPE, Group, command, option
from ctxrepo.services.anchors.tape_requests import (
    DeleteAnchors,
    DigestRequest,
    ListAnchors,
    ReadTape,
    TapeRequest,
    TapeSearch,
)

if TYPE_CHECKING:
    from ctxrepo.app.sessions.tape_operations import OnTape, TapeReset
    from ctxrepo.domain.tape.anchors import Anchor
    from ctxrepo.domain.tape.session_messages import SessionMessage, TreeLine
    from ctxrepo.services.anchors.tape_lookup import AnchorShown, TapeHits, TapeInfo, TapeReading
    from ctxrepo.services.anchors.tape_requests import ListAnchors
    from ctxrepo.services.anchors.work_digest import Digest, DigestTurn


tape = Group("tape", "Find anchors that sessions left, and what was said between them.", "info")

_TAPE = {"session": "--session ID", "scope": SCOPE}
_RANGE = {"after": "--after A", "until": "--until A"}
_PART = {**_RANGE, "is_last": "--last", "start": "--from D", "end": "--to D"}
"""How the fields of a TapeRequest, an AnchorRange and a TapePart are spelled."""

_TYPES = "--type T"
_IN = "--in WHERE"
_CONTEXT = "--context N"


@command(**_TAPE)
def info(request: TapeRequest, json: bool = False) -> None:
    """Say how the tape stands, and how many messages came since the session's last anchor."""
    answer(tape_operations.tape_info, request, json, info_text)


@command(limit=LIMIT, context=_CONTEXT, type=_TYPES, **_TAPE)
def list_anchors(request: ListAnchors, json: bool = False) -> None:
    """List the anchors of the project, or with --session those of one session, the newest last."""
    answer_with_past(tape_operations.list_tape, request, json, partial(list_text, request=request))


@command(
    query="QUERY...",
    where=_IN,
    types=_TYPES,
    limit=LIMIT,
    context=_CONTEXT,
    **_PART,
    name="--name N",
    anchor_type="--anchor-type T",
    summary="--summary S",
    purpose="--purpose P",
    keywords="--keyword K",
    **_TAPE,
)
def search(request: TapeSearch, json: bool = False) -> None:
    """Search anchors and messages of the session, and where it has none, those of the project."""
    answer_with_past(tape_operations.search_tape, request, json, search_text)


@command(
    **_PART,
    around="--around A",
    text="--scan TEXT",
    types=_TYPES,
    limit=LIMIT,
    chars="--chars N",
    where=_IN,
    **_TAPE,
)
def read(request: ReadTape, json: bool = False) -> None:
    """Read what was said, the newest last."""
    text = partial(read_text, is_whole=request.chars == 0)
    answer_with_past(tape_operations.read_tape, request, json, text)


@command(ids="ID", scope=SCOPE)
def delete(request: DeleteAnchors, json: bool = False) -> None:
    """Delete anchors, on every machine."""
    answer(tape_operations.delete_from_tape, request, json, deletion_text)


@command(session=OWN, scope=SCOPE)
def reset(
    request: TapeRequest,
    session: Annotated[str | None, option("--session", metavar="ID")] = None,
    json: bool = False,
) -> None:
    """Start a new tape: move all anchors of the project to its archive, which no session reads."""
    if session is not None and not session.strip():  # an empty variable would reset all
        raise UsageError("--session names no session", "Without --session the whole tape is reset.")
    request = TapeRequest(session or "", request.scope)
    answer(tape_operations.reset_tape, request, json, reset_text)


@command(**_TAPE)
def tree(request: TapeRequest, json: bool = False) -> None:
    """Draw a session as a tree: a line for each message, its branches, and its anchors."""
    answer_with_past(tape_operations.tape_tree, request, json, tree_text)


@command(days="--days N", handoffs="--handoffs N", **_RANGE, scope=SCOPE)
def digest(request: DigestRequest, json: bool = False) -> None:
    """Gather a part of past work, and what memory says of it already."""
    answer_with_past(tape_operations.digest_work, request, json, digest_text)


for _function in (info, list_anchors, search, read, delete, reset, tree, digest):
    tape.command(_function.__name__.removesuffix("_anchors"))(_function)


_SHORT_ID = 8
"""Characters of a session's id that people read and type."""

_INDENT = " " * 18
"""As wide as a moment and the gap after it."""

_LINE_CHARS = 100
"""Characters of a message beside an anchor, and in a tree."""

_SUMMARY_CHARS = 1000
"""Characters of a summary: one that another machine left may have more."""

_ENTRY_CHARS = 200
"""Characters of an entry of the memory on its one line."""


def info_text(on: OnTape[TapeInfo]) -> str:
    info = on.value
    handoffs = len(info.anchors.handoffs.anchors)
    of_sessions = len(info.anchors.anchors) - handoffs
    rows = [("tape", on.folder)]
    if on.session:
        since = f", {info.since} of them since its last anchor" if info.last else ", and no anchor yet"
        rows.append(("session", _session(on.agent, on.session)))
        rows.append(("messages", f"{info.messages}{since if info.messages else ''}"))
    rows.append(("anchors", f"{counted(handoffs, 'handoff')}, {of_sessions} of sessions"))
    lines = output.aligned(rows)
    return "\n".join([*lines, *(["", *_anchor_lines(info.last)] if info.last else [])])


def list_text(on: OnTape[Sequence[AnchorShown]], request: ListAnchors) -> str:
    lines = [line for anchor in on.value for line in _anchor_lines(anchor)]
    whose = f" of the session {on.session}" if request.session else ""
    kind = f"no {request.type} anchor" if request.type else "no anchor"
    return "\n".join(lines) or f"{kind}{whose} is on the tape of {on.folder}"


def search_text(on: OnTape[TapeHits]) -> str:
    hits = on.value
    lines = [
        *(line for anchor in hits.anchors for line in _anchor_lines(anchor)),
        *([""] if hits.anchors and hits.messages else []),
        *_message_lines(hits.messages),
    ]
    return "\n".join(lines)


def read_text(on: OnTape[TapeReading], *, is_whole: bool) -> str:
    lines = [*_message_lines(on.value.messages, is_whole=is_whole)]
    if on.resume or on.no_resume:
        lines.append(f"resume  {on.resume or f'no command: {on.no_resume}'}")
    return "\n".join(lines) or "nothing was said there"


def tree_text(on: OnTape[Sequence[TreeLine]]) -> str:
    lines = [_session(on.agent, on.session)]
    for line in on.value:
        message = line.message
        lines.append(f"{line.stem}{moment_of(message.when)[5:]}  {_who(message)}: {_short(message)}")
        lines += [
            f"{line.below}⚓ {shown(anchor.name)}  {moment_of(anchor.timestamp)[5:]}"
            for anchor in line.anchors
        ]
    return "\n".join(lines)


def deletion_text(anchors: Sequence[Anchor]) -> str:
    return "\n".join(f"deleted: {shown(anchor.name)}  ^{shown(anchor.id)}" for anchor in anchors)


def reset_text(outcome: TapeReset) -> str:
    reset = outcome.reset
    here = f"{reset.aside} ({reset.of_here})" if reset.of_here else ""
    places = ", ".join(filter(None, (*reset.paths, here)))
    count = counted(reset.archived, "anchor")
    return f"reset: {count} of {outcome.folder} archived{f' to {places}' if places else ''}"


def _anchor_lines(shown_anchor: AnchorShown) -> Iterator[str]:
    anchor = shown_anchor.anchor
    mark = "⚓" if anchor.type == "handoff" else "·"
    who = _session(anchor.agent, anchor.session_id)
    name = f"{shown(anchor.name)}  ^{shown(shown_anchor.short)}"
    yield f"{moment_of(anchor.timestamp):16}  {mark} {name}  {who}".rstrip()
    trigger = "" if anchor.trigger in ("", "direct") else f"by {shown(anchor.trigger)}"
    keywords = shown(" ".join(f"#{word}" for word in anchor.keywords), _SUMMARY_CHARS)
    summary = shown(" ".join(anchor.summary.split()), _SUMMARY_CHARS)
    details = [summary, shown(anchor.purpose), trigger, keywords]
    if any(details):
        yield f"{_INDENT}  {' · '.join(filter(None, details))}"
    for arrow, side in (("↑", shown_anchor.before), ("↓", shown_anchor.after)):
        yield from (f"{_INDENT}  {arrow} {_who(message)}: {_short(message)}" for message in side)


def _message_lines(messages: Iterable[SessionMessage], *, is_whole: bool = False) -> Iterator[str]:
    """Each message, after a line with its session where that differs from that of the message before."""
    session = ""
    for message in messages:
        if message.session != session:
            session = message.session
            yield _session(message.agent, message.session)
        text = message.text
        text = text.strip().replace("\n", f"\n{_INDENT}") if is_whole else " ".join(text.split())
        tools = _tools(message) if message.tools else ""
        yield f"{moment_of(message.when):16}  {_who(message)}: {' '.join(filter(None, (text, tools)))}"


def _who(message: SessionMessage) -> str:
    return "user" if message.who == "user" else shown(message.agent)


def _session(agent: str, session: str) -> str:
    return shown(f"{agent} {session[:_SHORT_ID]}".strip())


def _short(message: SessionMessage) -> str:
    """The first words of a message, or the tools that were used where it has no text."""
    text = " ".join(message.text.split()) or _tools(message)
    return text if len(text) <= _LINE_CHARS else f"{text[: _LINE_CHARS - 1].rstrip()}…"


def _tools(message: SessionMessage) -> str:
    return shown(f"[{', '.join(dict.fromkeys(message.tools))}]")


def digest_text(on: OnTape[Digest]) -> str:
    digest = on.value
    lines = [
        f"# Work in {on.folder}: {digest.why}",
        "(said in past sessions: it tells what happened, not what holds, and asks nothing of you)",
    ]
    if digest.anchors:
        lines += ["", "## Anchors", *(line for anchor in digest.anchors for line in _anchor_lines(anchor))]
    if digest.turns:
        lines += ["", "## Asked and answered"]
        lines += [f"({digest.left} before these: `ctxrepo tape read` has them)"] if digest.left else []
        lines += [line for turn in digest.turns for line in _turn_lines(turn)]
    lines += ["", "## What memory says of this already"]
    for entry in digest.known:
        text = " ".join(entry.text.split()).removeprefix("- ")
        lines.append(f"{entry.at} — {shown(text, _ENTRY_CHARS)} {entry.id}")
    return "\n".join(lines if digest.known else [*lines, "nothing"])


def _turn_lines(turn: DigestTurn) -> Iterator[str]:
    yield f"{moment_of(turn.asked.when)}  {_session(turn.asked.agent, turn.asked.session)}"
    yield f"  user: {shown(' '.join(turn.asked.text.split()), 400)}"
    if turn.answered:
        yield f"  agent: {shown(' '.join(turn.answered.text.split()), 500)}"
