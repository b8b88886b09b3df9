"""What `doctor --hooks` says: a line for each event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ctxrepo.faces.cli.output import counted

if TYPE_CHECKING:
    from ctxrepo.services.setup.hook_records import AgentRecords, Row


def lines(found: Sequence[AgentRecords]) -> Iterator[str]:
    """What the records of each agent tell, without the findings."""
    for agent in found:
        if not agent.sessions:
            yield f"{agent.title} recorded no session in {agent.folder}"
            continue
        first, last = min(s.began for s in agent.sessions), max(s.last for s in agent.sessions)
        sessions = counted(len(agent.sessions), "session")
        yield f"{agent.title}, {sessions} from {_minute(first)} to {_minute(last)}, UTC"
        for row in agent.rows:
            yield f"  {row.event:<17} {'; '.join(_said(row))}"
    if not found:
        yield "no agent is here whose records can be read"


def _said(row: Row) -> Iterator[str]:
    outcomes = {"ran": "ran", "failed": "failed", "ended": "was ended"}
    told = [
        f"{words} {_times(row.count(outcome))}" for outcome, words in outcomes.items() if row.count(outcome)
    ]
    if told:
        took = f" in {_span(row.took)}" if row.took else ""
        yield ", ".join(told) + took
    if row.given:
        fates = {
            "sent": "in a request to the model",
            "cut": "cut by the agent",
            "lost": "in no request",
            "open": "no request recorded after it",
        }
        became = [f"{row.fates(fate)} {words}" for fate, words in fates.items() if row.fates(fate)]
        yield f"gave {_times(len(row.given))}: {', '.join(became)}"
    if row.noted and not told:
        yield f"ctxrepo noted {counted(row.noted, 'call')} itself"
    if not row.happened:
        yield "there was no cause"
    elif row.unrecorded and not (row.count("failed") or row.count("ended")):
        yield row.unrecorded
    elif not (told or row.given or row.noted):
        yield "no trace of it"


def _span(took: Sequence[int]) -> str:
    if len(took) == 1:
        return f"{took[0]} ms"
    middle = f", {took[len(took) // 2]} in the middle" if len(took) > 2 else ""
    return f"{took[0]} to {took[-1]} ms{middle}"


def _minute(moment: str) -> str:
    return moment[:16].replace("T", " ")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
