"""config: a setting is shown with its reason, explained, and changed; what stands around it stays."""

from __future__ import annotations

import pytest
from terminal import Terminal

from ctxrepo.domain.settings.keys import keys
from ctxrepo.domain.settings.values import RepositorySettings
from ctxrepo.storage.state.compiled import read_settings as compiled
from ctxrepo.storage.user.config import read_settings


def write(cli: Terminal, text: str) -> None:
    file = cli.machine.places.config_file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def origins(cli: Terminal, **env: str) -> dict[str, tuple[object, str]]:
    settings = cli("config", "list", "--json", **env).data["settings"]
    return {s["key"]: (s["value"], s["origin"]) for s in settings}


class TestLooking:
    def test_every_key_with_its_value_and_where_it_comes_from(self, fresh: Terminal) -> None:
        write(fresh, '# mine\n[[repository]]\nremote = "/r"\n\n[recall]\nlimit = 3 # few\n')
        file = fresh.machine.places.config_file
        settings = origins(fresh)
        assert list(settings) == [k.name for k in keys()]
        assert settings["recall.limit"] == (3, f"{file}:6")
        assert settings["repository.remote"] == ("/r", f"{file}:3")
        assert settings["sync.timeout"] == (8, "default")
        assert settings["repository.path"] == (str(fresh.machine.clone), "default")
        answer = fresh("config")
        assert ["recall.limit", "3", "config.toml:6"] in [line.split() for line in answer.out.splitlines()]
        assert "config.toml:6\n" in answer.out
        assert str(file) in answer.err

    def test_the_environment_is_named(self, fresh: Terminal) -> None:
        settings = origins(fresh, CTXREPO_HOME="/elsewhere")
        assert settings["repository.path"] == ("/elsewhere", "environment (CTXREPO_HOME)")

    def test_one_value_for_a_script(self, fresh: Terminal) -> None:
        write(fresh, '[hooks]\nturn_end = []\nsession_end = ["push"]\n')
        for key, out in (
            ("sync.timeout", "8\n"),
            ("recall.gate", "true\n"),
            ("hooks.session_start", "pull\n"),
            ("hooks.session_end", "push\n"),
            ("hooks.turn_end", ""),
        ):
            assert (fresh("config", "get", key).out, key) == (out, key)
        assert fresh("config", "get", "hooks.turn_end", "--json").data["value"] == []

    def test_a_password_in_an_address_is_not_shown(self, fresh: Terminal) -> None:
        write(fresh, '[[repository]]\nremote = "https://ada:hunter22@example.org/m"\n')
        for words in ("list", "get repository.remote", "explain repository.remote", "list --json"):
            answer = fresh("config", *words.split())
            assert (answer.code, "hunter22" in answer.out + answer.err) == (0, False)
            assert "example.org" in answer.out

    def test_what_a_key_means(self, fresh: Terminal) -> None:
        write(fresh, "[sync]\nttl = 60\n")
        output = fresh("config", "explain", "sync.ttl").out
        assert "Seconds for which a successful fetch counts as fresh" in output
        assert "Takes a number up to 2592000; 120 by default." in output
        assert f"Now: 60, from {fresh.machine.places.config_file}:2" in output
        every = fresh("config", "explain").out
        assert all(f"{key.name}\n" in every and key.sentence in every for key in keys())
        assert fresh("config", "explain", "sync.ttl", "--json").data["default"] == 120

    def test_nothing_is_made(self, fresh: Terminal) -> None:
        before = sorted(fresh.machine.home.rglob("*"))
        for words in ("config", "config list", "config get sync.ttl", "config explain"):
            assert fresh(*words.split()).code == 0
        assert sorted(fresh.machine.home.rglob("*")) == before


class TestChanging:
    def test_before_init_the_file_is_made(self, fresh: Terminal) -> None:
        answer = fresh("config", "set", "sync.timeout", "20")
        file = fresh.machine.places.config_file
        assert (answer.code, answer.err) == (0, "")
        assert answer.out == f"sync.timeout is 20 (was 8), {file}:2\n"
        assert (file.read_text(), file.stat().st_mode & 0o777) == ("[sync]\ntimeout = 20\n", 0o600)
        assert not fresh.machine.places.state.exists()
        fresh.machine.init()
        assert fresh("config", "get", "sync.timeout").out == "20\n"

    def test_every_other_byte_stays(self, cli: Terminal) -> None:
        file = cli.machine.places.config_file
        text = file.read_text() + "\n[sync] # how\r\nttl = 60 # a minute\n\n# why\n[recall]\nlimit = 3"
        write(cli, text)
        assert cli("config", "set", "sync.ttl", "90").code == 0
        assert file.read_bytes().decode() == text.replace("60 #", "90 #")
        assert cli("config", "set", "sync.ttl", "90").out.startswith("sync.ttl is 90 (as it was)")

    def test_hooks_follow_at_once(self, cli: Terminal) -> None:
        state = cli.machine.places.state
        cli("config", "set", "recall.limit", "2")
        cli("config", "set", "hooks.turn_end", "")
        assert (compiled(state)["recall_limit"], compiled(state)["turn_end"]) == ("2", "off")
        cli("config", "set", "recall.limit", "3")
        assert compiled(state)["recall_limit"] == "3"

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("sync.timeuot 3", "Did you mean sync.timeout?"),
            ("sync.timeout soon", "It takes a number up to 3600."),
            ("repository.review later", "It takes direct or branch."),
            ("repository.path here", "absolute path"),
            ("repository.remote http://example.org/m", "https, ssh or a path"),
            ("repository.remote https://a:b@example.org/m", "credential helper"),
            ("repository.remote git@example.org:a/m", "`ctxrepo init git@example.org:a/m` connects it"),
        ],
    )
    def test_what_can_not_be_is_refused_with_2(self, cli: Terminal, words: str, message: str) -> None:
        before = cli.machine.places.config_file.read_bytes()
        answer = cli("config", "set", *words.split())
        assert (answer.code, answer.is_one_line()) == (2, True)
        assert message in answer.err
        assert cli.machine.places.config_file.read_bytes() == before

    def test_a_file_that_is_no_toml_is_refused_with_its_line(self, fresh: Terminal) -> None:
        write(fresh, "[sync]\nttl = 3\n[recall\n")
        for words in ("set sync.ttl 4", "list", "get sync.ttl"):
            answer = fresh("config", *words.split())
            assert (answer.code, answer.is_one_line()) == (2, True)
            assert "at line 3" in answer.err
        assert fresh.machine.places.config_file.read_text() == "[sync]\nttl = 3\n[recall\n"

    def test_what_is_odd_in_the_file_is_told(self, fresh: Terminal) -> None:
        write(fresh, "[sync]\ntimeuot = 3\n")
        answer = fresh("config", "set", "sync.ttl", "4")
        warning = f"{fresh.machine.places.config_file}:2: sync.timeuot is unknown; did you mean sync.timeout?"
        assert (answer.code, answer.err) == (0, f"ctxrepo: {warning}\n")

    def test_what_is_left_to_do_is_told(self, both: tuple[Terminal, Terminal]) -> None:
        ada, _ = both
        errors = ada("config", "set", "repository.remote", "/other.git").err
        assert "config.toml, which ctxrepo follows, says /other.git. " in errors
        assert "`git remote set-url origin ADDRESS` there if ctxrepo is" in errors
        errors = ada("config", "unset", "repository.remote").err
        assert "config.toml, which ctxrepo follows, says none. " in errors
        assert "`git remote remove origin` there" in errors
        assert (
            "holds instead"
            in ada("config", "set", "repository.path", "~/.ctxrepo", CTXREPO_HOME=str(ada.machine.clone)).err
        )
        assert "no memory repository at" in ada("config", "set", "repository.path", "~/gone").err

    def test_what_is_taken_out_has_its_default_again(self, cli: Terminal) -> None:
        state = cli.machine.places.state
        file = cli.machine.places.config_file
        text = f"{file.read_text()}\n[recall] # how\r\n# why\nlimit = 3 # few\n\n\nenabled = true"
        write(cli, text)
        answer = cli("config", "unset", "recall.limit")
        assert (answer.code, answer.out) == (0, "recall.limit is 24 (was 3), default\n")
        assert file.read_bytes().decode() == text.replace("limit = 3 # few\n", "")
        assert compiled(state)["recall_limit"] == "24"
        answer = cli("config", "unset", "recall.limit")
        assert (answer.code, answer.out) == (0, "recall.limit is 24 (config.toml didn't set it), default\n")

    def test_a_value_that_makes_no_sense_can_be_taken_out(self, fresh: Terminal) -> None:
        write(fresh, '[sync]\ntimeout = "soon"\n')
        answer = fresh("config", "unset", "sync.timeout", "--json")
        assert (answer.code, answer.data["changed"], answer.data["value"]) == (0, True, 8)
        assert fresh.machine.places.config_file.read_text() == ""

    def test_of_a_repository_the_first_ones_key_is_taken_out(self, cli: Terminal) -> None:
        file = cli.machine.places.config_file
        write(cli, f'{file.read_text()}review = "branch"\n\n[[repository]]\nreview = "branch"\n')
        assert cli("config", "unset", "repository.review").out.startswith("repository.review is direct (was")
        assert file.read_text().count('review = "branch"') == 1

    def test_a_repository_in_a_list_is_changed_there(self, cli: Terminal) -> None:
        file = cli.machine.places.config_file
        write(cli, f'repository = [{{path = "{cli.machine.clone}", remote = "/r.git"}}] # mine\n')
        before = file.read_text()
        assert cli("config", "set", "repository.remote", "").code == 0
        assert file.read_text() == before.replace("/r.git", "")
        assert cli("config", "unset", "repository.remote").out.startswith("repository.remote is ")
        assert read_settings(file).repository == (RepositorySettings(path=str(cli.machine.clone)),)
        assert "didn't set it" in cli("config", "unset", "repository.remote").out

    def test_what_can_not_be_taken_out_is_said(self, fresh: Terminal) -> None:
        for words in ("unset sync.timeout", "unset sync"):
            before = sorted(fresh.machine.home.rglob("*"))
            answer = fresh("config", *words.split())
            assert answer.code == (2 if words == "unset sync" else 0)
            assert sorted(fresh.machine.home.rglob("*")) == before

    def test_the_place_of_json_is_told(self, fresh: Terminal) -> None:
        assert "`ctxrepo config get --json`" in fresh("config", "--json", "get", "sync.ttl").out


def test_a_number_beyond_its_range_is_refused_with_the_range(cli: Terminal) -> None:
    answer = cli("config", "set", "recall.limit", "99999")
    assert (answer.code, answer.is_one_line(), "a whole number up to 100" in answer.err) == (2, True, True)
    file = cli.machine.places.config_file
    file.write_text(file.read_text() + "[recall]\nlimit = 99999\n")
    answer = cli("config", "get", "recall.limit")
    assert (answer.out, "must be a whole number up to 100" in answer.err) == ("24\n", True)


def test_unset_leaves_no_empty_table(cli: Terminal) -> None:
    before = cli.machine.places.config_file.read_bytes()
    cli("config", "set", "recall.limit", "3")
    assert cli.machine.places.config_file.read_bytes() != before
    cli("config", "unset", "recall.limit")
    assert cli.machine.places.config_file.read_bytes() == before


def test_the_global_folder_gets_no_name_that_takes_its_notes_out_of_view(cli: Terminal) -> None:
    cli("remember", "Answer in Dutch", "--scope", "global")
    refused = cli("config", "set", "repository.global_folder", "everywhere")
    assert refused.code == 2
    assert "mv global everywhere`" in refused.err
    (cli.machine.clone / "global").rename(cli.machine.clone / "everywhere")
    assert cli("config", "set", "repository.global_folder", "everywhere").code == 0
    assert "Answer in Dutch" in cli("context").out
    assert cli("config", "unset", "repository.global_folder").code == 2
    write(cli, '[[repository]]\nglobal_folder = "elsewhere"\n')
    cli.machine.write("global/MEMORY.md", "- Use make\n")
    assert "global/: warning: no project has this folder" in cli("check").out
