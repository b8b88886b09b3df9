"""Each way a real server says no is told apart, and git's words about it hold no more than they should."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from long import rotating
from machines import make_remote
from owned import own_of
from servers.forged import forge
from servers.https import PASSWORD, USER, HttpsServer, needs_https
from servers.line import Line, ssh_client
from servers.proxy import Kind
from servers.ssh import SshServer, needs_sshd
from torture.mounts import mounted, needs_mount

from ctxrepo.domain.git.remote import Outcome, RemoteAnswer
from ctxrepo.storage.remote.conversation import Remote

pytestmark = pytest.mark.each_commit


class Caller:
    """A clone with one commit, and a user whose git can be set up."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root, self.home = root, home
        self.git("init", "-q", "-b", "main")
        self.identity = (home / ".gitconfig").read_text()

    def git(self, *words: str) -> str:
        self.root.mkdir(exist_ok=True)
        run = subprocess.run(["git", *words], cwd=self.root, capture_output=True, text=True, check=True)
        return run.stdout.strip()

    def commit(self, size: int = 10) -> str:
        (self.root / "note.md").write_text(os.urandom(size).hex())
        self.git("add", "note.md")
        self.git("commit", "-q", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def remote(self, url: str, client: str) -> Remote:
        (self.home / ".gitconfig").write_text(self.identity + client)
        return Remote(own_of(self.root, url), dict(os.environ), timeout=5)

    def fetch(self, url: str, client: str) -> RemoteAnswer:
        return self.remote(url, client).fetch()

    def push(self, url: str, client: str, size: int = 10) -> RemoteAnswer:
        return self.remote(url, client).push(self.commit(size))


@pytest.fixture
def caller(tmp_path: Path, home: Path) -> Caller:
    return Caller(tmp_path / "clone", home)


def outcome_of(answer: RemoteAnswer) -> tuple[Outcome, bool]:
    """Outcome, and whether the reason is one line that says something."""
    return answer.outcome, bool(answer.reason) and "\n" not in answer.reason


@needs_sshd
@pytest.mark.parametrize(
    ("key", "known", "outcome", "word"),
    [
        ("user", "unknown", "untrusted", "Host key"),
        ("user", "changed", "untrusted", "HAS CHANGED"),
        ("stranger", "known", "auth", "Permission denied"),
    ],
)
def test_ssh_that_does_not_come_about(
    caller: Caller, sshd: SshServer, remote: Path, key: str, known: str, outcome: Outcome, word: str
) -> None:
    answer = caller.fetch(sshd.url(remote), ssh_client(sshd.client_with(key, known)))
    assert outcome_of(answer) == (outcome, True)
    assert word in answer.reason


@needs_sshd
def test_a_key_that_may_only_read(caller: Caller, sshd: SshServer, remote: Path) -> None:
    client = ssh_client(sshd.client_with("reader"))
    assert caller.fetch(sshd.url(remote), client).ok
    answer = caller.push(sshd.url(remote), client)
    assert outcome_of(answer) == ("readonly", True)
    assert "read only" in answer.reason


@needs_https
@pytest.mark.parametrize("certificate", ["expired", "misnamed", "stranger"])
def test_a_certificate_that_proves_nothing(
    caller: Caller, nginx: HttpsServer, remote: Path, certificate: str
) -> None:
    answer = caller.fetch(nginx.url(remote, certificate=certificate), nginx.client())
    assert outcome_of(answer) == ("untrusted", True)
    assert caller.fetch(nginx.url(remote), "").outcome == "untrusted", "an authority nobody told us of"


@needs_https
def test_passwords_come_from_the_users_own_helper_or_not_at_all(
    caller: Caller, nginx: HttpsServer, remote: Path
) -> None:
    url = nginx.url(remote, "git")
    assert outcome_of(caller.fetch(url, nginx.client())) == ("auth", True)
    wrong = caller.fetch(url, nginx.client("wrong-password-91"))
    assert outcome_of(wrong) == ("auth", True)
    assert "wrong-password-91" not in wrong.reason
    assert caller.fetch(url, nginx.client(PASSWORD)).ok
    assert caller.push(url, nginx.client(PASSWORD)).ok
    store = caller.home / "store"
    port = nginx.ports["good"]
    store.write_text(f"https://{USER}:{PASSWORD}@127.0.0.1:{port}\n")
    stored = f"{nginx.client()}[credential]\n\thelper = store --file={store}\n"
    assert caller.fetch(url, stored).ok
    store.write_text(f"https://{USER}:wrong@127.0.0.1:{port}\n")
    assert caller.fetch(url, stored).outcome == "auth"


@needs_https
@pytest.mark.parametrize(
    ("number", "outcome"),
    [(401, "auth"), (403, "auth"), (404, "missing"), (429, "busy"), (500, "busy"), (503, "busy")],
)
def test_numbers_for_an_answer(
    caller: Caller, nginx: HttpsServer, remote: Path, number: int, outcome: Outcome
) -> None:
    assert outcome_of(caller.fetch(nginx.url(remote, f"status/{number}"), nginx.client())) == (outcome, True)


@needs_https
@pytest.mark.parametrize("door", ["read", "write-denied"])
def test_credentials_that_may_only_read(caller: Caller, nginx: HttpsServer, remote: Path, door: str) -> None:
    assert caller.fetch(nginx.url(remote, door), nginx.client()).ok
    assert outcome_of(caller.push(nginx.url(remote, door), nginx.client())) == ("readonly", True)


@needs_https
def test_a_redirect_to_another_host_is_not_followed(caller: Caller, nginx: HttpsServer, remote: Path) -> None:
    assert outcome_of(caller.fetch(nginx.url(remote, "moved"), nginx.client())) == ("address", True)


@needs_https
def test_a_page_that_is_no_git_is_not_an_empty_remote(
    caller: Caller, nginx: HttpsServer, remote: Path
) -> None:
    assert caller.push(nginx.url(remote), nginx.client()).ok
    assert caller.fetch(nginx.url(remote), nginx.client()).ok
    seen = caller.git("rev-parse", "refs/remotes/origin/main")
    assert outcome_of(caller.fetch(nginx.url(remote, "garbage"), nginx.client())) == ("missing", True)
    assert caller.git("rev-parse", "refs/remotes/origin/main") == seen


@pytest.fixture(params=[pytest.param("ssh", marks=needs_sshd), pytest.param("https", marks=needs_https)])
def way(request: pytest.FixtureRequest, remote: Path) -> tuple[str, str]:
    """(address, lines for .gitconfig) of a repository that one may write to."""
    if request.param == "ssh":
        sshd: SshServer = request.getfixturevalue("sshd")
        return sshd.url(remote), ssh_client(sshd.client)
    nginx: HttpsServer = request.getfixturevalue("nginx")
    return nginx.url(remote), nginx.client()


def test_empty_absent_and_deleted(caller: Caller, way: tuple[str, str], remote: Path) -> None:
    url, client = way
    assert caller.fetch(url, client) == RemoteAnswer("ok", "the remote is empty")
    assert outcome_of(caller.fetch(url.replace("memory.git", "none.git"), client)) == ("missing", True)
    assert caller.push(url, client).ok
    assert caller.fetch(url, client) == RemoteAnswer("ok")
    subprocess.run(["git", "-C", str(remote), "update-ref", "-d", "refs/heads/main"], check=True)
    assert caller.fetch(url, client).ok
    assert caller.git("for-each-ref", "refs/remotes") == ""


GITHUB = "error: GH006: Protected branch update failed for refs/heads/main."
GITLAB = "GitLab: You are not allowed to push code to protected branches on this project."


@pytest.mark.parametrize(
    ("hook", "outcome", "reason"),
    rotating(
        [
            (f"echo '{GITHUB}'; exit 1", "protected", f"remote: {GITHUB}"),
            (f"echo '{GITLAB}'; exit 1", "protected", f"remote: {GITLAB}"),
            ("exit 1", "protected", "(pre-receive hook declined)"),
            ("printf 'caf\\351 ferm\\351\\n'; exit 1", "protected", "remote: caf\ufffd ferm\ufffd"),
            ("echo 'disk quota exceeded'; exit 1", "quota", "remote: disk quota exceeded"),
            ("echo 'error: Push cannot contain secrets'; exit 1", "refused", "remote: error: Push cannot"),
        ],
    ),
)
def test_what_a_hook_of_the_remote_declines(
    caller: Caller, way: tuple[str, str], remote: Path, hook: str, outcome: Outcome, reason: str
) -> None:
    file = remote / "hooks" / "pre-receive"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{hook}\n")
    file.chmod(0o755)
    answer = caller.push(*way)
    assert outcome_of(answer) == (outcome, True)
    assert reason in answer.reason


def test_more_than_the_remote_takes(caller: Caller, way: tuple[str, str], remote: Path) -> None:
    subprocess.run(["git", "-C", str(remote), "config", "receive.maxInputSize", "5000"], check=True)
    # git on the server ends before it has read everything. A web server that is still writing to it then may
    # answer 502 in place of git's words, so we send again, as the next sync would.
    answers = (caller.push(*way, size=20_000) for _ in range(3))
    answer = next(answer for answer in answers if answer.outcome != "busy")
    assert outcome_of(answer) == ("quota", True)
    assert "maximum allowed size" in answer.reason


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A repository on a disk of 1 MiB that is full."""
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=1m", "tmpfs") as disk:
        remote = make_remote(disk)
        filler = subprocess.run(["cp", "/dev/zero", str(disk / "filler")], capture_output=True, text=True)
        assert "No space left" in filler.stderr
        yield remote


@needs_mount
@needs_sshd
def test_a_server_whose_disk_is_full(caller: Caller, sshd: SshServer, full: Path) -> None:
    answer = caller.push(sshd.url(full), ssh_client(sshd.client), size=20_000)
    assert outcome_of(answer) == ("quota", True)
    assert "No space left" in answer.reason


def test_forged_objects_are_not_taken(caller: Caller, way: tuple[str, str], remote: Path) -> None:
    forge(remote)
    answer = caller.fetch(*way)
    assert outcome_of(answer) == ("malformed", True)
    assert "hasDotgit" in answer.reason
    assert caller.git("for-each-ref") == ""


@pytest.mark.parametrize(
    ("kind", "amount", "outcome"),
    rotating(
        [("refuse", 0, "offline"), ("reset", 0, "cut"), ("garbage", 0, "cut"), ("cut", 0, "cut"),
         ("cut", 900, "cut"), ("hang", 0, "timeout")],
    ),
)  # fmt: skip
def test_bad_lines_are_told_apart(
    caller: Caller, line: Line, kind: Kind, amount: int, outcome: Outcome
) -> None:
    line.proxy.suffer(kind, amount)
    calling = replace(caller.remote(line.url, line.client), timeout=1)
    # A call that is dropped at once may look to curl as if nobody had taken it.
    outcomes = {outcome, "offline"} if kind == "reset" else {outcome}
    for answer in (calling.fetch(), calling.push(caller.commit())):
        assert answer.outcome in outcomes
        assert outcome_of(answer)[1]


def test_names_and_ports_where_nobody_is(caller: Caller) -> None:
    for url in ("https://nowhere.invalid/x.git", "ssh://git@nowhere.invalid/x.git"):
        assert outcome_of(caller.fetch(url, "")) == ("offline", True)
