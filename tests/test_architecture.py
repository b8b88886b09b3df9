"""The law of the house: which floor may import which. Each failure says why the wall stands."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "ctxrepo"
MODULES = sorted(PACKAGE.rglob("*.py"))

# Lower floors first. A module may import its own floor and those below, but for the exceptions beside it.
FLOORS = ["errors", "domain", "hot", "storage", "agents", "services", "faces"]
FACES = {"cli", "hook", "work", "warm", "driver", "__main__"}
STRANGERS = {("agents", "storage"), ("storage", "agents"), ("agents", "hot")}

OWNERS = {
    "pygit2": {"ctxrepo.storage.objects"},
    "yaml": {"ctxrepo.domain.frontmatter"},
    "frontmatter": {"ctxrepo.domain.frontmatter"},
    "tomlkit": {"ctxrepo.domain.toml"},
    "onnxruntime": {"ctxrepo.storage.embedder"},
    "tokenizers": {"ctxrepo.storage.embedder"},
    "numpy": {
        "ctxrepo.storage.embedder",
        "ctxrepo.storage.vectors",
        "ctxrepo.services.fusion",
        "ctxrepo.services.meanings",
        "ctxrepo.services.semantic",
    },
    "typer": {"ctxrepo.cli"},
    "rich": {"ctxrepo.cli"},
}
ALSO = {"ctxrepo.hot.semantic": {"_socket"}}
"""What one module may beyond that: it is loaded only where a person has switched it on."""
HOT_MAY = {"sys", "os", "time", "_sqlite3", "_functools", "_signal", "_blake2", "_json", "posix", "fcntl"}

# What turns a value-in, value-out service into something that only works at somebody's terminal.
SPEAKING = {"print", "input", "exit", "breakpoint"}


def name_of(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def floor_of(module: str) -> str:
    first = module.split(".")[1] if "." in module else "errors"
    return "faces" if first in FACES else first


def imports(file: Path) -> Iterator[str]:
    """Full names of what a module imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative imports hide which floor is meant"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                is_module = (PACKAGE.parent / (full.replace(".", "/") + ".py")).exists()
                yield full if is_module else node.module or ""


@pytest.mark.parametrize("file", MODULES, ids=name_of)
def test_arrows_point_down(file: Path) -> None:
    here = floor_of(name_of(file))
    for name in imports(file):
        if name.split(".")[0] != "ctxrepo" or name == "ctxrepo":
            continue
        there = floor_of(name)
        assert FLOORS.index(there) <= FLOORS.index(here), (
            f"{name_of(file)} imports {name}: an arrow up means that neither can be read alone"
        )
        assert (here, there) not in STRANGERS, (
            f"{name_of(file)} imports {name}: agents know no storage and storage no agents, so that either "
            "can grow without the other"
        )


@pytest.mark.parametrize("file", MODULES, ids=name_of)
def test_every_library_has_one_owner(file: Path) -> None:
    for name in imports(file):
        owners = OWNERS.get(name.split(".")[0], set())
        assert not owners or any(name_of(file).startswith(owner) for owner in owners), (
            f"{name_of(file)} imports {name}, which belongs to {owners}: a library known in one place can be "
            "replaced in one place"
        )


@pytest.mark.parametrize("file", [f for f in MODULES if floor_of(name_of(f)) == "hot"], ids=name_of)
def test_the_hot_path_imports_its_allowlist_only(file: Path) -> None:
    for name in imports(file):
        top = name.split(".")[0]
        assert top in HOT_MAY | ALSO.get(name_of(file), set()) or name.startswith("ctxrepo.hot"), (
            f"{name_of(file)} imports {name}: one import of json costs more than the whole hook may"
        )


@pytest.mark.parametrize("file", [f for f in MODULES if floor_of(name_of(f)) == "domain"], ids=name_of)
def test_the_domain_has_no_clock_disk_or_environment(file: Path) -> None:
    outside = {"os", "time", "pathlib", "subprocess", "socket", "random", "shutil", "tempfile", "sqlite3"}
    for name in imports(file):
        assert name.split(".")[0] not in outside, f"{name_of(file)} imports {name}: rules must be replayable"
    text = file.read_text()
    assert "datetime.now(" not in text, f"{name_of(file)} reads the clock: `now` is an argument"
    assert not re.search(r"\bopen\(", text), f"{name_of(file)} opens a file: only storage touches disk"


@pytest.mark.parametrize("file", [f for f in MODULES if floor_of(name_of(f)) == "services"], ids=name_of)
def test_services_never_speak_exit_or_read_the_environment(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text())):
        called = node.func if isinstance(node, ast.Call) else None
        assert not (isinstance(called, ast.Name) and called.id in SPEAKING), (
            f"{name_of(file)}:{getattr(node, 'lineno', 0)} speaks: a service returns values, a face says them"
        )
        is_environ = isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv", "_exit")
        assert not is_environ, f"{name_of(file)} reads the environment: a face hands it in"


@pytest.mark.parametrize("file", MODULES, ids=name_of)
def test_every_module_opens_with_a_sentence(file: Path) -> None:
    said = ast.get_docstring(ast.parse(file.read_text()))
    assert said, f"{name_of(file)} doesn't say what lives in it"


def test_no_file_becomes_a_city() -> None:
    sizes = {name_of(f): f.read_text().count("\n") for f in MODULES}
    cities = {name: lines for name, lines in sizes.items() if lines > 300}
    assert not cities, f"which noun is hiding in {cities}?"


def test_help_and_reading_commands_load_no_pygit2() -> None:
    code = "import sys; from ctxrepo.cli.app import main; main(['--help']); print('pygit2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


RECURSES = {
    "ctxrepo.domain.jsontree": {"_value", "_container"},  # 100 levels, then it is refused
    "ctxrepo.domain.keys": {"accepted", "kind"},  # a variable of that name
    "ctxrepo.domain.pinote": {"_word"},  # as deep as a head may be
    "ctxrepo.domain.pisettings": {"_hooks"},  # once
    # _branching: our own patterns; the others: base64 in base64, 12 KiB at most, each a quarter shorter
    "ctxrepo.domain.secrets.search": {
        "_branching",
        "_hits",
        "_is_secret",
        "_of_texts",
        "_of_tokens",
        "spans",
    },
    "ctxrepo.domain.merge.apart": {"_Names._spelled"},  # the folders of one path
    "ctxrepo.services.merge": {"_base"},  # 3 levels
    "ctxrepo.storage.folders": {"Folders._at"},  # the folders of one path
    "ctxrepo.storage.scan": {"_walk"},  # 16 folders, then it is passed over
    "ctxrepo.storage.memory": {"state_of"},  # once
    "ctxrepo.storage.places": {"Places.host"},  # once, after it was made
}
"""What calls itself all the same, and how deep."""


@pytest.mark.parametrize("file", [f for f in MODULES if floor_of(name_of(f)) != "faces"], ids=name_of)
def test_no_function_calls_itself(file: Path) -> None:
    calls = dict(_calls(ast.parse(file.read_text())))
    for name in calls.keys() - RECURSES.get(name_of(file), set()):
        reached, waiting = set[str](), [name]
        while waiting:
            new = calls.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new
        assert name not in reached, (
            f"{name_of(file)}.{name} calls itself: how deep a tree, a history or a document is decides who "
            "sent it; iterate, and count"
        )


def _calls(tree: ast.Module) -> Iterator[tuple[str, set[str]]]:
    """(name of a function, or of a method with its class, names of those in its module that it calls)"""
    owners = [("", tree), *((f"{c.name}.", c) for c in tree.body if isinstance(c, ast.ClassDef))]
    for owner, inside in owners:
        for node in inside.body:
            if isinstance(node, ast.FunctionDef):
                yield owner + node.name, {name for call in ast.walk(node) for name in _called(call, owner)}


def _called(node: ast.AST, owner: str) -> Iterator[str]:
    """What is called there, or handed to `map` to be."""
    for what in (node.func, *node.args[:1]) if isinstance(node, ast.Call) else ():
        if isinstance(what, ast.Name):
            yield what.id
        elif isinstance(what, ast.Attribute) and isinstance(what.value, ast.Name) and owner:
            yield from [owner + what.attr] if what.value.id in ("self", "cls") else []
