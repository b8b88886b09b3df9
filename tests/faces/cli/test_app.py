"""Every command answers in one way: words or one JSON object, one exit code, no traceback."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest
from machines import Machine
from reference import commands_of, root_command
from terminal import Terminal

import ctxrepo
from ctxrepo.errors import Busy, CtxrepoError
from ctxrepo.faces.cli.parser import nearest_commands
from ctxrepo.faces.cli.table import SYNONYMS
from ctxrepo.storage.memory import Memory

COMMANDS = (
    "init", "new", "remember", "read", "list", "context", "status", "check", "sync", "pull", "push",
    "anchor", "doctor", "setup", "hook", "history", "conflicts", "why", "diff",
)  # fmt: skip

EVERY_JSON = [
    ["init"],
    ["new", "topics/x", "-d", "about x"],
    ["remember", "a fact"],
    ["list"],
    ["read", "global:MEMORY.md"],
    ["context"],
    ["status"],
    ["check"],
    ["history"],
    ["history", "global:MEMORY.md"],
    ["why", "global:MEMORY.md"],
    ["diff"],
    ["diff", "--patch"],
    ["conflicts"],
    ["conflicts", "list"],
    ["conflicts", "resolve", "--all", "--keep", "kept"],
    ["sync"],
    ["pull"],
    ["push"],
    ["anchor", "a/b"],
    ["setup", "claude", "--dry-run"],
    ["list", "--tree"],
    ["open", "global:MEMORY.md"],
    ["export", "global", "out"],
    ["config"],
    ["config", "list"],
    ["config", "get", "sync.ttl"],
    ["config", "set", "sync.ttl", "60"],
    ["config", "explain"],
]


def plain(text: str) -> str:
    """Words without frames, line breaks, and the marks that set words off."""
    return " ".join(re.sub("[│╭╮╰╯─]", " ", text.replace("`", "")).split())


class TestHelp:
    def test_the_commands_are_those_promised(self, fresh: Terminal) -> None:
        answer = fresh("--help", COLUMNS="80")
        assert answer.code == 0
        assert all(f"│ {command} " in answer.out for command in COMMANDS)
        assert fresh().out == answer.out

    def test_the_list_of_commands_has_one_line_for_each(self, fresh: Terminal) -> None:
        output = fresh("--help", COLUMNS="80").out
        for name, command in commands_of(root_command()):
            if " " not in name:
                line = next(line for line in output.splitlines() if line.startswith(f"│ {name} "))
                assert plain(command.help.split("\n\n")[0]) in plain(line), name

    @pytest.mark.slow
    def test_help_has_an_example_fits_the_terminal_and_loses_no_word(self, fresh: Terminal) -> None:
        for name, command in commands_of(root_command()):
            answer = fresh(*name.split(), "--help", COLUMNS="80")
            assert (answer.code, answer.err) == (0, "")
            assert max(map(len, answer.out.splitlines())) <= 80, name
            words = plain(answer.out)
            assert f"ctxrepo {name}" in words.partition("Example:")[2], name
            for paragraph in command.help.split("\n\n"):
                assert plain(paragraph) in words, name
            for param in command.params:
                assert all(word in words for word in plain(param.help or "").split()), (name, param.name)

    def test_help_says_where_the_pages_are(self, fresh: Terminal) -> None:
        assert "docs/index.md" in fresh("--help").out

    def test_help_makes_nothing(self, fresh: Terminal) -> None:
        before = sorted(fresh.machine.home.rglob("*"))
        for word in ("--help", "-h", "--version"):
            assert fresh(word).code == 0
        assert sorted(fresh.machine.home.rglob("*")) == before

    def test_the_version_is_said(self, fresh: Terminal) -> None:
        assert fresh("--version").out == f"ctxrepo {ctxrepo.__version__}\n"


class TestMistakes:
    def test_the_nearest_word_is_named(self, fresh: Terminal) -> None:
        for words, word in (
            ("rember x", "remember"),
            ("staus", "status"),
            ("remember x --categry y", "--category"),
            ("sync --jsn", "--json"),
            ("read", "TARGET"),
            ("status too many", "too many"),
        ):
            answer = fresh(*words.split())
            assert (answer.code, answer.is_one_line()) == (2, True), words
            assert word in answer.err
            assert ("--help` shows" in answer.err) == ("did you mean" not in answer.err)

    def test_a_mistyped_word_is_told_in_one_line(self, fresh: Terminal) -> None:
        for words, message in (
            ("lits", "there is no command lits; did you mean list?"),
            ("List", "there is no command List; did you mean list?"),
            ("list --scop x", "there is no option --scop; did you mean --scope?"),
            ("conflicts shwo", "there is no command shwo; did you mean show?"),
            ("config sett a b", "there is no command sett; did you mean set?"),
        ):
            answer = fresh(*words.split())
            assert (answer.code, answer.err) == (2, f"ctxrepo: {message}\n")
            assert fresh(*words.split(), "--json").error["message"] == message
        assert "`ctxrepo --help` shows" in fresh("zzz").err
        assert "`ctxrepo list --help` shows" in fresh("list", "--zzz").err

    def test_the_hint_names_the_command(self, fresh: Terminal) -> None:
        assert fresh("read", "--json").error == {
            "code": "usage",
            "message": "TARGET is missing",
            "hint": "`ctxrepo read --help` shows how to use it.",
        }

    @pytest.mark.parametrize(
        ("words", "message", "hint"),
        [
            ("read", "TARGET is missing", "`ctxrepo read --help`"),
            ("tags --add", "--add needs a value", "`ctxrepo tags --help`"),
            (
                "recall x --limit 0",
                "--limit is a whole number from 1 to 1000, not 0",
                "`ctxrepo recall --help`",
            ),
            (
                "trace --last 1.5",
                "--last is a whole number from 1 to 10000, not '1.5'",
                "`ctxrepo trace --help`",
            ),
            ("context --budget a", "--budget is a whole number of 0 or more, not 'a'", "`ctxrepo context"),
            ("read two words", "too many words: words", "goes in quotes; `ctxrepo read --help`"),
            ("read x y z", "too many words: y z", "goes in quotes"),
        ],
    )
    def test_it_is_told_in_our_words(self, fresh: Terminal, words: str, message: str, hint: str) -> None:
        answer = fresh(*words.split())
        assert (answer.code, answer.is_one_line()) == (2, True)
        assert answer.err.startswith(f"ctxrepo: {message}")
        assert hint in answer.err

    def test_a_text_that_begins_with_a_dash(self, fresh: Terminal) -> None:
        answer = fresh("remember", "- a fact")
        assert (answer.code, answer.is_one_line()) == (2, True)
        assert "begins with a dash" in answer.err
        assert "Put -- before it." in answer.err

    def test_of_a_long_word_the_middle_is_left_out(self, cli: Terminal) -> None:
        words = ("read", f"{'x' * 90_000}:a.md")
        answer = cli(*words)
        assert (answer.code, answer.is_one_line()) == (3, True)
        assert len(answer.err) < 1200
        assert "there is no scope 'xxx" in answer.err
        assert len(cli(*words, "--json").error["message"]) < 1100

    def test_before_init_the_way_to_it_is_said_and_nothing_made(self, fresh: Terminal) -> None:
        before = sorted(fresh.machine.home.rglob("*"))
        for command in ("list", "status", "remember x", "sync", "context", "doctor", "anchor x", "read x"):
            answer = fresh(*command.split())
            assert (answer.code, answer.is_one_line()) == (1, True), command
            assert "`ctxrepo init" in answer.err
        assert sorted(fresh.machine.home.rglob("*")) == before

    def test_a_working_folder_that_is_gone_is_said(self, cli: Terminal, tmp_path: Path) -> None:
        gone = tmp_path / "gone"
        gone.mkdir()
        line = "import os, sys; os.chdir(sys.argv[1]); os.rmdir(sys.argv[1]); "
        line += "from ctxrepo.faces.cli.app import main; "
        words = [sys.executable, "-c", line + "sys.exit(main(['list']))", str(gone)]
        run = subprocess.run(words, env=cli.machine.env, capture_output=True, text=True)
        assert (run.returncode, run.stdout) == (1, "")
        assert run.stderr == "ctxrepo: the current folder no longer exists\n  Go to another one.\n"


class TestJson:
    def test_the_answer_is_one_object_on_stdout(self, cli: Terminal) -> None:
        for words in EVERY_JSON:
            answer = cli(*words, "--json")
            assert (answer.code, answer.out.count("\n")) == (0, 1), words
            assert answer.data

    def test_findings_are_an_answer_too(self, cli: Terminal) -> None:
        cli.machine.write("global/torn.md", "---\nno end\n")
        answer = cli("check", "--json")
        assert answer.code == 1
        assert answer.data["findings"][0]["path"] == "global/torn.md"

    def test_errors_come_as_the_same_object(self, cli: Terminal) -> None:
        for words, code, exit_code in (
            (["remember", ""], "usage", 2),
            (["remember"], "usage", 2),
            (["no-such"], "usage", 2),
            (["read", "nowhere"], "not_found", 3),
            (["new", "global:MEMORY.md", "-d", "x"], "refused", 6),
        ):
            answer = cli(*words, "--json")
            assert (answer.code, answer.error["code"], answer.err) == (exit_code, code, "")
            assert answer.error["message"]

    def test_notices_stay_on_stderr(self, cli: Terminal) -> None:
        cli("remember", "the redis port of the suite is 6380")
        answer = cli("remember", "the redis port of the suite is 6381", "--json")
        assert answer.data["near"]
        assert "much the same" in answer.err

    def test_what_is_no_utf8_is_marked_and_the_json_stays_strict(self, cli: Terminal) -> None:
        (cli.machine.clone / "global/odd.md").write_bytes(b"- caf\xc3\xa9 \xff\n")
        answer = cli("read", "global:odd", "--json")
        assert answer.data["text"] == "- café \ufffd\n"
        answer.out.encode("utf-8")


class TestSurprises:
    def test_a_surprise_leaves_its_traceback_in_a_log(
        self, cli: Terminal, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Memory, "open", lambda *_, **__: dict[str, Memory]()["no such"])
        answer = cli("status")
        assert (answer.code, answer.is_one_line()) == (1, True)
        log = cli.machine.places.state / "errors.log"
        assert str(log) in answer.err
        assert "Traceback" in log.read_text()
        assert cli("status", "--json").error["message"] == "unexpected: KeyError: 'no such'"

    @pytest.mark.parametrize("error", [Busy("held", "Wait."), CtxrepoError("failed", "Look.")])
    def test_errors_on_purpose_are_said_as_they_are(
        self, cli: Terminal, monkeypatch: pytest.MonkeyPatch, error: CtxrepoError
    ) -> None:
        def fails(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr(Memory, "open", fails)
        answer = cli("status")
        assert (answer.code, answer.err) == (1, f"ctxrepo: {error.message}\n  {error.hint}\n")
        assert not (cli.machine.places.state / "errors.log").exists()

    def test_a_full_disk_is_no_surprise(self, cli: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device", "/there")

        monkeypatch.setattr(Memory, "open", full)
        answer = cli("status")
        assert (answer.code, answer.is_one_line()) == (1, True)
        assert answer.err.startswith("ctxrepo: /there: No space left on device\n")

    def test_an_interrupt_while_modules_are_loaded_ends_with_130_without_a_word(self, cli: Terminal) -> None:
        line = """
import sys

class Interrupt:
    @staticmethod
    def find_spec(name, *_):
        if name == "ctxrepo.hooks.loading":
            raise KeyboardInterrupt

sys.argv[1:] = ["list"]
from ctxrepo.__main__ import run
sys.meta_path.insert(0, Interrupt)
run()
"""
        run = subprocess.run([sys.executable, "-c", line], env=cli.machine.env, capture_output=True)
        assert (run.returncode, run.stdout, run.stderr) == (130, b"", b"")

    def test_an_interrupt_while_waiting_ends_with_130_and_nothing_written(self, cli: Terminal) -> None:
        memory = cli.machine.open()
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            with memory.writing():
                signal.setitimer(signal.ITIMER_REAL, 0.4)
                answer = cli("remember", "interrupted")
        finally:
            signal.signal(signal.SIGALRM, before)
        assert (answer.code, answer.out, answer.err) == (130, "", "")
        assert not memory.journal.names()

    def test_words_that_would_act_on_a_terminal_are_written_out(self, cli: Terminal) -> None:
        cli.machine.write(
            "global/bad.md", '---\ndescription: "a\\e[31mb"\n---\n- \x1b]52;c;aGk=\x07 \u202eabc\n'
        )
        for words in (["read", "global:bad"], ["list"], ["check"], ["read", "x\x1b[31m"]):
            answer = cli(*words)
            assert not {"\x1b", "\x07", "\u202e"} & set(answer.out + answer.err)
        assert r"\u{1b}]52;c;aGk=\u{7} \u{202e}abc" in cli("read", "global:bad").out


class TestAsAProcess:
    def test_a_command_and_its_exit_code(self, cli: Terminal) -> None:
        machine = cli.machine
        assert machine.ctxrepo("list").stdout.startswith("global/MEMORY.md — ")
        assert machine.ctxrepo("read", "nowhere").returncode == 3

    @pytest.mark.slow
    @pytest.mark.parametrize("words", ["list", "read global:long"])
    def test_a_reader_that_has_gone_is_no_error(self, cli: Terminal, words: str) -> None:
        cli.machine.write("global/long.md", "- long\n" * 20_000)
        out, into = os.pipe()
        os.close(out)
        with os.fdopen(into, "wb") as pipe:
            process = run(cli.machine, words.split(), pipe)
        assert (process.returncode, process.stderr) == (0, b"")

    def test_a_terminal_that_knows_few_letters_is_no_error(self, cli: Terminal) -> None:
        env = {"PYTHONIOENCODING": "ascii"}
        process = run(Machine(cli.machine.home, env), ["list"], subprocess.PIPE)
        assert (process.returncode, process.stderr) == (0, b"")
        assert rb"MEMORY.md \u2014 " in process.stdout
        cli.machine.write("global/x.md", "- \U0001f600\n")
        process = run(Machine(cli.machine.home, env), ["read", "global:x", "--json"], subprocess.PIPE)
        assert json.loads(process.stdout)["data"]["text"] == "- \U0001f600\n"


def run(machine: Machine, words: list[str], stdout: int | IO[bytes]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "ctxrepo", *words],
        cwd=machine.project_folder,
        env=machine.env,
        stdout=stdout,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("show", "MEMORY.md"), ("read", "MEMORY.md")),
        (("todo", "list", "--all"), ("scratch", "list", "--all")),
        (("rm", "topics/nope"), ("forget", "topics/nope")),
        (("delete", "^ffffffffffff"), ("forget", "^ffffffffffff")),
        (("ls",), ("list",)),
        (("version",), ("--version",)),
        (("-V",), ("--version",)),
        (("help",), ("--help",)),
        (("help", "scratch", "add"), ("scratch", "add", "--help")),
    ],
)
def test_what_is_called_differently_elsewhere_is_understood(
    cli: Terminal, words: tuple[str, ...], meant: tuple[str, ...]
) -> None:
    cli("remember", "one")
    assert cli(*words) == cli(*meant)
    assert cli(*meant).code in (0, 3)


def test_synonyms_take_no_name_from_a_command() -> None:
    known = set(root_command().commands)
    assert not known & {*SYNONYMS, *nearest_commands(), "help"}
    assert {words[0] for words in SYNONYMS.values()} <= {*known, "--version"}


@pytest.mark.parametrize("word", sorted(nearest_commands()))
def test_a_name_that_no_command_has_leads_to_the_nearest(cli: Terminal, word: str) -> None:
    answer = cli(word)
    assert (answer.code, answer.is_one_line()) == (2, True)
    assert "`ctxrepo " in answer.err


def test_a_mistyped_synonym_is_near_what_it_stands_for(cli: Terminal) -> None:
    assert "did you mean --version?" in cli("versoin").err
    assert cli().code == 0
