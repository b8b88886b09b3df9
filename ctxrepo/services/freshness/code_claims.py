"""Whether declared claims about a project's code hold, in its commit or as it lies on disk."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ctxrepo.domain.doubts.declared_claim import MOST_BYTES, Claim, ClaimVerdict, judge, parse_claim
from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.errors import CtxrepoError, Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.storage.code.file_history import History
from ctxrepo.storage.code.tree import CodeTree, Moment
from ctxrepo.storage.disk.foreign import read

_SHORT = 10
"""Digits of a commit's id that are shown."""


@dataclass(frozen=True)
class ClaimState:
    """How a claim stands: `held` at the commit `moment`, `changed` by it, or `unknown`, without a moment."""

    claim: str
    outcome: Literal["held", "changed", "unknown"]
    moment: Moment | None = None

    @property
    def words(self) -> str:
        """`src/a.py::N=3: held at 1a2b3c4d5e`."""
        if self.moment is None:
            return f"{self.claim}: can't tell"
        commit = self.moment.commit[:_SHORT]
        return f"{self.claim}: " + (
            f"held at {commit}" if self.outcome == "held" else f"changed since {commit} of {self.moment.day}"
        )


def verdict_at(tree: CodeTree, commit: str, claim: Claim) -> ClaimVerdict:
    """Whether a claim holds in a commit of a tree's repository."""
    place = (commit, claim.path)
    file = tree.files_at([place]).get(place) if claim.symbol else None
    if file:
        return judge(claim, tree.bytes_of(file, MOST_BYTES))
    is_there = not claim.symbol and bool(tree.existing([place]))
    if not is_there and tree.is_in_submodule(claim.path):
        return "unknown"
    return "held" if is_there != claim.is_absent else "false"


def verdict_on_disk(top: Path, claim: Claim) -> ClaimVerdict:
    """Whether a claim holds in the files of the checkout at `top`, committed or not."""
    path = top / claim.path
    if not claim.symbol:
        return "held" if path.exists() != claim.is_absent else "false"
    try:
        data = read(path, MOST_BYTES, follow=False)
    except Unreadable:
        return "unknown"
    return "false" if data is None else judge(claim, data)


def claim_states(evidence: Sequence[EntryEvidence], tree: CodeTree) -> dict[str, list[ClaimState]]:
    """Entry id -> how each of its claims stands at the tree's commit. A claim is followed from the newest
    commit that is recorded with the entry, else from the last one before that was stated or verified."""
    return {known.entry: [_state(tree, text, known) for text in known.holds] for known in evidence}


def _state(tree: CodeTree, text: str, evidence: EntryEvidence) -> ClaimState:
    try:
        claim = parse_claim(text)
        verdict = verdict_at(tree, tree.commit, claim)
    except CtxrepoError:  # records come from other machines, too
        return ClaimState(text, "unknown")
    if verdict == "held":
        return ClaimState(text, "held", tree.moment)
    if verdict == "false" and (moment := _loss(tree, claim, evidence)):
        return ClaimState(text, "changed", moment)
    return ClaimState(text, "unknown")


def _loss(tree: CodeTree, claim: Claim, evidence: EntryEvidence) -> Moment | None:
    """The commit since which a claim holds no longer. None where it is known to have held in no earlier one:
    it may be about what isn't committed yet, or is on another branch."""
    stated = seconds_of(evidence.last)
    since = evidence.code if tree.known([evidence.code]) else tree.last_before(stated) if stated else ""
    if not since or tree.common_with(since) != since:
        return None
    moment = tree.moment
    for version in reversed(History(tree, [since]).later(claim.path, since)):
        if verdict_at(tree, version.moment.commit, claim) == "held":
            return moment
        moment = version.moment
    return moment if verdict_at(tree, since, claim) == "held" else None
