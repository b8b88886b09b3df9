"""Objections to the steps of a dream: what they would lose, and what they may not touch.

See docs/adr/0105-a-dream-is-one-proposal.md."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ctxrepo.domain.doubts.overtaking import words_in
from ctxrepo.domain.dream.steps import DreamStep
from ctxrepo.domain.note.entry import Entry, normalised, without_id
from ctxrepo.domain.project.layout import shown
from ctxrepo.lazy import dataclass, lazy_pattern

SHARE = 5
"""One in so many entries of a note may change."""

FEW = 2
"""So many entries of any note may change: a merge takes two."""

_DETAIL = lazy_pattern(
    r"`[^`\n]+`"  # code
    r"|\[\[[^\[\]\n]+\]\]"  # a link
    r"|(?<!\w)\w++://[^\s<>()]+"
    r"|(?<![\w/@.+~-])[~.]{0,2}/?[\w@.+-]+(?:/[\w@.+-]+)+/?"  # a path
    r"|[#^][\w-]*\d[\w-]*"  # an issue, an entry
    r"|(?<![\w.:,+-])[\w.:,+-]*\d[\w.:,%+-]*"  # whatever has a digit
)
_AROUND = " .,:;-+`[]"


@dataclass(frozen=True)
class LiveEntries:
    """The entries in view, by id, against which steps are judged, and the ids of those that are pinned, or
    have a rule that agents are held to."""

    by_id: Mapping[str, Entry]
    pinned: Collection[str]


def objections(steps: Sequence[DreamStep], here: LiveEntries) -> list[str]:
    """Why these steps can't be taken, a sentence each; [] where they can."""
    reasons = [*_of_entries(steps, here)]
    return reasons or [*_losses(steps, here), *_too_much(steps, here)]


def _of_entries(steps: Sequence[DreamStep], here: LiveEntries) -> Iterator[str]:
    """Steps that name entries which aren't there, are pinned, or that another step has."""
    times = Counter(name for step in steps for name in step.changes)
    steps_of: defaultdict[tuple[object, ...], set[int]] = defaultdict(set)
    changed = {name for step in steps for name in step.changes}
    for step in steps:
        for name in step.entries:
            if name not in here.by_id:
                yield f"{step.deed} ^{name}: there is no such entry in view; `ctxrepo read ^{name}` says more"
        for name in step.changes:
            if name in here.pinned:
                yield f"{step.deed} ^{name}: it is pinned or has a rule, and only a person changes that"
            if times[name] > 1:
                yield f"{step.deed} ^{name}: another step changes it as well"
        for name in filter(here.by_id.__contains__, step.changes):
            entry = here.by_id[name]
            steps_of[entry.path, entry.heading, normalised(entry.text)].add(id(step))
        if step.deed == "supersede" and step.entries[1] in changed:
            yield f"supersede ^{step.entries[0]}: another step changes ^{step.entries[1]}, which is to hold"
    for (path, _, text), several in steps_of.items():
        if len(several) > 1:
            yield f"{path} has the same entry twice, {shown(str(text), 60)!r}: have one step change both"


def _losses(steps: Sequence[DreamStep], here: LiveEntries) -> Iterator[str]:
    """Steps that lose a fact. It is kept if all its numbers, paths, pieces of code and ids are in the text of
    the step, or in one entry that has most of its words: details that are spread over entries say nothing of
    the fact. What is superseded, moved or archived stays in its note."""
    rewritten = [step for step in steps if step.deed in ("edit", "merge", "forget")]
    gone = {name for step in rewritten for name in step.entries}
    staying = [entry.text for name, entry in here.by_id.items() if name not in gone] if gone else []
    staying += [step.text for step in steps if step.text]
    texts = [_StayingText(text) for text in staying]
    for step in rewritten:
        before = (here.by_id[name].text for name in step.entries)
        losses = [*dict.fromkeys(detail for text in before for detail in _lost(text, step.text, texts))]
        if losses:
            examples = ", ".join(shown(detail, 60) for detail in losses[:_NAMED])
            more = f" and {len(losses) - _NAMED} more" if losses[_NAMED:] else ""
            names = " ".join(f"^{name}" for name in step.entries)
            yield f"{step.deed} {names}: it drops {examples}{more}, and no other entry says the same"


class _StayingText:
    """A text that stays, in lower case, and its words."""

    def __init__(self, text: str) -> None:
        self.folded = text.casefold()
        self.words = frozenset(words_in(text))


def _lost(text: str, new_text: str, staying: Sequence[_StayingText]) -> Sequence[str]:
    """The details of a text that are neither in the new one nor in one that stays and says the same."""
    missing = [detail for detail in dict.fromkeys(details([text])) if not _has(new_text.casefold(), detail)]
    if not missing:
        return ()
    words = frozenset(words_in(text))
    alike = (other.folded for other in staying if len(words & other.words) >= len(words) * ALIKE)
    still_missing = ([detail for detail in missing if not _has(other, detail)] for other in alike)
    return min(still_missing, key=len, default=missing)


ALIKE = 0.5
"""An entry that has this share of another one's words may say the same."""

_NAMED = 3
"""Details that are named."""


def details(texts: Iterable[str]) -> Iterator[str]:
    """The numbers, paths, pieces of code, links and ids in some texts, in lower case."""
    for text in texts:
        for match in _DETAIL.finditer(without_id(text)):
            if detail := match[0].strip(_AROUND).casefold():
                yield detail


def _has(text: str, detail: str) -> bool:
    """Whether a text has the detail, and not as a part of a longer word."""
    return detail in text and re.search(rf"(?<!\w){re.escape(detail)}(?!\w)", text) is not None


def _too_much(steps: Iterable[DreamStep], here: LiveEntries) -> Iterator[str]:
    """Notes of which more would be changed than a person can be expected to read again."""
    size = Counter(entry.path for entry in here.by_id.values())
    changes: defaultdict[str, set[str]] = defaultdict(set)
    for step in steps:
        for name in step.changes:
            changes[here.by_id[name].path].add(name)
    for path, names in sorted(changes.items()):
        most = max(FEW, size[path] // SHARE)
        if len(names) > most:
            yield f"{path}: {len(names)} of its {size[path]} entries would change; {most} may in one go"
