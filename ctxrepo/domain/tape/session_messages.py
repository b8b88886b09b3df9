"""What was said in a session: its messages, a tree where it has branches, and the drawing of that tree."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.tape.anchors import Anchor
from ctxrepo.lazy import dataclass

ROOT = -1
"""The place of what the first message follows."""


@dataclass(frozen=True)
class SessionMessage:
    """A message of a session: `session` is the one in which it was said first, `when` ISO 8601 or ''; `tools`
    are the names of those that the agent used, `details` the files and command lines that it gave them."""

    id: str
    parent: str
    session: str
    agent: str
    who: str
    when: str
    text: str
    tools: tuple[str, ...] = ()
    details: tuple[str, ...] = ()

    def has(self, text: str) -> bool:
        """Whether this is part of what was said or done, whatever its case."""
        part = text.casefold()
        return any(part in words.casefold() for words in (self.text, *self.tools, *self.details))

    def is_of(self, types: Sequence[str]) -> bool:
        """Whether it is of one of these types: `user`, `agent`, `tool` where tools were used; () is all."""
        return not types or self.who in types or ("tool" in types and bool(self.tools))


@dataclass(frozen=True)
class Conversation:
    """One session's messages in the order of its transcript, the newest 5,000 at most. `is_whole`: none is
    missing at the beginning. `size` is how many characters were read to get them."""

    agent: str
    session: str
    messages: tuple[SessionMessage, ...] = ()
    is_whole: bool = True
    size: int = 0

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """The place of the message that each one follows, ROOT for none.

        Where an agent names no parents, or one that isn't here (it is no message, such as a tool's result),
        it is the message before. A message of a tree that names none begins another branch."""
        places = {message.id: n for n, message in enumerate(self.messages) if message.id}
        is_tree = any(message.who == "user" and message.parent in places for message in self.messages)
        places_of_parents = []
        for place, message in enumerate(self.messages):
            parent = places.get(message.parent, place - 1) if message.parent or not is_tree else ROOT
            places_of_parents.append(parent if parent < place else place - 1)
        return tuple(places_of_parents)

    @cached_property
    def branch(self) -> "Conversation":
        """Of all branches the one that ends with the newest message."""
        messages = []
        place = len(self.messages) - 1
        while place != ROOT:
            messages.append(self.messages[place])
            place = self.parents[place]
        return replace(self, messages=tuple(reversed(messages)))

    def place_of(self, anchor: Anchor) -> int | None:
        """The place of the message at which an anchor was left; None where that isn't among these."""
        if anchor.session_id != self.session or not anchor.entry:
            return None
        return next((n for n, message in enumerate(self.messages) if message.id == anchor.entry), None)

    def holder_of(self, anchor: Anchor) -> int:
        """The message at which an anchor was left, else the last one before it by time; ROOT for none."""
        place = self.place_of(anchor)
        if place is not None:
            return place
        at = anchor.moment
        return max(
            (n for n, time in enumerate(self.seconds) if time is not None and time <= at), default=ROOT
        )

    @cached_property
    def seconds(self) -> tuple[float | None, ...]:
        return tuple(seconds_of(message.when) for message in self.messages)


@dataclass(frozen=True)
class TapeBounds:
    """What bounds a part of a tape: after the anchor `after` and up to `until`, after `start` and up to `end`
    in Unix seconds. None is no bound."""

    after: Anchor | None = None
    until: Anchor | None = None
    start: float | None = None
    end: float | None = None

    @property
    def is_bound(self) -> bool:
        return self != TapeBounds()

    def of(self, conversation: Conversation) -> list[SessionMessage]:
        """The messages within it. In the session in which an anchor was left the message counts at which it
        was, elsewhere and where that isn't known the time; one without a time is within."""
        low, high = (conversation.place_of(anchor) if anchor else None for anchor in (self.after, self.until))
        by_time = TapeBounds(
            self.after if low is None else None, self.until if high is None else None, self.start, self.end
        )
        return [
            message
            for place, (message, at) in enumerate(
                zip(conversation.messages, conversation.seconds, strict=True)
            )
            if (low is None or place > low)
            and (high is None or place <= high)
            and (at is None or by_time.holds_moment(at))
        ]

    def holds(self, anchor: Anchor) -> bool:
        """Whether an anchor was left within it, by time."""
        return self.holds_moment(anchor.moment)

    def holds_moment(self, at: float) -> bool:
        """Whether a moment, in Unix seconds, is within it."""
        since, until = self.seconds
        return (since is None or since < at) and (until is None or at <= until)

    @property
    def seconds(self) -> tuple[float | None, float | None]:
        """The Unix seconds after which it begins, and at which it ends; None where it has no bound."""
        since, until = (
            [at for at in (bound, anchor.moment if anchor else None) if at is not None]
            for bound, anchor in ((self.start, self.after), (self.end, self.until))
        )
        return max(since, default=None), min(until, default=None)


def merged(parts: Iterable[Sequence[SessionMessage]]) -> list[SessionMessage]:
    """The messages of several sessions by time; what a fork copied is there once."""
    messages: dict[tuple[str, ...], tuple[float, SessionMessage]] = {}
    for part in parts:
        last = 0.0
        for place, message in enumerate(part):
            last = seconds_of(message.when) or last
            name = (message.id,) if message.id else (message.session, str(place), message.text)
            messages.setdefault((message.agent, *name), (last, message))
    return [message for _, message in sorted(messages.values(), key=lambda timed: timed[0])]


@dataclass(frozen=True)
class TreeLine:
    """`stem` is what is drawn before the message, `below` before what belongs to it; `parent` is the id of
    the message that it follows, '' for none."""

    message: SessionMessage
    parent: str
    stem: str
    below: str
    anchors: tuple[Anchor, ...] = ()


def tree_of(conversation: Conversation, anchors: Iterable[Anchor]) -> list[TreeLine]:
    """The messages, each branch as a whole, the newest last; only branches move the margin, so that a long
    session isn't wide. Anchors left before all messages stand at the first one."""
    children: dict[int, list[int]] = defaultdict(list)
    for place, parent in enumerate(conversation.parents):
        children[parent].append(place)
    at: dict[int, list[Anchor]] = defaultdict(list)
    for anchor in anchors:
        at[max(0, conversation.holder_of(anchor))].append(anchor)
    lines = []
    waiting = _branches(children[ROOT], "")
    while waiting:
        place, stem, below = waiting.pop()
        message, parent = conversation.messages[place], conversation.parents[place]
        parent_id = conversation.messages[parent].id if parent != ROOT else ""
        lines.append(TreeLine(message, parent_id, stem, below, tuple(at[place])))
        waiting += _branches(children[place], below)
    return lines


def _branches(places: list[int], margin: str) -> list[tuple[int, str, str]]:
    """(place, what is drawn before it, what is drawn before its parts) of these messages, the last first."""
    if len(places) == 1:
        return [(places[0], margin, margin)]
    newest_first = list(reversed(places))
    return [
        (place, f"{margin}└─ ", f"{margin}   ") if n == 0 else (place, f"{margin}├─ ", f"{margin}│  ")
        for n, place in enumerate(newest_first)
    ]
