"""Commands that look after the notes as a whole: check, dream, import."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

from ctxrepo.agents.known import sources
from ctxrepo.app.notes import dreaming, upkeep
from ctxrepo.app.notes.dreaming import DreamRequest, StepsRequest
from ctxrepo.app.notes.upkeep import CheckRequest
from ctxrepo.domain.formats.moment import counted
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, answer_with_view, confirm
from ctxrepo.faces.cli.options import SCOPE, argument, command, json_option, option, text_of

if TYPE_CHECKING:
    from ctxrepo.app.notes.upkeep import ImportResult
    from ctxrepo.domain.records.proposal import Proposal
    from ctxrepo.services.imports.destination import ImportPlan, PlannedNote, PlannedSetting, PlannedTape
    from ctxrepo.sources.source import SourceContents

_SHOWN = 40
"""Notes that are listed at a question; --dry-run lists all."""

_NEAR = 5
"""Places of entries that say much the same as those of a note; --json lists all."""


def _either(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}"


@command(fixes="--fix", is_trial="--dry-run")
def check(request: CheckRequest, json: bool = False) -> None:
    """Check all notes for mistakes, and fix them with --fix."""
    from ctxrepo.app.views.health import check_view

    if request.is_trial and not request.fixes:
        raise UsageError("--dry-run needs --fix", "Without --fix nothing is changed in any case.")

    answer_with_view(upkeep.check, request, json, partial(check_view, is_trial=request.is_trial))


@command(scope=SCOPE, only="--only SECTION")
def dream(
    request: DreamRequest,
    source: Annotated[str, option("--from", metavar="FILE")] = "",
    dry_run: Annotated[bool, option("--dry-run")] = False,
    json: bool = False,
) -> None:
    """Gather what there is to tidy up, or propose how with --from."""
    if not source:  # a brief writes nothing in any case
        answer(dreaming.dream, request, json, lambda brief: brief.text().rstrip("\n"))
        return
    if request.only:
        raise UsageError("--only is for the brief", "Leave it out beside --from.")

    def words_of(made: Proposal | None) -> str:
        if made is None:
            return "all of this can be proposed; nothing was written"
        return f"proposed: {made.id} {made.words}; `ctxrepo inbox show {made.id}` shows what it would change"

    steps = StepsRequest(text_of(source), request.scope, is_trial=dry_run)
    answer(dreaming.propose_steps, steps, json, words_of)


def import_(
    source: Annotated[str, argument(metavar="SOURCE", help=f"{_either(sources())}.")] = "",
    path: Annotated[str, argument(metavar="PATH", help="As --from.")] = "",
    place: Annotated[str, option("--from", metavar="PATH")] = "",
    file: Annotated[str, option("--file", metavar="PATH")] = "",
    scope: Annotated[str, option("--scope", "-s", metavar="SCOPE")] = "",
    kind: Annotated[list[str] | None, option("--kind", metavar="KIND")] = None,
    since: Annotated[str, option("--since", metavar="WHEN")] = "",
    dry_run: Annotated[bool, option("--dry-run")] = False,
    yes: Annotated[bool, option("--yes", "-y")] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Import the memory of another program."""
    if file and (source or place):
        raise UsageError("--file needs no source: the file tells", "`ctxrepo import --file PATH`.")
    if not (source or file):
        if place:
            raise UsageError("--from is for a source", "`ctxrepo import SOURCE --from PATH`.")
        answer(upkeep.list_sources, None, json, _listed)
        return

    def agrees(plans: Sequence[ImportPlan]) -> bool:
        return yes or _agreed(plans, json)

    kinds = tuple(kind or ())
    request = upkeep.ImportRequest(source, path or place or file, agrees, dry_run, scope, kinds, since)
    answer(upkeep.import_memory, request, json, lambda outcome: _words(outcome, dry_run))


def _agreed(plans: Sequence[ImportPlan], json: bool) -> bool:
    """Show what would be done and ask; UsageError without a terminal."""
    if json or not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask at", "Check with --dry-run, then add --yes.")
    for plan in plans:
        output.tell("\n".join(_planned(plan, _SHOWN)))
    return confirm("Do this?")


def _words(result: ImportResult, dry_run: bool) -> str:
    lines = [line for plan in result.plans for line in _planned(plan)]
    if result.adopted:
        ends = {True: "this repository is the memory now", False: "nothing was changed"}
        return "\n".join([*lines, ends[result.is_applied]])
    if result.is_applied:
        return "\n".join([*lines, f"brought {upkeep.sum_of(result.plans)}"])
    if not any(plan.changes for plan in result.plans):
        return "\n".join([*lines, f"nothing of {result.source} is new here"])
    return "\n".join(lines) if dry_run else "nothing was changed"


def _planned(plan: ImportPlan, most: int = 0) -> Iterator[str]:
    """What would be done for one place, or was."""
    yield f"{plan.contents.source}: {plan.contents.place}"
    notes = [note for note in plan.notes if _says_something(note)]
    first = notes[:most] if most else notes
    for note in first:
        yield from _note(note)
    if rest := notes[len(first) :]:
        entries = sum(note.fitted.new for note in rest)
        yield f"  and {counted(len(rest), 'more note')}, {counted(entries, 'new entry', 'new entries')}"
    if same := [note.fitted for note in plan.notes if not _says_something(note)]:
        known = counted(sum(note.known for note in same), "entry", "entries")
        out = f", {_withheld(n)}" if (n := sum(note.withheld for note in same)) else ""
        yield f"  {counted(len(same), 'note')} with nothing new: {known} here already{out}"
    yield from _files(plan)
    yield from map(_tape, plan.tapes)
    yield from map(_setting, plan.settings)
    for omission in plan.contents.not_taken:
        yield f"  left out: {omission.what}: {omission.why}"


def _withheld(number: int) -> str:
    return f"{number} left out, as edited or put away here"


def _says_something(note: PlannedNote) -> bool:
    fitted = note.fitted
    return fitted.changes or bool(fitted.refused or fitted.rivals)


def _note(planned_note: PlannedNote) -> Iterator[str]:
    note, fitted = planned_note.note, planned_note.fitted
    phrases = []
    if fitted.is_new:
        phrases.append(f"new, {counted(fitted.new, 'entry', 'entries')}" if fitted.new else "new")
    elif fitted.new:
        phrases.append(f"{fitted.new} new")
    if fitted.known:
        phrases.append(f"{fitted.known} here already")
    if fitted.withheld:
        phrases.append(_withheld(fitted.withheld))
    if fitted.pins:
        phrases.append(f"{len(fitted.pins)} to be pinned")
    phrases += filter(None, (note.remark, fitted.remark))
    if fitted.changes:
        yield f"  {note.origin} -> {fitted.path}: {', '.join(phrases)}"
    for why in fitted.refused:
        yield f"  {note.origin} -> {fitted.path}: held back: {why}"
    if fitted.near:
        more = f" and {counted(len(fitted.near) - _NEAR, 'other')}" if len(fitted.near) > _NEAR else ""
        near = ", ".join(fitted.near[:_NEAR])
        yield f"  {note.origin} -> {fitted.path}: much the same is at {near}{more}"
    for key in fitted.rivals:
        yield f"  {note.origin} -> {fitted.path}: {key} says something else here, and stays so"


def _files(plan: ImportPlan) -> Iterator[str]:
    """Files that are no notes: most of them are of no interest by themselves."""
    if new := [file for file in plan.files if file.new]:
        lines = counted(sum(file.new for file in new), "new line")
        yield f"  {counted(len(new), 'file')} with what was said of entries, anchors and projects: {lines}"
    for file in plan.files:
        if file.refused or file.remark:
            yield f"  {file.file.origin} -> {file.path}: {file.refused or file.remark}"


def _tape(planned_tape: PlannedTape) -> str:
    phrases = [counted(len(planned_tape.new), "new anchor")]
    if planned_tape.refused:
        phrases.append(f"{planned_tape.refused} held back: they hold a secret")
    if planned_tape.tape.unread:
        phrases.append(f"{counted(planned_tape.tape.unread, 'line')} that can't be read as one")
    return f"  {planned_tape.tape.origin} -> TAPE/{planned_tape.tape.folder}/: {', '.join(phrases)}"


def _setting(change: PlannedSetting) -> str:
    setting = change.setting
    was = f"  (was {change.was})" if change.was and not change.kept else ""
    kept = f"; not changed: {change.kept}" if change.kept else ""
    return f"  config.toml: {setting.key} = {setting.value}{was}, because {setting.reason}{kept}"


def _listed(sources: Sequence[SourceContents]) -> str:
    if not sources:
        return "nothing of another memory program is here"
    lines = []
    for contents in sources:
        anchors, entries = sum(len(tape.anchors) for tape in contents.tapes), upkeep.entry_count(contents)
        counts = [counted(len(contents.notes), "note"), counted(entries, "entry", "entries")]
        counts += [counted(anchors, "anchor")] if anchors else []
        program, omissions = contents.source, () if contents.notes else contents.not_taken
        lines += [f"{program}: {contents.place}: {', '.join(counts)}", f"  ctxrepo import {program}"]
        lines += [f"  {omission.what}: {omission.why}" for omission in omissions]
    return "\n".join(lines)
