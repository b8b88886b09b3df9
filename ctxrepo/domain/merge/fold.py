"""Folds the saves of one file into its new content: each is merged with the version it started from (ADR 48).

A command or a late writer records which version it started from. For an agent's tool or a person's editor
that is inferred, in one place: `_Fold.base_of`. Its table of examples is in tests/domain/merge/test_fold.py.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from dataclasses import field, replace

from ctxrepo.domain.guard.deletions import HandEdit
from ctxrepo.domain.merge.file import merge_file
from ctxrepo.domain.note.compose import without_keys
from ctxrepo.domain.note.entry import entries_of, words_of, words_of_many
from ctxrepo.domain.note.note import decode, decode_exactly, encode, units_of, utf16
from ctxrepo.domain.project.layout import is_note
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.domain.records.save import BY_HAND, LATE, TOOL, Origin, Save
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class Ground:
    """The file before its saves (None: no file): the version checked out, and after a checkout that was
    killed half-way the one it was about to write as `following`."""

    base: bytes | None
    following: bytes | None


@dataclass(frozen=True)
class FoldedFile:
    """A file that changed from `base` to `data` (None: no file). `saved` leaves out edits by hand, and
    `commanded` all but those of commands: what `data` lacks compared with `written` was deleted.
    `conflict_copies` lost in the merge. `versions` are those that agents wrote, in order, for the history
    only; the last may equal `data`. `command_bases` are those that commands began with."""

    path: str
    base: bytes | None
    data: bytes | None
    saved: bytes | None
    commanded: bytes | None
    before_removal: HandEdit | None = None
    """Where a command removed the file: what commands had left until then, and what that one found."""
    conflict_copies: tuple[ConflictCopy, ...] = ()
    versions: tuple[bytes, ...] = ()
    command_bases: tuple[bytes | None, ...] = ()

    @property
    def written(self) -> bytes | None:
        """The file before anything was deleted from it without a command: what agents' tools wrote is in it,
        unless they deleted something themselves."""
        if self.saved in (None, self.commanded):
            return self.commanded
        has_lost = units_of(self.path, self.commanded) - units_of(self.path, self.saved)
        return self.commanded if has_lost else self.saved


def fold(
    path: str,
    ground: Ground,
    saves: Sequence[Save],
    on_disk: bytes | None,
    new_files: Set[bytes] = frozenset(),
    keys: Callable[[], Collection[str]] = tuple,
) -> FoldedFile:
    """Merge the saves in order, and then the version on disk now; `new_files` are the contents of files
    that came: one may be this file, renamed. `keys` gives those under which commands stated something in the
    scope."""
    steps = [*_with_hand(path, ground, saves, on_disk)]
    folding = _Fold(path, ground, steps, new_files, keys)
    data, copies = folding.merge(ground.base, steps)
    saved, _ = folding.merge(ground.base, saves) if len(saves) < len(steps) else (data, ())
    commands = [save for save in saves if save.is_command]
    before_removal = None
    removals = [number for number, save in enumerate(commands, 1) if save.after is None]
    # A command removes the whole file, whoever's lines it found there.
    if removals:
        last = removals[-1]
        commanded, _ = folding.merge(None, commands[last:])
        before, _ = folding.merge(ground.base, commands[: last - 1])
        before_removal = HandEdit(before, commands[last - 1].base)
    else:
        commanded, _ = folding.merge(ground.base, commands) if len(commands) < len(saves) else (saved, ())
    bases = tuple(save.base for save in commands)
    return FoldedFile(
        path, ground.base, data, saved, commanded, before_removal, copies, versions_in(saves), bases
    )


@dataclass(frozen=True)
class FileWithout:
    """A file without what some saves did: its `data`, copies of what lost in that, and these saves, each with
    the version that its author began with."""

    data: bytes | None
    conflict_copies: tuple[ConflictCopy, ...]
    left_out: Sequence[Save]


def without(
    path: str, ground: Ground, saves: Sequence[Save], on_disk: bytes | None, places: Set[str]
) -> FileWithout:
    """The file as it would be without the saves at these places of the journal; an edit by hand that was made
    of what they left stays."""
    folding = _Fold(path, ground, [*_with_hand(path, ground, saves, on_disk)], frozenset(), tuple)
    is_out = {id(save): save.place in places and save.place != "" for save in folding.saves}
    data, copies = folding.merge(ground.base, [save for save in folding.saves if not is_out[id(save)]])
    left_out = [replace(state.save, base=state.base) for state in folding.states if is_out[id(state.save)]]
    return FileWithout(data, copies, left_out)


def _with_hand(path: str, ground: Ground, saves: Iterable[Save], on_disk: bytes | None) -> Iterator[Save]:
    """The saves, and edits by hand as saves of their own: there was one where a command found another
    version than the previous save had left, and where another version is on disk now."""
    expected = (ground.base, ground.following)
    for save in saves:
        # An editor may empty a file before it writes it.
        if save.is_command and save.base not in (*expected, b""):
            yield _by_hand(path, save.base)
        yield save
        # A late write never was in the file; without a tree, the version was replaced before its hook ran.
        if save.is_command or save.tree:
            expected = (save.after, save.after)
    if on_disk not in expected:
        yield _by_hand(path, on_disk)


def _by_hand(path: str, after: bytes | None) -> Save:
    return Save(path, None, after, BY_HAND, Origin(""))


def versions_in(saves: Sequence[Save]) -> tuple[bytes, ...]:
    """The versions that agents' tools wrote, each once."""
    return tuple(dict.fromkeys(s.after for s in saves if s.op == TOOL and s.after is not None))


@dataclass(frozen=True)
class _State:
    """The version that a save left, and the one it started from. `new` are the lines that only somebody
    who has seen this version can have; of the changes of commands (and late writers) up to then,
    `acknowledged` are added lines that it has, and `forgotten` removed lines that it lacks."""

    save: Save
    base: bytes | None
    has_stood: bool
    new: frozenset[str]
    acknowledged: frozenset[str]
    forgotten: frozenset[str]


@dataclass
class _Fold:
    path: str
    ground: Ground
    saves: Sequence[Save]
    new_files: Set[bytes]
    keys: Callable[[], Collection[str]]
    states: list[_State] = field(default_factory=list)
    """Oldest first; each as its own author left it, whatever others had written before."""
    taken_out: frozenset[str] = frozenset()
    """Lines that somebody removed without a command, and that no later version has."""

    def __post_init__(self) -> None:
        self._sessions = {save.author for save in self.saves if save.op == TOOL}
        checked_out = _lines(self.ground.base) | _lines(self.ground.following)
        seen = checked_out
        acknowledged = forgotten = frozenset[str]()
        for save in self.saves:
            base, lines = self.base_of(save), _lines(save.after)
            added, removed = lines - _lines(base), _lines(base) - lines
            if save.is_command:
                forgotten = (forgotten | removed) - added
            if save.is_command or save.op == LATE:
                acknowledged |= added
            # An edit removes some lines, adds some and keeps some; anything else only deletes.
            is_deletion = not save.is_command and (not added or lines.isdisjoint(_lines(base)))
            self.taken_out = self.taken_out - lines | (removed if is_deletion else frozenset())
            new = added - (seen if base is None else checked_out)
            seen |= lines
            stood = self._has_stood(save)
            self.states.append(_State(save, base, stood, new, acknowledged & lines, forgotten - lines))

    def merge(
        self, data: bytes | None, saves: Sequence[Save]
    ) -> tuple[bytes | None, tuple[ConflictCopy, ...]]:
        """Merge only these saves into `data`; returns the result, and copies of what lost."""
        base_of = {id(state.save): state.base for state in self.states}
        copies: list[ConflictCopy] = []
        for save in saves:
            # A version that was replaced before its hook ran brings a removed file back only with new lines.
            is_gone = data is None and save.lacks_base and self.ground.base is not None
            data = self._unreplaced(data, save)
            merged = merge_file(self.path, base_of[id(save)], save.after, b"" if is_gone else data)
            data = merged.data or None if is_gone else merged.data
            copies += () if is_gone else merged.conflict_copies
        return data, tuple(copies)

    def _unreplaced(self, data: bytes | None, save: Save) -> bytes | None:
        """The file without the entries that a command stated anew, under their keys, while a hand had taken
        them out with the file."""
        if not (data and save.after and save.is_command and is_note(self.path)) or save.base:
            return data
        entries = entries_of(self.path, decode(save.after))
        anew = {entry.key.casefold() for entry in entries if entry.key}
        return without_keys(self.path, data, anew.intersection(self.keys())) if anew else data

    def base_of(self, save: Save) -> bytes | None:
        """The version that the author of a save started from.

        test_each_author_began_with in tests/domain/merge/test_fold.py has an example of each
        case. A save *has stood* if the file is known to have held its version at some time since the
        checkout.

        1. A command and a late writer recorded it.
        2. For a removal it is the version that a new file has now: the file was renamed. Otherwise it is the
           version checked out: whoever removes a file may not have seen what others were writing to it.
        3. For a save that has stood it is the newest version that the author had seen: one that the same
           session left, or one with a new line that the save has too. That version must have stood as well,
           and must agree with the save on what commands did: an author who lacks a line that a command added,
           and has none in its words, or still has one that it removed, hadn't seen it. Where no file was
           checked out it has seen at least the oldest version that has a line of it: there was none before.
        4. Otherwise it is the version checked out, without the lines of the save that others had removed by
           hand: the save puts these back. A tool whose file was replaced before its hook ran, so that nothing
           is known of its base, has removed nothing."""
        if save.is_command or save.op == LATE:
            return save.base
        if save.after is None:
            versions = (state.save.after for state in reversed(self.states))
            return next((v for v in versions if v in self.new_files), self._checked_out(save))
        lines = _lines(save.after)
        if self._has_stood(save):
            for state in filter(lambda state: state.has_stood, reversed(self.states)):
                if state.forgotten.isdisjoint(lines) and self._has_seen(save, lines, state):
                    return state.save.after
            if self.ground == Ground(None, None):
                telling = {line for line in lines if not line.startswith(("#", "created:"))}
                standing = (state.save.after for state in self.states if state.has_stood)
                return next((v for v in standing if not telling.isdisjoint(_lines(v))), None)
        if save.lacks_base:
            if any(state.save.is_command and state.save.base == save.after for state in self.states):
                return save.after  # a command started from this version
            checked_out = self.ground.base
            new = lines - _lines(checked_out)
            return None if checked_out is None else _without(save.after, self.taken_out | new)
        return _without(self._checked_out(save), self.taken_out & lines)

    def _has_seen(self, save: Save, lines: frozenset[str], state: _State) -> bool:
        """Whether the author of a save had seen this version, and has what commands had added to it. Whoever
        lacks a line that was checked out, and that commands have removed by then, had seen that."""
        checked_out = _lines(self.ground.base)
        if lacking := state.acknowledged - lines:
            return _are_reworded(lacking, lines - checked_out, checked_out | _lines(state.save.after))
        has_its_lines = not (state.forgotten.isdisjoint(checked_out) and state.new.isdisjoint(lines))
        return has_its_lines or self._is_by_author_of(save, state)

    def _has_stood(self, save: Save) -> bool:
        if save.op == TOOL:
            return not save.lacks_base and save.base == self.ground.base
        return save.op != LATE

    def _is_by_author_of(self, save: Save, state: _State) -> bool:
        """Whether one session wrote both; edits by hand are its work, too, if no other wrote to the file."""
        if state.save.op != TOOL or save.op == BY_HAND:
            return state.save.op == TOOL and len(self._sessions) == 1
        return save.author == state.save.author and bool(save.by.session)

    def _checked_out(self, save: Save) -> bytes | None:
        """The version checked out when the save was made: after a checkout that was killed half-way the
        new one, if the save has any of its new lines."""
        if save.op == TOOL:
            return save.base
        base, following = self.ground.base, self.ground.following
        if following == base or save.after is None:
            return base
        new = _lines(following) - _lines(base)
        return base if save.after != following and new.isdisjoint(_lines(save.after)) else following


def _lines(data: bytes | None) -> frozenset[str]:
    """The lines that tell versions apart: no blank ones, `---` or dates, which every version has."""
    lines = map(str.strip, decode(data or b"").splitlines())
    return frozenset(line for line in lines if line not in ("", "---") and not line.startswith("updated:"))


def _are_reworded(lines: Set[str], new: Set[str], among: Set[str]) -> bool:
    """Whether a new line has most of the words of each of these, of those that tell it from the lines `among`
    which it stands."""
    common, candidates = words_of_many(among), [words_of(line) for line in new]
    telling = [words_of(line) - common for line in lines]
    return all(any(len(words & line) * 2 > len(words) for line in candidates) for words in telling)


def _without(data: bytes | None, lines: frozenset[str]) -> bytes | None:
    if data is None or lines.isdisjoint(_lines(data)):
        return data
    if utf16(data):
        return b""  # merged as a whole: what loses becomes a conflict copy
    remaining = (line for line in decode_exactly(data).splitlines(keepends=True) if line.strip() not in lines)
    return encode("".join(remaining))
