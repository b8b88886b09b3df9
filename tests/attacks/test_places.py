"""State, configuration and spool are the user's alone, whatever mask, rights or links were there before."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from long import mostly_long, rotating
from machines import Machine, make_machine
from needs import needs_root
from processes import processes_of
from sessions import Session, connected, eventually

WAY_OUT = 60.0

COMMANDS = (
    ("remember", "a fact"),
    ("log", "add", "a line"),
    ("sync",),
    ("status",),
    ("recall", "which fact?"),
    ("search", "fact"),
    ("context",),
    ("cache", "rebuild"),
    ("doctor", "--fix"),
)

STATE = (
    *("hooks.db", "hooks.db-wal", "hooks.db-shm", "hooks.db-journal", "config.toml", "hook", "errors.log"),
    "sessions/claude-s-1",
)

REPOSITORY = (
    *("cache.db", "cache.db-wal", "cache.db-shm", "cache.db-journal", "cache.db.lock", "vectors.db"),
    *("usage.db", "stamps.db", "stamps.db-journal", "journal"),
    *("writes.done", "writes.done.1", "spool.jsonl", "traces.jsonl", "traces.jsonl.new", "access.jsonl"),
    *("anchors.jsonl", "anchors.old", "logged.jsonl", "fetched", "exchange.json", "trouble", "maintained"),
    *("work.log", "work.log.1", "well", "faults.jsonl", "blocks.json", "clone", "told", "warm.failed"),
    *("warm.sock", "send", "send.begun", "fetch", "work.lock", "post.lock", "write.lock", "sync.lock"),
    *("warm.lock", "maintain.lock"),
)

OWN = ("id", "index", "index-to-read")


@pytest.fixture
def machine(ada: Machine, remote: Path) -> Iterator[Machine]:
    connected(ada, str(remote))
    yield ada
    eventually(lambda: not processes_of(ada), WAY_OUT)


def places_of(machine: Machine) -> dict[str, Path]:
    """The folders that are the user's alone; none of them is put right by looking."""
    state = machine.home / ".local/state/ctxrepo"
    (root,) = (folder for folder in state.iterdir() if (folder / "clone").exists())
    return {
        "config": machine.home / ".config/ctxrepo",
        "state": state,
        "repository": root,
        "own": machine.clone / ".git/ctxrepo",
    }


def open_to_others(machine: Machine) -> list[str]:
    """What others may do something with below our places, themselves among it."""
    paths = []
    for top in places_of(machine).values():
        for path in (top, *top.iterdir()):
            status = path.lstat()
            if (
                not stat.S_ISLNK(status.st_mode)
                and status.st_mode & 0o077
                and (path == top or path.is_file())
            ):
                paths.append(f"{path} {stat.S_IMODE(status.st_mode):o}")
    return paths


def use(machine: Machine) -> None:
    """Every kind of command, and a whole session."""
    for words in COMMANDS:
        run = machine.ctxrepo(*words)
        assert "Traceback" not in run.stderr, (words, run.stderr)
        assert "unexpected" not in run.stderr, (words, run.stderr)
    Session(machine, "s-1").whole()
    eventually(lambda: not processes_of(machine), WAY_OUT)


@pytest.mark.parametrize("umask", rotating([0o000, 0o077, 0o777], keep=1), ids=oct)
def test_whatever_the_mask_nothing_of_ours_is_anybody_elses(tmp_path: Path, remote: Path, umask: int) -> None:
    before = os.umask(0o022)
    try:
        machine = make_machine(tmp_path, "ada")
        (machine.home / ".claude").mkdir()
        os.umask(umask)
        for words in (("init", str(remote)), ("setup", "claude", "--yes"), *COMMANDS):
            run = machine.process(*words)
            assert run.returncode == 0, (words, run.stdout, run.stderr)
        Session(machine, "s-1").whole()
        eventually(lambda: not processes_of(machine), WAY_OUT)
    finally:
        os.umask(before)
    assert open_to_others(machine) == []
    for above in (".local", ".local/state", ".config"):
        assert not (machine.home / above).stat().st_mode & 0o022, above
    for path in machine.home.rglob("*"):
        if not path.is_symlink():
            assert path.stat().st_mode & 0o400, path


@pytest.mark.parametrize("rights", rotating([0o777, 0o2755], keep=1), ids=oct)
@pytest.mark.parametrize("who", ["command", "hook", "worker"])
def test_what_was_open_to_others_is_closed_by_whoever_opens_it(
    machine: Machine, rights: int, who: str
) -> None:
    eventually(lambda: not processes_of(machine), WAY_OUT)
    places = places_of(machine)
    for folder in places.values():
        folder.chmod(rights)
        for file in filter(Path.is_file, folder.iterdir()):
            file.chmod(0o666)
    if who == "command":
        assert machine.ctxrepo("status").returncode == 0
    elif who == "hook":
        Session(machine, "s-1").hook("UserPromptSubmit", prompt="which port does redis listen on?")
    else:
        words = [sys.executable, "-I", "-m", "ctxrepo", "_work", "--state", str(places["state"])]
        subprocess.run(words, env=machine.env, check=True, timeout=60)
    if who == "hook":
        assert [oct(places[name].stat().st_mode & 0o7777) for name in ("state", "repository")] == [
            "0o700"
        ] * 2
    else:
        assert open_to_others(machine) == []


def test_nothing_is_written_through_a_link_at_any_place(machine: Machine, tmp_path: Path) -> None:
    """Links that lead to files that are there, and to files that would be made."""
    use(machine)
    places = places_of(machine)
    victims = tmp_path / "victims"
    victims.mkdir()
    expected = {}
    planted = [places["state"] / name for name in STATE]
    planted += [places["repository"] / name for name in REPOSITORY]
    planted += [places["own"] / name for name in OWN if name != "id"]
    for number, path in enumerate(planted):
        victim = victims / str(number)
        if number % 2:
            victim.write_bytes(path.read_bytes() if path.is_file() else b"theirs\n")
            expected[victim] = victim.read_bytes()
        if path.is_dir():
            path.rename(tmp_path / f"before-{number}")
        path.unlink(missing_ok=True)
        path.symlink_to(victim)
    Session(machine, "s-1").whole()
    use(machine)
    assert {path: path.read_bytes() for path in victims.iterdir()} == expected
    assert machine.process("remember", "written after all").returncode == 0
    assert "written after all" in machine.ctxrepo("search", "written").stdout


@pytest.mark.parametrize("level", rotating(["journal", "sessions", "models"], keep=1))
def test_nothing_is_written_below_a_folder_that_is_a_link(
    machine: Machine, tmp_path: Path, level: str
) -> None:
    eventually(lambda: not processes_of(machine), WAY_OUT)
    folder = places_of(machine)["repository" if level == "journal" else "state"] / level
    victim = tmp_path / "victim"
    victim.mkdir()
    if folder.exists():
        folder.rename(tmp_path / "before")
    folder.symlink_to(victim)
    session = Session(machine, "s-1")
    session.edit("shop/topics/build.md", "- acknowledged\n")
    session.whole()
    use(machine)
    assert list(victim.iterdir()) == []
    assert "acknowledged" in machine.git("log", "-p", "--format=")


@pytest.mark.parametrize("level", ["repository", "own"])
def test_a_place_that_is_a_link_is_refused_in_a_sentence_and_hooks_are_silent(
    machine: Machine, tmp_path: Path, level: str
) -> None:
    eventually(lambda: not processes_of(machine), WAY_OUT)
    folder = places_of(machine)[level]
    victim = tmp_path / "victim"
    folder.rename(victim)
    before = sorted(victim.iterdir())
    folder.symlink_to(victim)
    run = machine.process("remember", "a fact")
    assert run.returncode == 1
    assert f"ctxrepo: {folder} is a link" in run.stderr
    if level != "own":
        assert Session(machine, "s-1").hook("SessionStart") == ""
        assert sorted(victim.iterdir()) == before


def moved(machine: Machine, place: Path, link: Path) -> None:
    """The state folder is at `place`, and `link` leads there."""
    state = places_of(machine)["state"]
    state.chmod(0o777)
    shutil.move(state, place)
    link.symlink_to(place)
    if link != state:
        state.symlink_to(link)


@pytest.mark.parametrize("hops", mostly_long([2, 1], keep=1))
def test_a_state_folder_that_the_user_has_moved_and_linked_serves_as_before(
    machine: Machine, tmp_path: Path, hops: int
) -> None:
    eventually(lambda: not processes_of(machine), WAY_OUT)
    state = places_of(machine)["state"]
    moved(machine, tmp_path / "disk", state if hops == 1 else tmp_path / "link")
    session = Session(machine, "s-1")
    assert "ctxrepo" in session.hook("SessionStart")
    session.edit("shop/topics/build.md", "- acknowledged\n")
    session.whole()
    use(machine)
    assert "acknowledged" in machine.git("log", "-p", "--format=")
    assert state.is_symlink()
    assert open_to_others(machine) == []


@pytest.mark.parametrize("hops", mostly_long([1, 2], keep=1))
def test_a_link_that_another_user_may_have_put_there_is_refused_by_every_command(
    machine: Machine, tmp_path: Path, hops: int
) -> None:
    """Whoever may write the folder that a link is in, or leads to, leads us wherever they like."""
    eventually(lambda: not processes_of(machine), WAY_OUT)
    (tmp_path / "open").mkdir()
    state = places_of(machine)["state"]
    place = tmp_path / "open" / "disk" if hops == 1 else tmp_path / "disk"
    moved(machine, place, state if hops == 1 else tmp_path / "open" / "link")
    (tmp_path / "open").chmod(0o777)
    before = sorted(place.iterdir())
    for words in COMMANDS:
        run = machine.ctxrepo(*words)
        assert run.returncode == 1, words
        assert f"ctxrepo: {state} leads to {tmp_path}/open/" in run.stderr, words
        assert "which another user may have put there" in run.stderr
    assert Session(machine, "s-1").hook("SessionStart") == ""
    assert sorted(place.iterdir()) == before


@needs_root
@pytest.mark.parametrize("what", ["link", "folder"])
def test_another_users_link_or_folder_is_refused(machine: Machine, tmp_path: Path, what: str) -> None:
    eventually(lambda: not processes_of(machine), WAY_OUT)
    state = places_of(machine)["state"]
    moved(machine, tmp_path / "disk", state)
    os.chown(state if what == "link" else tmp_path / "disk", 4242, 4242, follow_symlinks=False)
    run = machine.process("remember", "a fact")
    assert run.returncode == 1
    assert f"ctxrepo: {state} leads to " in run.stderr
    assert Session(machine, "s-1").hook("SessionStart") == ""


def test_a_link_to_a_disk_that_is_away_is_named(machine: Machine, tmp_path: Path) -> None:
    eventually(lambda: not processes_of(machine), WAY_OUT)
    state = places_of(machine)["state"]
    moved(machine, tmp_path / "disk", state)
    (tmp_path / "disk").rename(tmp_path / "away")
    run = machine.ctxrepo("status")
    assert run.returncode == 1
    assert f"{state} leads to {tmp_path}/disk, which can't be looked at: No such file" in run.stderr
    assert Session(machine, "s-1").hook("SessionStart") == ""
    (tmp_path / "away").rename(tmp_path / "disk")
    assert machine.ctxrepo("status").returncode == 0


def test_the_name_of_the_machine_and_the_settings_are_closed(machine: Machine) -> None:
    places = machine.places
    files = (places.host_file, places.config_file)
    for file in files:
        file.chmod(0o666)
    places.config_dir.chmod(0o777)
    assert machine.process("status").returncode == 0
    modes = [oct(path.stat().st_mode & 0o777) for path in (places.config_dir, *files)]
    assert modes == ["0o700", "0o600", "0o600"]


def test_settings_that_a_person_keeps_elsewhere_by_a_link_still_hold(machine: Machine) -> None:
    config = places_of(machine)["config"]
    kept = machine.home / "dotfiles"
    config.rename(kept)
    config.symlink_to(kept)
    (kept / "config.toml").rename(machine.home / "mine.toml")
    (kept / "config.toml").symlink_to(machine.home / "mine.toml")
    assert machine.process("config", "set", "sync.ttl", "90").returncode == 0
    assert "ttl = 90" in (machine.home / "mine.toml").read_text()
    assert (kept / "config.toml").is_symlink()
