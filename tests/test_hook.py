"""The hook line as an agent runs it: a process, JSON in, one JSON object or nothing out, always exit 0."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from strict_parser import parse_all
from world import HOOK, NOTES, World

from ctxrepo.faces import hook as face

ALLOWED = {"os", "posix", "sys", "time", "_sqlite3", "_blake2", "fcntl", "_json", "_signal"}


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.cache("c1", NOTES)
    return world


class TestSessionStart:
    def test_it_delivers_what_is_in_memory_for_this_project(self, world: World) -> None:
        (block,) = parse_all(world.run("SessionStart"))
        assert str(world.memory) in block.preamble
        assert block.bodies == {
            "global/MEMORY.md": "# Me\n\n- Prefers short answers",
            "shop/MEMORY.md": "- Deploy with `make ship`",
        }
        assert ("shop/topics/db.md", "The databases", "db", "", "") in block.index
        assert not any(line.scope == "other" for line in block.index)
        assert world.starts(1)
        assert "-I -m ctxrepo _work --state" in world.started.read_text()
        (line,) = world.spooled()
        assert line["event"] == "start"
        assert line["cwd"] == str(world.code)
        assert line["source"] == "startup"
        known = world.ledger()
        given = known.entries
        assert (known.generation, known.faults, known.project) == (1, set(), "shop")
        assert (known.asked, known.handoff, known.is_off, known.owed_since) == ([], "-", False, 0)
        assert len(given) == 2  # what stands in the two MEMORY.md
        assert world.errors() == ""

    def test_twice_is_the_same_to_the_byte(self, world: World) -> None:
        assert world.run("SessionStart") == world.run("SessionStart")

    def test_a_resumed_session_has_it_already(self, world: World) -> None:
        assert world.run("SessionStart-resume") == ""
        assert world.starts(1)

    def test_after_a_compaction_the_ledger_starts_anew(self, world: World) -> None:
        world.run("SessionStart")
        question = "which port is the staging database on?"
        assert "5433" in world.run("UserPromptSubmit", prompt=question)
        assert "5433" not in world.run("UserPromptSubmit", prompt=question)
        anew = world.run("SessionStart-compact")
        assert "MEMORY.md" in anew
        assert "5433" in anew
        assert "5433" not in world.run("UserPromptSubmit", prompt=question)

    @pytest.mark.slow
    def test_without_a_usable_cache_the_preamble_comes_alone(self, world: World) -> None:
        for damage in (b"", b"not a database" * 1000):
            for file in world.folder.glob("cache.db*"):
                file.unlink()
            (world.folder / "cache.db").write_bytes(damage)
            (block,) = parse_all(world.run("SessionStart"))
            assert block.preamble
            assert not block.bodies
            assert not block.index
        assert world.errors() == ""

    def test_a_preamble_that_is_off_stays_away(self, world: World) -> None:
        world.compile(preamble="")
        (block,) = parse_all(world.run("SessionStart"))
        assert block.preamble == ""
        assert block.bodies

    @pytest.mark.slow
    def test_it_waits_for_a_worker_that_has_news(self, world: World) -> None:
        settle = (
            f"PYTHONPATH={HOOK.parents[1]} {sys.executable} -c 'import time, pathlib; "
            "from ctxrepo.storage.cache.cache import Cache, put_round; "
            "from ctxrepo.domain.records.evidence import Marks; "
            "from ctxrepo.domain.note.note import Note; "
            f'c = Cache.open(pathlib.Path("{world.folder}/cache.db")); '
            'c.apply("c2", [Note("global/news.md", "- Fresh")], [], Marks()); '
            "c.change(put_round, time.time())'"
        )
        world.worker(settle)
        world.compile(remote="1")
        world.be_patient()
        assert "global/news.md" in world.run("SessionStart")

    @pytest.mark.slow
    def test_it_waits_briefly_only_and_not_at_all_when_fetched_lately(self, world: World) -> None:
        world.compile(remote="1")

        def took() -> float:
            begun = time.monotonic()
            assert world.run("SessionStart")
            return time.monotonic() - begun

        waited = []

        def is_brief() -> bool:
            waited.append(took())
            return waited[-1] < 3

        # A busy machine is slow for other reasons too, but not every time.
        assert world.becomes(is_brief)
        assert min(waited) > 0.75
        (world.folder / "fetched").touch()
        assert world.becomes(lambda: took() < 0.75)

    @pytest.mark.slow
    def test_a_project_found_too_late_comes_with_the_next_prompt(self, world: World) -> None:
        (world.code / ".git/config").write_text("[core]\n\tbare = false\n")
        (block,) = parse_all(world.run("SessionStart"))
        assert list(block.bodies) == ["global/MEMORY.md"]
        assert "this one" not in block.preamble
        assert world.ledger().project == "?"
        assert world.run("UserPromptSubmit", prompt="ok") == ""
        world.know()
        late, recalled = parse_all(
            world.run("UserPromptSubmit", prompt="which port is the staging database on?")
        )
        assert list(late.bodies) == ["shop/MEMORY.md"]
        assert late.preamble == ""
        assert recalled.entries[0].at == "shop/topics/db.md#L5"
        assert world.run("UserPromptSubmit", prompt="ok") == ""

    def test_a_project_that_cannot_be_found_is_asked_for_once_until_something_changed(
        self, world: World
    ) -> None:
        config = world.code / ".git/config"
        for number, text in enumerate(("[core]\n\tbare = false\n", "[core]\n\tbare = no\n"), 1):
            config.write_text(text)
            for _ in range(3):
                world.run("UserPromptSubmit", prompt="ok")
            assert [line["event"] for line in world.spooled()] == ["prompt"] * number
            assert world.starts(number)
        shutil.rmtree(world.code / ".git")
        (world.code / ".git").write_text("gitdir: /gone\n")
        for _ in range(3):
            world.run("UserPromptSubmit", prompt="ok")
        assert world.starts(3)


class TestPrompt:
    def test_what_matters_is_put_beside_it_once(self, world: World) -> None:
        world.run("SessionStart")
        (block,) = parse_all(world.run("UserPromptSubmit", prompt="which port is the staging database on?"))
        assert [(e.at, e.text) for e in block.entries] == [
            ("shop/topics/db.md#L5", "- The staging port is 5433")
        ]
        assert world.run("UserPromptSubmit", prompt="and which port was staging on again?") == ""

    def test_an_entry_that_changed_is_given_again(self, world: World) -> None:
        question = "which port is the staging database on?"
        world.cache("c2", {"shop/p.md": "- The staging port is 1 <!-- ^port -->\n"})
        assert "port is 1" in world.run("UserPromptSubmit", prompt=question)
        world.cache("c3", {"shop/p.md": "- The staging port is 2 <!-- ^port -->\n"})
        assert "port is 2" in world.run("UserPromptSubmit", prompt=question)

    @pytest.mark.parametrize("prompt", ["ok thanks", "yes please continue", "", "x" * 9])
    def test_silence(self, world: World, prompt: str) -> None:
        assert world.run("UserPromptSubmit", prompt=prompt) == ""

    def test_recall_can_be_switched_off(self, world: World) -> None:
        world.compile(recall="off")
        assert world.run("UserPromptSubmit", prompt="which port is the staging database on?") == ""

    def test_the_gate_can_be_switched_off(self, world: World) -> None:
        assert world.run("UserPromptSubmit", prompt="staging?") == ""
        world.compile(gate="off")
        assert "5433" in world.run("UserPromptSubmit", prompt="staging?")

    def test_a_vague_prompt_goes_on_with_the_one_before(self, world: World) -> None:
        world.compile(recall_limit="1")
        lines = "- the staging port is 5433\n\n- the production port is 6000\n"
        world.cache("c2", {"shop/topics/db.md": lines, **{f"shop/{n}.md": f"- w{n}\n" for n in range(40)}})
        assert world.run("UserPromptSubmit", prompt="and staging?") == ""
        assert "6000" in world.run("UserPromptSubmit", prompt="which port has production, please?")
        assert "5433" in world.run("UserPromptSubmit", prompt="and staging?")

    def test_notes_that_changed_since_are_named_once(self, world: World) -> None:
        world.run("SessionStart")
        world.cache("c2", {"shop/new.md": "---\ndescription: Brand new\n---\n- x\n", "other/new.md": "- y\n"})
        (block,) = parse_all(world.run("UserPromptSubmit", prompt="ok"))
        assert [tuple(line) for line in block.index] == [("shop/new.md", "Brand new", "", "", "")]
        assert world.run("UserPromptSubmit", prompt="ok") == ""
        world.cache("c3", {"other/newer.md": "- z\n"})
        assert world.run("UserPromptSubmit", prompt="ok") == ""

    def test_a_thousand_changes_take_a_kibibyte(self, world: World) -> None:
        world.run("SessionStart")
        world.cache("c2", {f"shop/n{n}.md": f"---\ndescription: {'é' * 30}\n---\n" for n in range(1000)})
        text = world.run("UserPromptSubmit", prompt="ok")
        (block,) = parse_all(text)
        assert len(text.encode()) <= 1024
        assert len(block.index) + block.more == 1000

    def test_a_cache_built_anew_is_no_news(self, world: World) -> None:
        world.cache("c2", {"shop/a.md": "- a\n"})
        world.run("SessionStart")
        for file in world.folder.glob("cache.db*"):
            file.unlink()
        world.cache("c1", NOTES)
        assert world.run("UserPromptSubmit", prompt="ok") == ""
        assert world.ledger().generation == 1

    def test_faults_are_told_once_a_session(self, world: World) -> None:
        world.cache("c2", {}, faults=("shop/a.md: <b> & a\nsecret",))
        (block,) = parse_all(world.run("UserPromptSubmit", prompt="ok"))
        assert block.faults == ["shop/a.md: <b> & a\nsecret"]
        assert world.run("UserPromptSubmit", prompt="ok") == ""
        world.cache("c3", {}, faults=("another",))
        (block,) = parse_all(world.run("PostToolUse-read", file=str(world.code / "x")))
        assert block.faults == ["another"]
        (block,) = parse_all(world.run("SessionStart-compact"))
        assert block.faults == ["another"]

    @pytest.mark.slow
    def test_all_that_can_come_at_once_stays_below_what_agents_cut(self, world: World) -> None:
        (world.code / ".git/config").write_text("[core]\n\tbare = false\n")
        world.run("SessionStart")
        world.know()
        many = {f"shop/n{n}.md": f"- staging server {'word ' * 60}{n}\n" for n in range(300)}
        big = {f"global/n{n}.md": f"---\ndescription: {'x' * 99}\n---\n" for n in range(99)}
        filler = {f"other/{n}.md": "- a\n\n" * 20 for n in range(100)}
        memory = {"shop/MEMORY.md": "- line\n" * 2000}
        faults = tuple(f"{n} {'f' * 200}" for n in range(20))
        world.cache("c2", {**many, **big, **memory, **filler}, faults)
        text = world.run("UserPromptSubmit", prompt="tell me about staging servers 117, 118 and 119 please")
        assert len(parse_all(text)) == 4
        assert 8000 < len(text.encode()) <= 9500


class TestTool:
    def test_a_read_is_logged_with_its_lines(self, world: World) -> None:
        assert world.run("PostToolUse-read", file=str(world.code / "a.py")) == ""
        (line,) = map(json.loads, (world.folder / "access.jsonl").read_text().splitlines())
        assert line["path"] == str(world.code / "a.py")
        assert (line["tool"], line["ranges"]) == ("Read", [[2, 3]])
        assert world.spooled() == []
        assert world.starts(0)

    def test_an_edit_elsewhere_is_logged_only(self, world: World) -> None:
        world.run("PostToolUse-edit", file="a.py")
        (line,) = map(json.loads, (world.folder / "access.jsonl").read_text().splitlines())
        assert line["path"] == str(world.code / "a.py")
        assert (line["tool"], line["ranges"]) == ("Edit", [[3, 3]])
        assert world.spooled() == []

    def test_a_memory_file_is_kept_as_it_was_written(self, world: World) -> None:
        note = world.memory / "shop/MEMORY.md"
        note.parent.mkdir()
        for text in ("one", "two"):
            note.write_text(text)
            assert world.run("PostToolUse-edit", file=str(note)) == ""
        saves = world.saved()
        assert [(save.op, save.path, save.by.agent) for save in saves] == [
            ("tool", "shop/MEMORY.md", "claude")
        ] * 2
        assert [save.after for save in saves] == [b"one", b"two"]
        assert world.spooled() == [], "the journal has it all, so the worker is told nothing more"
        assert world.is_worker_started()

    def test_reading_memory_and_touching_its_git_keeps_nothing(self, world: World) -> None:
        (world.memory / ".git").mkdir()
        (world.memory / ".git/config").write_text("x")
        (world.memory / "a.md").write_text("x")
        world.run("PostToolUse-read", file=str(world.memory / "a.md"))
        world.run("PostToolUse-edit", file=str(world.memory / ".git/config"))
        assert world.spooled() == []
        assert world.saved() == []


class TestTurns:
    @pytest.mark.parametrize(
        ("payload", "event"), [("Stop", "stop"), ("PreCompact", "compact"), ("SessionEnd", "end")]
    )
    def test_the_worker_is_told_and_woken_in_silence(self, world: World, payload: str, event: str) -> None:
        assert world.run(payload) == ""
        (line,) = world.spooled()
        assert line["event"] == event
        assert line["transcript"].endswith(".jsonl")
        assert world.starts(1)

    @pytest.mark.parametrize("payload", ["PreToolUse", "PostCompact", "InstructionsLoaded"])
    def test_other_events_are_none_of_ours(self, world: World, payload: str) -> None:
        assert world.run(payload) == ""
        assert world.spooled() == []


class TestHarmless:
    @pytest.mark.parametrize("env", [{"CTXREPO_OFF": "1"}, {"CTXREPO_HOOK": "1"}])
    def test_it_can_be_switched_off(self, world: World, env: dict[str, str]) -> None:
        assert world.run("SessionStart", env=env) == ""
        assert world.spooled() == []
        assert world.starts(0)

    def test_the_event_may_be_written_in_any_case(self, world: World) -> None:
        (block,) = parse_all(world.run("SessionStart", event="sessionstart"))
        assert "shop/MEMORY.md" in block.bodies

    def test_before_init_nothing_is_said_and_nothing_made(self, world: World) -> None:
        world.state = world.root / "nowhere"
        for payload in ("SessionStart", "UserPromptSubmit", "PostToolUse-edit", "Stop"):
            assert world.run(payload) == ""
        assert not world.state.exists()
        world.state.mkdir()
        assert world.run("SessionStart") == ""
        assert list(world.state.iterdir()) == []

    def test_wrong_words_end_well(self) -> None:
        for words in (
            [],
            ["claude"],
            ["claude", "Stop"],
            ["hal", "Stop", "/x"],
            ["claude", "Stop", "x", "y"],
        ):
            run = subprocess.run(
                [sys.executable, "-I", "-S", str(HOOK), *words], input=b"{}", capture_output=True
            )
            assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")

    def test_half_an_installation_says_so_and_leaves_the_event_unread(self, tmp_path: Path) -> None:
        alone = tmp_path / "ctxrepo/hook.py"
        alone.parent.mkdir()
        alone.write_bytes(HOOK.read_bytes())
        words = [sys.executable, "-I", "-S", str(alone), "claude", "Stop", str(tmp_path)]
        read, write = os.pipe()
        os.write(write, b"{}")
        run = subprocess.run(words, stdin=read, capture_output=True)
        assert (run.returncode, run.stdout, run.stderr) == (1, b"", b"")
        assert os.read(read, 9) == b"{}"
        os.close(read)
        os.close(write)

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
    def test_who_is_told_to_end_notes_its_event_first(self, world: World, number: int) -> None:
        words = [sys.executable, "-I", "-S", str(HOOK), "claude", "Stop", str(world.state)]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin
            payload = json.dumps({"session_id": "s", "cwd": str(world.code), "long": "x" * 500_000}).encode()
            process.stdin.write(payload[:-1])
            process.stdin.flush()  # a pipe doesn't hold so much: it has begun to read
            process.send_signal(number)
            process.stdin.write(payload[-1:])
            process.stdin.close()
            assert process.wait(60) == 0
        assert [line["event"] for line in world.spooled()] == ["stop"]
        assert world.starts(1)

    def test_a_surprise_is_logged_in_one_line_and_kept_from_the_agent(self, world: World) -> None:
        world.spoil()
        payload = {"session_id": "s", "cwd": str(world.code)}
        assert world.raw(json.dumps(payload).encode(), "SessionStart") == b""
        (line,) = world.errors().splitlines()
        assert "claude SessionStart" in line
        assert "known/world.py:" in line

    def test_a_reader_that_is_gone_is_no_error(self, world: World) -> None:
        words = [sys.executable, "-I", "-S", str(HOOK), "claude", "SessionStart", str(world.state)]
        read, write = os.pipe()
        os.close(read)
        payload = json.dumps({"cwd": str(world.code), "session_id": "s"}).encode()
        run = subprocess.run(words, input=payload, stdout=write, stderr=subprocess.PIPE)
        os.close(write)
        assert (run.returncode, run.stderr) == (0, b"")
        assert world.errors() == ""

    def test_it_can_be_called_too(
        self, world: World, capfd: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        payload = tmp_path / "stdin"
        payload.write_text(json.dumps({"cwd": str(world.code), "session_id": "s"}))
        saved = os.dup(0)
        try:
            with payload.open() as file:
                os.dup2(file.fileno(), 0)
                assert face.main(["claude", "SessionStart", str(world.state)]) == 0
        finally:
            os.dup2(saved, 0)
            os.close(saved)
        assert "hookSpecificOutput" in json.loads(capfd.readouterr().out)
