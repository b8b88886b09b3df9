"""What hooks answer from: verified, built again, made ready for finding by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING

from ctxrepo.app.result import Result
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.meaning.ready import ReadyResult
    from ctxrepo.services.rescue.cache_repair import Rebuilt


@dataclass(frozen=True)
class TimedRebuild:
    rebuilt: Rebuilt
    seconds: float


@dataclass(frozen=True)
class TimedEmbedding:
    made: ReadyResult
    seconds: float


def verify(desk: Desk, _: None) -> Result[Sequence[str]]:
    """Compare the cache with the notes; ends with 1 when it doesn't say what they say."""
    from ctxrepo.services.rescue.cache_repair import verify

    desk.commit_pending()
    found = verify(desk.memory)
    return Result(found, {"findings": found}, 1 if found else 0)


def rebuild(desk: Desk, _: None) -> Result[TimedRebuild]:
    """Throw the cache away and build it again from the notes."""
    from ctxrepo.services.rescue.cache_repair import rebuild

    memory, began = desk.memory, monotonic()
    done = rebuild(memory)
    seconds = round(monotonic() - began, 2)
    data = {"notes": done.notes, "entries": done.entries, "seconds": seconds}
    return Result(TimedRebuild(done, seconds), data)


def embed(desk: Desk, _: None) -> Result[TimedEmbedding]:
    """Make ready what finding by meaning needs, now."""
    from ctxrepo.services.meaning.ready import make_ready
    from ctxrepo.services.repository.published import publish_settings

    desk.commit_pending()
    began = monotonic()
    done = make_ready(desk.memory)
    publish_settings(desk.memory, desk.interpreter)
    desk.wake()
    seconds = round(monotonic() - began, 2)
    if not desk.memory.settings.recall.semantic:
        desk.notice("prompts are answered by words alone: `ctxrepo config set recall.semantic true`")
    data = {
        "model": str(done.model),
        "fetched": done.was_fetched,
        "embedded": done.embedded,
        "texts": done.texts,
    }
    return Result(TimedEmbedding(done, seconds), {**data, "seconds": seconds})
