"""Pages: notes as an agent's working set sees them, and how much of each is resident within a budget.

Each page has a fidelity that it doesn't fall below while there is room for all of them; what is left of the
budget raises pages one after the other. The same pages give the same residency."""

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from ctxrepo.lazy import dataclass

PageKind = Literal["task", "index", "decision", "procedure", "fact", "pointer", "evidence", "log"]
"""What a page is for; the first ones are raised first."""

Fidelity = Literal["absent", "pointer", "structured", "full"]
"""How much of a page is there: nothing; title, description and path; its headings and the first lines of its
bullets; all of it."""

_KINDS: tuple[PageKind, ...] = get_args(PageKind)
_FIDELITIES: tuple[Fidelity, ...] = get_args(Fidelity)

LEAST: dict[PageKind, Fidelity] = {
    "task": "structured", "index": "structured", "decision": "pointer", "procedure": "pointer",
    "fact": "pointer", "pointer": "pointer", "evidence": "absent", "log": "absent",
}  # fmt: skip
"""Kind -> the fidelity that a page of it doesn't fall below while there is room."""


@dataclass(frozen=True)
class Page:
    """A note as a page. `sizes` are its tokens at each fidelity, from `absent` on; `place` is the position of
    its best entry in the order of scores; `confirmed` is the day when one was last verified, '' for never."""

    id: str
    path: str
    kind: PageKind
    is_pinned: bool
    hash: str
    title: str
    updated: str
    confirmed: str
    place: int
    sizes: tuple[int, ...]

    @property
    def least(self) -> Fidelity:
        """The fidelity below which it doesn't fall while there is room; one with a pinned entry is full."""
        return "full" if self.is_pinned else LEAST[self.kind]

    def tokens(self, fidelity: Fidelity) -> int:
        return self.sizes[_FIDELITIES.index(fidelity)]


@dataclass(frozen=True)
class Residency:
    """The fidelity of each page, the most important first, the tokens that are `used` of the `budget`, and
    the pages `dropped` below their least fidelity for want of room: a budget fault."""

    pages: Sequence[tuple[Page, Fidelity]]
    used: int
    budget: int
    dropped: Sequence[Page]


def resident(pages: Iterable[Page], budget: int) -> Residency:
    """The residency of these pages within `budget` tokens. All of them begin at their least fidelity; where
    that is too much the last ones fall to `absent`. Then each in turn is raised as far as there is room."""
    order = sorted(pages, key=_rank)
    levels: dict[str, Fidelity] = {page.id: page.least for page in order}
    used = sum(page.tokens(page.least) for page in order)
    dropped = []
    for page in reversed(order):
        if used > budget and page.tokens(levels[page.id]):
            used -= page.tokens(levels[page.id])
            levels[page.id] = "absent"
            dropped.append(page)
    for page in order:
        above = _FIDELITIES[_FIDELITIES.index(levels[page.id]) + 1 :] if page not in dropped else ()
        for fidelity in reversed(above):
            more = page.tokens(fidelity) - page.tokens(levels[page.id])
            if used + more <= budget:
                used += more
                levels[page.id] = fidelity
                break
    return Residency([(page, levels[page.id]) for page in order], used, budget, dropped)


def _rank(page: Page) -> tuple[bool, int, int, int, str]:
    """Pinned pages first, then by kind, by score, the newest first, and by id."""
    digits = page.updated.replace("-", "")
    day = int(digits) if digits.isdecimal() else 0
    return (not page.is_pinned, _KINDS.index(page.kind), page.place, -day, page.id)
