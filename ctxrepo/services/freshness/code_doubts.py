"""Doubts about entries that name code: what they name is gone or renamed, or lines that they cite changed.

Git alone is asked, and only what the code had when an entry was stated can be gone: a name that never was
there raises no doubt. Where git can't tell (a shallow clone, another branch, missing files) there is no doubt
either."""

from collections.abc import Iterator, Sequence
from functools import partial

from ctxrepo.domain.doubts.doubt import Doubt, DoubtKind
from ctxrepo.domain.doubts.names import names_in, steady
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.services.freshness.code_names import (
    CodeFacts,
    CodeName,
    CommandNames,
    Loss,
    PathNames,
    symbol_losses,
)
from ctxrepo.storage.code.file_history import History
from ctxrepo.storage.code.tree import CodeTree, Moment

_CITE = lazy_pattern(r"([^@#]+)@([0-9a-f]{40}(?:[0-9a-f]{24})?)#L(\d{1,7})(?:-L?(\d{1,7}))?")
_MOST_CITED = 2 * 1024 * 1024


@dataclass(frozen=True)
class CodeEntry:
    """An entry with the commit `code` at which it was stated or last verified, '' where none is recorded, and
    the moment `at` of that, in Unix seconds. `cites` are `path@commit#L1-L2`."""

    id: str
    path: str
    text: str
    code: str = ""
    at: float = 0.0
    cites: Sequence[str] = ()


@dataclass(frozen=True)
class CodeScan:
    """What a scan came to: the doubts, and the facts for the next scan."""

    doubts: Sequence[Doubt]
    facts: CodeFacts


def scan_code(tree: CodeTree, entries: Sequence[CodeEntry], facts: CodeFacts) -> CodeScan:
    """Doubts about the entries of a project whose code is `tree`. `facts` are those of an earlier scan."""
    with_names = [(number, names) for number, e in enumerate(entries) if (names := names_in(steady(e.text)))]
    bases = _bases(tree, [entries[number] for number, _ in with_names])
    known = [(n, names, commits) for (n, names), commits in zip(with_names, bases, strict=True) if commits]
    paths = [CodeName(n, path, commits) for n, names, commits in known for path in names.paths]
    symbols = [CodeName(n, symbol, commits) for n, names, commits in known for symbol in names.symbols]
    commands = [CodeName(n, command, commits) for n, names, commits in known for command in names.commands]
    cited = {match[2] for e in entries for cite in e.cites if (match := _CITE.fullmatch(cite))}
    history = History(tree, cited.union(*bases))
    path_names = PathNames(tree, history)
    of_symbols, facts = symbol_losses(tree, history, symbols, facts)
    losses = *path_names.losses(paths), *of_symbols, *CommandNames(tree, history).losses(commands)
    doubts = [_loss_doubt(tree, entries[number], loss) for number, loss in losses]
    for entry in entries:
        doubts += _cite_doubts(tree, history, path_names, entry)
    unique = {(doubt.entry, doubt.kind, doubt.subject): doubt for doubt in doubts}
    return CodeScan([*unique.values()], facts)


def _bases(tree: CodeTree, entries: Sequence[CodeEntry]) -> list[tuple[str, ...]]:
    """For each entry the commits that must have had its names, for these to be gone now: its own, and where
    that is on another branch, the newest one that both branches have, as what only the other one ever had
    isn't gone. () where they aren't known."""
    known = tree.known(entry.code for entry in entries)
    commits = [
        entry.code if entry.code in known else tree.last_before(entry.at) if entry.at else ""
        for entry in entries
    ]
    common = {commit: tree.common_with(commit) for commit in dict.fromkeys(commits) if commit}
    return [tuple(dict.fromkeys((base, own))) if (base := common.get(own)) else () for own in commits]


def _loss_doubt(tree: CodeTree, entry: CodeEntry, loss: Loss) -> Doubt:
    name = _short(loss.name, 30 if loss.to else 50)
    words = f"{name} is called {_short(loss.to, 47 - len(name))}" if loss.to else f"{name} is gone"
    return _doubt(tree, entry, "renamed" if loss.to else "gone", loss.name, words, loss.moment)


def _cite_doubts(tree: CodeTree, history: History, paths: PathNames, entry: CodeEntry) -> Iterator[Doubt]:
    """Doubts about the lines that an entry cites and that are nowhere in the file any more."""
    for match in filter(None, map(_CITE.fullmatch, entry.cites)):
        path, commit, first = match[1], match[2], int(match[3])
        if tree.common_with(commit) != commit:
            continue
        before, now = tree.files_at([(commit, path)]).get((commit, path)), tree.files.get(path)
        if before and not now and path in paths.candidates(path):
            yield _loss_doubt(tree, entry, paths.loss(path, path))
        if before and now and before.oid != now.oid:
            lines = _lines(tree.bytes_of(before, _MOST_CITED) or b"")[first - 1 : int(match[4] or first)]
            data = tree.bytes_of(now, _MOST_CITED)
            if any(lines) and data is not None and not _has_lines(data, lines):
                moment = history.lost(path, commit, partial(_has_lines, lines=lines))
                words = f"{_short(path, 40)}#L{first} has changed"
                yield _doubt(tree, entry, "changed", match[0], words, moment)


def _doubt(
    tree: CodeTree, entry: CodeEntry, kind: DoubtKind, subject: str, words: str, moment: Moment | None
) -> Doubt:
    """A doubt since this moment. Where none is known it counts from the tree's, and its words name no day."""
    words += f" since {moment.day}" if moment else ""
    moment = moment or tree.moment
    return Doubt(entry.id, entry.path, kind, subject, words, moment.at, moment.commit)


def _short(name: str, most: int) -> str:
    """The end of a name, where it tells the most."""
    most = max(most, 16)
    return name if len(name) <= most else f"…{name[-most + 1 :]}"


def _lines(data: bytes) -> list[bytes]:
    return [b" ".join(line.split()) for line in data.split(b"\n")]


def _has_lines(data: bytes, lines: Sequence[bytes]) -> bool:
    """Whether a text has these lines one after the other, whatever the blanks in them."""
    return b"\n" + b"\n".join(lines) + b"\n" in b"\n" + b"\n".join(_lines(data)) + b"\n"
