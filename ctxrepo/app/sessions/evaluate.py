"""How well recall answers prompts with known answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.recall.datasets import DataSet
    from ctxrepo.services.recall.recall_scores import Figures, Run


@dataclass(frozen=True)
class EvaluateRequest:
    """Folders of data; settings to ask with, and others to ask with besides, each `KEY=VALUE`; files with
    what another program answered."""

    data: Sequence[Path]
    settings: Sequence[str] = ()
    against: Sequence[str] = ()
    results: Sequence[Path] = ()


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
    return Result(Evaluation(sets, runs), {"data": asked, "runs": [_fields(run) for run in runs]})


def _fields(run: Run) -> dict[str, Any]:
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
