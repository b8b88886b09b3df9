"""Plays the story: machines with homes and checkouts of their own, memories that meet on a remote, and what
is done there, by the services that commands and hooks have, at the moments that the story tells."""

import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, time, timedelta
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from ctxrepo.domain.formats.blocks import text_beside
from ctxrepo.domain.formats.toml import read
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.tape.handoff_parts import Handoff
from ctxrepo.lazy import dataclass
from ctxrepo.services.anchors import leave_anchor
from ctxrepo.services.demo.agent_sessions import AgentSession
from ctxrepo.services.inbox.staging import waiting
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.locate.look import find_project
from ctxrepo.services.notes import working_notes
from ctxrepo.services.notes.proposing import propose
from ctxrepo.services.notes.remember import remember
from ctxrepo.services.notes.requests import Fact, TickRequest
from ctxrepo.services.repository.init import InitRequest, init
from ctxrepo.services.review import proposals
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.refresh import complete
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.setup import apply, plan
from ctxrepo.services.sync.sync import sync
from ctxrepo.services.usage.entry_usage import observe
from ctxrepo.storage.disk.private import make_folder, put_whole
from ctxrepo.storage.git.git import Git
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.spool import SpoolEvent
from ctxrepo.storage.user.places import Places

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
                    next_prompts = islice(prompts[scene.project], 3)
                    yield replace(scene, turns=[(prompt, "") for prompt in next_prompts])


@cache
def read_story() -> Story:
    story = read(text_beside(__spec__, "story.toml"))
    machines = {name: (machine["person"], machine["host"]) for name, machine in story["machines"].items()}
    scenes = [_scene(**fields) for fields in story["scene"]]
    return Story(story["projects"], machines, scenes, story["texts"], story["everyday"])


def _scene(when: Sequence[int], at: str, did: Sequence[Deed], **more: str) -> Scene:
    back, hour = when
    turns = [(more["asked"], more["said"])] if "asked" in more else []
    return Scene(back, hour, at, more["in"], more.get("agent", ""), turns, did)


_SECONDS = 20.0

_KEY = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
"""Looks like a secret: what is held back."""

_ABOUT = "Runs ctxrepo in the demo: in a home of its own, to which nothing of yours leads."

_PASSED = ("PATH", "TERM", "COLORTERM", "NO_COLOR", "LANG", "LC_ALL", "TZ", "TMPDIR", "EDITOR", "PAGER")
"""What a command in the demo is told of somebody's environment; the rest might lead to things of theirs."""


@dataclass(frozen=True)
class DemoMemory:
    """What was made: `home` is that of the machine at which somebody sits who looks at it. `command` runs
    ctxrepo there; nothing else leads into the demo."""

    folder: Path
    home: Path
    command: Path
    projects: Sequence[str]
    machines: int
    days: int = DAYS


@dataclass
class _Machine:
    """A machine of the story: a home folder with checkouts, and a memory that is made or cloned there when it
    is first needed."""

    name: str
    home: Path
    env: Mapping[str, str]
    memory: Memory | None = None
    projects: dict[str, Project] = field(default_factory=dict)
    stops: list[SpoolEvent] = field(default_factory=list)
    """The ends of sessions of which nobody has counted yet what they made of the memory."""

    def open_memory(self, remote: Path, interpreter: str, at: datetime) -> Memory:
        if self.memory is None:
            places = Places.of(self.env)
            init(places, self.env, InitRequest(str(remote)), interpreter, at)
            self.memory = Memory.open(places, self.env)
        return self.memory

    def project(self, memory: Memory, name: str) -> Project:
        if name not in self.projects:
            project = find_project(memory, self.home / name, self.env)
            assert project is not None  # its checkout was made with the home
            if not project.is_registered:
                return project
            self.projects[name] = project
        return self.projects[name]


@dataclass(frozen=True)
class _Stage:
    """Where the story is played."""

    story: Story
    remote: Path
    machines: Mapping[str, _Machine]
    interpreter: str

    def play(self, scene: Scene, at: datetime) -> None:
        machine = self.machines[scene.machine]
        memory = machine.open_memory(self.remote, self.interpreter, at)
        project, cwd = machine.project(memory, scene.project), machine.home / scene.project
        session = AgentSession(memory, project, cwd, scene.agent, scene.session, at - timedelta(minutes=1))
        if scene.turns:
            session.talk(scene.turns)
        origin = Origin(memory.host, session.id, session.agent, project.id)
        deeds = _Deeds(memory, self.story, project, origin)
        for number, deed in enumerate(scene.deeds):
            (verb, what), *fields = deed.items()
            getattr(deeds, verb)(at + timedelta(minutes=number), what, **dict(fields))
        end = at + timedelta(minutes=len(scene.deeds))
        if scene.deeds:
            commit(memory, end)
        if scene.agent:
            machine.stops.append(session.end(end))
        if scene.deeds:
            observe(memory, machine.stops, end.timestamp())
            machine.stops.clear()


@dataclass(frozen=True)
class _Deeds:
    """Who does something, and where: a method for each verb of the story."""

    memory: Memory
    story: Story
    project: Project
    origin: Origin

    def remember(self, at: datetime, text: str, **fact: Any) -> None:
        remember(self.memory, Fact(text, **fact), self.project, self.origin, at)

    def propose(self, at: datetime, text: str, **fact: Any) -> None:
        propose(self.memory, Fact(text, **fact), self.project, self.origin, at)

    def accept(self, at: datetime, words: str) -> None:
        proposals.accept(self.memory, self._waiting(words), self.origin, at)

    def decline(self, at: datetime, words: str, reason: str) -> None:
        proposals.decline(self.memory, self._waiting(words), self.origin, at, reason)

    def _waiting(self, words: str) -> str:
        return next(line.name for line in waiting(self.memory) if words in line.line)

    def scratch(self, at: datetime, text: str) -> None:
        working_notes.add(self.memory, text, "", self.project, self.origin, at)

    def done(self, at: datetime, words: str) -> None:
        request = TickRequest(words, is_done=True)
        working_notes.tick(self.memory, request, self.project, self.origin, at)

    def log(self, at: datetime, text: str) -> None:
        working_notes.log(self.memory, text, "", self.project, self.origin, at)

    def anchor(
        self, at: datetime, name: str, summary: str, purpose: str, keywords: list[str], **handoff: Any
    ) -> None:
        parts: Any = {key: tuple(part) if isinstance(part, list) else part for key, part in handoff.items()}
        more = Handoff(goal=summary, **parts) if parts else None
        request = leave_anchor.AnchorRequest(name, summary, purpose, keywords, handoff=more)
        leave_anchor.anchor(self.memory, request, self.project, self.origin, at)

    def write(self, _: datetime, path: str, text: str, replace: tuple[tuple[str, str], ...] = ()) -> None:
        """As an editor does."""
        content = self.story.texts[text].replace("{key}", _KEY)
        for old, new in replace:
            assert old in content
            content = content.replace(old, new)
        file = self.memory.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, "utf-8")

    def remove(self, _: datetime, path: str) -> None:
        (self.memory.root / path).unlink()

    def sync(self, at: datetime, _: bool) -> None:
        sync(self.memory, at)


def make_demo(
    folder: Path, env: Mapping[str, str], interpreter: str, now: datetime, progress: Callable[[str], None]
) -> DemoMemory:
    """Play the story below `folder`, which is empty or missing, so that it ends shortly before `now`. Where
    that fails nothing is left of it."""
    story = read_story()
    try:
        stage = _set_up(story, folder, env, interpreter)
        for scene in story.scenes_until(now):
            progress(f"playing what two people do in {DAYS} days: {DAYS - scene.back}")
            stage.play(scene, scene.at(now))
        return _finish(stage, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _set_up(story: Story, folder: Path, env: Mapping[str, str], interpreter: str) -> _Stage:
    """Homes with checkouts, each with the name of its person and of its machine, and an empty remote."""
    machines = {}
    for name, (person, host) in story.machines.items():
        home = folder / name
        own = {"HOME": str(home), "PATH": env.get("PATH", ""), "GIT_CONFIG_NOSYSTEM": "1"}
        for project, address in story.projects.items():
            _git(home / project, own, "init", "--quiet", "--initial-branch=main", "--template=")
            _git(home / project, own, "config", "remote.origin.url", address)
        identity = f"[user]\n\tname = {person}\n\temail = {person.lower()}@example.org\n"
        (home / ".gitconfig").write_text(identity)
        places = Places.of(own)
        make_folder(places.state)
        put_whole(places.host_file, f"{host}\n")
        machines[name] = _Machine(name, home, own)
    _git(folder / "memory.git", own, "init", "--quiet", "--bare", "--initial-branch=main", "--template=")
    return _Stage(story, folder / "memory.git", machines, interpreter)


def _git(folder: Path, env: Mapping[str, str], *words: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    Git(folder, env).ask(*words, timeout=_SECONDS)


def _finish(stage: _Stage, folder: Path) -> DemoMemory:
    """Connect the agent of the first machine, and make the command that leads there."""
    story, (here, *_) = stage.story, stage.machines.values()
    assert here.memory is not None
    complete(here.memory, here.memory.head)
    cwd = here.home / next(iter(story.projects))
    machine = Machine(here.memory.places, here.env, Path(stage.interpreter), cwd)
    apply(plan(story.everyday["agent"], machine))
    command = folder / "ctxrepo"
    passed = " ".join(f'${{{name}:+{name}="${name}"}}' for name in _PASSED)
    words = ["exec env -i", f"HOME={shlex.quote(str(here.home))}", passed, shlex.quote(stage.interpreter)]
    lines = (
        "#!/bin/sh",
        f"# {_ABOUT}",
        f"cd {shlex.quote(str(cwd))} || exit",
        f'{" ".join(words)} -P -m ctxrepo "$@"',
    )
    command.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    command.chmod(0o755)
    return DemoMemory(folder, here.home, command, [*story.projects], len(stage.machines))
