"""A memory or settings changed by hand are noticed from their files alone, and the worker is woken once."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from machines import Machine, make_machine

from ctxrepo import hook
from ctxrepo.hot.compiled import open_hooks, settings_of
from ctxrepo.hot.fresh import head_of, is_news
from ctxrepo.storage.compiled import read_settings
from ctxrepo.storage.lock import is_held


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
        assert head_of(str(clone)) == git(clone, "rev-parse", "HEAD")

    def test_packed_refs_are_read(self, clone: Path) -> None:
        for name in ("aa", "main-2", "zz"):
            git(clone, "branch", name)
        git(clone, "pack-refs", "--all")
        assert not (clone / ".git/refs/heads/main").exists()
        assert head_of(str(clone)) == git(clone, "rev-parse", "HEAD")

    def test_no_branch_checked_out(self, clone: Path) -> None:
        git(clone, "checkout", "-q", "--detach")
        assert head_of(str(clone)) == git(clone, "rev-parse", "HEAD")

    @pytest.mark.parametrize("head", ["", "ref: ", "ref: refs/heads/none", "ref: ../../../nowhere", "\0\xff"])
    def test_what_tells_nothing(self, clone: Path, head: str) -> None:
        (clone / ".git/HEAD").write_text(head)
        assert len(head_of(str(clone))) < 40

    def test_what_is_no_file_is_not_waited_for(self, clone: Path) -> None:
        (clone / ".git/HEAD").unlink()
        subprocess.run(["mkfifo", str(clone / ".git/HEAD")], check=True)
        assert head_of(str(clone)) == ""
        assert head_of(str(clone / "nowhere")) == ""


class TestNews:
    def settings(self, clone: Path) -> dict[str, str]:
        return {"home": str(clone), "folder": str(clone), "config": "", "stamp": ""}

    def test_each_change_is_told_once(self, clone: Path) -> None:
        settings = self.settings(clone)
        first = head_of(str(clone))
        assert not is_news(settings, first)
        git(clone, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "two")
        assert is_news(settings, first)
        assert not is_news(settings, first)
        assert not is_news(settings, head_of(str(clone)))
        (clone / "config.toml").write_text("x")
        settings["config"] = str(clone / "config.toml")
        assert is_news(settings, first)
        assert not is_news(settings, first)

    def test_what_cannot_be_kept_is_not_told(self, clone: Path) -> None:
        (clone / "told").mkdir()
        assert not is_news(self.settings(clone), "f" * 40)


def prompt(machine: Machine, text: str) -> str:
    state = machine.places.state
    said = {"session_id": "s", "cwd": str(machine.project_folder), "prompt": text}
    words = [sys.executable, "-I", "-S", str(Path(hook.__file__)), "claude", "UserPromptSubmit", str(state)]
    done = subprocess.run(words, input=json.dumps(said).encode(), env=machine.env, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    wait_for_worker(machine)
    return done.stdout.decode()


def wait_for_worker(machine: Machine) -> None:
    lock, end = machine.open().state.lock("work"), time.monotonic() + 60
    pattern = f"_work --state {machine.home}"
    while is_held(lock) or subprocess.run(["pgrep", "-f", pattern], capture_output=True).stdout:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_what_a_person_did_by_hand_is_beside_the_next_prompt_but_one(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, "laptop")
    machine.init()
    assert machine.ctxrepo("remember", "redis listens on port 6380").returncode == 0
    wait_for_worker(machine)
    machine.write("global/hand.md", "- the kettle boils at noon\n")
    machine.git("add", "-A")
    machine.git("commit", "-qm", "by hand")
    asked = "when does the kettle boil?"
    assert "noon" not in prompt(machine, asked)
    assert "noon" in prompt(machine, asked)

    config = machine.places.config_file
    config.write_text(config.read_text() + "\n[recall]\nenabled = false\n")
    prompt(machine, "and which port is redis on?")
    assert read_settings(machine.places.state)["recall"] == "off"
    db = open_hooks(str(machine.places.state))
    assert db is not None
    settings = settings_of(db, str(machine.places.state))
    db.close()
    assert settings is not None
    assert not is_news({**settings, "folder": str(tmp_path)}, machine.git("rev-parse", "HEAD"))
