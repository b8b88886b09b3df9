"""What was said in a session is laid ready for the one that follows it within a minute (D66)."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from machines import Machine, make_machine
from repositories import make_checkout
from strict_parser import parse_all

from ctxrepo.domain.records.save import Origin
from ctxrepo.hooks.moments.bridge_block import MAX_BYTES
from ctxrepo.hooks.session.ledger import add, read_ledger
from ctxrepo.hooks.session.ledger_file import ledger_path
from ctxrepo.services.anchors.leave_anchor import AnchorRequest, anchor
from ctxrepo.services.delivery.bridge import _within_bytes, note_ends, prepare_bridges
from ctxrepo.storage.state.spool import SpoolEvent

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SAID = ("The payments retries fail", "Dark mode for the settings", "Rename the invoice module")


class Desk:
    """Sessions on one machine, by what their hooks leave for the worker and what their agents record."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.now = time.time()

    def event(self, event: str, session: str, ago: float, **more: Any) -> SpoolEvent:
        agent = more.pop("agent", "claude")
        fields = {"cwd": str(self.machine.project_folder), "transcript": self.transcript(session), **more}
        return SpoolEvent(event, agent, session, at=self.now - ago, **fields)

    def transcript(self, session: str) -> str:
        folder = self.machine.home / ".claude/projects/-shop"
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder / f"{session}.jsonl")

    def say(self, session: str, texts: Sequence[str], ago: float) -> None:
        """The last of these texts was said so many seconds ago, each of the others a second before."""
        lines = []
        for number, text in enumerate(reversed(texts)):
            at = datetime.fromtimestamp(self.now - ago - number, UTC).isoformat()
            content = {"type": "user", "message": {"role": "user", "content": text}, "timestamp": at}
            lines.append(json.dumps({**content, "uuid": f"u{number}", "sessionId": session}))
        Path(self.transcript(session)).write_text("\n".join(reversed(lines)) + "\n")

    def begin(self, session: str, cwd: str = "", agent: str = "claude") -> str:
        """The hook of a start has noted the session; the path of its ledger."""
        path = ledger_path(str(self.machine.places.state), agent, session)
        add(path, [f"began {int(self.now) - 100}", f"cwd {cwd or self.machine.project_folder}"])
        return path

    def work(self, *events: SpoolEvent) -> None:
        memory = self.machine.open()
        note_ends(memory, events)
        prepare_bridges(memory, events, self.machine.env, datetime.fromtimestamp(self.now, UTC))

    def ready(self, session: str, agent: str = "claude") -> list[dict[str, str]]:
        file = self.machine.open().state.root / f"bridges/{agent}-{session}.jsonl"
        return [json.loads(line) for line in file.read_text().split("\n")] if file.exists() else []

    def followed(self, ended: float, idle: float, source: str = "startup") -> list[dict[str, str]]:
        """What is laid ready for a session that begins now, where another one ended so many seconds ago."""
        self.begin("first")
        self.say("first", SAID, idle)
        self.work(self.event("end", "first", ended), self.event("start", "second", 0, source=source))
        return self.ready("second")


@pytest.fixture
def off_dev() -> Iterator[Path]:
    """A folder that isn't below /dev, of which pi-memory-md's tape keeps nothing; pytest's may be there."""
    with TemporaryDirectory() as folder:
        yield Path(folder).resolve()


@pytest.fixture
def desk(ada: Machine) -> Desk:
    ada.init()
    ada.remember("a fact")
    return Desk(ada)


def texts(lines: Sequence[dict[str, str]]) -> list[str]:
    return [line["text"].partition("] ")[2] for line in lines if line["kind"] == "message"]


@pytest.mark.parametrize(("idle", "is_followed"), [(59, True), (59.99, True), (60.5, False)])
def test_d66_the_last_entry_is_at_most_60_seconds_old(desk: Desk, idle: float, is_followed: bool) -> None:
    lines = desk.followed(ended=5, idle=idle)
    assert texts(lines) == ([f"User: {text}" for text in SAID] if is_followed else [])
    if is_followed:
        assert lines[0] == {"kind": "session", "name": "claude first"}
        assert oct((desk.machine.open().state.root / "bridges").stat().st_mode)[-3:] == "700"


@pytest.mark.parametrize("seconds", [0, 30, 600])
def test_d66_the_window_is_a_setting(desk: Desk, seconds: int) -> None:
    desk.machine.ctxrepo("config", "set", "tape.bridge_seconds", str(seconds))
    assert bool(desk.followed(ended=5, idle=40)) == (seconds == 600)


@pytest.mark.parametrize(
    ("source", "is_followed"),
    [("startup", True), ("", True), ("resume", True), ("fork", True), ("clear", False), ("compact", False)],
)
def test_d66_which_beginnings_follow(desk: Desk, source: str, is_followed: bool) -> None:
    if source in ("resume", "fork"):
        desk.say("second", ["Something of its own"], 3600)
    assert bool(desk.followed(ended=5, idle=10, source=source)) == is_followed


def test_one_that_goes_on_is_followed_by_none(desk: Desk) -> None:
    desk.begin("first")
    desk.say("first", SAID, 2)
    desk.work(desk.event("start", "second", 0))
    assert desk.ready("second") == []


def test_nor_is_one_that_was_resumed(desk: Desk) -> None:
    path = desk.begin("first")
    desk.say("first", SAID, 2)
    ended, resumed = desk.event("end", "first", 9), desk.event("start", "first", 5, source="resume")
    desk.work(ended, resumed, desk.event("start", "second", 0))
    assert (read_ledger(path, "").ended, desk.ready("second")) == (0, [])


def test_nor_one_that_ended_after_this_one_began(desk: Desk) -> None:
    desk.begin("first")
    desk.say("first", SAID, 40)
    desk.work(desk.event("start", "second", 30), desk.event("end", "first", 5))
    assert desk.ready("second") == []


def test_nor_the_session_itself(desk: Desk) -> None:
    desk.begin("first")
    desk.say("first", SAID, 10)
    desk.work(desk.event("end", "first", 5))
    desk.work(desk.event("start", "first", 0, source="resume"))
    assert desk.ready("first") == []


def test_of_several_the_one_that_ended_last(desk: Desk) -> None:
    for session, ago in (("older", 20), ("newer", 10)):
        desk.begin(session)
        desk.say(session, [f"Said in the {session} one"], ago + 5)
        desk.work(desk.event("end", session, ago))
    desk.work(desk.event("start", "second", 0))
    assert texts(desk.ready("second")) == ["User: Said in the newer one"]


def test_of_any_agent_in_the_same_project(desk: Desk, tmp_path: Path) -> None:
    other = desk.machine.home / "worktree"
    words = ["git", "clone", "-q", str(desk.machine.project_folder), str(other)]
    subprocess.run(words, check=True, capture_output=True)
    config = desk.machine.project_folder / ".git/config"
    (other / ".git/config").write_text(config.read_text())
    desk.begin("first", cwd=str(other))
    desk.say("first", SAID, 10)
    desk.begin("second", agent="pi")
    desk.work(desk.event("end", "first", 5, cwd=str(other)), desk.event("start", "second", 0, agent="pi"))
    assert len(texts(desk.ready("second", "pi"))) == 3


@pytest.mark.parametrize("actions", [["sessionBridge"], []])
def test_d66_pis_own_setting_says_whether_its_sessions_are_told(off_dev: Path, actions: list[str]) -> None:
    desk = Desk(make_machine(off_dev, "ada"))
    desk.machine.init()
    settings = desk.machine.home / ".pi/agent/settings.json"
    settings.parent.mkdir(parents=True)
    own = {"tape": {}, "hooks": {"beforeAgentStart": actions}}
    settings.write_text(json.dumps({"pi-memory-md": own}))
    desk.begin("first")
    desk.say("first", SAID, 10)
    begun = [desk.event("start", "second", 0, agent=agent) for agent in ("pi", "claude")]
    desk.work(desk.event("end", "first", 5), *begun)
    assert bool(desk.ready("second", "pi")) == bool(actions)
    assert desk.ready("second", "claude")


def test_none_of_another_project(desk: Desk) -> None:
    elsewhere = make_checkout(desk.machine.home / "elsewhere")
    for folder in (str(elsewhere), str(desk.machine.home), ""):
        path = desk.begin("first", cwd=str(elsewhere))
        add(path, [f"cwd {folder}"])
        desk.say("first", SAID, 10)
        desk.work(desk.event("end", "first", 5), desk.event("start", "second", 0))
        assert desk.ready("second") == []


def test_none_that_its_user_switched_off(desk: Desk) -> None:
    add(desk.begin("first"), ["off"])
    assert desk.followed(ended=5, idle=10) == []


@pytest.mark.parametrize("setting", [("tape.enabled", "false"), ("tape.exclude_dirs", "PROJECT")])
def test_none_where_nothing_is_kept(desk: Desk, setting: tuple[str, str]) -> None:
    key, value = setting
    desk.machine.ctxrepo("config", "set", key, value.replace("PROJECT", str(desk.machine.project_folder)))
    assert desk.followed(ended=5, idle=10) == []


def test_d66_300_characters_of_each_and_the_newest_200(desk: Desk) -> None:
    desk.begin("first")
    desk.say("first", [f"message {n} " + "x" * 400 for n in range(210)], 10)
    desk.work(desk.event("end", "first", 5), desk.event("start", "second", 0))
    messages = texts(desk.ready("second"))
    assert (len(messages), messages[0][:17], messages[-1][:18]) == (
        200,
        "User: message 10 ",
        "User: message 209 ",
    )
    assert {len(text.removeprefix("User: ")) for text in messages} == {300}


def test_secrets_are_masked(desk: Desk) -> None:
    desk.begin("first")
    desk.say("first", [f"log in with {SECRET} please"], 10)
    desk.work(desk.event("end", "first", 5), desk.event("start", "second", 0))
    (file,) = (desk.machine.open().state.root / "bridges").iterdir()
    assert SECRET not in file.read_text()
    assert SECRET.lower() not in file.read_text()
    assert len(texts(desk.ready("second"))) == 1


@pytest.mark.parametrize("sync", ["handoffs", "none"])
def test_its_handoffs_are_laid_ready_too(sync: str, desk: Desk) -> None:
    assert desk.machine.ctxrepo("config", "set", "tape.sync", sync).returncode == 0
    memory = desk.machine.open()
    for session in ("first", "another"):
        request = AnchorRequest(f"{session}/done", "Retries work", "bug")
        origin = Origin(memory.host, session, "claude")
        anchor(memory, request, desk.machine.project(), origin, datetime.now(UTC))
    anchors = [line for line in desk.followed(ended=5, idle=10) if line["kind"] == "anchor"]
    assert [(line["name"], line["summary"], line["purpose"]) for line in anchors] == [
        ("first/done", "Retries work", "bug")
    ]
    assert {"first", "retries", "work", "bug"} <= set(anchors[0]["words"].split())


def test_what_a_fork_holds_already_is_left_out(desk: Desk) -> None:
    desk.begin("first")
    desk.say("first", SAID, 10)
    desk.say("second", SAID[:2], 12)
    desk.work(desk.event("end", "first", 5), desk.event("start", "second", 0, source="fork"))
    assert texts(desk.ready("second")) == [f"User: {SAID[2]}"]


@pytest.mark.parametrize("source", ["resume", "fork"])
def test_what_it_holds_may_be_unknown_and_then_it_is_told_nothing(desk: Desk, source: str) -> None:
    assert desk.followed(ended=5, idle=10, source=source) == []


def test_where_no_end_is_told_its_transcript_is_looked_for(desk: Desk) -> None:
    desk.begin("first")
    desk.say("first", SAID, 10)
    desk.work(desk.event("end", "first", 5, transcript=""), desk.event("start", "second", 0))
    assert len(texts(desk.ready("second"))) == 3


def test_what_no_prompt_came_for_is_removed_after_a_day(desk: Desk) -> None:
    desk.followed(ended=5, idle=10)
    (file,) = (desk.machine.open().state.root / "bridges").iterdir()
    os.utime(file, (desk.now - 90_000, desk.now - 90_000))
    desk.work(desk.event("start", "third", 0, source="startup", cwd="/none"))
    assert not file.exists()


@given(st.lists(st.integers(0, MAX_BYTES // 2), min_size=1, max_size=6))
def test_the_file_is_no_larger_than_a_hook_reads(lengths: list[int]) -> None:
    lines = [f"{n}".ljust(length, "x")[:length] for n, length in enumerate(lengths)]
    kept = list(_within_bytes(lines))
    assert kept == lines[:1] + lines[len(lines) - len(kept) + 1 :]
    assert len("\n".join(kept)) <= MAX_BYTES


@pytest.mark.slow
def test_d66_from_hook_to_hook(desk: Desk) -> None:
    """Two sessions of Claude Code, by the hooks themselves and the worker that they start."""
    machine, state = desk.machine, desk.machine.open().state

    def hook(session: str, event: str, **fields: str) -> str:
        place = {"session_id": session, "cwd": str(machine.project_folder)}
        payload = {**place, "transcript_path": desk.transcript(session), **fields}
        done = machine.ctxrepo("hook", "claude", event, stdin=json.dumps(payload))
        assert (done.returncode, done.stderr) == (0, "")
        answer = json.loads(done.stdout) if done.stdout else {}
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    hook("first", "SessionStart", source="startup")
    desk.now = time.time()
    desk.say("first", SAID, 1)
    hook("first", "SessionEnd", reason="exit")
    hook("second", "SessionStart", source="startup")
    file = state.root / "bridges/claude-second.jsonl"
    end = time.monotonic() + 30
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.05)
    text = hook("second", "UserPromptSubmit", prompt="why do the retries of the payments fail?")
    (block,) = [block for block in parse_all(text) if block.bridges]
    assert [message.partition("] ")[2] for message in block.bridges["claude first"].messages] == [
        f"User: {SAID[0]}"
    ]
    assert not file.exists()
    again = hook("second", "UserPromptSubmit", prompt="why do the retries of the payments fail?")
    assert not [block for block in parse_all(again) if block.bridges]
