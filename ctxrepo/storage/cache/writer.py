"""Writes cache.db."""

import json
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from ctxrepo.storage.cache.layout import Fault, NewestHandoff, digest_of, put_handoffs, set_meta
from ctxrepo.storage.cache.reading import CacheReading, Question
from ctxrepo.storage.processes.database import Healing, rerun_if_damaged, storable, transaction

if TYPE_CHECKING:
    from ctxrepo.domain.note.note import Note
    from ctxrepo.domain.records.evidence import Marks
    from ctxrepo.storage.cache.evidence_rows import EvidenceFiles

_T = TypeVar("_T")
_P = ParamSpec("_P")


def _empty(cache: "Cache") -> None:
    cache.clear()


class Cache(CacheReading):
    """The open cache. One process writes at a time; hooks read meanwhile and see whole transactions."""

    @rerun_if_damaged(_empty)
    def change(self, change: "Question[_P, _T]", /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """The same of a question that changes its table: wholly or not at all."""
        with transaction(self._db):
            return change(self._db, *args, **kwargs)

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
    def note_round(self, began: float) -> None:
        """Note that a round of the worker from `began` on is over: what waited is done, or can't be."""
        with transaction(self._db):
            last = self.last_round
            before = last if last <= time.time() else 0.0  # the clock was put back since
            set_meta(self._db, settled=repr(max(float(began), before)))

    def note(self, /, **values: object) -> None:
        """Note these things, each to be read under its name, as JSON."""
        self.change(set_meta, **{name: json.dumps(value) for name, value in values.items()})

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
