"""Commits signed as a person's own git is set up to: by gpg, by an ssh key, by programs of their choice."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from machines import Machine
from needs import lacks, older_git, unless
from sessions import eventually
from usersgit import both_ways, calls, cli, noting

from .conftest import Own

needs_gpg = unless(lacks("gpg"))
needs_ssh_keygen = unless(lacks("ssh-keygen") or older_git((2, 34), "signing by ssh"))

SIGNS = "[commit]\n\tgpgSign = true\n"


@dataclass(frozen=True)
class Signer:
    """`lines` for a `.gitconfig` that signs, and the variables without which its program finds no key."""

    lines: str
    env: dict[str, str]


@pytest.fixture(scope="session")
def keyring() -> Iterator[Path]:
    """A home of gpg with one key that has no passphrase; short, for its agent listens on a socket there."""
    folder = Path(tempfile.mkdtemp(prefix="gpg-"))
    env = {"GNUPGHOME": str(folder), "PATH": Machine(folder).env["PATH"]}
    words = [
        "gpg",
        "--batch",
        "--quiet",
        "--passphrase",
        "",
        "--quick-gen-key",
        "Ada <ada@example.org>",
        "ed25519",
        "sign",
    ]
    subprocess.run(words, env=env, check=True, capture_output=True)
    yield folder
    subprocess.run(["gpgconf", "--kill", "all"], env=env, capture_output=True)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def ssh_key(tmp_path: Path) -> Path:
    key = tmp_path / "signing"
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)]
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    (tmp_path / "allowed").write_text(f"ada@example.org {key.with_suffix('.pub').read_text()}")
    return key


@pytest.fixture(params=[pytest.param("gpg", marks=needs_gpg), pytest.param("ssh", marks=needs_ssh_keygen)])
def signer(request: pytest.FixtureRequest, tmp_path: Path) -> Signer:
    if request.param == "gpg":
        folder: Path = request.getfixturevalue("keyring")
        return Signer(f"[user]\n\tsigningKey = ada@example.org\n{SIGNS}", {"GNUPGHOME": str(folder)})
    key: Path = request.getfixturevalue("ssh_key")
    return Signer(f"[user]\n\tsigningKey = {key}\n{SIGNS}{by_ssh(key)}", {})


def by_ssh(key: Path) -> str:
    """Signing with ssh keys, and how a signature is told to be a person's."""
    return f'[gpg]\n\tformat = ssh\n[gpg "ssh"]\n\tallowedSignersFile = {key.parent}/allowed\n'


def test_every_commit_is_signed_merges_too(own: Own, ben: Machine, signer: Signer, remote: Path) -> None:
    ada = own("ada", signer.lines, **signer.env)
    both_ways(ada, ben, str(remote))
    ben.remember("while ada writes")
    ben.sync()
    cli(ada, "remember", "while ben writes")
    cli(ada, "sync")
    signed = own_commits(ada)
    assert len(signed) >= 2
    assert ada.git("rev-list", "--merges", "--author=ada@example.org", "HEAD")
    for commit in signed:
        ada.git("verify-commit", commit)
    words = ["git", "-C", str(remote), "verify-commit", *signed]
    subprocess.run(words, env=ada.env, check=True, capture_output=True)


def own_commits(machine: Machine) -> list[str]:
    return machine.git("log", "--format=%H", f"--author={machine.home.name}@example.org").split()


@needs_gpg
def test_a_gpg_of_ones_own(own: Own, ben: Machine, remote: Path, keyring: Path, tmp_path: Path) -> None:
    gpg = noting(tmp_path / "my gpg", "gpg")
    ada = own("ada", f"{SIGNS}[gpg]\n\tprogram = {gpg}\n", GNUPGHOME=str(keyring))
    both_ways(ada, ben, str(remote))
    assert calls(gpg)
    ada.git("verify-commit", *own_commits(ada))


@needs_ssh_keygen
def test_an_ssh_keygen_of_ones_own(
    own: Own, ben: Machine, remote: Path, ssh_key: Path, tmp_path: Path
) -> None:
    program = noting(tmp_path / "my keygen", "ssh-keygen")
    lines = f"[user]\n\tsigningKey = {ssh_key}\n{SIGNS}{by_ssh(ssh_key)}\tprogram = {program}\n"
    ada = own("ada", lines)
    both_ways(ada, ben, str(remote))
    assert calls(program)
    ada.git("verify-commit", *own_commits(ada))


@needs_ssh_keygen
def test_a_program_that_names_the_key(
    own: Own, ben: Machine, remote: Path, ssh_key: Path, tmp_path: Path
) -> None:
    """`gpg.ssh.defaultKeyCommand`, where no `user.signingKey` is set: it names a key that an agent holds."""
    with agent_of(ssh_key) as env:
        names = noting(tmp_path / "names", "ssh-add -L")
        lines = f"{SIGNS}{by_ssh(ssh_key)}\tdefaultKeyCommand = {names}\n"
        ada = own("ada", lines, **env)
        both_ways(ada, ben, str(remote))
        assert calls(names)
        ada.git("verify-commit", *own_commits(ada))


@contextmanager
def agent_of(key: Path) -> Iterator[dict[str, str]]:
    """An ssh-agent that holds a key, as variables that lead to it."""
    with tempfile.TemporaryDirectory(prefix="ssh-") as folder:  # a socket's name may not be long
        env = {"SSH_AUTH_SOCK": f"{folder}/agent", "PATH": Machine(key.parent).env["PATH"]}
        words = ["ssh-agent", "-D", "-a", env["SSH_AUTH_SOCK"]]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, env=env) as agent:
            try:
                eventually(Path(env["SSH_AUTH_SOCK"]).exists, 10)
                subprocess.run(["ssh-add", "-q", str(key)], env=env, check=True)
                yield env
            finally:
                agent.terminate()


def test_a_key_that_cannot_be_used_commits_nothing_unsigned(
    own: Own, signer: Signer, remote: Path, tmp_path: Path
) -> None:
    ada = own("ada", signer.lines, **signer.env)
    cli(ada, "init", str(remote))
    before = ada.git("rev-parse", "HEAD")
    with (ada.home / ".gitconfig").open("a") as config:
        config.write(f"[user]\n\tsigningKey = {tmp_path}/none\n")
    cli(ada, "remember", "kept until the key is back")
    done = ada.process("sync")
    assert done.returncode
    assert "could not be signed" in done.stderr
    assert ada.git("rev-parse", "HEAD") == before
    (ada.home / ".gitconfig").write_text(f"[user]\n\tname = ada\n\temail = ada@example.org\n{signer.lines}")
    cli(ada, "sync")
    assert "kept until the key is back" in ada.read("shop/MEMORY.md")
    ada.git("verify-commit", *own_commits(ada))
