"""Merges the body of a note by its entries: which stay, with which text, and under which heading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import replace

from ctxrepo.domain.merge.choose import Key, choose, either, plain
from ctxrepo.domain.merge.note.contained import already_merged, words
from ctxrepo.domain.merge.note.identity import identify
from ctxrepo.domain.merge.note.layout import written_out
from ctxrepo.domain.merge.note.version import ROOT, Part, Three
from ctxrepo.domain.records.conflict_copy import ConflictCopy


def merge_body(path: str, base: str, ours: str, theirs: str) -> tuple[str, list[ConflictCopy]]:
    """The merged body of the note at `path`, and copies of the edits that lost."""
    if ours in (base, theirs):
        return theirs, []
    if theirs == base:
        return ours, []
    three = identify(base, ours, theirs)
    parts, copies = _chosen_parts(path, three)
    parts = _with_right_counts(parts, three)
    parts |= _headings_needed(parts, three)
    match already_merged(three, {words(copy.other) for copy in copies}):
        case (True, False):
            return ours, copies
        case (False, True):
            return theirs, copies
    return written_out(parts, three), copies


def _chosen_parts(path: str, three: Three) -> tuple[dict[Key, Part], list[ConflictCopy]]:
    """The parts that stay, each with the chosen text and under the heading where it belongs."""
    base, ours, theirs = (version.parts for version in three)
    again = _said_again(base, ours, theirs)
    parts: dict[Key, Part] = {}
    copies = []
    for key in sorted(ours.keys() | theirs.keys()):
        was, us, them = base.get(key), ours.get(key), theirs.get(key)
        if was and _saying(was) in again and not (us and them):
            was = None
        text, lost = choose(_text(was), _edited(was, us, them), _edited(was, them, us))
        if text is not None:
            parts[key] = _placed(was, us, them, text)
        if text is not None and lost is not None and words(lost) != words(text):
            copies.append(ConflictCopy(path, plain(_text(was) or ""), plain(text), plain(lost)))
    return parts, copies


def _said_again(*parts: Mapping[Key, Part]) -> set[tuple[bool, str]]:
    """What a side says more often than the base: the other side did not remove these copies on purpose."""
    was, us, them = (Counter(map(_saying, version.values())) for version in parts)
    return {saying for saying in us | them if max(us[saying], them[saying]) > was[saying]}


def _saying(part: Part) -> tuple[bool, str]:
    """(is it a heading, what it says); the depth of a heading doesn't count."""
    is_heading = part.kind == "heading"
    return is_heading, part.path[-1] if is_heading else part.says


def _text(part: Part | None) -> str | None:
    return part.text if part else None


def _edited(was: Part | None, part: Part | None, other: Part | None) -> str | None:
    """The text of a part; the base's text if only white space changed here and the other side changed
    more."""
    if was and part and part.kind != "heading" and words(part.text) == words(was.text):
        return part.text if other and words(other.text) == words(was.text) else was.text
    return _text(part)


def _placed(was: Part | None, us: Part | None, them: Part | None, text: str) -> Part:
    there = [part for part in (us, them) if part]
    chosen = next(part for part in there if part.text == text)
    if us and them:
        return replace(chosen, home=_home(was, us, them))
    return chosen


def _home(was: Part | None, us: Part, them: Part) -> Key:
    """The heading that a side moved a part to; under two headings of the same title it is the same move."""
    title = either(was.home[:-1] if was else None, us.home[:-1], them.home[:-1])
    homes = [part.home for part in (us, them) if part.home[:-1] == title]
    return either(was.home if was else None, homes[0], homes[-1])


def _with_right_counts(parts: Mapping[Key, Part], three: Three) -> dict[Key, Part]:
    """The parts with the right number of copies of each text, wherever copies were moved.

    If a side has more copies than the base, the larger number stays, else the smaller one. So the number is
    the same in whatever order machines merge. Copies that the sides put under different headings all stay.
    """
    was, us, them = (_counted(version.parts) for version in three)
    now, kept = _counted(parts), dict(parts)
    differing = {says for says in us.keys() | them.keys() if not us[says] == them[says] == now[says]}
    copies = _copies(parts, differing)
    ours, theirs = (_copies(version.parts, differing) for version in three[1:])
    for says in differing:
        few, many = sorted((us[says], them[says]))
        places = len({part.home[:-1] for part in copies[says].values()})
        times = max(many if many > was[says] else few, places)
        dropped = theirs[says] | ours[says]
        missing = sorted(dropped.keys() - copies[says].keys(), reverse=True)[: max(times - now[says], 0)]
        kept |= {key: dropped[key] for key in missing if key not in kept}
        for key in _surplus(copies[says])[: max(now[says] - times, 0)]:
            del kept[key]
    return kept


def _counted(parts: Mapping[Key, Part]) -> Counter[str]:
    return Counter(part.says for part in parts.values() if part.kind != "heading")


def _copies(parts: Mapping[Key, Part], sayings: Set[str]) -> dict[str, dict[Key, Part]]:
    """text -> the entries that say it, for each of these texts."""
    found: dict[str, dict[Key, Part]] = {says: {} for says in sayings}
    for key, part in parts.items():
        if part.says in found and part.kind != "heading":
            found[part.says][key] = part
    return found


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
            there = [v.parts[home] for v in (ours, theirs) if home in v.parts]
            needed[home] = max(there, key=lambda p: p.text)
            home = needed[home].home
    return needed
