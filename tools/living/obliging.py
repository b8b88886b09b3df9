"""Tidying at its worst: an agent that takes every pair in a brief for one thing said twice, and a person who
accepts all that it proposes. Nothing but the checks of proposals keeps anything from being lost then."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from ctxrepo.domain.dream.losses import objections
from ctxrepo.domain.dream.steps import MOST_STEPS, DreamStep
from ctxrepo.domain.records.save import Origin
from ctxrepo.services.dream.carry_out import carry_out, live_entries
from ctxrepo.services.dream.gather_brief import gather
from ctxrepo.services.dream.propose_steps import objections_to
from ctxrepo.services.reading.find import NamedScope
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.cache.entries import all_scopes
from ctxrepo.storage.cache.evidence_rows import entry_evidence
from ctxrepo.storage.memory import Memory

_PAIR = re.compile(r"\^([0-9a-f]{12}).*?\n  and .*?\^([0-9a-f]{12})", re.DOTALL)
_ROUNDS = 40
"""So many briefs of a scope are worked through; each has the likest pairs, as many as fit."""


def tidy(memory: Memory, now: datetime) -> None:
    """Work through the briefs of every scope until there is nothing more to propose."""
    for folder in memory.cache.ask(all_scopes):
        scope = NamedScope(folder, folder)
        for _ in range(_ROUNDS):
            if not _propose_and_accept(memory, scope, now):
                break


def _propose_and_accept(memory: Memory, scope: NamedScope, now: datetime) -> bool:
    """Whether there was anything to propose to which there were no objections."""
    here, steps = live_entries(memory, scope.folder), list[DreamStep]()
    for _, newer in _pairs(memory, scope, now):
        text = here.by_id[newer].text
        step = DreamStep("forget", (newer,), why="another entry says the same", was=(text,))
        if len(steps) < MOST_STEPS and not objections([*steps, step], here):
            steps.append(step)
    if not steps or objections_to(memory, scope, steps, now):
        return False
    with drafting(memory, "accept", Origin(memory.host), now) as draft:
        carry_out(draft, scope, steps, now)
    commit(memory, now)
    return True


def _pairs(memory: Memory, scope: NamedScope, now: datetime) -> Iterator[tuple[str, str]]:
    """(the older, the newer) of each pair in the brief that says much the same."""
    items = (item for section in gather(memory, scope, ["twins"], now).sections for item in section.items)
    for pair in _PAIR.findall("\n".join(items)):
        stated = {name: evidence.stated for name, evidence in memory.cache.ask(entry_evidence, pair).items()}
        older, newer = sorted(pair, key=lambda name: stated.get(name, ""))
        yield older, newer
