"""The rows of each panel, loaded by the operations that commands have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ctxrepo.agents.known import AGENTS
from ctxrepo.app.panels.panel import Panel, PanelName, PanelRow, TapeLook, short_age
from ctxrepo.app.result import Result, reads
from ctxrepo.app.views.view import Field, Part, TextLine, View, one_section
from ctxrepo.domain.formats.moment import counted, seconds_of
from ctxrepo.domain.project.layout import shown
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.records.decision import ItemToDecide, Kind
    from ctxrepo.domain.tape.anchors import Anchor
    from ctxrepo.services.anchors.tape_lookup import AnchorShown

MOST_ANCHORS = 100
MOST_SESSIONS = 200
TOP = 8
CELLS = 10
"""Of a bar in the statistics of a tape."""

_WIDEST = 200
"""Characters of an item that a row has."""

_SIGNS: Mapping[Kind, str] = {
    "proposal": "+",
    "conflict": "~",
    "held": "!",
    "deletion": "-",
    "declined": "x",
    "doubt": "?",
}
_SIGNS_OF = {"add": "+", "remove": "-"}
"""Of proposals to add or to remove something; the others change it."""
_LEVELS = {"error": "!", "warning": "?", "note": " "}


@dataclass(frozen=True)
class PanelRequest:
    """A panel by its name; of the tape one of its three looks."""

    name: PanelName
    look: TapeLook = "timeline"


def load_panel(desk: Desk, request: PanelRequest) -> Result[Panel]:
    """The rows of a panel, as the memory stands now."""
    return Result(_LOADERS[request.name](desk, request), "panel")


@reads
def load_waiting(desk: Desk, _: None) -> Result[tuple[Panel, Panel]]:
    """The two panels of what waits, for which the items are looked for once."""
    from ctxrepo.services.review.items import items_to_decide

    items = items_to_decide(desk.open_memory(or_last_settings=True))
    conflicts, others = (
        [_item_row(item, desk.now) for item in items if (item.kind == "conflict") == is_conflict]
        for is_conflict in (True, False)
    )
    inbox = Panel("inbox", others, "Nothing waits for you.")
    return Result((inbox, Panel("conflicts", conflicts, "No two machines disagree.")))


def _waiting(desk: Desk, request: PanelRequest) -> Panel:
    inbox, conflicts = load_waiting(desk, None).value
    return conflicts if request.name == "conflicts" else inbox


def _item_row(item: ItemToDecide, now: datetime) -> PanelRow:
    is_path = item.kind not in ("proposal", "declined", "doubt")
    of_note = item.change is not None and item.change.endswith(" note")
    text = item.path if is_path else f"{item.change}: {item.path}" if of_note else item.line(_WIDEST)
    words = " ".join((item.kind, item.path, item.why, item.who, item.after or ""))
    age = short_age(item.since, now)
    sign = _SIGNS_OF.get(item.change.split()[0], "~") if item.change else _SIGNS[item.kind]
    return PanelRow(item.id, text, sign, age, words, is_path, item=item)


def _notes(desk: Desk, request: PanelRequest) -> Panel:
    from ctxrepo.app.notes.browsing import ListRequest, list_notes

    notes = list_notes(desk, ListRequest()).value
    rows = [
        PanelRow(
            note.place,
            note.place,
            "!" if note.problem else "#" if note.pinned else " ",
            short_age(_moment(note.updated), desk.now),
            f"{note.description} {' '.join(note.tags)}",
            note=note,
            is_path=True,
        )
        for note in notes
    ]
    return Panel(request.name, rows, "No notes yet: `ctxrepo remember` writes the first.")


def _moment(text: str) -> datetime | None:
    at = seconds_of(text)
    return None if at is None else datetime.fromtimestamp(at, UTC)


def _tape(desk: Desk, request: PanelRequest) -> Panel:
    from ctxrepo.app.sessions.tape_operations import list_tape
    from ctxrepo.services.anchors.tape_requests import ListAnchors

    listed = list_tape(desk, ListAnchors(limit=MOST_ANCHORS, context=0, type="handoff")).value.value
    desk.take_notices()  # about transcripts, which nobody asked for yet
    newest_first = listed[::-1]
    look = {"timeline": _timeline, "relations": _relations, "statistics": _statistics}[request.look]
    rows = list(look(newest_first))
    return Panel(request.name, rows, "No session has left an anchor: `ctxrepo handoff` does.", request.look)


def _timeline(anchors: Sequence[AnchorShown]) -> Iterator[PanelRow]:
    return (_anchor_row(each, each.anchor.id) for each in anchors)


def _anchor_row(each: AnchorShown, name: str) -> PanelRow:
    anchor = each.anchor
    about = "/".join(f"[{part}]" for part in (anchor.purpose, ", ".join(anchor.keywords)) if part)
    words = (anchor.type, anchor.summary, anchor.trigger, anchor.agent, anchor.session_id, anchor.timestamp)
    text = shown(f"{anchor.name} {about}".rstrip())
    return PanelRow(name, text, " ", _minute(anchor), " ".join(words), anchor=each.short)


def _minute(anchor: Anchor) -> str:
    """When it was left, as `2026-11-22-1050` by this machine's own time."""
    moment = _moment(anchor.timestamp)
    return f"{moment.astimezone():%Y-%m-%d-%H%M}" if moment else ""


def _relations(anchors: Sequence[AnchorShown]) -> Iterator[PanelRow]:
    """Each keyword, those of most anchors first, and below it its anchors."""
    for word, count in Counter(k for each in anchors for k in each.anchor.keywords).most_common():
        own = [each for each in anchors if word in each.anchor.keywords]
        yield PanelRow(f"#{word}", shown(word), "#", counted(count, "anchor"), detail=_those(word, own))
        yield from (_anchor_row(each, f"{word} {each.anchor.id}") for each in own)


def _statistics(anchors: Sequence[AnchorShown]) -> Iterator[PanelRow]:
    kinds: Mapping[str, Callable[[Anchor], Iterable[str]]] = {
        "purposes": lambda anchor: [anchor.purpose],
        "triggers": lambda anchor: [anchor.trigger],
        "keywords": lambda anchor: anchor.keywords,
    }
    for kind, of in kinds.items():
        by_word: dict[str, list[AnchorShown]] = {}
        for each in anchors:
            for word in filter(None, of(each.anchor)):
                by_word.setdefault(word, []).append(each)
        counts = Counter({word: len(own) for word, own in by_word.items()})
        top = counts.most_common(TOP)
        yield PanelRow(kind, kind.capitalize(), "#", str(len(counts)))
        for word, count in top:
            full = max(1, round(CELLS * count / top[0][1]))
            bar = "█" * full + "░" * (CELLS - full)
            detail = _those(word, by_word[word])
            yield PanelRow(f"{kind} {word}", f"{bar} {shown(word)}", side=str(count), detail=detail)


def _those(word: str, anchors: Sequence[AnchorShown]) -> View:
    """The anchors that have a word, the newest first."""
    lines = (f"{_minute(each.anchor)}  {shown(each.anchor.name)}  ^{each.short}" for each in anchors)
    return one_section(word, map(TextLine, lines))


def _sessions(desk: Desk, request: PanelRequest) -> Panel:
    from ctxrepo.storage.state.ledgers import ledgers

    memory = desk.open_memory(or_last_settings=True)
    sessions = [ledger for ledger in ledgers(memory.places.sessions, memory.state.id) if not ledger.parent]
    rows = []
    for ledger in sessions[:MOST_SESSIONS]:
        agent = AGENTS[ledger.agent].title if ledger.agent in AGENTS else shown(ledger.agent)
        where = f" in {shown(ledger.project)}" if ledger.project not in ("", "?") else ""
        delivery = "is off" if ledger.is_off else f"given {ledger.given}"
        age = short_age(datetime.fromtimestamp(ledger.touched, UTC), desk.now)
        text = f"{agent}{where}, {delivery}"
        name, words = ledger.session, f"{ledger.session} {ledger.cwd}"
        rows.append(PanelRow(name, text, side=age, words=words, session=name))
    return Panel(request.name, rows, "No session was served on this machine yet.")


def _health(desk: Desk, request: PanelRequest) -> Panel:
    from ctxrepo.app.repository.diagnosis import DoctorRequest, all_machines, doctor
    from ctxrepo.app.views.health import check_parts, words_of_machine

    rows = []
    for check in doctor(desk, DoctorRequest()).value.checked:
        worst = next((level for level in _LEVELS if any(f.level == level for f in check.findings)), "note")
        words = " ".join(f"{finding.problem} {finding.remedy}" for finding in check.findings)
        side = str(len(check.findings)) if check.findings else "ok"
        detail = one_section(check.name, check_parts(check))
        text = f"{check.name}: {check.stands}"
        rows.append(PanelRow(check.name, text, _LEVELS[worst], side, words, detail=detail))
    for machine in all_machines(desk, None).value.machines:
        cells = words_of_machine(machine, desk.now)
        parts: list[Part] = [Field(name, (text,)) for name, text in cells.items()]
        parts.append(TextLine("`ctxrepo status --machines`", 1))
        name, text = f"machine {machine.host}", f"machine {cells['machine']}: {cells['waits']}"
        detail = one_section(cells["machine"], parts)
        rows.append(PanelRow(name, text, side=short_age(machine.last, desk.now), detail=detail))
    return Panel(request.name, rows)


_LOADERS: Mapping[PanelName, Callable[[Desk, PanelRequest], Panel]] = {
    "inbox": _waiting,
    "conflicts": _waiting,
    "notes": _notes,
    "tape": _tape,
    "sessions": _sessions,
    "health": _health,
}
