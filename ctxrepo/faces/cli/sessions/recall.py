"""Commands that ask what a prompt would be given: recall."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ctxrepo.errors import CtxrepoError, NotFound, UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import Json, Scope
from ctxrepo.faces.cli.surprise import logged, of_database

if TYPE_CHECKING:
    from ctxrepo.services.recall.recall import LeftOut, Question, Recalled, RecallResult
    from ctxrepo.services.recall.recall_folder import Way

_EXIT = {"ok": 0, "no_match": 3, "denied": 3, "malformed": 2, "unavailable": 1, "backend_error": 1}
_WIDTH = 100
_FEW = 8
"""Entries left out that are shown at a terminal; --json has all."""


def register(app: typer.Typer) -> None:
    app.command()(recall)


def recall(
    query: Annotated[
        str | None, typer.Argument(metavar="Q", help="The prompt; `-` reads it from standard input.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", min=1, max=1000, help="Most entries; 8, in a batch 50."),
    ] = None,
    budget: Annotated[
        int, typer.Option("--budget", metavar="N", min=0, max=1_000_000, help="Most bytes of a delivery.")
    ] = 2500,
    scope: Scope = "",
    before: Annotated[
        list[str] | None,
        typer.Option("--before", metavar="TEXT", help="An earlier prompt of the session, oldest first."),
    ] = None,
    no_gate: Annotated[
        bool, typer.Option("--no-gate", help="Answer whatever there is, also where a hook stays silent.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why each entry is there, and why others are not.")
    ] = False,
    folder: Annotated[
        str, typer.Option("--in", metavar="DIR", help="Ask any folder of markdown instead of the memory.")
    ] = "",
    batch: Annotated[
        str, typer.Option("--batch", metavar="FILE", help="With --in: answer every query of a JSONL file …")
    ] = "",
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="… into this one.")] = "",
    model: Annotated[
        str, typer.Option("--model", metavar="MODEL", help="With --in: by meaning too, by this model.")
    ] = "",
    json: Json = False,
) -> None:
    """Show what a prompt would be given, or why nothing.

    It is answered as the prompt hook answers: the project's entries and the global ones, best first, also
    those of a note that was edited just now. Only a word or two, for which a hook stays silent, are answered
    with whatever there is, and a notice says so.
    Ends with 3 when there is nothing; `status` in --json says why: no_match or denied.

    --in DIR asks a folder of markdown, for which no memory is needed. FILE of --batch has a line
    {"id", "query"} for each query, with "before" where prompts came before it; each line of the answer is
    {"id", "results": [{"id": "path#L10", "score"}], "ms"}.

    Example: ctxrepo recall "which port do the tests need?" --explain
    """
    if batch or out:
        _batch(folder, batch, out, _way(limit, not no_gate, model), as_json=json, words=query)
        return
    if model and not folder:
        raise UsageError(
            "--model goes with --in", "`ctxrepo config set recall.model MODEL` sets your memory's."
        )
    from ctxrepo.services.recall.recall import LIMIT, Question

    if query is None:
        raise UsageError(
            "there is nothing to recall for", "Give a prompt, or - to read it from standard input."
        )
    asked = Question(_text(query), tuple(before or ()), limit or LIMIT, budget, is_gated=not no_gate)
    result = _in_folder(folder, asked, scope, model) if folder else _in_memory(asked, scope)
    _say(result, explain, json)


def _in_memory(asked: Question, scope: str) -> RecallResult:
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.hooks.known.locate import Place
    from ctxrepo.services.reading.find import scope_named
    from ctxrepo.services.recall.recall import Asker, failed, recall

    run = Runtime()
    try:
        run.settle()
        project, general = run.project, run.memory.global_folder
        place = Place(project.id, project.folder) if project else Place()
        scopes = [scope_named(run.memory, scope, project).folder] if scope else place.scopes(general)
        asker = Asker(run.cwd, run.env, (run.origin.agent, run.origin.session))
        return recall(run.memory, asked, scopes, asker, run.now)
    except (UsageError, NotFound):
        raise  # a word on the command line or in config.toml: no answer either way
    except CtxrepoError as error:
        return failed(error, "")
    except (sqlite3.Error, OSError) as error:
        told = of_database(error)
        return failed(told, "") if told else failed(error, logged())


def _in_folder(folder: str, asked: Question, scope: str, model: str) -> RecallResult:
    from datetime import UTC, datetime

    from ctxrepo.services.recall.recall import failed
    from ctxrepo.services.recall.recall_folder import recall_in

    if scope:
        raise UsageError("--scope and --in don't go together", "A folder is one scope.")
    try:
        result, skipped = recall_in(
            _place(folder), asked, datetime.now(UTC), _way(None, asked.is_gated, model)
        )
    except (sqlite3.Error, OSError) as error:
        told = of_database(error)
        return failed(told, "") if told else failed(error, logged())
    _tell_skipped(skipped)
    return result


def _batch(folder: str, batch: str, out: str, way: Way, *, as_json: bool, words: str | None) -> None:
    from ctxrepo.services.recall.queries import BadLines
    from ctxrepo.services.recall.recall_folder import recall_batch

    if words is not None or not (folder and batch and out):
        raise UsageError(
            "a batch needs --in, --batch and --out, and no prompt",
            "`ctxrepo recall --in DIR --batch QUERIES.jsonl --out OUT.jsonl`",
        )
    there = _place(out)
    try:
        done = recall_batch(_place(folder), _place(batch), there, way)
    except BadLines as error:
        for line in error.lines:
            output.notice(line)
        raise
    _tell_skipped(done.skipped)
    data = {"queries": done.queries, "silent": done.silent, "ms": done.ms, "out": str(there)}
    counted = f"{output.counted(done.queries, 'query', 'queries')}, {done.silent} answered with silence"
    output.done(as_json, data, f"{counted}, {done.ms:.1f} ms each: {there}")


def _way(limit: int | None, is_gated: bool, model: str) -> Way:
    from ctxrepo.services.recall.recall_folder import LIMIT, Way
    from ctxrepo.storage.user.places import Places

    if model and _place(model).is_dir():
        model = str(_place(model).resolve())  # as a word of a person's; in settings only a whole path is one
    return Way(limit or LIMIT, is_gated, model, Places.of(os.environ).models)


def _text(query: str) -> str:
    """The prompt; bytes that are no UTF-8 stay recognisable as such."""
    from ctxrepo.services.recall.recall import MAX_TEXT

    return sys.stdin.buffer.read(MAX_TEXT * 4).decode("utf-8", "surrogateescape") if query == "-" else query


def _place(words: str) -> Path:
    return Path(words).expanduser()


def _tell_skipped(skipped: Mapping[str, str]) -> None:
    for path, why in skipped.items():
        output.notice(f"{path} {why}, and is not read")


def _say(result: RecallResult, explain: bool, as_json: bool) -> None:
    data: dict[str, Any] = {
        "status": result.status,
        "reason": result.reason,
        "hits": [_data(hit, explain) for hit in result.hits],
        "trace_id": result.trace_id,
        "silence": result.silence,
    }
    if explain:
        data["left_out"] = [{**_data(left.entry, False), "why": left.why} for left in result.left_out]
    code = _EXIT[result.status]
    if code in (1, 2):
        error = CtxrepoError(result.reason, result.hint)
        error.code = result.status
        output.fell_short(as_json, data, error)
    else:
        parts = [_shown(number, hit, explain) for number, hit in enumerate(result.hits, 1)]
        if explain and result.left_out:
            parts.append(_others(result.left_out))
        output.done(as_json, data, "\n\n".join(parts))
        if not result.hits:
            output.notice(f"nothing is recalled: {result.reason}")
        elif result.silence:
            output.notice("a session is given nothing for so few words")
        if not explain:
            _tell_items(result.left_out)
    raise typer.Exit(code)


def _data(hit: Recalled, explain: bool) -> dict[str, Any]:
    fields = asdict(hit)
    explained = fields.pop("explanation")
    return {**fields, "explanation": [list(pair) for pair in explained]} if explain else fields


def _shown(number: int, hit: Recalled, explain: bool) -> str:
    head = " · ".join(filter(None, (hit.at, hit.heading, hit.age)))
    lines = [f"{number}. {head}  {hit.id}", *(f"   {line}" for line in hit.text.split("\n"))]
    if explain:
        lines += [f"   {name}: {text}" for name, text in hit.explanation]
    return "\n".join(lines)


def _tell_items(left_out: tuple[LeftOut, ...]) -> None:
    """Items of a checklist that would have fitted; who hears nothing of them looks for a fault."""
    from ctxrepo.services.recall.unrecalled import CHECKLIST

    places = [left.entry.at for left in left_out if left.why == CHECKLIST]
    if places:
        output.notice(f"{' and '.join(places)} would have fitted: {CHECKLIST}")


def _others(left_out: tuple[LeftOut, ...]) -> str:
    from ctxrepo.domain.project.paths import shown

    lines = ["left out:"]
    for left in left_out[:_FEW]:
        text = shown(" ".join(left.entry.text.split()), _WIDTH)
        lines.append(f"- {left.entry.at} ({left.entry.score:.2f}): {left.why}\n  {text}")
    more = len(left_out) - _FEW
    return "\n".join([*lines, f"… {more} more"] if more > 0 else lines)
