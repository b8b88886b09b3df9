"""Elements of the page. A text becomes part of it by one function, `escaped`, and no other way.

Attributes hold only what this program says: names of classes, numbers, ids of its own. So whatever a memory
has in it stands between tags, where `mask_between_tags` finds it once more."""

import html
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime

from ctxrepo.domain.formats.moment import ago
from ctxrepo.domain.project.layout import visible
from ctxrepo.domain.secrets import mask, scan
from ctxrepo.lazy import lazy_pattern

_TAG = lazy_pattern(r"(<[^<>]*>)")
_WORD = lazy_pattern(r"[\w #./,:;=%+()-]*")
_VOID = frozenset(("input", "br", "hr"))


class Html(str):
    """Finished markup."""

    __slots__ = ()


NOTHING = Html("")


def escaped(text: str) -> Html:
    """A text as a browser shows it and does nothing else with it; what hides something is written out."""
    return Html(html.escape(visible(text.replace("\r", "")).encode("utf-8", "replace").decode()))


def tag(name: str, *children: str, **attributes: str | float | bool | None) -> Html:
    """An element. Children that are markup stay as they are, texts are escaped; `class_` is `class`, and `_`
    in a name is `-`. An attribute that is true has no value, one that is None or False isn't there."""
    words = []
    for key, value in attributes.items():
        key = key.rstrip("_").replace("_", "-")
        if value is True:
            words.append(f" {key}")
        elif value is not None and value is not False:
            text = f"{value:.6g}" if isinstance(value, float) else str(value)
            assert _WORD.fullmatch(text), f"an attribute with text of others: {key}"
            words.append(f' {key}="{text}"')
    opening = f"<{name}{''.join(words)}>"
    return Html(opening) if name in _VOID and not children else Html(f"{opening}{join(*children)}</{name}>")


def join(*parts: str) -> Html:
    """Markup and texts, one after the other."""
    return Html("".join([part if isinstance(part, Html) else escaped(part) for part in parts]))


def mask_between_tags(page: Html) -> Html:
    """The page without secrets. What it was made of had none by itself; only what came to stand side by side
    could look like one. Only texts are searched: in tags is nothing of the memory's."""
    parts = _TAG.split(page)
    texts = parts[::2]
    if not scan("\n".join(map(html.unescape, filter(str.strip, texts)))):
        return page
    parts[::2] = map(_masked, texts)
    return Html("".join(parts))


def _masked(part: str) -> str:
    text = html.unescape(part)
    return html.escape(masked) if (masked := mask(text)) != text else part


_SIGNS = {"+": "added", "-": "gone", "~": "changed", "@": "hunk", "*": "told"}


def section(name: str, title: str, lead: str, *parts: str, class_: str = "") -> Html:
    """A section of the page under its heading; `name` is where links lead to."""
    head = tag("h2", title, id=f"{name}-title", tabindex=-1)
    words = tag("p", lead, class_="lead") if lead else NOTHING
    content = tag("header", head, words)
    return tag("section", content, *parts, id=name, aria_labelledby=f"{name}-title", class_=class_ or None)


def badge(text: str, kind: str = "") -> Html:
    return tag("span", text, class_=f"badge {kind}".strip())


def copied(command: str, says: str = "") -> Html:
    """A command, what it does, and the button that copies it where scripts run."""
    words = tag("span", says, class_="says") if says else NOTHING
    button = tag("button", "Copy", type_="button", class_="copy", hidden=True)
    return tag("div", words, tag("span", tag("code", command), button, class_="line"), class_="command")


def diff(lines: Sequence[str]) -> Html:
    """The lines of a diff; a sign stands at each that came or went, as colour alone would tell nobody."""
    rows = [tag("span", f"{line}\n", class_=_SIGNS.get(line[:1], "same")) for line in lines]
    return tag("pre", *rows, class_="diff") if rows else NOTHING


def entry_lines(lines: Sequence[str]) -> Html:
    """Lines that tell of entries: `+ ` came, `~ ` changed, `- ` went."""
    rows = [
        tag(
            "li",
            tag("span", {"-": "−", "*": "·"}.get(line[:1], line[:1]), class_="sign"),
            " ",
            tag("span", entry_words(line[2:]), class_="of"),
            class_=_SIGNS.get(line[:1], "told"),
        )
        for line in lines
    ]
    return tag("ul", *rows, class_="told") if rows else NOTHING


def counts(came: int, changed: int, went: int) -> Html:
    """How many entries came, changed and went; nothing where none did."""
    kinds = (("added", "+", came), ("changed", "~", changed), ("gone", "−", went))
    parts = [tag("span", f"{sign}{count}", class_=f"count {kind}") for kind, sign, count in kinds if count]
    return join(*(piece for part in parts for piece in (part, Html(" "))))


def moment(when: datetime | None, made: datetime) -> Html:
    """A moment with how long before the page it was."""
    if when is None:
        return tag("span", "not known since when", class_="when")
    local = when.astimezone()
    return tag(
        "time",
        f"{local:%d %b %H:%M} ",
        tag("span", ago(when, made)),
        datetime=f"{local:%Y-%m-%dT%H:%M}",
        class_="when",
    )


def day_name(day: date) -> str:
    return f"{day:%a} {day.day} {day:%b}"


def empty(text: str) -> Html:
    """What stands where there is nothing to show."""
    return tag("p", text, class_="empty")


def table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, class_: str = "") -> Html:
    """A table whose first column names its rows; it scrolls by itself where it is too wide."""
    head = tag("tr", *(tag("th", column, scope="col") for column in columns))
    body = [tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:])) for row in rows]
    inner = tag(
        "table", tag("caption", caption), tag("thead", head), tag("tbody", *body), class_=class_ or None
    )
    return tag("div", inner, class_="scroll")


_FENCE = lazy_pattern(r" {0,3}(`{3,}|~{3,})")
_HEADING = lazy_pattern(r"(#{1,6})[ \t]+(.*)")
_ITEM = lazy_pattern(r"([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(.*)")
_CATEGORY = lazy_pattern(r"\[([A-Za-z][\w-]{0,39})\](?![(\[]) ?")
_BOX = lazy_pattern(r"\[([ xX])\][ \t]+(.*)")
_INLINE = lazy_pattern(r"(`[^`]+`|\*\*[^*]+\*\*)")
_TABLE = lazy_pattern(r"\s*\|.*\|\s*")
_DEEPEST = 4


def prose(text: str, first_line: int, badges: Mapping[int, Html]) -> Html:
    """A body that begins with line `first_line` of its file; `badges` stand at the lines of entries."""
    return join(*_blocks(text.split("\n"), first_line, badges))


def _blocks(lines: list[str], first_line: int, badges: Mapping[int, Html]) -> Iterator[Html]:
    at = 0
    while at < len(lines):
        line, start = lines[at], at
        if fence := _FENCE.match(line):
            at = _end_of_fence(lines, at, fence[1])
            inner = lines[start + 1 : at - 1] if at - 1 > start else []
            yield tag("pre", tag("code", "\n".join(inner)))
        elif heading := _HEADING.fullmatch(line):
            at += 1
            level = min(6, 3 + len(heading[1]))
            yield tag(f"h{level}", inline(heading[2].rstrip("# ")), class_=f"h{len(heading[1])}")
        elif item := _ITEM.fullmatch(line):
            at = _end_of_paragraph(lines, at + 1)
            words = "\n".join([item[3], *(part.strip() for part in lines[start + 1 : at])])
            yield _item(item[1], item[2], words, badges.get(first_line + start))
        elif _TABLE.fullmatch(line):
            while at < len(lines) and _TABLE.fullmatch(lines[at]):
                at += 1
            yield tag("pre", "\n".join(lines[start:at]), class_="table")
        elif line.strip():
            at = _end_of_paragraph(lines, at + 1)
            more = badges.get(first_line + start)
            yield tag("p", inline("\n".join(lines[start:at])), *([" ", more] if more else []))
        else:
            at += 1


def _end_of_fence(lines: list[str], at: int, fence: str) -> int:
    """The line behind the fence that closes this one; the end where none does."""
    for number in range(at + 1, len(lines)):
        if lines[number].strip().startswith(fence) and not lines[number].strip().strip(fence[0]):
            return number + 1
    return len(lines) + 1


def _end_of_paragraph(lines: list[str], at: int) -> int:
    begins = (_FENCE.match, _HEADING.fullmatch, _ITEM.fullmatch, _TABLE.fullmatch)
    while at < len(lines) and lines[at].strip() and not any(begin(lines[at]) for begin in begins):
        at += 1
    return at


def _item(indent: str, sign: str, words: str, badge: Html | None) -> Html:
    """Each bullet is an element of its own, however deep: lists in lists would need a reader of markdown."""
    depth = min(_DEEPEST, len(indent.expandtabs(4)) // 2)
    box = _BOX.match(words)
    mark = "•" if sign in "-*+" else sign
    if box:
        words = words[box.start(2) :]
        mark = "☐" if box[1] == " " else "☑"
    parts = [
        tag("span", mark, class_="mark"),
        tag("span", entry_words(words), *([" ", badge] if badge else [])),
    ]
    return tag("div", *parts, class_=f"item d{depth}" + (" done" if mark == "☑" else ""))


def entry_words(text: str) -> Html:
    """The words of an entry; its category stands back."""
    label = _CATEGORY.match(text)
    if not label:
        return inline(text)
    return join(tag("span", label[0], class_="category"), inline(text[label.end() :]))


def inline(text: str) -> Html:
    """A text with its code and its bold words told apart."""
    return join(*_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    for piece in _INLINE.split(text):
        if len(piece) > 2 and piece[0] == piece[-1] == "`":
            yield tag("code", piece[1:-1])
        elif len(piece) > 4 and piece.startswith("**") and piece.endswith("**"):
            yield tag("strong", piece[2:-2])
        else:
            yield piece
