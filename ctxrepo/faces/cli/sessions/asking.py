"""Commands that ask the memory, and show what it gave and why: recall, trace, stats usage."""

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
    from ctxrepo.services.recall.recall import Purpose, RecallResult
    from ctxrepo.services.recall.recall_folder import Batch
    from ctxrepo.services.usage.entry_usage import EntryUsage, UsageReport
    from ctxrepo.services.usage.read_traces import Trace, TracedEntry


_WIDTH = 100
"""Characters of an entry on one line."""


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
    from ctxrepo.app.views.hits import recall_text
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
        source, queries, answers = (Path(path).expanduser() for path in (folder, batch, out))
        _batch(recalling.BatchRequest(source, queries, answers, limit, not no_gate, model), json)
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
    question = Question(_text(query), tuple(before or ()), limit or LIMIT, budget, purpose)
    text, hints = partial(recall_text, is_explained=explain), partial(_hints, explain=explain)
    if not folder:
        request = recalling.MemoryRecallRequest(question, scope, explain)
        answer(recalling.recall, request, json, text, hints)
        return
    if scope:
        raise UsageError("--scope and --in don't go together", "A folder is one scope.")
    in_folder = recalling.FolderRecallRequest(question, Path(folder).expanduser(), model, explain)
    answer(recalling.recall_in_folder, in_folder, json, text, hints)


def _batch(request: BatchRequest, json: bool) -> None:
    from ctxrepo.app.sessions.recall import recall_batch

    def text(batch: Batch) -> str:
        queries = output.counted(batch.queries, "query", "queries")
        return f"{queries}, {batch.silent} answered with silence, {batch.ms:.1f} ms each: {request.out}"

    answer(recall_batch, request, json, text)


def _text(query: str) -> str:
    """The query, or for `-` standard input. Bytes that aren't UTF-8 become surrogates, which are refused."""
    from ctxrepo.services.recall.recall import MAX_TEXT

    return sys.stdin.buffer.read(MAX_TEXT * 4).decode("utf-8", "surrogateescape") if query == "-" else query


def _hints(result: RecallResult, explain: bool) -> Iterator[str]:
    """Why there is nothing, why a prompt would be given nothing, and which items of a checklist would have
    fitted: somebody who expects them would otherwise look for a fault."""
    from ctxrepo.services.recall.recall import CHECKLIST

    if not result.hits:
        yield f"nothing is recalled: {result.reason}; `ctxrepo search` finds words in all notes"
    elif result.silence:
        yield f"a prompt would be given nothing: {result.silence}"
    places = [omission.entry.at for omission in result.left_out if omission.why == CHECKLIST]
    if places and not explain:
        yield f"{' and '.join(places)} would have fitted: {CHECKLIST}"


@command(id="ID", last="--last N", session="--session S")
def trace(request: TraceRequest, json: bool = False) -> None:
    """Show what recent prompts and edits were given, and why."""
    if request.id and (request.session or request.last):
        raise UsageError("an ID stands alone", "Leave out --last and --session.")
    none = "no traces yet"
    answer(measuring.list_traces, request, json, lambda traces: "\n\n".join(map(_trace_text, traces)) or none)


def _trace_text(trace: Trace) -> str:
    session = trace.agent + (f" {trace.session[:8]}" if trace.session else "")
    command = f"ctxrepo {trace.by}" if trace.by else ""
    moment = output.wall_time(datetime.fromisoformat(trace.at), seconds=True) if trace.at else ""
    lines = ["  ".join(filter(None, (trace.id, moment, session, command)))]
    lines += [f"  edited {shown(trace.edited, 130)}" if trace.edited else f"  > {shown(trace.prompt, 130)}"]
    lines += [line for entry in trace.given for line in _entry_lines("given", entry)]
    lines += [line for entry in trace.left_out for line in _entry_lines("left out", entry)]
    lines += [f"  by words: {trace.by_words}"] if trace.by_words else []
    lines += [f"  silence: {trace.silence}"] if trace.silence else []
    return "\n".join(lines)


def _entry_lines(outcome: str, entry: TracedEntry) -> Iterator[str]:
    yield f"  {outcome}: {entry.at} ({entry.score:.2f}) {entry.id}" + (f": {entry.why}" if entry.why else "")
    remark = f"(edited, moved or gone since: see `ctxrepo read {entry.id}`)"
    yield f"    {shown(' '.join(entry.text.split()), _WIDTH) if entry.text else remark}"


_HEAD = ("delivered", "sessions", "opened", "used", "contradicted", "last", "entry")

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
    count = report.count - len(report.entries)
    more = [f"… {count} more; --limit shows them"] if count > 0 else []
    sums = (
        f"{output.counted(report.delivered, 'delivery', 'deliveries')}; once a session: "
        f"{report.sessions} delivered, {report.opened} opened, {report.used} used, "
        f"{report.contradicted} contradicted; usage rate {report.usage_rate:.2f}"
    )
    return "\n".join([*(lines if report.entries else [nothing]), *more, "", sums])


def _row(entry: EntryUsage) -> tuple[str, ...]:
    counts = entry.usage
    numbers = (counts.delivered, counts.sessions, counts.opened, counts.used, counts.contradicted)
    text = shown(" ".join(entry.text.split()), 90) if entry.text else "(edited or gone since)"
    return (*map(str, numbers), measuring.day_of(counts.last), f"{entry.at} ^{counts.id}: {text}")
