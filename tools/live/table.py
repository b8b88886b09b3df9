"""`python -m live.table RESULTS PAGE`: which agent passes which row, and what happens in each of its
modes, as tables of the docs.

`RESULTS` holds what runs of `python -m live AGENT --results RESULTS` came to, a line of JSON each; the last
run of a scenario counts. Each table stands in `PAGE` between two marks.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from ctxrepo.agents.known import AGENTS
from live import modes, rows
from live.report import Report

BEGIN, END = "<!-- made by live.table -->", "<!-- end -->"
BEGIN_MODES = "<!-- modes, made by live.table -->"
_REMARKS = {"given": "order", "resumed": "prefix", "enforced": "holds"}
"""Rows of which an agent's LACKS may say under another name what of it can't be had."""

UNTRIED = "from its documentation, not tried live, because it can't be run offline"


def add(results: Path, agent: str, version: str, reports: Sequence[Report]) -> None:
    """Add what came of an agent's scenarios; in several forms a row is passed where it is in all of them."""
    passed: dict[str, bool] = {}
    for report in reports:
        passed[report.name] = passed.get(report.name, True) and report.is_well
    with results.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"agent": agent, "version": version, "passed": passed}) + "\n")


Played = dict[str, tuple[str, dict[str, bool]]]
"""agent -> (the version that was played last, scenario -> whether it was passed)"""


def read(results: Path) -> Played:
    """What the runs came to, the last one of each scenario."""
    played: Played = {}
    for line in results.read_text("utf-8").splitlines():
        run = json.loads(line)
        _, before = played.get(run["agent"], ("", {}))
        played[run["agent"]] = (run["version"], {**before, **run["passed"]})
    return played


def table(played: Played) -> str:
    """The table of rows, and below it why a row isn't played."""
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


def table_of_modes(played: Played) -> str:
    """What each mode of each agent lets happen, and below it why one isn't played."""
    notes: list[str] = []
    heads = ["agent, and its mode", "index, entry, exit, SIGTERM", *modes.COLUMNS.values()]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name, (_, passed) in sorted(played.items()):
        for mode in importlib.import_module(f"live.{name}").MODES:
            cells = _cells_of_mode(mode, passed.get(mode.scenario), notes)
            lines.append(f"| {AGENTS[name].title}, `{mode.name}`: {mode.words} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *(f"{number}. {note}" for number, note in enumerate(notes, 1)), ""])


def _cells_of_mode(mode: modes.Mode, passed: bool | None, notes: list[str]) -> Sequence[str]:
    """What came of the mode, a cell for each column; what must come of it is what did where it was passed."""
    if mode.lacks:
        number = _number(f"Can't be had: {mode.lacks}.", notes)
        return [f"– ({number})"] * (len(modes.COLUMNS) + 1)
    if not passed:
        return ["not run" if passed is None else "**no**"] * (len(modes.COLUMNS) + 1)
    return ["yes", *mode.outcomes]


def _cell(name: str, row: str, played: Played, notes: list[str]) -> str:
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
    played = read(results)
    text = _put(page.read_text("utf-8"), BEGIN, table(played))
    page.write_text(_put(text, BEGIN_MODES, table_of_modes(played)), "utf-8")
    return 0


def _put(text: str, begin: str, content: str) -> str:
    """The page with this table behind its mark."""
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(END)
    return f"{before}{begin}\n\n{content}\n{END}{after}"


if __name__ == "__main__":
    sys.exit(main())
