"""The story of the demo as values, read from `story.toml`, and when each of its scenes happens."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta
from functools import cache
from itertools import cycle, islice
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from ctxrepo.domain.formats.blocks import text_beside
from ctxrepo.domain.formats.toml import read
from ctxrepo.lazy import dataclass

DAYS = 28

_LAST_HOUR = 15
"""No scene happens later in the day; so the story ends today or, before this hour, yesterday."""

Deed = Mapping[str, Any]
"""What is done: the verb with what it is about, and further values by name."""


@dataclass(frozen=True)
class Scene:
    """What happens on a machine so many days `back`, in a session of an `agent` or, without one, by hand.

    `turns` is what the user asks the agent and the answer, '' for one that repeats what was recalled."""

    back: int
    hour: int
    machine: str
    project: str
    agent: str = ""
    turns: Sequence[tuple[str, str]] = ()
    deeds: Sequence[Deed] = ()

    @property
    def session(self) -> str:
        """The id of the agent's session; '' for none."""
        return str(uuid5(NAMESPACE_URL, repr(self))) if self.agent else ""

    def at(self, now: datetime) -> datetime:
        """When it happens, where somebody looks at it `now`; by this machine's time zone."""
        last = (now.astimezone() - timedelta(hours=_LAST_HOUR)).date()
        clock = time(self.hour, (self.back * 17 + self.hour * 7) % 60)
        return datetime.combine(last - timedelta(days=self.back), clock).astimezone()


@dataclass(frozen=True)
class Story:
    """Projects with the addresses of their remotes, machines with their person and the name that they commit
    by, and texts of notes."""

    projects: Mapping[str, str]
    machines: Mapping[str, tuple[str, str]]
    scenes: Sequence[Scene]
    texts: Mapping[str, str]
    everyday: Mapping[str, Any]

    def scenes_until(self, now: datetime) -> list[Scene]:
        """All scenes in the order in which they happen, with everyday sessions on working days."""
        return sorted([*self.scenes, *self._everyday(now)], key=lambda scene: scene.at(now))

    def _everyday(self, now: datetime) -> Iterator[Scene]:
        projects = cycle(self.everyday["turns"])
        prompts = {name: cycle(texts) for name, texts in self.everyday["prompts"].items()}
        for back in range(DAYS - 2, -1, -1):
            for hour in self.everyday["hours"]:
                scene = Scene(back, hour, self.everyday["at"], next(projects), self.everyday["agent"])
                if scene.at(now).weekday() < 5:
                    asked = islice(prompts[scene.project], 3)
                    yield replace(scene, turns=[(prompt, "") for prompt in asked])


@cache
def read_story() -> Story:
    said = read(text_beside(__spec__, "story.toml"))
    machines = {name: (one["person"], one["host"]) for name, one in said["machines"].items()}
    scenes = [_scene(**fields) for fields in said["scene"]]
    return Story(said["projects"], machines, scenes, said["texts"], said["everyday"])


def _scene(when: Sequence[int], at: str, did: Sequence[Deed], **more: str) -> Scene:
    back, hour = when
    turns = [(more["asked"], more["said"])] if "asked" in more else []
    return Scene(back, hour, at, more["in"], more.get("agent", ""), turns, did)
