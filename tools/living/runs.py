"""What all measures are asked on the command line, and corpora that are made once and kept."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ctxrepo.errors import CtxrepoError, UsageError
from living.material.histories import HALVES, History, find_histories
from living.material.known import DATA, HELD_OUT
from living.seams import Seams, seams_named

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Case = TypeVar("Case", bound="DataclassInstance")

_FORM = 6
"""Counts up when corpora are made in another way, so that kept ones are made anew."""


@dataclass(frozen=True)
class Run:
    """One measurement: the histories it is of, what is measured, `cases` a repository, and a folder in which
    corpora are kept, None for none."""

    histories: Sequence[History]
    seams: Seams
    cases: int
    work: Path | None = None

    def corpus(
        self, measure: str, history: History, make: Callable[[History], list[Case]], of: type[Case]
    ) -> list[Case]:
        """The cases of a history, from a file where one was kept of the same commit."""
        if self.work is None:
            return make(history)
        file = self.work / f"{measure}-{history.name}-{history.head.oid[:12]}-{self.cases}-{_FORM}.json"
        if file.exists():
            return [of(**fields) for fields in json.loads(file.read_text())]
        cases = make(history)
        self.work.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps([asdict(case) for case in cases]))
        return cases

    def named(self) -> Iterator[History]:
        """The histories, each told on standard error: a measure takes minutes."""
        for number, history in enumerate(self.histories, 1):
            print(
                f"{number}/{len(self.histories)} {history.name} ({history.half})", file=sys.stderr, flush=True
            )
            yield history


def parser(measure: str, description: str | None, cases: int) -> argparse.ArgumentParser:
    """A parser with the options that all measures over histories share."""
    options = argparse.ArgumentParser(prog=f"python -m living {measure}", description=description)
    options.add_argument(
        "--repositories",
        type=Path,
        nargs="+",
        required=True,
        metavar="FOLDER",
        help="clones, or folders of clones",
    )
    options.add_argument(
        "--half", choices=HALVES, default="all", help="only repositories whose name falls into this half"
    )
    options.add_argument("--cases", type=int, default=cases, help="cases a repository at most (%(default)s)")
    options.add_argument(
        "--work", type=Path, metavar="FOLDER", help="keep corpora here, to measure again sooner"
    )
    return with_seams(options)


def data_parser(measure: str, description: str | None) -> argparse.ArgumentParser:
    """A parser for measures over memories with prompts whose answers are known."""
    options = argparse.ArgumentParser(prog=f"python -m living {measure}", description=description)
    options.add_argument(
        "--data",
        type=Path,
        nargs="+",
        default=[DATA / "data", DATA / HELD_OUT],
        metavar="FOLDER",
        help="folders with memory/, queries.jsonl and qrels.jsonl, or of such folders",
    )
    return with_seams(options)


def with_seams(options: argparse.ArgumentParser) -> argparse.ArgumentParser:
    options.add_argument(
        "--seams", default="", metavar="MODULE:NAME", help="what is measured, without it today's ctxrepo"
    )
    options.add_argument("--each", action="store_true", help="a column for each repository, too")
    options.add_argument("--json", action="store_true", help="print one JSON object")
    return options


def run_of(options: argparse.Namespace) -> Run:
    """The run that was asked; UsageError where there is nothing to measure."""
    if missing := [folder for folder in options.repositories if not folder.is_dir()]:
        raise UsageError(
            f"{missing[0]} isn't a folder", "Name clones of repositories, or a folder of clones."
        )
    histories = find_histories(options.repositories, options.half)
    if not histories:
        which = "" if options.half == "all" else f" whose name is in the half {options.half}"
        hint = "Name clones, or a folder of NAME, NAME.git or NAME/repo."
        raise UsageError(f"there is no clone with fifty commits{which}", hint)
    return Run(histories, seams_named(options.seams), options.cases, options.work)


def shown(
    measure: Callable[[argparse.Namespace], tuple[dict[str, Any], str]], options: argparse.Namespace
) -> int:
    """Print the figures as a text or as JSON; 2 with one line on standard error for what makes no sense."""
    try:
        fields, text = measure(options)
    except CtxrepoError as error:
        print(f"living: {error.message}. {error.hint}".rstrip(), file=sys.stderr)
        return 2
    print(json.dumps(fields, indent=1) if options.json else text)
    return 0
