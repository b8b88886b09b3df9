"""The house in figures: how the package is put together, today and at an earlier commit.

    python tools/house.py                    this checkout
    python tools/house.py --before aaba1ae   beside what that commit had
    python tools/house.py --list             also where what is counted stands

Nothing is imported: everything is read from the syntax trees.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]

Graph = Mapping[str, set[str]]
"""Each name with those that it imports."""

MANY = 7
"""Parameters from which on a function is wide."""

HOOKS = ("ctxrepo.faces.hook", "ctxrepo.hook")
"""Where a hook begins, today and formerly."""

COMMANDS = ("ctxrepo.faces.cli", "ctxrepo.cli")
"""Rooms in which a function's parameters are the words of a command."""

BARS = {
    "lines": 62_000 + 24_999,
    "files": 622,
    "file names that stand twice": 24,
    "import levels": 19,
    "import levels, those inside functions counted": 30,
    "circles of modules": 0,
    "circles of rooms": 0,
    "files in the largest room": 14,
    "class names that stand for two things": 0,
    "values read by number in the hook's path": 5,
    "functions with seven or more parameters beside commands": 3,
    "places outside an agent's folder that name the agent": 0,
}
"""The most there may be of each. What makes the package grow says what it pays for.

Lines: 62,000 were to be enough for all until issue 38. Since then 360 for commands in a sandbox, of which
what was handed over is out of reach before it is read (ADR 81, 82); 59 for homes of another user (ADR 88);
420 for permission rules and the folder that setup opens, in the grammars of four agents, which go again to
the byte; 50 for the line that shows a user what a session was given; 90 for bringing what Claude Code
remembered; 300 for the first hour in one command (`start`); 760 for what three weeks of use and four readers
found of held notes, removals, versions that met and undo; 260 for commands that a hook runs again outside of
a sandbox (ADR 84); 1,160 for what fourteen other programs remember (`sources`, ADR 86), 50 lines each and as
much again for what they share; 219 for keeping here what an agent remembers by itself, to the byte and back;
290 for Antigravity CLI (ADR 87). For looking and deciding 6,700: the screen 1,900 (ADR 90), the page 1,680
(ADR 91), `why` and `diff` 1,530 (ADR 92), proposals with their policy 1,430 (ADR 89), all machines in one
look and the text of a pull request by entry 300 (ADR 93), the demo 500 beside its story, for which three
files more; 1,500 for what a fourth and a fifth week found (checkouts whose address changed have a file); and
470 for proposals that say what they would do now, for decisions that `undo` takes back and for rules of
staging that no agent lifts (a file more). For sessions kept and found, 130 of rules that a session is given
as text (ADR 99), 30 for patience with the helper on a busy machine, 990 for some thirty forms of transcripts
and for whoever typed what in them (ADR 97, three files), 1,580 for sessions that are kept when their agents
delete them (ADR 96, ten files), 175 for a dose that knows its ranker (ADR 98, a file), and 730 for questions
that find sessions by any of their words (ADR 95, five files). For a memory that lives 6,400 in forty-six
files: what entries name and claim of a project's code, read from its commits, 1,950 (ADR 103); doubts, what
overtakes what, and how they are told and cleared 1,100 (ADR 102); scores, the situation report, topics and
pages 1,500 (ADR 104); evidence that is parsed once 800 (ADR 101); a dream and what it may not lose 880 (ADR
105); what a person asks for from now on 170 (ADR 106); rules that agents are held to 655 in five files (ADR
108). For other hosts: tools over MCP 1,030 in ten files, with what both faces say of answers in one (ADR
109); our server in the lists of seven agents, in their grammars and to the byte, 690 in three (ADR 110); and
an export that comes back as the same memory, however hostile the file, or as two other programs keep theirs,
1,050 in nine (ADR 111). Paid back of all that: 1,800, by modules that always
load together, by functions of a line that were used once, and by rules and fields that stood twice.

Levels: 26 were enough until a screen stood above the operations of commands: app, panels, deeds, decide; a
dream is carried out between the proposals and the notes.
"""


AGENTS = "ctxrepo.agents."
"""The folders of the agents are rooms below this."""

NO_AGENTS = {
    ("ctxrepo.domain.project.layout", "pi-memory-md"): "the program whose repositories open here unchanged",
    ("ctxrepo.domain.tape.anchors", "pi"): "a key in the lines of tapes that exist",
    ("ctxrepo.agents.antigravity.install", ".gemini"): "a folder that this agent took over with its name",
}
"""Texts with an agent's name in them that mean something else: the format of a repository, a folder."""

_WORD = re.compile(r"[^\W_]+")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
"""Where one word of a name in CamelCase ends."""


@dataclass(frozen=True)
class House:
    """The modules of the package: name -> text. A room is named as its `__init__.py`."""

    texts: Mapping[str, str]
    rooms: frozenset[str]

    @classmethod
    def of(cls, root: Path) -> House:
        """The package `ctxrepo` below `root`."""
        files = sorted((root / "ctxrepo").rglob("*.py"))
        names = {file: ".".join(file.relative_to(root).with_suffix("").parts) for file in files}
        texts = {name.removesuffix(".__init__"): file.read_text("utf-8") for file, name in names.items()}
        rooms = (name.removesuffix(".__init__") for name in names.values() if name.endswith(".__init__"))
        return cls(texts, frozenset(rooms))

    @classmethod
    def at(cls, commit: str) -> House:
        """The package as this commit of the checkout has it."""
        words = ["git", "-C", str(CHECKOUT), "archive", commit, "ctxrepo"]
        data = subprocess.run(words, check=True, capture_output=True).stdout
        with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(data)) as archive:
            archive.extractall(folder, filter="data")
            return cls.of(Path(folder))

    @cached_property
    def trees(self) -> Mapping[str, ast.Module]:
        return {name: ast.parse(text) for name, text in self.texts.items()}

    @cached_property
    def nodes(self) -> Mapping[str, list[ast.AST]]:
        """All nodes of each tree: to walk through one takes longer than most of what is counted there."""
        return {name: [*ast.walk(tree)] for name, tree in self.trees.items()}

    @cached_property
    def imports(self) -> Graph:
        """What each module imports of the others, wherever in it the import stands."""
        return {name: self._named(name, nodes) for name, nodes in self.nodes.items()}

    @cached_property
    def first_imports(self) -> Graph:
        """What each module imports when it is itself imported."""
        return {name: self._named(name, _loaded_at_once(tree)) for name, tree in self.trees.items()}

    @cached_property
    def levels(self) -> list[str]:
        """The longest chain of modules each of which imports the next when it is itself imported."""
        return longest_chain(self.first_imports)

    @cached_property
    def all_levels(self) -> list[str]:
        """The longest chain of modules each of which imports the next, if only within a function."""
        return longest_chain({name: self._named(name, _loaded(tree)) for name, tree in self.trees.items()})

    @cached_property
    def file_names_twice(self) -> dict[str, list[str]]:
        """Names of files that several rooms have, but for `__init__.py`, with the modules that bear them."""
        modules: defaultdict[str, list[str]] = defaultdict(list)
        for module in sorted(self.texts.keys() - self.rooms):
            modules[module.rpartition(".")[2]].append(module)
        return {name: bearers for name, bearers in modules.items() if len(bearers) > 1}

    @cached_property
    def circles(self) -> list[list[str]]:
        """Modules that import one another, also by way of others."""
        return circles(self.imports)

    @cached_property
    def room_circles(self) -> list[list[str]]:
        """Rooms of which the same is true, for the parts of each room."""
        return [circle for room in sorted(self.rooms) for circle in circles(self.parts(room))]

    def parts(self, room: str) -> Graph:
        """What the parts of a room, which are modules and rooms, import of one another."""
        depth = room.count(".") + 2
        graph: defaultdict[str, set[str]] = defaultdict(set)
        for name, wanted in self.imports.items():
            if name.startswith(f"{room}."):
                part, *others = (
                    ".".join(n.split(".")[:depth]) for n in (name, *wanted) if n.startswith(f"{room}.")
                )
                graph[part] |= {*others} - {part}
        return graph

    @cached_property
    def largest_room(self) -> tuple[str, int]:
        """The room with most files, and how many it has."""
        homes = Counter(name if name in self.rooms else name.rpartition(".")[0] for name in self.texts)
        return homes.most_common(1)[0]

    @cached_property
    def names_twice(self) -> dict[str, list[str]]:
        """Names of classes that several modules define."""
        where: defaultdict[str, list[str]] = defaultdict(list)
        for module, tree in self.trees.items():
            for node in tree.body:
                if isinstance(node, ast.ClassDef):
                    where[node.name].append(module)
        return {name: modules for name, modules in where.items() if len(modules) > 1}

    @cached_property
    def hook_path(self) -> set[str]:
        """Every module that a hook may come to load."""
        modules: set[str] = set()
        todo = [name for name in HOOKS if name in self.texts]
        while todo:
            name = todo.pop()
            if name not in modules:
                modules.add(name)
                room = name.rpartition(".")[0]
                todo += [*self.imports[name], *([room] if room in self.texts else [])]
        return modules

    @cached_property
    def by_number(self) -> list[str]:
        """Where the hook's path reads a part of a value by its number: `module:line text`."""
        places = {
            (name, node.lineno): f"{name}:{node.lineno} {ast.unparse(node)}"
            for name in sorted(self.hook_path)
            for node in self.nodes[name]
            if isinstance(node, ast.Subscript) and _is_by_number(node)
        }
        return list(places.values())

    @cached_property
    def wide(self) -> list[str]:
        """Functions with many parameters, those of commands left out."""
        return [
            f"{name}.{node.name} {_width(node.args)}"
            for name, nodes in self.nodes.items()
            if not name.startswith(COMMANDS)
            for node in nodes
            if isinstance(node, ast.FunctionDef) and _width(node.args) >= MANY
        ]

    @cached_property
    def agents_named(self) -> list[str]:
        """Where code outside an agent's folder has the agent's name as a word of its own, in a name or in a
        text: `module:line name`. What docstrings say as an example doesn't count."""
        agents = {room.removeprefix(AGENTS) for room in self.rooms if room.startswith(AGENTS)}
        return [
            f"{name}:{line} {word}"
            for name, nodes in sorted(self.nodes.items())
            for line, text in sorted(_words_of(nodes))
            for word in sorted(agents.intersection(_WORD.findall(text.lower())))
            if not name.startswith(f"{AGENTS}{word}") and (name, text) not in NO_AGENTS
        ]

    @cached_property
    def figures(self) -> dict[str, int]:
        """How many there are of each thing that BARS names."""
        counts = (
            sum(text.count("\n") for text in self.texts.values()),
            len(self.texts),
            len(self.file_names_twice),
            len(self.levels),
            len(self.all_levels),
            len(self.circles),
            len(self.room_circles),
            self.largest_room[1],
            len(self.names_twice),
            len(self.by_number),
            len(self.wide),
            len(self.agents_named),
        )
        return dict(zip(BARS, counts, strict=True))

    def _named(self, importer: str, nodes: Iterable[ast.AST]) -> set[str]:
        modules = set()
        for node in nodes:
            if isinstance(node, ast.Import):
                modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                full = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
                modules |= {name if name in self.texts else str(node.module) for name in full.values()}
        return modules & self.texts.keys() - {importer}


def longest_chain(graph: Graph) -> list[str]:
    """The longest way along a graph; a circle counts as one step."""
    level = {name: " + ".join(circle) for circle in circles(graph) for name in circle}
    below: dict[str, set[str]] = {level.get(name, name): set() for name in graph}
    for name, imported in graph.items():
        here = level.get(name, name)
        below[here] |= {level.get(other, other) for other in imported} - {here}
    longest: dict[str, list[str]] = {}
    for here in TopologicalSorter(below).static_order():
        longest[here] = [here, *max((longest[other] for other in below[here]), key=len, default=[])]
    return max(longest.values(), key=len)


def circles(graph: Graph) -> list[list[str]]:
    """Groups of names each of which leads to each other one of its group."""
    reached = {name: _reached(graph, name) for name in graph}
    together = {
        frozenset(other for other in reached[name] if name in reached[other])
        for name in graph
        if name in reached[name]
    }
    return sorted(sorted(group) for group in together)


def _reached(graph: Graph, name: str) -> set[str]:
    """All that one comes to from `name`: itself only where a way leads back."""
    names: set[str] = set()
    todo = [name]
    while todo:
        new = (graph.get(todo.pop(), set()) & graph.keys()) - names
        names |= new
        todo += new
    return names


def _loaded_at_once(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module without those in functions and those that are there for types only."""
    return _loaded(tree, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))


def _loaded(tree: ast.AST, passed_over: tuple[type[ast.AST], ...] = ()) -> Iterator[ast.AST]:
    """The nodes of a module without those for types only, and without those in one of a kind passed over."""
    todo = list(ast.iter_child_nodes(tree))
    while todo:
        node = todo.pop()
        if isinstance(node, passed_over):
            continue
        yield node
        todo += (
            node.orelse if isinstance(node, ast.If) and _is_for_types(node) else ast.iter_child_nodes(node)
        )


def _is_for_types(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _words_of(nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str]]:
    """(line, text) of every name and every text in a module but its docstrings."""
    docstrings = {
        below.value
        for node in nodes
        for below in (getattr(node, "body", []) if not isinstance(node, ast.Lambda | ast.IfExp) else [])
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
    }
    for node in nodes:
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and node not in docstrings:
                yield line, node.value
            continue
        for name in ("id", "attr", "arg", "name", "asname", "module"):
            if isinstance(text := getattr(node, name, None), str):
                yield line, _HUMPS.sub(" ", text)


def _is_by_number(node: ast.Subscript) -> bool:
    is_value = isinstance(node.value, ast.Name | ast.Attribute | ast.Subscript)
    is_type = isinstance(node.value, ast.Name) and node.value.id in ("Literal", "Annotated")
    return is_value and not is_type and isinstance(node.slice, ast.Constant) and type(node.slice.value) is int


def _width(args: ast.arguments) -> int:
    named = [arg.arg for arg in (*args.posonlyargs, *args.args)]
    without_self = named[1:] if named[:1] in (["self"], ["cls"]) else named
    return len(without_self) + len(args.kwonlyargs) + bool(args.vararg) + bool(args.kwarg)


def table(now: House, before: House | None) -> str:
    """A table in markdown."""
    then = before.figures if before else {}
    rows = [
        f"| {what} | {then.get(what, '')} | {count} | {BARS.get(what, '')} |"
        for what, count in now.figures.items()
    ]
    return "\n".join(["| what | before | now | at most |", "|---|---|---|---|", *rows])


def main() -> None:
    parser = argparse.ArgumentParser(description="The house in figures.")
    parser.add_argument("--before", metavar="COMMIT", help="count what this commit had, too")
    parser.add_argument("--list", action="store_true", help="show where what is counted stands")
    options = parser.parse_args()
    house = House.of(CHECKOUT)
    print(table(house, House.at(options.before) if options.before else None))
    if options.list:
        print("", "the longest chain:", *house.levels, "", "by number:", *house.by_number, sep="\n  ")
        print("", "the longest chain, imports inside functions counted:", *house.all_levels, sep="\n  ")
        print("", "file names that stand twice:", *map(" ".join, house.file_names_twice.values()), sep="\n  ")
        print("", "wide:", *house.wide, sep="\n  ")
        print("", "agents named outside their folders:", *house.agents_named, sep="\n  ")


if __name__ == "__main__":
    main()
