"""What became of the paths, symbols and commands that entries name, in the history of a project's code."""

import json
import re
from collections.abc import Collection, Mapping
from functools import cached_property

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


class PathNames:
    """What became of paths in the history of a tree."""

    def __init__(self, tree: CodeTree, history: History) -> None:
        self._tree, self._history = tree, history

    def is_here(self, name: str) -> bool:
        """Whether there is exactly this path, a file even if not committed, or nothing can be told of it."""
        name = name.rstrip("/")
        return self._tree.has(name) or self._tree.is_elsewhere(name) or self._tree.lies_there(name)

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
        """The paths that `name` may have meant and that are gone, those meant literally first."""
        name = name.rstrip("/")
        there = self._by_name.get(name.rpartition("/")[2], {})
        paths = [path for path in there if path == name or path.endswith(f"/{name}")]
        paths = [path for path in paths if not self._tree.has(path)]
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


class SymbolNames:
    """Which words the code has; `past` holds what was found out of earlier commits, which never changes."""

    def __init__(
        self,
        tree: CodeTree,
        index: WordIndex | None,
        words: Collection[str],
        past: Mapping[str, Mapping[str, str]],
    ) -> None:
        self._tree = tree
        self.index = update_index(tree, index, words)
        self.past = {commit: dict(places) for commit, places in past.items()}

    @cached_property
    def _is_partial(self) -> bool:
        return is_partial(self._tree)

    def missing(self, symbol: str) -> list[str]:
        """The words of a symbol that no source file has."""
        gone = [word for word in parts_of(symbol) if not self.index.places.get(word, ("?",))]
        return [] if gone and self._is_partial else gone

    def look_back(self, history: History, asked: Mapping[str, Collection[str]]) -> None:
        """Find out for commits which of these words, which are missing, they had."""
        new = {
            commit: {word for word in words if word not in self.past.get(commit, ())}
            for commit, words in asked.items()
        }
        new = {commit: words for commit, words in new.items() if words}
        for commit, places in words_before(self._tree, history, new).items() if new else ():
            self.past.setdefault(commit, {}).update(places)

    def loss(self, history: History, symbol: str, word: str, since: str) -> Loss:
        """When a word went from the file that had it in the commit `since`."""
        word_in = re.compile(rb"(?<![\w])" + re.escape(word.encode()) + rb"(?![\w])")
        path = self.past[since][word]
        return Loss(symbol, history.lost(path, since, lambda data: bool(word_in.search(data))))


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


class CommandNames:
    """Which commands of its own a project has."""

    def __init__(self, tree: CodeTree) -> None:
        self._tree = tree
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

    def may_be_gone(self, command: str) -> bool:
        """Whether no file of the tree defines a command. Makefiles that make names by rules may have more
        than is written."""
        now = self._now.get(_kind(command), frozenset())
        return command.rpartition(" ")[2] not in now and not any("%" in one for one in now)

    def losses(
        self, history: History, asked: Mapping[str, Collection[str]]
    ) -> Mapping[tuple[str, str], Loss]:
        """(commit, command) -> what became of a command that is gone and that the commit had, of those that
        are asked of each commit. They are looked for where such files are now, and at the top."""
        paths = {
            kind: [*dict.fromkeys((*top, *self._files.get(kind, ())))][:_MOST_FILES]
            for kind, top in _TOP.items()
        }
        wanted = [(c, one, path) for c, some in asked.items() for one in some for path in paths[_kind(one)]]
        files = self._tree.files_at((commit, path) for commit, _, path in wanted)
        found: dict[tuple[str, str], Loss] = {}
        for commit, command, path in wanted:
            file, defines = files.get((commit, path)), _Defines(command)
            if (commit, command) in found or file is None:
                continue
            if defines.name in self._commands(defines.kind, file):
                found[commit, command] = Loss(command, history.lost(path, commit, defines))
        return found


class _Defines:
    """Whether a file defines a command."""

    def __init__(self, command: str) -> None:
        self.kind, self.name = _kind(command), command.rpartition(" ")[2]

    def __call__(self, data: bytes) -> bool:
        return self.name in _targets(self.kind, data)


_MOST_FILES = 60
_TOP = {
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    "scripts": ("package.json",),
    "deno": ("deno.json", "deno.jsonc"),
}
"""Where commands are usually defined, by kind."""
