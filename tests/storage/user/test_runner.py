"""STATE/hook: it starts what ran last, else another ctxrepo, else nothing; and never speaks of it."""

from __future__ import annotations

import shutil
import stat
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ctxrepo.storage.user.assets import Runner, fallback, place, read_runner, write_runner

SHELLS = [shell for name in ("sh", "bash", "dash", "zsh", "busybox", "ksh") if (shell := shutil.which(name))]

every_shell = pytest.mark.parametrize("shell", SHELLS)


class Place:
    """A state folder beside programs that write down how they were started."""

    def __init__(self, root: Path) -> None:
        self.root = root / "it's é\n$x"
        self.state = self.root / "state"
        self.hook = self.root / "ctxrepo/hook.py"
        self.hook.parent.mkdir(parents=True)
        self.hook.touch()
        self.python = self.program("python")
        write_runner(self.state, str(self.python), self.hook)

    def program(self, path: str, then: str = "") -> Path:
        """It answers its own path and words, and what is left of standard input; then does `then`."""
        made = self.root / path
        made.parent.mkdir(parents=True, exist_ok=True)
        report = f'printf "%s|" {path} "$@" "$CTXREPO_STATE" "$(cat)"; echo noise >&2'
        made.write_text(f"#!/bin/sh\n{report}\n{then}\n")
        made.chmod(0o755)
        return made

    def run(self, shell: str = "sh", *status: str, env: Mapping[str, str] | None = None) -> str:
        """What the runner answers; it always ends with 0 and is silent on standard error."""
        words = [shell, "sh"] if shell.endswith("busybox") else [shell]
        done = subprocess.run(
            [*words, str(place(self.state)), "claude", "Stop", *status],
            input="json",
            env={"HOME": str(self.root), "PATH": f"{self.root}/bin:/usr/bin:/bin", **(env or {})},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    @property
    def straight(self) -> str:
        return f"python|-I|-S|{self.hook}|claude|Stop|{self.state}||json|"

    def another(self, path: str) -> str:
        return f"{path}|hook|claude|Stop|{self.state}|json|"


@pytest.fixture
def there(tmp_path: Path) -> Place:
    return Place(tmp_path)


@every_shell
def test_it_starts_what_ran_last(there: Place, shell: str) -> None:
    assert there.run(shell) == there.straight
    assert there.run(shell, "127") == there.straight


@every_shell
def test_what_is_gone_is_followed_by_what_the_user_installed(there: Place, shell: str) -> None:
    there.python.unlink()
    assert there.run(shell) == ""
    there.program("bin/ctxrepo")
    assert there.run(shell) == there.another("bin/ctxrepo")
    own = there.program(".local/bin/ctxrepo")
    assert there.run(shell) == there.another(".local/bin/ctxrepo")
    own.write_text("#!/gone/python\n")
    assert there.run(shell) == there.another("bin/ctxrepo")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda t: t.python.unlink(),
        lambda t: t.python.chmod(0o644),
        lambda t: t.python.write_text("#!/gone/python\n"),
        lambda t: t.python.write_bytes(b"\x7fELF"),
        lambda t: t.python.write_text("#!/bin/sh\necho Fatal Python error >&2; exit 1\n"),
        lambda t: t.python.write_text("#!/bin/sh\nkill -ABRT $$\n"),
        lambda t: (t.python.unlink(), t.python.mkdir()),
        lambda t: t.hook.unlink(),
        lambda t: shutil.rmtree(t.hook.parent),
    ],
    ids=["gone", "no program", "shim", "cut off", "no library", "aborts", "folder", "no hook", "no package"],
)
def test_whatever_broke_the_next_one_gets_the_whole_input(
    there: Place, spoil: Callable[[Place], object]
) -> None:
    there.program("bin/ctxrepo")
    spoil(there)
    assert there.run() == there.another("bin/ctxrepo")


@every_shell
@pytest.mark.parametrize("signal", ["HUP", "INT", "KILL", "TERM"])
def test_whom_someone_ended_has_no_successor(there: Place, shell: str, signal: str) -> None:
    there.program("bin/ctxrepo")
    there.program("python", f"kill -{signal} $$")
    assert there.run(shell) == there.straight


@pytest.mark.parametrize("status", ["129", "130", "137", "143"])
def test_nor_is_there_one_when_the_line_before_was_ended(there: Place, status: str) -> None:
    there.program("bin/ctxrepo")
    assert there.run("sh", status) == ""


def test_a_ctxrepo_that_calls_the_runner_goes_round_once(there: Place) -> None:
    there.python.unlink()
    there.program("bin/ctxrepo", f'sh "{there.state}/hook" claude Stop'.replace("$", r"\$"))
    assert there.run() == there.another("bin/ctxrepo")


def test_a_path_with_relative_folders_starts_nothing(
    there: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there.python.unlink()
    there.program("bin/ctxrepo")
    monkeypatch.chdir(there.root / "bin")
    for folders in (".:/usr/bin:/bin", ":/usr/bin:/bin", "../bin:/usr/bin:/bin"):
        assert there.run(env={"PATH": folders}) == ""


def test_it_is_private_written_when_it_changes_and_read_again(there: Place) -> None:
    file = place(there.state)
    first = file.stat()
    assert stat.S_IMODE(first.st_mode) == 0o600
    assert stat.S_IMODE(there.state.stat().st_mode) == 0o700
    assert not write_runner(there.state, str(there.python), there.hook)
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (first.st_ino, first.st_mtime_ns)
    assert read_runner(there.state) == Runner(there.python, there.hook)
    assert write_runner(there.state, "/other/python", there.hook)
    assert read_runner(there.state) == Runner(Path("/other/python"), there.hook)
    assert [p.name for p in there.state.iterdir()] == ["hook"]


@pytest.mark.parametrize("data", [b"", b"#\n#\n#\npython='\nhook=\nx=1\n", b"\xff\n" * 9, b"exit 0\n"])
def test_what_is_not_ours_names_nothing(there: Place, data: bytes) -> None:
    place(there.state).write_bytes(data)
    assert read_runner(there.state) is None
    place(there.state).unlink()
    assert read_runner(there.state) is None


def test_where_it_can_not_be_written_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "state").touch()
    assert not write_runner(tmp_path / "state", "/usr/bin/python3")


def test_what_it_comes_to_can_be_asked(there: Place) -> None:
    env = {"HOME": str(there.root), "PATH": f"{there.root}/bin"}
    assert fallback(there.state, env) == there.python
    there.python.unlink()
    assert fallback(there.state, env) is None
    for path in ("bin/ctxrepo", ".local/bin/ctxrepo"):
        made = there.program(path)
        assert fallback(there.state, env) == made
    place(there.state).unlink()
    assert fallback(there.state, env) is None
