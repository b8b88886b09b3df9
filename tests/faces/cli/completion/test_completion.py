"""completion: what is offered where, in the form each shell reads, and never an error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from copies import Copies
from machines import Machine, make_ada
from terminal import Terminal

from ctxrepo.agents import names
from ctxrepo.faces.cli.completion.door import main


def offered(cli: Terminal, *words: str, **env: str) -> list[str]:
    """What zsh and fish would be told after `ctxrepo WORDS`."""
    with cli.monkeypatch.context() as patch:
        for name, value in {**cli.machine.env, **env}.items():
            patch.setenv(name, value)
        patch.chdir(cli.machine.project_folder)
        cli.capsys.readouterr()
        assert main(["fish", *words]) == 0
    printed = cli.capsys.readouterr()
    assert printed.err == ""
    return [line.partition("\t")[0] for line in printed.out.splitlines()]


def in_bash(cli: Terminal, line: str) -> list[str]:
    """What bash would be told."""
    with cli.monkeypatch.context() as patch:
        for name, value in cli.machine.env.items():
            patch.setenv(name, value)
        patch.chdir(cli.machine.project_folder)
        cli.capsys.readouterr()
        assert main(["bash", "\"'><=;|&(:", line]) == 0
    return cli.capsys.readouterr().out.splitlines()


@pytest.fixture
def known(copies: Copies, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(copies.of(with_notes), monkeypatch, capsys)


def with_notes(place: Path) -> Machine:
    machine = make_ada(place)
    machine.remember("redis is on port 6380", category="gotcha")
    machine.write("global/topics/on call.md", "---\ndescription: Who to wake\ntags: [rota, team]\n---\n- A\n")
    machine.write("other/core/x.md", "---\ntags: [foreign]\n---\n- x\n")
    machine.sync()
    return machine


class TestWords:
    def test_commands_and_their_verbs(self, fresh: Terminal) -> None:
        assert {"list", "remember", "config"} <= set(offered(fresh, ""))
        assert offered(fresh, "lis") == ["list"]
        assert offered(fresh, "conflicts", "") == ["list", "show", "resolve"]
        assert offered(fresh, "nonsense", "") == []

    def test_options_that_can_still_be_given(self, fresh: Terminal) -> None:
        assert set(offered(fresh, "read", "-")) == {"--json", "--help"}
        assert offered(fresh, "remember", "x", "--tag", "a", "--scope", "s", "--t") == ["--tag"]
        assert offered(fresh, "remember", "x", "--scope", "s", "--sc") == []
        assert offered(fresh, "remember", "--", "--sc") == []

    def test_values_that_are_known_by_themselves(self, fresh: Terminal) -> None:
        for words, expected in (
            ("conflicts resolve --keep", ["kept", "other", "both"]),
            ("sync --accept", ["deletions", "remote"]),
            ("setup", names()),
            ("completion", ["bash", "zsh", "fish"]),
            ("config set recall.gate", ["true", "false"]),
            ("config set repository.review", ["direct", "branch"]),
            ("new x --from", [":files"]),
            ("remember", []),
            ("status", []),
        ):
            assert (words, offered(fresh, *words.split(), "")) == (words, expected)
        assert offered(fresh, "config", "set", "hooks.session_end", "commit,") == ["commit,push"]
        assert offered(fresh, "config", "get", "sync.t") == ["sync.ttl", "sync.timeout"]


class TestMemory:
    def test_scopes(self, known: Terminal) -> None:
        assert offered(known, "list", "--scope", "") == ["global", "project", "other", "shop"]
        assert offered(known, "list", "--scope=gl") == ["--scope=global"]

    def test_tags_of_notes_in_view(self, known: Terminal) -> None:
        tags = offered(known, "remember", "x", "--tag", "")
        assert {"rota", "team"} <= set(tags)
        assert "foreign" not in tags

    @pytest.mark.parametrize(
        ("start", "expected"),
        [
            ("topics/", ["topics/gotcha.md", "topics/on call.md"]),
            ("global:topics/", ["global:topics/on call.md"]),
            ("project:", ["project:topics/gotcha.md"]),
            ("other:c", ["other:core/x.md"]),
            ("shop/", ["shop/topics/gotcha.md"]),
            ("nowhere:", []),
            ("core/", []),
        ],
    )
    def test_notes(self, known: Terminal, start: str, expected: list[str]) -> None:
        assert offered(known, "read", start) == expected

    def test_entries_by_their_ids_and_places(self, known: Terminal) -> None:
        (hit,) = known("search", "6380", "--json").data["hits"]
        assert offered(known, "edit", "^") >= [hit["id"]]
        assert offered(known, "read", hit["id"][:4]) == [hit["id"]]
        assert offered(known, "remember", "x", "--supersedes", hit["id"][:4]) == [hit["id"]]
        assert offered(known, "verify", hit["id"][:4]) == [hit["id"]]
        lines = hit["at"].partition("#")[2]
        for note in (
            "topics/gotcha",
            "topics/gotcha.md",
            "shop/topics/gotcha.md",
            "project:topics/gotcha.md",
        ):
            assert offered(known, "read", f"{note}#") == [f"{note}#{lines}"]
        assert offered(known, "read", "topics/none#") == []

    def test_what_is_behind_an_id_is_said_beside_it(self, known: Terminal) -> None:
        with known.monkeypatch.context() as patch:
            for name, value in known.machine.env.items():
                patch.setenv(name, value)
            patch.chdir(known.machine.project_folder)
            known.capsys.readouterr()
            main(["fish", "read", "^"])
        assert "\t[gotcha] redis is on port 6380\n" in known.capsys.readouterr().out

    def test_items_that_can_be_ticked(self, known: Terminal) -> None:
        known("scratch", "add", "ask the bank")
        known("scratch", "add", "ship it")
        known("scratch", "done", "ship")
        known.machine.sync()
        assert offered(known, "scratch", "done", "") == ["ask the bank"]
        assert offered(known, "scratch", "undo", "") == ["ship it"]
        (item,) = offered(known, "scratch", "done", "^")
        assert known("scratch", "done", item[:6]).out.startswith("done: ")

    def test_categories_projects_traces_and_sessions(self, known: Terminal) -> None:
        assert offered(known, "search", "--category", "") == ["gotcha"]
        assert offered(known, "remember", "x", "-c", "g") == ["gotcha"]
        assert offered(known, "project", "link", "") == ["git.example.org/ada/shop"]
        known.machine.write("ctxrepo.toml", known.machine.read("ctxrepo.toml") + '[aliases]\n"a/b" = "c/d"\n')
        assert offered(known, "project", "unlink", "") == ["a/b"]
        trace = known("recall", "which port has redis?", "--json").data["trace_id"]
        assert offered(known, "trace", "") == [trace]
        assert offered(known, "session", "off", "--session", "") == []
        assert offered(known, "conflicts", "show", "") == []

    def test_commits_and_notes_that_are_gone(self, known: Terminal) -> None:
        known("new", "topics/short-lived.md", "-d", "d")
        known("sync")
        assert "topics/short-lived.md" not in offered(known, "restore", "")
        known("forget", "topics/short-lived.md")
        known("sync")
        assert {"topics/short-lived.md", "shop/topics/short-lived.md"} <= {*offered(known, "restore", "")}
        newest = known("history", "--limit", "1", "--json").data["history"][0]["commit"][:10]
        for words in (("undo",), ("history", "x", "--show"), ("restore", "x", "--at")):
            assert newest in offered(known, *words, "")

    def test_the_project_that_the_environment_names(self, known: Terminal) -> None:
        known("list", CTXREPO_PROJECT="other")
        assert offered(known, "read", "core/", CTXREPO_PROJECT="other") == ["core/x.md"]

    def test_bash_gets_what_stands_behind_its_word_breaks(self, known: Terminal) -> None:
        for line, expected in (
            ("ctxrepo read topics/on", ["topics/on\\ call.md"]),
            ("ctxrepo read global:topics/on", ["topics/on\\ call.md"]),
            ('ctxrepo read "global:topics/on', ["global:topics/on call.md"]),
            ("ctxrepo read topics/on\\ c", ["topics/on\\ call.md"]),
            ("ctxrepo list --scope=gl", ["global"]),
            ("ctxrepo list --tag=none ", ["topics"]),
            ("ctxrepo new x --from ", [":files"]),
        ):
            assert (line, in_bash(known, line)) == (line, expected)


class TestSilence:
    def test_before_init_nothing_is_known_and_nothing_made(self, fresh: Terminal) -> None:
        before = sorted(fresh.machine.home.rglob("*"))
        for words in (["read", ""], ["list", "--scope", ""], ["remember", "x", "--tag", ""]):
            assert offered(fresh, *words) == []
        assert sorted(fresh.machine.home.rglob("*")) == before

    def test_what_is_broken_is_no_error(self, known: Terminal) -> None:
        state = known.machine.open().state
        for file in state.root.glob("cache.db*"):
            file.write_bytes(b"no database" * 1000)
        assert offered(known, "read", "") == []
        assert state.cache.read_bytes().startswith(b"no database")
        known.machine.places.config_file.write_text("[")
        assert offered(known, "list", "--scope", "") == []
        assert offered(known, "read", "", CTXREPO_STATE="not/absolute") == []

    def test_words_that_make_no_sense(self, known: Terminal) -> None:
        for words in ([], ["bash"], ["fish"], ["zsh", "config", "set", "no.key", ""], ["bash", ":", ""]):
            assert main(words) == 0
        assert known.capsys.readouterr() == ("", "")

    def test_names_that_would_act_on_a_terminal_are_not_offered(self, known: Terminal) -> None:
        known.machine.write("global/evil\x1b[31m.md", "- x\n")
        known.machine.write("global/evil.md", '---\ndescription: "a\\e[31mb"\n---\n- x\n')
        known.machine.sync()
        assert offered(known, "read", "evil") == ["evil.md"]
        assert not any("\x1b" in line for line in in_bash(known, "ctxrepo read evil"))


class TestScripts:
    def test_another_shell_is_refused_with_those_there_are(self, fresh: Terminal) -> None:
        answer = fresh("completion", "tcsh")
        assert (answer.code, answer.is_one_line()) == (2, True)
        assert "bash, zsh, fish" in answer.err

    def test_the_module_and_the_installed_command_print_the_same(self, ada: Machine) -> None:
        installed = Path(sys.executable).with_name("ctxrepo")
        run = subprocess.run(
            [sys.executable, installed, "completion", "bash"], env=ada.env, capture_output=True, text=True
        )
        assert run.stdout == ada.ctxrepo("completion", "bash").stdout
