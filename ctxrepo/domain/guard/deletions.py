"""What was deleted by hand: the one rule for lines, notes and folders (ADR 71)."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_

from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.guard.refusals import RULE, Refusal
from ctxrepo.domain.note.entry import entries_of, in_place_of, moved, normalised
from ctxrepo.domain.note.note import decode, units_of
from ctxrepo.domain.project.layout import REGISTRY, is_evidence, is_note, shown
from ctxrepo.domain.secrets import mask
from ctxrepo.lazy import dataclass, lazy_pattern

SHARE = 0.3
"""A file may be held back if it loses more of its entries than this; less is tidying up."""

A_FILE = 2
"""So many entries a file counts for at least of which nothing is left: its name and head are gone as well."""

MANY = 10
"""So many entries, of all these files together, are rarely deleted on purpose."""

FEW = 5
"""Fewer entries than this are told by `sync` alone, where no file is gone."""


@dataclass(frozen=True)
class HandEdit:
    """A file before and after it was changed without a command; None for no file. Whoever changed it may not
    have seen what tools had just written to it, if `tools_wrote`: then an entry that came where another
    went doesn't replace it, unless it is a version of it."""

    before: bytes | None
    after: bytes | None
    tools_wrote: bool = False


@dataclass(frozen=True)
class Deletion:
    """How many of the entries that the file at `path` had were deleted from it; `is_gone` says that none is
    left. In the place of some there are other entries: these `replacements` are no loss to be told of."""

    path: str
    entries: int
    were: int
    is_gone: bool = False
    replacements: int = 0

    @property
    def weight(self) -> int:
        """What it counts towards being held back."""
        return (
            max(self.entries, A_FILE) if self.is_gone else self.entries * (self.entries > SHARE * self.were)
        )


def deletions(
    edits: Sequence[tuple[str, HandEdit]],
    moves: Mapping[str, str],
    versions: Mapping[str, Sequence[bytes | None]],
    kept: Callable[[], Collection[tuple[str, bool, str]]],
) -> list[Deletion]:
    """What these edits deleted, of each file that lost anything. An entry that moved to another of the files
    or was put in other words isn't deleted, nor is a file that another of its scope equals: `moves` are the
    new paths of files, `kept` the `contents` of those that stay; `versions` of a file are the committed one,
    then what it was since: an entry may have moved into it before a command edited or removed that."""
    after = {path: edit.after for path, edit in edits if edit.before is None}
    renames = {p: HandEdit(e.before, after[moves[p]]) for p, e in edits if p in moves and e.after is None}
    versions = {**versions, **{path: (edit.before, edit.after) for path, edit in renames.items()}}
    new = {*moves.values()}
    edits = [(p, e if e.after else renames.get(p, e)) for p, e in edits if e.before or p not in new]
    shrunk = [(path, edit) for path, edit in edits if _may_lack(edit)]  # most edits only add to a file
    if not shrunk:
        return []
    added: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for path, edit in edits:
        before, *later = (units_of(path, data) for data in versions.get(path, (edit.before, edit.after)))
        added[is_note(path)].update(reduce(or_, (units - before for units in later)))
    candidates = [_deletion(path, edit, added[is_note(path)]) for path, edit in shrunk]
    copies = kept() if any(deletion.is_gone for deletion in candidates) else ()
    stays = [contents(path, blob_id(edit.before or b"")) in copies for path, edit in shrunk]
    pairs = zip(candidates, stays, strict=True)
    return [
        deletion for deletion, is_kept in pairs if (not is_kept if deletion.is_gone else deletion.entries)
    ]


def contents(path: str, blob: str) -> tuple[str, bool, str]:
    """Equal for two notes, or two other files, of one scope that say the same."""
    return path.partition("/")[0], is_note(path), blob


def held_back(deleted: Sequence[Deletion], known: Sequence[Refusal] = ()) -> list[Refusal]:
    """The files to hold back until a person confirms. What is `known` to be held is so, however few of its
    entries are missing by now."""
    held = {refusal.path: refusal for refusal in known if refusal.rule == RULE}
    deleted = [deletion for deletion in deleted if deletion.weight or deletion.path in held]
    if sum(deletion.weight for deletion in deleted) < MANY:
        deleted = [deletion for deletion in deleted if deletion.path in held]  # some are back by now
    if len(deleted) == 1:
        (deletion,) = deleted
        what = "are gone" if deletion.entries != 1 else "is gone"
        return [Refusal(deletion.path, RULE, f"{deletion.entries} of its {deletion.were} entries {what}")]
    total = sum(deletion.entries for deletion in deleted)
    words = f"one of {len(deleted)} files that lost {counted(total, 'entry', 'entries')}"
    return [Refusal(deletion.path, RULE, words) for deletion in deleted]


def losses(deleted: Sequence[Deletion]) -> list[Deletion]:
    """What a person is told of where nothing is held back: every file that is gone, and every entry in whose
    place no other came."""
    return [deletion for deletion in deleted if deletion.is_gone or deletion.entries > deletion.replacements]


_SUMMARY = lazy_pattern(
    r"(confirmed: )?(?:(\d{1,9}) entr(?:y|ies)|a file without entries)( in all)?"
    r" of (.+?)(?: and (\d{1,9}) more)?"
)


@dataclass(frozen=True)
class DeletionSummary:
    """What was deleted by hand in one commit: how many `entries`, from the file at `path` and so many `more`.
    `is_whole` says that of one of the files nothing is left, `is_confirmed` that somebody confirmed it."""

    entries: int
    path: str
    more: int = 0
    is_whole: bool = False
    is_confirmed: bool = False

    @classmethod
    def parse(cls, text: str) -> "DeletionSummary | None":
        """The summary of this text; None where it isn't as we write one. Whoever can write to the remote
        words the messages of commits, and sessions are told only what we say."""
        match = _SUMMARY.fullmatch(text)
        return match and cls(int(match[2] or 0), match[4], int(match[5] or 0), bool(match[3]), bool(match[1]))

    def __str__(self) -> str:
        confirmed = "confirmed: " if self.is_confirmed else ""
        return f"{confirmed}{self._what}{' in all' if self.is_whole else ''} of {self._where}"

    @property
    def is_few(self) -> bool:
        """Whether these are so few entries, and no whole file, that `sync` alone tells of them. With a line
        of the registry a project loses all its notes."""
        return self.entries < FEW and not self.is_whole and self.path != REGISTRY

    def without(self, entries: int) -> "DeletionSummary":
        """The summary without so many entries, which stand as they were edited."""
        return replace(self, entries=max(self.entries - entries, min(self.entries, 1)))

    def line(self, commit: str, *, beside_secret: bool = False, by_git: bool = False) -> str:
        """One line about them for a person, with what brings them back. To undo a commit that took out a
        secret as well is refused. `by_git`: the commit isn't one of ours."""
        them = "it" if self.entries <= 1 and not self.more else "them"
        way = f"`ctxrepo undo {commit[:10]}` brings {them} back"
        if beside_secret:
            way = f"a secret went with {them}: `git show {commit[:10]}` in the memory repository has both"
        how = "by hand, and somebody confirmed that" if self.is_confirmed else "by hand"
        how = "in a commit made with git" if by_git else how
        return f"{self._where}: {self._what} deleted {how}; {way}"

    @property
    def _what(self) -> str:
        return counted(self.entries, "entry", "entries") if self.entries else "a file without entries"

    @property
    def _where(self) -> str:
        return f"{self.path} and {self.more} more" if self.more else self.path


def summary_of(deleted: Sequence[Deletion], *, is_confirmed: bool = False) -> DeletionSummary | None:
    """What these deletions of one commit come to; None for none. Of what is recorded of entries it tells
    only where nothing else was deleted."""
    if not deleted:
        return None
    deleted = [deletion for deletion in deleted if not is_evidence(deletion.path)] or deleted
    entries = sum(deletion.entries - deletion.replacements for deletion in deleted)
    is_whole = any(deletion.is_gone for deletion in deleted)
    path = next((deletion.path for deletion in deleted if is_note(deletion.path)), deleted[0].path)
    return DeletionSummary(entries, named_in_summary(path), len(deleted) - 1, is_whole, is_confirmed)


def named_in_summary(path: str) -> str:
    return shown(mask(path))


def _may_lack(edit: HandEdit) -> bool:
    before = (edit.before or b"").rstrip()
    return bool(before) and not (edit.after or b"").startswith(before)


def _deletion(path: str, edit: HandEdit, added: Counter[str]) -> Deletion:
    """What the edit deleted; what moved is taken out of `added`, for it can't have come from two files."""
    before, after = units_of(path, edit.before), units_of(path, edit.after)
    missing = before - after
    elsewhere = missing & added
    added -= elsewhere
    loss, were = (missing - elsewhere).total(), before.total()
    if not after and (before or not (edit.after or b"").strip()):
        return Deletion(path, loss, were, is_gone=bool(loss) or not before)
    if not is_note(path):
        return Deletion(path, loss, were, replacements=min(loss, in_place_of(before, after)))
    olds, news = (entries_of(path, decode(data or b"")) if loss else [] for data in (edit.before, edit.after))
    was = {normalised(new.text): normalised(old.text) for old, new in moved(olds, news)}
    loss -= sum(new != old for new, old in was.items())
    texts = [was.get(text, text) for text in (normalised(e.text) for e in news)]
    came = 0 if edit.tools_wrote else in_place_of([normalised(e.text) for e in olds], texts)
    return Deletion(path, loss, were, replacements=min(loss, came))
