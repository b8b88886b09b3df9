"""The short way to modules: found where Python would take a compiled file, and nowhere else."""

from __future__ import annotations

import importlib.util
import json
import os
import py_compile
import shutil
import subprocess
import sys
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

import pytest
from world import HOOK, World

from ctxrepo.hooks.loading import FINDER

NAME = "ctxrepo.made_up"


def find(folder: Path) -> ModuleSpec | None:
    return FINDER.find_spec(NAME, [str(folder)])


def own(folder: Path) -> ModuleSpec:
    spec = PathFinder.find_spec(NAME, [str(folder)])
    assert spec is not None
    return spec


def value(spec: ModuleSpec) -> object:
    """What the module says once it is loaded as an import loads it."""
    module = importlib.util.module_from_spec(spec)
    assert spec.loader is not None
    spec.loader.exec_module(module)
    return module.VALUE


@pytest.fixture
def module(tmp_path: Path) -> Path:
    file = tmp_path / "made_up.py"
    file.write_text("VALUE = 1\n")
    py_compile.compile(str(file))
    return file


def test_a_module_is_found_as_python_finds_it(module: Path) -> None:
    ours, its = find(module.parent), own(module.parent)
    assert ours is not None
    for part in ("name", "origin", "cached", "has_location", "submodule_search_locations", "parent"):
        assert getattr(ours, part) == getattr(its, part), part
    assert value(ours) == value(its) == 1


def test_so_is_a_package(tmp_path: Path) -> None:
    file = tmp_path / "made_up/__init__.py"
    file.parent.mkdir()
    file.write_text("VALUE = __path__\n")
    py_compile.compile(str(file))
    ours, its = find(tmp_path), own(tmp_path)
    assert ours is not None
    for part in ("name", "origin", "cached", "has_location", "submodule_search_locations", "parent"):
        assert getattr(ours, part) == getattr(its, part), part
    assert value(ours) == [str(file.parent)]


def test_a_source_that_was_changed_is_left_to_python(module: Path) -> None:
    module.write_text("VALUE = 22\n")
    assert find(module.parent) is None
    assert value(own(module.parent)) == 22
    assert value(find(module.parent) or own(module.parent)) == 22  # Python has compiled it by now


def test_a_change_of_the_time_alone_is_one(module: Path) -> None:
    os.utime(module, (1, 1))
    assert find(module.parent) is None


@pytest.mark.parametrize("spoil", ["none", "short", "of another Python", "by hash", "huge", "without source"])
def test_a_compiled_file_of_another_kind_is_left_to_python(module: Path, spoil: str) -> None:
    compiled = Path(own(module.parent).cached or "")
    data = compiled.read_bytes()
    if spoil == "none":
        compiled.unlink()
    elif spoil == "short":
        compiled.write_bytes(data[:9])
    elif spoil == "of another Python":
        compiled.write_bytes(b"\0\0\r\n" + data[4:])
    elif spoil == "by hash":
        py_compile.compile(str(module), invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
    elif spoil == "huge":
        compiled.write_bytes(data + bytes(200_000))
    else:
        module.unlink()
    assert find(module.parent) is None


def test_only_what_is_within_the_package_is_looked_for(module: Path) -> None:
    here = [str(module.parent)]
    assert FINDER.find_spec("made_up", here) is None
    assert FINDER.find_spec("ctxrepository.made_up", here) is None
    assert FINDER.find_spec("ctxrepo", None) is None


_DRIVER = """
import sys, posix
hook, end = posix.getpid(), posix._exit
posix._exit = lambda code: end(code) if posix.getpid() != hook else None
sys.argv = ["-", "claude", "SessionStart", {state!r}]
exec(compile(open({hook!r}).read(), {hook!r}, "exec"), {{"__name__": "__main__", "__file__": {hook!r}}})
slow = [name for name, module in sys.modules.items() if type(module.__loader__).__name__ != "_Loader"]
posix.write(2, " ".join(slow).encode())
end(0)
"""


@pytest.mark.slow
def test_a_hook_loads_all_that_comes_after_it_the_short_way(tmp_path: Path) -> None:
    world = World(tmp_path)
    package = tmp_path / "installed/ctxrepo"
    shutil.copytree(HOOK.parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    code = _DRIVER.format(hook=str(package / "hook.py"), state=str(world.state))
    stdin = json.dumps({"cwd": str(world.code), "session_id": "s"}).encode()
    by_run = []
    for _ in range(2):
        words = [sys.executable, "-I", "-S", "-c", code]
        by_run.append(subprocess.run(words, input=stdin, capture_output=True, check=True).stderr.decode())
    first, second = ([name for name in run.split() if name.startswith("ctxrepo")] for run in by_run)
    assert len(first) > 25  # nothing was compiled yet
    assert second == ["ctxrepo", "ctxrepo.hooks", "ctxrepo.hooks.loading"]
    assert world.errors() == ""
