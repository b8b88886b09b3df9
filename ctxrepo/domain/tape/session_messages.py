"""The messages of a session, a part of them within bounds, and the tree of its branches as a drawing."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.tape.anchors import Anchor
from ctxrepo.lazy import dataclass

ROOT = -1
"""The place of the parent of a first message."""


@dataclass(frozen=True)
class SessionMessage:
    """A message of a session. `session` is the one in which it was said first, `who` is `user` or `agent`,
    `when` ISO 8601 or ''. `tools` are the names of the tools that the agent used, `details` the files and
    command lines that it gave them."""

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
        """Whether its text, tools or details contain this, whatever its case."""
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
        """The place of each message's parent, ROOT for none.

        If an agent records no parents, or one that isn't here (such as a tool's result, which is no message),
        the parent is the message before. In a tree, a message that names none begins another branch."""
        places = {message.id: n for n, message in enumerate(self.messages) if message.id}
        is_tree = any(message.who == "user" and message.parent in places for message in self.messages)
        places_of_parents = []
        for place, message in enumerate(self.messages):
            parent = places.get(message.parent, place - 1) if message.parent or not is_tree else ROOT
            places_of_parents.append(parent if parent < place else place - 1)
        return tuple(places_of_parents)

    @cached_property
    def branch(self) -> "Conversation":
        """The branch that ends with the newest message."""
        messages = []
        place = len(self.messages) - 1
        while place != ROOT:
            messages.append(self.messages[place])
            place = self.parents[place]
        return replace(self, messages=tuple(reversed(messages)))

    def place_of(self, anchor: Anchor) -> int | None:
        """The place of the message at which an anchor was left, None if it isn't here."""
        if anchor.session_id != self.session or not anchor.entry:
            return None
        return next((n for n, message in enumerate(self.messages) if message.id == anchor.entry), None)

    def holder_of(self, anchor: Anchor) -> int:
        """The place of the message at which an anchor was left, or else the last one before it by time; ROOT
        for none."""
        place = self.place_of(anchor)
        if place is not None:
            return place
        times = enumerate(self.seconds)
        return max((n for n, at in times if at is not None and at <= anchor.moment), default=ROOT)

    @cached_property
    def seconds(self) -> tuple[float | None, ...]:
        return tuple(seconds_of(message.when) for message in self.messages)


@dataclass(frozen=True)
class TapeBounds:
    """The bounds of a part of a tape: after the anchor `after` and up to the anchor `until`, after `start`
    and up to `end` in Unix seconds. None is no bound."""

    after: Anchor | None = None
    until: Anchor | None = None
    start: float | None = None
    end: float | None = None

    @property
    def is_bound(self) -> bool:
        return self != TapeBounds()

    def of(self, conversation: Conversation) -> list[SessionMessage]:
        """The messages within the bounds. An anchor bounds its own session by the message at which it was
        left, other sessions by its time. A message without a time is within bounds of time."""
        low, high = (conversation.place_of(anchor) if anchor else None for anchor in (self.after, self.until))
        by_time = TapeBounds(
            self.after if low is None else None, self.until if high is None else None, self.start, self.end
        )
        timed = zip(conversation.messages, conversation.seconds, strict=True)
        return [
            message
            for place, (message, at) in enumerate(timed)
            if (low is None or place > low)
            and (high is None or place <= high)
            and (at is None or by_time.holds_moment(at))
        ]

    def holds(self, anchor: Anchor) -> bool:
        """Whether an anchor was left within the bounds, by time."""
        return self.holds_moment(anchor.moment)

    def holds_moment(self, at: float) -> bool:
        """Whether a moment, in Unix seconds, is within the bounds."""
        since, until = self.seconds
        return (since is None or since < at) and (until is None or at <= until)

    @property
    def seconds(self) -> tuple[float | None, float | None]:
        """The bounds in Unix seconds: after the first, up to the second; None for no bound."""
        since, until = (
            [at for at in (bound, anchor.moment if anchor else None) if at is not None]
            for bound, anchor in ((self.start, self.after), (self.end, self.until))
        )
        return max(since, default=None), min(until, default=None)


def merged(parts: Iterable[Sequence[SessionMessage]]) -> list[SessionMessage]:
    """The messages of several sessions by time; what a fork copied counts once."""
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
    """A message in the drawing of a tree: `stem` is drawn before it, `below` before its anchors. `parent` is
    the id of the message that it follows, '' for none."""

    message: SessionMessage
    parent: str
    stem: str
    below: str
    anchors: tuple[Anchor, ...] = ()


def tree_of(conversation: Conversation, anchors: Iterable[Anchor]) -> list[TreeLine]:
    """The lines of a drawing: each branch as a whole, the newest last. Only branches are indented, so that a
    long session isn't wide. Anchors that were left before all messages are at the first one."""
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
    """(place, stem, below) of these messages, the last first."""
    if len(places) == 1:
        return [(places[0], margin, margin)]
    newest_first = list(reversed(places))
    return [
        (place, f"{margin}└─ ", f"{margin}   ") if n == 0 else (place, f"{margin}├─ ", f"{margin}│  ")
        for n, place in enumerate(newest_first)
    ]
