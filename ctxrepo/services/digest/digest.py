"""Gathers a stretch of past work: its anchors, what was asked and answered, and what memory says of that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime

from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.tape.conversation import Conversation, SessionMessage, Stretch
from ctxrepo.domain.words.prompt_terms import is_left_alone
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass
from ctxrepo.services.digest.stretch import DONE, DigestRequest, choose_stretch
from ctxrepo.services.recall.recall import Question, RecalledEntry, answered
from ctxrepo.services.tape.look import AnchorShown, anchor_shown
from ctxrepo.services.tape.view import TapeView
from ctxrepo.services.transcripts.conversations import shown

MOST_TURNS = 40
"""Turns that are told, the newest."""

ASKED_CHARS, ANSWERED_CHARS = 300, 400

_MOST_ANCHORS = 40
_MOST_KNOWN = 20
"""Entries of the memory that are told."""

_KNOWN_EACH = 3
"""Entries that are looked for to each turn."""

_SOUGHT_CHARS = 1000
"""Characters of a prompt by which memory is searched."""


@dataclass(frozen=True)
class DigestTurn:
    """What a user asked, and what the agent said last before the next prompt; None where it said nothing."""

    asked: SessionMessage
    answered: SessionMessage | None


@dataclass(frozen=True)
class Digest:
    """`why` says which stretch it is; `left` counts the turns before those that are told; `known` is what
    memory says of the same matters."""

    why: str
    anchors: tuple[AnchorShown, ...]
    turns: tuple[DigestTurn, ...]
    left: int
    known: tuple[RecalledEntry, ...]


def digest(view: TapeView, request: DigestRequest, scopes: Sequence[str], now: datetime) -> Digest:
    """A stretch of the work in a scope, and what the folders `scopes` of the memory say of it; NotFound where
    nothing was left or said in it. The cache must be up to date: call `commit` first."""
    chosen = choose_stretch(view.tape, view.own, request, now)
    anchors = [
        a for a in view.tape.anchors if a.type == "handoff" and a.name != DONE and chosen.stretch.holds(a)
    ]
    found = sorted(
        (one for said in view.said_in_project() for one in _turns(said, chosen.stretch)),
        key=lambda one: seconds_of(one.asked.when) or 0.0,
    )
    if not (anchors or found):
        if not chosen.stretch.is_bound:
            raise NotFound("nothing was said or left here yet")
        hint = "`ctxrepo tape digest --days 7` looks further back."
        raise NotFound(f"nothing was said or left in this stretch: {chosen.why}", hint)
    told = found[-MOST_TURNS:]
    sought = [one.asked.text for one in told] + [anchor.summary or anchor.name for anchor in anchors]
    return Digest(
        chosen.why,
        tuple(anchor_shown(view, anchor) for anchor in anchors[-_MOST_ANCHORS:]),
        tuple(_shown(told)),
        len(found) - len(told),
        tuple(_known(view, sought, scopes, now)),
    )


def _turns(said: Conversation, within: Stretch) -> Iterator[DigestTurn]:
    """Each prompt of a session with the answer; "ok, thanks" asks for nothing."""
    asked: SessionMessage | None = None
    answered: SessionMessage | None = None
    for message in within.of(said.branch):
        if message.who == "user":
            if asked:
                yield DigestTurn(asked, answered)
            is_social = is_left_alone(message.text, is_follow_up=True)
            asked, answered = (None if is_social else message), None
        elif message.text.strip():
            answered = message
    if asked:
        yield DigestTurn(asked, answered)


def _shown(turns: Sequence[DigestTurn]) -> Iterator[DigestTurn]:
    asked = shown([turn.asked for turn in turns], ASKED_CHARS)
    answers = iter(shown([turn.answered for turn in turns if turn.answered], ANSWERED_CHARS))
    for turn, said in zip(turns, asked, strict=True):
        yield DigestTurn(said, next(answers) if turn.answered else None)


def _known(
    view: TapeView, texts: Sequence[str], scopes: Sequence[str], now: datetime
) -> Iterator[RecalledEntry]:
    """What memory says of these texts, the best of each first, every entry once."""
    cache = view.memory.hook_cache()
    if cache is None:
        return
    with closing(cache):
        asked = [Question(text[:_SOUGHT_CHARS], limit=_KNOWN_EACH) for text in dict.fromkeys(texts)]
        rows = [answered(cache, one, scopes, lambda path: path, now).hits for one in asked]
    found: dict[str, RecalledEntry] = {}
    for rank in range(_KNOWN_EACH):
        for hits in rows:
            if rank < len(hits):
                found.setdefault(hits[rank].id, hits[rank])
    yield from list(found.values())[:_MOST_KNOWN]
