"""A digest: a part of past work beside what memory says of it already, for an agent to make facts of."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime

from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.tape.anchors import Tape
from ctxrepo.domain.tape.session_messages import Conversation, SessionMessage, TapeBounds
from ctxrepo.domain.words.prompt_terms import is_left_alone
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.anchors.tape_lookup import AnchorShown, anchor_shown
from ctxrepo.services.anchors.tape_requests import DigestRequest
from ctxrepo.services.anchors.tape_view import TapeView, between
from ctxrepo.services.recall.recall import Question, RecalledEntry, answered
from ctxrepo.services.sessions.conversations import mask_and_cut

DAYS, HANDOFFS = 2, 10
"""The days that a digest is of; where they hold fewer than two handoffs, the handoffs."""

DONE = "digest/done"
"""The name of the anchor that the skill leaves after a digest: the next one begins there."""

MOST_TURNS = 40
"""Turns that are shown, the newest."""

ASKED_CHARS, ANSWERED_CHARS = 300, 400

_MOST_ANCHORS = 40
_MOST_KNOWN = 20
"""Entries of the memory that are shown."""

_KNOWN_EACH = 3
"""Entries that are looked for to each prompt."""

_SOUGHT_CHARS = 1000
"""Characters of a prompt by which memory is searched."""

_DAY = 86400.0


@dataclass(frozen=True)
class DigestTurn:
    """What a user asked, and what the agent said last before the next prompt; None where it said nothing."""

    asked: SessionMessage
    answered: SessionMessage | None


@dataclass(frozen=True)
class Digest:
    """`why` says which work it is; `left` counts earlier turns that aren't shown; `known` is what memory says
    of it."""

    why: str
    anchors: tuple[AnchorShown, ...]
    turns: tuple[DigestTurn, ...]
    left: int
    known: tuple[RecalledEntry, ...]


def digest(view: TapeView, request: DigestRequest, scopes: Sequence[str], now: datetime) -> Digest:
    """A part of the work in a scope, and what memory says of it in the folders `scopes`; NotFound for none.
    The cache must be up to date: call `commit` first."""
    chosen = choose_bounds(view.tape, view.own, request, now)
    anchors = [
        a for a in view.tape.anchors if a.type == "handoff" and a.name != DONE and chosen.bounds.holds(a)
    ]
    conversations = view.conversations_in_project()
    turns = sorted(
        (turn for conversation in conversations for turn in _turns(conversation, chosen.bounds)),
        key=lambda turn: seconds_of(turn.asked.when) or 0.0,
    )
    if not (anchors or turns):
        if not chosen.bounds.is_bound:
            raise NotFound("nothing was said or left here yet")
        hint = "`ctxrepo tape digest --days 7` looks further back."
        raise NotFound(f"nothing was said or left in this bounds: {chosen.why}", hint)
    newest = turns[-MOST_TURNS:]
    texts = [turn.asked.text for turn in newest] + [anchor.summary or anchor.name for anchor in anchors]
    return Digest(
        chosen.why,
        tuple(anchor_shown(view, anchor) for anchor in anchors[-_MOST_ANCHORS:]),
        tuple(_shown(newest)),
        len(turns) - len(newest),
        tuple(_known(view, texts, scopes, now)),
    )


def _turns(conversation: Conversation, within: TapeBounds) -> Iterator[DigestTurn]:
    """Each prompt of a session with the answer; "ok, thanks" asks for nothing."""
    prompt: SessionMessage | None = None
    answer: SessionMessage | None = None
    for message in within.of(conversation.branch):
        if message.who == "user":
            if prompt:
                yield DigestTurn(prompt, answer)
            is_social = is_left_alone(message.text, is_follow_up=True)
            prompt, answer = (None if is_social else message), None
        elif message.text.strip():
            answer = message
    if prompt:
        yield DigestTurn(prompt, answer)


def _shown(turns: Sequence[DigestTurn]) -> Iterator[DigestTurn]:
    prompts = mask_and_cut([turn.asked for turn in turns], ASKED_CHARS)
    answers = iter(mask_and_cut([turn.answered for turn in turns if turn.answered], ANSWERED_CHARS))
    for turn, prompt in zip(turns, prompts, strict=True):
        yield DigestTurn(prompt, next(answers) if turn.answered else None)


def _known(
    view: TapeView, texts: Sequence[str], scopes: Sequence[str], now: datetime
) -> Iterator[RecalledEntry]:
    """What memory says of these texts, the best of each first, every entry once."""
    cache = view.memory.hook_cache()
    if cache is None:
        return
    with closing(cache):
        questions = [Question(text[:_SOUGHT_CHARS], limit=_KNOWN_EACH) for text in dict.fromkeys(texts)]
        answers = [answered(cache, each, scopes, lambda path: path, now).hits for each in questions]
    entries: dict[str, RecalledEntry] = {}
    for rank in range(_KNOWN_EACH):
        for hits in answers:
            if rank < len(hits):
                entries.setdefault(hits[rank].id, hits[rank])
    yield from list(entries.values())[:_MOST_KNOWN]


@dataclass(frozen=True)
class ChosenBounds:
    """The bounds, and in words how they came about."""

    bounds: TapeBounds
    why: str


def choose_bounds(tape: Tape, own: Tape, request: DigestRequest, now: datetime) -> ChosenBounds:
    """The bounds that are asked for, else the smaller one of the last days and the last handoffs, without
    what an earlier digest was of. NoMatch for an anchor that isn't there."""
    if request.ways > 1:
        raise UsageError("a digest is of days, of handoffs or between anchors", "Give one of them.")
    if request.has_ends:
        bounds = between(tape, own, request)
        after, until = bounds.after, bounds.until
        ends = [f"after {after.name}" if after else "", f"up to {until.name}" if until else ""]
        return ChosenBounds(bounds, " ".join(filter(None, ends)))
    if request.days:
        return _days(request.days, now)
    if request.handoffs:
        return _handoffs(tape, request.handoffs)
    recent = _days(DAYS, now)
    handoffs = [a for a in tape.handoffs.anchors if a.name != DONE]
    is_enough = sum(recent.bounds.holds(anchor) for anchor in handoffs) > 1
    smaller = recent if is_enough else _handoffs(tape, HANDOFFS)
    last, after = tape.called(DONE), smaller.bounds.after
    begins = smaller.bounds.start if after is None else after.moment
    if last and (begins is None or begins < last.moment):
        return ChosenBounds(TapeBounds(after=last), "since the last digest")
    return smaller


def _days(days: int, now: datetime) -> ChosenBounds:
    return ChosenBounds(
        TapeBounds(start=now.timestamp() - days * _DAY),
        f"the last {days} days" if days > 1 else "the last day",
    )


def _handoffs(tape: Tape, count: int) -> ChosenBounds:
    """What led to the last handoffs: it begins after the one before them."""
    handoffs = [anchor for anchor in tape.handoffs.anchors if anchor.name != DONE]
    before = handoffs[-count - 1] if len(handoffs) > count else None
    last = f"the last {count} handoffs" if count > 1 else "the last handoff"
    return ChosenBounds(TapeBounds(after=before), last if before else "all there is")
