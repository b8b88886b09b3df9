"""What became of the paths, symbols and commands that entries name, in the history of a project's code."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property, partial
from typing import NamedTuple

from ctxrepo.domain.doubts.names import parts_of
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.code.file_history import MOST, History
from ctxrepo.storage.code.tree import CodeTree, Moment, TreeFile
from ctxrepo.storage.code.word_index import WordIndex, is_partial, update_index, words_before


@dataclass(frozen=True)
class Loss:
    """A name that the code had and no longer has. `moment` is the commit that took it, None where that isn't
    known; `to` is what the file or folder is called now, '' where git knows of no rename."""

    name: str
    moment: Moment | None = None
    to: str = ""


@dataclass(frozen=True)
class CodeFacts:
    """What a scan learned about the words of entries, so that the next one need not look again: the files
    that have them now, and in `past` commit -> word -> a file that had it then, '' for none."""

    index: WordIndex | None = None
    past: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


class CodeName(NamedTuple):
    """A name in the entry of this number. It can only be gone if each of the commits `bases` had it."""

    number: int
    name: str
    bases: tuple[str, ...]


class PathNames:
    """What became of paths in the history of a tree."""

    def __init__(self, tree: CodeTree, history: History) -> None:
        self._tree, self._history = tree, history

    def losses(self, names: Iterable[CodeName]) -> Iterator[tuple[int, Loss]]:
        """(number of the entry, loss) for each of these paths that is gone."""
        missing = [(name, paths) for name in names if (paths := self.candidates(name.name))]
        existing = self._tree.existing(
            (commit, path) for name, paths in missing for path in paths for commit in name.bases
        )
        for name, paths in missing:
            former = [path for path in paths if all((commit, path) in existing for commit in name.bases)]
            if former:
                yield name.number, self.loss(name.name, former[-1])

    @cached_property
    def _by_name(self) -> Mapping[str, Mapping[str, int]]:
        """Last step of a path -> the paths of files that went, and of their folders, each with the number of
        the last departure there."""
        names: dict[str, dict[str, int]] = {}
        for number, departure in enumerate(self._history.departures):
            path = departure.path
            while path:
                names.setdefault(path.rpartition("/")[2], {})[path] = number
                path = path.rpartition("/")[0]
        return names

    def candidates(self, name: str) -> list[str]:
        """The paths that are gone and that `name` may have meant. None where there is exactly this path, be
        it of a file that isn't committed, and none in a submodule."""
        name = name.rstrip("/")
        if self._tree.has(name) or self._tree.is_in_submodule(name) or self._tree.is_on_disk(name):
            return []
        namesakes = self._by_name.get(name.rpartition("/")[2], ())
        paths = [path for path in namesakes if f"/{path}".endswith(f"/{name}") and not self._tree.has(path)]
        if "/" in name and name in paths:
            return [name]
        # What is named by its end is there as long as any path ends so.
        return [] if self._tree.ending_with(name) else sorted(paths)

    def loss(self, name: str, path: str) -> Loss:
        """What became of a path that is gone, which an entry calls `name`."""
        number = self._by_name[path.rpartition("/")[2]][path]
        departure = self._history.departures[number]
        to = self._renamed(departure.to, number) if departure.path == path else self._folder_now(path)
        return Loss(name, departure.moment, to)

    def _renamed(self, path: str, number: int) -> str:
        """What the file is called now that the departure of this number renamed to `path`; '' if it is
        gone."""
        while path and not self._tree.has(path):
            later = self._by_name.get(path.rpartition("/")[2], {}).get(path, -1)
            if later <= number or self._history.departures[later].path != path:
                return ""
            path, number = self._history.departures[later].to, later
        return path

    def _folder_now(self, folder: str) -> str:
        """Where a folder is now, if every file that git followed out of it went to one place; else ''."""
        places = set[str]()
        for number, departure in enumerate(self._history.departures):
            rest = departure.path.removeprefix(f"{folder}/")
            if rest != departure.path and departure.to:
                now = self._renamed(departure.to, number)
                places.add(now.removesuffix(f"/{rest}") if now.endswith(f"/{rest}") else "")
        place = places.pop() if len(places) == 1 else ""
        return place if place and self._tree.has(place) else ""


def symbol_losses(
    tree: CodeTree, history: History, names: Sequence[CodeName], facts: CodeFacts
) -> tuple[Sequence[tuple[int, Loss]], CodeFacts]:
    """(number of the entry, loss) for each of these symbols of which some word is in no source file any more;
    and the facts for the next scan."""
    index = update_index(tree, facts.index, {word for name in names for word in parts_of(name.name)})
    missing = [(name, [word for word in parts_of(name.name) if not index.places[word]]) for name in names]
    if any(words for _, words in missing) and is_partial(tree):
        missing = []
    past = {commit: dict(facts.past.get(commit, {})) for name in names for commit in name.bases}
    lookups: dict[str, set[str]] = {}
    for name, words in missing:
        for commit in name.bases:
            lookups.setdefault(commit, set()).update(word for word in words if word not in past[commit])
    lookups = {commit: words for commit, words in lookups.items() if words}
    for commit, places in words_before(tree, history, lookups).items() if lookups else ():
        past[commit].update(places)
    losses = []
    for name, words in missing:
        word = next((word for word in words if all(past[commit][word] for commit in name.bases)), "")
        if word:
            path = past[name.bases[0]][word]
            moment = history.lost(path, name.bases[0], partial(_has_word, word.encode()))
            losses.append((name.number, Loss(name.name, moment)))
    return losses, CodeFacts(index, {commit: places for commit, places in sorted(past.items()) if places})


def _has_word(word: bytes, data: bytes) -> bool:
    return re.search(rb"(?<![\w])" + re.escape(word) + rb"(?![\w])", data) is not None


_TARGET = lazy_pattern(r"^([A-Za-z0-9_./%-]+(?:[ \t]+[A-Za-z0-9_./%-]+)*)[ \t]*::?(?!=)", re.MULTILINE)
_RECIPE = lazy_pattern(r"^@?([A-Za-z_][\w-]*+)(?:[ \t][^:=\n]*+)?:(?!=)", re.MULTILINE)
_TASK = lazy_pattern(r"^[ ]{2}([\w:.-]+):", re.MULTILINE)

_FILES = {
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    "scripts": ("package.json",),
    "deno": ("deno.json", "deno.jsonc"),
}
"""Kind of file -> the names under which commands are usually defined in one."""

_KINDS = {name.lower(): kind for kind, names in _FILES.items() for name in names}

_MOST_FILES = 60
"""Files of a kind that are looked at."""


def _kind_of(path: str) -> str:
    """The kind of a file that defines commands, by its name; '' for any other."""
    name = path.rpartition("/")[2].lower()
    return "make" if name.endswith(".mk") else _KINDS.get(name, "")


def _split(command: str) -> tuple[str, str]:
    """`npm run lint` -> the kind of file in which it is defined, by what runs it, and its name there."""
    runner, _, name = command.rpartition(" ")
    return runner if runner in _FILES else "deno" if runner == "deno task" else "scripts", name


def _targets(kind: str, data: bytes) -> set[str]:
    """The names of the commands that a file of this kind defines."""
    text = data.decode("utf-8", "replace")
    if kind in ("scripts", "deno"):
        try:
            return set(json.loads(text)["scripts" if kind == "scripts" else "tasks"])
        except (ValueError, KeyError, TypeError, RecursionError):
            return set()
    if kind == "make":
        return {name for names in _TARGET.findall(text) for name in names.split()}
    return set((_RECIPE if kind == "just" else _TASK).findall(text))


def _defines(command: str, data: bytes) -> bool:
    """Whether a file with these bytes defines a command."""
    kind, name = _split(command)
    return name in _targets(kind, data)


class CommandNames:
    """Which commands of its own a project has, and had."""

    def __init__(self, tree: CodeTree, history: History) -> None:
        self._tree, self._history = tree, history
        self._by_file: dict[str, frozenset[str]] = {}  # id of a file -> the commands that it defines

    @cached_property
    def _files(self) -> Mapping[str, Sequence[str]]:
        """Kind -> the paths of the files that define commands now."""
        paths: dict[str, list[str]] = {}
        for path, file in self._tree.files.items():
            if (kind := _kind_of(path)) and file.size <= MOST:
                paths.setdefault(kind, []).append(path)
        return paths

    @cached_property
    def _now(self) -> Mapping[str, frozenset[str]]:
        """Kind -> the commands that the tree defines."""
        files = self._tree.files
        return {
            kind: frozenset().union(*(self._commands(kind, files[path]) for path in paths))
            for kind, paths in self._files.items()
        }

    def _commands(self, kind: str, file: TreeFile) -> frozenset[str]:
        if file.oid not in self._by_file:
            self._by_file[file.oid] = frozenset(_targets(kind, self._tree.bytes_of(file, MOST) or b""))
        return self._by_file[file.oid]

    def _may_be_gone(self, command: str) -> bool:
        """Whether no file of the tree defines a command. Makefiles that make names by rules may have more
        than is written."""
        kind, name = _split(command)
        now = self._now.get(kind, frozenset())
        return name not in now and not any("%" in target for target in now)

    def losses(self, names: Iterable[CodeName]) -> Iterator[tuple[int, Loss]]:
        """(number of the entry, loss) for each of these commands that is gone. They are looked for in files
        that define commands now, and at the top."""
        missing = [name for name in names if self._may_be_gone(name.name)]
        paths = {
            kind: [*dict.fromkeys((*at_top, *self._files.get(kind, ())))][:_MOST_FILES]
            for kind, at_top in _FILES.items()
        }
        pairs = dict.fromkeys((commit, name.name) for name in missing for commit in name.bases)
        places = [(commit, command, path) for commit, command in pairs for path in paths[_split(command)[0]]]
        files = self._tree.files_at((commit, path) for commit, _, path in places)
        losses: dict[tuple[str, str], Loss] = {}
        for commit, command, path in places:
            kind, name = _split(command)
            file = files.get((commit, path))
            if file and (commit, command) not in losses and name in self._commands(kind, file):
                moment = self._history.lost(path, commit, partial(_defines, command))
                losses[commit, command] = Loss(command, moment)
        for code_name in missing:
            if all((commit, code_name.name) in losses for commit in code_name.bases):
                yield code_name.number, losses[code_name.bases[0], code_name.name]
