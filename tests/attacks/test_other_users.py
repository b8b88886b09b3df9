"""Another user of the machine reads nothing of ours, holds nothing and feeds nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from checkout import MODEL
from machines import Machine, make_machine
from meanings import NOTES, helper, within
from needs import needs_root
from processes import processes_of
from sessions import Session, connected, eventually
from world import World

from ctxrepo.hooks.recall.ask_helper import SOCKET

pytestmark = needs_root

OTHER = 12345
"""A user of the machine who owns nothing of it."""

WAY_OUT = 60.0

# What somebody with time tries on every name that can be guessed. Says what went well.
_ATTACK = """
import fcntl, os, socket, sys
other = int(sys.argv[1])  # only now: they may not even enter the folder of our interpreter
os.setgroups([])
os.setresgid(other, other, other)
os.setresuid(other, other, other)
held = []
def attempt(what, path, deed):
    try:
        held.append(deed(path))
    except OSError:
        return
    print(what, path, flush=True)
def locked(path):
    handle = os.open(path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return handle
def asked(path):
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(2)
    peer.connect(path)
    peer.sendall(b'{"v": 1}\\n')
    if not peer.recv(100):
        raise OSError
    return peer
def bound(path):
    peer = socket.socket(socket.AF_UNIX)
    peer.bind(path)
    return peer
for path in sys.argv[2:]:
    attempt("read", path, lambda p: open(p, "rb"))
    attempt("wrote", path, lambda p: open(p, "ab"))
    attempt("listed", path, os.listdir)
    attempt("locked", path, locked)
    attempt("asked", path, asked)
    attempt("replaced", path, lambda p: os.rename(p, p + ".gone"))
    attempt("removed", path, os.unlink)
    attempt("linked", path, lambda p: os.symlink("/elsewhere", p + "/new"))
    attempt("bound", path, lambda p: bound(p + "/new.sock"))
print("done", flush=True)
sys.stdin.read()
"""


def attacker(paths: list[Path]) -> subprocess.Popen[str]:
    """Somebody else who has tried all that, and still holds what they got."""
    words = [sys.executable, "-I", "-S", "-c", _ATTACK, str(OTHER), *map(str, paths)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def got(process: subprocess.Popen[str]) -> list[str]:
    """What went well for them; they are left to go on holding it."""
    assert process.stdout is not None
    deeds = []
    while (line := process.stdout.readline().strip()) != "done":
        assert line, "the attacker ended early"
        deeds.append(line)
    return deeds


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder as /tmp is: everybody may write there, and delete what is theirs."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o1777)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def machine(shared: Path) -> Iterator[Machine]:
    """A machine whose home and places lie where everybody may look, by a mask that forbids nothing."""
    before = os.umask(0)
    try:
        more = {"XDG_STATE_HOME": shared, "XDG_CONFIG_HOME": shared / "conf", "TMPDIR": shared}
        machine = make_machine(shared, "ada", **{name: str(folder) for name, folder in more.items()})
        machine.home.chmod(0o755)
        yield machine
        eventually(lambda: not processes_of(machine), WAY_OUT)
    finally:
        os.umask(before)


def everything(machine: Machine) -> list[Path]:
    tops = [machine.places.state, machine.places.config_dir, machine.clone]
    return [path for top in tops for path in (top, *top.rglob("*"))]


def test_nothing_is_read_held_or_fed_where_everybody_may_look(machine: Machine) -> None:
    connected(machine)
    assert machine.process("remember", "a fact of ours").returncode == 0
    session = Session(machine, "s-1")
    session.whole()
    eventually(lambda: not processes_of(machine), WAY_OUT)
    with attacker(everything(machine)) as process:
        try:
            assert got(process) == []
            assert machine.process("remember", "beside somebody else").returncode == 0
            session.whole()
        finally:
            process.communicate("")
    assert "beside somebody else" in machine.process("search", "beside").stdout


def test_what_was_open_is_closed_before_anything_new_is_in_it(machine: Machine) -> None:
    """They read and held what had been open; of what came since they get nothing."""
    connected(machine)
    eventually(lambda: not processes_of(machine), WAY_OUT)
    for path in (machine.places.state, machine.places.config_dir, machine.clone / ".git/ctxrepo"):
        for inside in (path, *path.rglob("*")):
            with suppress(FileNotFoundError):  # a database takes its log of changes away when it is closed
                inside.chmod(0o777 if inside.is_dir() else 0o666)
    root = machine.open().state.root
    planted = [root / "spool.jsonl", root / "traces.jsonl", root / "anchors.jsonl", root / "warm.sock"]
    for path in planted:
        path.unlink(missing_ok=True)
        path.write_text('{"event": "tool", "path": "shop/fed.md", "version": "fed"}\n')
        path.chmod(0o666)
        os.chown(path, OTHER, OTHER)
    root.chmod(0o777)
    machine.places.state.chmod(0o777)
    Session(machine, "s-1").whole()
    assert machine.process("remember", "written afterwards").returncode == 0
    eventually(lambda: not processes_of(machine), WAY_OUT)
    with attacker(everything(machine)) as process:
        try:
            assert [line for line in got(process) if str(machine.places.state) in line] == []
        finally:
            process.communicate("")
    theirs = {path.name for path in root.iterdir() if path.stat().st_uid == OTHER}
    assert theirs == {f"{path.name}.aside" for path in planted}
    assert "fed.md" not in machine.git("log", "--name-only", "--format=")


@pytest.mark.parametrize("kind", ["folder", "link", "link to ours", "file"])
def test_a_place_that_somebody_else_took_beforehand_is_refused(
    machine: Machine, shared: Path, kind: str
) -> None:
    """The name of the state folder can be guessed, and everybody may make it."""
    trap, ours = machine.places.state, machine.home / "ours"
    ours.mkdir(0o700)
    if kind == "folder":
        trap.mkdir(0o777)
    elif kind == "file":
        trap.touch(0o666)
    else:
        elsewhere = shared / "elsewhere"
        elsewhere.mkdir(0o777)
        trap.symlink_to(ours if kind == "link to ours" else elsewhere)
    os.chown(trap, OTHER, OTHER, follow_symlinks=False)
    run = machine.process("init")
    assert run.returncode == 1
    assert f"ctxrepo: {trap} " in run.stderr, run.stderr
    assert "Traceback" not in run.stderr
    assert len(run.stderr.splitlines()) <= 2
    for event in ("SessionStart", "UserPromptSubmit"):
        words = [sys.executable, "-m", "ctxrepo", "hook", "claude", event]
        heard = subprocess.run(words, env=machine.env, input="{}", capture_output=True, text=True, timeout=60)
        assert (heard.returncode, heard.stdout, heard.stderr) == (0, "", "")
    assert [*ours.iterdir()] == []
    assert not (shared / "elsewhere").exists() or [*(shared / "elsewhere").iterdir()] == []


def test_settings_that_somebody_else_put_there_are_not_followed(machine: Machine, shared: Path) -> None:
    config = machine.places.config_file
    config.parent.mkdir(parents=True)
    config.write_text('[[repository]]\npath = "~/.ctxrepo"\nremote = "https://evil.example/x.git"\n')
    for path in (config, config.parent):
        os.chown(path, OTHER, OTHER)
    run = machine.process("init")
    assert run.returncode == 1
    assert "belongs to another user" in run.stderr
    assert "evil" not in run.stderr + run.stdout


def test_the_helper_answers_nobody_else_and_nobody_else_answers_for_it(shared: Path) -> None:
    world = World(shared)
    world.cache("c1", NOTES)
    world.compile(semantic="on", model=str(MODEL))
    prompt = "which socket has our storage?"

    def prompted() -> str:
        shutil.rmtree(world.state / "sessions", ignore_errors=True)
        return world.run("UserPromptSubmit", prompt=prompt)

    with helper(world):
        assert within(30, lambda: "5433" in prompted())
        place = world.folder / SOCKET
        with attacker([place, world.folder, world.state]) as process:
            assert got(process) == []
            process.communicate("")
        for folder in (world.state, world.folder):  # even with a way there
            folder.chmod(0o777)
        place.chmod(0o777)
        with attacker([place]) as process:
            assert [line for line in got(process) if line.startswith("asked")] == []
            process.communicate("")
