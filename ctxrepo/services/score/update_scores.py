"""Which standing each entry has, computed for the cache: hooks only read it."""

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.domain.records.entry_use import Usage
from ctxrepo.domain.score.order import ctx_standings
from ctxrepo.domain.score.seed import seed_standings
from ctxrepo.domain.score.standing import (
    KNOWN_DAYS,
    Activity,
    EntryFacts,
    activity_in,
    activity_of,
    by_name,
    until_in,
)
from ctxrepo.domain.text import day_of
from ctxrepo.domain.words.categories import category_of
from ctxrepo.services.usage.entry_usage import counts_by_entry
from ctxrepo.storage.cache import computed
from ctxrepo.storage.cache.computed import ScoredEntry
from ctxrepo.storage.cache.evidence_rows import entry_evidence
from ctxrepo.storage.cache.layout import digest_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import read_checkouts
from ctxrepo.storage.user.code import changed_files, head_of

_PROFILES = {"ctx": ctx_standings, "seed": seed_standings}

_DAY = 86400

_MOST_CHECKOUTS = 20
"""So many checkouts, those that were recorded last, are asked which files change there."""


def update_scores(memory: Memory, now: int) -> bool:
    """Bring the scores in the cache to the day `now`, since 1970; False where nothing has changed since they
    were computed."""
    profile = memory.settings.score.profile
    heads = _update_changed_files(memory, now)
    usages = counts_by_entry(memory)
    uses = sorted((name, usage.used, usage.contradicted) for name, usage in usages.items())
    doubts = [(doubt.entry, doubt.remark) for doubt in memory.cache.ask(computed.all_doubts)]
    sources = [profile, now, memory.cache.head, memory.cache.tree, sorted(heads.items()), uses, doubts]
    stamp = digest_of(repr(sources))
    if memory.cache.ask(computed.stamp_of_part, computed.SCORES) == stamp:
        return False
    evidence = memory.cache.ask(entry_evidence)
    active_names = _active_names(memory, heads)
    facts = (
        _facts(entry, evidence.get(entry.id), usages.get(entry.id), active_names.get(entry.scope, {}))
        for entry in memory.cache.ask(computed.entries_to_score)
    )
    memory.cache.change(computed.put_standings, _PROFILES[profile](facts, now), stamp)
    return True


def _facts(
    entry: ScoredEntry,
    evidence: EntryEvidence | None,
    usage: Usage | None,
    active_names: Mapping[str, Activity],
) -> EntryFacts:
    contradicted = max(evidence.contradicted if evidence else 0, usage.contradicted if usage else 0)
    return EntryFacts(
        entry.id,
        entry.scope,
        category_of(entry.category),
        entry.is_pinned or bool(evidence and evidence.rule),
        day_of(entry.day) or 0,
        evidence,
        helpful=usage.used if usage else 0,
        contradicted=contradicted,
        activity=activity_in(entry.text, active_names),
        until=until_in(entry.text) if "until:" in entry.text.lower() else 0,
        is_doubtful=bool(entry.is_doubtful),
    )


def _update_changed_files(memory: Memory, now: int) -> dict[tuple[str, str], str]:
    """Bring to the day `now` what the cache says of files that change in checkouts; returns (folder of the
    project, top of the checkout) -> the commit and day that it is of. One without an answer stays as it was.
    """
    may_doubt = memory.settings.project.trust == "open"
    known = (c for c in read_checkouts(memory.places.state) if may_doubt or not c.claim)
    folders = {c.top: c.folder for c in known if c.folder and os.path.isabs(c.top)}
    tops = [*folders][-_MOST_CHECKOUTS:]
    stamps = ((top, memory.cache.ask(computed.stamp_of_part, computed.ACTIVE, top)) for top in folders)
    heads = {top: stamp for top, stamp in stamps if stamp}
    env, since = dict(memory.env), (now - KNOWN_DAYS) * _DAY
    answers = memory.outside.ask_each(tops, partial(_head, env), Path)
    stamps_now = {top: f"{head} {now}" for top, head in answers}
    due = [top for top, stamp in stamps_now.items() if heads.get(top) != stamp]
    for top, times in memory.outside.ask_each(due, partial(_changed, since, env), Path):
        days = {path: [at // _DAY for at in moments] for path, moments in times.items()}
        files = {path: activity_of(of, now) for path, of in days.items()}
        memory.cache.change(computed.put_active_files, top, files, stamps_now[top])
        heads[top] = stamps_now[top]
    return {(folders[top], top): stamp for top, stamp in heads.items()}


def _head(env: Mapping[str, str], top: str) -> str:
    return head_of(Path(top), env)


def _changed(since: int, env: Mapping[str, str], top: str) -> dict[str, list[int]]:
    return changed_files(Path(top), since, env)


def _active_names(memory: Memory, heads: Mapping[tuple[str, str], str]) -> dict[str, dict[str, Activity]]:
    """The folder of each project -> the activity of files in its checkouts, by their names."""
    files: dict[str, dict[str, Activity]] = {}
    for folder, top in heads:
        of_project = files.setdefault(folder, {})
        for path, activity in memory.cache.ask(computed.active_files, top).items():
            of_project[path] = Activity(*map(max, activity, of_project.get(path, Activity())))
    return {folder: by_name(of_project) for folder, of_project in files.items()}
