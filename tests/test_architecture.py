"""The law of the house: which floor may import which. Each failure says why the wall stands."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from checkout import CHECKOUT
from each import for_each
from house import BARS, House

PACKAGE = CHECKOUT / "ctxrepo"
HOUSE = House.of(CHECKOUT)
MODULES = sorted(PACKAGE.rglob("*.py"))

# Lower floors first. A module may import its own floor and those below, but for the exceptions beside it.
FLOORS = ["lazy", "errors", "domain", "hooks", "storage", "sources", "agents", "services", "app", "faces"]
FACES = {"hook", "__main__"}
STRANGERS = {
    *(("agents", "storage"), ("storage", "agents")),
    *(("sources", "storage"), ("storage", "sources"), ("sources", "hooks")),
}

LIGHT = (
    *("ctxrepo.hooks", "ctxrepo.domain.text", "ctxrepo.domain.unseen", "ctxrepo.domain.words"),
    "ctxrepo.domain.records.enforced_rule",
)
"""Rooms that hooks load."""
LIGHT_OF_AGENTS = re.compile(r"ctxrepo\.agents(\.\w+\.dialect)?")
"""What else they load: the agents' door, and of an agent's folder its name and its dialect."""

ROOM = 14
"""Files in a room, at most: what one can still take in at a glance."""

OWNERS = {
    "pygit2": {"ctxrepo.storage.objects"},
    "yaml": {"ctxrepo.domain.formats.yaml"},
    "frontmatter": {"ctxrepo.domain.formats.yaml"},
    "tomlkit": {"ctxrepo.domain.formats.toml_edit"},
    "onnxruntime": {"ctxrepo.storage.meaning.vectors"},
    "tokenizers": {"ctxrepo.storage.meaning.vectors"},
    "numpy": {"ctxrepo.storage.meaning", "ctxrepo.services.meaning"},
    "typer": {"ctxrepo.faces.cli"},
    "rich": {"ctxrepo.faces.cli"},
    "textual": {"ctxrepo.faces.screen"},
    "mcp": {"ctxrepo.faces.mcp"},
    "mcp_types": {"ctxrepo.faces.mcp"},
}
ALSO = {
    "ctxrepo.hooks.loading": {
        *("_frozen_importlib", "_frozen_importlib_external"),
        "collections",  # where only the type checker reads; see test_loaded.py
    },
    # where only the type checker reads
    "ctxrepo.hooks.moments.prompt": {"collections"},
    "ctxrepo.hooks.session.ledger_words": {"collections"},
    "ctxrepo.hooks.recall.ask_helper": {"_socket"},
    "ctxrepo.domain.records.enforced_rule": {"re", "fnmatch"},  # for a rule with an expression or a glob
    "ctxrepo.domain.words.folding": {"unicodedata"},  # for a prompt that isn't ASCII
}
"""What one module may beyond that: the interpreter has loaded it anyway, or a person has switched it on."""
LIGHT_MAY = {"sys", "os", "time", "_sqlite3", "_signal", "_blake2", "posix", "fcntl"}

# What turns a value-in, value-out service into something that only works at somebody's terminal.
SPEAKING = {"print", "input", "exit", "breakpoint"}


def name_of(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def floor_of(module: str) -> str:
    first = module.split(".")[1] if "." in module else "errors"
    return "faces" if first in FACES else first


def tree_of(file: Path) -> ast.Module:
    return HOUSE.trees[name_of(file)]


def nodes_of(file: Path) -> list[ast.AST]:
    return HOUSE.nodes[name_of(file)]


@cache
def imports(file: Path) -> tuple[str, ...]:
    """Full names of what a module imports, wherever in it the import stands."""
    return tuple(_imports(file))


def _imports(file: Path) -> Iterator[str]:
    for node in nodes_of(file):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative imports hide which floor is meant"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                is_module = (PACKAGE.parent / (full.replace(".", "/") + ".py")).exists()
                yield full if is_module else node.module or ""


@for_each(MODULES)
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
            f"{name_of(file)} imports {name}: agents and sources know no storage, nor storage them: so "
            "each can grow without the other"
        )


@for_each(MODULES)
def test_every_library_has_one_owner(file: Path) -> None:
    for name in imports(file):
        owners = OWNERS.get(name.split(".")[0], set())
        assert not owners or any(name_of(file).startswith(owner) for owner in owners), (
            f"{name_of(file)} imports {name}, which belongs to {owners}: a library known in one place can be "
            "replaced in one place"
        )


def is_light(module: str) -> bool:
    is_room = (PACKAGE.parent / module.replace(".", "/")).is_dir()
    is_of_agent = module.startswith("ctxrepo.agents.") and is_room
    return module.startswith(LIGHT) or is_of_agent or bool(LIGHT_OF_AGENTS.fullmatch(module))


@for_each([f for f in MODULES if floor_of(name_of(f)) == "agents"])
def test_of_an_agent_only_what_is_light_knows_hooks(file: Path) -> None:
    known = [name for name in imports(file) if name.startswith("ctxrepo.hooks")]
    assert is_light(name_of(file)) or not known, (
        f"{name_of(file)} imports {known}: connecting an agent and answering its hooks are two things"
    )


@for_each([f for f in MODULES if is_light(name_of(f))])
def test_a_light_module_imports_light_modules_only(file: Path) -> None:
    for name in imports(file):
        top = name.split(".")[0]
        assert top in LIGHT_MAY | ALSO.get(name_of(file), set()) or is_light(name), (
            f"{name_of(file)} imports {name}: one import of json costs more than the whole hook may"
        )


PRINTS_ONLY = {"ctxrepo.faces.cli.waiting"}
"""Its timer prints one line and makes no object of ours; making all classes would cost every sync 60 ms."""


@for_each(
    [
        f
        for f in MODULES
        if re.search(r"\b(Thread\w*|Timer)\(", f.read_text()) and name_of(f) not in PRINTS_ONLY
    ]
)
def test_who_starts_a_thread_has_all_dataclasses_made_before(file: Path) -> None:
    assert "make_all()" in file.read_text(), f"{name_of(file)}: two threads would make one class at once"


@for_each([f for f in MODULES if "utside" in f.read_text()])
def test_a_question_to_another_process_has_a_name(file: Path) -> None:
    tree = tree_of(file)
    inner = {function.name for function in _inner_functions(tree)}
    for call in nodes_of(file):
        name = getattr(call.func, "attr", "") if isinstance(call, ast.Call) else ""
        if isinstance(call, ast.Call) and name in ("ask", "ask_each") and len(call.args) > 1:
            question = call.args[1]
            argument = question.args[0] if isinstance(question, ast.Call) and question.args else question
            is_named = not isinstance(argument, ast.Lambda) and getattr(argument, "id", "") not in inner
            assert is_named, (
                f"{name_of(file)}:{call.lineno}: a helper process finds questions by name (ADR 64)"
            )


def _inner_functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for outer in ast.walk(tree):
        if isinstance(outer, ast.FunctionDef):
            inside = ast.walk(outer)
            yield from (node for node in inside if isinstance(node, ast.FunctionDef) and node is not outer)


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert not HOUSE.circles, f"{HOUSE.circles}: none of them can be read, tested or replaced alone"


def test_no_rooms_import_each_other_in_a_circle() -> None:
    assert not HOUSE.room_circles, f"{HOUSE.room_circles}: who enters one of these rooms has to know them all"


@for_each(sorted({file.parent for file in MODULES}))
def test_no_room_becomes_a_corridor(room: Path) -> None:
    files = list(room.glob("*.py"))
    assert len(files) <= ROOM, f"{room.name} has {len(files)} files: which two rooms are these?"
    assert (room / "__init__.py").exists(), f"{room.name} doesn't say what lives in it"


OF_THE_PROGRAM = {"ctxrepo.domain.formats.blocks"}
"""Reads tables that travel with the package, by the loader that reads modules: see ADR 69."""


@for_each([f for f in MODULES if floor_of(name_of(f)) == "domain"])
def test_the_domain_has_no_clock_disk_or_environment(file: Path) -> None:
    outside = {"os", "time", "pathlib", "subprocess", "socket", "random", "shutil", "tempfile", "sqlite3"}
    for name in imports(file):
        assert name.split(".")[0] not in outside, f"{name_of(file)} imports {name}: rules must be replayable"
    text = file.read_text()
    assert "datetime.now(" not in text, f"{name_of(file)} reads the clock: `now` is an argument"
    assert not re.search(r"\bopen\(", text), f"{name_of(file)} opens a file: only storage touches disk"
    assert "get_data(" not in text or name_of(file) in OF_THE_PROGRAM, f"{name_of(file)} reads a file"


@for_each([f for f in MODULES if floor_of(name_of(f)) in ("services", "app")])
def test_services_and_operations_never_speak_exit_or_read_the_environment(file: Path) -> None:
    for node in nodes_of(file):
        called = node.func if isinstance(node, ast.Call) else None
        assert not (isinstance(called, ast.Name) and called.id in SPEAKING), (
            f"{name_of(file)}:{getattr(node, 'lineno', 0)} speaks: values are returned, and a face says them"
        )
        is_environ = isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv", "_exit")
        assert not is_environ, f"{name_of(file)} reads the environment: a face hands it in"


@for_each([f for f in MODULES if floor_of(name_of(f)) in ("services", "app")])
def test_the_cache_of_a_memory_is_opened_by_the_memory(file: Path) -> None:
    has_no_memory = name_of(file) == "ctxrepo.services.meaning.helper"  # a process that knows a folder only
    nodes = (node for node in nodes_of(file) if isinstance(node, ast.ImportFrom))
    imported = {alias.name for node in nodes for alias in node.names}
    assert has_no_memory or "open_cache" not in imported, f"{name_of(file)}: `memory.hook_cache()` opens it"


@for_each(MODULES)
def test_every_module_opens_with_a_sentence(file: Path) -> None:
    sentence = ast.get_docstring(tree_of(file))
    assert sentence, f"{name_of(file)} doesn't say what lives in it"


def test_no_class_name_stands_for_two_things() -> None:
    assert not HOUSE.names_twice, f"who reads one of these has to look which is meant: {HOUSE.names_twice}"


@pytest.mark.parametrize("what", BARS)
def test_there_is_no_more_than_may_be(what: str) -> None:
    assert HOUSE.figures[what] <= BARS[what], "tools/house.py --list says where"


def test_no_file_becomes_a_city() -> None:
    sizes = {name_of(f): f.read_text().count("\n") for f in MODULES}
    cities = {name: lines for name, lines in sizes.items() if lines > 400}
    assert not cities, f"which noun is hiding in {cities}?"


def test_help_and_reading_commands_load_no_pygit2() -> None:
    code = (
        "import sys; from ctxrepo.faces.cli.app import main; main(['--help']); print('pygit2' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "False"


RECURSES = {
    "ctxrepo.agents.mcp_server": {"_renewed"},  # an entry of ours, and its variables
    "ctxrepo.domain.formats.toml_edit": {"_put"},  # a table of ours, and the one in it
    "ctxrepo.domain.formats.jsontext": {"_value", "_container"},  # 100 levels, then it is refused
    "ctxrepo.domain.formats.plain_data": {"plain_data"},  # as deep as the classes of its values
    "ctxrepo.domain.settings.keys": {"accepted", "kind"},  # a variable of that name
    "ctxrepo.domain.note.md_head": {"_word"},  # as deep as a head may be
    "ctxrepo.agents.pi.memory_settings": {"_hooks"},  # once
    # _branching: our own patterns; the others: base64 in base64, 12 KiB at most, each a quarter shorter
    "ctxrepo.domain.secrets.search": {
        "_branching",
        "_hits",
        "_is_secret",
        "_of_texts",
        "_of_tokens",
        "spans",
    },
    "ctxrepo.domain.merge.tree.clashes": {"_Names._spelled"},  # the folders of one path
    "ctxrepo.services.saving.merge": {"_base"},  # 3 levels
    "ctxrepo.storage.disk.folders": {"Folders._at"},  # the folders of one path
    "ctxrepo.storage.worktree.scan": {"_walk"},  # 16 folders, then it is passed over
    "ctxrepo.storage.user.repository": {"state_of"},  # once
    "ctxrepo.storage.user.places": {"Places.host"},  # once, after it was made
}
"""What calls itself all the same, and how deep."""


@for_each([f for f in MODULES if floor_of(name_of(f)) != "faces"])
def test_no_function_calls_itself(file: Path) -> None:
    calls = dict(_calls(tree_of(file)))
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
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for owner, body in [("", tree.body), *((f"{node.name}.", node.body) for node in classes)]:
        for node in body:
            if isinstance(node, ast.FunctionDef):
                called = {name for call in ast.walk(node) for name in _called(call, owner)}
                yield owner + node.name, called - _imported(node)


def _imported(function: ast.FunctionDef) -> set[str]:
    """Names that an import within a function gives to what is elsewhere."""
    imports = (node.names for node in ast.walk(function) if isinstance(node, ast.ImportFrom))
    return {alias.asname or alias.name for names in imports for alias in names}


def _called(node: ast.AST, owner: str) -> Iterator[str]:
    """What is called there, or handed to `map` to be."""
    for what in (node.func, *node.args[:1]) if isinstance(node, ast.Call) else ():
        if isinstance(what, ast.Name):
            yield what.id
        elif isinstance(what, ast.Attribute) and isinstance(what.value, ast.Name) and owner:
            yield from [owner + what.attr] if what.value.id in ("self", "cls") else []
