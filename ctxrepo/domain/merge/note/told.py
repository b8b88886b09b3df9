"""Tells for certain which new text is an edit of which old one, however alike its neighbours are: a command
recorded it, it has the old one's key, or it alone stands where only the old one is gone."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import product

from ctxrepo.domain.merge.choose import Key
from ctxrepo.domain.merge.note.version import BodyVersion, Path
from ctxrepo.domain.note.entry import (
    SIMILAR,
    derived_id,
    entries_of,
    in_place,
    key_of,
    normalised,
    similarity,
)
from ctxrepo.domain.note.markdown import Kind
from ctxrepo.domain.project.layout import scope_of
from ctxrepo.domain.records.evidence import Evidence, closure, edits_in, renamed
from ctxrepo.lazy import dataclass

RECORDED, LABELLED, PLACED = 4.0, 3.0, 2.0
"""How sure a pair is, beside how alike two texts are (at most 1.25)."""

MAX_PLACES = 50_000
"""With more pairs of heading and text, each text has only the ids of where it stands."""

Texts = tuple[str, str]
"""(old text, new text)"""


@dataclass(frozen=True)
class Saying:
    """An entry's text, its words, the headings above it, and the id its author gave it."""

    key: Key
    path: Path
    says: str
    words: frozenset[str]
    id: str
    kind: Kind


@dataclass(frozen=True)
class Told:
    """What commands recorded of the entries of a note: which text became which, what they stated and forgot,
    and the keys, in small letters, that they gave in its scope."""

    edits: Set[Texts]
    stated: Set[str]
    forgotten: Set[str]
    keys: Set[str]


def told_of(path: str, versions: Sequence[str], evidence: Iterable[Evidence]) -> Told:
    """What the evidence tells of the note at `path`. An id depends on path and heading, which may have
    changed since it was recorded: a text has one for each that the note had."""
    evidence = list(evidence)
    entries = [entry for text in versions for entry in entries_of(path, text)]
    places = {(entry.heading, normalised(entry.text)) for entry in entries}
    headings, texts = {heading for heading, _ in places}, {text for _, text in places}
    if len(headings) * len(texts) <= MAX_PLACES:
        places = set(product(headings, texts))
    names = (path, *renamed(evidence).get(path, ()))
    said = {derived_id(name, *place, nth=1): place[1] for name in names for place in places}
    to = edits_in(evidence)
    edits = {
        (said[entry], said[heir])
        for entry in said.keys() & to.keys()
        for heir in closure(to, entry) & said.keys()
    }
    stated, forgotten = (
        {said[one.entry] for one in evidence if one.kind == kind and one.entry in said}
        for kind in ("stated", "forgotten")
    )
    keys = {one.key.casefold() for one in evidence if one.key and scope_of(one.path) == scope_of(path)}
    return Told(edits, stated, forgotten, keys)


def with_label(
    was: BodyVersion, side: BodyVersion, gone: Mapping[str, Saying], come: Mapping[str, Saying]
) -> dict[Texts, float]:
    """The pairs of texts with one key, which no other entry of either version has; spelt alike before they
    are compared in small letters."""
    pairs = {}
    for spelling in (str, str.casefold):
        olds, news = (by_label((p.says for p in each.parts.values()), spelling) for each in (was, side))
        for label in olds.keys() & news.keys():
            (old, *others), (new, *more) = olds[label], news[label]
            if not (others or more) and old in gone and new in come:
                pairs[old, new] = LABELLED
    return pairs


def by_label(texts: Iterable[str], spelling: Callable[[str], str] = str.casefold) -> dict[str, list[str]]:
    """key -> the texts with it."""
    labels = defaultdict(list)
    for says in texts:
        if label := key_of(says):
            labels[spelling(label)].append(says)
    return labels


def placed(
    was: BodyVersion, side: BodyVersion, gone: Mapping[str, Saying], come: Mapping[str, Saying]
) -> dict[Texts, float]:
    """The pairs of like texts where between two neighbours that stay just one is gone, and one is new."""
    old, new = ({saying.key: saying.says for saying in sayings.values()} for sayings in (gone, come))
    pairs = [(old[o], new[n]) for o, n in in_place(was.parts, side.parts, most=1) if o in old and n in new]
    return {pair: PLACED for pair in pairs if similarity(*pair) >= SIMILAR}
