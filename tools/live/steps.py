"""What the model is going to do: one step for each request that offers it tools."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Text:
    """It says something, and the turn is over; `tokens` is how long it claims the request was."""

    text: str = "Done."
    tokens: int = 100
    held: threading.Event | None = None
    """It answers only when this is set: who waits for it is killed meanwhile."""


@dataclass(frozen=True)
class Tool:
    """It asks for a tool."""

    name: str
    given: dict[str, Any] = field(default_factory=dict)
    tokens: int = 100
    held: threading.Event | None = None


Step = Text | Tool
