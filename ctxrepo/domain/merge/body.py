"""The body of a note merged by its entries: what stays, in whose words, and under which heading."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from ctxrepo.domain.entry import normalised
from ctxrepo.domain.merge.aside import Aside
from ctxrepo.domain.merge.choose import Key, choose, either, plain, said_again
from ctxrepo.domain.merge.identity import ROOT, Part, Three, identify
from ctxrepo.domain.merge.layout import laid_out


def merge_body(path: str, base: str, ours: str, theirs: str) -> tuple[str, list[Aside]]:
    """The merged body of the note at `path`, and the edits that lost against another edit."""
    three = identify(base, ours, theirs)
    parts, asides = _members(path, three)
    parts |= _said_by_both(parts, three)
    parts |= _headings_needed(parts, three)
    return laid_out(parts, three), asides


def _members(path: str, three: Three) -> tuple[dict[Key, Part], list[Aside]]:
    """What stays, each part as it was chosen and at home where it was put."""
    base, ours, theirs = (version.parts for version in three)
    again = said_again(base, ours, theirs)
    parts: dict[Key, Part] = {}
    asides = []
    for key in sorted(ours.keys() | theirs.keys()):
        was, us, them = base.get(key), ours.get(key), theirs.get(key)
        if key in again and not (us and them):
            was = None
        text, lost = choose(_text(was), _text(us), _text(them))
        if text is not None:
            parts[key] = _put(was, us, them, text)
        if text is not None and lost is not None and _words(lost) != _words(text):
            asides.append(Aside(path, plain(_text(was) or ""), plain(text), plain(lost)))
    return parts, asides


def _words(text: str) -> str:
    """What must not be lost of a block: not its white space, nor how deep a heading is."""
    return normalised(text.lstrip("#"))


def _text(part: Part | None) -> str | None:
    return part.text if part else None


def _put(was: Part | None, us: Part | None, them: Part | None, text: str) -> Part:
    there = [part for part in (us, them) if part]
    chosen = next(part for part in there if part.text == text)
    if us and them:
        return replace(chosen, home=either(was.home if was else None, us.home, them.home))
    return chosen


def _said_by_both(parts: Mapping[Key, Part], three: Three) -> dict[Key, Part]:
    """Of two equal entries each side removed another one: what both still say must not be lost."""
    _, ours, theirs = (_by_words(version.parts) for version in three)
    now = _by_words(parts)
    missing: dict[Key, Part] = {}
    for says in ours.keys() & theirs.keys():
        short = min(len(ours[says]), len(theirs[says])) - len(now.get(says, ()))
        if short > 0:
            dropped = sorted((ours[says] | theirs[says]).items(), key=lambda kp: kp[0], reverse=True)
            missing |= [(key, part) for key, part in dropped if key not in parts][:short]
    return missing


def _by_words(parts: Mapping[Key, Part]) -> dict[str, dict[Key, Part]]:
    """Entries by what they say."""
    found: dict[str, dict[Key, Part]] = defaultdict(dict)
    for key, part in parts.items():
        if part.kind != "heading":
            found[part.says][key] = part
    return found


def _headings_needed(parts: Mapping[Key, Part], three: Three) -> dict[Key, Part]:
    """Headings that one side took away while the other put something under them."""
    _, ours, theirs = three
    needed: dict[Key, Part] = {}
    for part in parts.values():
        home = part.home
        while home != ROOT and home not in parts and home not in needed:
            there = [v.parts[home] for v in (ours, theirs) if home in v.parts]
            needed[home] = max(there, key=lambda p: p.text)
            home = needed[home].home
    return needed
