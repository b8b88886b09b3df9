"""git is told how the clone merges, in its own configuration, and nothing else may stand there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from long import rotating
from machines import Machine

from ctxrepo.services.repository.set_up_git import set_up_git
from ctxrepo.storage.clone.configfile import values
from ctxrepo.storage.isolated.dangers import PUSH, dangers, merge_driver, parking

DRIVER = "merge.ctxrepo.driver"


@pytest.fixture
def machine(ada: Machine) -> Machine:
    ada.init()
    return ada


def foreign(machine: Machine) -> list[str]:
    memory = machine.open()
    return [danger.key for danger in dangers(memory.clone, memory.env)]


def test_init_names_our_driver_and_the_guard_lets_it_pass(machine: Machine) -> None:
    assert machine.git("config", "--local", DRIVER) == merge_driver(sys.executable)
    assert machine.git("config", "--local", "merge.ctxrepo.name")
    assert foreign(machine) == []


@pytest.mark.parametrize(
    "value",
    [
        "touch sprung",
        "",
        merge_driver("/usr/bin/python3"),
        merge_driver(sys.executable) + "; touch sprung",
        merge_driver(sys.executable).replace("-I ", ""),
        merge_driver("/bin/sh -c 'touch sprung' #"),
    ],
)
def test_any_other_value_is_foreign(machine: Machine, value: str) -> None:
    machine.git("config", "--local", DRIVER, value)
    assert foreign(machine) == [DRIVER]


@pytest.mark.parametrize("name", ["info", "info/attributes"])
def test_no_attributes_are_written_through_a_link(machine: Machine, tmp_path: Path, name: str) -> None:
    place, there = machine.clone / ".git" / name, tmp_path / "there"
    place.rename(there)
    place.symlink_to(there)
    file = there / "attributes" if there.is_dir() else there
    file.write_text("nobody's business\n")
    assert set_up_git(machine.open(), sys.executable)
    assert file.read_text() == "nobody's business\n"


@pytest.mark.parametrize("key", ["merge.other.driver", "merge.default", "merge.ctxrepo.recursive"])
def test_no_other_driver_may_be_named(machine: Machine, key: str) -> None:
    machine.git("config", "--local", key, merge_driver(sys.executable))
    assert foreign(machine) == [key]


def test_where_it_is_missing_it_is_written_and_then_left_alone(machine: Machine) -> None:
    machine.git("config", "--local", "--remove-section", "merge.ctxrepo")
    assert set_up_git(machine.open(), sys.executable)
    config = (machine.clone / ".git" / "config").read_bytes()
    assert set_up_git(machine.open(), sys.executable)
    assert (machine.clone / ".git" / "config").read_bytes() == config
    assert foreign(machine) == []


def test_that_of_another_interpreter_is_replaced(machine: Machine) -> None:
    machine.git("config", "--local", DRIVER, merge_driver("/opt/it's old 100%/python"))
    assert set_up_git(machine.open(), sys.executable)
    assert machine.git("config", "--local", DRIVER) == merge_driver(sys.executable)


@pytest.mark.parametrize("value", ["touch sprung", "'unclosed", "", merge_driver("python3")])
def test_a_value_that_somebody_else_wrote_stays_and_is_told(machine: Machine, value: str) -> None:
    machine.git("config", "--local", DRIVER, value)
    assert not set_up_git(machine.open(), sys.executable)
    assert machine.git("config", "--local", DRIVER) == value
    assert foreign(machine) == [DRIVER]


def test_a_second_value_beside_ours_is_foreign_and_stays(machine: Machine) -> None:
    machine.git("config", "--local", "--add", DRIVER, "touch sprung")
    assert not set_up_git(machine.open(), sys.executable)
    assert foreign(machine) == [DRIVER]


def test_a_lock_on_the_configuration_stops_nobody(machine: Machine) -> None:
    machine.git("config", "--local", "--remove-section", "merge.ctxrepo")
    (machine.clone / ".git" / "config.lock").write_bytes(b"")
    assert not set_up_git(machine.open(), sys.executable)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", rotating(["a b", "it's", 'say "hi"', "100%A", "$(touch sprung)", "é", "a\\b"])
)
def test_the_line_starts_the_interpreter_whatever_its_path_is(machine: Machine, name: str) -> None:
    """As git does it: its placeholders filled in, then read by a shell."""
    interpreter = machine.home / name / "python"
    interpreter.parent.mkdir()
    interpreter.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    interpreter.chmod(0o755)
    machine.git("config", "--local", DRIVER, merge_driver(str(interpreter)))
    machine.write("global/a.md", "- a\n")
    merge_by_git(machine)
    assert machine.read("global/a.md") in ("- ours\n- theirs\n", "- theirs\n- ours\n")
    assert not list(Path(machine.clone).rglob("sprung"))


class TestAttributes:
    """A repository that another program began has no `.gitattributes` of ours."""

    def asked(self, machine: Machine, path: str) -> str:
        return machine.git("check-attr", "merge", "--", path).rpartition(": ")[2]

    def test_notes_and_tapes_are_merged_by_us_without_a_file_of_ours_in_the_repository(
        self, machine: Machine
    ) -> None:
        machine.git("rm", "-q", ".gitattributes")
        for path in ("a.md", "shop/core/b.md", "TAPE/shop__anchors.jsonl", "ctxrepo.toml"):
            assert self.asked(machine, path) == "ctxrepo"
        assert self.asked(machine, "shop/a.txt") == "unspecified"

    def test_what_others_wrote_there_stays_to_the_byte(self, machine: Machine) -> None:
        file = machine.clone / ".git" / "info" / "attributes"
        file.write_bytes(b"*.png binary\r\n*.md merge=ctxrepo\n# \xff")
        set_up_git(machine.open(), sys.executable)
        written = file.read_bytes()
        assert written.startswith(b"*.png binary\r\n*.md merge=ctxrepo\n# \xff\n")
        assert written.count(b"*.md merge=ctxrepo") == 1
        assert self.asked(machine, "a.jsonl") == "ctxrepo"
        set_up_git(machine.open(), sys.executable)
        assert file.read_bytes() == written


class TestParking:
    """With `review = "branch"` a plain `git push` of another program doesn't reach the shared branch."""

    def push(self, machine: Machine) -> list[str]:
        return values(machine.clone / ".git" / "config", PUSH, machine.env)

    def review(self, machine: Machine, how: str) -> None:
        file = machine.places.config_file
        text = file.read_text().replace('review = "branch"\n', "")
        file.write_text(text.replace("[[repository]]\n", f'[[repository]]\nreview = "{how}"\n'))
        set_up_git(machine.open(), sys.executable)

    @pytest.fixture
    def shared(self, ada: Machine, remote: Path) -> Machine:
        ada.init(str(remote))
        return ada

    def test_it_is_there_as_long_as_there_is_review_and_the_guard_knows_it(self, shared: Machine) -> None:
        assert self.push(shared) == []
        self.review(shared, "branch")
        assert self.push(shared) == [parking("main", shared.places.host())]
        assert foreign(shared) == []
        self.review(shared, "direct")
        assert self.push(shared) == []

    def test_a_refspec_of_somebody_elses_stays_and_is_told(self, shared: Machine) -> None:
        shared.git("config", "--local", PUSH, "refs/heads/main:refs/heads/theirs")
        for how in ("branch", "direct"):
            self.review(shared, how)
            assert self.push(shared) == ["refs/heads/main:refs/heads/theirs"]
            assert foreign(shared) == [PUSH]

    @pytest.mark.parametrize("words", [("push", "-q"), ("push", "-q", "origin", "main")])
    def test_another_programs_push_waits_for_review_with_all_else(
        self, shared: Machine, remote: Path, words: tuple[str, ...]
    ) -> None:
        shared.git("push", "-q", "-u", "origin", "main")
        self.review(shared, "branch")
        shared.write("global/a.md", "- of another program\n")
        shared.git("add", ".")
        shared.git("commit", "-qm", "Update memory")
        shared.git(*words)

        def at_remote(*ask: str) -> str:
            command = ["git", "-C", str(remote), *ask]
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout

        assert "global/a.md" not in at_remote("ls-tree", "-r", "--name-only", "main")
        parked = f"refs/ctxrepo/parked/{shared.places.host()}"
        assert "global/a.md" in at_remote("ls-tree", "-r", "--name-only", parked)
        branch = shared.sync().branch
        assert branch.startswith("ctxrepo/")
        assert "global/a.md" in at_remote("ls-tree", "-r", "--name-only", branch)
        assert "global/a.md" not in at_remote("ls-tree", "-r", "--name-only", "main")

    def test_a_branch_that_goes_on_from_elsewhere_after_a_review_is_parked_too(self, shared: Machine) -> None:
        shared.git("push", "-q", "-u", "origin", "main")
        self.review(shared, "branch")
        for text in ("- one\n", "- two\n"):
            shared.write("global/a.md", text)
            shared.git("add", ".")
            shared.git("commit", "-q", "--amend", "-m", text)
            shared.git("push", "-q")


def merge_by_git(machine: Machine) -> None:
    def commit(text: str) -> None:
        machine.write("global/a.md", text)
        machine.git("add", "-A")
        machine.git("commit", "-qm", "by hand")

    commit("- before\n")
    machine.git("checkout", "-qb", "side")
    commit("- theirs\n")
    machine.git("checkout", "-q", "main")
    commit("- ours\n")
    machine.git("merge", "-q", "side", "-m", "by hand")
