"""A person's own git merges as sync would: the merge driver, started by git."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from machines import Machine

from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.records.conflict_copy import copy_as_file

NOTE = "shop/topics/traps.md"
BASE = "---\ntags: [a]\nupdated: 2026-01-01\n---\n# Traps\n\n- the port is 6379 here\n- shared\n"
OURS = BASE.replace("6379", "6380").replace("[a]", "[a, b]").replace("01-01", "02-01") + "- by ada\n"
THEIRS = BASE.replace("6379", "6381").replace("[a]", "[a, c]").replace("01-01", "03-01") + "- by ben\n"
TAPE = "TAPE/shop/h-202611.jsonl"
Pair = tuple[Machine, Machine]


def git(machine: Machine, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = ["git", *words]
    return subprocess.run(
        command, cwd=machine.clone, env=machine.env | env, capture_output=True, text=True, timeout=60
    )


def record(machine: Machine, files: dict[str, str]) -> None:
    """A commit by hand."""
    for path, text in files.items():
        machine.write(path, text)
    machine.git("add", "-A")
    machine.git("commit", "-qm", "by hand")


@pytest.fixture
def apart(pair: Pair) -> Pair:
    """Two machines that changed the same files; ben has sent his commit."""
    ada, ben = pair
    ada.write(NOTE, BASE)
    ada.write(TAPE, '{"id":"1"}\n')
    ada.sync()
    ben.sync()
    record(ada, {NOTE: OURS, TAPE: '{"id":"1"}\n{"id":"2","ts":2}\n', "ctxrepo.toml": registry(ada, "ada")})
    record(ben, {NOTE: THEIRS, TAPE: '{"id":"1"}\n{"id":"3","ts":1}\n', "ctxrepo.toml": registry(ben, "ben")})
    ben.git("push", "-q", "origin", "main")
    return pair


def registry(machine: Machine, name: str) -> str:
    return machine.read("ctxrepo.toml") + f'"git.example/{name}" = "{name}"\n'


def as_sync_makes_it(machine: Machine, tmp_path: Path) -> str:
    """The tree that sync alone makes, in a copy of the clone that stays where it is."""
    before = machine.git("rev-parse", "HEAD")
    machine.sync(send=False)
    tree = machine.tree()
    machine.git("reset", "-q", "--hard", before)
    machine.git("clean", "-qfd")
    for ref in ("wt", "wt-next", "index"):
        machine.git("update-ref", f"refs/ctxrepo/{ref}", f"{before}^{{tree}}")
    return tree


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("pull", "-q", "--no-rebase", "origin", "main"), ("pull", "-q", "--rebase")]
)
def test_a_pull_by_hand_and_a_sync_agree_with_sync_alone(
    apart: Pair, tmp_path: Path, words: tuple[str, ...]
) -> None:
    ada, ben = apart
    tree = as_sync_makes_it(ada, tmp_path)
    ada.git("branch", "-q", "--set-upstream-to=origin/main")
    run = git(ada, *words)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "one is kept under conflicts/" in run.stderr + run.stdout
    assert "<<<<" not in ada.read(NOTE)
    assert "tags: [a, b, c]" in ada.read(NOTE)
    ada.sync()
    assert ada.tree() == tree
    ben.sync()
    assert ben.tree() == tree


@pytest.mark.slow
def test_a_cherry_pick_takes_entries(apart: Pair) -> None:
    ada, _ = apart
    record(ada, {"global/a.md": "- a\n- b\n"})
    ada.git("checkout", "-qb", "side")
    record(ada, {"global/a.md": "- a\n- b\n- c\n"})
    ada.git("checkout", "-q", "main")
    record(ada, {"global/a.md": "- a\n- b\n- d\n"})
    ada.git("cherry-pick", "side")
    assert set(ada.read("global/a.md").splitlines()) == {"- a", "- b", "- c", "- d"}


def merge(
    machine: Machine, path: str, base: bytes, ours: bytes, theirs: bytes
) -> subprocess.CompletedProcess[str]:
    """Run the driver as git does."""
    for name, data in (("O", base), ("A", ours), ("B", theirs)):
        (machine.clone / f".merge_file_{name}").write_bytes(data)
    words = [f".merge_file_{name}" for name in "OAB"]
    command = [sys.executable, "-I", "-m", "ctxrepo", "_merge", *words, path]
    return subprocess.run(command, cwd=machine.clone, env=machine.env, capture_output=True, text=True)


@pytest.fixture
def clone(ada: Machine) -> Machine:
    ada.init()
    return ada


@pytest.mark.parametrize(
    "path",
    ["-x.md", "--help", "a b'c\"$(touch sprung).md", "a/../b.md", "/etc/passwd.md", "é/\udcff.md", "x" * 300],
)
def test_any_path_is_merged_and_what_lost_is_where_sync_would_put_it(clone: Machine, path: str) -> None:
    versions = b"- the port is 1\n", b"- the port is 2\n", b"- the port is 3\n"
    run = merge(clone, path, *versions)
    assert run.returncode == 0, run.stderr
    expected = merge_file(path, *versions)
    assert (clone.clone / ".merge_file_A").read_bytes() == expected.data
    for name, data in map(copy_as_file, expected.conflict_copies):
        assert (clone.clone / name).read_bytes() == data
    assert not list(clone.clone.rglob("sprung"))


@pytest.mark.parametrize("path", ["a\nb.md", "a\x1b[2Jb.md", "a\\b.md"])
def test_what_can_not_be_put_aside_is_left_to_a_person(clone: Machine, path: str) -> None:
    run = merge(clone, path, b"- the port is 1\n", b"- the port is 2\n", b"- the port is 3\n")
    assert run.returncode == 1
    assert (clone.clone / ".merge_file_A").read_bytes() == b"- the port is 2\n"
    assert "\x1b" not in run.stderr
    assert "Traceback" not in run.stderr
    assert merge(clone, path, b"- a\n", b"- a\n- b\n", b"- a\n- c\n").returncode == 0


def test_nothing_is_written_through_a_link(clone: Machine, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (clone.clone / "conflicts").symlink_to(tmp_path / "elsewhere")
    assert (
        merge(
            clone,
            "a.md",
            b"- the port of redis is 1 here\n",
            b"- the port of redis is 2 here\n",
            b"- the port of redis is 3 here\n",
        ).returncode
        == 1
    )
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_file_that_git_did_not_leave_is_no_deletion(clone: Machine) -> None:
    merge(clone, "a.md", b"", b"", b"")
    (clone.clone / ".merge_file_A").unlink()
    command = [sys.executable, "-I", "-m", "ctxrepo", "_merge", *(f".merge_file_{n}" for n in "OAB"), "a.md"]
    run = subprocess.run(command, cwd=clone.clone, capture_output=True, text=True)
    assert run.returncode == 1
    assert not (clone.clone / ".merge_file_A").exists()


def test_the_environment_decides_nothing(clone: Machine, tmp_path: Path) -> None:
    evil = tmp_path / "evil" / "ctxrepo"
    evil.mkdir(parents=True)
    (evil / "__init__.py").write_text("raise SystemExit('sprung')")
    record(clone, {"global/a.md": "- a\n"})
    clone.git("checkout", "-qb", "side")
    record(clone, {"global/a.md": "- a\n- b\n"})
    clone.git("checkout", "-q", "main")
    record(clone, {"global/a.md": "- a\n- c\n"})
    steered = {
        "PYTHONPATH": str(evil.parent),
        "CTXREPO_HOME": "/nowhere",
        "LC_ALL": "C",
        "PYTHONSTARTUP": "/x",
    }
    run = git(clone, "merge", "-q", "side", "-m", "by hand", **steered)
    assert run.returncode == 0, run.stdout + run.stderr
    assert set(clone.read("global/a.md").splitlines()) == {"- a", "- b", "- c"}


def test_it_loads_no_library_for_objects_or_commands() -> None:
    code = (
        "import sys; from ctxrepo.__main__ import main; sys.argv[1:] = ['_merge', *'abcd']; main();"
        "print({'pygit2', 'typer', 'sqlite3', 'subprocess'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"
