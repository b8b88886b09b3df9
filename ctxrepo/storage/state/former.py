"""Takes over what an earlier ctxrepo left: a write log, and a folder of versions of memory files.

Where the write log was there is a folder from then on, so that an earlier ctxrepo, should it be installed
again, refuses to write rather than miss what waits in the journal.
"""

from __future__ import annotations

import heapq
import json
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ctxrepo.domain.formats.jsonl import text_of
from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.note.note import encode
from ctxrepo.domain.records.save import TOOL, Save
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.durable import sync_folder
from ctxrepo.storage.disk.private import make_folder, opened, put
from ctxrepo.storage.state.journal import FIRST, Intent, Journal, save_of
from ctxrepo.storage.user.places import RepositoryPlaces

_SIGN = """This folder keeps an earlier ctxrepo from writing: it doesn't know of the folder `journal` beside
this one, which has what waits for a commit. To go back to the earlier one, run `ctxrepo sync` with this
one first; once `journal` is empty, this folder may be removed.
"""


def take_over_former_state(places: RepositoryPlaces, journal: Journal, store: Callable[[bytes], str]) -> None:
    """Put all that an earlier ctxrepo left into the journal; killed anywhere, it is begun again.

    The write lock is held. `store` stores bytes in the clone and returns their blob id.
    """
    former = _Former(places)
    writes = map(_of_write, former.records(places.former_writes))
    # Each of the two has kept its own order, whatever the clock did meanwhile.
    saves = list(heapq.merge(filter(None, writes), former.versions(), key=lambda save: save.at))
    if FIRST in journal.names():  # taken over already, by a run that was killed before it could clear
        known = {(save.id, save.path) for save in journal.read() if save.place.startswith(f"{FIRST}/")}
        if since := [save for save in saves if (save.id, save.path) not in known]:
            journal.add(since)
    else:
        if intent := former.intent(saves, store):
            journal.intend(intent)
        if saves:
            journal.put_first(saves)
    former.clear()


@dataclass(frozen=True)
class _Former:
    places: RepositoryPlaces

    def records(self, file: Path) -> list[dict[str, Any]]:
        """The JSON objects in a file; OSError where there is one and it can't be read now."""
        found = (_object(line) for line in (self._bytes(file) or b"").splitlines())
        return [fields for fields in found if fields is not None]

    def versions(self) -> list[Save]:
        """The versions that hooks kept, oldest first."""
        events = self.records(self.places.spool)
        with suppress(FileNotFoundError, NotADirectoryError):
            for name in sorted(os.listdir(self._left)):
                events += self.records(self._left / name)
        return [save for event in events if (save := self._version(event))]

    def _version(self, event: Mapping[str, Any]) -> Save | None:
        name, at = os.path.basename(text_of(event, "version")), event.get("at")
        data = self._bytes(self._versions / name) if name else None
        if data is None or not text_of(event, "path"):
            return None
        moment = datetime.fromtimestamp(0, UTC)
        with suppress(ValueError, OverflowError, OSError):
            moment = datetime.fromtimestamp(at if isinstance(at, int | float) else 0, UTC)
        by = Origin("", text_of(event, "session"), text_of(event, "agent"))
        path, tree = text_of(event, "path"), text_of(event, "base")
        return Save(path, None, data, TOOL, by, stamp(moment), id=name, tree=tree)

    def _bytes(self, file: Path) -> bytes | None:
        with suppress(FileNotFoundError, NotADirectoryError):
            if stat.S_ISREG(file.lstat().st_mode):
                with opened(file, "rb") as found:
                    return found.read()
        return None

    def intent(self, saves: Iterable[Save], store: Callable[[bytes], str]) -> Intent | None:
        """What the earlier one noted of a commit that it may not have come to the end of."""
        fields = next(iter(self.records(self._intent)), None)
        if fields is None or not isinstance(fields.get("done"), list):
            return None
        keys = {tuple(key) for key in fields["done"] if isinstance(key, list)}
        done = {f"{FIRST}/{n}": s for n, s in enumerate(saves) if (s.id, s.path) in keys and s.is_command}
        on_disk = {s.path: None if s.after is None else store(s.after) for s in done.values()}
        return Intent(text_of(fields, "commit"), tuple(done), on_disk)

    def clear(self) -> None:
        """Remove what the journal has by now, the write log last; its place is taken by a folder."""
        with suppress(FileNotFoundError, NotADirectoryError):
            for name in os.listdir(self._versions):
                if stat.S_ISREG((self._versions / name).lstat().st_mode):
                    (self._versions / name).unlink()
            with suppress(OSError):  # what else is in it isn't ours
                self._versions.rmdir()
        self._intent.unlink(missing_ok=True)
        self.places.former_writes.unlink(missing_ok=True)
        make_folder(self.places.former_writes)
        put(self.places.former_writes / "moved-to-journal", _SIGN)
        sync_folder(self.places.root)

    @property
    def _intent(self) -> Path:
        return self.places.former_writes.with_suffix(".intent")

    @property
    def _versions(self) -> Path:
        return self.places.root / "versions"

    @property
    def _left(self) -> Path:
        return self.places.spool.with_name("left")


def _of_write(fields: Mapping[str, Any]) -> Save | None:
    base, after = (
        encode(text) if isinstance(text := fields.get(name), str) else None for name in ("before", "after")
    )
    return save_of({**fields, "at": fields.get("ts")}, base, after) if text_of(fields, "path") else None


def _object(line: bytes) -> dict[str, Any] | None:
    """The object on a line, of any length; a torn line was never acknowledged."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None
