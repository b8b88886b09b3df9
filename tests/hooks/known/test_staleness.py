"""What was changed by hand is noticed from stamps of files alone, and the worker is woken once for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from machines import Machine, make_machine
from world import NOTES, World

from ctxrepo import hook
from ctxrepo.hooks.known.cached import open_cache
from ctxrepo.hooks.known.freshness import checked_out_commit, news, note_worker_told
from ctxrepo.hooks.known.locate import place_in
from ctxrepo.hooks.known.world import open_hooks, world_of
from ctxrepo.storage.processes.lock import is_held
from ctxrepo.storage.state.compiled import read_settings


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one")
    return tmp_path


class TestHead:
    def test_it_is_what_git_says(self, clone: Path) -> None:
        assert checked_out_commit(str(clone)) == git(clone, "rev-parse", "HEAD")

    def test_packed_refs_are_read(self, clone: Path) -> None:
        for name in ("aa", "main-2", "zz"):
            git(clone, "branch", name)
        git(clone, "pack-refs", "--all")
        assert not (clone / ".git/refs/heads/main").exists()
        assert checked_out_commit(str(clone)) == git(clone, "rev-parse", "HEAD")

    def test_no_branch_checked_out(self, clone: Path) -> None:
        git(clone, "checkout", "-q", "--detach")
        assert checked_out_commit(str(clone)) == git(clone, "rev-parse", "HEAD")

    @pytest.mark.parametrize("head", ["", "ref: ", "ref: refs/heads/none", "ref: ../../../nowhere", "\0\xff"])
    def test_what_tells_nothing(self, clone: Path, head: str) -> None:
        (clone / ".git/HEAD").write_text(head)
        assert len(checked_out_commit(str(clone))) < 40

    def test_what_is_no_file_is_not_waited_for(self, clone: Path) -> None:
        (clone / ".git/HEAD").unlink()
        subprocess.run(["mkfifo", str(clone / ".git/HEAD")], check=True)
        assert checked_out_commit(str(clone)) == ""
        assert checked_out_commit(str(clone / "nowhere")) == ""


class TestNews:
    def is_told(self, world: World) -> bool:
        """As a hook asks: are there news that nobody has told?"""
        db = open_hooks(str(world.state))
        cache = open_cache(f"{world.folder}/cache.db")
        assert db is not None
        assert cache is not None
        with closing(db), closing(cache):
            known = world_of(db, str(world.state))
            assert known is not None
            scopes = place_in(known, "example/shop", "shop").scopes
            return note_worker_told(known.repo, news(known, cache, scopes))

    @pytest.fixture
    def world(self, tmp_path: Path) -> World:
        world = World(tmp_path)
        git(world.memory, "init", "-q", "-b", "main")
        self.commit(world)
        world.compile(config=str(tmp_path / "config.toml"))
        self.hold(world)
        return world

    def commit(self, world: World) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        git(world.memory, *who, "commit", "-q", "--allow-empty", "-m", "one")

    def hold(self, world: World) -> None:
        """The cache holds what is there."""
        world.cache(checked_out_commit(str(world.memory)), NOTES)

    def test_a_commit_is_told_once(self, world: World) -> None:
        assert not self.is_told(world)
        self.commit(world)
        assert [self.is_told(world) for _ in range(2)] == [True, False]
        self.hold(world)
        assert not self.is_told(world)

    def test_a_pipe_in_the_place_of_what_was_told_is_not_waited_for(self, world: World) -> None:
        os.mkfifo(world.folder / "told")
        self.commit(world)
        assert not self.is_told(world)

    def test_settings_are_told_once(self, world: World) -> None:
        for text in ("one", "another"):
            (world.root / "config.toml").write_text(text)
            assert [self.is_told(world) for _ in range(2)] == [True, False]

    def test_a_file_that_is_watched_is_told_once(self, world: World) -> None:
        (world.memory / "shop").mkdir()
        for text in ("one", "another"):
            (world.memory / "shop/watched.md").write_text(text)
            assert [self.is_told(world) for _ in range(2)] == [True, False]
        (world.memory / "shop/watched.md").unlink()
        assert not self.is_told(world)

    def test_what_a_command_wrote_and_no_commit_has_is_told_once(self, world: World) -> None:
        (world.folder / "journal").mkdir()
        assert not self.is_told(world)
        for _ in range(2):
            world.write_without_commit()
            assert [self.is_told(world) for _ in range(2)] == [True, False]
        world.forget_saves()
        assert not self.is_told(world)

    def test_what_cannot_be_kept_is_not_told(self, world: World) -> None:
        (world.folder / "told").mkdir()
        self.commit(world)
        assert not self.is_told(world)


def prompt(machine: Machine, text: str) -> str:
    state = machine.places.state
    payload = {"session_id": "s", "cwd": str(machine.project_folder), "prompt": text}
    words = [sys.executable, "-I", "-S", str(Path(hook.__file__)), "claude", "UserPromptSubmit", str(state)]
    done = subprocess.run(words, input=json.dumps(payload).encode(), env=machine.env, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    wait_for_worker(machine)
    return done.stdout.decode()


def wait_for_worker(machine: Machine) -> None:
    lock, end = machine.open().state.lock("work"), time.monotonic() + 60
    pattern = f"_work --state {machine.home}"
    while is_held(lock) or subprocess.run(["pgrep", "-f", pattern], capture_output=True).stdout:
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
def test_what_a_person_did_by_hand_is_beside_the_next_prompt_or_the_one_after(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, "laptop")
    machine.init()
    assert machine.ctxrepo("remember", "redis listens on port 6380").returncode == 0
    wait_for_worker(machine)
    machine.write("global/hand.md", "- the kettle boils at noon\n")
    machine.git("add", "-A")
    machine.git("commit", "-qm", "by hand")
    asked = "when does the kettle boil?"
    assert "noon" in prompt(machine, asked) + prompt(machine, asked)

    config = machine.places.config_file
    config.write_text(config.read_text() + "\n[recall]\nenabled = false\n")
    prompt(machine, "and which port is redis on?")
    assert read_settings(machine.places.state)["recall"] == "off"
