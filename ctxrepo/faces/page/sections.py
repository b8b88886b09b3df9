"""The sections besides the notes: overview, what waits, what two machines made, tape, usage, machines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from ctxrepo.app.views.deciding import NAMES
from ctxrepo.app.views.health import MACHINE_COLUMNS, status_view, words_of_machine
from ctxrepo.app.views.view import Field
from ctxrepo.domain.formats.moment import counted, times, wall_time
from ctxrepo.faces.page.markup import (
    NOTHING,
    Html,
    badge,
    copied,
    counts,
    day_name,
    diff,
    empty,
    entry_lines,
    entry_words,
    inline,
    moment,
    section,
    table,
    tag,
)
from ctxrepo.faces.page.notes import who
from ctxrepo.faces.page.plots import bar, columns, legend, timeline

if TYPE_CHECKING:
    from datetime import date

    from ctxrepo.app.report.report_values import MarkOnTape, MemoryReport, VersionsApart, WaitingItem
    from ctxrepo.services.history.recent_changes import NoteChange

_LATEST = 12
_MARKS = 8
_LANES = 8
"""Scopes on the time line: those that were marked last."""

_QUIET = tag("span", "·", class_="quiet")


def overview(report: MemoryReport, anchors: Mapping[str, str]) -> Html:
    """A week at a glance: what came, changed and went, what waits, and how the memory stands."""
    came, changed, went = (
        sum(getattr(day, name) for day in report.week) for name in ("came", "changed", "went")
    )
    waits = len(report.status.to_decide)
    tiles = [
        _tile("#waiting", waits, "to decide", is_loud=waits > 0),
        _tile("#week", came, "came this week"),
        _tile("#week", changed, "changed"),
        _tile("#week", went, "went"),
    ]
    latest = report.latest[:_LATEST]
    feed = [_event(report, change, anchors) for change in latest]
    more = len(report.latest) - len(latest)
    title = tag("h3", "This week", id="week")
    rest = [copied("ctxrepo history --limit 100", f"{more} earlier changes this week")] if more > 0 else []
    body = [_week(report), tag("h3", "What happened"), tag("ol", *feed, class_="feed"), *rest]
    quiet = [empty("Nothing was written in the last seven days.")]
    health = _health(report)
    return section(
        "overview",
        "Overview",
        "",
        health,
        tag("ul", *tiles, class_="tiles"),
        title,
        *(body if latest else quiet),
    )


def _tile(link: str, count: int, what: str, *, is_loud: bool = False) -> Html:
    inner = tag("a", tag("b", str(count)), tag("span", what), href=link)
    return tag("li", inner, class_="loud" if is_loud else None)


def _health(report: MemoryReport) -> Html:
    """The line that says whether all is well, and what `status` says below it."""
    view = status_view(report.status, report.made)
    fields = [part for part in view.sections[0].parts if isinstance(part, Field)]
    wrong = [line for field in fields if field.mark == "wrong" for line in field.lines]
    says = f"{counted(len(wrong), 'thing')} to look at: {wrong[0]}" if wrong else "All is well"
    rows = [
        tag(
            "div",
            tag("dt", field.label),
            *(tag("dd", inline(line)) for line in field.lines),
            class_=field.mark or None,
        )
        for field in fields
    ]
    mark = tag("span", "▲" if wrong else "●", class_="mark", aria_hidden="true")
    inner = tag("dl", *rows)
    summary = tag("summary", mark, tag("span", inline(says), class_="says"))
    return tag(
        "details", summary, inner, copied("ctxrepo doctor"), class_=f"health {'wrong' if wrong else 'well'}"
    )


def _week(report: MemoryReport) -> Html:
    days = report.days[-7:]
    scopes = dict.fromkeys(day.scope for day in report.week)
    cells = {(day.scope, day.day): counts(day.came, day.changed, day.went) for day in report.week}
    rows = [[scope, *(cells.get((scope, day), _QUIET) for day in days)] for scope in sorted(scopes)]
    caption = "Entries that came (+), changed (~) and went (−)"
    return table(caption, ["Scope", *map(day_name, days)], rows, class_="week")


def _event(report: MemoryReport, change: NoteChange, anchors: Mapping[str, str]) -> Html:
    place = anchors.get(change.now)
    name = tag("a", change.now, href=f"#{place}") if place else tag("span", change.now)
    deed = {"new": "new note", "gone": "deleted", "moved": "moved"}.get(change.deed, "")
    head = tag("div", name, badge(deed) if deed else NOTHING, class_="place")
    source = tag("span", who(change), class_="by")
    what = tag("div", head, entry_lines(change.lines[:3]))
    return tag("li", moment(change.when, report.made), what, source)


def waiting(report: MemoryReport) -> Html:
    """Every item to decide but versions apart, with the commands that decide it."""
    lead = "What waits for your yes or no. This page changes nothing: copy a command and run it."
    cards = [_card(report, item) for item in report.waiting] or [empty("Nothing waits for you.")]
    return section("waiting", "Waiting", lead, *cards)


def _card(report: MemoryReport, waiting_item: WaitingItem) -> Html:
    item = waiting_item.item
    head = _head(NAMES[item.kind], waiting_item, report)
    commands = [copied(command, label) for label, command in waiting_item.commands]
    but = tag("p", tag("strong", "But: "), item.obstacle) if item.obstacle else NOTHING
    body = (tag("p", item.why), but, diff(waiting_item.diff))
    return tag("article", head, *body, *commands, class_="card item-row", tabindex=-1)


def _head(kind: str, waiting_item: WaitingItem, report: MemoryReport) -> Html:
    """What it is and about which file; who it came from, and when."""
    item = waiting_item.item
    title = tag("h3", badge(kind, item.kind), " ", tag("span", item.path, class_="path"))
    source = [item.who, " · "] if item.who else []
    return tag("header", title, tag("p", *source, moment(item.since, report.made), class_="by"))


def conflicts(report: MemoryReport) -> Html:
    """Versions that two machines made of one text, side by side."""
    lead = (
        "Two machines changed the same text. One version holds everywhere; the other was set aside, and "
        "nothing is lost."
    )
    cards = [_apart(report, versions) for versions in report.apart] or [empty("No two machines disagree.")]
    return section("conflicts", "Conflicts of machines", lead, *cards)


def _apart(report: MemoryReport, versions: VersionsApart) -> Html:
    item, head = versions.waiting.item, _head("two versions", versions.waiting, report)
    sides = tag(
        "div",
        _side("Holds now", item.who_before, versions.kept, versions.other, "kept"),
        _side("Set aside", item.who, versions.other, versions.kept, "other"),
        class_="sides",
    )
    base = tag("details", tag("summary", "What both began from"), tag("pre", versions.base))
    before = base if versions.base else NOTHING
    commands = [copied(command, label) for label, command in versions.waiting.commands]
    return tag("article", head, sides, before, *commands, class_="card item-row", tabindex=-1)


def _side(title: str, who: str, text: str, other: str, name: str) -> Html:
    """One version and whose it is; the lines that the other one hasn't stand out, by a mark too."""
    there = set(other.splitlines())
    lines = [
        tag("span", f"{'  ' if line in there else '▸ '}{line}\n", class_=None if line in there else "own")
        for line in text.splitlines()
    ]
    return tag(
        "div", tag("h4", f"{title}, from {who}" if who else title), tag("pre", *lines), class_=f"side {name}"
    )


def tape(report: MemoryReport) -> Html:
    """Anchors and handoffs on a time line, and below it the newest in words."""
    lead = "Where sessions left a mark: a circle is an anchor, a diamond is a handoff to whoever comes next."
    if not report.tape:
        return section("tape", "Tape", lead, empty("No session has left an anchor yet."))
    first = report.days[0]
    recent = [mark for mark in report.tape if mark.when.astimezone().date() >= first]
    lanes = sorted([*dict.fromkeys(mark.scope for mark in recent)][:_LANES])
    recent = [mark for mark in recent if mark.scope in lanes]
    marks = [(m.scope, m.when, m.is_handoff, f"{m.name}, {wall_time(m.when)}") for m in recent]
    plot = [timeline("Anchors and handoffs of four weeks", lanes, marks, report.days)] if recent else []
    rows = [_mark(report, mark) for mark in report.tape]
    newest, earlier = rows[:_MARKS], rows[_MARKS:]
    lists = [tag("ol", *newest, class_="marks feed")]
    if earlier:
        summary = tag("summary", f"{len(earlier)} earlier")
        lists.append(tag("details", summary, tag("ol", *earlier, class_="marks feed"), class_="earlier"))
    return section("tape", "Tape", lead, *plot, *lists)


def _mark(report: MemoryReport, mark: MarkOnTape) -> Html:
    sign = tag("span", "◆" if mark.is_handoff else "●", class_="mark handoff" if mark.is_handoff else "mark")
    kind = badge("handoff") if mark.is_handoff else NOTHING
    head = tag("div", sign, " ", tag("strong", mark.name), " ", kind, class_="title")
    words = tag("div", inline(mark.summary), class_="summary") if mark.summary else NOTHING
    source = " on ".join(filter(None, (mark.agent, mark.host)))
    by = tag("span", " · ".join(filter(None, (mark.scope, source))), class_="by")
    return tag("li", moment(mark.when, report.made), tag("div", head, words), by)


def usage(report: MemoryReport) -> Html:
    """What sessions on this machine were given, and what they made of it."""
    lead = "On this machine: what prompts were given, and which entries sessions opened and used."
    stats = report.usage
    if not stats.count and not any(day.given or day.silent for day in report.prompts):
        return section("usage", "Usage", lead, empty("No session was given anything yet."))
    series = {
        "prompts with entries": [day.given for day in report.prompts],
        "prompts without": [day.silent for day in report.prompts],
    }
    plot = [tag("h3", "Prompts a day"), legend([*series]), columns("Prompts a day", report.days, series)]
    most = max((entry.usage.delivered for entry in stats.entries), default=1)
    kinds = ("given", "opened", "used")
    usages = ((e.text, (e.usage.delivered, e.usage.opened, e.usage.used)) for e in stats.entries)
    rows = [
        [
            tag("span", entry_words(text or "edited or gone since"), class_="words"),
            bar([*zip(kinds, numbers, strict=True)], most),
            *map(str, numbers),
        ]
        for text, numbers in usages
    ]
    entries = counted(stats.count, "entry", "entries")
    share = f"{10 * stats.usage_rate:.0f}"
    total = (
        f"{entries} given {times(stats.delivered)} in all; of ten that a session was given it used {share}."
    )
    key = legend(kinds, kinds)
    what = table("Given most", ["Entry", "", "Given", "Opened", "Used"], rows, class_="usage")
    return section(
        "usage",
        "Usage",
        lead,
        *plot,
        tag("h3", "Entries"),
        tag("p", total),
        key,
        what,
        copied("ctxrepo stats usage"),
    )


def machines(report: MemoryReport) -> Html:
    """All machines, what waits from each, and which machines and agents wrote how much, and when."""
    lead = "From what commits say, whichever machine made them; what isn't sent, only its machine knows."
    hosts = _by_day(report.days, [(day.day, day.host, day.changes) for day in report.writers])
    agents = _by_day(report.days, [(day.day, day.agent or "by hand", day.changes) for day in report.writers])
    known = table(
        "Machines",
        [column.capitalize() for column in MACHINE_COLUMNS],
        [list(words_of_machine(machine, report.made).values()) for machine in report.machines],
        class_="machines",
    )
    plots = [
        part
        for title, series in (("By machine", hosts), ("By agent", agents))
        for part in _plot(report, title, series)
    ]
    return section(
        "machines", "Machines and agents", lead, known, copied("ctxrepo status --machines"), *plots
    )


def _plot(report: MemoryReport, title: str, series: Mapping[str, Sequence[int]]) -> Iterator[Html]:
    yield tag("h3", f"{title}, changes a day")
    yield legend([*series])
    yield columns(f"{title} and day", report.days, series)


def _by_day(days: Sequence[date], changes: Sequence[tuple[date, str, int]]) -> dict[str, list[int]]:
    """name -> a number for each day, those who did most first; from the sixth on they are one."""
    totals: dict[str, int] = {}
    for _, name, count in changes:
        totals[name] = totals.get(name, 0) + count
    order = sorted(totals, key=lambda name: (-totals[name], name))
    names = {name: name if number < 5 else "others" for number, name in enumerate(order)}
    series = {names[name]: [0] * len(days) for name in order}
    for day, name, count in changes:
        series[names[name]][(day - days[0]) // timedelta(days=1)] += count
    return series
