"""What agents remember of a year: `ctxrepo start` brings it, sessions are given it, and it all goes back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import pytest
from homes import snapshot
from hook_commands import run_hook
from machines import Machine
from processes import wait_for_workers
from year_memories import WANTED
from year_of_work import SESSIONS, year_of_work

AFTERWARDS = {"shop": ".claude/settings.json", "site": ".codex/hooks.json"}
"""Of each project the file with the hooks of the agent that begins a session there afterwards."""

Home = Mapping[str, tuple[str, int, bytes]]


@pytest.fixture
def year(ada: Machine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # no agent's program is asked
    yield year_of_work(ada)
    wait_for_workers(ada)


def theirs(machine: Machine) -> Home:
    """All in the home that isn't ctxrepo's own."""
    return {name: of for name, of in snapshot(machine.home).items() if not name.startswith(".config/ctxrepo")}


def all_but_state(machine: Machine) -> tuple[Home, str]:
    """What is in the home, our settings too, and what the clone and its history are."""
    wait_for_workers(machine)
    return snapshot(machine.home), machine.git("rev-parse", "HEAD") + machine.git("status", "--porcelain")


class NewSession:
    """A session of an agent in a project, by its hooks that were installed; `given` is all it has by now."""

    def __init__(self, machine: Machine, project: str) -> None:
        self.machine, self.folder = machine, machine.home / project
        hooks = json.loads((machine.home / AFTERWARDS[project]).read_text())["hooks"]
        self.lines = {event: groups[-1]["hooks"][0]["command"] for event, groups in hooks.items()}
        self.given = self._hook("SessionStart", source="startup")

    def ask(self, prompt: str) -> None:
        self.given += self._hook("UserPromptSubmit", prompt=prompt)

    def _hook(self, event: str, **more: str) -> str:
        about = {"session_id": f"new-{self.folder.name}", "cwd": str(self.folder), "hook_event_name": event}
        answer = run_hook(self.lines[event], {**about, **more}, self.machine.env, self.folder)
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


@pytest.mark.slow
def test_the_memories_of_a_year_are_given_to_sessions_and_all_goes_back(year: Machine) -> None:
    before = theirs(year)
    assert sum(name.endswith(".jsonl") for name in before) == SESSIONS
    run = year.ctxrepo("start", "--yes")
    assert (run.returncode, "projects:\n  shop: ~/shop\n  site: ~/site\n" in run.stdout) == (0, True)
    imports = run.stdout.count("-memory in ~/")
    held = "".join(note.read_text() for note in year.clone.rglob("*.md"))
    assert [fact for fact in WANTED if fact.says not in held] == []

    wait_for_workers(year)
    for project in AFTERWARDS:
        session = NewSession(year, project)
        for fact in WANTED:
            if fact.project == project:
                session.ask(fact.asked)
                assert fact.says in session.given, fact
        others = "Hugo stays" if project == "shop" else "Invoices"
        assert others not in session.given

    after = all_but_state(year)
    again = year.ctxrepo("start", "--yes")
    assert (again.returncode, "-memory in" in again.stdout) == (0, False)
    assert again.stdout.count("  it is connected\n") == 4
    assert all_but_state(year) == after

    assert year.ctxrepo("setup", "--all", "--remove", "--yes").returncode == 0
    assert [year.ctxrepo("undo").returncode for _ in range(imports)] == [0] * 7
    assert theirs(year) == before
    left = "".join(note.read_text() for note in year.clone.rglob("*.md"))
    assert [fact for fact in WANTED if fact.says in left] == []
