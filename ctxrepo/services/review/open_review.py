"""Which branch of this machine's people are looking at, and which commits are on it."""

from ctxrepo.lazy import dataclass
from ctxrepo.storage.clone.reffiles import OPEN
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Review:
    """A branch that was pushed for review, and its tip as we pushed it."""

    branch: str
    tip: str


def open_review(memory: Memory) -> Review | None:
    """The review that was under way when we last looked."""
    tips = memory.refs.all(OPEN)
    return next((Review(name.removeprefix(OPEN), tip) for name, tip in sorted(tips.items())), None)


def in_review(memory: Memory) -> list[str]:
    """The commits that wait for people to look at them, newest first."""
    current = open_review(memory)
    if current is None:
        return []
    objects = memory.objects
    tip = objects.ref(memory.clone.tracking_ref(current.branch)) or current.tip
    return list(objects.new_commits(tip, objects.ref(memory.clone.upstream_ref)))


def own_branches(memory: Memory) -> str:
    """The folder of this machine's review branches on the remote; `fetch` fetches them too."""
    return f"ctxrepo/{memory.host}"
