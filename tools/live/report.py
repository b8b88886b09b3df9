"""What was looked for in a session, what was seen, and whether it is as it must be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Report:
    """The rows of one scenario. `patience` multiplies every limit of time: for busy machines."""

    title: str
    patience: float = 1.0
    name: str = ""
    rows: list[tuple[bool, str, str]] = field(default_factory=list)
    tell: Callable[[str], None] = print

    def look(self, what: str, holds: bool, seen: object = "") -> None:
        """One row."""
        self.rows.append((bool(holds), what, " ".join(str(seen).split())))

    def within(self, what: str, took: float | None, limit: float) -> None:
        """A row about a time in seconds; None: it never was so."""
        holds = took is not None and took <= limit * self.patience
        self.look(f"{what} within {limit:g} s", holds, "never" if took is None else f"{took:.2f} s")

    @property
    def is_well(self) -> bool:
        return bool(self.rows) and all(holds for holds, _, _ in self.rows)

    def show(self) -> None:
        """The rows as a table."""
        self.tell(f"\n### {self.title}\n\n| | what must be | seen |\n|---|---|---|")
        for holds, what, seen in self.rows:
            self.tell(f"| {'yes' if holds else '**NO**'} | {_cell(what)} | {_cell(seen)} |")


def _cell(text: str) -> str:
    return (text if len(text) <= 160 else text[:157] + "…").replace("|", "\\|")
