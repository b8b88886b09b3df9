"""Identifies the blocks of three versions of a note with each other, by content and not by place.

Which new text is an edit of which old one is told for certain where a command recorded it, where it has the
old one's key, or where it alone stands where only the old one is gone, however alike its neighbours are. Else
the most alike are paired."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field
from itertools import product
from typing import Any, Generic, TypeVar

from ctxrepo.domain.merge.choose import Key
from ctxrepo.domain.merge.note.version import Body, BodyVersion, Path, Section, Three
from ctxrepo.domain.note.entry import (
    SIMILAR,
    derived_id,
    entries_of,
    in_place,
    key_of,
    normalised,
    similarity,
    words_of,
    words_of_many,
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
class NoteRecords:
    """What commands recorded of the entries of a note: which text became which, what they stated and forgot,
    and the keys, in small letters, that they gave in its scope."""

    edits: Set[Texts]
    stated: Set[str]
    forgotten: Set[str]
    keys: Set[str]


def identify(base: str, ours: str, theirs: str, records: Callable[[], NoteRecords]) -> Three:
    """Three bodies in which the same part has the same key; what `records` say goes before likeness."""
    bodies = Body.read(base), Body.read(ours), Body.read(theirs)
    our_paths, their_paths = _same_headings(*bodies)
    not_ids = {name for body in bodies for name, times in body.ids().items() if times > 1}
    was = bodies[0].keyed({path: path for path in bodies[0].sections()}, not_ids)
    us, them = bodies[1].keyed(our_paths, not_ids), bodies[2].keyed(their_paths, not_ids)
    our_edits, their_edits = _edits(was, us, them, records)
    return was, us.rekeyed(our_edits), them.rekeyed(their_edits)


def _same_headings(base: Body, ours: Body, theirs: Body) -> tuple[dict[Path, Path], dict[Path, Path]]:
    """For each side: heading path -> its path in the base, or the path it would have there."""
    was, us, them = base.sections(), ours.sections(), theirs.sections()
    twice = base.titles_twice() | ours.titles_twice() | theirs.titles_twice()
    our_paths: dict[Path, Path] = {(): ()}
    their_paths: dict[Path, Path] = {(): ()}
    for depth in range(1, max(map(len, (*was, *us, *them)), default=0) + 1):
        old = {path: below for path, below in was.items() if len(path) == depth}
        ours_at_depth, theirs_at_depth = _titles(us, our_paths, depth), _titles(them, their_paths, depth)
        # If one side renamed a heading and edited its section, the other side's section may show it.
        our_changes = (
            {p: old[p] + theirs_at_depth.get(p, ()) for p in without(old, ours_at_depth)},
            without(ours_at_depth, old),
        )
        their_changes = (
            {p: old[p] + ours_at_depth.get(p, ()) for p in without(old, theirs_at_depth)},
            without(theirs_at_depth, old),
        )
        our_edits, their_edits = (
            {new: old for new, old in edits.items() if not {new[-1], old[-1]} & twice}
            for edits in paired(our_changes, their_changes, same_titles)
        )
        our_paths |= {path: our_edits.get(now, now) for path, now in our_paths.items()}
        their_paths |= {path: their_edits.get(now, now) for path, now in their_paths.items()}
    return our_paths, their_paths


def _titles(sections: Mapping[Path, Section], paths: dict[Path, Path], depth: int) -> dict[Path, Section]:
    """The headings of one depth by their paths in the base; adds these to `paths`."""
    here = [path for path in sections if len(path) == depth]
    paths |= {path: (*paths[path[:-1]], path[-1]) for path in here}
    return {paths[path]: sections[path] for path in here}


def _edits(
    was: BodyVersion, us: BodyVersion, them: BodyVersion, records: Callable[[], NoteRecords]
) -> tuple[dict[Key, Key], dict[Key, Key]]:
    """For each side: new key -> the key in the base of the part that it moved or edited; texts that occur
    twice are left out, since it would be unclear which was meant."""
    counts = [Counter(part.says for part in version.parts.values()) for version in (was, us, them)]
    once = {says for count in counts for says in count if all(other[says] <= 1 for other in counts)}
    # Parts that both sides gave the same id are the same part already.
    for key in us.parts.keys() & them.parts.keys() - was.parts.keys():
        if us.parts[key].says != them.parts[key].says:
            once -= {us.parts[key].says, them.parts[key].says}
    our_moves, their_moves = _moves(was, us, them)
    us, them = us.rekeyed(our_moves), them.rekeyed(their_moves)
    ours = our_gone, our_come = _sayings(was, us, once), _sayings(us, was, once)
    theirs = their_gone, their_come = _sayings(was, them, once), _sayings(them, was, once)
    same: dict[Texts, float] = {}
    common, forgotten, stated = set[str](), set[str](), set[str]()
    if our_gone or their_gone:
        common = words_of_many(part.says for part in was.parts.values() if part.kind != "heading")
        for side, (gone, come) in ((us, ours), (them, theirs)):
            same |= placed(was, side, gone, come) | with_label(was, side, gone, come)
    if our_gone.keys() & their_gone.keys() and our_come and their_come:
        recorded = records()
        forgotten, stated = {*recorded.forgotten}, {*recorded.stated}
        same = {
            (old, new): score
            for (old, new), score in same.items()
            if score > PLACED or (new not in stated and old not in forgotten)
        } | dict.fromkeys(recorded.edits, RECORDED)
    our_pairs, their_pairs = paired(ours, theirs, same_sayings(common, same, forgotten, stated))
    our_edits = our_moves | {our_come[new].key: our_gone[old].key for new, old in our_pairs.items()}
    their_edits = their_moves | {their_come[new].key: their_gone[old].key for new, old in their_pairs.items()}
    new = our_come.keys() - our_pairs.keys(), their_come.keys() - their_pairs.keys()
    for our_text, their_text, label in _new_with_key(*new, records):
        our_edits[our_come[our_text].key] = their_edits[their_come[their_text].key] = ("key", label, "")
    return our_edits, their_edits


def _moves(was: BodyVersion, us: BodyVersion, them: BodyVersion) -> tuple[dict[Key, Key], dict[Key, Key]]:
    """For each side: key -> the key in the base of the copy that it moved or reformatted. A part that both
    have at the same new place was moved by both, or by neither."""
    our_gone, our_come = _places(was, us), _places(us, was)
    their_gone, their_come = _places(was, them), _places(them, was)
    our_moves: dict[Key, Key] = {}
    their_moves: dict[Key, Key] = {}
    for says in our_gone.keys() | their_gone.keys():
        gone, come = our_gone[says] & their_gone[says], our_come[says] & their_come[says]
        by_both = _last_first(come, gone)
        moved = set(by_both.values())
        our_moves |= by_both | _last_first(our_come[says] - come, our_gone[says] - moved)
        their_moves |= by_both | _last_first(their_come[says] - come, their_gone[says] - moved)
    return our_moves, their_moves


def _places(version: BodyVersion, other: BodyVersion) -> defaultdict[str, set[Key]]:
    """text -> the keys of its copies that the other version lacks."""
    places: defaultdict[str, set[Key]] = defaultdict(set)
    for key, part in version.parts.items():
        if part.kind != "heading" and key not in other.parts:
            places[part.says].add(key)
    return places


def _last_first(come: Set[Key], gone: Set[Key]) -> dict[Key, Key]:
    """new key -> old key, the last with the last, as far as there are both."""
    return dict(zip(sorted(come, reverse=True), sorted(gone, reverse=True), strict=False))


def _sayings(version: BodyVersion, other: BodyVersion, once: Set[str]) -> dict[str, Saying]:
    return {
        part.says: Saying(key, part.path, part.says, words_of(part.says), part.id, part.kind)
        for key, part in version.parts.items()
        if part.kind != "heading" and part.says in once and key not in other.parts
    }


def _new_with_key(
    ours: Set[str], theirs: Set[str], records: Callable[[], NoteRecords]
) -> Iterator[tuple[str, str, str]]:
    """(our text, their text, key) of what each side has new under one key, if a command gave it."""
    us, them = by_label(ours - theirs), by_label(theirs - ours)
    for label in us.keys() & them.keys():
        (our_text, *more), (their_text, *others) = us[label], them[label]
        if not (more or others) and label in records().keys:
            yield our_text, their_text, label


MAX_PAIRS = 10_000
"""With more pairs nothing is compared: an edited entry counts as removed and added."""

FEW_WORDS = 6
"""Texts with fewer words are compared by their letters, whatever words they share."""

NEARER = 0.25
"""Likeness that is added for standing under the same heading."""

_K = TypeVar("_K", str, tuple[str, ...])
_V = TypeVar("_V", "Saying", "Section")

Scored = Iterable[tuple[float, _K, _K]]
"""(how alike, old, new)"""

Changes = tuple[Mapping[_K, _V], Mapping[_K, _V]]
"""(what a side removed, what it added)."""

Likeness = Callable[[Mapping[_K, _V], Mapping[_K, _V]], Scored[_K]]
Pairs = tuple[dict[_K, _K], dict[_K, _K]]


@dataclass
class _Side(Generic[_K]):
    pairs: dict[_K, _K] = field(default_factory=dict)
    taken: set[_K] = field(default_factory=set)


def paired(ours: Changes[_K, _V], theirs: Changes[_K, _V], scored: Likeness[_K, _V]) -> Pairs[_K]:
    """For each side: new key -> the old key that it is an edit of; the most alike are paired first. What
    both sides have new is an edit of the same thing for both, or of none: so a merged version is paired in
    the same way when it is merged with a side again."""
    (our_gone, our_come), (their_gone, their_come) = ours, theirs
    our_own, their_own = without(our_come, their_come), without(their_come, our_come)
    gone = without(our_gone, without(our_gone, their_gone))
    us, them = _Side[_K](), _Side[_K]()
    scored_pairs = [
        (-score, old, new, sides)
        for was, now, sides in (
            (gone, without(our_come, our_own), (us, them)),
            (gone, without(their_come, their_own), (us, them)),
            (our_gone, our_own, (us,)),
            (their_gone, their_own, (them,)),
        )
        for score, old, new in scored(was, now)
    ]
    for _, old, new, sides in sorted(scored_pairs, key=lambda f: f[:3]):
        if not any(new in side.pairs or old in side.taken for side in sides):
            for side in sides:
                side.pairs[new] = old
                side.taken.add(old)
    return us.pairs, them.pairs


def without(mapping: Mapping[_K, _V], other: Mapping[_K, Any]) -> dict[_K, _V]:
    return {key: value for key, value in mapping.items() if key not in other}


def same_titles(
    gone: Mapping[Path, Section], come: Mapping[Path, Section]
) -> Iterator[tuple[float, Path, Path]]:
    """Pairs of headings where one was renamed: the titles are alike, or most of the section is the same."""
    if len(gone) * len(come) > MAX_PAIRS:
        return
    for old, new in product(gone, come):
        if old[:-1] == new[:-1]:
            shared = max(_shared(was, now) for was, now in product(gone[old], come[new]))
            alike = _title_likeness(old[-1], new[-1])
            if shared > 0.5 or alike >= SIMILAR:
                yield shared + alike, old, new


def _title_likeness(was: str, now: str) -> float:
    """How alike two titles are; a title that was only extended or shortened counts as alike."""
    old, new = words_of(was), words_of(now)
    return max(similarity(was, now), SIMILAR if old and new and (old <= new or new <= old) else 0.0)


def _shared(was: Counter[str], now: Counter[str]) -> float:
    return 2 * (was & now).total() / max(was.total() + now.total(), 1)


def same_sayings(
    common: Set[str], sure: Mapping[Texts, float], forgotten: Set[str], stated: Set[str]
) -> Likeness[str, Saying]:
    """Scores pairs of entries, those that are `sure` by that; one that moved to another heading must be more
    similar. Of the words that are not `common` to many entries an edit keeps more than half: where entries
    are alike, one removed and one added are no edit, and neither becomes a conflict copy. One that a command
    has `forgotten` and one that a command has `stated` are no edit either."""

    def scored(gone: Mapping[str, Saying], come: Mapping[str, Saying]) -> Iterator[tuple[float, str, str]]:
        yield from ((score, *pair) for pair, score in sure.items() if pair[0] in gone and pair[1] in come)
        for is_within in (True, False):
            pairs_left = MAX_PAIRS
            for olds, news in _groups(gone.values(), come.values(), is_within):
                pairs_left -= len(olds) * len(news)
                for was, now in product(olds, news) if pairs_left >= 0 else ():
                    if was.says in forgotten and now.says in stated:
                        continue
                    score = similarity(was.says, now.says) if _may_be_one(was, now, common) else 0.0
                    if score >= SIMILAR:
                        yield score + NEARER * is_within, was.says, now.says

    return scored


def _may_be_one(was: Saying, now: Saying, common: Set[str]) -> bool:
    """Whether the two could be one entry; cheaper than comparing letters, since alike texts share words."""
    if (was.kind == "comment") != (now.kind == "comment") or (was.id and now.id):
        return False
    telling = was.words - common
    if len(telling & now.words) * 2 <= len(telling) and telling:
        return False
    fewer = min(len(was.words), len(now.words))
    return fewer < FEW_WORDS or len(was.words & now.words) * 4 >= fewer


def _groups(
    gone: Iterable[Saying], come: Iterable[Saying], is_within: bool
) -> list[tuple[list[Saying], list[Saying]]]:
    """(gone, come) for each heading, or all in one group; the smallest group first."""
    groups: dict[Path, tuple[list[Saying], list[Saying]]] = defaultdict(lambda: ([], []))
    for number, sayings in enumerate((gone, come)):
        for saying in sayings:
            groups[saying.path if is_within else ()][number].append(saying)
    return [groups[path] for path in sorted(groups, key=lambda p: (len(groups[p][0]) * len(groups[p][1]), p))]


def note_records(path: str, versions: Sequence[str], evidence: Iterable[Evidence]) -> NoteRecords:
    """What the evidence tells of the note at `path`. An id depends on path and heading, which may have
    changed since it was recorded: a text has one for each that the note had."""
    evidence = list(evidence)
    entries = [entry for text in versions for entry in entries_of(path, text)]
    places = {(entry.heading, normalised(entry.text)) for entry in entries}
    headings, texts = {heading for heading, _ in places}, {text for _, text in places}
    if len(headings) * len(texts) <= MAX_PLACES:
        places = set(product(headings, texts))
    names = (path, *renamed(evidence).get(path, ()))
    by_id = {derived_id(name, *place, nth=1): place[1] for name in names for place in places}
    to = edits_in(evidence)
    edits = {
        (by_id[entry], by_id[heir])
        for entry in by_id.keys() & to.keys()
        for heir in closure(to, entry) & by_id.keys()
    }
    stated, forgotten = (
        {by_id[record.entry] for record in evidence if record.kind == kind and record.entry in by_id}
        for kind in ("stated", "forgotten")
    )
    scope = scope_of(path)
    keys = {record.key.casefold() for record in evidence if record.key and scope_of(record.path) == scope}
    return NoteRecords(edits, stated, forgotten, keys)


def with_label(
    was: BodyVersion, side: BodyVersion, gone: Mapping[str, Saying], come: Mapping[str, Saying]
) -> dict[Texts, float]:
    """The pairs of texts with one key, which no other entry of either version has; spelt alike before they
    are compared in small letters."""
    pairs = {}
    for spelling in (str, str.casefold):
        olds, news = (by_label((p.says for p in version.parts.values()), spelling) for version in (was, side))
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
