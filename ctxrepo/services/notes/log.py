"""A line about what was done is written into today's daily note of a scope."""

from __future__ import annotations

import json
from datetime import datetime

from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.note.entry import Entry, added, entries_of, normalised
from ctxrepo.domain.working.daily import day_of, line, logged, path_of
from ctxrepo.hooks.own_files import append_rolling
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import scope_named
from ctxrepo.services.reading.log import LOGGED_BYTES
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.memory import Memory


def log(
    memory: Memory, text: str, scope: str, project: Project | None, origin: Origin, now: datetime
) -> Entry:
    """Write a line into the note of the day that it is for whoever writes: `now` has their offset."""
    entry = line(text, now)
    place = scope_named(memory, scope, project)
    path = path_of(place.folder, day_of(now))
    with drafting(memory, "log", origin, now) as draft:
        before = draft.text(path)
        after = logged(before, entry, day_of(now))
        draft.saying = normalised(entry)
        draft.put(path, after)
        draft.register(place.project)
    made = added(entries_of(path, before or ""), entries_of(path, after))
    if origin.session:
        record = json.dumps({"session": origin.session, "id": made.id})
        append_rolling(str(memory.state.logged), f"{record}\n", LOGGED_BYTES)
    return made
