"""What several sections of the page are made of: badges, commands to copy, diffs, moments and sections."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from ctxrepo.domain.formats.moment import ago
from ctxrepo.faces.page.markup import NOTHING, Html, join, tag
from ctxrepo.faces.page.prose import entry_words

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


def told(lines: Sequence[str]) -> Html:
    """Lines that tell of entries: `+ ` came, `~ ` changed, `- ` went."""
    rows = [
        tag(
            "li",
            tag("span", _sign(line[:1]), class_="sign"),
            " ",
            tag("span", entry_words(line[2:]), class_="of"),
            class_=_SIGNS.get(line[:1], "told"),
        )
        for line in lines
    ]
    return tag("ul", *rows, class_="told") if rows else NOTHING


def _sign(mark: str) -> str:
    return {"-": "−", "*": "·"}.get(mark, mark)


def counts(came: int, changed: int, went: int) -> Html:
    """How many entries came, changed and went; nothing where none did."""
    found = (("added", "+", came), ("changed", "~", changed), ("gone", "−", went))
    parts = [tag("span", f"{sign}{count}", class_=f"count {kind}") for kind, sign, count in found if count]
    return join(*(part for one in parts for part in (one, Html(" "))))


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
