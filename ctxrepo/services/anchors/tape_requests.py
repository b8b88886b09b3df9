"""What is asked of a tape: values alone, so that a face can describe them without loading what carries them
out. The sentence below a field is what every face says of it."""

from collections.abc import Sequence
from typing import Annotated, Literal

from ctxrepo.domain.formats.described import Between
from ctxrepo.domain.project.target import ScopeName
from ctxrepo.domain.tape.anchors import AnchorFilter
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass

THIS = "this"
"""What stands for the session that a command runs in."""

Where = Literal["", "session", "project"]
Kind = Literal["anchors", "messages"]

PLACES: tuple[Where, ...] = ("session", "project")
KINDS: tuple[Kind, ...] = ("anchors", "messages")
TYPES = ("user", "agent", "tool")
ANCHOR_TYPES = ("handoff", "session")

CHARS = 300
"""Characters of a message that are shown, unless others are asked for."""

LEAST_CHARS = 80
MOST_SHOWN = 100
MOST_CONTEXT = 5


@dataclass(frozen=True)
class TapeRequest:
    """The tape of a scope, and the session that is meant: '' for the one that asks, or the newest here."""

    session: str = ""
    """Which session, by the beginning of its id."""
    scope: ScopeName = ""

    @property
    def is_of_session(self) -> bool:
        """Whether a session is named, so that no other one is meant."""
        return self.session not in ("", THIS)


@dataclass(frozen=True)
class AnchorRange:
    """What was said between two anchors, each named by its id, its name or a part of that."""

    after: str = ""
    """Only what was said after this anchor."""
    until: str = ""
    """Only what was said up to this anchor."""

    @property
    def has_ends(self) -> bool:
        return bool(self.after or self.until)


@dataclass(frozen=True)
class TapePart(AnchorRange):
    """A part of a tape: between anchors, after the last one, or between dates."""

    is_last: bool = False
    """Only what was said after the last anchor."""
    start: str = ""
    """Only from this date or moment on."""
    end: str = ""
    """Only up to this date or moment."""

    @property
    def is_bound(self) -> bool:
        return bool(self.has_ends or self.is_last or self.start or self.end)


@dataclass(frozen=True)
class ListAnchors(TapeRequest):
    """The newest anchors, each with what was said around it."""

    limit: int = 20
    """Most to show, 1 to 100."""
    context: int = 1
    """Messages before and after each, 0 to 5."""
    type: str = ""
    """Only those that were left on purpose (`handoff`), or `session`."""

    def require_valid(self) -> None:
        """UsageError for a value that can't be meant."""
        _require_within("--limit", self.limit, 1, MOST_SHOWN)
        _require_within("--context", self.context, 0, MOST_CONTEXT)
        _require_one_of("--type", self.type, ("", *ANCHOR_TYPES))


@dataclass(frozen=True)
class TapeSearch(TapePart, TapeRequest):
    """Anchors and messages with certain words. Where the session has none, those of the project."""

    query: str = ""
    """Words that must all be there; \"…\" stand together."""
    where: Sequence[str] = ()
    """The `session` or the `project`; only `anchors`, or only `messages`. May be given again."""
    types: Sequence[str] = ()
    """Messages of `user`, `agent` or with a `tool`; may be given again."""
    limit: int = 20
    """Most to show, 1 to 100."""
    context: int = 0
    """Messages before and after each anchor, 0 to 5."""
    name: str = ""
    """Anchors with this in their name."""
    anchor_type: str = ""
    """Anchors of this type: `handoff` or `session`."""
    summary: str = ""
    """Anchors with this in their summary."""
    purpose: str = ""
    """Anchors with this in their purpose."""
    keywords: Sequence[str] = ()
    """Anchors with this keyword; may be given again."""

    def require_valid(self) -> None:
        """UsageError for a value that can't be meant."""
        _require_within("--limit", self.limit, 1, MOST_SHOWN)
        _require_within("--context", self.context, 0, MOST_CONTEXT)
        _require_one_of("--anchor-type", self.anchor_type, ("", *ANCHOR_TYPES))
        for name in self.types:
            _require_one_of("--type", name, TYPES)
        for name in self.where:
            _require_one_of("--in", name, (*PLACES, *KINDS))
        if {*PLACES} <= {*self.where}:
            raise UsageError("--in takes session or project, not both", "The project has the session in it.")

    @property
    def place(self) -> Where:
        """Where is searched; '' for the session and then the project, and anchors of any session by name."""
        return next((place for place in PLACES if place in self.where), "")

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """What is searched: where it is said which anchors, only those."""
        kinds = tuple(kind for kind in KINDS if kind in self.where)
        return kinds or (KINDS if self.anchors() == AnchorFilter() else ("anchors",))

    def anchors(self, words: Sequence[str] = ()) -> AnchorFilter:
        """Which anchors are wanted, with `words` in them."""
        return AnchorFilter(
            tuple(words), self.name, self.anchor_type, self.summary, self.purpose, tuple(self.keywords)
        )


@dataclass(frozen=True)
class ReadTape(TapePart, TapeRequest):
    """The newest messages of a part of the tape, or those around an anchor."""

    around: str = ""
    """What was said around this anchor."""
    text: str = ""
    """Only messages with this in them."""
    types: Sequence[str] = ()
    """Messages of `user`, `agent` or with a `tool`; may be given again."""
    limit: int = 20
    """Most to show, 1 to 100."""
    chars: int = CHARS
    """Characters of each message, 80 or more; 0: all of it."""
    where: str = ""
    """What was said in the `session`, or in all of the `project`."""

    def require_valid(self) -> None:
        """UsageError for a value that can't be meant."""
        _require_within("--limit", self.limit, 1, MOST_SHOWN)
        if self.chars != 0 and self.chars < LEAST_CHARS:
            raise UsageError(
                f"--chars {self.chars} is out of range: it can be {LEAST_CHARS} or more, or 0 for all of each"
            )
        for name in self.types:
            _require_one_of("--type", name, TYPES)
        _require_one_of("--in", self.where, ("", *PLACES))
        if self.around and self.is_bound:
            raise UsageError("--around stands alone: not with --after, --until, --last, --from or --to")

    @property
    def place(self) -> Where:
        """Whose messages are read, '' for the project's; with `session` only its anchors are meant."""
        usual: Where = "session" if self.is_of_session else ""
        return next((place for place in PLACES if place == self.where), usual)


@dataclass(frozen=True)
class DeleteAnchors:
    """Anchors to take off the tape of a scope, on every machine."""

    ids: Sequence[str]
    """The ^id of an anchor, or its name; several may be given."""
    scope: ScopeName = ""


@dataclass(frozen=True)
class DigestRequest(AnchorRange, TapeRequest):
    """Past work to digest: of so many days or handoffs, or between anchors."""

    days: Annotated[int | None, Between(1, 3650)] = None
    """The last N days."""
    handoffs: Annotated[int | None, Between(1, 1000)] = None
    """The work that led to the last N handoffs."""

    @property
    def ways(self) -> int:
        """In how many ways the work is bounded."""
        return sum(map(bool, (self.days, self.handoffs, self.has_ends)))


def _require_within(name: str, number: int, least: int, most: int) -> None:
    if not least <= number <= most:
        raise UsageError(f"{name} {number} is out of range: it can be {least} to {most}")


def _require_one_of(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise UsageError(f"{name} {value!r} is unknown: it can be {', '.join(filter(None, known))}")
