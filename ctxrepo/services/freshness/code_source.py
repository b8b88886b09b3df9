"""Doubts about entries by a project's code: what they name is gone or renamed, lines that they cite changed,
or what they claim holds no longer.

Git alone is asked, and only what the code had when an entry was stated can be gone: a name that never was
there raises no doubt. Where git can't tell (a shallow clone, another branch, missing files) there is no doubt
either."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ctxrepo.domain.doubts.doubt import Doubt, DoubtKind
from ctxrepo.domain.doubts.names import names_in, steady
from ctxrepo.domain.formats.jsonl import record
from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.note.entry import Entry
from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.services.freshness.code_claims import ClaimState, claim_states
from ctxrepo.services.freshness.code_names import (
    CodeFacts,
    CodeName,
    CommandNames,
    Loss,
    PathNames,
    symbol_losses,
)
from ctxrepo.services.freshness.detector import DetectorInput
from ctxrepo.services.freshness.project_code import ask_code, checkouts_of
from ctxrepo.storage.code.file_history import History
from ctxrepo.storage.code.tree import CodeTree, Moment
from ctxrepo.storage.code.word_index import WordIndex
from ctxrepo.storage.disk.foreign import text
from ctxrepo.storage.disk.private import make_folder, put_whole

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


_MOST_BYTES = 64 * 1024 * 1024


def code_doubts(work: DetectorInput) -> list[Doubt]:
    """Entries of a project that name, cite or claim what its code no longer has."""
    tops = checkouts_of(work.memory, work.scope)
    if not tops:
        return []
    entries = [_code_entry(work, known.entry) for known in work.entries]
    claims = [evidence for evidence in work.evidence.values() if evidence.holds]
    file = work.memory.state.code / f"{work.scope}.json"
    answer = ask_code(work.memory, tops, partial(_scan, entries, claims, _read_facts(file)))
    if answer is None:
        return []
    scan, states = answer
    make_folder(file.parent)
    put_whole(file, json.dumps(_facts_as_json(scan.facts)))
    claimed = (_claim_doubts(entry, states[entry.id]) for entry in entries if entry.id in states)
    return [*scan.doubts, *(doubt for doubts in claimed for doubt in doubts)]


def _scan(
    entries: Sequence[CodeEntry], claims: Sequence[EntryEvidence], facts: CodeFacts, tree: CodeTree
) -> tuple[CodeScan, dict[str, list[ClaimState]]]:
    return scan_code(tree, entries, facts), claim_states(claims, tree)


def _code_entry(work: DetectorInput, entry: Entry) -> CodeEntry:
    """An entry with the commit of the code by which it was last found to hold, or was written."""
    evidence, worded = work.evidence.get(entry.id), work.wording_time(entry)
    at = seconds_of(max(worded, evidence.verified) if evidence else worded) or 0.0
    if evidence is None or worded > evidence.last:  # it was edited since: whoever did knew the code of then
        return CodeEntry(entry.id, entry.path, entry.text, "", at)
    if evidence.verified > worded:
        return CodeEntry(entry.id, entry.path, entry.text, evidence.verified_code, at)
    return CodeEntry(entry.id, entry.path, entry.text, evidence.code, at, evidence.cites)


def _claim_doubts(entry: CodeEntry, states: Sequence[ClaimState]) -> Iterator[Doubt]:
    for state in states:
        if state.outcome == "changed" and state.moment:
            claim = state.claim if len(state.claim) < 40 else f"{state.claim[:39]}…"
            words = f"{claim} holds no longer since {state.moment.day}"
            moment = state.moment
            yield Doubt(entry.id, entry.path, "claim", state.claim, words, moment.at, moment.commit)


def _read_facts(file: Path) -> CodeFacts:
    """Facts that an earlier scan left; none where they can't be read, and all is looked for again."""
    fields: Mapping[str, Any] = record(text(file, _MOST_BYTES)) or {}
    try:
        places = {str(word): tuple(map(str, paths)) for word, paths in fields["places"].items()}
        past = {str(c): {str(w): str(p) for w, p in words.items()} for c, words in fields["past"].items()}
        return CodeFacts(WordIndex(str(fields["commit"]), places), past)
    except (KeyError, TypeError, AttributeError):
        return CodeFacts()


def _facts_as_json(facts: CodeFacts) -> dict[str, Any]:
    index = facts.index
    return {"commit": index.commit, "places": index.places, "past": facts.past} if index else {}
