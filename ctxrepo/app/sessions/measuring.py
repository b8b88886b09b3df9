"""Operations that tell what sessions made of the memory: usage, traces, and recall against known answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ctxrepo.app.result import Result, reads
from ctxrepo.domain.formats.described import Between
from ctxrepo.domain.project.target import ScopeName
from ctxrepo.domain.records.recall_quality import SESSIONS
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.recall.datasets import DataSet
    from ctxrepo.services.recall.recall_scores import Figures, Run
    from ctxrepo.services.usage.entry_usage import EntryUsage, Report
    from ctxrepo.services.usage.read_traces import Trace


@dataclass(frozen=True)
class UsageRequest:
    """Which entries are counted."""

    scope: ScopeName = ""
    is_zombies: bool = False
    """Only entries that many sessions were given and none used."""
    sessions: Annotated[int, Between(1)] = SESSIONS
    """How many sessions count as many for --zombies; 10 by default."""
    limit: Annotated[int, Between(1, 5000)] = 20
    """Show at most N entries; 20 by default."""


@reads
def usage(desk: Desk, request: UsageRequest) -> Result[Report]:
    """Say which entries were delivered, opened, used and contradicted."""
    from ctxrepo.services.usage.entry_usage import observe, usage, zombies

    memory, now = desk.memory, desk.now.timestamp()
    try:
        observe(memory, (), now)
    except CtxrepoError as error:
        desk.notice(error.message)
    if request.is_zombies:
        report = zombies(memory, request.scope, desk.project, request.limit, request.sessions, now)
    else:
        report = usage(memory, request.scope, desk.project, request.limit)
    names = ("count", "delivered", "sessions", "opened", "used", "contradicted", "usage_rate")
    totals = {name: getattr(report, name) for name in names}
    return Result(report, {"entries": [_usage_fields(one) for one in report.entries], "totals": totals})


def _usage_fields(one: EntryUsage) -> dict[str, Any]:
    counts = one.usage
    return {
        "id": f"^{counts.id}",
        "at": one.at,
        "delivered": counts.delivered,
        "sessions": counts.sessions,
        "opened": counts.opened,
        "used": counts.used,
        "contradicted": counts.contradicted,
        "first": day_of(counts.first),
        "last": day_of(counts.last),
        "text": one.text,
    }


def day_of(at: float) -> str:
    """The day of a moment, in UTC."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()


@dataclass(frozen=True)
class TraceRequest:
    """One trace by the beginning of its id, or the last ones, of one session where that is named."""

    id: str = ""
    """The id of one trace, or the beginning of it."""
    session: str = ""
    """Only of this session, by its id or the beginning of it."""
    last: Annotated[int | None, Between(1, 10_000)] = None
    """Show the last N; 5 by default."""


def list_traces(desk: Desk, request: TraceRequest) -> Result[Sequence[Trace]]:
    """Say what the last prompts and edits were given."""
    from ctxrepo.services.usage.read_traces import LAST, traces

    last = request.last or (None if request.session else LAST)
    return Result(traces(desk.memory, request.id, request.session, last), "traces")


def paths(words: Sequence[str]) -> tuple[Path, ...]:
    """The places that words name, `~` for the home folder."""
    return tuple(Path(word).expanduser() for word in words)


@dataclass(frozen=True)
class EvaluateRequest:
    """What is asked, and with which settings, each `KEY=VALUE`."""

    data: Annotated[Sequence[Path], paths]
    """A folder with memory/, queries.jsonl and qrels.jsonl, or of such folders; may be several."""
    settings: Sequence[str] = ()
    """Measure with this setting, e.g. recall.limit=8."""
    against: Sequence[str] = ()
    """Measure again with this setting changed; separate several with commas."""
    results: Annotated[Sequence[Path], paths] = ()
    """Measure the answers of another program too."""


@dataclass(frozen=True)
class Evaluation:
    """What was asked, and how each way of asking did."""

    sets: Sequence[DataSet]
    runs: Sequence[Run]


def evaluate(desk: Desk, request: EvaluateRequest) -> Result[Evaluation]:
    """Measure recall; one's own memory is left alone."""
    from ctxrepo.services.recall.datasets import BadLines, data_sets
    from ctxrepo.services.recall.recall_folder import Way
    from ctxrepo.services.recall.recall_scores import evaluate, score_file, way_of
    from ctxrepo.storage.user.places import Places

    plain = Way(models=Places.of(desk.env).models)
    base = way_of(request.settings, plain) if request.settings else plain
    ways = {", ".join(request.settings) or "default": base}
    ways |= {words: way_of([words], base) for words in request.against}
    try:
        sets = data_sets(request.data)
        runs = evaluate(sets, ways) + [score_file(file, sets) for file in request.results]
    except BadLines as error:
        for line in error.lines:
            desk.notice(line)
        raise
    asked = [{"name": one.name, "prompts": len(one.queries), "notes": len(one.texts)} for one in sets]
    return Result(Evaluation(sets, runs), {"data": asked, "runs": [_run_fields(run) for run in runs]})


def _run_fields(run: Run) -> dict[str, Any]:
    by_kind = {kind: _figures(figures) for kind, figures in run.categories.items()}
    return {"name": run.name, "ms": run.ms, "all": _figures(run.whole), "categories": by_kind}


def _figures(figures: Figures) -> dict[str, Any]:
    return {
        "answerable": figures.answerable,
        "silent": figures.silent,
        **figures.measures,
        "delivered": figures.delivered,
        "waste": figures.waste,
        "false_injection": figures.false_injection,
        "noise": figures.noise,
    }
