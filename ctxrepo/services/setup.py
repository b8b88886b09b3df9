"""Connecting an agent: our hooks in its settings and our skills beside them, and the way back.

All is planned as values first, so that a face can show it and ask; `apply` then does what was shown, or
nothing when a file has changed since. Going back is a plan like any other.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from ctxrepo.agents import AGENTS, agent_named
from ctxrepo.agents.base import Agent, HookLine
from ctxrepo.errors import ConfigError, CtxrepoError
from ctxrepo.services import skills
from ctxrepo.storage import assets, foreign, receipt
from ctxrepo.storage.foreign import Change
from ctxrepo.storage.places import Places
from ctxrepo.storage.receipt import Receipt, digest

_T = TypeVar("_T")


@dataclass(frozen=True)
class Machine:
    """What a face knows: the user's folders, the environment, and the interpreter that runs (no shim)."""

    places: Places
    environment: Mapping[str, str]
    interpreter: Path


@dataclass(frozen=True)
class Plan:
    """What will be done for an agent, in this order; `notices` are lines about what is left alone.

    To be applied even when nothing of it is `visible`: a lost receipt is then written again.
    """

    agent: str
    changes: tuple[Change, ...]
    notices: tuple[str, ...] = ()
    emptied: tuple[Path, ...] = ()
    """Folders that go afterwards, if they are empty."""

    @property
    def visible(self) -> tuple[Change, ...]:
        """The changes to files that aren't ctxrepo's own; empty when all is as it should be."""
        return tuple(change for change in self.changes if not change.private)

    @property
    def diff(self) -> str:
        """What to show before asking: a unified diff of every visible change."""
        return "".join(map(_diff, self.visible))


@dataclass(frozen=True)
class Finding:
    """One thing that isn't as it should be, and the command or deed that helps."""

    problem: str
    remedy: str


@dataclass(frozen=True)
class Standing:
    """Whether an agent is connected; `stale`: there is something, and it doesn't do what it should."""

    agent: str
    state: Literal["absent", "current", "stale"]
    findings: tuple[Finding, ...] = ()


def present(machine: Machine) -> tuple[str, ...]:
    """The agents that have a folder in this home, which is what "all" means."""
    user_home, environment = machine.places.user_home, machine.environment
    return tuple(n for n, agent in AGENTS.items() if foreign.exists(agent.folder(user_home, environment)))


def plan(name: str, machine: Machine) -> Plan:
    """What connects the agent; nothing in it is visible when it is connected already.

    UsageError for an unknown agent, ConfigError when its settings can't be understood, CtxrepoError when
    they can't be read or written.
    """
    agent, path = _settings(name, machine)
    before = foreign.read(path)
    slip = _Slip.of(agent, path, machine)
    after = _edit(path, before, lambda text: agent.connect(text, _line(name, machine)))
    known = slip.receipt
    skill = skills.installed(_skills_path(agent, machine), known.skills if known else {})
    made = [folder for p in (path, *skill.owned) for folder in foreign.missing_folders(p)]
    new = Receipt(
        settings=path,
        original=_without_us(agent, path, before, known),
        written=digest(after),
        skills=skill.owned,
        folders=tuple(dict.fromkeys([*(known.folders if known else ()), *made])),
    )
    # The receipt first: what a crash leaves then has its way back.
    changes = (slip.changed_to(new.dump()), *skill.changes, Change(path, before, after))
    return Plan(name, _possible(changes), skill.notices)


def removal(name: str, machine: Machine) -> Plan:
    """What takes ctxrepo out of the agent's files again.

    Settings that are as setup left them get their old bytes back. Where a person has edited since, our hooks
    are cut out and the edits stay; a skill file they edited stays.
    """
    agent, path = _settings(name, machine)
    before = foreign.read(path)
    slip = _Slip.of(agent, path, machine)
    known = slip.receipt
    root = _skills_path(agent, machine)
    skill = skills.removed(root, known.skills if known else None)
    settings = Change(path, before, _without_us(agent, path, before, known))
    changes = (settings, *skill.changes, slip.changed_to(None))
    emptied = {slip.path.parent, *skills.folders(root, skill.changes), *(known.folders if known else ())}
    return Plan(name, _possible(changes), skill.notices, tuple(sorted(emptied)))


def apply(plan: Plan) -> None:
    """Do what the plan says; Busy, with nothing written, when a file isn't as the plan found it."""
    foreign.apply(plan.changes)
    foreign.remove_empty(plan.emptied)


def check(name: str, machine: Machine) -> Standing:
    """How the agent stands; what can't be read or understood is a finding, not an error."""
    agent = agent_named(name)
    try:
        _, path = _settings(name, machine)
        text = _text(path, foreign.read(path))
        lines = _understood(path, agent.lines, text)
        if not lines:
            return Standing(name, "absent")
        problems = _problems(agent, lines, machine)
        if not problems and _outdated(agent, path, text, machine):
            problems = ["hooks or skills are not those of this version"]
        off = agent.obstacle(text)
    except CtxrepoError as error:
        return Standing(name, "stale", (Finding(error.message, error.hint),))
    findings = [Finding(f"{agent.TITLE}: {problem}", f"ctxrepo setup {name}") for problem in problems]
    if off:
        findings.append(Finding(f"{agent.TITLE} runs no hooks: {off}", f"Change it in {path}."))
    return Standing(name, "stale" if problems else "current", tuple(findings))


@dataclass(frozen=True)
class _Slip:
    """The receipt as it is kept: its place, its bytes, and what they say if they can be read."""

    path: Path
    data: bytes | None
    receipt: Receipt | None

    @classmethod
    def of(cls, agent: Agent, settings: Path, machine: Machine) -> _Slip:
        usual = agent.settings_path(machine.places.user_home, {})
        other = settings if settings != usual else None
        path = receipt.place(machine.places.config_dir, agent.NAME, other)
        data = foreign.read(path)
        known = receipt.load(data)
        return cls(path, data, known if known and known.settings == settings else None)

    def changed_to(self, data: bytes | None) -> Change:
        return Change(self.path, self.data, data, private=True)


def _problems(agent: Agent, lines: Mapping[str, Sequence[str]], machine: Machine) -> list[str]:
    """What is wrong with our hook lines, each thing once."""
    found = [HookLine.read(command) for commands in lines.values() for command in commands]
    places = [place for line in found if line for place in (line.interpreter, line.hook)]
    problems = [f"the hooks call {p}, which is gone" for p in dict.fromkeys(places) if not foreign.exists(p)]
    if missing := [event for event in agent.events() if event not in lines]:
        problems.append(f"no hook for {', '.join(missing)}")
    expected = HookLine(machine.interpreter, assets.HOOK, machine.places.state)
    if not problems and any(line != expected for line in found):
        problems.append("the hooks are of another installation, or have another state folder")
    return problems


def _outdated(agent: Agent, path: Path, text: str, machine: Machine) -> bool:
    known = _Slip.of(agent, path, machine).receipt
    skill = skills.installed(_skills_path(agent, machine), known.skills if known else {})
    return bool(skill.changes) or agent.connect(text, _line(agent.NAME, machine)) != text


def _without_us(agent: Agent, path: Path, before: bytes | None, known: Receipt | None) -> bytes | None:
    """The settings as they would be had ctxrepo never been there."""
    if before is None:
        return None
    if known is None:
        return _edit(path, before, agent.disconnect)
    if digest(before) == known.written:
        return known.original
    original = _text(path, known.original)
    after = _edit(path, before, lambda text: agent.disconnect(text, original))
    # A file that we made or filled, and that says nothing without us, needn't stay.
    if after != before and agent.is_blank(original) and agent.is_blank(_text(path, after)):
        return known.original
    return after


def _settings(name: str, machine: Machine) -> tuple[Agent, Path]:
    agent = agent_named(name)
    return agent, agent.settings_path(machine.places.user_home, machine.environment)


def _skills_path(agent: Agent, machine: Machine) -> Path:
    return agent.skills_path(machine.places.user_home, machine.environment)


def _line(name: str, machine: Machine) -> Callable[[str], str]:
    line = HookLine(machine.interpreter, assets.HOOK, machine.places.state)
    return lambda event: line(name, event)


def _possible(changes: Sequence[Change]) -> tuple[Change, ...]:
    """The changes that change something, each known to be writable before a person is asked."""
    wanted = tuple(change for change in changes if change.before != change.after)
    for change in wanted:
        foreign.check_writable(change.path)
    return wanted


def _edit(path: Path, data: bytes | None, edit: Callable[[str], str]) -> bytes:
    text = _understood(path, edit, _text(path, data))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise ConfigError("a path of this installation is not UTF-8, so it can't stand in a hook") from None


def _text(path: Path, data: bytes | None) -> str:
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 at byte {error.start}", "Mend it, then try again.") from error


def _understood(path: Path, ask: Callable[[str], _T], text: str) -> _T:
    try:
        return ask(text)
    except ValueError as error:
        raise ConfigError(f"{path}, {error}", "Nothing was changed. Mend it, then try again.") from error


def _diff(change: Change) -> str:
    before, after = ((data or b"").decode("utf-8", "replace") for data in (change.before, change.after))
    names = ["/dev/null" if data is None else str(change.path) for data in (change.before, change.after)]
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), names[0], names[1], lineterm="")
    return "".join(line + "\n" for line in lines)
