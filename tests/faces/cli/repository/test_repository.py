"""init and status, as a person meets them."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from datetime import datetime
from pathlib import Path

import pytest
from machines import make_remote
from terminal import Terminal

from ctxrepo.storage.worktree.worktree import Worktree

TOKEN = "ghp_" + "a1B2" * 9
NOTE = "shop/topics/gotcha.md"
Both = tuple[Terminal, Terminal]


def files(root: Path) -> dict[str, str]:
    """Every file below a folder with a digest of its bytes, but for databases, locks and logs."""
    return {
        str(p.relative_to(root)): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in root.rglob("*")
        if p.is_file() and p.suffix not in (".db", ".db-wal", ".db-shm", ".lock", ".log")
    }


class TestInit:
    def test_it_makes_a_memory_and_says_what_comes_next(self, fresh: Terminal) -> None:
        answer = fresh("init")
        assert (answer.code, answer.out) == (0, f"created a memory repository: {fresh.machine.clone}\n")
        assert "ctxrepo setup" in answer.err
        assert fresh.machine.git("status", "--porcelain") == ""

    def test_twice_changes_nothing(self, fresh: Terminal, remote: Path) -> None:
        fresh("init", str(remote))
        before = files(fresh.machine.home)
        for words in (["init"], ["init", str(remote)]):
            answer = fresh(*words)
            assert (answer.code, answer.err) == (0, "")
            assert "is unchanged" in answer.out
            # When the last exchange was may have changed, and which refs our own git directory was shown.
            now = files(fresh.machine.home)
            assert {p for p in now.keys() | before.keys() if now.get(p) != before.get(p)} <= {
                p for p in now if p.endswith(("exchange.json", "/git/packed-refs"))
            }

    def test_a_clone_that_is_there_is_not_made_sparse(self, fresh: Terminal) -> None:
        fresh("init")
        answer = fresh("init", "--sparse")
        assert (answer.code, "stays as it is" in answer.err) == (0, True)

    def test_status_tells_one_truth_about_the_branch(self, fresh: Terminal) -> None:
        fresh("init")
        fresh.machine.git("switch", "-q", "-c", "experiment")
        first, *_, last = fresh("status").out.splitlines()
        assert first.startswith(f"memory   {fresh.machine.clone} on experiment instead of main, ")
        assert last.endswith("commits that were made elsewhere stay on their branch.")
        assert (
            f"mended: {fresh.machine.clone} was on experiment and is on main again"
            in fresh("doctor", "--fix").out
        )
        assert fresh("status").out.startswith(f"memory   {fresh.machine.clone} on main, ")

    def test_without_a_remote_the_way_to_one_is_told(self, fresh: Terminal) -> None:
        fresh("init")
        assert "`ctxrepo init REMOTE` connects one" in fresh("sync").out
        assert "fetched" not in fresh("status").out

    def test_when_the_remote_last_answered_is_told_for_people(self, both: Both, remote: Path) -> None:
        ada, _ = both
        file = ada.machine.open().state.exchanges
        os.utime(file, (time.time() - 7300,) * 2)
        assert f"remote   {remote}, last exchange 2 hours ago" in ada("status").out
        ada("sync")
        assert f"remote   {remote}, last exchange just now" in ada("status").out
        now = ada("status", "--json").data
        assert all(datetime.fromisoformat(at).tzinfo for at in (now["fetched"], now["exchanged"]["at"]))

    def test_an_empty_remote_is_begun_and_not_called_a_clone(self, fresh: Terminal, remote: Path) -> None:
        answer = fresh("init", str(remote))
        assert (answer.code, answer.out.split(":")[0]) == (0, "created a memory repository")
        assert answer.out.rstrip().endswith(f"with {remote}")

    def test_a_remote_is_cloned(self, both: Both, remote: Path) -> None:
        ada, ben = both
        ada("remember", "from the first")
        ada("sync")
        shutil.rmtree(ben.machine.clone)
        answer = ben("init", str(remote))
        assert (answer.code, answer.out.split(":")[0]) == (0, "cloned the memory repository")
        assert "from the first" in ben("read", "MEMORY").out

    @pytest.mark.slow
    def test_a_remote_is_added_to_a_memory_without_one_and_merged(self, both: Both, remote: Path) -> None:
        ada, ben = both
        ada("remember", "said by ada")
        ada("sync")
        for place in (ben.machine.clone, ben.machine.places.config_dir, ben.machine.places.state):
            shutil.rmtree(place)
        ben("init")
        ben("remember", "said by ben")
        answer = ben("init", str(remote), "--json")
        assert (answer.code, answer.data["action"]) == (0, "connected")
        ada("sync")
        for terminal in both:
            assert all(word in terminal("read", "MEMORY").out for word in ("said by ada", "said by ben"))

    def test_another_remote_is_refused_naming_both(
        self, fresh: Terminal, remote: Path, tmp_path: Path
    ) -> None:
        other = make_remote(tmp_path / "other")
        fresh("init", str(remote))
        before = files(fresh.machine.home)
        answer = fresh("init", str(other))
        assert (answer.code, answer.is_one_line()) == (2, True)
        assert str(remote) in answer.err
        assert str(other) in answer.err
        assert files(fresh.machine.home) == before

    @pytest.mark.parametrize(
        "url",
        [
            "ext::sh -c 'touch pwned'",
            "--upload-pack=touch pwned",
            "http://git.example.org/x",
            "git://git.example.org/x",
            f"https://ada:{TOKEN}@git.example.org/x",
            f"https://{TOKEN}@git.example.org/x",
        ],
    )
    def test_an_address_that_is_dangerous_is_refused_and_not_repeated(
        self, fresh: Terminal, url: str
    ) -> None:
        answer = fresh("init", "--", url) if url.startswith("-") else fresh("init", url)
        assert (answer.code, answer.is_one_line()) == (2, True)
        assert TOKEN not in answer.err
        assert not fresh.machine.clone.exists()
        assert not list(fresh.machine.home.rglob("pwned"))

    def test_a_remote_that_is_not_there_leaves_nothing_behind(self, fresh: Terminal, tmp_path: Path) -> None:
        answer = fresh("init", str(tmp_path / "nowhere.git"))
        assert (answer.code, answer.is_one_line()) == (1, True)
        assert "could not be cloned" in answer.err
        assert sorted(p.name for p in fresh.machine.home.iterdir()) == [".gitconfig", "shop"]

    def test_a_folder_that_is_in_the_way_is_left_alone(self, fresh: Terminal) -> None:
        fresh.machine.clone.mkdir()
        (fresh.machine.clone / "mine.txt").write_text("mine")
        answer = fresh("init")
        assert (answer.code, answer.is_one_line()) == (2, True)
        assert (fresh.machine.clone / "mine.txt").read_text() == "mine"


class TestStatus:
    def test_it_counts_facts_and_commits(self, both: Both, remote: Path) -> None:
        ada, _ = both
        ada("remember", "one", "--pin")
        ada("remember", "two")
        now = ada("status", "--json").data
        assert (now["waiting"], now["ahead"], now["behind"]) == (2, 0, 0)
        assert (now["root"], now["remote"], now["branch"]) == (str(ada.machine.clone), str(remote), "main")
        assert now["project"] == {
            "id": "git.example.org/ada/shop",
            "folder": "shop",
            "is_registered": True,
            "also": "",
            "own": "git.example.org/ada/shop",
        }
        ada("pull")
        now = ada("status", "--json").data
        assert (now["waiting"], now["ahead"], now["notes"]) == (0, 1, 2)
        ada("push")
        assert ada("status", "--json").data["ahead"] == 0

    def test_it_asks_no_network(self, both: Both, remote: Path) -> None:
        shutil.rmtree(remote)
        assert both[0]("status").code == 0

    def test_outside_a_project_that_is_said(self, cli: Terminal) -> None:
        cli.cwd = cli.machine.home
        assert "none: global only" in cli("status").out
        assert "shop" not in cli("list").out

    def test_a_password_in_the_configured_remote_is_not_shown(self, cli: Terminal) -> None:
        file = cli.machine.places.config_file
        file.write_text(
            f'[[repository]]\npath = "~/.ctxrepo"\nremote = "https://ada:{TOKEN}@git.invalid/x"\n'
        )
        for words in (["status"], ["status", "--json"], ["doctor"], ["sync"], ["init"]):
            answer = cli(*words)
            assert TOKEN not in answer.out + answer.err, words


@pytest.mark.slow
def test_an_init_that_is_interrupted_says_how_it_goes_on(
    both: Both, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second one finishes it; what is told meanwhile is in tests/services/faults/test_halfway.py."""
    ada, ben = both
    ada("remember", "from the first")
    ada("sync")
    shutil.rmtree(ben.machine.clone)
    shutil.rmtree(ben.machine.places.state)
    update = Worktree.update_unchanged

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Worktree, "update_unchanged", interrupted)
    answer = ben("init", str(remote))
    assert (answer.code, answer.err) == (130, "ctxrepo: interrupted; run the same command again to finish\n")
    monkeypatch.setattr(Worktree, "update_unchanged", update)
    assert "stopped  `ctxrepo init` was interrupted" in ben("status").out
    assert "Run `ctxrepo init` again to finish it." in ben("doctor").out
    assert ben("init").code == 0
    assert "from the first" in ben("read", "MEMORY").out
    assert "stopped" not in ben("status").out
