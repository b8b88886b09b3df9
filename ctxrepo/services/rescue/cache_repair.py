"""Whether the cache says what the notes say, and building it again from them."""

from collections.abc import Iterator

from ctxrepo.hooks.own_files import today
from ctxrepo.lazy import dataclass
from ctxrepo.services.delivery.first_files import update_recent_files
from ctxrepo.services.saving.accept import tree_in_view
from ctxrepo.services.saving.kept_here import filtered_at
from ctxrepo.services.saving.refresh import build, notes_at, refresh, text_of
from ctxrepo.services.score.update_scores import update_scores
from ctxrepo.storage.cache.entries import entry_count, note_digests
from ctxrepo.storage.cache.layout import digest_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.database import storable

_SHOWN = 10


def verify(memory: Memory) -> list[str]:
    """The problems of the cache, a line each; none when it is as the branch's commit, or only lags behind."""
    head = memory.head
    if memory.cache.head != (head or ""):
        behind = memory.cache.head[:12] or "no commit"
        return [f"it reflects {behind}, and the memory is at {(head or 'no commit')[:12]}"]
    problems = [] if memory.cache.is_sound() else ["what its words are found by is damaged"]
    return problems + list(_differences(memory, head))


def _differences(memory: Memory, head: str | None) -> Iterator[str]:
    tree = memory.objects.tree_of(head)
    keys = notes_at(memory, tree)
    left = filtered_at(memory, tree, keys)  # the cache has what was on disk
    texts = ((path, text_of(memory.objects, key)) for path, key in keys.items())
    expected = {storable(path): digest_of(storable(text)) for path, text in texts if text is not None}
    cached = memory.cache.ask(note_digests)
    for number, path in enumerate(
        sorted(p for p in expected.keys() | cached if expected.get(p) != cached.get(p) and p not in left)
    ):
        if number == _SHOWN:
            yield "and more like that"
            return
        if path not in cached:
            yield f"{path} is missing"
        else:
            yield (
                f"{path} is there, and is no note" if path not in expected else f"{path} says something else"
            )


@dataclass(frozen=True)
class Rebuilt:
    """How much is in the new cache, the archived and superseded too."""

    notes: int
    entries: int


def rebuild(memory: Memory) -> Rebuilt:
    """Build the cache again from the branch's commit; meanwhile hooks answer from the old one."""
    head = memory.head
    memory.cache.clear()
    build(memory, head)
    refresh(memory, head, tree_in_view(memory, memory.objects.tree_of(head)))
    update_recent_files(memory)
    update_scores(memory, today())
    return Rebuilt(sum("/" in path for path in memory.cache.ask(note_digests)), memory.cache.ask(entry_count))
