"""What lines of documents name in a repository: files, symbols, commands; and whether these are still there.

This is the truth that detectors are measured by, so it looks at everything with git and knows nothing of
them. A symbol is there as long as its word stands in any file of code. Names that weren't there when the line
was stated don't count."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from living.material.documents import is_document
from living.material.histories import Commit, History

NameKind = Literal["path", "symbol", "command"]

_CODE = re.compile(r"`([^`\n]{2,120})`")
_PATH = re.compile(r"(?:\./)?(?:[A-Za-z0-9_.@-]+/)*[A-Za-z0-9_@-][A-Za-z0-9_.@-]*/?\Z")
_TOKEN = re.compile(r"[^\s`'\"(),;|<>=\[\]{}&]+")
_BARE_PATH = re.compile(
    r"(?<![\w`/:.@-])((?:[\w.@-]+/)+[\w@-]+\.\w{1,5}"
    r"|[\w@-][\w.@-]*\.(?:py|ts|tsx|js|go|rs|sh|md|toml|json|yml|yaml|sql))(?![\w/-])"
)
_SYMBOL = re.compile(r"((?:[A-Za-z_]\w*(?:\.|::))*[A-Za-z_]\w{3,})(?:\(.{0,60}\))?\Z")
_PART = re.compile(r"[A-Za-z_]\w{3,}")
_COMMAND = re.compile(r"(?<![\w-])(make|just|npm run|pnpm(?: run)?|yarn(?: run)?|bun run) ([A-Za-z][\w:.-]*)")
_TARGET = re.compile(r"^([A-Za-z][\w.-]*)\s*(?:[^=:\n]*):(?!=)", re.MULTILINE)
_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{3,}")

_SOURCE = re.compile(
    r"\.(?:py|pyi|ts|tsx|js|jsx|mjs|cjs|go|rs|java|kt|swift|rb|php|c|h|cc|cpp|hpp|cs|scala|lua|sh|bash|sql|proto"
    r"|toml|yml|yaml|json|vue|svelte|cfg|ini|env|example)\Z|(?:^|/)(?:Makefile|Dockerfile|justfile|\.env[\w.]*)\Z"
)
_NO_SOURCE = re.compile(
    r"(?:^|/)(?:node_modules|vendor|dist|build|__snapshots__|fixtures?)/|lock\.|\.lock\Z|\.min\.js", re.I
)
_LARGEST = 300_000
"""Bytes of a file of code that is looked at."""


class Name(NamedTuple):
    """What a line names: `path` resolved from the repository's root, `symbol` a word, `command` as typed.
    `end`: the end of a path that was typed for all of it."""

    kind: NameKind
    name: str
    end: str = ""


@dataclass(frozen=True)
class Snapshot:
    """A commit's tree, with the words of its code that anybody asked for."""

    commit: Commit
    tree: Mapping[str, str]
    words: Collection[str] = ()
    targets: frozenset[str] = frozenset()
    """Commands that Makefile, justfile and package.json at the root have, as `make test` or `run test`."""

    @cached_property
    def folders(self) -> frozenset[str]:
        return frozenset(folder for path in self.tree for folder in _above(path))

    @cached_property
    def by_basename(self) -> Mapping[str, list[str]]:
        paths: dict[str, list[str]] = defaultdict(list)
        for path in self.tree:
            paths[path.rpartition("/")[2]].append(path)
        return paths

    def has_path(self, path: str) -> bool:
        return path in self.tree or path in self.folders

    def ending(self, end: str) -> list[str]:
        """The files whose paths end so."""
        same = self.by_basename.get(end.rpartition("/")[2], ())
        return [path for path in same if path == end or path.endswith(f"/{end}")]

    def has(self, name: Name) -> bool:
        if name.kind == "path":
            return self.has_path(name.name) or bool(name.end and self.ending(name.end))
        return name.name in (self.words if name.kind == "symbol" else self.targets)


@dataclass
class CodeWords:
    """In which files of code these words stand, for any tree: each version of a file is read once."""

    history: History
    wanted: frozenset[bytes]
    by_blob: dict[str, frozenset[str]] = field(default_factory=dict)

    def of(self, tree: Mapping[str, str]) -> frozenset[str]:
        blobs = [oid for path, oid in tree.items() if is_source(path)]
        new = [oid for oid in dict.fromkeys(blobs) if oid not in self.by_blob]
        for oid, data in self.history.blobs(new):
            words = self.wanted.intersection(_WORD.findall(data)) if len(data) <= _LARGEST else ()
            self.by_blob[oid] = frozenset(word.decode() for word in words)
        return frozenset().union(*(self.by_blob.get(oid, frozenset()) for oid in blobs))


def is_source(path: str) -> bool:
    return bool(_SOURCE.search(path)) and not _NO_SOURCE.search(path) and not is_document(path)


def symbols_in(line: str) -> list[str]:
    """Words in marks of code that look like names of symbols: camelCase, snake_case, CAPITALS_ or a call."""
    return list(dict.fromkeys(name for code in _CODE.findall(line) for name in _symbols(code)))


def _symbols(code: str) -> list[str]:
    match = _SYMBOL.match(code)
    if not match or is_source(code) or code.endswith(".md"):
        return []
    *owners, last = _PART.findall(match[1]) or [""]
    names = [name for name in (*owners, last) if "_" in name.strip("_") or re.search(r"[a-z0-9][A-Z]", name)]
    return [*names, last] if code.endswith(")") and last not in names else names


def commands_in(line: str) -> list[str]:
    matches = (match for code in _CODE.findall(line) for match in _COMMAND.finditer(code))
    return list(dict.fromkeys(_command(match[1], match[2]) for match in matches))


def _command(program: str, target: str) -> str:
    return f"{program if program in ('make', 'just') else 'run'} {target}"


def paths_in(line: str, snapshot: Snapshot) -> list[Name]:
    """The files and folders that a line names and that are there: from the root, or by an end that only one
    file has, such as its name."""
    tokens = (token for code in _CODE.findall(line) for token in _TOKEN.findall(code))
    typed = dict.fromkeys((*tokens, *_BARE_PATH.findall(line)))
    return list(dict.fromkeys(name for word in typed if (name := _resolved(word, snapshot))))


def _resolved(typed: str, snapshot: Snapshot) -> Name | None:
    plain = re.sub(r"^(?:\.{1,2}/)+", "", typed).rstrip("/")
    if not _PATH.match(plain) or ("/" not in plain and "." not in plain[1:]):
        return None  # a word, not a path
    if snapshot.has_path(plain):
        return Name("path", plain)
    same = snapshot.ending(plain)
    return Name("path", same[0], plain) if len(same) == 1 else None


def targets_of(history: History, oid: str) -> frozenset[str]:
    """The commands that the files at the root of a commit define."""
    files = ("Makefile", "makefile", "GNUmakefile", "justfile", "package.json")
    texts = history.read_all(f"{oid}:{name}" for name in files)
    return frozenset(
        command for spec, text in texts.items() for command in _targets(spec.rpartition(":")[2], text)
    )


def _targets(file: str, text: str) -> Iterator[str]:
    if file == "package.json":
        try:
            scripts = json.loads(text).get("scripts", {})
        except (ValueError, AttributeError):
            return
        yield from (f"run {name}" for name in scripts if isinstance(scripts, dict))
    else:
        program = "just" if file == "justfile" else "make"
        yield from (f"{program} {name}" for name in _TARGET.findall(text))


def snapshots(history: History, commits: Iterable[Commit], wanted: Iterable[str]) -> dict[Commit, Snapshot]:
    """Each commit with the wanted words that its code has."""
    code = CodeWords(history, frozenset(word.encode() for word in wanted))
    by_commit = {}
    for commit in commits:
        tree = history.tree(commit.oid)
        by_commit[commit] = Snapshot(commit, tree, code.of(tree), targets_of(history, commit.oid))
    return by_commit


def _above(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
