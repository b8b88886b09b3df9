"""Credentials that are around while a remote is spoken to: none comes out anywhere."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from machines import Machine
from servers.expect import logged
from servers.https import PASSWORD, HttpsServer, needs_https
from servers.line import machine_at

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
WORD = "correct-horse-stapled-5531"
HEADER = "Basic YWRhOmNvcnJlY3QtaG9yc2UtaGVhZGVyLTg4Mg=="
PLANTED = (TOKEN, WORD, PASSWORD, HEADER.split()[1])

HOOK = f"""#!/bin/sh
echo 'denied for token {TOKEN}'
echo 'error: use https://ada:{WORD}@git.example.org/x or https://ada:p/{WORD}@git.example.org'
echo 'Authorization: Bearer {TOKEN}'
exit 1
"""


def decline_loudly(remote: Path) -> None:
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(HOOK)
    hook.chmod(0o755)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below the folder, with what it holds. SQLite removes its log when the last connection is
    closed; when a file is gone before it was read, all are read again."""
    while True:
        with suppress(FileNotFoundError):
            return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def leaks(machine: Machine, *texts: str) -> list[str]:
    """Where a planted credential stands: in the texts, in any file of the state, in any commit message."""
    files = [
        name
        for name, data in contents(machine.places.state).items()
        if any(p.encode() in data for p in PLANTED)
    ]
    printed = (*texts, machine.git("log", "--all", "--format=%B%an%ae"))
    return files + [text for text in printed if any(p in text for p in PLANTED)]


@needs_https
def test_nothing_comes_out(nginx: HttpsServer, remote: Path, tmp_path: Path) -> None:
    client = f"{nginx.client(PASSWORD)}[http]\n\textraHeader = X-Proxy-Authorization: {HEADER}\n"
    machine = machine_at(tmp_path, "ada", client)
    more = {"GITHUB_TOKEN": TOKEN, "GIT_TRACE_CURL": "1", "GIT_CURL_VERBOSE": "1", "GIT_TRACE": "1"}
    ada = Machine(machine.home, {**more, "MY_PASSWORD": WORD})
    runs = [ada.process("init", nginx.url(remote, "git"))]
    assert runs[0].returncode == 0, runs[0].stderr
    decline_loudly(remote)
    ada.write("global/topics/x.md", "- x\n")
    runs += [ada.process(*words) for words in (("sync",), ("sync", "--json"), ("status",), ("doctor",))]
    assert "the remote" in runs[1].stderr or "remote:" in runs[1].stderr
    (machine.home / ".gitconfig").write_text(client.replace(PASSWORD, WORD))
    runs += [ada.process("sync"), ada.process("doctor", "--json")]
    config = ada.places.config_file
    config.write_text(config.read_text().replace("https://", f"https://ada:{WORD}@"))
    runs += [ada.process(*words) for words in (("sync",), ("status",), ("doctor",))]
    assert leaks(ada, *(run.stdout + run.stderr for run in runs)) == []


@needs_https
def test_nor_out_of_the_worker(nginx: HttpsServer, remote: Path, tmp_path: Path) -> None:
    ada = machine_at(tmp_path, "ada", nginx.client())
    ada.init(nginx.url(remote))
    decline_loudly(remote)
    assert ada.process("remember", "redis listens on port 6380").returncode == 0
    assert logged(ada, "remote protected")
    assert leaks(ada) == []
