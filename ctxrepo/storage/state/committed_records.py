"""What commits leave behind: operations that they hold, what was kept out of them, and measurements."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, field, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ctxrepo.domain.formats.moment import second
from ctxrepo.domain.note.note import decode_exactly
from ctxrepo.domain.records.save import Origin, Save
from ctxrepo.errors import Unreadable
from ctxrepo.hooks.own_files import append_rolling, lines_of
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.foreign import read
from ctxrepo.storage.disk.private import put, random_name

if TYPE_CHECKING:
    from ctxrepo.domain.guard.refusals import Refusal

_MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class HeldBack:
    """Why a file is held back, and the moment in ISO form since when it is for this reason."""

    refusal: "Refusal"
    since: str


@dataclass(frozen=True)
class KeptOut:
    """What is in no commit: files that are `held` back, and what is `skipped` at a place -> why."""

    held: Sequence[HeldBack] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)

    def by(self, rule: str) -> "list[Refusal]":
        """What is held back by this rule."""
        return [hold.refusal for hold in self.held if hold.refusal.rule == rule]


@dataclass(frozen=True)
class KeptOutFile:
    """`held.json`, which whoever commits writes. It may be deleted: the next commit that looks at all files
    finds what it held, and knows no more since when."""

    file: Path

    def read(self) -> KeptOut:
        """What is kept out now; nothing where the file is missing or can't be read."""
        try:
            fields = json.loads(read(self.file, _MAX_BYTES, follow=False) or b'{"held": [], "skipped": {}}')
            if fields["held"]:
                from ctxrepo.domain.guard.refusals import Refusal  # nearly always nothing is held
            held = [HeldBack(Refusal(**hold["refusal"]), str(hold["since"])) for hold in fields["held"]]
            return KeptOut(held, {place: str(why) for place, why in fields["skipped"].items()})
        except (Unreadable, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return KeptOut()

    def note(
        self,
        refusals: "Sequence[Refusal]",
        now: datetime,
        skipped: Mapping[str, str] | None = None,
        is_judged: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """From now on these are held back and skipped, and what was before where nobody has judged it now:
        only who looked at a file can say that nothing is wrong with it."""
        before = self.read()
        since = {_key(hold.refusal): hold.since for hold in before.held}
        at = second(now.astimezone(UTC))
        held = [HeldBack(refusal, since.get(_key(refusal), at)) for refusal in refusals]
        paths = {refusal.path for refusal in refusals}
        unseen = [
            hold for hold in before.held if not (hold.refusal.path in paths or is_judged(hold.refusal.path))
        ]
        others = {place: why for place, why in before.skipped.items() if not is_judged(place)}
        self._replace(before, KeptOut([*unseen, *held], others | dict(skipped or {})))

    def move(self, paths: Mapping[str, str]) -> None:
        """From now on these files have other paths, and are held back there since when they were."""
        before = self.read()
        held = [
            replace(hold, refusal=replace(hold.refusal, path=paths.get(hold.refusal.path, hold.refusal.path)))
            for hold in before.held
        ]
        self._replace(before, replace(before, held=held))

    def _replace(self, before: KeptOut, after: KeptOut) -> None:
        if after != before:
            put(self.file, json.dumps(asdict(after)))


def _key(refusal: "Refusal") -> tuple[str, str, str]:
    """The same for one thing wrong, also when it moves to another line."""
    return refusal.path, refusal.rule, refusal.fingerprint


_T = TypeVar("_T")

_KEPT = 16
"""Commits of each kind that are remembered: the newest ones are asked for."""


@dataclass(frozen=True)
class Verdicts:
    """Ids of commits. `within` -> how many commits their history has at most, `beyond` -> the sentence that
    says why; `own` were made here, on top of what was within; `left` -> when (unix seconds) it was left at
    the remote, because git came up against its limits, and the sentence for that."""

    within: Mapping[str, int] = field(default_factory=dict)
    beyond: Mapping[str, str] = field(default_factory=dict)
    own: tuple[str, ...] = ()
    left: Mapping[str, tuple[float, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class VerdictFile:
    """A file in the state; one that can't be read, or written, costs no more than a walk."""

    file: Path

    def read(self) -> Verdicts:
        with suppress(OSError, ValueError, TypeError, AttributeError):
            fields = json.loads(self.file.read_text("utf-8"))
            within = {str(commit): int(count) for commit, count in fields["within"].items()}
            beyond = {str(commit): str(words) for commit, words in fields["beyond"].items()}
            left = {str(commit): (float(at), str(words)) for commit, (at, words) in fields["left"].items()}
            return Verdicts(within, beyond, tuple(map(str, fields["own"])), left)
        return Verdicts()

    def add(
        self,
        within: Mapping[str, int] | None = None,
        beyond: Mapping[str, str] | None = None,
        own: str = "",
        left: Mapping[str, tuple[float, str]] | None = None,
    ) -> None:
        known = self.read()
        fields = {
            "within": _newest({**known.within, **(within or {})}),
            "beyond": _newest({**known.beyond, **(beyond or {})}),
            "own": [*(commit for commit in known.own if commit != own), *filter(None, [own])][-_KEPT:],
            "left": _newest({**known.left, **(left or {})}),
        }
        with suppress(OSError):
            self.file.write_text(json.dumps(fields), "utf-8")


def _newest(known: Mapping[str, _T]) -> dict[str, _T]:
    return dict([*known.items()][-_KEPT:])


_FIRST_PAUSE, _LONGEST_PAUSE = 60.0, 3600.0
"""Seconds after the first signature that failed, and at most; each further one doubles the pause."""


@dataclass(frozen=True)
class SignAttempts:
    """The signatures that failed since the last that didn't, in a file of the state: why, how many, and when
    the last one began."""

    file: Path

    def trouble(self) -> str:
        """Why nothing is signed; '' where nothing failed."""
        return self._read()[0]

    def is_paused(self, means: str) -> bool:
        """Whether a program that nobody called should leave the signer alone for a while: it may put a window
        on somebody's screen, and a token locks itself after a few tries. `means` is Committer.means: the next
        key gets its try at once."""
        _, count, at, known = self._read()
        pause = min(_FIRST_PAUSE * 2 ** min(count - 1, 16), _LONGEST_PAUSE)
        return count > 0 and known == means and 0 <= time.time() - at < pause

    def note(self, why: str, means: str, *, is_new: bool) -> None:
        """Note one more attempt that begins, or why it failed."""
        count = self._read()[1] + is_new
        with suppress(OSError):
            self.file.write_text(json.dumps([why, count, time.time(), means]), "utf-8")

    def forget(self) -> None:
        """One went well, or none is needed."""
        with suppress(FileNotFoundError, NotADirectoryError):
            self.file.unlink()

    def _read(self) -> tuple[str, int, float, str]:
        with suppress(OSError, ValueError, TypeError):
            why, count, at, means = json.loads(self.file.read_text("utf-8"))
            return str(why), int(count), float(at), str(means)
        return "", 0, 0.0, ""


MAX_BYTES = 8 * 1024 * 1024
"""The most bytes of the log; the one before it is kept as well."""


@dataclass(frozen=True)
class PastWrite:
    """What a command made of a file: its text `before` and `after` (None: no file)."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Operation:
    """The writes of one command, with one id, in `commit`; none when they were too large to be stored. For
    anchors that stay on this machine `commit` is '', and the only write has their lines. A decision that
    nothing takes back has neither."""

    id: str
    op: str
    commit: str
    session: str = ""
    note: str = ""
    writes: tuple[PastWrite, ...] = ()
    undoes: str = ""
    """The id of the operation or commit that it took back."""

    @property
    def is_final(self) -> bool:
        """Whether nothing takes it back."""
        return not (self.commit or self.writes)


@dataclass(frozen=True)
class DoneLog:
    """`writes.done`. It is written under the write lock and may be deleted at any time."""

    path: Path

    def add(self, saves: Iterable[Save], commit: str) -> None:
        """Keep the operations of commands among these saves, which `commit` holds."""
        operations: dict[str, list[Save]] = {}
        for save in saves:
            if save.is_command:
                operations.setdefault(save.id, []).append(save)
        for operation, mine in operations.items():
            first, writes = mine[0], tuple(map(_write, mine))
            about = (first.op, commit, first.by.session, first.note)
            self.note(Operation(operation, *about, writes, first.undoes))

    def note_here(
        self, op: str, by: Origin, note: str, gone: Sequence[str], came: Sequence[str], undoes: str = ""
    ) -> None:
        """Keep an operation of which lines of the tape on this machine went or came."""
        if gone or came:
            write = PastWrite("", *("".join(f"{line}\n" for line in side) for side in (gone, came)))
            self.note(Operation(random_name(6), op, "", by.session, note, (write,), undoes))

    def note_final(self, op: str, by: Origin, note: str) -> None:
        """Keep that somebody decided what nothing takes back: undo isn't to go past it unseen."""
        self.note(Operation(random_name(6), op, "", by.session, note))

    def note(self, operation: Operation) -> None:
        """Keep one operation."""
        line = json.dumps(asdict(operation))
        if len(line) >= MAX_BYTES:
            line = json.dumps(asdict(replace(operation, writes=())))
        append_rolling(str(self.path), f"{line}\n", MAX_BYTES)

    def newest(self) -> Iterator[Operation]:
        """The operations it has, the newest first."""
        files = (str(self.path), f"{self.path}.1")
        lines = chain.from_iterable(reversed(lines_of(file, MAX_BYTES)) for file in files)
        yield from (operation for line in lines if line and (operation := _parse(line)))


def _write(save: Save) -> PastWrite:
    """What is kept of a save: without what the file held before, where it only added lines of JSON."""
    before, after = (None if data is None else decode_exactly(data) for data in (save.base, save.after))
    if save.path.endswith(".jsonl") and before and after and after.startswith(before):
        return PastWrite(save.path, "", after[len(before) :])
    return PastWrite(save.path, before, after)


def _parse(line: str) -> Operation | None:
    try:
        fields = json.loads(line)
        writes = tuple(PastWrite(row["path"], row["before"], row["after"]) for row in fields["writes"])
        return Operation(**fields | {"writes": writes})
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
