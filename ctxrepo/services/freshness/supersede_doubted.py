"""An entry in doubt is superseded by the one that says otherwise."""

from datetime import datetime

from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound
from ctxrepo.services.saving.evidence import record
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.cache.computed import all_doubts
from ctxrepo.storage.cache.entries import entry_by_id
from ctxrepo.storage.memory import Memory


def supersede(memory: Memory, name: str, origin: Origin, now: datetime) -> None:
    """Supersede the older entry of the doubt of this name by the newer one; NotFound where it is in no such
    doubt any more."""
    doubts = (doubt for doubt in memory.cache.ask(all_doubts) if doubt.name == name and doubt.by_entry)
    doubt = next(doubts, None)
    known = memory.cache.ask(entry_by_id, doubt.entry) if doubt else None
    if doubt is None or known is None:
        raise NotFound(f"no entry is in the doubt {name} any more", "`ctxrepo stale` lists those that are.")
    with drafting(memory, "supersede", origin, now) as draft:
        draft.saying = normalised(known.entry.text)[:100]
        record(draft, "superseded", doubt.entry, doubt.path, now, to=doubt.by_entry)
