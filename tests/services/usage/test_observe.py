"""What came of entries is counted from what hooks noted anyway: once an entry and session, and no texts."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from machines import Machine

from ctxrepo.app.notes.browsing import note_read
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.project.target import Target, parse_target
from ctxrepo.domain.records.entry_use import Usage
from ctxrepo.domain.records.save import Origin
from ctxrepo.hooks.session.ledger import add
from ctxrepo.hooks.session.ledger_file import ledger_path
from ctxrepo.services.notes.changing import EditRequest, Passage, edit
from ctxrepo.services.notes.placing import archive, forget, move
from ctxrepo.services.notes.remember import remember
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.reading.targets import read
from ctxrepo.services.usage.entry_usage import observe, usage, zombies
from ctxrepo.storage.cache.entries import entry_by_id
from ctxrepo.storage.state.spool import SpoolEvent
from ctxrepo.storage.state.usage import UsageStore

FACT = "The staging port of the shop's **postgres** is `5433`, and it is never 5432"
REPLY = "I looked it up. The staging port of the shop's postgres is 5433, and it is never 5432; so I used it."


class Observed:
    """One session of ada's that was given one entry."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        machine.init()
        self.id = machine.remember(FACT, category="gotcha").id.lstrip("^")
        self.work()
        self.path = "shop/topics/gotcha.md"

    def work(self) -> None:
        self.machine.worker(lambda: datetime.now(UTC)).run()

    def given(self, session: str = "s-1", agent: str = "claude", at: float = 0.0, **more: str) -> None:
        memory = self.machine.open()
        known = memory.cache.ask(entry_by_id, self.id)
        assert known
        trace = {
            "id": "t",
            "at": at or time.time(),
            "agent": agent,
            "session": session,
            "prompt": "?",
            **more,
        }
        self.log("traces", **trace, given=[[self.id, known.entry.at, 1.0]])
        if session and "by" not in more:
            self.begins(session, agent)

    def begins(self, session: str, agent: str = "claude") -> None:
        """The session is given it in its packet."""
        memory = self.machine.open()
        known = memory.cache.ask(entry_by_id, self.id)
        assert known
        path = ledger_path(str(memory.places.state), agent, session)
        add(path, [f"@{memory.state.id} entry {self.id} {known.hash}"])

    def log(self, name: str, **fields: Any) -> None:
        with (self.machine.open().state.root / f"{name}.jsonl").open("a") as file:
            file.write(json.dumps(fields) + "\n")

    def reads(self, session: str = "s-1", **more: Any) -> None:
        path = str(self.machine.clone / self.path)
        fields = {"at": time.time(), "agent": "claude", "session": session, "tool": "Read", "path": path}
        self.log("access", **fields, **more)

    def stops(self, reply: str, session: str = "s-1") -> None:
        transcript = self.machine.home / f"{session}.jsonl"
        message = {"id": str(time.time_ns()), "content": [{"type": "text", "text": reply}]}
        with transcript.open("a") as file:
            file.write(json.dumps({"type": "assistant", "message": message}) + "\n")
        self.see("stop", session, transcript=str(transcript))

    def see(self, event: str = "stop", session: str = "s-1", transcript: str = "") -> None:
        spool_event = SpoolEvent(event, "claude", session, transcript=transcript)
        observe(self.machine.open(), [spool_event], time.time())

    def counts(self) -> tuple[int, ...]:
        self.see()
        with UsageStore.writing(self.machine.open().state.usage) as store:
            by_id = {usage.id: usage for usage in store.all()}
        total = by_id.get(self.id) or Usage(self.id, "", 0, 0)
        return total.delivered, total.sessions, total.opened, total.used, total.contradicted

    @property
    def origin(self) -> Origin:
        return Origin(self.machine.open().host, "s-1", "claude")


@pytest.fixture
def seen(ada: Machine) -> Observed:
    return Observed(ada)


def test_deliveries_are_counted_each_and_sessions_once(seen: Observed) -> None:
    seen.given()
    assert seen.counts() == (1, 1, 0, 0, 0)
    assert seen.counts() == (1, 1, 0, 0, 0)
    seen.given()
    seen.given(session="s-2")
    assert seen.counts() == (3, 2, 0, 0, 0)


def test_what_stood_in_the_packet_is_delivered_once(seen: Observed) -> None:
    seen.begins("s-1")
    assert seen.counts() == (1, 1, 0, 0, 0)
    seen.begins("s-1")
    assert seen.counts() == (1, 1, 0, 0, 0)
    seen.stops(REPLY)
    assert seen.counts() == (1, 1, 0, 1, 0)


def test_what_a_person_asked_for_is_no_delivery(seen: Observed) -> None:
    seen.given(by="recall")
    seen.given(session="")
    assert seen.counts() == (0, 0, 0, 0, 0)


def test_a_line_is_counted_once_whatever_the_clock_says(seen: Observed) -> None:
    seen.given(at=time.time() + 9000)
    assert seen.counts()[0] == 1
    seen.given()
    assert seen.counts()[0] == 2
    traces = seen.machine.open().state.traces
    traces.write_text(traces.read_text().splitlines(keepends=True)[0])  # the line that was read last has gone
    assert seen.counts()[0] == 2


def test_a_read_of_its_lines_opens_it(seen: Observed) -> None:
    seen.reads(ranges=[[500, 600]])
    assert seen.counts()[2] == 0
    seen.reads(ranges=[[1, 50]])
    assert seen.counts() == (0, 0, 1, 0, 0)
    seen.reads()
    assert seen.counts()[2] == 1
    seen.reads(session="s-2")
    assert seen.counts()[2] == 2


def test_a_read_counts_though_the_log_became_full_behind_it(seen: Observed) -> None:
    seen.reads()
    access = seen.machine.open().state.access
    access.rename(f"{access}.1")
    seen.reads("s-2")
    assert seen.counts()[2] == 2
    assert seen.counts()[2] == 2


def test_an_edit_and_a_read_elsewhere_open_nothing(seen: Observed) -> None:
    path = str(seen.machine.project_folder / "a.md")
    seen.log("access", at=time.time(), agent="claude", session="s-1", tool="Read", path=path)
    seen.log(
        "access",
        at=time.time(),
        agent="claude",
        session="s-1",
        tool="Edit",
        path=str(seen.machine.clone / seen.path),
    )
    assert seen.counts()[2] == 0


def test_the_command_opens_it_in_a_session_only(seen: Observed) -> None:
    memory = seen.machine.open()
    reading = read(memory, parse_target(f"^{seen.id}"), seen.machine.project())
    note_read(memory, Origin(memory.host), reading, time.time())
    assert seen.counts()[2] == 0
    note_read(memory, seen.origin, reading, time.time())
    assert seen.counts()[2] == 1


def test_a_reply_in_its_words_uses_it(seen: Observed) -> None:
    seen.stops(REPLY)
    assert seen.counts()[3] == 0  # it wasn't given it
    seen.given()
    seen.counts()
    seen.stops("The staging port is another one, I should say, and so it will be for ever.")
    assert seen.counts()[3] == 0
    seen.stops(REPLY)
    seen.stops(REPLY)
    assert seen.counts() == (1, 1, 0, 1, 0)


def test_a_transcript_that_is_gone_says_nothing(seen: Observed) -> None:
    seen.given()
    seen.see(transcript="/nowhere/s.jsonl")
    assert seen.counts()[3] == 0


def change(seen: Observed, how: str, origin: Origin) -> None:
    memory, project, now = seen.machine.open(), seen.machine.project(), datetime.now(UTC)
    target = parse_target(f"^{seen.id}")
    if how == "forget":
        forget(memory, target, project, origin, now)
    elif how == "forget its note":
        forget(memory, parse_target("shop:topics/gotcha.md"), project, origin, now)
    elif how == "archive":
        archive(memory, target, project, origin, now)
    elif how == "edit":
        edit(memory, EditRequest(target, Passage("5433", "5434")), project, origin, now)
    elif how == "supersede":
        remember(memory, Fact("It is 6000 now", supersedes=Target(entry_id=seen.id)), project, origin, now)
    elif how == "move":
        move(
            memory,
            parse_target("shop:topics/gotcha.md"),
            parse_target("shop:topics/ports.md"),
            project,
            origin,
            now,
        )
    elif how == "write beside":
        remember(memory, Fact("Redis listens on 6380", category="gotcha"), project, origin, now)
    seen.work()


@pytest.mark.parametrize(
    ("how", "is_against"),
    [
        ("forget", 1),
        ("forget its note", 1),
        ("archive", 1),
        ("edit", 1),
        ("supersede", 1),
        ("move", 0),
        ("write beside", 0),
        ("nothing", 0),
    ],
)
def test_what_its_session_does_against_it_is_counted(seen: Observed, how: str, is_against: int) -> None:
    seen.given()
    seen.see()
    change(seen, how, seen.origin)
    assert seen.counts()[4] == is_against
    assert seen.counts()[4] == is_against


@pytest.mark.parametrize("how", ["forget", "edit", "supersede"])
def test_what_others_do_against_it_is_not(seen: Observed, how: str) -> None:
    seen.given()
    seen.see()
    change(seen, how, Origin(seen.machine.open().host, "s-2", "claude"))
    assert seen.counts()[4] == 0


def test_what_it_wrote_before_it_was_given_it_is_not_against_it(seen: Observed) -> None:
    change(seen, "write beside", seen.origin)
    seen.given()
    seen.see()
    change(seen, "edit", Origin(seen.machine.open().host, "s-2", "claude"))
    assert seen.counts()[4] == 0


def test_the_worker_counts_after_a_turn(seen: Observed) -> None:
    seen.given()
    transcript = seen.machine.home / "t.jsonl"
    message = {"id": "m", "content": [{"type": "text", "text": REPLY}]}
    transcript.write_text(json.dumps({"type": "assistant", "message": message}) + "\n")
    event = {"event": "stop", "agent": "claude", "session": "s-1", "transcript": str(transcript)}
    seen.log("spool", **event)
    seen.work()
    assert seen.counts() == (1, 1, 0, 1, 0)


def test_no_text_is_stored(seen: Observed) -> None:
    seen.given(prompt_="which port?")
    seen.stops(REPLY)
    data = b"".join(file.read_bytes() for file in seen.machine.open().state.root.glob("usage.db*"))
    assert seen.id.encode() in data
    for secret in (b"staging", b"5433", b"which port"):
        assert secret not in data


def test_a_report_has_counts_of_a_scope_and_sums(seen: Observed) -> None:
    seen.given()
    seen.stops(REPLY)
    seen.given(session="s-2")
    seen.see()
    memory, project = seen.machine.open(), seen.machine.project()
    report = usage(memory, "", project, 10)
    (entry,) = report.entries
    assert (entry.usage.id, entry.text, entry.usage.used) == (seen.id, f"[gotcha] {FACT}", 1)
    assert entry.at.startswith("shop/topics/gotcha.md#L")
    assert (report.sessions, report.used, report.usage_rate) == (2, 1, 0.5)
    assert usage(memory, "global", project, 10).entries == []
    assert usage(memory, "project", project, 10).count == 1


def test_counts_follow_what_is_moved_or_edited(seen: Observed) -> None:
    machine, old = seen.machine, seen.id
    seen.given()
    seen.see()
    for words in (
        ("move", "topics/gotcha.md", "topics/ports.md"),
        ("move", "topics/ports.md", "global:"),
        ("edit", "global:topics/ports", "--old", "staging", "--new", "test"),
    ):
        assert machine.ctxrepo(*words).returncode == 0
        seen.work()
    (entry,) = entries_of("global/topics/ports.md", machine.read("global/topics/ports.md"))
    seen.id = entry.id
    seen.given(session="s-2")
    seen.see()
    report = usage(machine.open(), "", machine.project(), 10)
    (row,) = report.entries
    assert entry.id != old
    assert (row.usage.id, row.usage.delivered, row.usage.sessions) == (entry.id, 2, 2)
    assert row.at.startswith("global/topics/ports.md#L")
    assert "test port" in row.text
    assert usage(machine.open(), "global", machine.project(), 10).count == 1
    assert machine.ctxrepo("forget", f"^{entry.id}").returncode == 0
    seen.work()
    assert [gone.text for gone in usage(machine.open(), "", machine.project(), 10).entries] == ["", ""]


def test_zombies_are_old_given_often_and_idle(seen: Observed) -> None:
    long_ago = time.time() - 20 * 86400
    for n in range(10):
        seen.given(session=f"s-{n}", at=long_ago + n)
    seen.see()
    memory, project = seen.machine.open(), seen.machine.project()

    def names(sessions: int = 10, now: float | None = None) -> list[str]:
        report = zombies(memory, "", project, 10, sessions, now or time.time())
        return [entry.usage.id for entry in report.entries]

    assert names() == [seen.id]
    assert names(sessions=11) == []
    assert names(now=long_ago + 13 * 86400) == []
    seen.reads()
    seen.see()
    assert names() == []


def test_pinned_and_struck_entries_are_no_zombies(seen: Observed) -> None:
    for n in range(10):
        seen.given(session=f"s-{n}", at=time.time() - 20 * 86400 + n)
    seen.see()
    change(seen, "supersede", seen.origin)
    memory, project = seen.machine.open(), seen.machine.project()
    assert zombies(memory, "", project, 10, 10, time.time()).count == 0


def test_a_store_that_is_spoiled_begins_anew(seen: Observed) -> None:
    seen.given()
    seen.see()
    Path(seen.machine.open().state.usage).write_bytes(b"not a database" * 1000)
    seen.given()
    assert seen.counts() == (2, 1, 0, 0, 0)


def test_a_store_that_cannot_be_used_keeps_the_worker_from_nothing(seen: Observed) -> None:
    lines: list[str] = []
    usage_db = seen.machine.open().state.usage
    usage_db.mkdir()
    usage_db.with_name("usage.db.aside").mkdir()
    (usage_db.with_name("usage.db.aside") / "x").touch()
    seen.log("spool", event="stop", agent="claude", session="s-1")
    seen.machine.write("shop/topics/new.md", "- by hand\n")
    seen.machine.worker(lambda: datetime.now(UTC), lines.append).run()
    assert len({*lines}) == 1
    assert "by hand" in seen.machine.git("show", "HEAD:shop/topics/new.md")
