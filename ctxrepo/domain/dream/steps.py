"""A step of a dream: one thing that an agent proposes to do to entries, written as a line of JSON."""

from collections import Counter
from typing import Any, Literal, get_args

from ctxrepo.domain.formats.jsonl import objects, record, render, text_of, texts_in
from ctxrepo.domain.project.layout import note_path, shown
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass

Deed = Literal["remember", "edit", "merge", "supersede", "move", "archive", "forget"]
"""merge: the first entry gets the text, and the others go. supersede: the first entry is no longer delivered,
since the second one holds. archive: the entry is kept, and delivered to nobody."""

_DEEDS: dict[str, Deed] = {deed: deed for deed in get_args(Deed)}
_COUNT: dict[Deed, tuple[int, int]] = {"remember": (0, 0), "merge": (2, 20), "supersede": (2, 2)}
_HAS_TEXT: tuple[Deed, ...] = ("remember", "edit", "merge")

MOST_STEPS = 50
"""Steps of one dream: a person reads them all before they say yes."""

EXAMPLES = (
    '{"do": "merge", "entries": ["^1a2b…", "^3c4d…"], "text": "one entry that says all of both", "why": "…"}',
    '{"do": "supersede", "entries": ["^OLD", "^NEW"], "why": "…"}',
    '{"do": "edit", "entries": ["^1a2b…"], "text": "…", "why": "…"}',
    '{"do": "move", "entries": ["^1a2b…"], "note": "topics/ci.md", "why": "…"}',
    '{"do": "archive", "entries": ["^1a2b…"], "why": "…"}',
    '{"do": "remember", "text": "…", "category": "lesson", "why": "…"}',
    '{"do": "forget", "entries": ["^1a2b…"], "why": "another entry says the same"}',
)


@dataclass(frozen=True)
class DreamStep:
    """One deed. `entries` are ids without ^, and `was` their texts when it was proposed; `note` is the path
    below the scope that an entry goes to; `why` is for the person who decides."""

    deed: Deed
    entries: tuple[str, ...] = ()
    text: str = ""
    note: str = ""
    category: str = ""
    why: str = ""
    was: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[str, ...]:
        """The entries that change, go, or are no longer delivered."""
        return self.entries[:1] if self.deed == "supersede" else self.entries

    @property
    def words(self) -> str:
        """The step on one line, for the person who decides."""
        names = " by ".join if self.deed == "supersede" else " ".join
        place = f" to {self.note}" if self.note else f" in {self.category}" if self.category else ""
        entries = names([f"^{name}" for name in self.entries])
        return f"{self.deed} {entries}".rstrip() + place + (f": {self.why}" if self.why else "")


def to_line(step: DreamStep) -> str:
    """The step as one line, without a newline."""
    fields: dict[str, Any] = {"do": step.deed, "entries": [f"^{name}" for name in step.entries]}
    fields |= {"text": step.text, "note": step.note, "category": step.category, "why": step.why}
    return render({key: value for key, value in (fields | {"was": list(step.was)}).items() if value})


def read_steps(text: str) -> list[DreamStep]:
    """The steps in lines of JSON; lines of a code fence around them are skipped. UsageError names the first
    line that is no step, by its number."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    steps = [_step(number, line) for number, line in lines if not line.strip().startswith("```")]
    if not steps:
        raise UsageError("there is no step", f"One a line, like {EXAMPLES[0]}")
    if len(steps) > MOST_STEPS:
        raise UsageError(f"there are {len(steps)} steps", f"Propose {MOST_STEPS} at most in one go.")
    return steps


def summary(text: str) -> str:
    """How many steps of each kind lines of JSON have: `merge 4, supersede 2`."""
    deeds = Counter(text_of(fields, "do") for fields in objects(text))
    return ", ".join(f"{deed} {deeds[deed]}" for deed in _DEEDS if deeds[deed])


def outline(text: str) -> str:
    """The steps in lines of JSON for a person to read: a summary, and each step with its text below it."""
    lines = [summary(text)]
    for step in read_steps(text):
        lines += [step.words, *(f"  {line}" for line in step.text.splitlines())]
    return "\n".join(lines)


def _step(number: int, line: str) -> DreamStep:
    fields = record(line)
    if fields is None:
        raise UsageError(f"line {number} is no JSON object", f"It should be like {EXAMPLES[0]}")
    deed = _DEEDS.get(text_of(fields, "do"))
    if deed is None:
        name = shown(text_of(fields, "do"), 40)
        raise UsageError(f"line {number}: there is nothing to do called {name!r}", f"{', '.join(_DEEDS)}.")
    targets = texts_in(fields.get("entries")) or texts_in([fields.get("entry")])
    names = tuple(target.lstrip("^").lower() for target in targets)
    least, most = _COUNT.get(deed, (1, 1))
    if not least <= len(names) <= most or len({*names}) < len(names):
        limits = f"{least} to {most}" if least < most else f"{least or 'no'}"
        raise UsageError(f"line {number}: {deed} takes {limits} different entries, not {len(names)}")
    texts = {name: text_of(fields, name).strip() for name in ("text", "note", "category", "why")}
    if bool(texts["text"]) != (deed in _HAS_TEXT):
        raise UsageError(f"line {number}: {deed} {'needs a' if deed in _HAS_TEXT else 'takes no'} text")
    if deed == "move" and not texts["note"]:
        raise UsageError(f"line {number}: {deed} needs a note to move to", "A path such as topics/ci.md.")
    texts["note"] = note_path(texts["note"]) if texts["note"] else ""
    return DreamStep(deed, names, **texts, was=tuple(texts_in(fields.get("was"))))
