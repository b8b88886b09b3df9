"""What the presets of other designs make of recalled entries: `semantic` brings the siblings of keys and puts
lessons in two parts, `scored` prefers categories by what a prompt is about. Others load none of this."""

import _sqlite3

from ctxrepo.domain.words.categories import SPELLINGS, bullet_parts, category_of, corrects, key_in
from ctxrepo.domain.words.prompt_terms import fold, words
from ctxrepo.hooks.known.cached import EntryHit, hits_at, spans_of
from ctxrepo.hooks.recall.ranking import RecallRequest

SEGMENTS = 3
"""Keys of so many segments, as `project.shop.port`, have siblings: those that differ in the last one."""

BY_WORDS, BY_MEANING = 5, 20
"""The most siblings, where words found the entries and where meaning did."""

MOST_LESSONS = 15

STEPS = 3
"""How many places an entry of a preferred category moves up."""

CLASSES = (
    (("pr", "prs", "review", "reviewer", "diff", "merge"), ("preference", "lesson", "pattern"), 7),
    (("release", "tag", "version", "changelog", "publish"), ("decision", "lesson", "done"), 6),
    (
        ("bug", "error", "fail", "fails", "failing", "crash", "traceback", "debug", "broken"),
        ("mistake", "lesson"),
        7,
    ),
)
"""Words that tell what a prompt is about, the categories that it prefers, and the most entries for it."""

GENERAL = 5
"""The most entries for any other prompt."""

_SIBLINGS = """
    select e.rowid from entry e join note n on n.id = e.note
    where e.rowid between ? and ? and e.found and n.listed and instr(lower(e.text), ?) > 0 limit 200"""


def arranged(
    cache: _sqlite3.Connection, preset: str, request: RecallRequest, hits: list[EntryHit], is_by_meaning: bool
) -> list[EntryHit]:
    """These hits, best first, as `scored` or `semantic` has them."""
    if preset == "scored":
        return by_class(request.prompt, hits)
    most = BY_MEANING if is_by_meaning else BY_WORDS
    return lessons_apart(hits + siblings(cache, hits, request.scopes, most))


def by_class(prompt: str, hits: list[EntryHit]) -> list[EntryHit]:
    """The hits for a prompt, those of the categories that it prefers three places further up."""
    prompt_words = {fold(word) for word in words(prompt)}
    preferred, most = next(
        ((names, most) for about, names, most in CLASSES if prompt_words & {*about}), ((), GENERAL)
    )
    categories = [category_of(bullet_parts(hit.text)[0]) for hit in hits]
    places = {hit.id: at - STEPS * (categories[at] in preferred) for at, hit in enumerate(hits)}
    return sorted(hits, key=lambda hit: places[hit.id])[:most]


def siblings(
    cache: _sqlite3.Connection, hits: list[EntryHit], scopes: list[str], most: int
) -> list[EntryHit]:
    """The entries whose keys differ from a hit's in the last segment alone, by key; without the hits."""
    known = {hit.id for hit in hits}
    by_id: dict[str, EntryHit] = {}
    stems = [stem for hit in hits if (stem := stem_of(key_in(hit.text)))]
    for stem in dict.fromkeys(stems):
        for span in spans_of(cache, scopes):
            numbers = [number for (number,) in cache.execute(_SIBLINGS, (span.first, span.last, stem))]
            for hit in hits_at(cache, numbers).values():
                if hit.id not in known and stem_of(key_in(hit.text)) == stem:
                    by_id[hit.id] = hit
    return sorted(by_id.values(), key=lambda hit: (key_in(hit.text), hit.id))[:most]


def stem_of(key: str) -> str:
    """The segments of a key before the last one, with the dot after them; '' for a key of too few."""
    stem, dot, last = key.rpartition(".")
    return f"{stem}." if last and stem.count(".") >= SEGMENTS - 2 and dot else ""


def lessons_apart(hits: list[EntryHit]) -> list[EntryHit]:
    """The hits, with the first lessons last: those that correct something come before others."""
    lessons = [hit for hit in hits if bullet_parts(hit.text)[0] in _LESSONS][:MOST_LESSONS]
    others = [hit for hit in hits if bullet_parts(hit.text)[0] not in _LESSONS]
    return others + sorted(lessons, key=lambda hit: not corrects(hit.text))


_LESSONS = (*SPELLINGS["lesson"], *SPELLINGS["mistake"])
