"""Sessions of pi with pi-memory-md and with ctxrepo in turns on one memory, looked at after each of them."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from machines import make_remote

from live import pi, pi_md_checks, pi_md_deeds, pi_md_package, pi_talk
from live.install import Installed
from live.model import Model
from live.pi_md_deeds import Deed, Plan
from live.pi_md_package import Package
from live.recorded import added
from live.stage import Stage
from live.steps import Text, Tool

BEFORE_FETCH = 12 * 3600
"""Seconds for which pi-memory-md doesn't fetch once more."""

SETTINGS = {"tape": {"enabled": True}, "hooks": {"sessionStart": ["pull"], "sessionEnd": ["push"]}}


@dataclass
class Turns:
    """Both programs on some machines with one remote, and what was said and found so far."""

    stages: list[Stage]
    model: Model
    package: Package
    chance: Random
    said: set[str] = field(default_factory=set)
    anchors: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    heads: dict[str, str | None] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def begin(self, is_theirs: bool) -> None:
        """A memory that pi-memory-md began, or one that ctxrepo did; all machines have both afterwards."""
        first, *others = self.stages
        pi_md_package.settings(first, **SETTINGS)
        if is_theirs:
            _its_memory(first, self.package)
            self._session("its", first, 0)
        for here in (first, *others):
            pi_md_package.settings(here, **SETTINGS)
            here.ctxrepo("init")
            here.ctxrepo("setup", pi.NAME, "--yes")
            here.ctxrepo("sync")
            here.wait_for_silence()

    def play(self, number: int) -> str:
        """One turn, and what came of it in a line."""
        here = self.chance.choice(self.stages)
        who = ("its", "ours")[number % 2] if len(self.stages) == 1 else self.chance.choice(["its", "ours"])
        did = self._session(who, here, number)
        faults = self._look(here)
        self.faults += [f"turn {number}, {who} on {here.root.name} ({did}): {fault}" for fault in faults]
        return f"{number:3} {who:4} {here.root.name} {did}" + "".join(
            f"\n      FAULT {fault}" for fault in faults
        )

    def end(self) -> None:
        """All machines exchange what they have, and then have the same."""
        for here in [*self.stages, *self.stages]:
            here.output("sync")
            here.wait_for_silence()
        faults = [fault for here in self.stages for fault in self._look(here)]
        faults += pi_md_checks.together(self.stages)
        for here in self.stages:
            known = pi_md_checks.anchors(here.memory)[0]
            if missing := self.anchors - self.deleted - known.keys():
                faults.append(f"{here.root.name} lacks the anchors {', '.join(sorted(missing))}")
            if back := self.deleted & known.keys():
                faults.append(f"{here.root.name} has anchors that were deleted: {', '.join(sorted(back))}")
        self.faults += [f"at the end: {fault}" for fault in faults]

    def _session(self, who: str, here: Stage, number: int) -> str:
        """A session from its start to its end, and until nothing of it is running; what was done in it."""
        if who == "its" and self.chance.random() < 0.5:
            _passes(here.memory, BEFORE_FETCH + 60)
        if self.chance.random() < 0.2:
            did = self._printed(who, here, number)
        else:
            did = self._talked(who, here, number)
        here.wait_for_silence()
        return did

    def _printed(self, who: str, here: Stage, number: int) -> str:
        """A session of one prompt, as a script has it."""
        plan = self._plan(who, here, number, 0)
        deed = self.chance.choice(pi_md_deeds.SAFE[who])
        self.model.will(*deed(plan), Text())
        words = [*self._program(who, here), "-p", "Do it."]
        env = {**here.machine.env, **pi.ENV}
        run = subprocess.run(words, cwd=here.project, env=env, capture_output=True, text=True, timeout=120)
        self._done(plan)
        if run.returncode:
            self.faults.append(f"turn {number}: pi ended with {run.returncode}: {run.stderr[-200:]}")
        return f"printed: {deed.__name__}"

    def _talked(self, who: str, here: Stage, number: int) -> str:
        """A session of several prompts: it greets, works, and, if it is pi-memory-md's, looks around."""
        talk = pi_talk.Talk(here, self._program(who, here), pi.ENV)
        talk.say("hello")
        is_compared = who == "its" and pi.is_in_settings(here)
        if is_compared and self.chance.random() < 0.3:
            self._compare(self._listed(talk), here, f"turn {number}, before")
        names: list[str] = []
        for deed in self._deeds(who):
            plan = self._plan(who, here, number, len(names))
            self.model.will(*deed(plan), Text())
            talk.say("Do it.")
            self._done(plan)
            names.append(deed.__name__)
        listed = self._listed(talk) if is_compared else frozenset()
        if who == "its" or "tape_search" in pi_md_deeds.offered(self.model.requests[-1].prompt.tools):
            self._search(who, talk, here, number)
        talk.end()
        if is_compared:
            self._compare(listed, here, f"turn {number}, after")
        if complaints := talk.errors():
            self.faults.append(f"turn {number}: pi complained: {complaints[-300:]}")
            (here.root / "errors.txt").write_text("")
        self.faults += [
            f"turn {number}: {error}" for error in pi_md_checks.errors(self.model.requests[-1].prompt)
        ]
        return " ".join(names)

    def _deeds(self, who: str) -> list[Deed]:
        of_its_own = pi_md_deeds.ITS if who == "its" else pi_md_deeds.OURS
        return self.chance.choices([*pi_md_deeds.COMMON, *of_its_own], k=self.chance.randint(1, 3))

    def _plan(self, who: str, here: Stage, number: int, deed: int) -> Plan:
        name, token = f"{who}-{number}-{deed}", f"tok{number}x{deed}{who}"
        offered = (
            pi_md_deeds.offered(self.model.requests[-1].prompt.tools) if self.model.requests else frozenset()
        )
        return Plan(here, self.package, self.chance, name, token, offered)

    def _done(self, plan: Plan) -> None:
        """What was planned has happened."""
        self.said = (self.said | plan.said) - plan.unsaid
        self.anchors |= plan.left
        self.deleted |= plan.deleted

    def _program(self, who: str, here: Stage) -> list[str]:
        return [*pi.command_line(here), *(pi_md_package.words(self.package) if who == "its" else [])]

    def _listed(self, talk: pi_talk.Talk) -> frozenset[pi_md_checks.Item]:
        """The whole index of pi-memory-md, as it delivers it into its session when asked to."""
        before = self.model.requests[-1].prompt
        talk.command("prompt", message="/memory-refresh")
        talk.say("ok thanks")
        new = added(before, self.model.requests[-1].prompt)
        return pi_md_checks.index("".join(text for text in new if 'mode="normal"' in text))

    def _compare(self, listed: frozenset[pi_md_checks.Item], here: Stage, when: str) -> None:
        """What it listed beside what we list. A command of ours wakes the worker, which commits what waits:
        during its session that is done now and then only, so that its own commits are seen too."""
        ours = pi_md_checks.index(here.output("context", "--preset", "md"))
        self.faults += [f"{when}: {fault}" for fault in pi_md_checks.differ(listed, ours)]

    def _search(self, who: str, talk: pi_talk.Talk, here: Stage, number: int) -> None:
        """The search of either finds every anchor that the tapes of this clone hold."""
        query: dict[str, object] = {"kinds": ["anchor"], "anchorScope": "project", "limit": 100}
        self.model.will(Tool("tape_search", {**query, "anchorType": "handoff"}), Text())
        talk.say("Which anchors are there?")
        answer = "".join(self.model.requests[-1].prompt.texts[-1][1])
        known = pi_md_checks.anchors(here.memory)[0].keys() & self.anchors
        if missing := sorted(name for name in known if name not in answer):
            self.faults.append(f"turn {number}: the search of {who} finds no {', '.join(missing)}")

    def _look(self, here: Stage) -> list[str]:
        memories = [each.memory for each in self.stages]
        faults = pi_md_checks.lost(memories, self.said)
        self.said -= {word for fault in faults for word in pi_md_checks.TOKEN.findall(fault)}
        now = pi_md_checks.heads(here.memory)
        faults += pi_md_checks.changed(self.heads, now)
        self.heads |= now
        known, torn = pi_md_checks.anchors(here.memory)
        back = sorted(self.deleted & known.keys()) if len(self.stages) == 1 else []
        return [
            *faults,
            *torn,
            *(f"{name} was deleted, and is back" for name in back),
            *pi_md_checks.git(here),
        ]


def build(root: Path, clones: int, seed: int, model: Model, installed: Installed, package: Package) -> Turns:
    """The machines, with a memory that the one program began where the seed is odd, else the other."""
    remote = make_remote(root)
    stages = []
    for name in "ab"[:clones]:
        (root / name).mkdir()
        stages.append(pi_md_package.place(root / name, remote, model, installed))
    turns = Turns(stages, model, package, Random(seed))
    turns.begin(is_theirs=seed % 2 == 1)
    return turns


def _its_memory(here: Stage, package: Package) -> None:
    """A memory as pi-memory-md's own skill makes it."""
    words = ["git", "clone", "-q", str(here.remote), str(here.memory)]
    first = ["git", "-C", str(here.memory), "commit", "-q", "--allow-empty", "-m", "init"]
    push = ["git", "-C", str(here.memory), "push", "-q", "-u", "origin", "HEAD:main"]
    for command in (words, first, push, ["bash", str(package.script("memory-init"))]):
        subprocess.run(command, cwd=here.project, env=here.machine.env, check=True, capture_output=True)


def _passes(memory: Path, seconds: int) -> None:
    """The last fetch was so long ago."""
    if (fetched := memory / ".git" / "FETCH_HEAD").exists():
        before = time.time() - seconds
        os.utime(fetched, (before, before))
