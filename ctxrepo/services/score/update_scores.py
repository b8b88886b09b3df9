"""Which standing each entry has, computed for the cache: hooks only read it."""

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.domain.records.entry_use import Usage
from ctxrepo.domain.score.activity import days_by_name, last_changed
from ctxrepo.domain.score.order import ACTIVE_DAYS, ctx_standings
from ctxrepo.domain.score.seed import seed_standings
from ctxrepo.domain.score.standing import EntryFacts, until_in
from ctxrepo.domain.text import day_of
from ctxrepo.domain.words.categories import category_of
from ctxrepo.services.usage.entry_usage import counts_by_entry
from ctxrepo.storage.cache.layout import ScoredEntry, digest_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import read_checkouts
from ctxrepo.storage.user.code import changed_files

_PROFILES = {"ctx": ctx_standings, "seed": seed_standings}

_DAY = 86400


def update_scores(memory: Memory, now: int) -> bool:
    """Bring the scores in the cache to the day `now`, since 1970; False where nothing has changed since they
    were computed."""
    profile = memory.settings.score.profile
    changed = _changed_files(memory, now)
    used = counts_by_entry(memory)
    uses = sorted((name, one.used, one.contradicted) for name, one in used.items())
    sources = [profile, now, memory.cache.head, memory.cache.tree, sorted(changed.items()), uses]
    stamp = digest_of(repr(sources))
    if memory.cache.scores_stamp == stamp:
        return False
    evidence = memory.cache.all_evidence()
    named = {scope: days_by_name(days) for scope, days in changed.items()}
    facts = (
        _facts(entry, evidence.get(entry.id), used.get(entry.id), named.get(entry.scope, {}))
        for entry in memory.cache.to_score()
    )
    memory.cache.set_scores(_PROFILES[profile](facts, now), stamp)
    return True


def _facts(
    entry: ScoredEntry, evidence: EntryEvidence | None, used: Usage | None, named: Mapping[str, int]
) -> EntryFacts:
    contradicted = max(evidence.contradicted if evidence else 0, used.contradicted if used else 0)
    return EntryFacts(
        entry.id,
        entry.scope,
        category_of(entry.category),
        entry.is_pinned,
        day_of(entry.day) or 0,
        evidence,
        helpful=used.used if used else 0,
        contradicted=contradicted,
        touched=last_changed(entry.text, named),
        until=until_in(entry.text) if "until:" in entry.text.lower() else 0,
    )


def _changed_files(memory: Memory, now: int) -> dict[str, dict[str, int]]:
    """The folder of each project -> path -> the day on which a commit of a checkout last changed the file, if
    that is active. A checkout that doesn't answer has none."""
    may_doubt = memory.settings.project.trust == "open"
    known = (c for c in read_checkouts(memory.places.state) if may_doubt or not c.claim)
    folders = {Path(c.top): c.folder for c in known if c.folder and os.path.isabs(c.top)}
    question = partial(_changed_in, (now - ACTIVE_DAYS) * _DAY, dict(memory.env))
    changed: dict[str, dict[str, int]] = {}
    for top, times in memory.outside.ask_each(folders, question, lambda place: place):
        days = changed.setdefault(folders[top], {})
        for path, at in times.items():
            days[path] = max(at // _DAY, days.get(path, 0))
    return changed


def _changed_in(since: int, env: Mapping[str, str], top: Path) -> dict[str, int]:
    return changed_files(top, since, env)
