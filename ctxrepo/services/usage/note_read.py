"""Noting what sessions read by commands, in a module of its own: every `read` loads it."""

from ctxrepo.domain.git.origin import Origin
from ctxrepo.services.reading.targets import Reading
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.usage import Access, AccessLog


def note_read(memory: Memory, origin: Origin, reading: Reading, now: float) -> None:
    """Note that a session read a note or an entry by a command, as the hook of its own tools would."""
    if not origin.session:
        return
    path, entry = str(memory.root / reading.note.path), reading.entry
    ranges = ((entry.first_line, entry.last_line),) if entry else ()
    AccessLog(memory.state.access).add(Access(now, origin.agent, origin.session, "read", path, ranges))
