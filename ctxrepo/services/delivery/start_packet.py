"""The packet that a session start would deliver now, whatever the delivery mode, and how it is made up."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path

from ctxrepo.agents import dialect_of
from ctxrepo.domain.note.md_head import md_head
from ctxrepo.domain.text import OVERHEAD, index_line, size
from ctxrepo.errors import UsageError
from ctxrepo.hooks.known.cached import faults_of
from ctxrepo.hooks.known.locate import place_in
from ctxrepo.hooks.known.silence import why_silent
from ctxrepo.hooks.known.world import AgentDelivery, World, open_hooks, silence_switches_in, world_of
from ctxrepo.hooks.packet.lane import PINNED, Section
from ctxrepo.hooks.packet.md import NoteFields, md_block
from ctxrepo.hooks.packet.packet import render
from ctxrepo.hooks.packet.presets import BUDGETS, MD, preset_of
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import note_paths, read_note
from ctxrepo.storage.memory import Memory


def preset_md(memory: Memory, project: Project | None) -> str:
    """All global notes and the project's below `core/`, four lines each, uncapped; '' for none. No newline at
    the end."""
    sections = []
    if project is None or project.folder != memory.global_folder:
        sections.append(("global", memory.global_folder, [*_notes(memory, memory.global_folder, "")]))
    if project is not None:
        sections.append(("project", project.folder, [*_notes(memory, project.folder, "core/")]))
    return md_block(sections, str(memory.root))


def _notes(memory: Memory, folder: str, below: str) -> Iterator[NoteFields]:
    for path in note_paths(memory, [folder]):
        if path.startswith(f"{folder}/{below}") and path.endswith(".md"):
            note = read_note(memory, path)
            if note is not None:
                head = md_head(note.text)
                yield path, head.description, head.tags


NAMES = ("daily", "semantic", "scored", "clawvm", MD)
"""What can be delivered instead of our own packet."""


@dataclass(frozen=True)
class Lane:
    """A lane of the packet: the bytes that it was offered and that it took; `scope` is '' without one."""

    name: str
    scope: str
    floor: int
    cap: int
    offered: int
    taken: int
    is_cut: bool


@dataclass(frozen=True)
class Context:
    """The `text` that is delivered, in at most `budget` bytes, and its lanes; the preset `md` has none."""

    text: str
    preset: str
    budget: int
    lanes: tuple[Lane, ...] = ()
    why: str = ""
    """Why it is empty, where it is."""
    is_too_small: bool = False
    """Whether that is because nothing fits into the budget."""


@dataclass(frozen=True)
class Start:
    """A session start that is simulated in `folder`, whose settings of pi may ask for silence. `preset` and
    `budget`, in bytes, override the settings; a named preset has its own budget. The packet is limited to the
    bytes that `agent` accepts."""

    folder: Path
    preset: str | None = None
    budget: int = 0
    agent: str = ""


def context(memory: Memory, project: Project | None, start: Start, *, lasting: bool = False) -> Context:
    """What a session in this project would start with; `lasting` leaves out faults and recent files.
    UsageError for an unknown preset. The cache must be up to date: call `commit` first."""
    folder, preset = start.folder, start.preset
    if preset not in (None, "", *NAMES):
        raise UsageError(f"there is no preset {preset!r}", f"There is {', '.join(NAMES)}.")
    hooks = open_hooks(str(memory.places.state))
    if hooks is None:
        return Context("", "", 0)
    with closing(hooks):
        dialect = dialect_of(start.agent)
        delivery = AgentDelivery(dialect.name, dialect.most_bytes) if dialect else AgentDelivery()
        world = world_of(hooks, str(memory.places.state), delivery)
        if world is None:
            return Context("", "", 0)
        why = memory.outside.ask(folder, partial(_why_silent, world.silence, str(folder)))
        own = dialect.own_settings(hooks, dict(memory.env)).silence if dialect and not why else ""
        if why or own:
            return Context("", "", 0, why=f"{why} here" if why else own)
    if preset == MD:  # asked for by name: whole and from the files; a session gets md_packet from the cache
        return Context(preset_md(memory, project), MD, 0)
    chosen: dict[str, str] = {}
    if preset is not None:
        chosen = {"preset": preset, "budget_bytes": str(BUDGETS[preset])}
    if start.budget:
        chosen["budget_bytes"] = str(start.budget)
    world = World(world.settings | chosen, world.state, world.repo, delivery)
    return _rendered(memory, project, world, lasting=lasting)


def cut_pins(memory: Memory, project: Project | None, folder: Path, pinned: Mapping[str, str]) -> str:
    """A sentence if a session that starts in `folder` isn't given all of the entries that were just `pinned`,
    by place, or of those pinned before; '' if it is. The cache may not have the new ones yet."""
    packet = context(memory, project, Start(folder))
    needed = size("".join([index_line(place, text, "", "") for place, text in pinned.items()]))
    unused = packet.budget - size(packet.text)
    if not packet.text or needed <= unused:
        return ""
    most = unused + sum(lane.taken for lane in packet.lanes if lane.name == PINNED)
    cut = "what is pinned now is cut: make it shorter" if needed > most else "those pinned first are cut"
    return f"a session's start has room for {most:,} bytes of pinned entries, so {cut}"


def _why_silent(silence: str, folder: str) -> str:
    """Why nothing is given in this folder, or ''. Another process asks that, so the database is its own."""
    with closing(sqlite3.connect(":memory:")) as db:
        return why_silent(db, silence_switches_in(silence, folder))


def _rendered(memory: Memory, project: Project | None, world: World, *, lasting: bool) -> Context:
    folder = project.folder if project and project.is_registered else ""
    # Files that were touched last are a project's: what lasts leaves them out, and so the project.
    place = place_in(world, project.id if project and not lasting else "", folder)
    cache = memory.hook_cache()
    with closing(cache) if cache else nullcontext():
        # What lasts is rendered as if the session had been told all faults: none is shown.
        hashes = frozenset(fault.hash for fault in faults_of(cache)) if cache and lasting else frozenset()
        rendered = render(cache, world, place, world.packet_budget, hashes)
    if world.preset == MD:
        return Context(rendered.text, MD, world.packet_budget)
    preset = preset_of(world)
    lanes = tuple(_lane(section) for section in rendered.sections)
    bytes_ = min(BUDGETS[preset], world.packet_budget)
    is_budget_too_small = bytes_ < 2 * OVERHEAD or any(section.offered for section in rendered.sections)
    narrow = f"nothing fits into {bytes_} bytes, of which the frame takes {OVERHEAD}"
    why = "" if rendered.text else narrow if is_budget_too_small else "there is nothing to give"
    return Context(rendered.text, preset, bytes_, lanes, why, why == narrow)


def _lane(section: Section) -> Lane:
    name, text, bounds = section.lane.name, section.text, section.bounds
    last = text[:-1].rpartition("\n")[2]
    is_cut = "\n### cut: " in text or last.startswith("… ") or not text
    return Lane(name, section.key, bounds.floor, bounds.cap, section.offered, size(text), is_cut)
