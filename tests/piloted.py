"""The screen, played by keys without a terminal: what it shows, and what became of the memory."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from datetime import datetime
from unittest.mock import patch

from evening import shared_desk
from machines import Machine
from textual.pilot import Pilot

from ctxrepo.faces.screen.screen_app import EditorCalls, ReviewScreen

SECONDS = 60.0
"""How long a screen may take, on a busy machine, for what it does at once on another."""


class Played:
    """A screen that is up. `press` waits until nothing is under way any more."""

    def __init__(self, app: ReviewScreen, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
        await self.settle()

    async def settle(self) -> None:
        end = time.monotonic() + SECONDS
        quiet = 0
        while quiet < 3:
            assert time.monotonic() < end, "something is under way for ever"
            await self.pilot.pause(0.05)
            quiet = 0 if self.app.workers._workers else quiet + 1

    @property
    def text(self) -> str:
        """All that can be read on the screen."""
        return "\n".join(self.lines)

    @property
    def lines(self) -> list[str]:
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    @property
    def message(self) -> str:
        return str(self.app._message.render())

    @property
    def footer(self) -> str:
        return str(self.app._footer.render())

    @property
    def rows(self) -> list[str]:
        """The names of the rows of the panel that is shown."""
        return [row.name for row in self.app._rows.rows]


def play(
    machine: Machine,
    story: Callable[[Played], Awaitable[None]],
    *,
    size: tuple[int, int] = (80, 24),
    now: datetime | None = None,
    editor: EditorCalls | None = None,
    theme: str = "",
) -> None:
    """Play a story on the screen of a machine, which is closed after it."""

    async def playing() -> None:
        desk = shared_desk(machine, now)
        app = ReviewScreen(desk, editor)
        if theme:
            app.theme = theme
        try:
            # An editor of a test needs no terminal, which a screen under test hasn't got.
            suspended = patch.object(app, "suspend", nullcontext) if editor else nullcontext()
            with suspended:
                async with app.run_test(size=size) as pilot:
                    played = Played(app, pilot)
                    await played.settle()
                    await story(played)
        finally:
            desk.close()

    # No worker comes: it would go on in the folder after the test.
    with patch("ctxrepo.app.desk.run_forking"):
        asyncio.run(playing())


def picture(app: ReviewScreen) -> str:
    """The screen as SVG, without what differs from one run to another: the ids of its styles, and the fonts
    that it would ask the network for."""
    svg = app.export_screenshot(title="ctxrepo review")
    svg = re.sub(r"terminal-\d+-", "screen-", svg)
    return re.sub(r"@font-face \{[^}]*\}\s*", "", svg).replace("Fira Code", "ui-monospace, DejaVu Sans Mono")
