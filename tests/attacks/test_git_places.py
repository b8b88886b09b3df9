"""Something else stands where git has a file or a folder of the clone's: no command hangs or says two things,
what can be mended is, and nothing that was acknowledged is lost."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from long import rotating
from machines import Machine
from odd import bound_socket, endless, folder, garbage, link_to_nothing, loop, pipe
from patient import run_patiently

Make = Callable[[Path], None]

MENDS = "`ctxrepo doctor --fix` mends it; nothing is deleted."


def full_folder(place: Path) -> None:
    (place / "x").mkdir(parents=True)
    (place / "x" / "y").write_text("somebody's\n")


PLACED = [
    *(("HEAD", kind) for kind in (pipe, endless, link_to_nothing, full_folder, garbage)),
    *(("refs/heads/main", kind) for kind in (pipe, loop, folder, full_folder, garbage)),
    *(("packed-refs", kind) for kind in (pipe, folder)),
    *(("index", kind) for kind in (pipe, full_folder, garbage)),
    *(("shallow", kind) for kind in (bound_socket, full_folder)),
    *(("logs/HEAD", kind) for kind in (pipe, folder)),
    *(("logs/refs/heads/main", kind) for kind in (endless, garbage)),
]
FOLDERS = ("objects", "objects/pack", "logs", "info", "refs")


@pytest.fixture
def mine(ada: Machine, remote: Path) -> Machine:
    ada.init(str(remote))
    ada.remember("a fact from before")
    assert ada.sync().sent
    return ada


def say(machine: Machine, *words: str) -> subprocess.CompletedProcess[str]:
    return run_patiently(machine, machine.home, *words)


def put(place: Path, make: Make) -> None:
    """Have `make` put something in the place of what is there, which is kept beside the clone."""
    if place.exists():
        place.rename(place.parents[len(place.parts) - 1 - place.parts.index(".ctxrepo")] / "was")
    place.parent.mkdir(parents=True, exist_ok=True)
    make(place)


def all_is_well(machine: Machine, *facts: str) -> None:
    """What was acknowledged is committed and sent, and the person's own git sees nothing amiss."""
    run = say(machine, "sync")
    assert run.returncode == 0, run.stderr
    sent = machine.git("log", "-p", "--format=", "origin/main")
    for fact in ("a fact from before", *facts):
        assert fact in sent
    machine.git("fsck", "--connectivity-only", "HEAD")
    assert machine.git("status", "--short") == ""
    run = say(machine, "doctor", "--json")
    assert '"ok": false' not in run.stdout.partition('"name": "remote"')[0].partition('"checked"')[2], run


@pytest.mark.parametrize(("name", "make"), rotating(PLACED, keep=4))
def test_what_stands_in_a_files_place_is_moved_aside_and_nothing_is_lost(
    mine: Machine, name: str, make: Make
) -> None:
    put(mine.clone / ".git" / name, make)
    run = say(mine, "status")
    assert run.returncode == 0 or MENDS in run.stderr, run.stderr
    assert say(mine, "remember", "a fact from meanwhile").returncode == 0
    run = say(mine, "doctor", "--fix")
    assert "can't be read" not in run.stdout + run.stderr, (run.stdout, run.stderr)
    all_is_well(mine, "a fact from meanwhile")


@pytest.mark.parametrize("make", rotating([pipe, bound_socket, endless, link_to_nothing, folder], keep=2))
def test_what_stands_in_the_place_of_an_object_or_among_the_packs_is_moved_aside(
    mine: Machine, make: Make
) -> None:
    head = mine.git("rev-parse", "HEAD^{tree}").strip()
    for name in (f"{head[:2]}/{head[2:]}", "pack/pack-1234.pack", "pack/of-nobody"):
        if make is not folder or name.startswith(head[:2]):
            put(mine.clone / ".git/objects" / name, make)
            run = say(mine, "status")
            assert run.returncode == 0 or MENDS in run.stderr, run.stderr
            assert say(mine, "remember", f"a fact beside {name}").returncode == 0
            all_is_well(mine, f"a fact beside {name}")


@pytest.mark.parametrize(
    ("name", "make"), rotating(zip((*FOLDERS, "objects/00"), (pipe, garbage) * 3, strict=True), keep=2)
)
def test_what_stands_in_a_folders_place_is_moved_aside(mine: Machine, name: str, make: Make) -> None:
    put(mine.clone / ".git" / name, make)
    run = say(mine, "status")
    assert f"{mine.clone / '.git' / name} is " in run.stderr
    assert MENDS in run.stderr
    assert say(mine, "remember", "a fact from meanwhile").returncode == 0
    output = say(mine, "doctor", "--fix").stdout
    assert "it was moved aside" in output
    all_is_well(mine, "a fact from meanwhile")


@pytest.mark.parametrize("name", rotating(["objects", "refs", "objects/00", ""], keep=2))
def test_a_folder_that_is_a_link_is_named_with_what_helps_and_doctor_tells_the_rest(
    mine: Machine, name: str
) -> None:
    place = mine.clone / ".git" / name
    place.mkdir(exist_ok=True)
    place.rename(mine.home / "moved")
    place.symlink_to(mine.home / "moved")
    wrong = f"{place} is a link to a folder, where a folder of its own belongs"
    helps = f"cp -a {place}/. {place}.copy && mv {place} {place}.link && mv {place}.copy {place}"
    for words in (["status"], ["sync"], ["doctor"], ["doctor", "--fix"]):
        run = say(mine, *words)
        assert run.returncode == 1
        output = run.stdout if words[0] == "doctor" else run.stderr
        assert output.count(wrong) == 1, (words, output)
        assert helps in output
        if words[0] == "doctor":
            assert "settings  ok" in output
            assert "agents " in output
    assert say(mine, "remember", "a fact from meanwhile").returncode == 0
    subprocess.run(helps, shell=True, check=True)
    Path(f"{place}.link").unlink()
    all_is_well(mine, "a fact from meanwhile")


def test_a_link_whose_disk_is_away_is_left_for_when_it_is_back(mine: Machine) -> None:
    place = mine.clone / ".git/objects"
    place.rename(mine.home / "moved")
    place.symlink_to(mine.home / "moved")
    (mine.home / "moved").rename(mine.home / "away")
    for words in (["sync"], ["doctor", "--fix"]):
        run = say(mine, *words)
        assert f"{place} is a link to nothing" in run.stdout + run.stderr
    assert place.is_symlink()


@pytest.mark.parametrize("make", rotating([pipe, link_to_nothing], keep=1))
def test_a_git_folder_that_is_none_is_not_taken_for_no_memory(mine: Machine, make: Make) -> None:
    put(mine.clone / ".git", make)
    for words in (["status"], ["remember", "x"], ["doctor", "--fix"]):
        run = say(mine, *words)
        assert run.returncode == 1
        assert f"{mine.clone}/.git is " in run.stderr
        assert "ls -l " in run.stderr
        assert "init" not in run.stderr


@pytest.mark.parametrize("make", rotating([pipe, folder], keep=1))
def test_a_configuration_that_is_no_file_stops_nothing_and_doctor_names_what_helps(
    mine: Machine, make: Make
) -> None:
    config = mine.clone / ".git/config"
    put(config, make)
    assert say(mine, "remember", "a fact from meanwhile").returncode == 0
    assert say(mine, "sync").returncode == 0
    for words in (["doctor"], ["doctor", "--fix"]):
        assert f"mv {config} {config}.aside" in say(mine, *words).stdout
