"""Connecting an agent: our hooks in its settings and our skills beside them, and the way back.

All is planned as values first, so that a face can show it and ask; `apply` then does what was shown, or
nothing when a file has changed since. Going back is a plan like any other.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ctxrepo.agents import AGENTS
from ctxrepo.services.setup import skills
from ctxrepo.services.setup.connection import Connection, Machine
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.disk.foreign import Change
from ctxrepo.storage.user.receipt import Receipt, digest


@dataclass(frozen=True)
class Plan:
    """What will be done for an agent, in this order; `notices` are lines about what is left alone.

    To be applied even when nothing of it is `visible`: a lost receipt is then written again.
    """

    agent: str
    changes: tuple[Change, ...]
    settings: Path
    """The agent's settings, where hooks stand."""
    skills: Path
    """The folder of its skills."""
    hooks: tuple[str, ...] = ()
    """The events that get a hook; none when the agent is let go of."""
    notices: tuple[str, ...] = ()
    emptied: tuple[Path, ...] = ()
    """Folders that go afterwards, if they are empty."""

    @property
    def visible(self) -> tuple[Change, ...]:
        """The changes to files that aren't ctxrepo's own; empty when all is as it should be."""
        return tuple(change for change in self.changes if not change.private)

    @property
    def summary(self) -> tuple[str, ...]:
        """What to show before asking: a line for the hooks and one for skills that come, change or go."""
        lines = []
        if any(change.path == self.settings for change in self.visible):
            came = f"{len(self.hooks)} hooks in {self.settings}: {', '.join(self.hooks)}"
            lines.append(came if self.hooks else f"our hooks leave {self.settings}")
        for verb, changed in _by_deed(c for c in self.visible if c.path.is_relative_to(self.skills)):
            names = dict.fromkeys(c.path.relative_to(self.skills).parts[0] for c in changed)
            lines.append(f"{len(names)} skills {verb} {self.skills}: {', '.join(names)}")
        return tuple(lines)

    @property
    def diff(self) -> str:
        """The same to the letter: a unified diff of every visible change."""
        return "".join(map(diff_of, self.visible))


def present(machine: Machine) -> tuple[str, ...]:
    """The agents that have a folder in this home, which is what "all" means."""
    user_home, environment = machine.places.user_home, machine.environment
    return tuple(n for n, agent in AGENTS.items() if foreign.exists(agent.folder(user_home, environment)))


def plan(name: str, machine: Machine) -> Plan:
    """What connects the agent; nothing in it is visible when it is connected already.

    UsageError for an unknown agent, ConfigError when its settings can't be understood, CtxrepoError when
    they can't be read or written.
    """
    connection = Connection.of(name, machine)
    slip, path, after = connection.slip, connection.path, connection.connected()
    known = slip.receipt
    skill = skills.installed(connection.skills, known.skills if known else {})
    made = [folder for p in (path, *skill.owned) for folder in foreign.missing_folders(p)]
    new = Receipt(
        settings=path,
        original=connection.original(),
        written=digest(after),
        skills=skill.owned,
        folders=tuple(dict.fromkeys([*(known.folders if known else ()), *made])),
    )
    # The receipt first: what a crash leaves then has its way back.
    changes = (slip.changed_to(new.dump()), *skill.changes, Change(path, connection.data, after))
    agent = connection.agent
    beside = (f"{agent.TITLE}'s plugin of ctxrepo leaves the hooks to these settings; one of both is enough",)
    notices = beside if connection.ask(agent.has_plugin) else ()
    hooks = tuple(agent.events())
    told = (*skill.notices, *notices)
    return Plan(name, _possible(changes), path, connection.skills, hooks, told)


def removal(name: str, machine: Machine) -> Plan:
    """What takes ctxrepo out of the agent's files again.

    Settings that are as setup left them get their old bytes back. Where a person has edited since, our hooks
    are cut out and the edits stay; a skill file they edited stays.
    """
    connection = Connection.of(name, machine)
    slip, root = connection.slip, connection.skills
    known = slip.receipt
    skill = skills.removed(root, known.skills if known else None)
    settings = Change(connection.path, connection.data, connection.original())
    changes = (settings, *skill.changes, slip.changed_to(None))
    emptied = {slip.path.parent, *skills.folders(root, skill.changes), *(known.folders if known else ())}
    gone = tuple(sorted(emptied))
    return Plan(name, _possible(changes), connection.path, root, (), skill.notices, gone)


def apply(plan: Plan) -> None:
    """Do what the plan says; Busy, with nothing written, when a file isn't as the plan found it."""
    foreign.apply(plan.changes)
    foreign.remove_empty(plan.emptied)


def _possible(changes: Sequence[Change]) -> tuple[Change, ...]:
    """The changes that change something, each known to be writable before a person is asked."""
    wanted = tuple(change for change in changes if change.before != change.after)
    for change in wanted:
        foreign.check_writable(change.path)
    return wanted


def _by_deed(changes: Iterable[Change]) -> Iterator[tuple[str, list[Change]]]:
    """The changes by what they do, in words that stand before the folder."""
    found: dict[str, list[Change]] = {"come to": [], "change in": [], "leave": []}
    for change in changes:
        verb = "come to" if change.before is None else "leave" if change.after is None else "change in"
        found[verb].append(change)
    return ((verb, some) for verb, some in found.items() if some)


def diff_of(change: Change) -> str:
    """A change of a file as a unified diff."""
    before, after = ((data or b"").decode("utf-8", "replace") for data in (change.before, change.after))
    names = ["/dev/null" if data is None else str(change.path) for data in (change.before, change.after)]
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), names[0], names[1], lineterm="")
    return "".join(line + "\n" for line in lines)
