"""`python -m living year FOLDER`: three projects, four agents, two machines, and code that moves.

Everything is real but the pace: git repositories with their commits, hooks as processes, workers, a remote.
At the end of each month a session begins in each project on the other machine, and asks; what it is given
goes into FOLDER/year.md, to be read. What is checked: which doubts there are, that a quiet month brings none,
and that the command which each names settles it."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from machines import Machine, make_machine, make_remote
from processes import wait_for_workers
from repositories import make_bare, make_checkout

AGENTS: Mapping[str, tuple[str, str, str, Mapping[str, str]]] = {
    "claude": (
        "SessionStart",
        "UserPromptSubmit",
        "Stop",
        {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "{}"},
    ),
    "codex": ("SessionStart", "UserPromptSubmit", "Stop", {"CODEX_SESSION_ID": "{}"}),
    "gemini": ("SessionStart", "BeforeAgent", "AfterAgent", {"GEMINI_CLI": "1", "GEMINI_SESSION_ID": "{}"}),
    "copilot": ("sessionStart", "userPromptSubmitted", "agentStop", {"COPILOT_AGENT_SESSION_ID": "{}"}),
}
"""Agent -> its names for the start, a prompt and the end of a turn, and what it sets for its shell."""

Words = Sequence[str]

_PREAMBLE = re.compile(r"^This is ctxrepo, .*?^(?=Quoted from memory)", re.DOTALL | re.MULTILINE)
"""The same in each session: it isn't read twelve times."""


@dataclass(frozen=True)
class Month:
    """What happens, as year.toml has it. `facts` come from the first machine, those `elsewhere` from the
    second one before both meet; `doubts` are parts of the entries that are doubted from then on."""

    name: str
    code: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    moves: Mapping[str, Sequence[Words]] = field(default_factory=dict)
    facts: Sequence[Words] = ()
    elsewhere: Sequence[Words] = ()
    doubts: Words = ()


_STORY = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
PROMPTS: Mapping[str, Words] = _STORY["prompts"]
PROJECTS = tuple(PROMPTS)
YEAR = tuple(Month(**month) for month in _STORY["month"])


@dataclass
class Year:
    """The machines with their checkouts, the page that is written, and what doesn't hold of what must."""

    machines: Sequence[Machine]
    page: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    sessions: int = 0

    def play(self) -> None:
        for month in YEAR:
            self.page.append(f"\n# {month.name}\n")
            self._change_code(month)
            for machine, facts in zip(self.machines, (month.facts, month.elsewhere), strict=True):
                for agent, project, *words in facts:
                    self._session(machine, agent, project, words)
            self._meet()
            self._checkpoint(month)
        self._settle()

    def _change_code(self, month: Month) -> None:
        first, second = self.machines
        for project in {**month.code, **month.moves}:
            folder = first.home / project
            for old, new in month.moves.get(project, ()):
                (folder / new).parent.mkdir(parents=True, exist_ok=True)
                _git(first, project, "mv", old, new)
            for path, text in month.code.get(project, {}).items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text)
                if not text:
                    (folder / path).unlink()
            _git(first, project, "add", "-A")
            _git(first, project, "commit", "-qm", month.name)
            _git(first, project, "push", "-q", "origin", "HEAD:main")
            _git(second, project, "pull", "-q", "origin", "main")

    def _session(self, machine: Machine, agent: str, project: str, words: Words = ()) -> str:
        """A session, in which a fact is remembered or something asked; all that it is given."""
        self.sessions += 1
        start, prompt, stop, names = AGENTS[agent]
        session = f"year-{self.sessions:04}"
        env = {name: value.replace("{}", session) for name, value in names.items()}
        given = [_hook(machine, agent, start, session, project, source="startup")]
        prompts = ("Please remember what you learned.",) if words else PROMPTS[project]
        given += [_hook(machine, agent, prompt, session, project, prompt=asked) for asked in prompts]
        if words:
            here = replace(machine, more={**machine.more, **env})
            run = _ctxrepo(here, project, "remember", *words)
            if run.returncode:
                self.wrong.append(f"remember {words[0]!r}: {run.stderr}")
            self.page += [f"> {line}\n" for line in (run.stdout + run.stderr).splitlines()]
        _hook(machine, agent, stop, session, project)
        wait_for_workers(machine)
        return "\n".join(filter(None, given))

    def _meet(self) -> None:
        for machine in (*self.machines, *self.machines):
            _ctxrepo(machine, "api", "sync")
            wait_for_workers(machine)

    def _checkpoint(self, month: Month) -> None:
        other = self.machines[1]
        agents = [*AGENTS]
        for number, project in enumerate(PROJECTS):
            # The worker of a session looks at the code; the next session is given what it found.
            self._session(other, agents[number], project)
            given = self._session(other, agents[(number + 1) % len(agents)], project)
            self.page += [f"## {project}, {agents[(number + 1) % len(agents)]}\n", "```", given, "```\n"]
        doubts = {doubt["id"]: doubt for doubt in self._stale()}
        new = {name: doubt for name, doubt in doubts.items() if name not in self.known}
        self.known |= doubts.keys()
        self.page += [
            "## new doubts\n",
            *(f"- {doubt['at']}: {doubt['words']} — {doubt['text']}" for doubt in new.values()),
        ]
        for wanted in month.doubts:
            if not any(wanted in doubt["text"] for doubt in doubts.values()):
                self.wrong.append(f"{month.name}: nothing doubts the entry with {wanted!r}")
        for new_doubt in new.values():
            if not any(wanted in new_doubt["text"] for wanted in month.doubts):
                self.wrong.append(
                    f"{month.name}: a false doubt: {new_doubt['words']} about {new_doubt['text']!r}"
                )

    def _stale(self) -> list[dict[str, Any]]:
        doubts: list[dict[str, Any]] = []
        for project in PROJECTS:
            answer = json.loads(_ctxrepo(self.machines[1], project, "stale", "--json").stdout)
            doubts += [doubt for doubt in answer["data"]["doubts"] if doubt not in doubts]
        return doubts

    def _settle(self) -> None:
        """Run the first command of each doubt: none may be left."""
        self.page.append("\n# Settling\n")
        for doubt in self._stale():
            command = next(line for line in doubt["commands"] if "--old A" not in line)
            run = _ctxrepo(self.machines[1], "api", *command.split()[1:])
            self.page.append(f"- `{command}`: {(run.stdout + run.stderr).strip()}")
            if run.returncode:
                self.wrong.append(f"{command}: {run.stderr}")
        self._meet()
        for project in PROJECTS:
            self._session(self.machines[1], "claude", project)
        self.wrong += [f"it is left: {doubt['words']} about {doubt['text']!r}" for doubt in self._stale()]


def _hook(machine: Machine, agent: str, event: str, session: str, project: str, **more: str) -> str:
    """Call a hook as the agent does; what reaches the model."""
    cwd = str(machine.home / project)
    payload = {"session_id": session, "sessionId": session, "cwd": cwd, "hook_event_name": event, **more}
    run = subprocess.run(
        [sys.executable, "-m", "ctxrepo", "hook", agent, event],
        input=json.dumps(payload),
        env=machine.env,
        cwd=cwd,
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, ""), (agent, event, run.stderr)
    return "\n".join(_texts(json.loads(run.stdout))) if run.stdout.strip() else ""


def _texts(value: object) -> Iterator[str]:
    """Texts of a reply in which something of memory stands."""
    if isinstance(value, str):
        yield from [_PREAMBLE.sub("", value)] if "<ctxrepo-memory" in value else []
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)


def _ctxrepo(machine: Machine, project: str, *words: str) -> subprocess.CompletedProcess[str]:
    cwd, program = machine.home / project, [sys.executable, "-m", "ctxrepo", *words]
    return subprocess.run(program, env=machine.env, cwd=cwd, capture_output=True, text=True)


def _git(machine: Machine, project: str, *words: str) -> None:
    cwd = machine.home / project
    subprocess.run(["git", *words], cwd=cwd, env=machine.env, check=True, capture_output=True)


def _machines(root: Path) -> list[Machine]:
    remote = make_remote(root)
    machines = [make_machine(root, name) for name in ("desk", "laptop")]
    codes = {project: root / f"{project}.git" for project in PROJECTS}
    for bare in codes.values():
        make_bare(bare)
    for machine in machines:
        for project, bare in codes.items():
            folder = machine.home / project
            make_checkout(folder, str(bare))
        machine.init(str(remote))
    return machines


def main(words: list[str]) -> int:
    """Play the year; 1 where something doesn't hold of what must."""
    parser = argparse.ArgumentParser(prog="python -m living year", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    root = parser.parse_args(words).folder
    if root.exists():
        parser.error(f"{root} is there already: name a new folder")
    root.mkdir(parents=True)
    began, year = time.monotonic(), Year(_machines(root))
    try:
        year.play()
    finally:
        (root / "year.md").write_text("\n".join(year.page))
    print(
        f"{len(YEAR)} months, {year.sessions} sessions, {time.monotonic() - began:.0f} s: {root / 'year.md'}"
    )
    for line in year.wrong:
        print(f"wrong: {line}")
    return 1 if year.wrong else 0
