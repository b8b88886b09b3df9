"""`python -m live.table RESULTS PAGE`: which agent passes which row, as a table of the docs.

`RESULTS` holds what runs of `python -m live AGENT --results RESULTS` came to, a line of JSON each; the last
run of an agent counts. The table stands in `PAGE` between two marks.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from ctxrepo.agents.known import AGENTS
from live import rows
from live.report import Report

BEGIN, END = "<!-- made by live.table -->", "<!-- end -->"
_REMARKS = {"given": "order", "resumed": "prefix"}
"""Rows of which an agent's LACKS may say under another name what of it can't be had."""

UNTRIED = "can't be run offline: written after its documentation"


def add(results: Path, agent: str, version: str, reports: Sequence[Report]) -> None:
    """Add what came of an agent's scenarios; in several forms a row is passed where it is in all of them."""
    passed: dict[str, bool] = {}
    for report in reports:
        passed[report.name] = passed.get(report.name, True) and report.is_well
    with results.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"agent": agent, "version": version, "passed": passed}) + "\n")


def table(results: Path) -> str:
    """The table, and below it why a row isn't played."""
    played: dict[str, tuple[str, dict[str, bool]]] = {}
    for line in results.read_text("utf-8").splitlines():
        run = json.loads(line)
        _, before = played.get(run["agent"], ("", {}))
        played[run["agent"]] = (run["version"], {**before, **run["passed"]})
    notes: list[str] = []
    heads = [
        f"{agent.title} {played[name][0] if name in played else ''}".strip() for name, agent in AGENTS.items()
    ]
    lines = [f"| | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for row, scenario in rows.ALL.items():
        words = (scenario.__doc__ or "").strip().split("\n")[0]
        cells = [_cell(name, row, played, notes) for name in AGENTS]
        lines.append(f"| {words} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *(f"{number}. {note}" for number, note in enumerate(notes, 1)), ""])


def _cell(name: str, row: str, played: dict[str, tuple[str, dict[str, bool]]], notes: list[str]) -> str:
    lacks = importlib.import_module(f"live.{name}").LACKS if name in played else {}
    why = lacks.get(row, "") if name in played else UNTRIED
    if why:
        return f"– ({_number(f'{AGENTS[name].title}: {why}.', notes)})"
    passed = played[name][1].get(f"row-{row}")
    remark = lacks.get(_REMARKS.get(row, ""), "")
    shown = "not run" if passed is None else "yes" if passed else "**no**"
    return f"{shown} ({_number(f'{AGENTS[name].title}: {remark}.', notes)})" if remark else shown


def _number(note: str, notes: list[str]) -> int:
    """The number of this note below the table."""
    if note not in notes:
        notes.append(note)
    return notes.index(note) + 1


def main() -> int:
    results, page = map(Path, sys.argv[1:3])
    text = page.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n\n{table(results)}\n{END}{after}", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
