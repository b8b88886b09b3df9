"""What was deleted by hand lately, on whatever machine, until it is taken back."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice

from ctxrepo.domain.git.commit import Writers, subject_of, writers_of
from ctxrepo.domain.guard.deletions import (
    Deletion,
    DeletionSummary,
    HandEdit,
    deletions,
    losses,
    named_in_summary,
    summary_of,
)
from ctxrepo.domain.guard.refusals import check_file
from ctxrepo.domain.merge.tree.moves import moves_between
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.note.note import decode_exactly, encode, units_of
from ctxrepo.domain.records.evidence import gone, renamed
from ctxrepo.errors import CtxrepoError
from ctxrepo.hooks.own_files import age, lines_of
from ctxrepo.lazy import lazy_pattern
from ctxrepo.services.reading.marks import (
    Files,
    entries_gone,
    entries_in,
    evidence_at,
    note_versions,
    standing_heirs,
)
from ctxrepo.services.reading.places import places_by_now
from ctxrepo.storage.clone.reffiles import DECLINED, DISMISSED
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects
from ctxrepo.storage.objects.trees import Key

_A_DAY = 86_400.0

_MOST_COMMITS = 500
"""Commits of a day, or new ones, that are looked at, the newest: more than are made in most."""

_MOST_BEHIND = 20
"""Older commits in a row after which none of the last day comes: a machine's clock may be behind."""

_REFLOG_BYTES = 256 * 1024
_MADE_HERE = lazy_pattern(r"[0-9a-f]{40} ([0-9a-f]{40}) [^\t]*\t(?:commit|revert|cherry-pick|rebase|am)\b")

_Change = tuple[Key | None, Key | None]


def of_deletions(memory: Memory, *, few: bool = False, since: str | None = None) -> list[str]:
    """A line about each deletion by hand of the last day that wasn't taken back, the oldest first; also of
    older ones that the branch has `since` a commit, and of a `few` entries only for who asks for them."""
    lines: list[str] = []
    with suppress(CtxrepoError):  # a damaged clone, of which others tell
        for line in _lines(memory, few, since):
            lines.insert(0, line)
    return lines


def confirmed_since(memory: Memory, since: str) -> list[str]:
    """A line about each deletion that somebody confirmed, and that the branch has since a commit, the oldest
    first: to be told once. A commit made with git that takes away many entries or a whole note counts as
    confirmed: those that were there, and that are gone by now."""
    objects, head = memory.objects, memory.head
    new = [*islice(objects.new_commits(head, since), _MOST_COMMITS)] if head else []
    lines = dict(_told(memory, new, few=True, confirmed=True))
    lines |= dict(_by_git(memory, since, [commit for commit in new if commit not in lines]))
    return [lines[commit] for commit in reversed(new) if commit in lines]


def _by_git(memory: Memory, since: str, commits: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(commit, line) of those that no command of ours made, nor anybody in this clone, and that deleted
    much."""
    objects, head = memory.objects, str(memory.head)
    plain = [commit for commit in commits if writers_of(objects.header_of(commit).message) == Writers()]
    here = _made_in_clone(memory) if plain else set()
    plain = [commit for commit in plain if commit not in here]
    plain = [commit for commit in plain if len(objects.parents(commit)) == 1]
    if not plain:
        return
    trees = was, now = objects.tree_of(since), objects.tree_of(head)
    by_command = gone(evidence_at(objects, now)) - gone(evidence_at(objects, was))  # as in a squashed review
    missing = {e.id: e for e in entries_gone(*note_versions(objects, *trees)) if e.id not in by_command}
    declined = _declined(objects) if missing else set()
    missing = {name: e for name, e in missing.items() if normalised(e.text) not in declined}
    for commit in plain if missing else ():
        parent, tree = map(objects.tree_of, (objects.parents(commit)[0], commit))
        sides = note_versions(objects, parent, tree)
        heirs = standing_heirs(objects, objects.tree_of(head), *sides)
        counts = Counter(e.path for e in entries_gone(*sides) if e.id in missing and e not in heirs)
        summary = summary_of(losses([*_lost_of(counts, *sides)]))
        if summary and not summary.is_few:
            secrets = _secrets_gone(memory, objects.diff(parent, tree))
            yield commit, summary.line(commit, beside_secret=bool(secrets), by_git=True)


def _made_in_clone(memory: Memory) -> set[str]:
    """The commits that a person made with git in the clone lately, as its reflog tells."""
    lines = lines_of(str(memory.clone.git_dir / "logs" / "HEAD"), _REFLOG_BYTES)
    return {match[1] for line in lines if (match := _MADE_HERE.match(line))}


def _lost_of(counts: Counter[str], before: Files, after: Files) -> Iterator[Deletion]:
    """What a change of notes deleted; `counts` says how many entries each note lost."""
    edits = [(path, HandEdit(before.get(path), after.get(path))) for path in {**before, **after}]
    went, came = (
        {path: data for path, data in side.items() if data and not other.get(path)}
        for side, other in ((before, after), (after, before))
    )
    for deletion in deletions(edits, moves_between(went, came), {}, lambda: ()):
        if count := counts[deletion.path]:
            yield replace(deletion, entries=min(deletion.entries, count + deletion.replacements))


def _lines(memory: Memory, few: bool, since: str | None) -> Iterator[str]:
    objects, head = memory.objects, memory.head
    if not head:
        return
    new = islice(objects.new_commits(head, since), _MOST_COMMITS) if since else ()
    of_last_day = [*_of_last_day(objects, head)]
    for _, line in _told(memory, dict.fromkeys((*new, *of_last_day)), few=few, confirmed=False):
        yield line
    with suppress(CtxrepoError):  # nothing keeps what is on no branch: git may have pruned a part
        yield from _of_reset_commits(memory, head, of_last_day)


def _told(memory: Memory, commits: Iterable[str], *, few: bool, confirmed: bool) -> Iterator[tuple[str, str]]:
    """(commit, line) of each of these commits that deleted something by hand, if it wasn't taken back."""
    objects, head = memory.objects, str(memory.head)
    for commit in commits:
        trailer = next(iter(writers_of(objects.header_of(commit).message).deleted), "")
        summary = DeletionSummary.parse(trailer)
        if summary and summary.is_confirmed == confirmed and (few or not summary.is_few):
            was, now = map(objects.tree_of, (next(iter(objects.parents(commit)), None), commit))
            changes = objects.diff(was, now)
            is_true = summary.path in map(named_in_summary, changes)
            sides = note_versions(objects, was, now) if is_true else ({}, {})
            heirs = standing_heirs(objects, objects.tree_of(head), *sides)  # edited by another machine
            edited = Counter(normalised(entry.text) for entry in heirs)
            secrets = _secrets_gone(memory, changes) if is_true else set()
            lost = [entry for entry in entries_gone(*sides) if entry not in heirs]
            secret = [entry for entry in lost if secrets & _secrets_in(memory, entry.path, entry.text)]
            summary = summary.without(len(heirs) + len(secret))
            is_meant = is_true and (few or not summary.is_few) and not (secret and len(secret) == len(lost))
            if is_meant and not _came_back(objects, commit, changes, head, edited):
                yield commit, summary.line(commit, beside_secret=bool(secrets))


def _secrets_gone(memory: Memory, changes: Mapping[str, _Change]) -> set[str]:
    """The secrets that a change took out of files: nothing brings them back, for that is refused."""
    before, after = (
        {
            secret
            for path, keys in changes.items()
            if (key := keys[side]) and ":" not in key
            for secret in _secrets_in(memory, path, decode_exactly(memory.objects.data_or_empty(key)))
        }
        for side in (0, 1)
    )
    return before - after


def _secrets_in(memory: Memory, path: str, text: str) -> set[str]:
    allow = memory.settings.secrets.allow_secret
    return {refusal.fingerprint for refusal in check_file(path, encode(text), allow)} - {""}


def _of_reset_commits(memory: Memory, head: str, of_last_day: Collection[str]) -> Iterator[str]:
    """A line about the entries that came with the last commits made here, if a person took these off the
    branch, as by a reset, and no other machine has got them."""
    objects, there = memory.objects, memory.objects.ref(memory.clone.upstream_ref) or head
    commits = [c for c in reversed(memory.verdicts.read().own) if c not in of_last_day and objects.has(c)]
    young = (c for c in commits if age(objects.header_of(c).when.timestamp()) < _A_DAY)
    sent = (head, there, *objects.refs("refs/remotes/").values())  # also on another branch
    off = (c for c in young if not any(objects.contains(tip, c) for tip in sent))
    newest = next((c for c in off if len(objects.parents(c)) == 1), None)
    base = objects.merge_base(head, newest) if newest else None
    if newest is None or base is None:
        return
    before, after = note_versions(objects, *map(objects.tree_of, (base, newest)))
    was, *now = (evidence_at(objects, objects.tree_of(commit)) for commit in (base, head, there))
    by_command = gone(chain(*now)) - gone(was)
    heirs = standing_heirs(objects, objects.tree_of(head), after, before)
    added = [e for e in entries_gone(after, before) if e.id not in by_command and e not in heirs]
    had = {normalised(entry.text) for entry in entries_in(before)}
    had |= _had_since(objects, base, {head, there}) | _declined(objects) if added else set()
    if missing := [entry for entry in added if normalised(entry.text) not in had]:
        paths = [*dict.fromkeys(entry.path for entry in missing)]
        yield DeletionSummary(len(missing), named_in_summary(paths[0]), len(paths) - 1).line(newest)


def _had_since(objects: Objects, base: str, tips: Iterable[str]) -> set[str]:
    """The words of the entries that came to notes after a commit, on the way to any of these, and of their
    neighbours: what went again after that went otherwise."""
    steps = [(base, tip) for tip in tips]
    for tip in tips:
        new = islice(objects.new_commits(tip, base), _MOST_COMMITS)
        steps += [(parent, commit) for commit in new for parent in objects.parents(commit)[:1]]
    notes = (note_versions(objects, *map(objects.tree_of, step))[1] for step in steps)
    return {normalised(entry.text) for files in notes for entry in entries_in(files)}


def _declined(objects: Objects) -> set[str]:
    """The words of the entries that reviewers struck out: the review took their commits off the branch."""
    tips = [tip for refs in (DECLINED, DISMISSED) for tip in objects.refs(refs).values()]
    sides = (map(objects.tree_of, (tip, next(iter(objects.parents(tip)), None))) for tip in tips)
    gone = (entries_gone(*note_versions(objects, *trees)) for trees in sides)
    return {normalised(entry.text) for entries in gone for entry in entries}


def _of_last_day(objects: Objects, head: str) -> Iterator[str]:
    """The commits of the last day, the newest first."""
    behind = 0
    for commit in islice(objects.recent(head), _MOST_COMMITS):
        if age(objects.header_of(commit).when.timestamp()) < _A_DAY:
            behind = 0
            yield commit
        elif (behind := behind + 1) > _MOST_BEHIND:
            return


def _came_back(
    objects: Objects, commit: str, changes: Mapping[str, _Change], head: str, edited: Counter[str]
) -> bool:
    """Whether somebody undid the commit, or each file had again what it lost in it, but for what is `edited`,
    if only for a while and wherever it has moved: what went after that went otherwise."""
    after = {commit}
    for later in reversed([*objects.new_commits(head, commit)]):
        if not after.isdisjoint(objects.parents(later)):
            after.add(later)
    subjects = (subject_of(objects.header_of(later).message) for later in after)
    if any(f": undo {commit[:10]} " in subject for subject in subjects):
        return True
    former = renamed(evidence_at(objects, objects.tree_of(head)))
    by_now = places_by_now(objects, changes, next(iter(objects.parents(commit)), None), head)
    places = {path: [path, *(new for new, names in former.items() if path in names)] for path in changes}
    places = {path: [*names, by_now.get(path, path)] for path, names in places.items()}
    paths = {*chain(*places.values())}
    trees = [objects.files(objects.tree_of(later), paths) for later in after]
    return all(
        any(
            not _lacks(objects, path, change, key, edited)
            for key in {tree.get(p) for p in places[path] for tree in trees}
        )
        for path, change in changes.items()
    )


def _lacks(objects: Objects, path: str, change: _Change, now: Key | None, edited: Counter[str]) -> bool:
    """Whether a file lacks `now` what it lost in a change, but for what is `edited`."""
    had, kept, has = (units_of(path, objects.data_or_empty(key) if key else None) for key in (*change, now))
    return bool(had - kept - has - edited) or (now is None and not had)
