"""What the clone that was here before had saved and not sent is handed over to the one in its place."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.guard.handover import why_not_taken
from ctxrepo.domain.note.note import encoded, units_of
from ctxrepo.domain.project.layout import is_note
from ctxrepo.domain.records.save import Save
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.remote.exchanges import Exchanges
from ctxrepo.storage.state.committed_records import DoneLog
from ctxrepo.storage.state.journal import Journal
from ctxrepo.storage.user.places import RepositoryPlaces


def hand_over_unsent(memory: Memory) -> Iterator[str]:
    """Hand over what commands added in a clone at this place that is gone and had the same remote: whoever
    writes next takes it in. Yields a line about it. What a hand had edited went with that clone."""
    for owner in memory.places.state.glob("*/clone"):
        state = RepositoryPlaces(owner.parent)
        is_here = state.id != memory.state.id and owner.read_text("utf-8", "replace") == str(memory.root)
        if not is_here or Exchanges(state.exchanges).url != memory.repository.remote:
            continue
        unsent = [*_unsent(memory, state), *(saves for _, saves in Journal(state.journal).operations())]
        last = {save.path: save.after for saves in unsent for save in saves}
        left = (saves for saves in unsent if all(_stands(save, last[save.path]) for save in saves))
        taken = [saves for saves in left if not why_not_taken(saves)]
        for saves in taken:
            memory.handover.add(saves)
        owner.unlink()  # once is enough
        if taken:
            writes = counted(len(taken), "write")
            yield f"the clone that was here before had not sent {writes}: the next command brings them back"


def _stands(save: Save, now: bytes | None) -> bool:
    """Whether no later command took away what a save had added to a note."""
    before, after, left = (units_of(save.path, data) for data in (save.base, save.after, now))
    return not (is_note(save.path) and after - before - left)


def _unsent(memory: Memory, state: RepositoryPlaces) -> Iterator[Sequence[Save]]:
    """The saves of each command that was in a commit and is in none of the new clone, the oldest first.
    Nothing where the clone has no commit of them: then its history isn't the one that was."""
    done = [one for one in DoneLog(state.done).newest() if one.commit]
    lost = [*takewhile(lambda one: not memory.objects.has(one.commit), done)]
    for one in reversed(lost if len(lost) < len(done) else []):
        by = Origin(memory.host, one.session)
        sides = ((write.path, encoded(write.before), encoded(write.after)) for write in one.writes)
        yield [Save(*side, one.op, by, id=one.id, note=one.note) for side in sides]
