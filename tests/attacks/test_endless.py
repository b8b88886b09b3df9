"""A server that never ends what it says: it lists branches for ever, or tells for ever how far it is."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from catalogue import output_of
from long import rotating
from machines import Machine, make_machine, make_remote

from ctxrepo.domain.guard.bounds import GIT_MEMORY, SAID_BYTES, Bound

SERVER = """
import os, pathlib, sys

def packet(data):
    return b"%04x" % (len(data) + 4) + data

def branches():
    number = 0
    while True:
        names = range(number, number := number + 1000)
        yield b"".join(packet(b"1" * 40 + b" refs/heads/%0200d\\n" % name) for name in names)

def progress():
    yield b"0000"
    while not (line := sys.stdin.buffer.readline()).endswith(b"done\\n"):
        if not line:
            sys.exit()  # who only asked for the branches has gone
    yield b"0008NAK\\n"
    while True:
        yield packet(b"\\x02" + b"still counting\\n" * 1000)

mode = pathlib.Path(sys.argv[1])
if not mode.exists():
    os.execvp("sh", ["sh", "-c", sys.argv[-1]])
sys.stdout.buffer.write(packet(b"1" * 40 + b" refs/heads/main\\0side-band-64k ofs-delta\\n"))
for data in {"branches": branches, "progress": progress}[mode.read_text()]():
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
"""


@pytest.fixture
def mode(tmp_path: Path) -> Path:
    """The file that says what the server does for ever; until it is there, the server is an honest one."""
    return tmp_path / "mode"


@pytest.fixture
def ada(tmp_path: Path, mode: Path) -> Machine:
    (tmp_path / "server.py").write_text(SERVER)
    machine = make_machine(tmp_path, "ada")
    command = shlex.join([sys.executable, str(tmp_path / "server.py"), str(mode)])
    with (machine.home / ".gitconfig").open("a") as config:
        config.write(f'[core]\n\tsshCommand = "{command}"\n[ssh]\n\tvariant = simple\n')
    machine.init(f"ssh://127.0.0.1{make_remote(tmp_path)}")
    machine.remember("the good note is here")
    machine.sync()
    return machine


@pytest.mark.parametrize(
    ("talk", "bound"), rotating([("progress", SAID_BYTES), ("branches", GIT_MEMORY)], keep=1)
)
def test_a_server_that_never_ends_is_left_with_the_number_and_work_goes_on(
    ada: Machine, mode: Path, talk: str, bound: Bound
) -> None:
    assert (
        ada.process("config", "set", "sync.timeout", "300").returncode == 0
    )  # a busy machine takes its time
    mode.write_text(talk)
    ada.remember("written while it talked")
    run = ada.process("sync")
    assert run.returncode == 5
    (line,) = output_of(run).splitlines()
    assert f"{bound.most:,} {bound.what}" in line
    assert "written while it talked" in ada.git("grep", "-h", "written", "HEAD")
    mode.unlink()
    assert ada.sync().remote.ok
