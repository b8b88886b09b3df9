"""The brief of a dream: what there is to tidy up in a scope, for an agent that proposes steps."""

from collections.abc import Sequence

from ctxrepo.domain.dream.steps import EXAMPLES, MOST_STEPS
from ctxrepo.domain.text import size
from ctxrepo.lazy import dataclass

BYTES = 8192
"""UTF-8 bytes of a brief: what an agent reads and weighs in one go."""


@dataclass(frozen=True)
class BriefSection:
    """One kind of what there is to tidy up, and what may be done about it; an item is one or more lines.
    `left` counts items that aren't among these."""

    name: str
    title: str
    advice: str
    items: Sequence[str]
    left: int = 0


@dataclass(frozen=True)
class Brief:
    """All sections that have something, for the scope in `folder`; `since` is the day of the last dream."""

    folder: str
    since: str
    sections: Sequence[BriefSection]

    def text(self, most: int = BYTES) -> str:
        """The brief in so many bytes: of each section as many items as fit, those of all sections in turn."""
        count = {section.name: 0 for section in self.sections}
        longest = max((len(section.items) for section in self.sections), default=0)
        for number in range(longest):
            for section in self.sections:
                if count[section.name] == number < len(section.items):
                    count[section.name] += 1
                    if size(self._drawn(count)) > most:
                        count[section.name] -= 1
        return self._drawn(count)

    def _drawn(self, count: dict[str, int]) -> str:
        since = f", last tidied on {self.since}" if self.since else ""
        lines = [f"# What there is to tidy up in {self.folder}/{since}", ""]
        for section in self.sections:
            shown = section.items[: count[section.name]]
            left = len(section.items) - len(shown) + section.left
            lines += [f"## {section.title}", section.advice, *shown, *[f"… {left} more"] * (left > 0), ""]
        return "\n".join([*lines, *(_HOW if self.sections else ["Nothing."])]) + "\n"


_HOW = [
    "## How to propose",
    "Propose only what makes this memory clearly better: nothing is a good answer, too. One JSON object",
    f"a line, {MOST_STEPS} at most, and give them to `ctxrepo dream --from FILE` (- reads standard input):",
    *EXAMPLES,
    "All of it becomes one proposal, and a person decides. It is refused if no entry would say the same any",
    "more with all the numbers, paths, pieces of code and ids of one that goes, if an entry is pinned or has",
    "a rule that agents are held to, or if more than a fifth of a note changes.",
]
