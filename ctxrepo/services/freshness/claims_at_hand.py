"""Claims are checked where somebody is: when a fact is declared to rest on them, and when it is used."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from ctxrepo.domain.doubts.declared_claim import Claim, ClaimVerdict, parse_claim
from ctxrepo.domain.project.layout import scope_of
from ctxrepo.domain.records.entry_evidence import EntryEvidence, by_entry
from ctxrepo.errors import NoAnswer, Refused
from ctxrepo.services.freshness.code_claims import ClaimState, claim_states, verdict_at, verdict_on_disk
from ctxrepo.services.freshness.project_code import ask_code, checkouts_of
from ctxrepo.services.locate.code_at_hand import CodeAtHand
from ctxrepo.services.reading.evidence_view import evidence_in_view
from ctxrepo.storage.code.tree import CodeTree
from ctxrepo.storage.memory import Memory

_PATIENCE = 5.0
"""Seconds that somebody waits for the code of a project."""

MOST_SHOWN = 5
"""At most so many claims are listed beside an entry that is read."""


def require_held(memory: Memory, code: CodeAtHand, holds: Sequence[str]) -> Iterator[str]:
    """A line about each of these claims that isn't known to hold in a commit. Refused where one is false both
    in the files of the checkout and in its commit; UsageError for one that is malformed."""
    claims = [parse_claim(text) for text in holds]
    try:
        question = partial(_verdicts, code.top, dict(code.env), claims)
        verdicts = memory.outside.ask(code.top, question, _PATIENCE)
    except NoAnswer:
        verdicts = [("unknown", "unknown")] * len(claims)
    judged = [(claim.text, *verdict) for claim, verdict in zip(claims, verdicts, strict=True)]
    if false := [text for text, on_disk, committed in judged if on_disk == "false" and committed != "held"]:
        subject = f"the claim {false[0]} is" if len(false) == 1 else f"the claims {', '.join(false)} are"
        raise Refused(
            f"{subject} false in {code.top}", "Look there, and declare what holds. Nothing was saved."
        )
    for text, on_disk, committed in judged:
        if "held" not in (on_disk, committed):
            yield f"nobody can tell whether {text} holds; it is checked again with each commit"
        elif committed != "held":
            yield f"{text} holds in the files, and in no commit yet"


def _verdicts(
    top: Path, env: dict[str, str], claims: Sequence[Claim]
) -> Sequence[tuple[ClaimVerdict, ClaimVerdict]]:
    """(in the files of the checkout, in its commit) for each claim."""
    tree = CodeTree.open(top, env)
    return [
        (verdict_on_disk(top, claim), verdict_at(tree, tree.commit, claim) if tree else "unknown")
        for claim in claims
    ]


def claims_now(
    memory: Memory, entries: Iterable[tuple[str, str]], code: CodeAtHand | None
) -> dict[str, list[ClaimState]]:
    """Entry id -> how the claims stand that were declared with it. `entries` are given by (id, path). The
    checkout at hand is asked where it is their project's, else one that is recorded."""
    paths = dict(entries)
    by_scope: dict[str, list[EntryEvidence]] = {}
    for name, evidence in by_entry(evidence_in_view(memory).about(paths)).items():
        if evidence.holds and name in paths:
            by_scope.setdefault(scope_of(paths[name]), []).append(evidence)
    states: dict[str, list[ClaimState]] = {}
    for scope, claims in sorted(by_scope.items()):
        tops = [code.top] if code and code.folder == scope else checkouts_of(memory, scope)
        states |= ask_code(memory, tops, partial(claim_states, claims), _PATIENCE) or {
            evidence.entry: [ClaimState(text, "unknown") for text in evidence.holds] for evidence in claims
        }
    return states
