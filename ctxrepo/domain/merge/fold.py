"""Folds the saves of one file into what it is to hold: each is merged in from what it was made from (ADR 48).

What a command or a late writer began with is known. What an agent's tool or a person's editor began with is
inferred, in one place: `_Fold.base_of`. Its table of examples is tests/domain/merge/test_fold.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.merge.file import merge_file
from ctxrepo.domain.note.note import decode, decode_exactly, encode, utf16
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.domain.records.save import BY_HAND, LATE, TOOL, Save
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class Ground:
    """What the file was before its saves; None stands for no file.

    `base` is what it was checked out as, `following` what a checkout was about to make of it that was killed
    half-way (else the same).
    """

    base: bytes | None
    following: bytes | None


@dataclass(frozen=True)
class FoldedFile:
    """A file that somebody changed from `base` to `data` (None: no file).

    `saved` is what it would be if nobody had changed it without a word, and `commanded` what commands alone
    would have made of `base`: whatever `data` lacks beside that was deleted by hand. `conflict_copies` are
    what lost when the saves were merged. `versions` are what agents left in the file, one after the other;
    they go into the history only, and the last one may equal `data`.
    """

    path: str
    base: bytes | None
    data: bytes | None
    saved: bytes | None
    commanded: bytes | None
    conflict_copies: tuple[ConflictCopy, ...] = ()
    versions: tuple[bytes, ...] = ()


def fold(path: str, ground: Ground, saves: Sequence[Save], on_disk: bytes | None) -> FoldedFile:
    """The file with each of the saves merged in, in their order, and then what is on disk now."""
    steps = [*_with_hand(path, ground, saves, on_disk)]
    folding = _Fold(path, ground, steps)
    data, copies = folding.merge(ground.base, steps)
    saved, _ = folding.merge(ground.base, saves) if len(saves) < len(steps) else (data, ())
    commands = [save for save in saves if save.is_command]
    removals = [number for number, save in enumerate(commands, 1) if save.after is None]
    # A command removes the whole file, whoever's lines it found there.
    if removals:
        commanded, _ = folding.merge(None, commands[removals[-1] :])
    else:
        commanded, _ = folding.merge(ground.base, commands) if len(commands) < len(saves) else (saved, ())
    return FoldedFile(path, ground.base, data, saved, commanded, copies, versions_in(saves))


def _with_hand(path: str, ground: Ground, saves: Iterable[Save], on_disk: bytes | None) -> Iterator[Save]:
    """The saves, and between them those of people who said nothing: where a command found something else than
    the save before it had left, and at the end where something else is on disk."""
    left = (ground.base, ground.following)
    for save in saves:
        # An editor may empty a file before it writes it.
        if save.is_command and save.base not in (*left, b""):
            yield _by_hand(path, save.base)
        yield save
        # What was written late never was in the file, and what has no tree was replaced when it was heard of.
        if save.is_command or save.tree:
            left = (save.after, save.after)
    if on_disk not in left:
        yield _by_hand(path, on_disk)


def _by_hand(path: str, after: bytes | None) -> Save:
    return Save(path, None, after, BY_HAND, Origin(""))


def versions_in(saves: Sequence[Save]) -> tuple[bytes, ...]:
    """What agents' tools left in a file, each version once."""
    return tuple(dict.fromkeys(s.after for s in saves if s.op == TOOL and s.after is not None))


@dataclass(frozen=True)
class _State:
    """What a save left in the file, and what it was made from. `new` are those of its lines that nobody has
    who hasn't seen it. Of what commands (and late writers) did in this save or before it, `acknowledged` are
    the lines added that it has, and `forgotten` those taken out that it hasn't."""

    save: Save
    base: bytes | None
    has_stood: bool
    new: frozenset[str]
    acknowledged: frozenset[str]
    forgotten: frozenset[str]

    def may_have_been_seen_by(self, lines: frozenset[str]) -> bool:
        """Whether a file with these lines agrees with what commands had done."""
        return self.acknowledged <= lines and self.forgotten.isdisjoint(lines)


@dataclass
class _Fold:
    path: str
    ground: Ground
    saves: Sequence[Save]
    states: list[_State] = field(default_factory=list)
    """Oldest first; each as its own author left it, whatever others had done before."""
    taken_out: frozenset[str] = frozenset()
    """The lines that somebody took out without a command, and that nobody's file has had since."""

    def __post_init__(self) -> None:
        self._sessions = {save.author for save in self.saves if save.op == TOOL}
        checked_out = _lines(self.ground.base) | _lines(self.ground.following)
        known = checked_out
        acknowledged = forgotten = frozenset[str]()
        for save in self.saves:
            base, lines = self.base_of(save), _lines(save.after)
            added, removed = lines - _lines(base), _lines(base) - lines
            if save.is_command:
                forgotten = (forgotten | removed) - added
            if save.is_command or save.op == LATE:
                acknowledged |= added
            # Who changes lines takes some out, adds some and keeps some.
            is_deletion = not save.is_command and (not added or lines.isdisjoint(_lines(base)))
            self.taken_out = self.taken_out - lines | (removed if is_deletion else frozenset())
            new = added - (known if base is None else checked_out)
            known |= lines
            stood = self._has_stood(save)
            self.states.append(_State(save, base, stood, new, acknowledged & lines, forgotten - lines))

    def merge(
        self, data: bytes | None, saves: Sequence[Save]
    ) -> tuple[bytes | None, tuple[ConflictCopy, ...]]:
        """`data` with only these saves merged in, and what lost."""
        base_of = {id(state.save): state.base for state in self.states}
        copies: list[ConflictCopy] = []
        for save in saves:
            # Of a version that had gone when it was heard of, only what is new in it brings a file back.
            is_gone = data is None and save.lacks_base and self.ground.base is not None
            merged = merge_file(self.path, base_of[id(save)], save.after, b"" if is_gone else data)
            data = merged.data or None if is_gone else merged.data
            copies += () if is_gone else merged.conflict_copies
        return data, tuple(copies)

    def base_of(self, save: Save) -> bytes | None:
        """What the author of a save began with. A save *has stood* if the file is known to have held what it
        left, since it was checked out.

        1. Of a command and of a late writer that is known.
        2. Whoever removed the file may not have seen what others were writing to it: they removed what was
           checked out.
        3. If the save has stood, they began with the newest state that they had seen: one that the same
           session left, or of which the save holds something new. Only a state counts that has stood, and
           that agrees with the save on what commands had done: who lacks what one had added, or has what one
           had taken out, wasn't looking.
        4. Else they began with what was checked out, and put back what others had taken out of that without a
           command. A tool of which nothing is known, since its file had been replaced when it was heard of,
           has taken nothing out itself.
        """
        if save.is_command or save.op == LATE:
            return save.base
        if save.after is None:
            return self._checked_out(save)
        lines = _lines(save.after)
        if self._has_stood(save):
            for state in filter(lambda state: state.has_stood, reversed(self.states)):
                has_seen = not state.new.isdisjoint(lines) or self._is_by_author_of(save, state)
                if has_seen and state.may_have_been_seen_by(lines):
                    return state.save.after
        if save.lacks_base:
            if any(state.save.is_command and state.save.base == save.after for state in self.states):
                return save.after  # a command has found this version, and gone on from it
            checked_out = self.ground.base
            new = lines - _lines(checked_out)
            return None if checked_out is None else _without(save.after, self.taken_out | new)
        return _without(self._checked_out(save), self.taken_out & lines)

    def _has_stood(self, save: Save) -> bool:
        if save.op == TOOL:
            return not save.lacks_base and save.base == self.ground.base
        return save.op != LATE

    def _is_by_author_of(self, save: Save, state: _State) -> bool:
        """Whether the session that made the save left this state, too. Where one session alone wrote, what is
        found in its file without a word is taken for its own work."""
        if state.save.op != TOOL:
            return False
        if save.op == BY_HAND:
            return len(self._sessions) == 1
        return save.author == state.save.author and bool(save.by.session)

    def _checked_out(self, save: Save) -> bytes | None:
        """What was checked out when the save was made. A checkout may have been killed half-way: then it is
        the version of which the save holds something new."""
        if save.op == TOOL:
            return save.base
        base, following = self.ground.base, self.ground.following
        if following == base or save.after is None:
            return base
        new = _lines(following) - _lines(base)
        return base if save.after != following and new.isdisjoint(_lines(save.after)) else following


def _lines(data: bytes | None) -> frozenset[str]:
    """The lines that tell who saw what."""
    return frozenset(filter(_tells, map(str.strip, decode(data or b"").splitlines())))


def _without(data: bytes | None, lines: frozenset[str]) -> bytes | None:
    if data is None or lines.isdisjoint(_lines(data)):
        return data
    if utf16(data):
        return b""  # merged as a whole: what loses becomes a conflict copy
    kept = (line for line in decode_exactly(data).splitlines(keepends=True) if line.strip() not in lines)
    return encode("".join(kept))


def _tells(line: str) -> bool:
    """Blanks, the fence of the head and the date of the last change are in everybody's file, or differ."""
    return line not in ("", "---") and not line.startswith("updated:")
