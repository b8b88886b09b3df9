"""Tells whether one version of a note holds the other one's changes already, so that it can stay as it is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set
from typing import Any

from ctxrepo.domain.merge.note.version import BodyVersion, Three

_Facts = Mapping[Any, Any]


def already_merged(three: Three, lost: Set[str]) -> tuple[bool, bool]:
    """For ours and for theirs: whether it holds all changes of the other one, save what is in `lost`.

    So a merged version that is merged with one of its sides again keeps every byte, however similar its
    entries are.
    """
    base, ours, theirs = three
    return _holds(base, ours, theirs, lost), _holds(base, theirs, ours, lost)


def words(text: str) -> str:
    """The words of a block, which must not be lost; white space and the depth of a heading may be."""
    return " ".join(text.lstrip("#").split())


def _holds(base: BodyVersion, whole: BodyVersion, part: BodyVersion, lost: Set[str]) -> bool:
    return _has_the_words(base, whole, part, lost) and all(
        _has_changes_of(*facts)
        for facts in (
            (_places(base), _places(whole), _places(part)),
            (base.gaps, whole.gaps, part.gaps),
            _orders(base, whole, part),
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
    more = Counter(_new_words(version, base))
    more.subtract(_new_words(base, version))
    return more


def _new_words(version: BodyVersion, other: BodyVersion) -> Iterator[str]:
    for key, part in version.parts.items():
        same = other.parts.get(key)
        if same is None or same.text != part.text:
            yield words(part.text)


def _has_changes_of(base: _Facts, whole: _Facts, part: _Facts) -> bool:
    """Whether `whole` differs from the base wherever `part` does, as far as all three have the fact."""
    common = base.keys() & whole.keys() & part.keys()
    return all(whole[fact] != base[fact] for fact in common if part[fact] != base[fact])


def _places(version: BodyVersion) -> _Facts:
    """text -> the headings that its copies stand under; for a heading also its depth."""
    found: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for part in version.parts.values():
        depth = part.text[: -len(part.text.lstrip("#"))]
        found[words(part.text)].append((*part.path[:-1], depth) if part.kind == "heading" else part.path)
    return {says: sorted(paths) for says, paths in found.items()}


def _orders(*versions: BodyVersion) -> tuple[_Facts, ...]:
    """For each version, the order of the parts that all versions have."""
    common = set.intersection(*(set(version.parts) for version in versions))
    return tuple({"order": [key for key in version.parts if key in common]} for version in versions)
