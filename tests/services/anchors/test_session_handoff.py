"""A handoff says what is known of a session, keeps secrets out, and never grows out of earlier ones."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long import mostly_long
from machines import NOW, Machine

from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.tape.handoff_parts import MAX_BYTES, Handoff, handoff_of
from ctxrepo.errors import Refused
from ctxrepo.services.anchors.leave_anchor import AnchorRequest, AnchorResult, anchor
from ctxrepo.services.anchors.session_anchors import WorkingSession, prepare
from ctxrepo.services.notes.working_notes import add, log
from ctxrepo.services.reading.tape_files import handoff_text, newest_handoff
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.sessions.conversations import transcript_of

SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


def origin(machine: Machine, session: str = "s-1") -> Origin:
    return Origin(machine.open().host, session, "claude")


def prompts(machine: Machine, *texts: str) -> str:
    """The transcript of a session in which the user said this."""
    path = machine.home / "s-1.jsonl"
    lines = [{"type": "user", "message": {"role": "user", "content": words}} for words in texts]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def used(machine: Machine, tool: str, path: Path | str, session: str = "s-1") -> None:
    with machine.open().state.access.open("a") as file:
        file.write(json.dumps({"at": 1, "session": session, "tool": tool, "path": str(path)}) + "\n")


def working(machine: Machine, transcript: str = "", session: str = "s-1") -> WorkingSession:
    return WorkingSession("claude", session, str(machine.project_folder), transcript)


def prepared(
    machine: Machine, given: Handoff | None = None, transcript: str = "", session: str = "s-1"
) -> Handoff:
    memory = machine.open()
    return prepare(memory, given or Handoff(), working(machine, transcript, session), machine.project(), NOW)


def leave(machine: Machine, handoff: Handoff, minutes: int = 0, **how: Any) -> AnchorResult | None:
    when = NOW + timedelta(minutes=minutes)
    request = AnchorRequest("handoff/x", handoff=handoff, **how)
    if not handoff.says_something:
        return None
    return anchor(machine.open(), request, machine.project(), origin(machine), when)


def newest(machine: Machine) -> str:
    memory = machine.open()
    anchor = newest_handoff(memory, memory.objects.tree_of(commit(memory, NOW).head), "shop")
    return handoff_text(anchor) if anchor else ""


class TestGathered:
    def test_all_there_is(self, mine: Machine) -> None:
        memory, project, top = mine.open(), mine.project(), mine.project_folder
        add(memory, "Ask the bank", "", project, origin(mine), NOW)
        log(memory, "Moved the basket", "", project, origin(mine), NOW)
        log(memory, "by another session", "", project, origin(mine, "s-2"), NOW)
        anchor(memory, AnchorRequest("task/begin"), project, origin(mine), NOW)
        anchor(memory, AnchorRequest("of/another"), project, origin(mine, "s-2"), NOW)
        for path in ("old.py", "new.py", "old.py"):
            used(mine, "Edit", top / path)
        used(mine, "Read", top / "read.py")
        used(mine, "Write", top / "theirs.py", "s-2")
        used(mine, "Write", mine.clone / "shop/MEMORY.md")
        used(mine, "Write", "/etc/passwd")
        made = prepared(mine, transcript=prompts(mine, "Add\nretries", "go on", "Now test them"))
        assert made == Handoff(
            goal="Add retries",
            done=("Moved the basket",),
            open=("Ask the bank",),
            files=("old.py", "new.py"),
            anchors=("task/begin",),
            asked="Now test them",
        )

    def test_what_only_greets_or_thanks_was_not_asked(self, mine: Machine) -> None:
        transcript = prompts(mine, "Hello!", "Add retries", "Now test them", "ok, thanks")
        made = prepared(mine, transcript=transcript)
        assert (made.goal, made.asked) == ("Add retries", "Now test them")

    def test_what_is_given_is_not_gathered(self, mine: Machine) -> None:
        add(mine.open(), "gathered", "", mine.project(), origin(mine), NOW)
        given = Handoff("goal", ("done",), ("open",), "next", ("a.py",))
        assert prepared(mine, given, prompts(mine, "gathered")) == Handoff(
            "goal", ("done",), ("open",), "next", ("a.py",), asked="gathered"
        )

    def test_of_a_day_that_others_logged_the_last_lines(self, mine: Machine) -> None:
        for number in range(8):
            log(mine.open(), f"line {number}", "", mine.project(), Origin("h"), NOW)
        assert prepared(mine).done == tuple(f"line {number}" for number in range(3, 8))
        log(mine.open(), "mine", "", mine.project(), origin(mine), NOW)
        assert prepared(mine).done == ("mine",)

    def test_yesterdays_log_is_past(self, mine: Machine) -> None:
        log(mine.open(), "yesterday", "", mine.project(), origin(mine), NOW - timedelta(days=1))
        assert prepared(mine) == Handoff()

    def test_no_more_than_ten_files_the_newest_first(self, mine: Machine) -> None:
        for number in range(30):
            used(mine, "Edit", mine.project_folder / f"{number}.py")
        assert prepared(mine).files == tuple(f"{number}.py" for number in range(29, 19, -1))

    def test_outside_a_project_it_is_of_the_global_scope(self, mine: Machine) -> None:
        add(mine.open(), "for me", "global", None, origin(mine), NOW)
        made = prepare(mine.open(), Handoff(), WorkingSession("claude", "s-1", str(mine.home)), None, NOW)
        assert made == Handoff(open=("for me",))

    @pytest.mark.parametrize("kind", ["gone", "folder", "pipe", "link to a pipe", "nul", "binary", "empty"])
    def test_a_transcript_that_is_no_file_of_lines_tells_nothing(self, mine: Machine, kind: str) -> None:
        path = mine.home / "t.jsonl"
        if kind == "folder":
            path.mkdir()
        elif "pipe" in kind:
            os.mkfifo(mine.home / "pipe")
            path.symlink_to(mine.home / "pipe")
        elif kind in ("binary", "empty"):
            path.write_bytes(os.urandom(5000) if kind == "binary" else b"")
        transcript = (
            str(mine.home / "pipe") if kind == "pipe" else f"{path}\0" if kind == "nul" else str(path)
        )
        assert prepared(mine, transcript=transcript) == Handoff()

    def test_of_a_huge_transcript_only_the_ends_are_read(self, mine: Machine) -> None:
        path = Path(prompts(mine, "first"))
        last = json.dumps({"type": "user", "message": {"content": "last"}})
        with path.open("r+b") as file:
            file.seek(0, os.SEEK_END)
            file.truncate(20 << 30)  # a hole: who read it whole would be at it for minutes
            file.seek(20 << 30)
            file.write(f"\n{last}\n{last[:-20]}".encode())
        made = prepared(mine, transcript=str(path))
        assert (made.goal, made.asked) == ("first", "last")

    def test_where_an_agent_keeps_its_record(self, mine: Machine) -> None:
        folder = mine.home / ".claude" / "projects" / "-shop"
        folder.mkdir(parents=True)
        (folder / "s-1.jsonl").touch()
        assert transcript_of("claude", "s-1", mine.home, {}) == str(folder / "s-1.jsonl")
        for agent, session in (("claude", "s-2"), ("claude", "../-shop/s-1"), ("claude", "*"), ("", "s-1")):
            assert transcript_of(agent, session, mine.home, {}) == ""


class TestSecrets:
    def test_one_in_what_is_gathered_is_masked(self, mine: Machine) -> None:
        mine.write("shop/SCRATCHPAD.md", f"- [ ] use {SECRET}\n- [ ] test it\n")
        used(mine, "Edit", mine.project_folder / f"{SECRET}.py")
        made = prepared(mine, transcript=prompts(mine, f"log in with {SECRET} now", "x " * 96 + SECRET))
        assert SECRET not in str(made)
        assert "a1B2" not in str(made)
        assert made.open[1:] == ("test it",)
        assert made.goal.startswith("log in with [")
        assert leave(mine, made) is not None

    def test_one_that_only_shows_when_lines_become_one_is_left_out(self, mine: Machine) -> None:
        mine.write("shop/SCRATCHPAD.md", "- [ ] test it\n")
        transcript = prompts(mine, "mysql -u ada\n-pXk9vLq2Zr7Tm shop", "go on")
        made = prepared(mine, transcript=transcript)
        assert leave(mine, made) is not None
        assert (made.goal, made.open) == ("", ("test it",))

    def test_one_that_is_given_is_refused(self, mine: Machine) -> None:
        with pytest.raises(Refused):
            leave(mine, prepared(mine, Handoff(goal=f"use {SECRET}")))
        assert not (mine.clone / "TAPE").exists()


class TestLeft:
    def test_nothing_to_say_leaves_nothing(self, mine: Machine) -> None:
        assert leave(mine, prepared(mine)) is None
        assert not (mine.clone / "TAPE").exists()

    def test_it_is_told_to_the_next_session(self, mine: Machine) -> None:
        handoff = Handoff("G", ("d",), ("o",), "N", ("f.py",))
        leave(mine, handoff)
        assert newest(mine) == handoff.text == "Goal: G\nDone: d\nOpen: o\nNext: N\nFiles: f.py"

    def test_a_later_one_that_says_nothing_hides_none(self, mine: Machine) -> None:
        leave(mine, Handoff(open=("o",)))
        for minutes, handoff in ((1, None), (2, Handoff())):
            when = NOW + timedelta(minutes=minutes)
            bare = AnchorRequest("bare", handoff=handoff)
            anchor(mine.open(), bare, mine.project(), origin(mine), when)
        assert newest(mine) == "Open: o"
        leave(mine, Handoff(open=("later",)), 3)
        assert newest(mine) == "Open: later"

    def test_one_that_says_the_same_as_the_newest_is_not_left_again(self, mine: Machine) -> None:
        gathered = Handoff(open=("Ask the bank",))
        first, second = (leave(mine, gathered, n, trigger="compaction") for n in (0, 1))
        assert first is not None
        assert second is not None
        assert (first.existing, second.existing) == (False, True)
        assert second.anchor.id == first.anchor.id
        assert mine.read(first.path).count("\n") == 1
        on_purpose = leave(mine, gathered, 2)
        assert on_purpose is not None
        assert on_purpose.existing  # of the same name
        other = leave(mine, Handoff(open=("Ask the bank", "Test it")), 3, trigger="compaction")
        assert other is not None
        assert not other.existing
        again = leave(mine, gathered, 4, trigger="compaction")
        assert again is not None
        assert not again.existing
        assert newest(mine) == "Open: Ask the bank"

    def test_the_next_step_stays_until_another_one_is_given(self, mine: Machine) -> None:
        leave(mine, Handoff("Payments survive", next="Ask the bank"))
        assert prepared(mine) == Handoff("Payments survive", next="Ask the bank")
        gathered = prepared(mine, transcript=prompts(mine, "Mend the typo"), session="s-2")
        assert (gathered.goal, gathered.next) == ("Mend the typo", "Ask the bank")
        anchor(
            mine.open(),
            AnchorRequest("handoff/compaction", handoff=gathered, trigger="compaction"),
            mine.project(),
            origin(mine, "s-2"),
            NOW + timedelta(minutes=1),
        )
        assert newest(mine) == "Goal: Mend the typo\nNext: Ask the bank"
        assert prepared(mine, Handoff(next="Release")) == Handoff(next="Release")

    def test_a_tape_is_never_full(self, mine: Machine) -> None:
        first = leave(mine, Handoff(open=("first",)))
        assert first is not None
        with (mine.clone / first.path).open("a") as file:
            file.write(('{"x": "' + "y" * 990 + '"}\n') * 600)
        second = leave(mine, Handoff(open=("second",)), 1)
        assert second is not None
        assert second.path == first.path.replace(".jsonl", "-2.jsonl")
        assert newest(mine) == "Open: second"


words = st.text(st.sampled_from("ab \n🦊Goal: Done"), min_size=1, max_size=80)


@pytest.mark.slow
@pytest.mark.parametrize("examples", mostly_long([2, 5], keep=1))
def test_twelve_compactions_in_a_row_neither_grow_nor_nest(mine: Machine, examples: int) -> None:
    @settings(max_examples=examples)
    @given(asked=st.lists(words, min_size=1, max_size=9), logged=st.lists(words, max_size=9))
    def holds(asked: list[str], logged: list[str]) -> None:
        _neither_grow_nor_nest(mine, asked, logged)

    holds()


def _neither_grow_nor_nest(mine: Machine, asked: list[str], logged: list[str]) -> None:
    memory, project = mine.open(), mine.project()
    for text in logged:
        if text.strip():
            log(memory, text, "", project, origin(mine), NOW)
    transcript = prompts(mine, *asked, "always something")
    sizes = set()
    for number in range(12):
        made = prepared(mine, transcript=transcript)
        left = leave(mine, made, number, trigger="compaction")
        assert left is not None
        sizes.add(len(json.dumps(left.anchor.meta, ensure_ascii=False).encode()))
        assert handoff_of(left.anchor.meta) == made
        assert "handoff/" not in str(made)
    assert len(sizes) == 1
    assert max(sizes) <= MAX_BYTES + 100
    assert made.text.count("Last asked: ") <= 1 + sum(text.count("Last asked") for text in asked)
