"""sync, pull and push, as a person meets them."""

from __future__ import annotations

from pathlib import Path

import pytest
from terminal import Terminal

TOKEN = "ghp_" + "a1B2" * 9
NOTE = "shop/topics/gotcha.md"
Both = tuple[Terminal, Terminal]


def test_what_one_sends_the_other_pulls(both: Both) -> None:
    ada, ben = both
    ada("remember", "redis is on 6380")
    sent = ada("push")
    assert (sent.code, sent.out) == (0, "received 0, sent 1 commit\n")
    pulled = ben("pull", "--json")
    assert (pulled.code, pulled.data["received"], pulled.data["remote"]) == (0, 1, "ok")
    assert "redis is on 6380" in ben("read", "MEMORY").out
    assert ben("sync").out == "received 0, sent 0 commits\n"


def test_pull_sends_nothing(both: Both) -> None:
    ada, ben = both
    ada("remember", "kept here")
    assert ada("pull").code == 0
    assert "1 to send" in ada("status").out
    ben("sync")
    assert ben("read", "MEMORY").code == 0
    assert "kept here" not in ben("read", "MEMORY").out


def test_without_a_remote_it_commits_and_says_so(cli: Terminal) -> None:
    cli("remember", "mine")
    answer = cli("sync")
    assert (answer.code, answer.err) == (0, "")
    assert "there is no remote" in answer.out
    assert "0 to commit" in cli("status").out


def test_6_without_a_remote_what_is_held_back_is_not_said_to_be_committed(cli: Terminal) -> None:
    cli.machine.write("global/deploy.md", f"- login with {TOKEN}\n")
    answer = cli("sync")
    assert (answer.code, answer.out) == (6, "there is no remote: `ctxrepo init REMOTE` connects one\n")
    assert answer.err == "ctxrepo: global/deploy.md#L1 is held back: it holds a secret (github-token)\n"
    cli.machine.write("global/deploy.md", "".join(f"- fact {number}\n" for number in range(61)))
    assert "all is committed" in cli("sync").out
    cli.machine.write("global/deploy.md", "")
    answer = cli("sync")
    assert (answer.code, "committed" in answer.out) == (6, False)
    assert "--accept deletions" in answer.err
    answer = cli("sync", "--accept", "deletions")
    assert (answer.code, answer.out.startswith("all is committed; ")) == (0, True)


def test_5_an_unreachable_remote_keeps_everything(both: Both, remote: Path) -> None:
    ada, ben = both
    remote.rename(remote.with_name("away.git"))
    ada("remember", "said on the train")
    answer = ada("sync")
    assert (answer.code, answer.out, answer.err.count("\n")) == (5, "", 1)
    assert answer.err.startswith("ctxrepo: not sent: ")
    assert "saved here" in answer.err
    assert ada("pull").err.startswith("ctxrepo: not received: ")
    remote.with_name("away.git").rename(remote)
    assert ada("sync").code == 0
    ben("sync")
    assert "said on the train" in ben("read", "MEMORY").out


def test_5_a_remote_that_refuses_is_not_asked_again_and_again(both: Both, remote: Path) -> None:
    refuse(remote, "protected, use a pull request")
    ada, _ = both
    ada("remember", "queued")
    answer = ada("sync", "--json")
    assert (answer.code, answer.data["remote"], answer.data["sent"]) == (5, "protected", 0)
    assert (remote / "asked").read_text() == "xx"  # for the shared branch, and once for one to review
    assert "does not reach its remote" in ada("status").out


@pytest.mark.slow
def test_4_a_version_that_was_kept_aside_is_told(both: Both) -> None:
    ada, ben = both
    meet(ada, ben)
    answer = ben("sync", "--json")
    assert (answer.code, answer.data["aside"]) == (4, [NOTE])
    assert answer.err.startswith(f"ctxrepo: two versions met in {NOTE}; `ctxrepo conflicts show ")
    kept = answer.err.split("show ")[1].split("`")[0]
    assert ben("conflicts", "show", kept).code == 0
    assert ben("sync").code == 0


@pytest.mark.slow
def test_6_a_secret_is_held_back_the_rest_goes_on(both: Both) -> None:
    ada, ben = both
    ada.machine.write("global/deploy.md", f"- login with {TOKEN}\n")
    ada.machine.write("global/other.md", "- goes on\n")
    answer = ada("sync")
    assert answer.code == 6
    assert answer.err == "ctxrepo: global/deploy.md#L1 is held back: it holds a secret (github-token)\n"
    assert TOKEN not in answer.out + answer.err + ada.machine.git("log", "-p", "--all")
    ben("sync")
    assert ben("read", "global:other").out == "- goes on\n"
    assert not (ben.machine.clone / "global/deploy.md").exists()
    assert "deploy.md#L1 is held back" in ada("status").out
    ada.machine.write("global/deploy.md", "- login as the password manager says\n")
    assert ada("sync").code == 0


def test_6_a_secret_that_a_person_committed_is_not_sent(both: Both, remote: Path) -> None:
    ada, _ = both
    ada.machine.write("global/deploy.md", f"- login with {TOKEN}\n")
    ada.machine.git("add", ".")
    ada.machine.git("commit", "-qm", "by hand")
    assert ada("sync").code == 6
    assert TOKEN not in ada.machine.git("--git-dir", str(remote), "log", "-p", "--all")


@pytest.mark.slow
def test_several_at_once_6_before_5_before_4(both: Both, remote: Path) -> None:
    ada, ben = both
    meet(ada, ben)
    refuse(remote, "closed today")
    answer = ben("sync", "--json")
    assert (answer.code, answer.data["aside"], answer.data["remote"]) == (5, [NOTE], "protected")
    ada.machine.write("global/deploy.md", f"- login with {TOKEN}\n")
    answer = ada("sync", "--json")
    assert (answer.code, answer.data["remote"], len(answer.data["held"])) == (6, "ok", 1)
    ada("remember", "something to send")
    answer = ada("sync", "--json")
    assert (answer.code, answer.data["remote"], len(answer.data["held"])) == (6, "protected", 1)
    assert len(answer.err.splitlines()) == 2


def test_an_unfinished_merge_stops_it_with_the_way_out(cli: Terminal) -> None:
    (cli.machine.clone / ".git/MERGE_HEAD").write_text("0" * 40)
    answer = cli("sync")
    assert (answer.code, answer.is_one_line()) == (1, True)
    assert "a merge is unfinished" in answer.err
    assert cli("remember", "acknowledged all the same").code == 0
    assert "stopped  a merge" in cli("status").out


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


def test_versions_that_were_kept_aside_before_are_named(cli: Terminal, remote: Path) -> None:
    cli("init", str(remote))
    cli("remember", "a fact of the shop")
    assert "kept aside" not in cli("sync").err
    copy = cli.machine.clone / "conflicts/shop/MEMORY.md--0123456789.md"
    copy.parent.mkdir(parents=True)
    copy.write_text("- another fact\n")
    answer = cli("sync")
    assert answer.code == 0
    assert answer.err.count("1 version is kept aside") == 1
    assert "because two machines changed the same thing: `ctxrepo conflicts`" in answer.err
    assert cli("sync", "--json").data["kept_aside"] == 1
