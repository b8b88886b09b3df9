"""Doubts about entries that name code: what they name is gone or is called otherwise, or lines have changed.

All of it is known from git, and only what the code had when the entry was stated can be gone: a name that was
never there raises no doubt. Where git can't tell (a shallow clone, another branch, missing files) there is
none either."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial

from ctxrepo.domain.doubts.doubt import Doubt, DoubtKind
from ctxrepo.domain.doubts.names import Names, names_in, parts_of, steady
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.services.freshness.code_names import CommandNames, Loss, PathNames, SymbolNames
from ctxrepo.storage.code.file_history import History
from ctxrepo.storage.code.tree import CodeTree
from ctxrepo.storage.code.word_index import WordIndex

_CITE = lazy_pattern(r"([^@#]+)@([0-9a-f]{40}(?:[0-9a-f]{24})?)#L(\d{1,7})(?:-L?(\d{1,7}))?")
_MOST_CITED = 2 * 1024 * 1024


@dataclass(frozen=True)
class CodeEntry:
    """An entry with what is known of the code when it was stated, or was last verified: the commit `code`, ''
    where none is recorded, and `at`, in seconds. `cites` are `path@commit#L1-L2`."""

    id: str
    path: str
    text: str
    code: str = ""
    at: float = 0.0
    cites: Sequence[str] = ()


@dataclass(frozen=True)
class CodeFacts:
    """What was found out about the words of entries, so that it isn't looked for again: where they are now,
    and for earlier commits which file had a word, '' for none."""

    index: WordIndex | None = None
    past: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class CodeScan:
    """The doubts, and the facts for the next scan."""

    doubts: Sequence[Doubt]
    facts: CodeFacts


def scan_code(tree: CodeTree, entries: Sequence[CodeEntry], facts: CodeFacts) -> CodeScan:
    """Doubts about the entries of a project whose code is `tree`."""
    named = {number: names for number, e in enumerate(entries) if (names := names_in(steady(e.text)))}
    bases = _Bases(tree, [entries[number] for number in named])
    asked = {number: bases.of(entries[number]) for number in named}
    asked = {number: commits for number, commits in asked.items() if commits}
    words = {word for number in asked for symbol in named[number].symbols for word in parts_of(symbol)}
    symbols = SymbolNames(tree, facts.index, words, facts.past)
    cited = {match[2] for e in entries for cite in e.cites if (match := _CITE.fullmatch(cite))}
    history = History(tree, {*cited, *(commit for commits in asked.values() for commit in commits)})
    look = _Look(tree, history, symbols, named, asked)
    doubts = [_doubt(tree, entries[number], loss) for number, loss in look.losses()]
    for entry in entries:
        doubts += _changed(tree, history, entry)
    commits = {commit for commits in asked.values() for commit in commits}
    past = {commit: symbols.past[commit] for commit in sorted(commits) if commit in symbols.past}
    unique = {(doubt.entry, doubt.kind, doubt.subject): doubt for doubt in doubts}
    return CodeScan([*unique.values()], CodeFacts(symbols.index, past))


class _Bases:
    """In which commits an entry's names must have been there, to be gone now."""

    def __init__(self, tree: CodeTree, entries: Iterable[CodeEntry]) -> None:
        self._tree = tree
        self._there = tree.known(entry.code for entry in entries)
        self._common: dict[str, str] = {}

    def of(self, entry: CodeEntry) -> tuple[str, ...]:
        """The commit of the entry, and where that is on another branch, the last one that this has in common
        with it: what a branch brought and this one never had isn't gone. None where they aren't known."""
        commit = entry.code if entry.code in self._there else ""
        commit = commit or (self._tree.last_before(entry.at) if entry.at else "")
        if not commit:
            return ()
        if commit not in self._common:
            self._common[commit] = self._tree.common_with(commit)
        common = self._common[commit]
        return tuple(dict.fromkeys((common, commit))) if common else ()


class _Look:
    """`names` and `bases` by the number of the entry."""

    def __init__(
        self,
        tree: CodeTree,
        history: History,
        symbols: SymbolNames,
        names: Mapping[int, Names],
        bases: Mapping[int, tuple[str, ...]],
    ) -> None:
        self._tree, self._history, self._symbols = tree, history, symbols
        self._names, self._bases = names, bases

    def losses(self) -> Iterator[tuple[int, Loss]]:
        """The names of entries that are gone, by the number of the entry."""
        yield from self._paths()
        yield from self._symbols_gone()
        yield from self._commands()

    def _paths(self) -> Iterator[tuple[int, Loss]]:
        missing = [
            (number, name)
            for number in self._bases
            for name in self._names[number].paths
            if not self._tree.has(name.rstrip("/"))
        ]
        if not missing:
            return
        paths = PathNames(self._tree, self._history)
        asked = [(n, name, paths.candidates(name)) for n, name in missing if not paths.is_here(name)]
        places = {(c, path) for n, _, found in asked for path in found for c in self._bases[n]}
        there = self._tree.there_before(places)
        for number, name, found in asked:
            had = [path for path in found if all((c, path) in there for c in self._bases[number])]
            if had:
                yield number, paths.loss(name, had[-1])

    def _symbols_gone(self) -> Iterator[tuple[int, Loss]]:
        missing: dict[int, dict[str, list[str]]] = {}
        for number in self._bases:
            for symbol in self._names[number].symbols:
                if gone := self._symbols.missing(symbol):
                    missing.setdefault(number, {})[symbol] = gone
        asked: dict[str, set[str]] = {}
        for number, of_entry in missing.items():
            for commit in self._bases[number]:
                asked.setdefault(commit, set()).update(w for words in of_entry.values() for w in words)
        if asked:
            self._symbols.look_back(self._history, asked)
        had = self._symbols.past
        for number, of_entry in missing.items():
            bases = self._bases[number]
            for symbol, words in of_entry.items():
                gone = [word for word in words if all(had.get(c, {}).get(word) for c in bases)]
                if gone:
                    yield number, self._symbols.loss(self._history, symbol, gone[0], bases[0])

    def _commands(self) -> Iterator[tuple[int, Loss]]:
        known = CommandNames(self._tree)
        missing = {
            number: commands
            for number in self._bases
            if (commands := [one for one in self._names[number].commands if known.may_be_gone(one)])
        }
        asked: dict[str, set[str]] = {}
        for number, commands in missing.items():
            for commit in self._bases[number]:
                asked.setdefault(commit, set()).update(commands)
        losses = known.losses(self._history, asked)
        for number, commands in missing.items():
            bases = self._bases[number]
            for command in commands:
                if all((commit, command) in losses for commit in bases):
                    yield number, losses[bases[0], command]


def _doubt(tree: CodeTree, entry: CodeEntry, loss: Loss) -> Doubt:
    since = f" since {loss.moment.day}" if loss.moment else ""
    name = _short(loss.name, 30 if loss.to else 50)
    words = (
        f"{name} is called {_short(loss.to, 47 - len(name))}{since}" if loss.to else f"{name} is gone{since}"
    )
    kind: DoubtKind = "renamed" if loss.to else "gone"
    moment = loss.moment or tree.moment
    return Doubt(entry.id, entry.path, kind, loss.name, words, moment.at, moment.commit)


def _short(name: str, most: int) -> str:
    """The end of a name, where it tells the most."""
    most = max(most, 16)
    return name if len(name) <= most else f"…{name[-most + 1 :]}"


def _changed(tree: CodeTree, history: History, entry: CodeEntry) -> Iterator[Doubt]:
    """Doubts about the lines that an entry cites: they are nowhere in the file any more."""
    for cite in entry.cites:
        match = _CITE.fullmatch(cite)
        if match is None or tree.common_with(match[2]) != match[2]:
            continue
        path, commit, first = match[1], match[2], int(match[3])
        file = tree.files_at([(commit, path)]).get((commit, path))
        if file is None:
            continue
        if path not in tree.files:
            paths = PathNames(tree, history)
            if path in paths.candidates(path) and not paths.is_here(path):
                yield _doubt(tree, entry, paths.loss(path, path))
            continue
        was = tree.bytes_of(file, _MOST_CITED) or b""
        lines = _lines(was)[first - 1 : int(match[4] or first)]
        now = tree.read(path, _MOST_CITED)
        if now is None or now == was or not any(lines) or _holds(now, lines):
            continue
        moment = history.lost(path, commit, partial(_holds, lines=lines))
        since = f" since {moment.day}" if moment else ""
        words = f"{_short(path, 40)}#L{first} has changed{since}"
        moment = moment or tree.moment
        yield Doubt(entry.id, entry.path, "changed", cite, words, moment.at, moment.commit)


def _lines(data: bytes) -> list[bytes]:
    return [b" ".join(line.split()) for line in data.split(b"\n")]


def _holds(data: bytes, lines: Sequence[bytes]) -> bool:
    """Whether a text has these lines one after the other, whatever the blanks in them."""
    return b"\n" + b"\n".join(lines) + b"\n" in b"\n" + b"\n".join(_lines(data)) + b"\n"
