"""The brief of a dream: what there is to tidy up in a scope, for an agent that proposes steps."""

from collections.abc import Sequence

from ctxrepo.domain.dream.steps import EXAMPLES, MOST_STEPS
from ctxrepo.domain.text import size
from ctxrepo.lazy import dataclass

BYTES = 8192
"""UTF-8 bytes of a brief: an agent is to read and weigh it in one go."""


@dataclass(frozen=True)
class BriefSection:
    """One kind of things to tidy up, and advice what to do about them. An item is one or more lines; `left`
    counts further items that aren't listed."""

    name: str
    title: str
    advice: str
    items: Sequence[str]
    left: int = 0


@dataclass(frozen=True)
class Brief:
    """The sections that have items, for the scope in `folder`; `since` is the day of the last dream or ''."""

    folder: str
    since: str
    sections: Sequence[BriefSection]

    def text(self, most: int = BYTES) -> str:
        """The brief in at most so many bytes, with as many items as fit, taken from all sections in turn."""
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
            items = section.items[: count[section.name]]
            more = len(section.items) - len(items) + section.left
            lines += [f"## {section.title}", section.advice, *items, *[f"… {more} more"] * (more > 0), ""]
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
