"""The worker: one at a time, nothing left lying, and nothing that one bad event can stop for ever."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from checkouts import repository
from long import rotating
from machines import PROJECT_URL, Machine
from saves import checked_out, leave

from ctxrepo.domain.formats.moment import stamp
from ctxrepo.errors import Busy
from ctxrepo.hooks.known.cached import last_round_of
from ctxrepo.services.anchors.session_anchors import hand_over_compaction
from ctxrepo.services.locate.look import is_known, locate_with_git
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.committed import CommitResult
from ctxrepo.services.worker import work as work_module
from ctxrepo.services.worker.work import Worker
from ctxrepo.storage import memory as memory_module
from ctxrepo.storage.cache.cache import all_faults, put_round
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import locked
from ctxrepo.storage.state.compiled import read_checkouts
from ctxrepo.storage.state.journal import Journal
from ctxrepo.storage.state.spool import Spool


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def work(ada: Machine, remote: Path) -> Callable[[], list[str]]:
    """Runs a worker on ada's memory; returns what it logged."""
    ada.init(str(remote))

    def run() -> list[str]:
        lines: list[str] = []
        ada.worker(now, lines.append).run()
        return lines

    return run


def spool(memory: Memory, event: str, **fields: str | float) -> None:
    line = json.dumps({"event": event, "agent": "claude", "session": "s-1", **fields})
    with memory.state.spool.open("a") as file:
        file.write(line + "\n")


def pushed(ada: Machine) -> str:
    return ada.git("log", "--format=%s", "origin/main")


def test_what_was_remembered_in_a_session_is_committed_and_sent_before_its_end(
    ada: Machine, work: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = Machine(ada.home, {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s-1", "CTXREPO_OFF": "1"})
    before = pushed(ada)
    # The command wakes a worker of its own; here only ours shall be at work.
    monkeypatch.setenv("HOME", str(ada.home))
    with locked(ada.open().state.lock("work"), 1):
        assert done.ctxrepo("remember", "a fact").returncode == 0
    assert work() == []
    assert "- a fact" in ada.git("show", "HEAD:shop/MEMORY.md")
    assert "Ctxrepo-Session: s-1" in ada.git("log", "-1", "--format=%B")
    assert pushed(ada) != before, "some agents call no hook at their end"


@pytest.mark.parametrize(
    ("hooks", "agent", "is_sent"),
    rotating(
        [
            ({}, "pi", True),
            ({"sessionEnd": ["push"]}, "pi", True),
            ({"sessionStart": ["pull"]}, "pi", False),
            ({"sessionEnd": []}, "pi", False),
            ({"sessionEnd": []}, "", True),
            ({"sessionEnd": []}, "claude", True),
        ],
    ),
)
def test_d10_pis_settings_say_whether_its_sessions_send_what_they_wrote(
    ada: Machine, work: Callable[[], list[str]], hooks: dict[str, Any], agent: str, is_sent: bool
) -> None:
    settings = ada.home / ".pi/agent/settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"pi-memory-md": {"hooks": hooks}}))
    before = pushed(ada)
    leave(ada, "shop/topics/build.md", b"- by the agent\n", session="s-1", agent=agent)
    spool(ada.open(), "end", agent=agent)
    assert work() == []
    assert "- by the agent" in ada.git("show", "HEAD:shop/topics/build.md")
    assert (pushed(ada) != before) is is_sent


@pytest.mark.parametrize(
    ("settings", "agent", "is_fetched"),
    [
        ({}, "pi", True),
        ({"hooks": {"sessionStart": []}}, "pi", False),
        ({"hooks": {"sessionStart": []}}, "claude", True),
        ({"autoSync": {"onSessionStart": False}}, "pi", False),
        ({"autoSync": {"onSessionStart": True}}, "pi", True),
    ],
)
def test_d9_d12_pis_settings_say_whether_its_sessions_begin_with_a_fetch(
    ada: Machine, work: Callable[[], list[str]], settings: dict[str, Any], agent: str, is_fetched: bool
) -> None:
    file = ada.home / ".pi/agent/settings.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"pi-memory-md": settings}))
    ada.open().state.fetched.unlink(missing_ok=True)
    spool(ada.open(), "start", agent=agent, cwd=str(ada.project_folder))
    assert work() == []
    assert ada.open().state.fetched.exists() is is_fetched


def test_what_a_tool_wrote_is_committed_and_sent_though_no_turn_ends(
    ada: Machine, work: Callable[[], list[str]]
) -> None:
    before = pushed(ada)
    leave(ada, "shop/topics/build.md", b"- by the agent\n")
    assert work() == []
    assert ada.git("show", "origin/main:shop/topics/build.md") == "- by the agent"
    assert pushed(ada) != before


def test_what_a_shell_wrote_is_found_and_sent_though_no_turn_ends(
    ada: Machine, work: Callable[[], list[str]]
) -> None:
    ada.write("shop/topics/build.md", "- by a shell\n")
    assert work() == []
    spool(ada.open(), "shell")
    assert work() == []
    assert ada.git("show", "origin/main:shop/topics/build.md") == "- by a shell"


def test_where_a_session_sends_nothing_at_its_end_a_tools_write_is_only_committed(
    ada: Machine, work: Callable[[], list[str]]
) -> None:
    assert ada.ctxrepo("config", "set", "hooks.session_end", "commit").returncode == 0
    before = pushed(ada)
    leave(ada, "shop/topics/build.md", b"- by the agent\n")
    assert work() == []
    assert ada.git("show", "HEAD:shop/topics/build.md") == "- by the agent"
    assert pushed(ada) == before


def test_outside_a_session_the_worker_sends_after_a_quiet_moment(
    ada: Machine, work: Callable[[], list[str]]
) -> None:
    before = pushed(ada)
    ada.remember("a fact")
    assert work() == []
    assert pushed(ada) != before


def test_what_a_worker_committed_that_was_killed_before_it_sent_it_is_sent_by_the_next(
    ada: Machine, work: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(self: Journal, places: Iterable[str]) -> None:
        raise KeyboardInterrupt

    ada.remember("outside a session")
    monkeypatch.setattr(Journal, "take_out", killed)
    with pytest.raises(KeyboardInterrupt):
        commit(ada.open(), now())
    monkeypatch.undo()
    assert "outside a session" in ada.git("show", "HEAD:shop/MEMORY.md")
    assert work() == []
    assert "outside a session" in ada.git("show", "origin/main:shop/MEMORY.md")


def test_a_second_worker_leaves_at_once(ada: Machine, work: Callable[[], list[str]]) -> None:
    ada.remember("a fact")
    memory = ada.open()
    with locked(memory.state.lock("work"), 1):
        began = time.monotonic()
        assert work() == []
        assert time.monotonic() - began < 5
    assert memory.journal.names()
    work()
    assert not memory.journal.names()


def test_a_session_start_settles_and_leaves_its_anchor_on_this_machine(
    ada: Machine, work: Callable[[], list[str]]
) -> None:
    memory = ada.open()
    before = memory.cache.ask(last_round_of)
    spool(memory, "start", cwd=str(ada.project_folder), source="startup")
    assert work() == []
    assert memory.cache.ask(last_round_of) > before
    anchors = [json.loads(line)["name"] for line in memory.state.anchors.read_text().splitlines()]
    assert anchors == ["session/new"]
    spool(memory, "start", cwd=str(ada.project_folder), source="compact")
    spool(memory, "start", cwd=str(ada.project_folder), source="fork")
    assert work() == []
    anchors = [json.loads(line)["name"] for line in memory.state.anchors.read_text().splitlines()]
    assert anchors == ["session/new", "session/fork"], "after a compaction it is the same session"
    assert not (ada.clone / "TAPE").exists()
    assert memory.state.spool.stat().st_size == 0


def test_an_agents_version_of_a_file_outlives_the_file(ada: Machine, work: Callable[[], list[str]]) -> None:
    memory = ada.open()
    leave(ada, "shop/topics/build.md", b"- by the agent\n")
    spool(memory, "stop")
    assert work() == []
    assert ada.git("show", "HEAD:shop/topics/build.md") == "- by the agent"
    assert memory.journal.is_settled()


def test_a_file_of_which_no_version_was_saved_is_committed_at_once(
    ada: Machine, work: Callable[[], list[str]]
) -> None:
    ada.write("shop/long.md", "- written by a tool\n")
    spool(ada.open(), "tool", path="shop/long.md")  # it was too large, or the disk was full
    assert work() == []
    assert ada.git("show", "HEAD:shop/long.md") == "- written by a tool"


def test_what_is_written_after_a_prompt_waits_for_the_hook_that_names_the_agent(
    ada: Machine, work: Callable[[], list[str]]
) -> None:
    """A worker that a prompt woke may look after a tool has written, and before its hook is called."""
    ada.write("shop/topics/before.md", "- by hand\n")
    ada.remember("a note that goes")
    assert work() == []
    prompt_at = time.time()
    time.sleep(0.02)  # longer than a tick of the file system's clock
    ada.write("shop/topics/tool.md", "- by a tool\n")
    (ada.clone / "shop" / "MEMORY.md").unlink()
    spool(ada.open(), "prompt", at=prompt_at)
    assert work() == []
    files = ada.git("ls-tree", "-r", "--name-only", "HEAD").split()
    assert "shop/topics/before.md" in files
    assert "shop/MEMORY.md" in files
    assert "shop/topics/tool.md" not in files
    assert (ada.clone / "shop/topics/tool.md").exists()
    assert not (ada.clone / "shop" / "MEMORY.md").exists()
    spool(ada.open(), "stop", at=time.time())
    assert work() == []
    files = ada.git("ls-tree", "-r", "--name-only", "HEAD").split()
    assert "shop/topics/tool.md" in files
    assert "shop/MEMORY.md" not in files


@pytest.mark.parametrize("path", ["../out.md", "/etc/passwd", ".git/config", "a/../../b.md"])
def test_an_event_that_names_what_is_no_file_of_the_memory_stops_nothing(
    ada: Machine, work: Callable[[], list[str]], path: str
) -> None:
    memory = ada.open()
    spool(memory, "tool", path=path)
    assert work() == []
    assert memory.cache.ask(all_faults) == []
    assert memory.state.spool.stat().st_size == 0


@pytest.mark.parametrize(
    "line",
    rotating(
        [
            "",
            "null",
            "[]",
            '{"event": 7}',
            '{"torn',
            "\x00\xff",
            '{"event":"tool","path":"../x","version":"y"}',
        ],
        keep=2,
    ),
)
def test_a_line_that_is_no_event_stops_nothing(
    ada: Machine, work: Callable[[], list[str]], line: str
) -> None:
    memory = ada.open()
    memory.state.spool.write_text(line + "\n")
    ada.write("shop/after.md", "- after\n")
    spool(memory, "stop")
    work()
    assert ada.git("show", "HEAD:shop/after.md") == "- after"
    assert memory.state.spool.stat().st_size == 0


def test_while_a_merge_is_unfinished_all_is_kept_for_the_next_worker(
    ada: Machine, work: Callable[[], list[str]]
) -> None:
    memory = ada.open()
    (memory.clone.git_dir / "MERGE_HEAD").write_text("x")
    ada.remember("kept")
    spool(memory, "stop")
    assert "a merge is unfinished" in work()[0]
    assert memory.journal.names()
    (memory.clone.git_dir / "MERGE_HEAD").unlink()
    work()
    assert "- kept" in ada.git("show", "HEAD:shop/MEMORY.md")


def test_a_remote_that_refuses_is_logged_and_told(
    ada: Machine, work: Callable[[], list[str]], remote: Path
) -> None:
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho main is protected >&2\nexit 1\n")
    hook.chmod(0o755)
    memory = ada.open()
    ada.write("shop/a.md", "- a\n")
    spool(memory, "end")
    assert "remote protected" in work()[0]
    assert any("does not reach its remote" in fault.text for fault in memory.cache.ask(all_faults))
    hook.unlink()
    spool(memory, "end")
    assert work() == []
    assert memory.cache.ask(all_faults) == []


def test_a_compaction_leaves_one_handoff(ada: Machine, work: Callable[[], list[str]]) -> None:
    memory = ada.open()
    ada.write("shop/SCRATCHPAD.md", "- [ ] test the 8 s limit\n- [x] past\n")
    spool(memory, "compact", cwd=str(ada.project_folder))
    assert work() == []
    tape = next((ada.clone / "TAPE" / "shop").glob("*.jsonl"))
    anchor = json.loads(tape.read_text())
    assert (anchor["name"], anchor["type"], anchor["sessionId"]) == ("handoff/compaction", "handoff", "s-1")
    assert anchor["meta"]["handoff"]["open"] == ["test the 8 s limit"]
    assert anchor["timestamp"] <= stamp(now())
    assert ada.git("status", "--porcelain") == ""


def test_a_compaction_waits_for_who_has_the_write_lock_for_long(
    ada: Machine, work: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada.write("shop/SCRATCHPAD.md", "- [ ] test the 8 s limit\n")
    memory, tries = ada.open(), list[object]()

    def hand_over(*words: Any) -> None:
        tries.append(words)
        with locked(memory.state.lock("write"), 1) if len(tries) < 3 else nullcontext():
            hand_over_compaction(*words)

    monkeypatch.setattr(work_module, "hand_over_compaction", hand_over)
    monkeypatch.setattr(memory_module, "WRITE_WAIT", 0.1)
    spool(memory, "compact", cwd=str(ada.project_folder))
    assert work() == []
    (tape,) = (ada.clone / "TAPE" / "shop").iterdir()
    assert tape.read_text().count("handoff/compaction") == 1


def test_a_compaction_of_which_nothing_is_known_leaves_none(
    ada: Machine, work: Callable[[], list[str]]
) -> None:
    spool(ada.open(), "compact", cwd=str(ada.project_folder), transcript=str(ada.home / "gone.jsonl"))
    assert work() == []
    assert not (ada.clone / "TAPE").exists()


def test_an_agents_late_version_takes_nothing_away_that_came_meanwhile(
    ada: Machine, ben: Machine, remote: Path, work: Callable[[], list[str]]
) -> None:
    note = "shop/topics/build.md"
    ada.write(note, "- base\n")
    ada.sync()
    memory = ada.open()
    made_from = checked_out(ada)
    ada.write(note, "- base\n- by the agent\n")
    ben.init(str(remote))
    ben.write(note, "- base\n- from elsewhere\n")
    ben.sync()
    ada.sync()
    head = ada.git("rev-parse", "HEAD")
    leave(ada, note, b"- base\n- by the agent\n", made_from)  # the hook was slow
    assert work() == []
    assert not memory.journal.names()
    assert ada.git("rev-parse", "HEAD") == head  # the version is in the history already
    assert ada.read(note).count("- base\n") == 1
    assert "- from elsewhere\n" in ada.read(note)
    assert "- by the agent\n" in ada.read(note)


def meanwhile(monkeypatch: pytest.MonkeyPatch, memory: Memory, fails: bool) -> list[int]:
    """Has a hook leave a line in the middle of the first round; counts the rounds."""
    rounds: list[int] = []

    def committing(*words: Any) -> CommitResult:
        rounds.append(1)
        if len(rounds) == 1:
            spool(memory, "stop")
        if fails:
            raise Busy("in the middle of something")
        return commit(*words)

    monkeypatch.setattr(work_module, "commit", committing)
    return rounds


@pytest.mark.parametrize("fails", [False, True])
def test_what_comes_during_a_round_is_met_by_another_one_however_that_ended(
    ada: Machine, work: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    memory = ada.open()
    spool(memory, "stop")
    rounds = meanwhile(monkeypatch, memory, fails)
    lines = work()
    assert len(rounds) == 2, "and no third, where nothing new has come"
    assert len(lines) == (2 if fails else 0)
    assert (memory.state.spool.stat().st_size == 0) == (not fails)


def test_a_write_that_is_held_back_keeps_no_worker_going(ada: Machine, work: Callable[[], list[str]]) -> None:
    memory = ada.open()
    ada.remember("a fact")
    note = ada.read("shop/MEMORY.md")
    token = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    ada.write("shop/MEMORY.md", f"{note}- the token is {token}\n")
    spool(memory, "stop")
    assert work() == []
    assert memory.journal.names(), "it waits for somebody to take the token out"
    assert token not in ada.git("log", "-p")
    ada.write("shop/MEMORY.md", note)
    spool(memory, "stop")
    work()
    assert not memory.journal.names()


def test_work_that_never_ends_is_for_the_next_worker(
    ada: Machine, work: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    del work  # which has made the memory
    memory = ada.open()
    spool(memory, "stop")

    def committing(*words: Any) -> CommitResult:
        spool(memory, "stop")
        return commit(*words)

    monkeypatch.setattr(work_module, "commit", committing)
    monkeypatch.setattr(work_module, "LULL", 0.02)
    woken: list[int] = []
    replace(ada.worker(now), wake=lambda: woken.append(1)).run()
    assert woken == [1]
    assert memory.state.spool.stat().st_size > 0


def test_settings_that_change_while_it_works_are_for_the_next_worker(
    ada: Machine, work: Callable[[], list[str]]
) -> None:
    del work  # which has made the memory
    woken: list[int] = []
    worker = replace(ada.worker(now), wake=lambda: woken.append(1))
    spool(ada.open(), "stop")
    worker.run()
    assert woken == []
    with ada.places.config_file.open("a") as config:
        config.write("\n# a person's\n")
    worker.run()
    assert woken == [1]


@pytest.mark.parametrize("is_committed", [False, True], ids=["before its commit", "before it is sent"])
def test_nothing_is_sent_by_settings_that_hold_no_more(
    ada: Machine, work: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch, is_committed: bool
) -> None:
    del work  # which has made the memory
    woken: list[int] = []
    worker = replace(ada.worker(now), wake=lambda: woken.append(1))

    def change(*_: object) -> None:
        with ada.places.config_file.open("a") as config:
            config.write('review = "branch"\n')

    ada.remember("must be reviewed")
    before = pushed(ada)
    if is_committed:
        monkeypatch.setattr(Worker, "_wait_for_work", change)
    else:
        change()
    worker.run()
    assert ("must be reviewed" in ada.git("show", "main")) == is_committed
    assert pushed(ada) == before
    assert woken == [1]


def test_a_checkout_is_trusted_or_not_by_the_settings_of_now(
    ada: Machine, work: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada.remember("The basket needs Postgres")
    assert work() == []

    def committing(*words: Any) -> CommitResult:
        with ada.places.config_file.open("a") as config:
            config.write('\n[project]\ntrust = "ask"\n')
        return commit(*words)

    monkeypatch.setattr(work_module, "commit", committing)
    folder = repository(ada.home / "code" / "shop", PROJECT_URL)
    spool(ada.open(), "start", cwd=str(folder))
    assert work() == []
    claims = {row.top: row.claim for row in read_checkouts(ada.places.state)}
    assert "it is new on this machine" in claims[str(folder)]


def test_a_project_that_could_not_be_found_is_looked_for_whenever_a_worker_is_awake(
    ada: Machine, work: Callable[[], list[str]]
) -> None:
    registry = ada.clone / "ctxrepo.toml"
    was = registry.read_bytes() if registry.exists() else b""
    registry.write_text("projects = [\n")
    here = str(ada.project_folder)
    spool(ada.open(), "prompt", cwd=here)
    assert any("ctxrepo.toml" in line for line in work())
    assert not is_known(ada.open(), ada.project_folder)
    registry.write_bytes(was)
    spool(ada.open(), "stop", cwd=here)
    assert work() == []
    assert is_known(ada.open(), ada.project_folder)


def test_one_that_is_known_is_not_looked_at_again_at_each_turn(
    ada: Machine, work: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []

    def spy(memory: Memory, cwd: Path, *env: Any) -> object:
        asked.append(cwd)
        return locate_with_git(memory, cwd, *env)

    monkeypatch.setattr(work_module, "locate_with_git", spy)
    for event, is_asked in (("start", True), ("stop", False), ("end", False), ("prompt", True)):
        spool(ada.open(), event, cwd=str(ada.project_folder))
        work()
        assert (ada.project_folder in asked) == is_asked, event
        asked.clear()


def test_a_round_is_over_for_those_only_whose_lines_it_has_read(
    ada: Machine, work: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook leaves its line just after the spool was read, and waits for what began since."""
    read, since = Spool.read, list[float]()

    def then_a_hook(self: Spool) -> Any:
        events = read(self)
        if not since:
            since.append(time.time())
        return events

    settle = Mock(wraps=put_round)
    monkeypatch.setattr(Spool, "read", then_a_hook)
    monkeypatch.setattr(work_module, "put_round", settle)
    ada.remember("a fact")
    work()
    began = settle.call_args_list[0].args[1]
    assert began < since[0]
