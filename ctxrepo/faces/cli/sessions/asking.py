"""Commands that ask the memory, and tell what it gave and what for: recall, trace, stats usage."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.sessions import measuring
from ctxrepo.app.sessions.measuring import TraceRequest, UsageRequest
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.text import with_doubt
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer
from ctxrepo.faces.cli.options import (
    LIMIT,
    SCOPE,
    USUAL,
    Group,
    argument,
    command,
    json_option,
    option,
    scope_option,
)

if TYPE_CHECKING:
    from ctxrepo.app.sessions.recall import BatchRequest
    from ctxrepo.services.recall.recall import LeftOut, Purpose, RecalledEntry, RecallResult
    from ctxrepo.services.recall.recall_folder import Batch
    from ctxrepo.services.usage.entry_usage import EntryUsage, UsageReport
    from ctxrepo.services.usage.read_traces import Trace, TracedEntry


_WIDTH = 100
_FEW = 8
"""Entries left out that are shown at a terminal; --json has all."""


def recall(
    words: Annotated[list[str] | None, argument(metavar="Q")] = None,
    limit: Annotated[int | None, option("--limit", metavar="N", min=1, max=1000)] = None,
    budget: Annotated[int, option("--budget", metavar="N", min=0, max=1000000)] = 2500,
    scope: Annotated[str, scope_option()] = "",
    before: Annotated[list[str] | None, option("--before", metavar="TEXT")] = None,
    as_prompt: Annotated[bool, option("--as-prompt")] = False,
    no_gate: Annotated[bool, option("--no-gate")] = False,
    explain: Annotated[bool, option("--explain")] = False,
    folder: Annotated[str, option("--in", metavar="DIR")] = "",
    batch: Annotated[str, option("--batch", metavar="FILE")] = "",
    out: Annotated[str, option("--out", metavar="FILE")] = "",
    model: Annotated[str, option("--model", metavar="MODEL")] = "",
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Find the entries that best match a question or a word."""
    from ctxrepo.app.sessions import recall as recalling
    from ctxrepo.services.recall.recall import LIMIT, Question

    query = " ".join(words) if words else None
    if as_prompt and no_gate:
        raise UsageError("--as-prompt and --no-gate don't go together", "A prompt is answered by the gate.")
    if batch or out:
        if query is not None or not (folder and batch and out):
            raise UsageError(
                "a batch needs --in, --batch and --out, and no Q",
                "`ctxrepo recall --in DIR --batch QUERIES.jsonl --out OUT.jsonl`",
            )
        _batch(
            recalling.BatchRequest(_place(folder), _place(batch), _place(out), limit, not no_gate, model),
            json,
        )
        return
    if model and not folder:
        raise UsageError(
            "--model goes with --in", "`ctxrepo config set recall.model MODEL` sets your memory's."
        )
    if query is None:
        raise UsageError(
            "there is nothing to recall for", "Give a question, or - to read it from standard input."
        )
    purpose: Purpose = "prompt" if as_prompt else "all" if no_gate else "query"
    asked = Question(_text(query), tuple(before or ()), limit or LIMIT, budget, purpose)
    said, hints = partial(_said, explain=explain), partial(_hints, explain=explain)
    if not folder:
        request = recalling.MemoryRecallRequest(asked, scope, explain)
        answer(recalling.recall, request, json, said, hints)
        return
    if scope:
        raise UsageError("--scope and --in don't go together", "A folder is one scope.")
    in_folder = recalling.FolderRecallRequest(asked, _place(folder), model, explain)
    answer(recalling.recall_in_folder, in_folder, json, said, hints)


def _batch(request: BatchRequest, json: bool) -> None:
    from ctxrepo.app.sessions.recall import recall_batch

    def said(done: Batch) -> str:
        counted = f"{output.counted(done.queries, 'query', 'queries')}, {done.silent} answered with silence"
        return f"{counted}, {done.ms:.1f} ms each: {request.out}"

    answer(recall_batch, request, json, said)


def _text(query: str) -> str:
    """What is asked; bytes that are no UTF-8 stay recognisable as such."""
    from ctxrepo.services.recall.recall import MAX_TEXT

    return sys.stdin.buffer.read(MAX_TEXT * 4).decode("utf-8", "surrogateescape") if query == "-" else query


def _place(words: str) -> Path:
    return Path(words).expanduser()


def _said(result: RecallResult, explain: bool) -> str:
    parts = [_shown(number, hit, explain) for number, hit in enumerate(result.hits, 1)]
    if explain and result.left_out:
        parts.append(_others(result.left_out))
    return "\n\n".join(parts)


def _hints(result: RecallResult, explain: bool) -> Iterator[str]:
    """Why there is nothing, why a prompt would be given nothing, and items of a checklist that would have
    fitted: who hears nothing of them looks for a fault."""
    from ctxrepo.services.recall.recall import CHECKLIST

    if not result.hits:
        yield f"nothing is recalled: {result.reason}; `ctxrepo search` finds words in all notes"
    elif result.silence:
        yield f"a prompt would be given nothing: {result.silence}"
    places = [left.entry.at for left in result.left_out if left.why == CHECKLIST]
    if places and not explain:
        yield f"{' and '.join(places)} would have fitted: {CHECKLIST}"


def _shown(number: int, hit: RecalledEntry, explain: bool) -> str:
    head = " · ".join(filter(None, (hit.at, hit.heading, hit.age)))
    text = with_doubt(hit.text, hit.doubt)
    lines = [f"{number}. {head}  {hit.id}", *(f"   {line}" for line in text.split("\n"))]
    if explain:
        lines += [f"   {name}: {text}" for name, text in hit.explanation]
    return "\n".join(lines)


def _others(left_out: tuple[LeftOut, ...]) -> str:
    lines = ["left out:"]
    for left in left_out[:_FEW]:
        text = shown(" ".join(left.entry.text.split()), _WIDTH)
        lines.append(f"- {left.entry.at} ({left.entry.score:.2f}): {left.why}\n  {text}")
    more = len(left_out) - _FEW
    return "\n".join([*lines, f"… {more} more"] if more > 0 else lines)


_SESSION = 8


@command(id="ID", last="--last N", session="--session S")
def trace(request: TraceRequest, json: bool = False) -> None:
    """Show what recent prompts and edits were given, and why."""
    if request.id and (request.session or request.last):
        raise UsageError("an ID stands alone", "Leave out --last and --session.")
    none = "no traces yet"
    answer(measuring.list_traces, request, json, lambda found: "\n\n".join(map(_trace_text, found)) or none)


def _trace_text(trace: Trace) -> str:
    who = trace.agent + (f" {trace.session[:_SESSION]}" if trace.session else "")
    asked = f"ctxrepo {trace.by}" if trace.by else ""
    moment = output.wall_time(datetime.fromisoformat(trace.at), seconds=True) if trace.at else ""
    head = "  ".join(filter(None, (trace.id, moment, who, asked)))
    lines = [
        head,
        f"  edited {shown(trace.edited, 130)}" if trace.edited else f"  > {shown(trace.prompt, 130)}",
    ]
    lines += [line for one in trace.given for line in _entry("given", one)]
    lines += [line for one in trace.left_out for line in _entry("left out", one)]
    lines += [f"  by words: {trace.by_words}"] if trace.by_words else []
    return "\n".join([*lines, f"  silence: {trace.silence}"] if trace.silence else lines)


def _entry(what: str, one: TracedEntry) -> Iterator[str]:
    yield f"  {what}: {one.at} ({one.score:.2f}) {one.id}" + (f": {one.why}" if one.why else "")
    gone = f"(edited, moved or gone since: see `ctxrepo read {one.id}`)"
    yield f"    {shown(' '.join(one.text.split()), _WIDTH) if one.text else gone}"


_HEAD = ("delivered", "sessions", "opened", "used", "contradicted", "last", "entry")
_ENTRY_WIDTH = 90

stats = Group("stats", "Show how sessions used the entries that they were given.", "usage")


@stats.command()
@command(scope=SCOPE, is_zombies="--zombies", sessions=USUAL, limit=LIMIT)
def usage(request: UsageRequest, json: bool = False) -> None:
    """Show which entries sessions were given, opened, used and contradicted."""
    nothing = (
        "no entry only takes room"
        if request.is_zombies
        else "no session was given an entry yet, as far as this machine knows"
    )
    answer(measuring.usage, request, json, lambda report: _table(report, nothing))


def _table(report: UsageReport, nothing: str) -> str:
    if not report.sessions:
        return nothing
    rows = [_HEAD, *map(_row, report.entries)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join([*(c.rjust(w) for c, w in zip(row[:-1], widths, strict=False)), row[-1]]) for row in rows
    ]
    more = report.count - len(report.entries)
    left = [f"… {more} more; --limit shows them"] if more > 0 else []
    sums = (
        f"{output.counted(report.delivered, 'delivery', 'deliveries')}; once a session: "
        f"{report.sessions} delivered, {report.opened} opened, {report.used} used, "
        f"{report.contradicted} contradicted; usage rate {report.usage_rate:.2f}"
    )
    return "\n".join([*(lines if report.entries else [nothing]), *left, "", sums])


def _row(one: EntryUsage) -> tuple[str, ...]:
    counts = one.usage
    numbers = (counts.delivered, counts.sessions, counts.opened, counts.used, counts.contradicted)
    text = shown(" ".join(one.text.split()), _ENTRY_WIDTH) if one.text else "(edited or gone since)"
    return (*map(str, numbers), measuring.day_of(counts.last), f"{one.at} ^{counts.id}: {text}")
