"""The references of a note: links to other notes, and names of files."""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from posixpath import normpath, relpath
from typing import NamedTuple
from urllib.parse import quote, unquote

from ctxrepo.domain.note.frontmatter import split
from ctxrepo.domain.note.markdown import fence_after, lines_of
from ctxrepo.domain.project.layout import GLOBAL, archived
from ctxrepo.lazy import dataclass, lazy_pattern

_WIKI = lazy_pattern(r"\[\[([^\[\]\n]{1,200})\]\]")
_INLINE = lazy_pattern(
    r"(?:\[[^\[\]\n]{0,200})?\]\([ \t]*"
    r"(?:<([^<>\n]{1,500})>|([^\s()<>]{1,500}))"
    r"""(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'))?[ \t]*\)"""
)
_DEFINITION = lazy_pattern(r"(?m)^ {0,3}\[[^\[\]\n]{1,200}\]:[ \t]*(?:<([^<>\n]{1,500})>|([^\s<>]{1,500}))")
_SCHEME = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_TICKS = lazy_pattern(r"`+")
_IN_THE_WAY = lazy_pattern(r"[\s()<>%\"#?]")
"""Characters that have to be escaped in the path of a markdown link."""


def named_by(link: str) -> str:
    """The note that a link names, without its label and without a heading in the note."""
    return link.partition("|")[0].partition("#")[0].strip()


def resolve(link: str, source: str, notes: Collection[str], general: str = GLOBAL) -> str:
    """The path among `notes` (paths in the repository) that a link in the note `source` leads to, or ''.
    It is searched beside the note, in its scope, in the folder `general`, from the top; then by its name
    alone in the scope and in `general`, if only one note has that; then in the archive. A link to a
    heading only (`[[#Later]]`) leads to its own note."""
    name = named_by(link)
    if not name:
        return source
    scope, colon, rest = name.rpartition(":")
    path = rest if rest.lower().endswith(".md") else f"{rest}.md"
    if colon:
        target = f"{general if scope == GLOBAL else scope}/{path}"
        return _first([target, archived(target)], notes)
    folder, top = source.rpartition("/")[0], source.partition("/")[0]
    places = [f"{folder}/{path}", f"{top}/{path}", f"{general}/{path}", path]
    match = _first(places, notes) or _called(path, top, notes) or _called(path, general, notes)
    return match or _first([archived(place) for place in places], notes)


class Spot(NamedTuple):
    """A link in a text: `text[start:end]` names the note, `name` is the decoded name; `link` also has what
    follows the name, and `written` is the whole link."""

    start: int
    end: int
    name: str
    link: str
    written: str
    is_wiki: bool = False
    is_angled: bool = False
    """Whether the name stands between `<` and `>`, and may have blanks in it."""


def spots(text: str) -> list[Spot]:
    """The links of a text in order, `[[note]]`, `[label](note.md)`, `[label]: note.md`: neither in code
    nor out of the memory."""
    bare = _without_code(text)
    spots_in_text = [_wiki(match, text) for match in _WIKI.finditer(bare)]
    for pattern in (_INLINE, _DEFINITION):
        spots_in_text += [spot for match in pattern.finditer(bare) if (spot := _markdown(match, text))]
    return sorted(spots_in_text)


def leads_to(spot: Spot, source: str, notes: Collection[str], general: str = GLOBAL) -> str:
    """The path among `notes` that a link in the note `source` leads to, or ''; for a markdown link that is
    relative to the note first, as everywhere, then in its scope and from the top."""
    if spot.is_wiki:
        return resolve(spot.name, source, notes, general)
    return _first(_places(spot.name, source), notes)


@dataclass(frozen=True)
class Moves:
    """Notes that get new paths together, among all `notes` before that; `general` is the global folder."""

    to: Mapping[str, str]
    notes: Collection[str]
    general: str = GLOBAL

    @cached_property
    def after(self) -> frozenset[str]:
        return frozenset(self.to.get(path, path) for path in self.notes)

    @cached_property
    def _names(self) -> frozenset[str]:
        """Names of links that may lead elsewhere after the move; a new name may also hide another note."""
        return frozenset(_stem(path) for path in (*self.to, *self.to.values()))

    def rewrite(self, source: str, text: str, here: str = "") -> str:
        """The text of the note at `source`, with links that lead where they led before; those that still
        do stay as they are, as all else. With `here` the text is a part that moves to that note while its
        own stays."""
        here = here or self.to.get(source, source)
        head, body = split(text)
        parts, end = [head], 0
        for spot in spots(body):
            if here == source and _stem(spot.name) not in self._names:
                continue
            led = leads_to(spot, source, self.notes, self.general) if spot.name else ""
            leads = self.to.get(led, led)
            if led and leads_to(spot, here, self.after, self.general) != leads:
                parts += [body[end : spot.start], self._name(spot, source, led, here, leads)]
                end = spot.end
        return "".join([*parts, body[end:]])

    def _name(self, spot: Spot, source: str, led: str, here: str, leads: str) -> str:
        """The link's new name, in the notation of the old one if that leads there."""
        if not spot.is_wiki:
            is_relative = _places(spot.name, source)[0] == led
            near = relpath(leads, here.rpartition("/")[0] or ".")
            ways = [near] if is_relative else [leads.partition("/")[2], near]
            name = next((way for way in ways if _first(_places(way, here), self.after) == leads), near)
            return name if spot.is_angled else _IN_THE_WAY.sub(lambda match: quote(match[0]), name)
        top, _, rest = leads.partition("/")
        scoped = f"{GLOBAL if top == self.general else top}:{rest}"
        ways = [rest, leads, scoped]
        if ":" in spot.name:
            ways = [scoped]
        elif "/" not in spot.name:
            ways = [rest.rpartition("/")[2], *ways]
        elif spot.name.startswith(f"{led.partition('/')[0]}/"):
            ways = [leads, *ways]
        if not spot.name.lower().endswith(".md"):
            ways = [way[: -len(".md")] for way in ways]
        return next((way for way in ways if resolve(way, here, self.after, self.general) == leads), ways[-1])


def _wiki(match: re.Match[str], text: str) -> Spot:
    start = match.start(1)
    raw = re.split(r"[|#]", text[start : match.end(1)], maxsplit=1)[0]
    start += len(raw) - len(raw.lstrip())
    name, link = raw.strip(), text[match.start(1) : match.end(1)]
    return Spot(start, start + len(name), name, link, f"[[{link}]]", is_wiki=True)


def _markdown(match: re.Match[str], text: str) -> Spot | None:
    """The spot of a markdown link; None if it doesn't lead to a note of the memory."""
    group = 1 if match[1] is not None else 2
    start = match.start(group)
    path = re.split(r"[#?]", text[start : match.end(group)], maxsplit=1)[0]
    name = unquote(path)
    if not name.lower().endswith(".md") or name.startswith("/") or _SCHEME.match(path):
        return None
    link, written = text[start : match.end(group)], text[match.start() : match.end()].strip()
    return Spot(start, start + len(path), name, link, written, is_angled=group == 1)


def _places(name: str, source: str) -> list[str]:
    """The paths that a markdown link in the note `source` may mean, the most likely first."""
    folder, top = source.rpartition("/")[0], source.partition("/")[0]
    return [normpath(place) for place in (f"{folder}/{name}", f"{top}/{name}", name)]


def _without_code(text: str) -> str:
    """The text with blanks instead of code, so that offsets and lines stay the same."""
    fence, lines = "", []
    for line in lines_of(text):
        was, fence = fence, fence_after(line, fence)
        is_code = bool(was or fence)
        bare = re.sub(r"[^\r\n]", " ", line) if is_code else line
        lines.append(_without_spans(bare) if "`" in bare else bare)
    return "".join(lines)


def _without_spans(line: str) -> str:
    """A line with blanks instead of code between runs of as many backticks. Each run is visited once, from
    the end: the time is linear in the line's length, whatever it holds."""
    next_end: dict[int, int] = {}
    spans: list[tuple[int, int]] = []
    for run in reversed(list(_TICKS.finditer(line))):
        count = run.end() - run.start()
        if count in next_end:
            spans.append((run.start(), next_end[count]))
        next_end[count] = run.end()
    parts, here = [], 0
    for start, end in reversed(spans):
        if start >= here:
            parts += [line[here:start], " " * (end - start)]
            here = end
    return "".join([*parts, line[here:]])


def _stem(path: str) -> str:
    name = path.rpartition("/")[2].rpartition(":")[2].casefold()
    return name.removesuffix(".md")


def _first(paths: Sequence[str], notes: Collection[str]) -> str:
    return next((path for path in paths if path in notes), "")


def _called(path: str, scope: str, notes: Collection[str]) -> str:
    """The only note of a scope whose path ends with `path`, whatever its case; '' if there are several."""
    end = f"/{path}".casefold()
    matches = [note for note in notes if note.startswith(f"{scope}/") and note.casefold().endswith(end)]
    return matches[0] if len(matches) == 1 else ""


_BARE = [f"{tool}file" for tool in ("make", "docker", "container", "jenkins", "gem", "rake", "proc", "just")]
"""Names without an extension."""

_EXTENSION = lazy_pattern(r"\.[A-Za-z]")
_ENDS = sorted({name[-5:] for name in _BARE})
_RUN = lazy_pattern(r"[\w.~@+/-]+", re.ASCII)
_NAME = lazy_pattern(rf"[\w.~+-]*\.[a-z]\w{{0,9}}|{'|'.join(_BARE)}", re.ASCII)

_SHORTEST = 4
"""Characters of a name: `e.g` and `i.e` are none."""

_LONGEST = 100


def mentions_of(text: str) -> set[str]:
    """The name of each file in a text, in lower case, and `folder/name` if it has a folder."""
    # Most texts name none, and this is cheap: all entries of a memory are tested when its cache is built.
    if not _EXTENSION.search(text) and not ("file" in text and any(end in text for end in _ENDS)):
        return set()
    names = set()
    for run in _RUN.findall(text):
        if "." not in run and not run.endswith("file"):
            continue
        token = run.rstrip(".~@+/-").lower()
        folder, _, name = token.rpartition("/")
        if token.startswith("//") or not _SHORTEST <= len(name) <= _LONGEST or not _NAME.fullmatch(name):
            continue  # what follows `https:` is no path either
        names.add(name)
        parent = folder.rpartition("/")[2]
        if parent not in ("", ".", "..", "~"):
            names.add(f"{parent[-_LONGEST:]}/{name}")
    return names
