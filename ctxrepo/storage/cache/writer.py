"""Writes cache.db."""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ctxrepo.storage.cache.layout import Fault, NewestHandoff, digest_of, put_handoffs, set_meta
from ctxrepo.storage.cache.reading import CacheReading
from ctxrepo.storage.processes.database import Healing, rerun_if_damaged, storable, transaction

if TYPE_CHECKING:
    from ctxrepo.domain.doubts.doubt import Doubt
    from ctxrepo.domain.note.note import Note
    from ctxrepo.domain.records.evidence import Marks
    from ctxrepo.domain.score.activity import Activity
    from ctxrepo.domain.score.standing import EntryStanding
    from ctxrepo.domain.tape.touched_files import FirstFile
    from ctxrepo.storage.cache.evidence_rows import EvidenceFiles


def _empty(cache: "Cache") -> None:
    cache.clear()


class Cache(CacheReading):
    """The open cache. One process writes at a time; hooks read meanwhile and see whole transactions."""

    def apply(
        self,
        head: str,
        changed: "Iterable[Note]",
        removed: Iterable[str],
        evidence: "Marks | EvidenceFiles",
        handoffs: Iterable[NewestHandoff] = (),
        tree: str = "",
    ) -> bool:
        """Bring the cache to commit `head` in one transaction, with a new generation; False when nothing
        changed. `changed`: notes as in `tree`, and other files, which are ignored. `evidence`: all evidence
        files of `tree`, or the marks that they amount to. `handoffs`: of scopes whose tape changed. A damaged
        cache is emptied instead: its `head` is then ''."""
        from ctxrepo.storage.cache.update import apply  # most commands read only

        with Healing(self.clear), transaction(self._db):
            has_changed = apply(self._db, self.generation + 1, changed, removed, evidence)
            put_handoffs(self._db, handoffs)
            set_meta(self._db, head=head, tree=tree)
            return has_changed
        return False

    def fill(
        self,
        head: str,
        paths: Iterable[str],
        read: Callable[[str], str | None],
        evidence: "Marks | EvidenceFiles",
        progress: Callable[[int], None],
        handoffs: Iterable[NewestHandoff] = (),
        tree: str = "",
    ) -> None:
        """Empty the cache, then fill it with the notes of `tree`; `read` gives a note's text, None for none.
        It bears `head` when all is in; until then `progress` hears how many notes are. Of two that fill it at
        once one may find it damaged: it is then emptied again."""
        from ctxrepo.storage.cache.update import fill  # for a whole cache, which is rare

        self.clear()
        with Healing(self.clear):
            fill(self._db, paths, read, evidence, progress)
            with transaction(self._db):
                put_handoffs(self._db, handoffs)
                set_meta(self._db, generation="1", head=head, tree=tree)

    @rerun_if_damaged(_empty)
    def set_faults(self, faults: Iterable[Fault]) -> bool:
        """What to tell every session once, in place of that of before; False when it is the same."""
        kinds = {storable(fault.text): fault.kind for fault in faults}
        if self.faults() == [(kind, text) for text, kind in kinds.items()]:  # nearly always, without a lock
            return False
        with transaction(self._db):
            self._db.execute("delete from fault")
            rows = ((digest_of(text), kind, text) for text, kind in kinds.items())
            self._db.executemany("insert into fault values (?, ?, ?)", rows)
        return True

    @rerun_if_damaged(_empty)
    def set_handoffs(self, handoffs: Iterable[NewestHandoff]) -> None:
        """Put the newest handoff of these scopes in the place of the one before; no commit holds it."""
        with transaction(self._db):
            put_handoffs(self._db, handoffs)

    @rerun_if_damaged(_empty)
    def set_recent(self, firsts: "Mapping[tuple[str, str], Sequence[FirstFile]]", stamp: str) -> None:
        """Store what comes first, by project and whose settings say so; `stamp` is that of the sources."""
        with transaction(self._db):
            self._db.execute("delete from recent")
            for (project, owner), files in firsts.items():
                for position, file in enumerate(files):
                    place = (storable(file.top), storable(file.path), file.rank, storable(file.why))
                    values = (storable(project), owner, position, *place)
                    self._db.execute("insert into recent values (?, ?, ?, ?, ?, ?, ?)", values)
            set_meta(self._db, recent=stamp)

    @rerun_if_damaged(_empty)
    def set_scores(self, standings: "Iterable[EntryStanding]", stamp: str) -> None:
        """Store the standings of all entries, and take those that have expired out of what is delivered;
        `stamp` is that of what they were computed from."""
        from ctxrepo.storage.cache.update import expire

        rows = ((storable(one.entry), *one[1:]) for one in standings)
        with transaction(self._db):
            self._db.execute("delete from score")
            self._db.executemany("insert or ignore into score values (?, ?, ?, ?, ?, ?)", rows)
            expire(self._db)
            set_meta(self._db, scores=stamp)

    @rerun_if_damaged(_empty)
    def set_doubts(self, scope: str, source: str, doubts: "Mapping[Doubt, str]", stamp: str) -> None:
        """Store what a source of doubts found in a scope that had this stamp, each with the hash of its
        entry, in the place of what it found before."""
        from ctxrepo.storage.cache.doubts import put_doubts

        with transaction(self._db):
            put_doubts(self._db, scope, source, doubts, stamp)

    @rerun_if_damaged(_empty)
    def set_changed_files(self, top: str, files: "Mapping[str, Activity]") -> None:
        """Store which files of the checkout at `top` changed lately."""
        rows = [(storable(top), storable(path), *activity) for path, activity in files.items()]
        with transaction(self._db):
            self._db.execute("delete from changed_file where top = ?", (storable(top),))
            self._db.executemany("insert or ignore into changed_file values (?, ?, ?, ?)", rows)

    @rerun_if_damaged(_empty)
    def drop_doubts(self, entry: str) -> None:
        """Drop all doubts about an entry."""
        from ctxrepo.storage.cache.doubts import show_doubts

        with transaction(self._db):
            self._db.execute("delete from doubt where entry = ?", (storable(entry),))
            show_doubts(self._db)

    @rerun_if_damaged(_empty)
    def note_round(self, began: float) -> None:
        """Note that a round of the worker from `began` on is over: what waited is done, or can't be."""
        with transaction(self._db):
            last = self.last_round
            before = last if last <= time.time() else 0.0  # the clock was put back since
            set_meta(self._db, settled=repr(max(float(began), before)))

    @rerun_if_damaged(_empty)
    def note(self, /, **values: object) -> None:
        """Note these things, each to be read under its name, as JSON."""
        with transaction(self._db):
            set_meta(self._db, **{name: json.dumps(value) for name, value in values.items()})

    @rerun_if_damaged(_empty)
    def store_stamps(self, stamps: Mapping[str, Mapping[str, str]]) -> None:
        """Store the stamps of files and folders, by scope and path, in place of those from before."""
        rows = [
            (storable(scope), storable(path), stamp)
            for scope, paths in stamps.items()
            for path, stamp in paths.items()
        ]
        with transaction(self._db):
            self._db.execute("delete from seen")
            self._db.executemany("insert or replace into seen values (?, ?, ?)", rows)
