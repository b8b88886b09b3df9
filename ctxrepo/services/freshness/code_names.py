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
    """A name that the code had and hasn't any more; `to` is what git says it is called now. `moment` is None
    where it isn't known which commit took it."""

    name: str
    moment: Moment | None = None
    to: str = ""


@dataclass(frozen=True)
class CodeFacts:
    """What was found out about the words of entries, so that it isn't looked for again: where they are now,
    and for earlier commits which file had a word, '' for none."""

    index: WordIndex | None = None
    past: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


class CodeName(NamedTuple):
    """A name in the entry of this number. It can be gone only if each of the commits `bases` had it."""

    number: int
    name: str
    bases: tuple[str, ...]


class PathNames:
    """What became of paths in the history of a tree."""

    def __init__(self, tree: CodeTree, history: History) -> None:
        self._tree, self._history = tree, history

    def losses(self, names: Iterable[CodeName]) -> Iterator[tuple[int, Loss]]:
        """What became of those of these paths that are gone, by the number of the entry."""
        asked = [(name, paths) for name in names if (paths := self.candidates(name.name))]
        there = self._tree.there_before(
            (commit, path) for name, paths in asked for path in paths for commit in name.bases
        )
        for name, paths in asked:
            had = [path for path in paths if all((commit, path) in there for commit in name.bases)]
            if had:
                yield name.number, self.loss(name.name, had[-1])

    @cached_property
    def _by_name(self) -> Mapping[str, Mapping[str, int]]:
        """last step -> the paths of that name that were left by a file, each with the number of the last
        departure."""
        names: dict[str, dict[str, int]] = {}
        for number, departure in enumerate(self._history.departures):
            path = departure.path
            while path:
                names.setdefault(path.rpartition("/")[2], {})[path] = number
                path = path.rpartition("/")[0]
        return names

    def candidates(self, name: str) -> list[str]:
        """The paths that `name` may have meant and that are gone. None where there is exactly this path, also
        of a file that isn't committed, or nothing can be told of it."""
        name = name.rstrip("/")
        if self._tree.has(name) or self._tree.is_elsewhere(name) or self._tree.lies_there(name):
            return []
        left = self._by_name.get(name.rpartition("/")[2], {})
        paths = [path for path in left if f"/{path}".endswith(f"/{name}") and not self._tree.has(path)]
        if "/" in name and name in paths:
            return [name]
        # Said by its end, it is there as long as any path has this end.
        return [] if self._tree.ending_with(name) else sorted(paths)

    def loss(self, name: str, path: str) -> Loss:
        """What became of a path that is gone, which an entry calls `name`."""
        number = self._by_name[path.rpartition("/")[2]][path]
        departure = self._history.departures[number]
        to = self._renamed(departure.to, number) if departure.path == path else self._folder_now(path)
        return Loss(name, departure.moment, to)

    def _renamed(self, path: str, number: int) -> str:
        """What a path is called now that a rename gave in the departure of this number."""
        while path and not self._tree.has(path):
            later = self._by_name.get(path.rpartition("/")[2], {}).get(path, -1)
            if later <= number or self._history.departures[later].path != path:
                return ""
            path, number = self._history.departures[later].to, later
        return path

    def _folder_now(self, folder: str) -> str:
        """Where a folder is now, if all that git followed out of it went to one place."""
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
    """What became of those of these symbols of which no source file has a certain word any more, by the
    number of the entry; and the facts for the next time."""
    index = update_index(tree, facts.index, {word for name in names for word in parts_of(name.name)})
    missing = [(name, [word for word in parts_of(name.name) if not index.places[word]]) for name in names]
    if any(words for _, words in missing) and is_partial(tree):
        missing = []
    past = {commit: dict(facts.past.get(commit, {})) for name in names for commit in name.bases}
    asked: dict[str, set[str]] = {}
    for name, words in missing:
        for commit in name.bases:
            asked.setdefault(commit, set()).update(word for word in words if word not in past[commit])
    asked = {commit: words for commit, words in asked.items() if words}
    for commit, places in words_before(tree, history, asked).items() if asked else ():
        past[commit].update(places)
    losses = []
    for name, words in missing:
        had = [word for word in words if all(past[commit][word] for commit in name.bases)]
        if had:
            path = past[name.bases[0]][had[0]]
            moment = history.lost(path, name.bases[0], partial(_has_word, had[0].encode()))
            losses.append((name.number, Loss(name.name, moment)))
    return losses, CodeFacts(index, {commit: places for commit, places in sorted(past.items()) if places})


def _has_word(word: bytes, data: bytes) -> bool:
    return re.search(rb"(?<![\w])" + re.escape(word) + rb"(?![\w])", data) is not None


_TARGET = lazy_pattern(r"^([A-Za-z0-9_./%-]+(?:[ \t]+[A-Za-z0-9_./%-]+)*)[ \t]*::?(?!=)", re.MULTILINE)
_RECIPE = lazy_pattern(r"^@?([A-Za-z_][\w-]*)(?:[ \t]+[^:=\n]*)?:(?!=)", re.MULTILINE)
_TASK = lazy_pattern(r"^[ ]{2}([\w:.-]+):", re.MULTILINE)


def _kind(command: str) -> str:
    """The kind of file in which a command is defined, by what runs it."""
    runner = command.rpartition(" ")[0]
    return runner if runner in ("make", "just", "task") else "deno" if runner == "deno task" else "scripts"


def _kind_of(path: str) -> str:
    name = path.rpartition("/")[2]
    if name.lower() in ("makefile", "gnumakefile") or name.endswith(".mk"):
        return "make"
    if name.lower() in ("justfile", ".justfile"):
        return "just"
    if name.lower() in ("taskfile.yml", "taskfile.yaml"):
        return "task"
    return {"package.json": "scripts", "deno.json": "deno", "deno.jsonc": "deno"}.get(name, "")


def _targets(kind: str, data: bytes) -> set[str]:
    text = data.decode("utf-8", "replace")
    if kind in ("scripts", "deno"):
        try:
            fields = json.loads(text)
            return set(fields["scripts" if kind == "scripts" else "tasks"])
        except (ValueError, KeyError, TypeError, RecursionError):
            return set()
    if kind == "make":
        return {name for names in _TARGET.findall(text) for name in names.split()}
    return set((_RECIPE if kind == "just" else _TASK).findall(text))


def _defines(command: str, data: bytes) -> bool:
    """Whether a file with these bytes defines a command."""
    return command.rpartition(" ")[2] in _targets(_kind(command), data)


class CommandNames:
    """Which commands of its own a project has, and had."""

    def __init__(self, tree: CodeTree, history: History) -> None:
        self._tree, self._history = tree, history
        self._of: dict[str, frozenset[str]] = {}  # id of a file -> its commands

    @cached_property
    def _files(self) -> Mapping[str, Mapping[str, TreeFile]]:
        """kind -> path -> the files that define commands now."""
        kinds: dict[str, dict[str, TreeFile]] = {}
        for path, file in self._tree.files.items():
            if (kind := _kind_of(path)) and file.size <= MOST:
                kinds.setdefault(kind, {})[path] = file
        return kinds

    @cached_property
    def _now(self) -> Mapping[str, frozenset[str]]:
        return {
            kind: frozenset().union(*(self._commands(kind, file) for file in files.values()))
            for kind, files in self._files.items()
        }

    def _commands(self, kind: str, file: TreeFile) -> frozenset[str]:
        if file.oid not in self._of:
            self._of[file.oid] = frozenset(_targets(kind, self._tree.bytes_of(file, MOST) or b""))
        return self._of[file.oid]

    def _may_be_gone(self, command: str) -> bool:
        """Whether no file of the tree defines a command. Makefiles that make names by rules may have more
        than is written."""
        now = self._now.get(_kind(command), frozenset())
        return command.rpartition(" ")[2] not in now and not any("%" in one for one in now)

    def losses(self, names: Iterable[CodeName]) -> Iterator[tuple[int, Loss]]:
        """What became of those of these commands that are gone, by the number of the entry. They are looked
        for where such files are now, and at the top."""
        missing = [name for name in names if self._may_be_gone(name.name)]
        paths = {
            kind: [*dict.fromkeys((*top, *self._files.get(kind, ())))][:_MOST_FILES]
            for kind, top in _TOP.items()
        }
        asked = dict.fromkeys((commit, name.name) for name in missing for commit in name.bases)
        wanted = [(commit, command, path) for commit, command in asked for path in paths[_kind(command)]]
        files = self._tree.files_at((commit, path) for commit, _, path in wanted)
        losses: dict[tuple[str, str], Loss] = {}
        for commit, command, path in wanted:
            file = files.get((commit, path))
            if file is None or (commit, command) in losses:
                continue
            if command.rpartition(" ")[2] in self._commands(_kind(command), file):
                moment = self._history.lost(path, commit, partial(_defines, command))
                losses[commit, command] = Loss(command, moment)
        for name in missing:
            if all((commit, name.name) in losses for commit in name.bases):
                yield name.number, losses[name.bases[0], name.name]


_MOST_FILES = 60
_TOP = {
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    "scripts": ("package.json",),
    "deno": ("deno.json", "deno.jsonc"),
}
"""Where commands are usually defined, by kind."""
