"""Folders of other people's that hold what no folder should: they cost their own project, and nobody else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from checkouts import repository
from long import rotating
from machines import Machine
from needs import needs_root
from odd import bound_socket, endless, folder, huge, loop, pipe, terminal
from patient import PATIENT, run_patiently
from silent import needs_silent_disk, silent_disk

from ctxrepo.hooks.known.packet_rows import selected_of


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


ODD = [pipe, bound_socket, endless, huge, loop, terminal, folder]


def bare_looking(place: Path) -> Path:
    """A folder that git takes for a bare repository, as an archive can hold one."""
    place.mkdir()
    for name in ("objects", "refs"):
        (place / name).mkdir()
    (place / "HEAD").write_text("ref: refs/heads/main\n")
    return place


def put(place: Path, make: Callable[[Path], None]) -> None:
    """Have `make` put something in the place of what is there."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):
        place.unlink()
    make(place)


def run_apart(machine: Machine, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own, for a folder in which this one might hang for ever."""
    run = subprocess.run(
        [str(Path(sys.executable).with_name("ctxrepo")), *words],
        cwd=folder,
        env={**machine.env, "CTXREPO_HOOK": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENT,
    )
    assert "Traceback" not in run.stderr, run.stderr
    assert "unexpected" not in run.stderr, run.stderr
    return run


def spool(machine: Machine, event: str, cwd: str, **fields: str) -> None:
    line = {"event": event, "agent": "claude", "session": "s-1", "cwd": cwd, **fields}
    with machine.open().state.spool.open("a") as file:
        file.write(json.dumps(line) + "\n")


def work(machine: Machine) -> subprocess.CompletedProcess[str]:
    """A worker in a process of its own, until it has nothing left to do."""
    state = str(machine.places.state)
    return subprocess.run(
        [sys.executable, "-I", "-m", "ctxrepo", "_work", "--state", state],
        cwd="/",
        env=machine.env,
        capture_output=True,
        text=True,
        timeout=PATIENT,
    )


def is_sent(machine: Machine, text: str) -> bool:
    return text in machine.git("show", "origin/main:shop/MEMORY.md")


@pytest.fixture
def mine(ada: Machine, remote: Path) -> Machine:
    ada.init(str(remote))
    return ada


def others_go_on(mine: Machine, *folders: Path | str) -> None:
    """Sessions in these folders leave word; a fact of the project is committed and sent all the same."""
    for place in folders:
        for event in ("start", "prompt", "stop", "compact", "end"):
            spool(mine, event, str(place), transcript=f"{place}/transcript.jsonl")
    mine.remember("a fact of the project")
    work(mine)
    assert is_sent(mine, "a fact of the project")
    assert mine.open().state.spool.stat().st_size == 0


def test_a_bare_repository_that_holds_no_sound_git_is_no_project(mine: Machine, tmp_path: Path) -> None:
    places = []
    for make in ODD:
        places.append(bare_looking(tmp_path / f"archive_{make.__name__}"))
        make(places[-1] / ".git")
    others_go_on(mine, *places)
    for place in places:
        run = run_patiently(mine, place, "remember", f"from {place.name}")
        if place.name in ("archive_loop", "archive_folder"):
            assert run.returncode == 0, "git passes .git over, and says that this is a bare repository"
        else:
            assert run.returncode == 1, "git can't tell, and nothing goes to global/ unasked"
            assert "name the scope yourself" in run.stderr
        assert (
            run_patiently(mine, place, "remember", f"from {place.name}", "--scope", "global").returncode == 0
        )
    assert "it isn't known which project" in run_patiently(mine, places[0], "status").stdout
    for words in (["project", "show"], ["context"], ["handoff", "--goal", "x"]):
        assert run_patiently(mine, places[0], *words).returncode == 1, words
        assert run_patiently(mine, places[ODD.index(loop)], *words).returncode in (0, 3), words
    assert "from archive_pipe" in mine.read("global/MEMORY.md")


def test_a_checkout_in_which_git_would_hang_is_unknown(mine: Machine, tmp_path: Path) -> None:
    names = ("HEAD", "config", "commondir", "packed-refs", "index", "objects/info/alternates")
    places = []
    for number, name in enumerate(names):
        places.append(repository(tmp_path / f"code{number}"))
        put(places[-1] / ".git" / name, endless if number % 2 else pipe)
    others_go_on(mine, *places)
    for place in places:
        run = run_patiently(mine, place, "remember", f"from {place.name}")
        assert run.returncode == 0 or "it isn't known which project" in run.stderr
        assert f"from {place.name}" not in mine.read("global/MEMORY.md") or run.returncode == 0


def test_a_worktree_whose_link_leads_nowhere_sound_stops_nobody(mine: Machine, tmp_path: Path) -> None:
    places = []
    for make in ODD:
        places.append(tmp_path / f"tree{make.__name__}")
        places[-1].mkdir()
        make(places[-1] / "there")
        (places[-1] / ".git").write_text("gitdir: there\n")
    others_go_on(mine, *places)
    for place in places:
        run = run_patiently(mine, place, "remember", f"from {place.name}")
        assert run.returncode == 0 or "it isn't known which project" in run.stderr


@pytest.mark.parametrize(
    "name", rotating(["CLAUDE.md", ".pi", ".pi/settings.json", "transcript.jsonl"], keep=1)
)
def test_what_else_is_read_in_a_folder_may_be_odd(mine: Machine, tmp_path: Path, name: str) -> None:
    places = []
    for make in ODD:
        places.append(repository(tmp_path / f"code{make.__name__}"))
        put(places[-1] / name, make)
    others_go_on(mine, *places)
    for place in places:
        assert run_patiently(mine, place, "context").returncode == 0
        assert run_patiently(mine, place, "file", "add", "CLAUDE.md").returncode in (0, 1, 6)


def test_an_agent_may_name_anything_as_the_folder_it_is_in(mine: Machine) -> None:
    others_go_on(
        mine,
        "/a" * 100_000,
        "relative",
        "/no/such/folder",
        "/nul\0byte",
        "/half\ud800",
        "/bytes\udcff",
        "/two\nlines",
        "/dev/zero",
        "/proc/self/mem",
        "x" * 5000,
    )
    log = mine.open().state.log
    assert not log.exists() or "Traceback" not in log.read_text()


def test_a_name_of_two_lines_is_one_name(mine: Machine, tmp_path: Path) -> None:
    place = repository(tmp_path / "two\nlines", "https://git.example.org/ada/lines.git")
    assert run_patiently(mine, place, "remember", "a fact").returncode == 0
    assert "git.example.org/ada/lines" in run_patiently(mine, place, "project", "show").stdout


def test_a_name_that_is_no_utf_8_is_no_obstacle(mine: Machine, tmp_path: Path) -> None:
    place = repository(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe")))
    others_go_on(mine, place)
    assert run_patiently(mine, place, "remember", "a fact").returncode == 0


@needs_root
def test_a_link_to_another_users_repository_is_not_followed(mine: Machine, tmp_path: Path) -> None:
    theirs = repository(tmp_path / "theirs", "https://git.example.org/eve/secret.git")
    for path in [theirs, *theirs.rglob("*")]:
        os.chown(path, 65534, 65534, follow_symlinks=False)
    place = tmp_path / "mine"
    place.mkdir()
    (place / ".git").write_text(f"gitdir: {theirs}/.git\n")
    assert "secret" not in run_patiently(mine, place, "project", "show").stdout
    others_go_on(mine, place)


@needs_silent_disk
@pytest.mark.parametrize("at", rotating(["code", "code/.git", "code/deep"], keep=1))
def test_a_disk_that_is_gone_costs_its_own_project_only(mine: Machine, tmp_path: Path, at: str) -> None:
    place = repository(tmp_path / "code")
    (place / "deep").mkdir()
    put_away = tmp_path / at
    with silent_disk(put_away):
        others_go_on(mine, put_away if at.endswith("deep") else place)
        silent = json.loads(mine.places.unresponsive.read_text())
        assert [Path(name) for name in silent] == [put_away if at.endswith("deep") else place]


@needs_silent_disk
def test_a_command_in_a_folder_that_hangs_says_which_one_and_ends(mine: Machine, tmp_path: Path) -> None:
    place = repository(tmp_path / "code")
    (place / "deep").mkdir()
    with silent_disk(place / ".git"):
        for words in (["remember", "a fact"], ["status"], ["project", "show"]):
            run = run_apart(mine, place / "deep", *words)
            assert run.returncode == 1, words
            assert f"{place}/deep doesn't answer" in run.stderr, words
        assert run_apart(mine, place / "deep", "sync").returncode == 0, "which needs to know of no project"
        assert run_apart(mine, mine.project_folder, "remember", "a fact of the project").returncode == 0


@needs_silent_disk
def test_while_a_worker_waits_for_a_folder_another_one_commits_and_sends(
    mine: Machine, tmp_path: Path
) -> None:
    place = repository(tmp_path / "code")
    with silent_disk(place / ".git"):
        spool(mine, "prompt", str(place))
        first = subprocess.Popen(
            [sys.executable, "-I", "-m", "ctxrepo", "_work", "--state", str(mine.places.state)],
            cwd="/",
            env=mine.env,
        )
        try:
            while mine.open().state.spool.stat().st_size:
                assert first.poll() is None
            mine.remember("a fact of the project")
            work(mine)
            assert first.poll() is None, "it waits for the folder all the while"
            assert is_sent(mine, "a fact of the project")
        finally:
            first.wait(PATIENT)


@needs_silent_disk
def test_files_that_agents_touched_on_a_disk_that_is_gone_hide_no_others(
    mine: Machine, tmp_path: Path
) -> None:
    place = repository(tmp_path / "code")
    (mine.project_folder / "a.py").write_text("x\n")
    mine.remember("a fact")
    (place / "disk").mkdir()
    with silent_disk(place / "disk"):
        moment = datetime.now(UTC).timestamp()
        with mine.open().state.access.open("a") as log:
            for path in (place / "disk/x.md", place / "disk/y.py", mine.project_folder / "a.py"):
                fields = {
                    "at": moment,
                    "agent": "claude",
                    "session": "s-1",
                    "tool": "Edit",
                    "path": str(path),
                }
                log.write(json.dumps(fields) + "\n")
        spool(mine, "stop", str(mine.project_folder))
        work(mine)
        project = mine.project()
        assert project is not None
        assert [file.path for file in mine.open().cache.ask(selected_of, project.id, "")] == ["a.py"]


@needs_silent_disk
def test_a_block_in_a_folder_that_hangs_keeps_no_other_block_from_being_renewed(
    mine: Machine, tmp_path: Path
) -> None:
    place = repository(tmp_path / "code")
    (place / "disk").mkdir()
    mounted = place / "disk"
    for where in (mounted, mine.project_folder):
        assert run_apart(mine, where, "file", "add", str(where / "AGENTS.md")).returncode == 0
    with silent_disk(mounted):
        mine.remember("a fact of the project")
        work(mine)
        assert "a fact of the project" in (mine.project_folder / "AGENTS.md").read_text()
