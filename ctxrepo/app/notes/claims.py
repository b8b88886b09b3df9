"""Claims about code, as operations on notes check and tell them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxrepo.domain.project.layout import shown
from ctxrepo.errors import UsageError

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.notes.requests import Fact

_WIDTH = 120


def require_claims(desk: Desk, facts: Sequence[Fact]) -> None:
    """Refuse facts of which a claim is false; UsageError for claims that are malformed, or about no code."""
    holds = [*dict.fromkeys(claim for fact in facts for claim in fact.holds)]
    if not holds:
        return
    from ctxrepo.services.freshness.claims_at_hand import require_held

    code = desk.code_at_hand
    if code is None or any(fact.scope_name == "global" for fact in facts):
        raise UsageError(
            "--holds is about a project's code" + ("" if code else ", and there is none here"),
            "Run it in the project's repository, for a fact of that project.",
        )
    desk.notice(*require_held(desk.memory, code, holds))


def claim_lines(desk: Desk, entries: Sequence[tuple[str, str]]) -> list[str]:
    """A line about each claim that was declared with these entries, given by (id, path): first those that
    hold no longer, and of many the first few."""
    from ctxrepo.storage.cache.evidence_rows import entry_evidence

    memory = desk.memory
    evidence = memory.cache.ask(entry_evidence, [entry for entry, _ in entries]).values() if entries else ()
    if not any(summary.holds for summary in evidence) and not memory.journal.names():
        return []
    from ctxrepo.services.freshness.claims_at_hand import MOST_SHOWN, claims_now

    states = claims_now(memory, entries, desk.code_at_hand)
    claims = [(state, entry) for entry, _ in entries for state in states.get(entry, ())]
    claims.sort(key=lambda claim: ("changed", "unknown", "held").index(claim[0].outcome))
    lines = [(f"^{entry} " if len(entries) > 1 else "", state.words) for state, entry in claims]
    return [f"{name}rests on {shown(words, _WIDTH)}" for name, words in lines[:MOST_SHOWN]]
