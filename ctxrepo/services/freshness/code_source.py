"""The source of doubts that looks at a project's code: what entries name, cite and claim of it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.domain.formats.jsonl import record
from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.note.entry import Entry
from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.services.freshness.code_claims import ClaimState, claim_states
from ctxrepo.services.freshness.code_doubts import CodeEntry, CodeScan, scan_code
from ctxrepo.services.freshness.code_names import CodeFacts
from ctxrepo.services.freshness.detector import DetectorInput
from ctxrepo.services.freshness.project_code import ask_code, checkouts_of
from ctxrepo.storage.code.tree import CodeTree
from ctxrepo.storage.code.word_index import WordIndex
from ctxrepo.storage.disk.foreign import text
from ctxrepo.storage.disk.private import make_folder, put_whole

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
