"""Measures how well recall answers prompts with known answers (docs/how-to/measure-recall.md):

PYTHONPATH=tools python -m recall.evaluate DATA… [--set KEY=VALUE] [--against KEY=VALUE] [--results FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from recall.datasets import DataSet, data_sets
from recall.measures import MEASURES
from recall.scores import Figures, Run, evaluate, score_file, way_of

from ctxrepo.domain.formats.moment import counted
from ctxrepo.errors import CtxrepoError
from ctxrepo.services.recall.queries import BadLines
from ctxrepo.services.recall.recall_folder import Way
from ctxrepo.storage.user.places import Places

_WHOLE = "all"
_NONE = "-"


def main(words: Sequence[str] | None = None) -> int:
    """Print a table, or one JSON object; 2 with a line on standard error for what makes no sense."""
    parser = argparse.ArgumentParser(
        prog="python -m recall.evaluate",
        description="Measure how well recall answers prompts with known answers.",
    )
    parser.add_argument(
        "data",
        nargs="+",
        type=Path,
        help="a folder with memory/, queries.jsonl and qrels.jsonl, or of such folders",
    )
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="measure with this setting: recall.limit (50 without one), recall.budget_bytes, recall.gate "
        "or recall.model",
    )
    parser.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="measure again with this changed; several with commas",
    )
    parser.add_argument(
        "--results",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="measure the answers of another program, as `ctxrepo recall --batch` writes them",
    )
    parser.add_argument(
        "--start",
        dest="session",
        action="store_const",
        const=1,
        help="each prompt is a session's first: what its start gave is delivered, and isn't given twice",
    )
    parser.add_argument(
        "--session",
        type=int,
        default=0,
        metavar="PROMPTS",
        help="the same with sessions of so many prompts, in an order that is drawn once: what the prompts "
        "before gave counts, too",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(words)
    try:
        sets, runs = _measured(options)
    except CtxrepoError as error:
        for line in error.lines if isinstance(error, BadLines) else ():
            print(line, file=sys.stderr)
        print(f"evaluate: {error.message}. {error.hint}".rstrip(), file=sys.stderr)
        return 2
    print(json.dumps(_fields(sets, runs)) if options.json else _text(sets, runs))
    return 0


def _measured(options: argparse.Namespace) -> tuple[list[DataSet], list[Run]]:
    """The sets that were asked, and a run for each way of asking and each file of answers."""
    plain = Way(models=Places.of(os.environ).models)
    base = way_of(options.settings, plain) if options.settings else plain
    ways = {", ".join(options.settings) or "default": base}
    ways |= {words: way_of([words], base) for words in options.against}
    sets = data_sets(options.data)
    runs = evaluate(sets, ways, options.session)
    return sets, runs + [score_file(file, sets) for file in options.results]


def _fields(sets: Sequence[DataSet], runs: Sequence[Run]) -> dict[str, Any]:
    asked = [{"name": data.name, "prompts": len(data.queries), "notes": len(data.texts)} for data in sets]
    return {"data": asked, "runs": [_run_fields(run) for run in runs]}


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


def _text(sets: Sequence[DataSet], runs: Sequence[Run]) -> str:
    head = "\n".join(
        f"{data.name}: {counted(len(data.texts), 'note')}, {counted(len(data.queries), 'prompt')}"
        for data in sets
    )
    return f"{head}\n\n{_table(runs)}"


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
    short = [name.replace("recall@", "r@").replace("evidence@", "ev@") for name in MEASURES]
    return ["", *([""] if with_name else []), "prompts", *short, "delivered", "waste", "false", "noise", "ms"]


def _rows(runs: Sequence[Run]) -> Iterator[list[str]]:
    for kind in (_WHOLE, *runs[0].categories):
        for number, run in enumerate(runs):
            figures = run.whole if kind == _WHOLE else run.categories[kind]
            first = [kind if number == 0 else "", *([run.name] if len(runs) > 1 else [])]
            yield [*first, *_cells(figures), _number(run.ms, 1) if kind == _WHOLE else ""]


def _cells(figures: Figures) -> Iterator[str]:
    counts = filter(None, (figures.answerable, figures.silent))
    yield "+".join(map(str, counts)) or "0"
    yield from (_number(figures.measures.get(name), 3) for name in MEASURES)
    yield _number(figures.delivered, 3)
    yield _number(figures.waste, 0)
    yield _number(figures.false_injection, 2)
    yield _number(figures.noise, 0)


def _number(value: float | None, digits: int) -> str:
    return _NONE if value is None else f"{value:.{digits}f}"


if __name__ == "__main__":
    sys.exit(main())
