"""Bad input, bad files, bad state: one clear line each, the right exit code, and nothing lost.

Hooks stay silent whatever they are given.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from long import rotating
from machines import Machine
from terminal import Answer, Terminal

from ctxrepo import hook
from ctxrepo.storage.state.compiled import compile_settings, read_repositories, read_settings

EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "PreCompact", "SessionEnd")

PAYLOADS = {
    "empty": b"",
    "torn": b'{"session_id": "s", "cwd": "/',
    "list": b"[]",
    "null": b"null",
    "wrong types": b'{"session_id": 7, "cwd": ["x"], "prompt": {"a": null}, "tool_input": "x"}',
    "odd values": b'{"session_id": "../../etc", "cwd": "/no/such/folder", "prompt": "\\ud800 \\u0000"}',
    "8 MiB": b'{"session_id": "s", "prompt": "' + b"x" * (8 << 20) + b'"}',
    "deep": b"[" * 100_000,
    "binary": bytes(range(256)) * 40,
    "UTF-16": b"\xff\xfe" + '{"session_id": "s"}'.encode("utf-16-le"),
}


@pytest.fixture
def cli(ada: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    """A machine with a memory that holds one fact of its project, committed."""
    ada.init()
    ada.remember("known before")
    ada.sync()
    return Terminal(ada, monkeypatch, capsys)


def holds(cli: Terminal, text: str) -> bool:
    """Whether the last commit has `text`, after what is pending was committed."""
    assert cli("sync").code in (0, 6)
    machine = cli.machine
    return any(text in machine.git("show", f"HEAD:{p}") for p in machine.git("ls-files").splitlines())


def fire(machine: Machine, event: str, stdin: bytes, *more: str, **env: str) -> bytes:
    """Run a hook as an agent does; it ends well, with nothing on stderr and at most one JSON object."""
    words = [sys.executable, "-I", "-S", hook.__file__, "claude", event, str(machine.places.state), *more]
    run = subprocess.run(words, input=stdin, capture_output=True, env={**machine.env, **env}, timeout=20)
    assert (run.returncode, run.stderr) == (0, b"")
    if run.stdout:
        assert isinstance(json.loads(run.stdout), dict)
    return run.stdout


class TestHooks:
    @pytest.fixture(autouse=True)
    def no_worker(self, cli: Terminal) -> None:
        """What the hooks start here is a program that does nothing, but for a worker that mends hooks.db: it
        may be at it while the command that a test runs next is."""
        state = cli.machine.places.state
        settings = {**read_settings(state), "interpreter": "/bin/true"}
        compile_settings(state, settings, read_repositories(state))

    @pytest.mark.slow
    @pytest.mark.parametrize("stdin", rotating(PAYLOADS.values()), ids=PAYLOADS)
    def test_whatever_comes_in_they_end_well(self, cli: Terminal, stdin: bytes) -> None:
        for event in EVENTS:
            fire(cli.machine, event, stdin)
        assert holds(cli, "known before")

    def test_unknown_agents_events_and_states_are_silence(self, cli: Terminal, tmp_path: Path) -> None:
        payload = b'{"session_id": "s"}'
        state = str(cli.machine.places.state)
        for words in (
            [],
            ["claude"],
            ["claude", "NoSuchEvent", state],
            ["nobody", "SessionStart", state],
            ["claude", "SessionStart", str(tmp_path / "none")],
        ):
            command = [sys.executable, "-I", "-S", hook.__file__, *words]
            run = subprocess.run(command, input=payload, capture_output=True, env=cli.machine.env)
            assert (run.returncode, run.stdout, run.stderr) == (0, b"", b""), words

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "damage",
        rotating([b"", b"garbage", b"SQLite format 3\x00" + b"\xff" * 9000, None], keep=2),
    )
    def test_damaged_databases_silence_them_until_they_are_mended(
        self, cli: Terminal, damage: bytes | None
    ) -> None:
        state = cli.machine.places.state
        for file in (state / "hooks.db", *state.glob("*/cache.db")):
            spoil(file, damage)
        for event in EVENTS:
            fire(cli.machine, event, b'{"session_id": "s", "prompt": "which facts are known before?"}')
        assert "known before" in cli("context").out
        assert b"global/MEMORY.md" in fire(cli.machine, "SessionStart", b'{"session_id": "t"}')

    def test_a_state_folder_that_is_a_file_silences_them(self, cli: Terminal) -> None:
        state = cli.machine.places.state
        shutil.rmtree(state)
        state.write_text("in the way")
        for event in EVENTS:
            assert fire(cli.machine, event, b'{"session_id": "s"}') == b""
        assert state.read_text() == "in the way"


class TestFilesInTheClone:
    def test_a_link_as_a_note_is_neither_read_nor_written_through(
        self, cli: Terminal, tmp_path: Path
    ) -> None:
        victim = tmp_path / "victim.md"
        victim.write_text("- not yours\n")
        link = cli.machine.clone / "global/link.md"
        link.symlink_to(victim)
        refused(cli("read", "global:link"), 1, "global/link.md is there but can't be read")
        refused(cli("remember", "x", "--note", "global:link"), 6, "link.md")
        refused(cli("new", "global:link", "-d", "x"), 6, "link.md")
        assert "link.md: it is a symbolic link" in cli("check").out
        assert cli("sync").code == 0
        assert (victim.read_text(), link.is_symlink()) == ("- not yours\n", True)
        assert "not yours" not in cli("list").out + cli("context").out

    def test_a_link_as_the_folder_of_a_scope(self, cli: Terminal, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        shutil.move(cli.machine.clone / "shop", outside)
        (cli.machine.clone / "shop").symlink_to(outside)
        before = {p: p.read_bytes() for p in outside.rglob("*") if p.is_file()}
        refused(cli("remember", "x"), 6, "shop")
        refused(cli("remember", "x", "--note", "deep/er"), 6, "shop")
        assert cli("list").code == 0
        assert cli("check").code == 1
        assert {p: p.read_bytes() for p in outside.rglob("*") if p.is_file()} == before
        assert holds(cli, "known before")

    @pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["folder", "fifo"])
    def test_what_is_no_file_in_the_place_of_memory(
        self, cli: Terminal, make: Callable[[Path], None]
    ) -> None:
        file = cli.machine.clone / "shop/MEMORY.md"
        file.unlink()
        make(file)
        refused(cli("remember", "x"), 6, "shop/MEMORY.md")
        assert cli("remember", "elsewhere", "--category", "gotcha").code == 0
        assert cli("list").code == 0
        assert holds(cli, "elsewhere")
        assert not file.is_file()

    def test_a_link_in_the_place_of_memory(self, cli: Terminal, tmp_path: Path) -> None:
        file = cli.machine.clone / "shop/MEMORY.md"
        file.unlink()
        file.symlink_to(tmp_path / "nowhere")
        refused(cli("remember", "x"), 6, "shop/MEMORY.md")
        assert holds(cli, "known before")
        assert not (tmp_path / "nowhere").exists()

    def test_a_note_of_12_mb_stays_out_and_where_it_is(self, cli: Terminal) -> None:
        data = b"- long line " + b"x" * (12 << 20) + b"\n"
        big = cli.machine.clone / "global/big.md"
        big.write_bytes(data)
        refused(cli("read", "global:big"), 1, "can't be read")
        refused(cli("remember", "x", "--note", "global:big"), 6, "big.md")
        assert "big.md: it is larger than 2 MiB" in cli("check").out
        cli.machine.write("global/small.md", "- small\n")
        assert holds(cli, "- small")
        assert "big.md" not in cli.machine.git("ls-files")
        assert big.read_bytes() == data

    def test_bytes_that_are_no_utf8_survive_every_write_beside_them(self, cli: Terminal) -> None:
        before = b"---\ndescription: caf\xe9\nupdated: 2020-01-01\n---\n- \xff\xfe odd\n"
        file = cli.machine.clone / "global/odd.md"
        file.write_bytes(before)
        assert cli("remember", "beside it", "--note", "global:odd").code == 0
        after = file.read_bytes()
        assert b"- \xff\xfe odd\n- beside it\n" in after
        assert b"description: caf\xe9\n" in after
        assert cli("sync").code == 0
        assert file.read_bytes() == after
        assert "odd.md:2: frontmatter holds bytes that are not UTF-8" in cli("check").out
        assert r"\u{dcff}" in cli("read", "global:odd").out

    def test_nul_and_terminal_codes_in_a_note(self, cli: Terminal) -> None:
        cli.machine.write("global/odd.md", "- a\x00b \x1b[2J\n")
        cli.machine.write("global/fine.md", "- fine\n")
        assert "\x1b" not in cli("read", "global:odd").out + cli("check").out
        answer = cli("sync")
        assert (answer.code, "NUL" in answer.err) == (6, True)
        assert holds(cli, "- fine")
        assert cli.machine.read("global/odd.md") == "- a\x00b \x1b[2J\n"

    def test_conflict_markers_that_a_person_typed_are_kept_and_told(self, cli: Terminal) -> None:
        text = "<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> other\n"
        cli.machine.write("global/x.md", text)
        assert holds(cli, "<<<<<<< HEAD")
        assert cli.machine.read("global/x.md") == text
        assert "x.md:1: a conflict marker" in cli("check").out

    def test_lists_that_are_torn_are_added_to_on_a_new_line(self, cli: Terminal) -> None:
        host = cli.machine.open().host
        cli.machine.write(f"inbox/{host}.jsonl", '{"torn": ')
        assert cli("remember", "x", "--stage").code == 0
        first, second = cli.machine.read(f"inbox/{host}.jsonl").splitlines()
        assert (first, json.loads(second)["text"]) == ('{"torn": ', "x")
        assert f"inbox/{host}.jsonl:1: a line that isn't a JSON object" in cli("check").out

    @pytest.mark.parametrize(
        "text", ["garbage [", "projects = 7\n", "[projects]\n'x' = ['y']\n'a' = '../out'\n"]
    )
    def test_a_registry_that_makes_no_sense(self, cli: Terminal, text: str) -> None:
        cli.machine.write("ctxrepo.toml", text)
        is_readable = not text.startswith("garbage")
        assert cli("remember", "after the damage").code == 0  # its last version that could be read holds
        assert holds(cli, "after the damage")
        assert ("ctxrepo.toml" in cli("check").out) != is_readable
        assert cli("sync").code == (0 if is_readable else 6)  # and it is held back
        assert not (cli.machine.home / "out").exists()
        cli.machine.write("ctxrepo.toml", '[projects]\n"git.example.org/ada/shop" = "shop"\n')
        assert cli("remember", "and mended").code == 0
        assert holds(cli, "known before")
        assert holds(cli, "and mended")


class TestWords:
    @pytest.mark.parametrize(
        "text", ["a\x1b[31mb\x1b]0;title\x07", "right\u202eleft", "zero\u200bwidth", "\U000e0041"]
    )
    def test_a_text_with_what_can_not_be_seen_is_kept_and_never_shown_raw(
        self, cli: Terminal, text: str
    ) -> None:
        assert cli("remember", f"odd {text}").code == 0
        assert text in cli.machine.read("shop/MEMORY.md")
        shown = cli("read", "MEMORY").out + cli("context").out
        assert text not in shown
        assert r"\u{" in shown

    def test_a_text_with_nul_is_refused(self, cli: Terminal) -> None:
        before = cli.machine.read("shop/MEMORY.md")
        refused(cli("remember", "a\0b"), 6, "NUL")
        assert cli.machine.read("shop/MEMORY.md") == before

    def test_a_huge_body_is_refused(self, cli: Terminal) -> None:
        refused(
            cli("new", "x", "-d", "d", "--from", "-", stdin=b"- y\n" * (3 << 20)), 6, "larger than 1024 KiB"
        )
        refused(cli("new", "x", "-d", "d", "--from", "-", stdin=b"\0" * 9), 6, "NUL")
        assert not (cli.machine.clone / "shop/x.md").exists()

    def test_an_empty_body_makes_an_empty_note(self, cli: Terminal) -> None:
        assert cli("new", "x", "-d", "d", "--from", "-").code == 0
        assert cli.machine.read("shop/x.md").endswith("---\n")


class TestSettings:
    @pytest.mark.parametrize(
        "data", [b"garbage [", b"\xff\xfe", b"repository = 7\n", b"[[repository]]\npath = 3\n", None]
    )
    def test_a_config_that_makes_no_sense(self, cli: Terminal, data: bytes | None) -> None:
        file = cli.machine.places.config_file
        before = file.read_bytes()
        if data is None:
            file.unlink()
            file.mkdir()
        else:
            file.write_bytes(data)
        answer = cli("remember", "x")
        if answer.code:
            refused(answer, 2, "config.toml")
            refused(cli("init"), 2, "config.toml")
            assert "config.toml" in cli("status").out  # which goes on with what it said before
        else:
            assert "path must be a text" in answer.err
        if data is not None:
            assert file.read_bytes() == data
            file.write_bytes(before)
            assert holds(cli, "known before")

    def test_unknown_keys_are_said_with_the_nearest_and_do_no_harm(self, cli: Terminal) -> None:
        file = cli.machine.places.config_file
        start = file.read_text().count("\n")
        file.write_text(file.read_text() + '\n[sync]\ntimeot = 3\nttl = "soon"\n[nonsense]\n')
        answer = cli("status")
        assert answer.code == 0
        assert [line.partition("config.toml:")[2] for line in answer.err.splitlines()] == [
            f"{start + 3}: sync.timeot is unknown; did you mean sync.timeout?",
            f"{start + 4}: sync.ttl must be a number up to 2592000, not 'soon'; its default is used",
            f"{start + 5}: unknown section [nonsense]",
        ]

    @pytest.mark.parametrize("name", ["CTXREPO_HOME", "CTXREPO_STATE", "XDG_CONFIG_HOME", "XDG_STATE_HOME"])
    def test_a_place_that_is_no_absolute_path(self, cli: Terminal, name: str) -> None:
        refused(cli("status", **{name: "some/where"}), 2, name)

    def test_home_unset(self, cli: Terminal) -> None:
        machine = cli.machine
        places = {
            "CTXREPO_HOME": str(machine.clone),
            "CTXREPO_CONFIG": str(machine.places.config_file),
            "CTXREPO_STATE": str(machine.places.state),
        }
        assert cli("remember", "without a home", HOME="", **places).code == 0
        assert cli("sync", HOME="", **places).code == 0
        assert holds(cli, "without a home")


class TestState:
    def test_a_file_in_place_of_the_state(self, cli: Terminal) -> None:
        state = cli.machine.places.state
        shutil.rmtree(state)
        state.write_text("in the way")
        before = cli.machine.read("shop/MEMORY.md")
        for words in (["remember", "x"], ["status"], ["list"], ["sync"]):
            refused(cli(*words), 1, str(state))
        assert cli.machine.read("shop/MEMORY.md") == before
        state.unlink()
        assert cli("remember", "afterwards").code == 0
        assert holds(cli, "afterwards")

    def test_a_file_in_place_of_the_journal_acknowledges_nothing(self, cli: Terminal) -> None:
        journal = cli.machine.open().state.journal
        shutil.rmtree(journal)
        journal.write_text("in the way")
        refused(cli("remember", "x"), 1, str(journal))
        journal.unlink()
        assert cli("remember", "afterwards").code == 0
        assert holds(cli, "afterwards")

    def test_the_state_deleted_is_made_anew(self, cli: Terminal) -> None:
        shutil.rmtree(cli.machine.places.state)
        assert cli("remember", "afterwards").code == 0
        assert "afterwards" in cli("context").out
        assert holds(cli, "known before")

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("name", "damage"),
        rotating(product(("*/cache.db", "*/stamps.db", "hooks.db"), (b"", b"garbage", None))),
    )
    def test_a_damaged_database_is_made_anew(self, cli: Terminal, name: str, damage: bytes | None) -> None:
        cli.machine.write("global/by-hand.md", "- by hand\n")
        (file,) = cli.machine.places.state.glob(name)
        spoil(file, damage)
        assert cli("remember", "acknowledged").code == 0
        for words in (["status"], ["list"], ["read", "MEMORY"], ["context"], ["check"]):
            answer = cli(*words)
            assert (answer.code, answer.err) == (0, ""), words
        assert "acknowledged" in cli("context").out
        assert holds(cli, "by hand")

    def test_a_folder_in_place_of_the_stamps(self, cli: Terminal) -> None:
        file = cli.machine.open().state.stamps
        file.unlink()
        file.mkdir()
        assert cli("remember", "acknowledged").code == 0
        assert holds(cli, "acknowledged")

    @pytest.mark.slow
    def test_torn_files_in_journal_and_spool(self, cli: Terminal) -> None:
        state = cli.machine.open().state
        torn = state.journal / "1-1-1-34"
        torn.write_bytes(b'{"v": 1, "path": "shop/x.md", "aft')
        state.spool.write_bytes(b'{"event": "stop"}\n\xff\n[1]\n{"event": "en')
        assert cli("remember", "acknowledged").code == 0
        assert cli.machine.ctxrepo("_work", "--state", str(cli.machine.places.state)).returncode == 0
        assert state.spool.read_bytes() == b""
        assert holds(cli, "acknowledged")
        assert f"{torn} can't be read as saves" in cli("doctor").out
        assert torn.read_bytes() == b'{"v": 1, "path": "shop/x.md", "aft'

    @pytest.mark.parametrize("data", [b"", b"not a name\n", b"\xff"])
    def test_a_host_file_that_is_damaged(self, cli: Terminal, data: bytes) -> None:
        cli.machine.places.host_file.write_bytes(data)
        answer = cli("remember", "x")
        assert answer.code == 0 or (answer.code == 2 and answer.is_one_line())


class TestGit:
    def test_git_missing_is_one_line_and_loses_nothing(self, cli: Terminal, tmp_path: Path) -> None:
        for words in (["remember", "known without git"], ["list"]):  # which project this is was found before
            assert cli(*words, PATH=str(tmp_path)).code == 0
        refused(cli("init", "/no/where.git", PATH=str(tmp_path)), 1, "git could not be started")
        cli.machine.write("global/by-hand.md", "- by hand\n")
        refused(cli("sync", PATH=str(tmp_path)), 1, "git could not be started")
        answer = cli("doctor", PATH=str(tmp_path))
        assert (answer.code, "git could not be started" in answer.out) == (1, True)
        assert holds(cli, "by hand")
        assert holds(cli, "known without git")

    @pytest.mark.parametrize(
        ("file", "data", "message"),
        [
            ("HEAD", b"ref: refs/heads/elsewhere\n", "is on elsewhere"),
            ("HEAD", b"0" * 40 + b"\n", "is on no branch"),
            ("MERGE_HEAD", b"", "a merge is unfinished"),
        ],
    )
    def test_a_clone_in_an_odd_state_keeps_what_is_written(
        self, cli: Terminal, file: str, data: bytes, message: str
    ) -> None:
        place = cli.machine.clone / ".git" / file
        before = place.read_bytes() if place.exists() else None
        place.write_bytes(data)
        assert cli("remember", "kept meanwhile").code == 0
        refused(cli("sync"), 1, message)
        assert message in cli("status").out
        place.unlink() if before is None else place.write_bytes(before)
        assert holds(cli, "kept meanwhile")

    @pytest.mark.parametrize("name", ["index.lock", "HEAD.lock", "config.lock", "packed-refs.lock"])
    def test_locks_that_others_left_behind(self, cli: Terminal, name: str) -> None:
        lock = cli.machine.clone / ".git" / name
        lock.touch()
        assert cli("remember", "meanwhile").code == 0
        assert holds(cli, "meanwhile")
        assert lock.exists()

    @pytest.mark.parametrize("data", [b"", b"garbage", None])
    def test_an_index_that_is_damaged_or_gone(self, cli: Terminal, data: bytes | None) -> None:
        index = cli.machine.clone / ".git/index"
        index.unlink() if data is None else index.write_bytes(data)
        assert cli("remember", "meanwhile").code == 0
        assert cli("sync").code == 0
        assert "meanwhile" in cli.machine.git("show", "HEAD:shop/MEMORY.md")


def spoil(file: Path, damage: bytes | None) -> None:
    """Damage a database: other bytes in its place, or (None) its pages behind the first overwritten."""
    gc.collect()  # a connection of this process that waits for its end would keep the file locked
    for suffix in ("-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    if damage is None:
        size = file.stat().st_size
        with file.open("r+b") as data:
            data.seek(4096)
            data.write(b"\xa5" * max(size - 4096, 0))
    else:
        file.write_bytes(damage)


def refused(answer: Answer, code: int, message: str) -> None:
    assert (answer.code, answer.is_one_line()) == (code, True), answer
    assert message in answer.err
