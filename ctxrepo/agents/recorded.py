"""What an agent's own records of a session tell about our hooks, whichever agent it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Literal

from ctxrepo.lazy import dataclass

Fate = Literal["sent", "cut", "lost", "open"]


@dataclass(frozen=True)
class HookCall:
    """A hook of ours that was called; `took` is in milliseconds, None where it isn't recorded.

    `ended`: the agent ended it before it was done. `is_surely_ours` is False where the records don't say
    whose hook it was. `words` is the beginning of what it complained of.
    """

    event: str
    at: str
    outcome: Literal["ran", "failed", "ended"]
    took: int | None = None
    words: str = ""
    is_surely_ours: bool = True


@dataclass(frozen=True)
class Delivery:
    """Something a hook of ours gave the agent for the model, `size` in bytes, and what became of it.

    `sent`: it stands whole in a recorded request. `cut`: the agent shortened it. `lost`: requests came after
    it, and none holds it. `open`: no request after it is recorded.
    """

    event: str
    at: str
    size: int
    fate: Fate


@dataclass(frozen=True)
class RecordedSession:
    """One session. Moments are as the agent writes them, ISO 8601 in UTC."""

    id: str
    began: str
    last: str
    cwd: str
    happened: Mapping[str, int] = field(default_factory=dict)
    """How often there was cause to call a hook of this event, as far as the conversation shows."""
    calls: tuple[HookCall, ...] = ()
    given: tuple[Delivery, ...] = ()

    def with_part(self, part: RecordedSession) -> RecordedSession:
        """The session with what a subagent of it did, which is recorded apart."""
        return replace(
            self,
            last=max(self.last, part.last),
            happened={event: n + part.happened.get(event, 0) for event, n in self.happened.items()},
            calls=self.calls + part.calls,
            given=self.given + part.given,
        )
