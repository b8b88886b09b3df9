"""From a bare home to a session that has its memory: by pipx from a git address, and from the plugin alone.

Nothing but the libraries that pyproject.toml names comes from an index, and no index is asked for ctxrepo.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from checkout import CHECKOUT

import ctxrepo

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))
LEFT = shutil.ignore_patterns(".git", ".venv", ".live", ".peers", ".*_cache", ".hypothesis", "__pycache__")
START = json.dumps({"session_id": "s", "source": "startup", "cwd": "/"})


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what an installation needs beside ctxrepo itself, as wheels."""
    folder = tmp_path_factory.mktemp("wheels")
    needed = [*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"], "pip"]
    words = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--only-binary",
        ":all:",
        "--dest",
        str(folder),
    ]
    run = subprocess.run([*words, *needed], capture_output=True, text=True, timeout=300)
    assert not run.returncode, f"pip, which made this environment, gets no libraries: {run.stderr}"
    return folder


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout, as an agent keeps a plugin: without its repository, and read-only."""
    folder = tmp_path_factory.mktemp("plugins") / "ctxrepo" / ctxrepo.__version__
    shutil.copytree(CHECKOUT, folder, ignore=LEFT)
    return folder


@pytest.fixture
def env(home: Path, wheels: Path) -> dict[str, str]:
    """What a shell in a bare home holds; pip has the wheels, and asks no index."""
    (home / ".gitconfig").unlink()
    path = f"{home}/.local/bin:{sys.base_prefix}/bin:/usr/bin:/bin"
    return {
        "HOME": str(home),
        "PATH": path,
        "PIP_NO_COMPILE": "1",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
    }


def run(env: dict[str, str], *words: str, stdin: str = "") -> str:
    """What a command prints; it ends with 0."""
    run = subprocess.run(
        words, env=env, cwd=env["HOME"], input=stdin, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, f"{words}: {run.stdout}{run.stderr}"
    return run.stdout


def test_pipx_installs_it_from_a_git_address(env: dict[str, str], plugin: Path, tmp_path: Path) -> None:
    address = tmp_path / "address"
    shutil.copytree(plugin, address)
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for words in (("init", "--quiet"), ("add", "--all"), (*who, "commit", "--quiet", "-m", "All")):
        run(env, "git", "-C", str(address), *words)
    run(env, sys.executable, "-m", "pipx", "install", "--quiet", f"git+file://{address}")
    assert run(env, "ctxrepo", "--version") == f"ctxrepo {ctxrepo.__version__}\n"
    run(env, "ctxrepo", "init")
    assert "This is ctxrepo" in run(env, "ctxrepo", "context")


def test_the_plugin_alone_becomes_whole_by_the_line_that_it_tells(env: dict[str, str], plugin: Path) -> None:
    def hook_answer() -> dict[str, object]:
        answer: dict[str, object] = json.loads(run(env, *hook, stdin=START))
        return answer

    hook = ("sh", str(plugin / "hooks/run"), "claude", "SessionStart")
    before = sorted(plugin.rglob("*"))
    command = str(hook_answer()["systemMessage"]).partition("in a terminal: ")[2]
    output = run(env, "sh", "-c", command)
    assert f"ctxrepo {ctxrepo.__version__}\n" in output
    assert output.endswith(": ctxrepo start\n")
    assert str(hook_answer()["systemMessage"]).endswith("in a terminal: ctxrepo start")
    run(env, "ctxrepo", "init")
    assert "This is ctxrepo" in json.dumps(hook_answer()["hookSpecificOutput"])
    assert sorted(plugin.rglob("*")) == before

    newer = Path(env["HOME"], "newer")
    shutil.copytree(plugin, newer)
    version = newer / "ctxrepo/__init__.py"
    version.write_text(version.read_text().replace(ctxrepo.__version__, "9.9.9"))
    elsewhere = {**env, "PATH": env["PATH"].partition(":")[2]}
    output = run(elsewhere, "sh", str(newer / "hooks/install"))
    assert "ctxrepo 9.9.9\n" in output
    assert output.endswith(f": '{env['HOME']}/.local/bin/ctxrepo' start\n")
    assert "This is ctxrepo" in json.dumps(hook_answer()["hookSpecificOutput"])
