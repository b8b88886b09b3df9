"""Operations that look after the notes as a whole: they are checked and mended, and others are imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.formats.plain_data import plain_data
from ctxrepo.domain.project.layout import GLOBAL, PROJECT, expanded
from ctxrepo.errors import NotInitialised
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.health.note_checks import FileFix, NoteFinding
    from ctxrepo.services.imports.destination import ImportPlan, PlannedNote
    from ctxrepo.sources.source import SourceContents, SourceSearch


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
    from ctxrepo.services.faults.finding import is_failure
    from ctxrepo.services.health.note_checks import check, fix, fixable
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
    """The source, by its name, and the folder or file to look in; '' is where the program has its own. What
    a file is tells its source where that is ''.

    `agrees` is asked of plans that change something, and `is_trial` changes nothing. `scope` is where that
    goes whose project isn't known here; `kinds` and `since`, a period in words, say which records are
    wanted."""

    source: str
    place: str
    agrees: Callable[[Sequence[ImportPlan]], bool]
    is_trial: bool = False
    scope: str = ""
    kinds: Sequence[str] = ()
    since: str = ""


@dataclass(frozen=True)
class ImportResult:
    """What was planned for each place of the source, or is done, and whether it was done.

    Where there was no memory and the source's own repository became it, `adopted` is that folder."""

    source: str
    plans: Sequence[ImportPlan]
    is_applied: bool
    adopted: str = ""


def sum_of(plans: Sequence[ImportPlan]) -> str:
    """What is to be brought, or was, in a few words."""
    notes = [note.fitted for plan in plans for note in plan.notes]
    anchors = sum(len(tape.new) for plan in plans for tape in plan.tapes)
    new_notes = sum(note.is_new for note in notes)
    entries = sum(note.new for note in notes)
    touched = sum(note.new > 0 or note.is_new for note in notes)
    parts = [f"{counted(entries, 'entry', 'entries')} in {counted(touched, 'note')}"]
    parts += [f"{new_notes} of them new"] if new_notes else []
    parts += [counted(anchors, "anchor")] if anchors else []
    files = sum(file.new > 0 for plan in plans for file in plan.files)
    parts += [counted(files, "other file")] if files else []
    return ", ".join(parts)


def list_sources(desk: Desk, _: None) -> Result[Sequence[SourceContents]]:
    """What other memory programs have on this machine and in this checkout."""
    from ctxrepo.services.imports.sources import survey

    places = survey(_search(desk, None))
    fields = [
        {
            "source": place.source,
            "place": place.place,
            "notes": len(place.notes),
            "entries": entry_count(place),
            "anchors": sum(len(tape.anchors) for tape in place.tapes),
            "not_taken": [{"what": n.what, "why": n.why} for n in place.not_taken],
            "command": f"ctxrepo import {place.source}",
        }
        for place in places
    ]
    return Result(places, {"found": fields})


def entry_count(contents: SourceContents) -> int:
    """The entries of all notes of a place."""
    from ctxrepo.domain.note.entry import entries_of

    return sum(len(note.bullets or entries_of(note.path, note.text)) for note in contents.notes)


def import_memory(desk: Desk, request: ImportRequest) -> Result[ImportResult]:
    """Bring what another program keeps into this memory; the source stays as it is. Where there is no memory,
    the source's own repository becomes it, if that can be served.

    Notes that the guard refuses are held back and told, the others are brought all the same; it ends with 6
    then."""
    from ctxrepo.services.imports.destination import MemoryDestination
    from ctxrepo.services.imports.sources import contents, require_source
    from ctxrepo.services.repository.init import InitRequest, init
    from ctxrepo.sources.file_kinds import source_of

    source = request.source
    if source:
        require_source(source)
    adoption = None if request.place or has_memory(desk) else _adoption_plan(desk, source)
    if adoption:
        plans = [adoption]
    else:
        search = _search(desk, request)
        source = source or source_of(search.files, desk.cwd / (search.chosen or ""))
        destination = MemoryDestination(
            desk.memory, desk.origin, desk.now, desk.interpreter, desk.commit_pending, desk.project
        )
        plans = destination.plan(contents(source, search))
    changes = any(plan.changes for plan in plans)
    is_applied = changes and not request.is_trial and request.agrees(plans)
    if is_applied and adoption:
        init(desk.places, desk.env, InitRequest(), desk.interpreter, desk.now, desk.progress)
    elif is_applied:
        plans = destination.put(plans)
    if is_applied:
        desk.wake()
    adopted = adoption.contents.place if adoption else ""
    fields = {"source": source, "applied": is_applied, "plans": [_fields(plan) for plan in plans]}
    code = 6 if any(plan.refused for plan in plans) else 0
    result = ImportResult(source, plans, is_applied, adopted)
    return Result(result, fields | {"adopted": adopted} if adopted else fields, code)


def _adoption_plan(desk: Desk, program: str) -> ImportPlan | None:
    """What `init` would take over from an agent's settings for this program, which is served where it is: no
    note is copied. None where that is nothing."""
    from ctxrepo.agents.known import AGENTS
    from ctxrepo.services.imports.destination import ImportPlan, PlannedSetting
    from ctxrepo.services.repository.init import adoptable
    from ctxrepo.sources.source import NotTaken, SourceContents, SourceSetting
    from ctxrepo.storage.user.config import read_settings

    adoption = adoptable(desk.places, desk.env, read_settings(desk.places.config_file))
    repository = adoption.repository
    if repository is None or adoption.program != program:
        return None
    values = [("repository.path", repository.path)]
    values += [("repository.remote", adoption.url)] if adoption.url else []
    values += [("repository.global_folder", repository.global_folder)]
    reason = f"{adoption.source.name} of {AGENTS[adoption.agent].title} says so"
    settings = [PlannedSetting(SourceSetting(key, value, reason), "") for key, value in values]
    not_taken = [
        NotTaken(adoption.source.name, line.removeprefix(f"{adoption.source}: "))
        for line in adoption.warnings
    ]
    contents = SourceContents(program, repository.path, not_taken=tuple(not_taken))
    return ImportPlan(contents, (), settings=tuple(settings))


def has_memory(desk: Desk) -> bool:
    """Whether there is a memory that can be opened."""
    try:
        return bool(desk.memory)
    except NotInitialised:
        return False


def _search(desk: Desk, request: ImportRequest | None) -> SourceSearch:
    """Where to look; None looks everywhere. Without a memory nothing is known of projects, and what they have
    is only counted."""
    from ctxrepo.domain.formats.moment import day, since
    from ctxrepo.services.imports.sources import FilesOutside, ProjectFolders
    from ctxrepo.services.reading.find import scope_named
    from ctxrepo.sources.source import SourceSearch
    from ctxrepo.storage.processes.outside import Outside

    top = desk.folder_facts.top
    home = desk.places.user_home
    everywhere = SourceSearch(
        home=home,
        env=desk.env,
        files=FilesOutside(Outside(desk.places.unresponsive)),
        global_folder=GLOBAL,
        project=PROJECT if top else "",
        checkout=Path(top) if top else None,
        folder_of=lambda _: PROJECT,
    )
    if request is None and not has_memory(desk):
        return everywhere
    memory, project = desk.memory, desk.project
    folders = ProjectFolders(memory, project, everywhere.checkout)
    search = replace(
        everywhere,
        global_folder=memory.global_folder,
        project=project.folder if project else "",
        memory_root=memory.root,
        folder_of=folders.folder_of,
        taken=folders.taken,
    )
    if request is None:
        return search
    return replace(
        search,
        chosen=desk.cwd / expanded(request.place, str(home)) if request.place else None,
        scope=scope_named(memory, request.scope, project).folder if request.scope else "",
        kinds=frozenset(request.kinds),
        since=day(since(request.since, desk.now, datetime.astimezone)) if request.since else "",
    )


def _fields(plan: ImportPlan) -> dict[str, Any]:
    return {
        "place": plan.contents.place,
        "notes": [_note_fields(note) for note in plan.notes],
        "files": [
            {"from": each.file.origin, "to": each.path, "new": each.new, "refused": each.refused}
            | ({"remark": each.remark} if each.remark else {})
            for each in plan.files
        ],
        "tapes": [
            {"from": each.tape.origin, "to": each.tape.folder, "new": len(each.new), "refused": each.refused}
            for each in plan.tapes
        ],
        "settings": [
            {"key": s.setting.key, "was": s.was, "value": s.setting.value, "why": s.setting.reason}
            | ({"kept": s.kept} if s.kept else {})
            for s in plan.settings
        ],
        "not_taken": [{"what": omission.what, "why": omission.why} for omission in plan.contents.not_taken],
    }


def _note_fields(planned_note: PlannedNote) -> Mapping[str, Any]:
    outcome = planned_note.fitted
    return {
        "from": planned_note.note.origin,
        "to": outcome.path,
        "is_new": outcome.is_new,
        "new": outcome.new,
        "known": outcome.known,
        "withheld": outcome.withheld,
        "pinned": len(outcome.pins),
        "refused": list(outcome.refused),
        "rivals": list(outcome.rivals),
        "near": list(outcome.near),
        "remark": "; ".join(filter(None, (planned_note.note.remark, outcome.remark))),
    }
