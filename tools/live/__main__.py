"""`python -m live AGENT [--form settings|plugin] [SCENARIO …]`, with tests/ on the path: real sessions.

Claude Code plays all scenarios, the other agents those of live/rows.py that they don't lack. Each has a fresh
machine below --keep or a temporary folder; the tables say what was seen. It ends with 1 when something isn't
as it must be.
"""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from ctxrepo.agents import names
from live import alone, install, rows, scenarios, stage, table
from live.model import Model
from live.play import Play
from live.report import Report

AGENTS = tuple(name for name in names() if Path(__file__).with_name(f"{name}.py").exists())
"""The agents that can be played: Cursor and Antigravity CLI can't be run offline."""

ALL = scenarios.ALL | {f"row-{name}": row for name, row in rows.ALL.items()}
"""What may be asked for, beside what an agent's module has in OWN for that agent alone."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m live", description=__doc__)
    parser.add_argument("agent", choices=AGENTS)
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=", ".join(ALL))
    parser.add_argument("--form", action="append", help="how ctxrepo is connected; all forms unless said")
    parser.add_argument("--keep", type=Path, help="leave everything in this folder, to look at")
    parser.add_argument("--newest", action="store_true", help="the newest version and not the pinned one")
    parser.add_argument("--results", type=Path, help="add what came of each scenario here, for live.table")
    parser.add_argument("--patience", type=float, default=1.0, help="multiplies every limit of time")
    options = parser.parse_intermixed_args()
    agent = importlib.import_module(f"live.{options.agent}")
    known = _known(agent)
    if unknown := set(options.scenarios) - set(known):
        parser.error(f"no scenario is called {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    if unknown := set(options.form or ()) - set(agent.FORMS):
        parser.error(
            f"{agent.NAME} has no form {', '.join(sorted(unknown))}; it has {', '.join(agent.FORMS)}"
        )
    package = install.newest(agent.PACKAGE) if options.newest else agent.PACKAGE
    installed = install.install(agent.NAME, package, install.root())
    is_alone = alone.go_inside(["-m", "live", *sys.argv[1:]])
    root = options.keep or Path(tempfile.mkdtemp(prefix="ctxrepo-live-"))
    network = "with no network but loopback" if is_alone else "WITH THE NETWORK OF THIS MACHINE"
    print(f"live: {package.wanted}, {network}; files in {root}", flush=True)
    reports = [
        play(agent, form, name, root, installed, options.patience)
        for form in options.form or agent.FORMS
        for name in options.scenarios or usual(agent, form)
    ]
    if options.results:
        table.add(options.results, agent.NAME, package.version, reports)
    if not options.keep:
        shutil.rmtree(root, ignore_errors=True)
    bad = [report.title for report in reports if not report.is_well]
    count = sum(len(report.rows) for report in reports)
    print(
        f"\nlive: {count} rows in {len(reports)} scenarios, "
        + (f"NOT WELL: {'; '.join(bad)}" if bad else "all well")
    )
    return 1 if bad else 0


def _known(agent: ModuleType) -> dict[str, Callable[[Play], None]]:
    """What can be played with this agent, by name."""
    known: dict[str, Callable[[Play], None]] = ALL | agent.OWN
    return known


def usual(agent: ModuleType, form: str) -> list[str]:
    """What this agent plays in this form unless something else was asked for: modes in the first one alone,
    as they are about what it is permitted and not about how it is connected."""
    of_rows = [f"row-{name}" for name in rows.ALL if name not in agent.LACKS]
    of_modes = {mode.scenario for mode in agent.MODES} if form != agent.FORMS[0] else ()
    own = [name for name in agent.OWN if name not in of_modes]
    return [*(scenarios.ALL if agent.NAME == "claude" else ()), *of_rows, *own]


def play(
    agent: ModuleType, form: str, name: str, root: Path, installed: install.Installed, patience: float
) -> Report:
    """One scenario on a machine of its own, shown when it is over."""
    scenario = _known(agent)[name]
    words = (scenario.__doc__ or "").strip().split("\n")[0]
    report = Report(f"{agent.NAME}, {form}: {name}. {words}", patience, name)
    place = root / f"{form}-{name}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    with Model(agent.API, place / "requests.jsonl") as model:
        here = stage.build(place, model, installed)
        agent.connect(here, form)
        try:
            scenario(Play(here, agent, form, report))
        except Exception as error:
            report.look("it was played to its end", False, f"{type(error).__name__}: {error}")
        finally:
            here.end_all()
        if model.strangers:
            report.look("only the API was asked", False, model.strangers[:3])
    report.show()
    sys.stdout.flush()
    return report


if __name__ == "__main__":
    sys.exit(main())
