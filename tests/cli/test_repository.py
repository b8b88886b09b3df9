"""init, sync, pull, push, status, check and doctor, as a person meets them."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
from machines import make_remote
from terminal import Terminal

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
        said = fresh("init")
        assert (said.code, said.out) == (0, f"created a memory repository: {fresh.machine.clone}\n")
        assert "ctxrepo setup" in said.err
        assert fresh.machine.git("status", "--porcelain") == ""

    def test_twice_changes_nothing(self, fresh: Terminal, remote: Path) -> None:
        fresh("init", str(remote))
        before = files(fresh.machine.home)
        for words in (["init"], ["init", str(remote)]):
            said = fresh(*words)
            assert (said.code, said.err) == (0, "")
            assert "as it was" in said.out
            # When the last exchange was is all that may have changed.
            now = files(fresh.machine.home)
            assert {p for p in now.keys() | before.keys() if now.get(p) != before.get(p)} <= {
                p for p in now if p.endswith("exchange.json")
            }

    def test_an_empty_remote_is_begun_and_not_called_a_clone(self, fresh: Terminal, remote: Path) -> None:
        said = fresh("init", str(remote))
        assert (said.code, said.out.split(":")[0]) == (0, "created a memory repository")
        assert said.out.rstrip().endswith(f"with {remote}")

    def test_a_remote_is_cloned(self, both: Both, remote: Path) -> None:
        ada, ben = both
        ada("remember", "from the first")
        ada("sync")
        shutil.rmtree(ben.machine.clone)
        said = ben("init", str(remote))
        assert (said.code, said.out.split(":")[0]) == (0, "cloned the memory repository")
        assert "from the first" in ben("read", "MEMORY").out

    def test_a_remote_is_added_to_a_memory_without_one_and_merged(self, both: Both, remote: Path) -> None:
        ada, ben = both
        ada("remember", "said by ada")
        ada("sync")
        for place in (ben.machine.clone, ben.machine.places.config_dir, ben.machine.places.state):
            shutil.rmtree(place)
        ben("init")
        ben("remember", "said by ben")
        said = ben("init", str(remote), "--json")
        assert (said.code, said.data["action"]) == (0, "connected")
        ada("sync")
        for terminal in both:
            assert all(word in terminal("read", "MEMORY").out for word in ("said by ada", "said by ben"))

    def test_another_remote_is_refused_naming_both(
        self, fresh: Terminal, remote: Path, tmp_path: Path
    ) -> None:
        other = make_remote(tmp_path / "other")
        fresh("init", str(remote))
        before = files(fresh.machine.home)
        said = fresh("init", str(other))
        assert (said.code, said.is_one_line()) == (2, True)
        assert str(remote) in said.err
        assert str(other) in said.err
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
        said = fresh("init", "--", url) if url.startswith("-") else fresh("init", url)
        assert (said.code, said.is_one_line()) == (2, True)
        assert TOKEN not in said.err
        assert not fresh.machine.clone.exists()
        assert not list(fresh.machine.home.rglob("pwned"))

    def test_a_remote_that_is_not_there_leaves_nothing_behind(self, fresh: Terminal, tmp_path: Path) -> None:
        said = fresh("init", str(tmp_path / "nowhere.git"))
        assert (said.code, said.is_one_line()) == (1, True)
        assert "could not be cloned" in said.err
        assert sorted(p.name for p in fresh.machine.home.iterdir()) == [".gitconfig", "shop"]

    def test_a_folder_that_is_in_the_way_is_left_alone(self, fresh: Terminal) -> None:
        fresh.machine.clone.mkdir()
        (fresh.machine.clone / "mine.txt").write_text("mine")
        said = fresh("init")
        assert (said.code, said.is_one_line()) == (2, True)
        assert (fresh.machine.clone / "mine.txt").read_text() == "mine"


class TestSync:
    def test_what_one_sends_the_other_pulls(self, both: Both) -> None:
        ada, ben = both
        ada("remember", "redis is on 6380")
        sent = ada("push")
        assert (sent.code, sent.out) == (0, "received 0, sent 1 commits\n")
        pulled = ben("pull", "--json")
        assert (pulled.code, pulled.data["received"], pulled.data["remote"]) == (0, 1, "ok")
        assert "redis is on 6380" in ben("read", "MEMORY").out
        assert ben("sync").out == "received 0, sent 0 commits\n"

    def test_pull_sends_nothing(self, both: Both) -> None:
        ada, ben = both
        ada("remember", "kept here")
        assert ada("pull").code == 0
        assert "1 to send" in ada("status").out
        ben("sync")
        assert ben("read", "MEMORY").code == 0
        assert "kept here" not in ben("read", "MEMORY").out

    def test_without_a_remote_it_commits_and_says_so(self, cli: Terminal) -> None:
        cli("remember", "mine")
        said = cli("sync")
        assert (said.code, said.err) == (0, "")
        assert "there is no remote" in said.out
        assert "0 to commit" in cli("status").out

    def test_5_an_unreachable_remote_keeps_everything(self, both: Both, remote: Path) -> None:
        ada, ben = both
        remote.rename(remote.with_name("away.git"))
        ada("remember", "said on the train")
        said = ada("sync")
        assert (said.code, said.out, said.err.count("\n")) == (5, "", 1)
        assert said.err.startswith("ctxrepo: not sent: ")
        assert "saved here" in said.err
        assert ada("pull").err.startswith("ctxrepo: not received: ")
        remote.with_name("away.git").rename(remote)
        assert ada("sync").code == 0
        ben("sync")
        assert "said on the train" in ben("read", "MEMORY").out

    def test_5_a_remote_that_refuses_is_not_asked_again_and_again(self, both: Both, remote: Path) -> None:
        refuse(remote, "protected, use a pull request")
        ada, _ = both
        ada("remember", "queued")
        said = ada("sync", "--json")
        assert (said.code, said.data["remote"], said.data["sent"]) == (5, "protected", 0)
        assert (remote / "asked").read_text() == "xx"  # for the shared branch, and once for one to review
        assert "does not reach its remote" in ada("status").out

    def test_4_a_version_that_was_kept_aside_is_told(self, both: Both) -> None:
        ada, ben = both
        meet(ada, ben)
        said = ben("sync", "--json")
        assert (said.code, said.data["aside"]) == (4, [NOTE])
        assert said.err.startswith(f"ctxrepo: two versions met in {NOTE}; `ctxrepo conflicts show ")
        kept = said.err.split("show ")[1].split("`")[0]
        assert ben("conflicts", "show", kept).code == 0
        assert ben("sync").code == 0

    def test_6_a_secret_is_held_back_the_rest_goes_on(self, both: Both) -> None:
        ada, ben = both
        ada.machine.write("global/deploy.md", f"- login with {TOKEN}\n")
        ada.machine.write("global/other.md", "- goes on\n")
        said = ada("sync")
        assert said.code == 6
        assert said.err == "ctxrepo: global/deploy.md#L1 is held back: it holds a secret (github-token)\n"
        assert TOKEN not in said.out + said.err + ada.machine.git("log", "-p", "--all")
        ben("sync")
        assert ben("read", "global:other").out == "- goes on\n"
        assert not (ben.machine.clone / "global/deploy.md").exists()
        assert "deploy.md#L1 is held back" in ada("status").out
        ada.machine.write("global/deploy.md", "- login as the password manager says\n")
        assert ada("sync").code == 0

    def test_6_a_secret_that_a_person_committed_is_not_sent(self, both: Both, remote: Path) -> None:
        ada, _ = both
        ada.machine.write("global/deploy.md", f"- login with {TOKEN}\n")
        ada.machine.git("add", ".")
        ada.machine.git("commit", "-qm", "by hand")
        assert ada("sync").code == 6
        assert TOKEN not in ada.machine.git("--git-dir", str(remote), "log", "-p", "--all")

    def test_several_at_once_6_before_5_before_4(self, both: Both, remote: Path) -> None:
        ada, ben = both
        meet(ada, ben)
        refuse(remote, "closed today")
        said = ben("sync", "--json")
        assert (said.code, said.data["aside"], said.data["remote"]) == (5, [NOTE], "protected")
        ada.machine.write("global/deploy.md", f"- login with {TOKEN}\n")
        said = ada("sync", "--json")
        assert (said.code, said.data["remote"], len(said.data["held"])) == (6, "ok", 1)
        ada("remember", "something to send")
        said = ada("sync", "--json")
        assert (said.code, said.data["remote"], len(said.data["held"])) == (6, "protected", 1)
        assert len(said.err.splitlines()) == 2

    def test_an_unfinished_merge_stops_it_with_the_way_out(self, cli: Terminal) -> None:
        (cli.machine.clone / ".git/MERGE_HEAD").write_text("0" * 40)
        said = cli("sync")
        assert (said.code, said.is_one_line()) == (1, True)
        assert "a merge is unfinished" in said.err
        assert cli("remember", "acknowledged all the same").code == 0
        assert "stopped  a merge" in cli("status").out


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
            said = cli(*words)
            assert TOKEN not in said.out + said.err, words


class TestCheckAndDoctor:
    def test_all_is_well(self, cli: Terminal) -> None:
        cli("remember", "a fact")
        assert (cli("check").code, cli("check").out) == (0, "nothing to mend\n")
        assert (cli("doctor").code, cli("doctor").out) == (0, "all is well\n")

    def test_1_each_finding_names_its_place_and_what_helps(self, cli: Terminal) -> None:
        cli.machine.write("global/torn.md", "---\nnever: closed\n")
        cli.machine.write("global/marks.md", "- a\n<<<<<<< ours\n- b\n")
        said = cli("check")
        assert said.code == 1
        assert said.out == (
            "global/marks.md:2: a conflict marker. Keep what holds and remove the marker lines.\n"
            "global/torn.md:1: frontmatter is opened on line 1 and never closed. "
            "End it with a line `---`; until then all of it is body.\n"
        )
        found = cli("check", "--json").data["findings"]
        assert [set(f) for f in found] == [{"path", "line", "problem", "remedy"}] * 2

    def test_1_doctor_names_what_keeps_the_memory_from_working(self, cli: Terminal) -> None:
        cli.machine.git("config", "core.sshCommand", "touch pwned")
        (cli.machine.home / ".claude").mkdir()
        said = cli("doctor")
        assert said.code == 1
        assert "sets core.sshcommand" in said.out
        assert "claude is here and not connected\n  `ctxrepo setup claude`" in said.out


def meet(ada: Terminal, ben: Terminal) -> None:
    """Both edit one entry; ada has sent hers."""
    ada.machine.write(NOTE, "# T\n\n- the port is 6379 on this machine\n")
    ada("sync")
    ben("sync")
    ada.machine.write(NOTE, "# T\n\n- the port is 6380 on this machine\n")
    ben.machine.write(NOTE, "# T\n\n- the port is 6381 on this machine\n")
    ada("sync")


def refuse(remote: Path, words: str) -> None:
    """Let the remote refuse what is sent, and count how often it had to."""
    hook = remote / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nprintf x >> asked\necho '{words}' >&2\nexit 1\n")
    hook.chmod(0o755)
