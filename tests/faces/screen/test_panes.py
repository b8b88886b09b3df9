"""A list draws the rows in sight, however many there are, and each in exactly its width."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.strip import Strip

from ctxrepo.app.panels.panel import PanelRow
from ctxrepo.faces.screen.operations_app import DEFAULTS
from ctxrepo.faces.screen.panes import RowList

MANY = 10_000


class _OneList(App[None]):
    CSS = "RowList { height: 1fr; } .row--here { color: $here-text; }"

    def __init__(self) -> None:
        super().__init__()
        self.rows = RowList()
        self.drawn: set[int] = set()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(DEFAULTS)

    def compose(self) -> ComposeResult:
        yield self.rows


def play(story: Callable[[RowList, Pilot[None]], Awaitable[None]]) -> None:
    async def playing() -> None:
        app = _OneList()
        async with app.run_test(size=(40, 12)) as pilot:
            await story(app.rows, pilot)

    asyncio.run(playing())


def text_of(rows: RowList, line: int) -> str:
    strip = rows.render_line(line)
    assert strip.cell_length == rows.size.width
    return strip.text.rstrip()


def test_of_ten_thousand_rows_those_in_sight_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    render = RowList.render_line

    def noted(rows: RowList, y: int) -> Strip:
        drawn.append(y)
        return render(rows, y)

    monkeypatch.setattr(RowList, "render_line", noted)

    async def story(rows: RowList, pilot: Pilot[None]) -> None:
        rows.show([PanelRow(str(n), f"row {n}") for n in range(MANY)], "")
        await pilot.pause()
        assert text_of(rows, 0) == "›   row 0"
        rows.move(MANY)
        await pilot.pause()
        assert rows.at == MANY - 1
        assert text_of(rows, rows.size.height - 1) == f"›   row {MANY - 1}"
        assert len(drawn) <= 10 * rows.size.height

    play(story)


def test_a_row_stays_chosen_when_the_list_is_loaded_again_and_where_it_was_when_it_went() -> None:
    async def story(rows: RowList, _: Pilot[None]) -> None:
        names, chosen = [PanelRow(name, name) for name in "abcdef"], list[PanelRow | None]()
        rows.show(names, "")
        rows.move(3)
        rows.show(names[1:], "")
        chosen.append(rows.row)
        rows.show([row for row in names if row.name != "d"], "")
        chosen.append(rows.row)
        rows.show([], "nothing is left")
        assert [*chosen, rows.row] == [names[3], names[2], None], "d was the third row"
        assert text_of(rows, 0) == "    nothing is left"

    play(story)


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (PanelRow("", "支付" * 30, "~", "3d"), "› ~ " + "支付" * 7 + "支 … 3d"),
        (PanelRow("", "shop/topics/a-very-long-folder/of-notes.md", "~", "3d", is_path=True), None),
        (PanelRow("", "🚀" * 40, "+", "12m"), None),
        (PanelRow("", "الخادم " * 12, " ", "now"), None),
        (PanelRow("", "a\x1b[31m\u202eb", "!", ""), "› ! a\\u{1b}[31m\\u{202e}b"),
    ],
)
def test_a_row_is_cut_by_cells_and_its_end_stands_at_the_right(row: PanelRow, text: str | None) -> None:
    async def story(rows: RowList, _: Pilot[None]) -> None:
        rows.show([row], "")
        shown = text_of(rows, 0)
        assert shown.endswith(row.side)
        if row.is_path:
            assert shown.startswith("› ~ …")
            assert "/of-notes.md" in shown
        assert text is None or shown == text

    play(story)
