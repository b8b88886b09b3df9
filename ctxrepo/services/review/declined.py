"""What reviewers struck out of this machine's work, listed until a person has seen it."""

from collections.abc import Sequence

from ctxrepo.domain.project.layout import shown
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass
from ctxrepo.storage.clone.reffiles import DECLINED, DISMISSED
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class DeclinedReview:
    """What one review left out: `entries` are `path: text`, kept in this clone under `ref`; `name` is the
    day, numbered from its second."""

    name: str
    ref: str
    entries: Sequence[str]


def declined(memory: Memory) -> list[DeclinedReview]:
    """All of it that the memory doesn't hold, oldest first: what somebody wrote again is listed no longer."""
    refs = memory.refs.all(DECLINED)
    if not refs:
        return []
    from ctxrepo.services.review.review import struck  # it loads what merges; most have nothing declined

    here = memory.head
    reviews = (
        DeclinedReview(
            ref.removeprefix(DECLINED), ref, [f"{p}: {text}" for p, text in struck(memory, tip, here)]
        )
        for ref, tip in sorted(refs.items())
    )
    return [review for review in reviews if review.entries]


def dismiss(memory: Memory, names: Sequence[str]) -> list[str]:
    """List these no more, or all; returns the refs that keep them. NotFound for a wrong name."""
    objects = memory.objects
    tips = {ref.removeprefix(DECLINED): tip for ref, tip in sorted(objects.refs(DECLINED).items())}
    for name in names:
        if name not in tips:
            raise NotFound(
                f"nothing declined is called {shown(name, 60)}", "`ctxrepo declined list` shows the names."
            )
    with memory.writing():
        for name in names or tips:
            objects.set_ref(DISMISSED + name, tips[name])
            objects.drop_ref(DECLINED + name)
    return [DISMISSED + name for name in names or tips]
