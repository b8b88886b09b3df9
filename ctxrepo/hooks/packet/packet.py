"""The session-start packet: a pure function of what is in memory, the day and the budget.

It is made of lanes. Each is written into the room it is given, in the order of the preset, so that what one
leaves passes on to those after it.
"""

from ctxrepo.domain.text.block import OVERHEAD, seal, size
from ctxrepo.domain.text.cut import fitting
from ctxrepo.domain.text.escape import escape_text
from ctxrepo.hooks.known.notes import PacketEntry
from ctxrepo.hooks.packet.contents import Held, wordings
from ctxrepo.hooks.packet.presets import ORDER, OWN, PRESETS, Lane
from ctxrepo.hooks.packet.sections import (
    entry_line,
    fault_section,
    files_section,
    handoff_section,
    index_section,
    lines_section,
    memory_section,
    pinned_line,
    pinned_section,
    texts_section,
)

GLOBAL_SHARE = 3
"""Beside a project, the global scope gets at most one part in so many."""

CAVEAT = """\
Before you act on a file, flag or command that is named here, see that it is still so: trust the code over the
memory. What is marked >90d wants verifying first; the state of a project decays fastest.
"""

_OPENING = ("preamble", "caveat")

_AS_WRITTEN = ("memory", "scratchpad", "today", "yesterday")
"""Lanes that show entries as they stand in their note; others have a line for each."""

Part = tuple[str, str, Lane]
"""One section: its lane, the folder of its scope or '', and the lane's numbers."""

Given = tuple[str, str, int, str]
"""(lane, folder of its scope or '', bytes it was offered, what it wrote)"""


def packet(
    held: Held, today: int, secret: str, preset: str = OWN, budget: int = 0
) -> tuple[str, list[Given]]:
    """One sealed block of at most `budget` bytes (0: the preset's), and what each lane gave to it.

    '' when there is nothing to say or no room to say it. `today` is in days since 1970, `secret` the key
    of the seal in hex. What doesn't fit is cut between lines or entries, and the cut is marked.
    """
    whole, lanes = PRESETS[preset]
    budget = min(budget, whole) if budget else whole
    given = _share(held, _parts(held, lanes), today, budget)
    if held.recalled:  # a lane that is given room later may say the same
        names = [name for name, _ in shown(held, given, today)]
        held.recalled = [hit for hit in held.recalled if names.count(hit.id) < 2]
        given = _share(held, _parts(held, lanes), today, budget)
    written = {(lane, folder): text for lane, folder, _, text in given}
    texts = {
        name: "".join([written.get((name, folder), "") for folder in held.folders_of(name)]) for name in ORDER
    }
    opening = "".join([texts[name] for name in _OPENING])
    content = "".join([texts[name] for name in ORDER if name not in _OPENING])
    if not content and (not opening or texts["caveat"]):
        return "", given
    return seal(content, secret, opening), given


def shown(held: Held, given: list[Given], today: int) -> list[tuple[str, str]]:
    """(id, hash) of each entry that stands whole in what was given."""
    found = []
    for lane, folder, _, text in given:
        entries = held.entries.get(f"{lane}/{folder}", []) if text else []
        found += [(e.id, e.hash) for e in entries if "\n" + _line_of(lane, e, today) in text]
    return found + _recalled(held, given, today)


def _line_of(lane: str, entry: PacketEntry, today: int) -> str:
    """The entry as the lane shows it."""
    if lane in _AS_WRITTEN:
        return escape_text(entry.text) + "\n"
    return pinned_line(entry, today) if lane == "pinned" else entry_line(entry, today)


def _recalled(held: Held, given: list[Given], today: int) -> list[tuple[str, str]]:
    if not held.recalled:
        return []
    from ctxrepo.hooks.packet.recalled import head_of

    text = "".join([text for lane, _, _, text in given if lane == "recall"])
    return [(hit.id, hit.hash) for hit in held.recalled if head_of(hit, today) in text]


def _parts(held: Held, lanes: tuple[Lane, ...]) -> list[Part]:
    """The sections there are, in the order in which they are given room: a project's before global ones."""
    return [(lane[0], folder, lane) for lane in lanes for folder in held.folders_of(lane[0])[::-1]]


def _share(held: Held, parts: list[Part], today: int, budget: int) -> list[Given]:
    """Each part within its cap and what the floors of those after it leave over."""
    room = max(0, budget - OVERHEAD)
    sure = _floors(held, parts, today, budget, room)
    given: list[Given] = []
    for at, part in enumerate(parts):
        offered = max(0, min(_cap(held, part, budget), room - sum(sure[at + 1 :])))
        text = _written(held, part, offered, given, today, budget)
        room -= size(text)
        given.append((part[0], part[1], offered, text))
    return given


def _floors(held: Held, parts: list[Part], today: int, budget: int, room: int) -> list[int]:
    """What each part is sure of: no more than it would fill, and the first ones before the others."""
    sure = []
    for part in parts:
        floor = min(part[2][1], room)
        if floor:
            floor = size(_written(held, part, floor, [], today, budget))
        sure.append(floor)
        room -= floor
    return sure


def _cap(held: Held, part: Part, budget: int) -> int:
    lane, folder, numbers = part
    is_shared = lane == "memory" and len(held.scopes) > 1 and folder == held.scopes[0][0]
    return min(numbers[2], budget // GLOBAL_SHARE) if is_shared else numbers[2]


def _written(held: Held, part: Part, room: int, given: list[Given], today: int, budget: int) -> str:
    """The section in at most `room` bytes; `given` is what stands already."""
    lane, folder, (_, _, _, most, keep) = part
    if lane == "preamble":
        said = escape_text(held.preamble).rstrip("\n").split("\n")
        return "".join(fitting([line + "\n" for line in said], room))
    if lane == "caveat":
        return CAVEAT if size(CAVEAT) <= room else ""
    if lane == "faults":
        return fault_section(held.faults, room)
    if lane == "memory":
        return memory_section(folder, held.body_of(folder), room, keep, most)
    if lane == "handoff":
        return _handoff(held, given, room)
    if lane == "files":
        return files_section(held.files, room)
    if lane == "index":
        return index_section(held.scopes, _allowed(held, given, room, budget), today, room)
    if lane == "recall":
        from ctxrepo.hooks.packet.recalled import recalled  # after a compaction only

        stands = dict(shown(held, given, today))
        return recalled([hit for hit in held.recalled if hit.id not in stands], today, room, most)[0]
    return _entries(held.entries[f"{lane}/{folder}"], part, today, room)


def _handoff(held: Held, given: list[Given], room: int) -> str:
    """The handoff without what the log or the list says as well, or has ticked off since."""
    if held.handoff is None:
        return ""
    name, ts, text = held.handoff
    said = _said(held, given)
    known = {"Done: ": said, "Open: ": said + held.ticked}
    lines = [line for line in text.split("\n") if line[6:] not in known.get(line[:6], ())]
    if [text for lane, _, _, text in given if lane == "scratchpad" and text]:
        lines = [line for line in lines if not _counts_open(line)]  # the list says itself how many there are
    return handoff_section((name, ts, "\n".join(lines)), room) if lines else ""


def _counts_open(line: str) -> bool:
    return line.startswith("Open: ") and line.endswith(" more") and line[6:-5].isdecimal()


def _said(held: Held, given: list[Given]) -> list[str]:
    """What the entries of list and log say that stand in the packet, without box and time."""
    said = []
    for lane, folder, _, text in given:
        for entry in held.entries[f"{lane}/{folder}"] if lane in ("scratchpad", "today") else ():
            if escape_text(entry.text) + "\n" not in text:
                continue
            if lane == "scratchpad":
                said += [words for _, words in wordings(entry.text)]
            else:
                said.append(" ".join(entry.text.split()).split(" ", 3)[-1])
    return said


def _entries(entries: list[PacketEntry], part: Part, today: int, room: int) -> str:
    lane, _, (_, _, _, most, keep) = part
    if lane == "pinned":
        return pinned_section(entries, today, room)
    if lane in _AS_WRITTEN:
        return texts_section(entries, room, keep, most)
    return lines_section(f"## {lane.capitalize()}\n", entries, today, room, most)


def _allowed(held: Held, given: list[Given], room: int, budget: int) -> dict[str, int]:
    """Bytes of the index that each scope may take; a later one gets whatever the ones before it leave."""
    allowed = {scope[0]: room for scope in held.scopes}
    if len(held.scopes) > 1:
        first = held.scopes[0][0]
        spent = sum([size(text) for lane, folder, _, text in given if (lane, folder) == ("memory", first)])
        allowed[first] = budget // GLOBAL_SHARE - spent
    return allowed
