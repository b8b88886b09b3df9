"""Two machines with one memory, what commands and hands do there, and what becomes of what was acknowledged.

A fact is one entry that says a word of its own, `k3v0`; its next version says `k3v1`. Facts of one note are
much alike, as real ones are.
"""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from damages import DAMAGES
from machines import NOW, Machine, make_machine, make_remote

from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.project.layout import CONFLICTS, is_aside, is_note
from ctxrepo.services.rescue.mend import mend
from ctxrepo.services.sync.exchange import SyncResult
from ctxrepo.storage.cache.entries import entries_of_note

NOTES = ("shop/MEMORY.md", "shop/topics/gotcha.md", "shop/topics/big.md", "global/topics/tools.md")
SIZES = (3, 6, 15, 12)
FOLDERS = ("shop", "shop/topics", "global/topics")
KEYS = ("port", "owner")

UNSCOPED = (
    ("remember", "The basket needs Postgres"),
    ("remember", "Postgres", "--key", "database"),
    ("remember", "The basket needs Postgres", "--category", "lesson"),
    ("log", "the basket was moved to Postgres"),
    ("scratch", "add", "move the basket to Postgres"),
    ("new", "topics/postgres.md", "--description", "how the basket uses Postgres"),
    ("handoff", "--goal", "move the basket"),
)
"""Commands that write to the project they are given in."""

WORD = re.compile(r"\bk(\d+)v\d+\b")
_UNDO = re.compile(r"deleted by hand; `ctxrepo (undo \w+)`")

Step = tuple[object, ...]
"""What happens, on which machine, and to what: numbers count round what is there."""

_MANY = 10
"""So many entries of notes that are gone altogether nobody loses unasked."""

_ROUNDS = 2
"""Syncs of both machines after which all is settled."""


class Lost(AssertionError):
    """Something acknowledged is nowhere, or told wrongly."""


def fact_of(word: str) -> str:
    """The number of the fact of which the word is a version."""
    return word[1:].partition("v")[0]


def text_of(word: str) -> str:
    number = int(fact_of(word))
    place = ("Lisbon", "Oslo", "Quito")[number % 3]
    of_its_own = f", behind pump{number} of hall{number}" if _is_telling(word) else ""
    return f"The port of the staging server in {place} is {word}{of_its_own}"


def _is_telling(word: str) -> bool:
    """Whether all versions of the fact share most of the words that no other fact has."""
    return int(fact_of(word)) % 2 == 1


@dataclass
class Place:
    """A machine, and what hands took from its files since it synchronised."""

    machine: Machine
    taken: set[str] = field(default_factory=set)
    """Words that hands took out of files."""
    removed: set[str] = field(default_factory=set)
    """Those of them that went with their note, or all that it said."""
    undo: tuple[str, frozenset[str]] = ("", frozenset())
    """The last `undo` that was told, and the words that are gone until then."""
    superseded: set[str] = field(default_factory=set)
    """Words that commands superseded here."""
    unsent: set[str] = field(default_factory=set)
    arriving: set[str] = field(default_factory=set)
    """Words that commands took away here, and words that went on the other machine, not heard of here yet."""

    def note(self, which: int) -> str:
        """The path of a note, in the folder that the project has on this machine by now."""
        return self.by_now(NOTES[which % len(NOTES)])

    def by_now(self, path: str) -> str:
        folder, slash, rest = path.partition("/")
        project = self.machine.project() if folder == "shop" else None
        return f"{project.folder if project else folder}{slash}{rest}"

    def notes(self) -> dict[str, str]:
        """path -> text of the notes on disk."""
        files = (
            file for file in self.machine.clone.rglob("*.md") if ".git" not in file.parts and file.is_file()
        )
        texts = {str(file.relative_to(self.machine.clone)): file.read_text() for file in files}
        return {path: text for path, text in texts.items() if is_note(path)}

    def in_view(self) -> dict[str, str]:
        """word -> the note that says it; what is kept aside is none."""
        notes = self.notes().items()
        return {m[0]: path for path, text in notes if not _is_kept_aside(path) for m in WORD.finditer(text)}

    def aside(self) -> set[str]:
        """Words of versions that lost a merge."""
        return {
            m[0] for path, text in self.notes().items() if _is_kept_aside(path) for m in WORD.finditer(text)
        }

    def committed(self) -> set[str]:
        """Words that the last commit has, kept aside or not."""
        objects, tree = self.machine.open().objects, self.machine.open().head_tree
        texts = (objects.data(key).decode() for path, key in objects.files(tree).items() if is_note(path))
        return {m[0] for text in texts for m in WORD.finditer(text)}

    def known(self, *, is_current: bool = False) -> set[str]:
        """Words that are found; with `is_current` only those that sessions may be given."""
        cache = self.machine.open().cache
        paths = [
            path for path in self.notes() if not (is_aside(path) if is_current else _is_kept_aside(path))
        ]
        entries = [entry for path in paths for entry in cache.ask(entries_of_note, path)]
        texts = [entry.entry.text for entry in entries if not (is_current and entry.is_struck)]
        return {m[0] for text in texts for m in WORD.finditer(text)}


def _is_kept_aside(path: str) -> bool:
    return path.startswith(f"{CONFLICTS}/")


@dataclass
class Story:
    """What has happened: which words are acknowledged, and which of them somebody meant to go."""

    root: Path
    places: list[Place] = field(default_factory=list)
    facts: int = 0
    versions: int = 0
    acknowledged: set[str] = field(default_factory=set)
    meant: set[str] = field(default_factory=set)
    accepted: set[str] = field(default_factory=set)
    """Words whose deletion somebody confirmed; an undo where nobody has heard of that changes nothing."""
    by_hand: set[str] = field(default_factory=set)
    once_by_hand: set[str] = field(default_factory=set)
    """Words that hands took away, brought back or not: a machine may hear of that before the undo."""
    told: set[str] = field(default_factory=set)
    """Words whose deletion was told, once, on the machine that did it first."""
    replaced: dict[str, Place] = field(default_factory=dict)
    """Words of which somebody made the next version, and where; another's undo doesn't bring them back."""
    keyed: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """key -> words that were written with it: versions of one fact."""
    is_restored: bool = False
    """Whether somebody brought back older versions, which may stand beside newer ones then."""

    @property
    def _may_go(self) -> set[str]:
        return self.meant | self.accepted | self.replaced.keys()

    # What commands do.

    def remember(self, at: Place, where: int) -> None:
        word = self._new_word()
        scope, _, path = at.note(where).partition("/")
        more = ["--scope", "global"] if scope == "global" else []
        self._command(at, ["remember", text_of(word), "--note", path, *more], new=word)

    def keyed_fact(self, at: Place, which: int) -> None:
        word, key = self._new_word(), KEYS[which % len(KEYS)]
        if self._command(at, ["remember", text_of(word), "--key", key], self.keyed[key], new=word) == 0:
            self.meant |= self.keyed[key] & at.taken
        self.keyed[key].add(word)

    def edit(self, at: Place, which: int) -> None:
        if old := self._one_of(at.in_view(), which):
            new = self._next_version(old)
            target = self._target(at, old)
            self._command(at, ["edit", target, "--old", old, "--new", new], {old}, new=new)

    def supersede(self, at: Place, which: int) -> None:
        """Supersede what holds: of an entry that was superseded before, somebody wants several."""
        # What was superseded here may not be committed yet, so that the cache has it as current.
        if old := self._one_of(at.in_view().keys() & at.known(is_current=True) - at.superseded, which):
            new = self._next_version(old)
            self._command(
                at, ["remember", text_of(new), "--supersedes", self._target(at, old)], {old}, new=new
            )
            at.superseded.add(old)

    def forget(self, at: Place, which: int) -> None:
        if old := self._one_of(at.in_view(), which):
            self._command(at, ["forget", self._target(at, old)], {old})

    def archive(self, at: Place, which: int) -> None:
        if old := self._one_of(at.in_view(), which):
            self._command(at, ["archive", self._target(at, old)])

    def move(self, at: Place, which: int) -> None:
        scope, _, path = at.note(which).partition("/")
        self._command(at, ["move", f"{scope}:{path}", f"{scope}:topics/moved{which % 3}.md"])

    def rename_project(self, at: Place, which: int) -> None:
        self._command(at, ["project", "rename", ("store", "market", "shop")[which % 3]])

    def undo(self, at: Place, _: int) -> None:
        self.is_restored = True
        if self._command(at, ["undo"], None) == 0:
            at.removed.clear()  # with what it takes back goes what a hand had removed of that

    def restore(self, at: Place, where: int) -> None:
        self.is_restored = True
        scope, _, path = at.note(where).partition("/")
        self._command(at, ["restore", f"{scope}:{path}"], None)

    def take_back(self, at: Place, _: int) -> None:
        """Give the `undo` that was told."""
        words, gone = at.undo
        if words and self._command(at, words.split(), None) == 0 and (left := gone - at.in_view().keys()):
            raise Lost(f"[1] {words} does not bring back {left}")
        at.undo = ("", frozenset())

    def in_a_broken_checkout(self, at: Place, which: int) -> None:
        """Write from a checkout of which nobody can tell what project it is: refused, and never global."""
        broken = shutil.copytree(at.machine.project_folder, at.machine.home / "broken", symlinks=True)
        DAMAGES[which % len(DAMAGES)](broken)
        words = UNSCOPED[which % len(UNSCOPED)]
        before = at.notes()
        run = at.machine.ctxrepo(*words, cwd=broken)
        if run.returncode == 0 or at.notes() != before:
            raise Lost(f"[4] {words} wrote from a checkout that is no known project: {run.stdout}")
        for folder in (broken, at.machine.home / "moved.git"):
            shutil.rmtree(folder, ignore_errors=True)

    # What hands do.

    def write(self, at: Place, where: int) -> None:
        """Add a line; now and then at the path that the note had in the beginning."""
        path = NOTES[where % len(NOTES)] if where % 5 == 0 else at.note(where)
        word, file = self._new_word(), at.machine.clone / path
        with self._by_hand(at):
            at.machine.write(path, (file.read_text() if file.exists() else "") + f"- {text_of(word)}\n")

    def reword(self, at: Place, which: int) -> None:
        """Edit one fact by hand; what a command wrote a moment ago, and no word of its own tells from its
        neighbours, may be in a version that the editor had not seen: both stay (ADR 48)."""
        is_settled = not at.machine.open().journal.read()
        if old := self._one_of(filter(lambda w: is_settled or _is_telling(w), at.in_view()), which):
            new = self._next_version(old)
            with self._by_hand(at):
                path = at.in_view()[old]
                at.machine.write(path, at.machine.read(path).replace(old, new))
            self.replaced[old] = at
            at.taken.discard(old)

    def cut(self, at: Place, where: int) -> None:
        """Delete some lines of a note."""
        file = at.machine.clone / at.note(where)
        if file.exists():
            lines = file.read_text().splitlines(keepends=True)
            with self._by_hand(at):
                file.write_text("".join(lines[where % 5 :]))

    def remove(self, at: Place, where: int) -> None:
        with self._by_hand(at, is_whole=True):
            (at.machine.clone / at.note(where)).unlink(missing_ok=True)

    def empty(self, at: Place, where: int) -> None:
        file = at.machine.clone / at.note(where)
        if file.exists():
            with self._by_hand(at, is_whole=True):
                file.write_text("")

    def remove_folder(self, at: Place, where: int) -> None:
        with self._by_hand(at, is_whole=True):
            shutil.rmtree(at.machine.clone / at.by_now(FOLDERS[where % len(FOLDERS)]), ignore_errors=True)

    def rename(self, at: Place, where: int) -> None:
        path = at.note(where)
        file, to = at.machine.clone / path, at.machine.clone / f"{path[:-3]}-{where % 2}.md"
        if file.exists() and not to.exists():
            with self._by_hand(at):
                file.rename(to)

    def split(self, at: Place, where: int) -> None:
        """Put every other line of a note into another one beside it."""
        path = at.note(where)
        file, to = at.machine.clone / path, at.machine.clone / f"{path[:-3]}-part{where % 2}.md"
        if file.exists():
            lines = file.read_text().splitlines(keepends=True)
            parts = lines[where % 2 :: 2], lines[1 - where % 2 :: 2]
            with self._by_hand(at):
                to.write_text((to.read_text() if to.exists() else "") + "".join(parts[0]))
                file.write_text("".join(parts[1]))

    # What brings all together.

    def sync(self, at: Place, _: int) -> None:
        self._synced(at, lambda: at.machine.sync())
        self._has_exchanged(at)

    def _has_exchanged(self, at: Place) -> None:
        (other,) = (place for place in self.places if place is not at)
        other.arriving |= at.unsent
        at.unsent, at.arriving = set(), set()

    def commit(self, at: Place, _: int) -> None:
        """What the worker does behind everybody's back."""
        self._synced(at, lambda: at.machine.sync(send=False))

    def accept(self, at: Place, _: int) -> None:
        self.accepted |= at.taken
        at.machine.ctxrepo("sync", "--accept", "deletions")
        self._has_exchanged(at)
        at.taken.clear()
        at.removed.clear()

    def mend(self, at: Place, _: int) -> None:
        list(mend(at.machine.open(), NOW))
        at.taken -= at.in_view().keys()
        at.removed &= at.taken

    def settle(self) -> None:
        """Bring back all that is held, have the machines exchange all, and look for what is missing."""
        for at in self.places:
            self.mend(at, 0)
        for at in self.places * _ROUNDS:
            self.sync(at, 0)
        first, other = self.places
        if first.machine.tree() != other.machine.tree():
            raise Lost("[2] the machines have not come to the same")
        for at in self.places:
            view, aside = at.in_view().keys(), at.aside()
            expected = self.acknowledged - self._may_go - self.by_hand
            if missing := expected - view - aside:
                raise Lost(f"nowhere: {sorted(missing)}")
            if unseen := (expected & view) - at.known():
                raise Lost(f"[3] in a note, and no session finds it: {sorted(unseen)}")
            if not self.is_restored:
                self._has_one_version_each(at.known(is_current=True))

    def _has_one_version_each(self, current: Iterable[str]) -> None:
        versions = defaultdict(set)
        for word in current:
            key = next((key for key, words in self.keyed.items() if word in words), "")
            versions[key or fact_of(word)].add(word)
        if twice := [sorted(words) for words in versions.values() if len(words) > 1]:
            raise Lost(f"[2] versions of one fact stand side by side: {twice}")

    def _synced(self, at: Place, sync: Callable[[], SyncResult]) -> None:
        before = at.committed()
        result = sync()
        after = at.committed()
        view = at.in_view().keys() | at.aside()
        # What the other machine sent, and took back after that, is here once that has been sent, too.
        gone = before - after - self._may_go - at.arriving
        if strays := gone - self.once_by_hand:
            raise Lost(f"a sync lost {sorted(strays)}")
        hidden = (after & at.taken) - view
        if hidden and not result.held:
            raise Lost(f"[1] committed, not on disk, and nobody is told: {sorted(hidden)}")
        if len(removed := gone & at.removed) >= _MANY:
            raise Lost(f"[1] {len(removed)} entries went with their notes, and nobody was asked")
        notices = " ".join(result.notices)
        if removed - self.told and not _UNDO.search(notices):
            raise Lost(f"[1] {sorted(removed)} went with their notes, and nobody is told: {notices!r}")
        for undo in _UNDO.finditer(notices):
            at.undo = (undo[1], frozenset(removed))
            self.told |= removed
        at.taken &= after
        at.removed &= at.taken

    def _command(
        self, at: Place, words: list[str], mine: Set[str] | None = frozenset(), new: str = ""
    ) -> int:
        """Run it; only the words `mine` may go (None: any), and the `new` one is there."""
        before = at.in_view().keys()
        run = at.machine.ctxrepo(*words)
        after = at.in_view().keys()
        went, came = before - after, after - before
        if mine is not None and (strays := went - mine):
            raise Lost(f"{words} took {sorted(strays)}")
        if run.returncode == 0 and new and new not in after:
            raise Lost(f"{words} was acknowledged, and {new} is not there")
        self.acknowledged |= came
        (other,) = (place for place in self.places if place is not at)
        at.unsent = (at.unsent | went) - came
        # Who brings back what another machine takes away meanwhile has changed nothing: it may go.
        self.meant = (self.meant | went) - (came - other.unsent - at.arriving)
        self.replaced = {
            word: place for word, place in self.replaced.items() if word not in came or place is not at
        }
        if new:
            self.replaced |= dict.fromkeys(went, at)
        self.by_hand -= came.difference(*(place.taken for place in self.places if place is not at))
        at.taken -= came
        at.removed -= came
        return run.returncode

    @contextmanager
    def _by_hand(self, at: Place, *, is_whole: bool = False) -> Iterator[None]:
        before = at.in_view().keys()
        yield
        after = at.in_view().keys()
        self.acknowledged |= after
        at.taken = (at.taken | (before - after)) - after
        self.by_hand = (self.by_hand | (before - after)) - (after - before)
        self.once_by_hand |= before - after
        at.removed |= (before - after) if is_whole else set()

    def _one_of(self, view: Iterable[str], which: int) -> str:
        words = sorted(view)
        return words[which % len(words)] if words else ""

    def _target(self, at: Place, word: str) -> str:
        path = at.in_view()[word]
        text = at.machine.read(path)
        entry = next(entry for entry in entries_of(path, text) if word in entry.text)
        scope, _, name = path.partition("/")
        return f"{scope}:{name}#L{entry.first_line}"

    def _new_word(self) -> str:
        self.facts += 1
        return f"k{self.facts}v0"

    def _next_version(self, word: str) -> str:
        self.versions += 1
        return f"k{fact_of(word)}v{self.versions}"


COMMANDS = (
    "remember",
    "keyed_fact",
    "edit",
    "supersede",
    "forget",
    "archive",
    "move",
    "rename_project",
    "undo",
    "restore",
    "take_back",
    "in_a_broken_checkout",
)
HANDS = ("write", "reword", "cut", "remove", "empty", "remove_folder", "rename", "split")
MEETINGS = ("sync", "commit", "accept", "mend")


def begin(root: Path) -> Story:
    """Two machines that have the same notes."""
    remote = make_remote(root)
    story = Story(root, [Place(make_machine(root, name)) for name in ("ada", "ben")])
    ada, ben = (place.machine for place in story.places)
    ada.init(str(remote))
    ada.remember("this makes the project known")
    for path, size in zip(NOTES, SIZES, strict=True):
        words = [story._new_word() for _ in range(size)]
        ada.write(path, "".join(f"- {text_of(word)}\n" for word in words))
        story.acknowledged.update(words)
    ada.sync()
    ben.init(str(remote))
    ben.sync()
    return story


def play(story: Story, steps: Iterable[Step]) -> None:
    for name, number, *rest in steps:
        getattr(story, str(name))(story.places[int(str(number)) % 2], *rest)
    story.settle()
