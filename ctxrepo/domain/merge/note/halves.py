"""Merges one note: its head by fields, its body by entries."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import replace
from functools import cache
from typing import Any

from ctxrepo.domain.merge.choose import Key, choose, either, order, plain, said_again
from ctxrepo.domain.merge.note.identity import NoteRecords, identify, note_records
from ctxrepo.domain.merge.note.version import ROOT, BodyVersion, Part, Three, written_out
from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.frontmatter import Head, split
from ctxrepo.domain.note.markdown import lines_of
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.domain.records.evidence import Evidence
from ctxrepo.lazy import dataclass, lazy_pattern


def merge_note(
    path: str, base: str, ours: str, theirs: str, evidence: Callable[[], Iterable[Evidence]] = tuple
) -> tuple[str, list[ConflictCopy]]:
    """The merged text of the note at `path`, and copies of the edits that lost."""
    (was, base_body), (us, our_body), (them, their_body) = split(base), split(ours), split(theirs)
    head, head_copies = merge_head(path, was, us, them)
    records = cache(lambda: note_records(path, (base, ours, theirs), evidence()))
    body, body_copies = merge_body(path, base_body, our_body, their_body, records)
    if head and body and not head.endswith("\n"):
        head += "\n"
    if not head and split(body)[0]:
        body = "\n" + body  # two thematic breaks must not become a head
    return head + body, head_copies + body_copies


_FIELD = lazy_pattern(r"([A-Za-z_][\w.-]*)[ \t]*:(?=\s|$)")


@dataclass(frozen=True)
class _Fields:
    """A head: its delimiters, and between them the lines of each field or comment."""

    opening: str
    lines: Mapping[Key, str]
    closing: str
    read: Head


def merge_head(path: str, base: str, ours: str, theirs: str) -> tuple[str, list[ConflictCopy]]:
    """The merged head with its delimiters ('': none), and copies of what lost; one that can't be parsed is
    taken whole, so that no line of it is lost or mixed with others."""
    if plain(ours) == plain(theirs) or plain(base) in (plain(ours), plain(theirs)):
        return choose(base or None, ours or None, theirs or None)[0] or "", []
    was, us, them = (_fields(head) for head in (base, ours, theirs))
    if us and them:
        was = was or _Fields("---\n", {}, "---\n", frontmatter.read("---\n---\n"))
        merged, copies = _by_fields(path, was, us, them)
        if _fields(merged):
            return merged, copies
    return _whole(path, base, ours, theirs)


def _whole(path: str, base: str, ours: str, theirs: str) -> tuple[str, list[ConflictCopy]]:
    """One of two heads, and a copy of the other; a head that can be parsed wins."""
    if not ours or not theirs:
        return ours or theirs, []
    readable = [head for head in (ours, theirs) if _fields(head)]
    winner, loser = choose(base or None, ours, theirs)
    if len(readable) == 1 and winner != readable[0]:
        winner, loser = loser, winner
    return winner or "", [ConflictCopy(path, plain(base), plain(winner or ""), plain(loser or ""))]


def _by_fields(path: str, was: _Fields, us: _Fields, them: _Fields) -> tuple[str, list[ConflictCopy]]:
    base = was.lines
    stay: dict[Key, str] = {}
    copies = []
    for key in sorted(us.lines.keys() | them.lines.keys()):
        text, other = choose(base.get(key), us.lines.get(key), them.lines.get(key))
        if text is not None and other is not None:
            both = _by_meaning(key, was, us, them)
            if both is None:
                copies.append(ConflictCopy(path, plain(base.get(key, "")), plain(text), plain(other)))
            text = both or text
        if text is not None:
            stay[key] = text
    keys = order(*([key for key in lines if key in stay] for lines in (base, us.lines, them.lines)))
    opening = either(was.opening, us.opening, them.opening)
    closing = either(was.closing, us.closing, them.closing)
    return opening + "".join(stay[key] for key in keys) + closing, copies


def _by_meaning(key: Key, was: _Fields, us: _Fields, them: _Fields) -> str | None:
    """The lines of a field when both sides' values can be combined; None when one of them has to lose."""
    ours, theirs = us.lines[key], them.lines[key]
    match key[1]:
        case "tags" if _are_words(us.read) and _are_words(them.read):
            return _tags(was, us, them, key)
        case "updated" if us.read.updated and them.read.updated:
            return max((us.read.updated, ours), (them.read.updated, theirs))[1]
        case "created" if us.read.created and them.read.created:
            return min((us.read.created, ours), (them.read.created, theirs))[1]
    return None


def _are_words(read: Head) -> bool:
    return bool(read.tags) or read.fields.get("tags") in (None, [])


def _tags(was: _Fields, us: _Fields, them: _Fields, key: Key) -> str:
    """The lines of all tags that a side added or nobody removed; those of a side that has exactly these."""
    base, ours, theirs = ([(tag,) for tag in side.read.tags] for side in (was, us, them))
    tags_that_stay = {tag for tag in (*ours, *theirs) if (tag in ours and tag in theirs) or tag not in base}
    sides = ([tag for tag in tags if tag in tags_that_stay] for tags in (base, ours, theirs))
    stay: list[Key] = order(*sides)
    same = [side.lines[key] for side, tags in ((us, ours), (them, theirs)) if tags == stay]
    if same:
        return max(same)
    return frontmatter.field_line("tags", [tag for (tag,) in stay]) + "\n"


def _fields(head: str) -> _Fields | None:
    """A head by its fields; None when its lines can't be assigned to the fields that YAML reads."""
    read = frontmatter.read(head)
    lines = lines_of(head)
    if len(lines) < 2 or (read.problems and not read.fields):
        return None
    lines_by_key: dict[Key, str] = {}
    counts: Counter[Key] = Counter()
    key: Key = ("lead", "")
    for line in lines[1:-1]:
        field = _FIELD.match(line)
        if field or line.startswith("#"):
            key = ("field", field[1]) if field else ("comment", plain(line))
            counts[key] += 1
            key = (*key, str(counts[key]))
        lines_by_key[key] = lines_by_key.get(key, "") + line
    names = [key[1] for key in lines_by_key if key[0] == "field"]
    if sorted(names) != sorted(read.fields):
        return None
    return _Fields(lines[0], lines_by_key, lines[-1], read)


def merge_body(
    path: str, base: str, ours: str, theirs: str, records: Callable[[], NoteRecords]
) -> tuple[str, list[ConflictCopy]]:
    """The merged body of the note at `path`, and copies of the edits that lost."""
    if ours in (base, theirs):
        return theirs, []
    if theirs == base:
        return ours, []
    three = identify(base, ours, theirs, records)
    parts, copies = _chosen_parts(path, three)
    parts = _with_right_counts(parts, three)
    parts |= _headings_needed(parts, three)
    was, us, them = three
    lost = {words(copy.other) for copy in copies}
    # Merged again with one of its sides, a merged version keeps every byte, however similar its entries are.
    if (ours_is_merged := _holds(was, us, them, lost)) != _holds(was, them, us, lost):
        return (ours if ours_is_merged else theirs), copies
    return written_out(parts, three), copies


def _chosen_parts(path: str, three: Three) -> tuple[dict[Key, Part], list[ConflictCopy]]:
    """The parts that stay, each with the chosen text, under the heading where it belongs."""
    base, ours, theirs = (version.parts for version in three)
    again = said_again(*(map(_saying, version.values()) for version in (base, ours, theirs)))
    parts: dict[Key, Part] = {}
    copies = []
    for key in sorted(ours.keys() | theirs.keys()):
        was, us, them = base.get(key), ours.get(key), theirs.get(key)
        if was and _saying(was) in again and not (us and them):
            was = None
        text, other = choose(_text(was), _edited(was, us, them), _edited(was, them, us))
        if text is not None:
            parts[key] = _placed(was, us, them, text)
        if text is not None and other is not None and words(other) != words(text):
            copies.append(ConflictCopy(path, plain(_text(was) or ""), plain(text), plain(other)))
    return parts, copies


def _saying(part: Part) -> tuple[bool, str]:
    """(whether it is a heading, its text); the depth of a heading doesn't count."""
    is_heading = part.kind == "heading"
    return is_heading, part.path[-1] if is_heading else part.says


def _text(part: Part | None) -> str | None:
    return part.text if part else None


def _edited(was: Part | None, part: Part | None, other: Part | None) -> str | None:
    """The text of a part; the base's if this side changed only white space and the other side more."""
    if was and part and part.kind != "heading" and words(part.text) == words(was.text):
        return part.text if other and words(other.text) == words(was.text) else was.text
    return _text(part)


def _placed(was: Part | None, us: Part | None, them: Part | None, text: str) -> Part:
    parts = [part for part in (us, them) if part]
    chosen = next(part for part in parts if part.text == text)
    if us and them:
        return replace(chosen, home=_home(was, us, them))
    return chosen


def _home(was: Part | None, us: Part, them: Part) -> Key:
    """The heading that a side moved a part to; headings with the same title count as the same."""
    title = either(was.home[:-1] if was else None, us.home[:-1], them.home[:-1])
    homes = [part.home for part in (us, them) if part.home[:-1] == title]
    return either(was.home if was else None, homes[0], homes[-1])


def _with_right_counts(parts: Mapping[Key, Part], three: Three) -> dict[Key, Part]:
    """Correct the number of copies of each text, wherever copies were moved: the larger one if a side has
    more than the base, otherwise the smaller one, so that the order of merges doesn't count. Copies that
    the sides put under different headings all stay."""
    was, us, them = (_counted(version.parts) for version in three)
    now, parts_that_stay = _counted(parts), dict(parts)
    differing = {says for says in us.keys() | them.keys() if not us[says] == them[says] == now[says]}
    copies = _copies(parts, differing)
    ours, theirs = (_copies(version.parts, differing) for version in three[1:])
    for says in differing:
        few, many = sorted((us[says], them[says]))
        places = len({part.home[:-1] for part in copies[says].values()})
        times = max(many if many > was[says] else few, places)
        dropped = theirs[says] | ours[says]
        missing = sorted(dropped.keys() - copies[says].keys(), reverse=True)[: max(times - now[says], 0)]
        parts_that_stay |= {key: dropped[key] for key in missing if key not in parts_that_stay}
        for key in _surplus(copies[says])[: max(now[says] - times, 0)]:
            del parts_that_stay[key]
    return parts_that_stay


def _counted(parts: Mapping[Key, Part]) -> Counter[str]:
    return Counter(part.says for part in parts.values() if part.kind != "heading")


def _copies(parts: Mapping[Key, Part], sayings: Set[str]) -> dict[str, dict[Key, Part]]:
    """text -> the parts with that text, for each of these texts."""
    copies: dict[str, dict[Key, Part]] = {says: {} for says in sayings}
    for key, part in parts.items():
        if part.says in copies and part.kind != "heading":
            copies[part.says][key] = part
    return copies


def _surplus(copies: Mapping[Key, Part]) -> list[Key]:
    """Copies beyond the first one under the same heading."""
    first = {part.home[:-1]: key for key, part in sorted(copies.items(), reverse=True)}
    return sorted(copies.keys() - first.values(), reverse=True)


def _headings_needed(parts: Mapping[Key, Part], three: Three) -> dict[Key, Part]:
    """Headings that one side removed while the other side put something under them."""
    _, ours, theirs = three
    needed: dict[Key, Part] = {}
    for part in parts.values():
        home = part.home
        while home != ROOT and home not in parts and home not in needed:
            versions = [v.parts[home] for v in (ours, theirs) if home in v.parts]
            needed[home] = max(versions, key=lambda p: p.text)
            home = needed[home].home
    return needed


_Facts = Mapping[Any, Any]


def words(text: str) -> str:
    """The words of a block, which must not be lost, unlike white space and the depth of a heading."""
    return " ".join(text.lstrip("#").split())


def _holds(base: BodyVersion, whole: BodyVersion, part: BodyVersion, lost: Set[str]) -> bool:
    """Whether `whole` has all changes of `part` but what is in `lost`: words, places, gaps and order."""
    versions = (base, whole, part)
    common = base.parts.keys() & whole.parts.keys() & part.parts.keys()
    return _has_the_words(base, whole, part, lost) and all(
        _has_changes_of(*facts)
        for facts in (
            map(_places, versions),
            (version.gaps for version in versions),
            ({"order": [key for key in version.parts if key in common]} for version in versions),
        )
    )


def _has_the_words(base: BodyVersion, whole: BodyVersion, part: BodyVersion, lost: Set[str]) -> bool:
    """Whether `whole` has every text that `part` added to the base, and none that `part` removed."""
    now, then = _more(base, whole), _more(base, part)
    homes = {p.home for p in whole.parts.values()} & whole.parts.keys()
    needed = {words(whole.parts[home].text) for home in homes}
    return all(
        now[says] >= more or says in lost
        if more > 0
        else now[says] <= more or now[says] > 0 or says in needed
        for says, more in then.items()
        if more
    )


def _more(base: BodyVersion, version: BodyVersion) -> Counter[str]:
    """text -> how many more copies than in the base; negative for fewer."""
    more: Counter[str] = Counter()
    for side, other, sign in ((version, base, 1), (base, version, -1)):
        for key, part in side.parts.items():
            same = other.parts.get(key)
            if same is None or same.text != part.text:
                more[words(part.text)] += sign
    return more


def _has_changes_of(base: _Facts, whole: _Facts, part: _Facts) -> bool:
    """Whether `whole` differs from the base wherever `part` does, for facts that all three have."""
    common = base.keys() & whole.keys() & part.keys()
    return all(whole[fact] != base[fact] for fact in common if part[fact] != base[fact])


def _places(version: BodyVersion) -> _Facts:
    """text -> the headings that its copies stand under; for a heading also its depth."""
    places: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for part in version.parts.values():
        depth = part.text[: -len(part.text.lstrip("#"))]
        places[words(part.text)].append((*part.path[:-1], depth) if part.kind == "heading" else part.path)
    return {says: sorted(paths) for says, paths in places.items()}
