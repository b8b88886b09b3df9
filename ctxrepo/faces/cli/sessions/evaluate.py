"""The command that measures recall: eval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import argument, json_option, option

if TYPE_CHECKING:
    import typer

    from ctxrepo.app.sessions.evaluate import Evaluation
    from ctxrepo.services.recall.recall_scores import Figures, Run

_WHOLE = "all"
_NONE = "-"


def register(app: typer.Typer) -> None:
    app.command("eval")(evaluate)


def evaluate(
    data: Annotated[
        list[str],
        argument(
            metavar="DATA",
            help="A folder with memory/, queries.jsonl and qrels.jsonl, or of such folders; may be several.",
        ),
    ],
    settings: Annotated[
        list[str] | None,
        option("--set", metavar="KEY=VALUE", help="Ask with this setting, as recall.limit=8."),
    ] = None,
    against: Annotated[
        list[str] | None,
        option("--against", metavar="KEY=VALUE", help="Ask also with this changed; commas between several."),
    ] = None,
    no_gate: Annotated[bool, option("--no-gate", help="The same as --set gate=off.")] = False,
    results: Annotated[
        list[str] | None,
        option("--results", metavar="FILE", help="Measure also what another program answered."),
    ] = None,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Measure how well recall answers prompts with known answers.

    Each memory is read into a cache of its own, and your own memory is left alone. FILE is what `recall
    --batch` writes. Settings that can be tried are recall.limit (50 without one), recall.budget_bytes,
    recall.gate and recall.model (the folder of one; by words without one).

    Example: ctxrepo eval tools/recall/data --against gate=off
    """
    from ctxrepo.app.sessions.evaluate import EvaluateRequest, evaluate

    own = [*(settings or ()), *(["gate=off"] if no_gate else [])]
    request = EvaluateRequest(_paths(data), own, against or (), _paths(results))
    answer(open_desk(), evaluate, request, json, _said)


def _paths(words: Sequence[str] | None) -> list[Path]:
    return [Path(word).expanduser() for word in words or ()]


def _said(done: Evaluation) -> str:
    head = "\n".join(
        f"{one.name}: {output.counted(len(one.texts), 'note')}, {output.counted(len(one.queries), 'prompt')}"
        for one in done.sets
    )
    return f"{head}\n\n{_table(done.runs)}"


def _table(runs: Sequence[Run]) -> str:
    rows = [_head(with_name=len(runs) > 1), *_rows(runs)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    names = 2 if len(runs) > 1 else 1
    return "\n".join(
        "  ".join(
            cell.ljust(width) if n < names else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _head(*, with_name: bool) -> list[str]:
    from ctxrepo.domain.records.recall_quality import MEASURES

    short = [name.replace("recall@", "r@").replace("evidence@", "ev@") for name in MEASURES]
    return ["", *([""] if with_name else []), "prompts", *short, "delivered", "waste", "false", "noise", "ms"]


def _rows(runs: Sequence[Run]) -> Iterator[list[str]]:
    for kind in (_WHOLE, *runs[0].categories):
        for number, run in enumerate(runs):
            figures = run.whole if kind == _WHOLE else run.categories[kind]
            first = [kind if number == 0 else "", *([run.name] if len(runs) > 1 else [])]
            yield [*first, *_cells(figures), _number(run.ms, 1) if kind == _WHOLE else ""]


def _cells(figures: Figures) -> Iterator[str]:
    from ctxrepo.domain.records.recall_quality import MEASURES

    counts = filter(None, (figures.answerable, figures.silent))
    yield "+".join(map(str, counts)) or "0"
    yield from (_number(figures.measures.get(name), 3) for name in MEASURES)
    yield _number(figures.delivered, 3)
    yield _number(figures.waste, 0)
    yield _number(figures.false_injection, 2)
    yield _number(figures.noise, 0)


def _number(value: float | None, digits: int) -> str:
    return _NONE if value is None else f"{value:.{digits}f}"
