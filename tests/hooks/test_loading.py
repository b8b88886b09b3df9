"""The short way to modules: found where Python would take a compiled file, and imported as by Python."""

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

from ctxrepo.hooks import loading
from ctxrepo.hooks.loading import FINDER

NAME = "ctxrepo.made_up"


def find(folder: Path) -> ModuleSpec | None:
    return FINDER.find_spec(NAME, [str(folder)])


def own(folder: Path) -> ModuleSpec:
    found = PathFinder.find_spec(NAME, [str(folder)])
    assert found is not None
    return found


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
        compiled.write_bytes(data + bytes(100_000))
    else:
        module.unlink()
    assert find(module.parent) is None


def test_only_what_is_within_the_package_is_looked_for(module: Path) -> None:
    here = [str(module.parent)]
    assert FINDER.find_spec("made_up", here) is None
    assert FINDER.find_spec("ctxrepository.made_up", here) is None
    assert FINDER.find_spec("ctxrepo", None) is None


FILES = {
    "__init__.py": "TOP = 1\n",
    "one.py": "import sys\nfrom ctxrepo.inner.two import TWO\nONE = [__name__, __file__, TWO]\n",
    "inner/__init__.py": "HERE = list(__path__)\n",
    "inner/two.py": "TWO = (__name__, __file__)\n",
    "inner/three.py": "from ctxrepo.inner import two\nTHREE = two.TWO\n",
    "inner/broken.py": "from ctxrepo.inner.three import THREE\nraise ValueError(THREE)\n",
    "circle.py": "from ctxrepo import circle\nROUND = circle.__name__\n",
}
STATEMENTS = [
    "from ctxrepo.one import ONE as said",
    "from ctxrepo.inner import two as said, HERE",
    "from ctxrepo.inner import HERE as said",
    "from ctxrepo.inner.three import THREE as said",
    "import ctxrepo.inner.two; said = ctxrepo.inner.two.TWO",
    "import ctxrepo.inner.three as said",
    "from ctxrepo.inner import three, two; said = three.two is two",
    "from ctxrepo.inner.two import *; said = TWO",
    "from ctxrepo import TOP as said",
    "said = __import__('ctxrepo.one', fromlist=['ONE']).ONE",
    "said = __import__('ctxrepo.one').TOP",
    "from ctxrepo.circle import ROUND as said",
    "import os.path as said",
    # what fails
    "from ctxrepo.one import MISSING",
    "from ctxrepo.inner import missing",
    "from ctxrepo.missing import ONE",
    "from ctxrepo.one.below import ONE",
    "import ctxrepo.missing",
    "from ctxrepo.inner.broken import ONE",
    "from ctxrepo.inner import broken",
]

_STATEMENT = """
import sys
sys.path.append({home!r})
{quickly}
try:
    {statement}
    print(said)
except Exception as error:
    print(type(error).__name__, error)
print(sorted(name for name in sys.modules if name.startswith("ctxrepo")))
"""
_LOADING = f"""
import sys
from _frozen_importlib_external import SourceFileLoader
loading = type(sys)("loading")
SourceFileLoader("loading", {loading.__file__!r}).exec_module(loading)
"""
_QUICKLY = _LOADING + "loading.import_quickly({home!r})"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a package whose modules are compiled."""
    home = tmp_path_factory.mktemp("home")
    for name, text in FILES.items():
        file = home / "ctxrepo" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        py_compile.compile(str(file))
    return home


def say(home: Path, statement: str, quickly: str) -> str:
    """What a fresh interpreter prints of an import statement: what was imported, what is loaded then."""
    code = _STATEMENT.format(home=str(home), statement=statement, quickly=quickly.format(home=str(home)))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, check=True, text=True
    )
    return done.stdout


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_hook_imports_as_python_does(home: Path, statement: str) -> None:
    ours, its = say(home, statement, _QUICKLY), say(home, statement, "")
    assert ours == its != ""


def test_a_source_that_was_changed_is_compiled_again(tmp_path: Path, home: Path) -> None:
    shutil.copytree(home, tmp_path, dirs_exist_ok=True)
    (tmp_path / "ctxrepo/inner/two.py").write_text("TWO = 'changed'\n")
    for _ in range(2):
        assert say(tmp_path, "from ctxrepo.inner.three import THREE as said", _QUICKLY).startswith(
            "changed\n"
        )


_LIGHT_OS = f"""{_LOADING}
loading.load_light_os()
import os
light = os
del sys.modules["os"]
import os
"""


@pytest.mark.parametrize(
    "expression",
    [
        "os.environ['ODD'], dict(os.environ)",
        "os.path.realpath('link/../file'), os.path.realpath('link/to')",
        "os.path.exists('file'), os.path.lexists('link'), os.path.exists('no'), os.path.isdir('.')",
        "os.path.join('a', 'b'), os.path.dirname('a/b'), os.path.basename('a/b'), os.path.normpath('a/../b')",
        "os.path.abspath('file'), os.path.expanduser('~/notes')",
        "os.devnull, os.O_RDONLY, os.getcwd(), os.stat('file').st_size, os.__name__",
    ],
)
def test_the_light_os_says_what_os_says(tmp_path: Path, expression: str) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there")
    (tmp_path / "file").write_text("text")
    code = f"{_LIGHT_OS}\nassert light is not os\nits = {expression}\nos = light\nours = {expression}\n"
    code += "assert ours == its, (ours, its)"
    env = {"HOME": "/home/ada", b"ODD": b"caf\xe9", "EMPTY": ""}
    words = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_where_os_is_loaded_it_stays() -> None:
    before = sys.modules["os"]
    loading.load_light_os()
    assert sys.modules["os"] is before is os


_DRIVER = """
import sys, posix
hook, end = posix.getpid(), posix._exit
posix._exit = lambda code: end(code) if posix.getpid() != hook else None
sys.argv = ["-", "claude", "SessionStart", {state!r}]
exec(compile(open({hook!r}).read(), {hook!r}, "exec"), {{"__name__": "__main__", "__file__": {hook!r}}})
slow = [name for name, module in sys.modules.items() if module.__spec__]
posix.write(2, " ".join(slow).encode())
end(0)
"""


def test_a_hook_loads_all_that_comes_after_it_the_short_way(tmp_path: Path) -> None:
    world = World(tmp_path)
    package = tmp_path / "installed/ctxrepo"
    shutil.copytree(HOOK.parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    code = _DRIVER.format(hook=str(package / "hook.py"), state=str(world.state))
    said = json.dumps({"cwd": str(world.code), "session_id": "s"}).encode()
    by_run = []
    for _ in range(2):
        words = [sys.executable, "-I", "-S", "-c", code]
        by_run.append(subprocess.run(words, input=said, capture_output=True, check=True).stderr.decode())
    first, second = ([name for name in run.split() if name.startswith("ctxrepo")] for run in by_run)
    assert len(first) > 25  # nothing was compiled yet
    assert second == ["ctxrepo.hooks.loading"]
    assert "_collections_abc" not in by_run[1].split()  # os is the light one
    assert world.errors() == ""
