"""Operations that look after the notes as a whole: they are checked and mended, and others are imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result
from ctxrepo.domain.formats.plain_data import plain_data
from ctxrepo.domain.project.layout import expanded
from ctxrepo.errors import NotInitialised
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.agents.sources import SourceContents, SourceSearch
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.checks.fix import FileFix
    from ctxrepo.services.checks.note_checks import NoteFinding
    from ctxrepo.services.imports.destination import ImportPlan, PlannedNote


@dataclass(frozen=True)
class CheckRequest:
    """What is to be looked at, and whether what needs no decision is mended, or only said to be."""

    fixes: bool = False
    """Fix what needs no decision from you, and show the changes."""
    is_trial: bool = False
    """With --fix: show the changes without making them."""


@dataclass(frozen=True)
class CheckedNotes:
    """What was or would be mended, and what is left."""

    fixed: Sequence[FileFix]
    findings: Sequence[NoteFinding]


def check(desk: Desk, request: CheckRequest) -> Result[CheckedNotes]:
    """Look through all notes; ends with 1 when something is wrong, and not only to be looked at."""
    from ctxrepo.services.checks.fix import fix, fixable
    from ctxrepo.services.checks.note_checks import check
    from ctxrepo.services.faults.finding import is_failure
    from ctxrepo.storage.clone.clone import require_our_format

    require_our_format(desk.memory.root)
    fixes: Sequence[FileFix] = ()
    if request.fixes:
        fixes = fixable(desk.memory) if request.is_trial else fix(desk.memory, desk.origin, desk.now)
    if fixes and not request.is_trial:
        desk.wake()
    findings = check(desk.memory)
    data: dict[str, Any] = {"findings": plain_data(findings)}
    if request.fixes:
        data["fixed"] = [{"path": each.path, "deeds": each.deeds, "diff": each.diff} for each in fixes]
    return Result(CheckedNotes(fixes, findings), data, 1 if is_failure(findings) else 0)


@dataclass(frozen=True)
class ImportRequest:
    """The source, by its name, and the folder or file to look in; '' is where the program has its own.

    `agrees` is asked of plans that change something, and `is_trial` changes nothing."""

    source: str
    place: str
    agrees: Callable[[Sequence[ImportPlan]], bool]
    is_trial: bool = False


@dataclass(frozen=True)
class ImportResult:
    """What was planned for each place of the source, or is done, and whether it was done.

    Where there was no memory and the source's own repository became it, `adopted` is that folder."""

    plans: Sequence[ImportPlan]
    is_applied: bool
    adopted: str = ""


def list_sources(desk: Desk, _: None) -> Result[Sequence[SourceContents]]:
    """What other memory programs have on this machine and in this checkout."""
    from ctxrepo.services.imports.sources import survey

    found = survey(_search(desk, "", with_memory=False))
    shown = [
        {
            "source": one.source,
            "place": one.place,
            "notes": len(one.notes),
            "entries": entry_count(one),
            "anchors": sum(len(tape.anchors) for tape in one.tapes),
            "not_taken": [{"what": n.what, "why": n.why} for n in one.not_taken],
            "command": f"ctxrepo import {one.source}",
        }
        for one in found
    ]
    return Result(found, {"found": shown})


def entry_count(found: SourceContents) -> int:
    """The entries of all notes of a place."""
    from ctxrepo.domain.note.entry import entries_of

    return sum(len(note.bullets or entries_of(note.path, note.text)) for note in found.notes)


def import_memory(desk: Desk, request: ImportRequest) -> Result[ImportResult]:
    """Bring what another program keeps into this memory; the source stays as it is.

    Notes that the guard refuses are held back and told, the others are brought all the same; it ends with 6
    then."""
    from ctxrepo.services.imports.destination import MemoryDestination
    from ctxrepo.services.imports.sources import contents, require_source

    require_source(request.source)
    if adopted := _adopted(desk, request):
        return adopted
    memory = desk.memory
    search = _search(desk, request.place, with_memory=True)
    destination = MemoryDestination(memory, desk.origin, desk.now, desk.interpreter, desk.project)
    plans = [destination.plan(place) for place in contents(request.source, search)]
    changes = any(plan.changes for plan in plans)
    is_applied = changes and not request.is_trial and request.agrees(plans)
    if is_applied:
        plans = [destination.put(plan) if plan.changes else plan for plan in plans]
        desk.wake()
    fields = {"source": request.source, "applied": is_applied, "plans": [_fields(plan) for plan in plans]}
    code = 6 if any(plan.refused for plan in plans) else 0
    return Result(ImportResult(plans, is_applied), fields, code)


def _adopted(desk: Desk, request: ImportRequest) -> Result[ImportResult] | None:
    """The source's own repository becomes the memory where there is none, as `init` does it; None where
    there is one, or the source has no repository that could be served."""
    from ctxrepo.services.imports.sources import adoption_plan

    if request.place or _has_memory(desk):
        return None
    plan = adoption_plan(desk.places, desk.env, request.source)
    if plan is None:
        return None
    is_applied = not request.is_trial and request.agrees([plan])
    if is_applied:
        from ctxrepo.app.repository.exchange import init
        from ctxrepo.services.repository.init import InitRequest

        init(desk, InitRequest())
    fields = {
        "source": request.source,
        "applied": is_applied,
        "adopted": plan.place,
        "plans": [_fields(plan)],
    }
    return Result(ImportResult([plan], is_applied, plan.place), fields)


def _has_memory(desk: Desk) -> bool:
    try:
        return bool(desk.memory)
    except NotInitialised:
        return False


def _search(desk: Desk, place: str, *, with_memory: bool) -> SourceSearch:
    """Where to look. Without a memory nothing is known of projects, and what they have is only counted."""
    from ctxrepo.agents.sources import SourceSearch
    from ctxrepo.services.imports.sources import FilesOutside
    from ctxrepo.storage.processes.outside import Outside

    is_ready = with_memory or _has_memory(desk)
    top = desk.folder_facts.top
    project = desk.project if is_ready else None
    return SourceSearch(
        home=desk.places.user_home,
        env=desk.env,
        files=FilesOutside(Outside(desk.places.unresponsive)),
        global_folder=desk.memory.global_folder if is_ready else "global",
        project=project.folder if project else "",
        checkout=Path(top) if top else None,
        chosen=desk.cwd / expanded(place, str(desk.places.user_home)) if place else None,
        memory_root=desk.memory.root if is_ready else None,
    )


def _fields(plan: ImportPlan) -> dict[str, Any]:
    return {
        "place": plan.place,
        "notes": [_note_fields(one) for one in plan.notes],
        "tapes": [
            {"from": one.tape.origin, "to": one.tape.folder, "new": len(one.new), "refused": one.refused}
            for one in plan.tapes
        ],
        "settings": [
            {"key": s.setting.key, "was": s.was, "value": s.setting.value, "why": s.setting.reason}
            | ({"kept": s.kept} if s.kept else {})
            for s in plan.settings
        ],
        "not_taken": [{"what": one.what, "why": one.why} for one in plan.not_taken],
    }


def _note_fields(one: PlannedNote) -> Mapping[str, Any]:
    found = one.fitted
    return {
        "from": one.note.origin,
        "to": found.path,
        "is_new": found.is_new,
        "new": found.new,
        "known": found.known,
        "pinned": len(found.pins),
        "refused": list(found.refused),
        "rivals": list(found.rivals),
        "remark": "; ".join(filter(None, (one.note.remark, found.remark))),
    }
