"""Whole sessions: the hooks that `setup` installed, fed what Claude Code really sends, over a real remote."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from machines import PROJECT_URL, Machine, make_machine, make_remote
from processes import wait_for_workers
from repositories import make_checkout
from servers.ssh import needs_sshd, ssh_server
from sessions import Session, connected, eventually, log_of


@pytest.fixture
def laptop(tmp_path: Path) -> Iterator[Machine]:
    machine = connected(make_machine(tmp_path, "laptop"), str(make_remote(tmp_path)))
    yield machine
    wait_for_workers(machine)


@needs_sshd
def test_two_machines_share_one_memory_over_ssh(tmp_path: Path) -> None:
    began = time.monotonic()
    remote = make_remote(tmp_path)
    with ssh_server(tmp_path / "sshd") as server:
        machines = []
        for name in ("laptop", "desktop"):
            machine = make_machine(tmp_path, name)
            with (machine.home / ".gitconfig").open("a") as config:
                config.write(f'[core]\n\tsshCommand = "{server.client}"\n')
            machines.append(connected(machine, server.url(remote)))
        laptop, desktop = machines
        here = Session(laptop, "11111111-2222-3333-4444-555555555555")
        assert "This is ctxrepo" in here.hook("SessionStart")
        assert laptop.ctxrepo("remember", "redis listens on port 6380", "-c", "gotcha").returncode == 0
        here.hook("Stop")
        here.hook("SessionEnd")
        eventually(lambda: "redis listens" in log_of(remote), 20)
        there = Session(desktop, "66666666-7777-8888-9999-000000000000")
        index = there.hook("SessionStart")
        if "gotcha" not in index:
            # A fetch that outlasts the patience of a session start comes with the first prompt.
            wait_for_workers(desktop)
            index = there.hook("UserPromptSubmit", prompt="hello")
        assert "shop/topics/gotcha.md — Traps and the way around each [gotcha]" in index
        assert "6380" in there.hook("UserPromptSubmit", prompt="which port does redis listen on?")
        assert there.hook("UserPromptSubmit", prompt="ok thanks") == ""
        for machine in machines:
            wait_for_workers(machine)
    assert time.monotonic() - began < 60


def test_what_the_agents_editor_wrote_is_committed_at_stop(laptop: Machine) -> None:
    session = Session(laptop, "s-1")
    session.hook("SessionStart")
    wait_for_workers(laptop)
    note = laptop.clone / "shop" / "topics" / "build.md"
    laptop.write("shop/topics/build.md", "- make builds it\n")
    session.hook("PostToolUse", "PostToolUse-edit", tool_input={"file_path": str(note)})
    session.hook("Stop")
    eventually(lambda: "make builds it" in laptop.git("log", "-p", "--format="), 60)
    assert "Ctxrepo-Session: s-1\nCtxrepo-Agent: claude" in laptop.git("log", "-1", "--format=%B")


def test_a_version_another_editor_wrote_over_is_in_the_history_after_stop(laptop: Machine) -> None:
    session = Session(laptop, "s-1")
    laptop.write("shop/topics/build.md", "- base\n")
    assert laptop.ctxrepo("sync").returncode == 0
    note = laptop.clone / "shop" / "topics" / "build.md"
    laptop.write("shop/topics/build.md", "- base\n- by the agent\n")
    session.hook("PostToolUse", "PostToolUse-edit", tool_input={"file_path": str(note)})
    laptop.write("shop/topics/build.md", "- base\n- by a stale editor\n")
    session.hook("Stop")
    eventually(lambda: "stale editor" in laptop.git("show", "HEAD:shop/topics/build.md"), 60)
    assert "by the agent" in laptop.git("log", "-p", "--format=", "--", "shop/topics/build.md")


def test_the_index_comes_at_startup_clear_and_compaction_and_not_on_resume(laptop: Machine) -> None:
    laptop.ctxrepo("remember", "redis listens on port 6380", "-c", "gotcha")
    assert laptop.ctxrepo("sync").returncode == 0
    session = Session(laptop, "s-1")
    first = session.hook("SessionStart", source="startup")
    assert "gotcha.md" in first
    assert session.hook("SessionStart", "SessionStart-resume") == ""
    prompt = {"prompt": "which port does redis listen on?"}
    assert "6380" in session.hook("UserPromptSubmit", **prompt)
    assert session.hook("UserPromptSubmit", **prompt) == ""
    assert session.hook("SessionStart", "SessionStart-clear") == first
    assert "6380" in session.hook("UserPromptSubmit", **prompt)
    anew = session.hook("SessionStart", "SessionStart-compact")
    assert set(first.splitlines()[1:-1]) < set(anew.splitlines())
    assert "6380" in anew
    assert session.hook("UserPromptSubmit", **prompt) == ""


def test_a_checklist_is_told_at_the_start_and_beside_no_prompt(laptop: Machine) -> None:
    for item in ("order the otter", "feed the badger"):
        assert laptop.ctxrepo("scratch", "add", item).returncode == 0
    assert laptop.ctxrepo("scratch", "done", "badger").returncode == 0
    assert laptop.ctxrepo("sync").returncode == 0
    session = Session(laptop, "s-1")
    given = session.hook("SessionStart")
    assert "- [ ] order the otter" in given
    assert "badger" not in given
    for prompt in ("who has ordered the otter?", "has anybody fed the badger?"):
        assert session.hook("UserPromptSubmit", prompt=prompt) == ""
    assert laptop.ctxrepo("scratch", "add", "call the zoo about a walrus").returncode == 0
    assert laptop.ctxrepo("sync").returncode == 0
    news = session.hook("UserPromptSubmit", prompt="does the zoo have a walrus?")
    assert "## Notes that changed" in news
    assert "shop/SCRATCHPAD.md" in news
    assert "walrus" not in news
    assert session.hook("UserPromptSubmit", prompt="does the zoo have a walrus?") == ""


def test_a_compaction_leaves_a_handoff_for_the_next_session(laptop: Machine, tmp_path: Path) -> None:
    session = Session(laptop, "s-1")
    session.hook("SessionStart")
    assert laptop.ctxrepo("scratch", "add", "test the 8 s limit").returncode == 0
    edited = laptop.project_folder / "src" / "client.py"
    session.hook("PostToolUse", "PostToolUse-edit", tool_input={"file_path": str(edited)})
    transcript = tmp_path / "s-1.jsonl"
    messages = [{"type": "user", "message": {"content": words}} for words in ("Add retries", "Now test them")]
    transcript.write_text("".join(json.dumps(line) + "\n" for line in messages))
    assert session.hook("PreCompact", transcript_path=str(transcript)) == ""
    tape = laptop.clone / "TAPE" / "shop"
    eventually(lambda: tape.is_dir() and any(tape.glob("*.jsonl")), 60)
    anchor = json.loads(next(tape.glob("*.jsonl")).read_text())
    assert (anchor["type"], anchor["sessionId"]) == ("handoff", "s-1")
    wait_for_workers(laptop)
    context = Session(laptop, "s-2").hook("SessionStart")
    assert "Handoff · handoff/compaction" in context
    assert "Goal: Add retries\nFiles: src/client.py\nLast asked: Now test them" in context
    assert "- [ ] test the 8 s limit" in context  # so the handoff needn't say that it is open


def test_what_a_crashed_session_left_is_sent_at_the_next_start(laptop: Machine, tmp_path: Path) -> None:
    session = Session(laptop, "s-1")
    session.hook("SessionStart")
    wait_for_workers(laptop)
    laptop.write("shop/topics/left.md", "- written and never said\n")
    Session(laptop, "s-2").hook("SessionStart")
    eventually(lambda: "left" in log_of(tmp_path / "memory.git"), 20)


def test_a_note_another_machine_sent_meanwhile_comes_with_the_next_prompt(
    laptop: Machine, tmp_path: Path
) -> None:
    desktop = make_machine(tmp_path, "desktop")
    desktop.init(str(tmp_path / "memory.git"))
    session = Session(laptop, "s-1")
    session.hook("SessionStart")
    wait_for_workers(laptop)
    desktop.remember("the cache is warmed by make warm", category="gotcha")
    desktop.sync()
    assert laptop.ctxrepo("pull").returncode == 0
    late = session.hook("UserPromptSubmit", prompt="hello")
    assert "shop/topics/gotcha.md — Traps and the way around each [gotcha]" in late
    assert session.hook("UserPromptSubmit", prompt="hello") == ""


def test_what_a_session_remembers_is_news_to_others_only(laptop: Machine) -> None:
    within = Machine(laptop.home, {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s-1"})
    assert laptop.ctxrepo("remember", "said before").returncode == 0
    assert laptop.ctxrepo("sync").returncode == 0  # the project is known when they begin
    mine, other = Session(laptop, "s-1"), Session(laptop, "s-2")
    for session in (mine, other):
        session.hook("SessionStart")
    assert within.ctxrepo("remember", "redis listens on port 6380", "-c", "gotcha").returncode == 0
    laptop.write("shop/topics/build.md", "- make builds it\n")
    file = str(laptop.clone / "shop/topics/build.md")
    mine.hook("PostToolUse", "PostToolUse-edit", tool_input={"file_path": file})
    assert laptop.ctxrepo("sync").returncode == 0
    assert mine.hook("UserPromptSubmit", prompt="hello") == ""
    context = other.hook("UserPromptSubmit", prompt="hello")
    assert "shop/topics/gotcha.md" in context
    assert "shop/topics/build.md" in context
    assert laptop.ctxrepo("remember", "and postgres on 5433", "-c", "gotcha").returncode == 0
    assert laptop.ctxrepo("sync").returncode == 0
    assert "shop/topics/gotcha.md" in mine.hook("UserPromptSubmit", prompt="hello")


def test_a_file_that_was_edited_brings_what_names_it_and_is_named_at_the_next_start(laptop: Machine) -> None:
    laptop.ctxrepo("remember", "`src/pay.py` must not retry a refund", "-c", "gotcha")
    assert laptop.ctxrepo("sync").returncode == 0
    file = laptop.project_folder / "src/pay.py"
    file.parent.mkdir()
    file.touch()
    session = Session(laptop, "s-1")
    assert "src/pay.py" not in session.hook("SessionStart").partition("gotcha.md")[0]
    edit = {"tool_input": {"file_path": str(file)}}
    assert "must not retry a refund" in session.hook("PostToolUse", "PostToolUse-edit", **edit)
    assert session.hook("PostToolUse", "PostToolUse-edit", **edit) == ""
    session.hook("Stop")
    wait_for_workers(laptop)
    assert "src/pay.py" in Session(laptop, "s-2").hook("SessionStart")
    (entry,) = laptop.json("stats", "usage")["data"]["entries"]
    assert (entry["text"], entry["delivered"]) == ("[gotcha] `src/pay.py` must not retry a refund", 1)


def test_outside_a_project_only_global_memory_is_given(laptop: Machine, tmp_path: Path) -> None:
    laptop.ctxrepo("remember", "redis listens on port 6380", "-c", "gotcha")
    laptop.ctxrepo("sync")
    (tmp_path / "elsewhere").mkdir()
    index = Session(laptop, "s-1").hook("SessionStart", cwd=str(tmp_path / "elsewhere"))
    assert "global/MEMORY.md" in index
    assert "gotcha" not in index


def test_another_project_of_the_same_name_sees_nothing_of_this_one(laptop: Machine) -> None:
    laptop.ctxrepo("remember", "redis listens on port 6380", "-c", "gotcha")
    laptop.ctxrepo("sync")
    other = make_checkout(laptop.home / "work" / "shop", PROJECT_URL.replace("ada", "zoe"))
    session = Session(laptop, "s-1")
    assert "gotcha" not in session.hook("SessionStart", cwd=str(other))
    assert session.hook("UserPromptSubmit", cwd=str(other), prompt="which port does redis listen on?") == ""


def test_off_is_off(laptop: Machine) -> None:
    quiet = Machine(laptop.home, {"CTXREPO_OFF": "1"})
    assert Session(quiet, "s-1").hook("SessionStart") == ""


def test_before_init_a_hook_leaves_no_trace(laptop: Machine) -> None:
    state = laptop.places.state
    wait_for_workers(laptop)  # who is still at work would make it anew
    shutil.rmtree(state)
    session = Session(laptop, "s-1")
    for event in session.lines:
        assert session.hook(event, "PostToolUse-edit" if event == "PostToolUse" else "") == ""
    assert not state.exists()
