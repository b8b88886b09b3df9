"""What tools/house.py counts in a small made-up package."""

from __future__ import annotations

from pathlib import Path

import pytest
from house import BARS, House, circles, longest_chain, table

MODULES = {
    "__init__": "",
    "hook": "def main():\n    from ctxrepo.hooks.moment import answer\n",
    "hooks/__init__": "",
    "hooks/moment": """
from ctxrepo.notes import note
def answer(row):
    first = row[0]
    return row[-1], read()[0], row["name"]
""",
    "notes/__init__": "",
    "notes/note": """
from typing import Literal
One = Literal[1]
class Row:
    def wide(self, a, b, c, d, e, f, g): ...
""",
    "notes/table": """
from ctxrepo.notes.note import One
def late():
    from ctxrepo.shelf import shelf
""",
    "shelf/__init__": "",
    "shelf/shelf": """
from ctxrepo.notes.table import late
class Row:
    class Inner: ...
""",
}


@pytest.fixture
def house(tmp_path: Path) -> House:
    for name, text in MODULES.items():
        file = tmp_path / "ctxrepo" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return House.of(tmp_path)


def test_levels_are_those_of_imports_at_once(house: House) -> None:
    assert house.levels == ["ctxrepo.shelf.shelf", "ctxrepo.notes.table", "ctxrepo.notes.note"]


def test_all_levels_count_imports_within_functions(house: House) -> None:
    assert house.all_levels == ["ctxrepo.hook", "ctxrepo.hooks.moment", "ctxrepo.notes.note"]


def test_a_circle_is_one_step_of_a_chain() -> None:
    assert longest_chain({"a": {"b"}, "b": {"a", "c"}, "c": set()}) == ["a + b", "c"]


def test_file_names_that_stand_twice(house: House) -> None:
    more = House({**house.texts, "ctxrepo.shelf.note": ""}, house.rooms)
    assert (house.file_names_twice, more.file_names_twice) == (
        {},
        {"note": ["ctxrepo.notes.note", "ctxrepo.shelf.note"]},
    )


def test_circles_are_those_of_all_imports(house: House) -> None:
    assert house.circles == [["ctxrepo.notes.table", "ctxrepo.shelf.shelf"]]
    assert house.room_circles == [["ctxrepo.notes", "ctxrepo.shelf"]]
    assert circles({"a": {"a"}, "b": {"a"}}) == [["a"]]


def test_rooms_and_names(house: House) -> None:
    assert house.largest_room == ("ctxrepo.notes", 3)
    assert house.names_twice == {"Row": ["ctxrepo.notes.note", "ctxrepo.shelf.shelf"]}


def test_what_is_read_by_number_counts_where_a_hook_comes(house: House) -> None:
    assert house.by_number == ["ctxrepo.hooks.moment:4 row[0]"]
    assert "ctxrepo.notes.note" in house.hook_path
    assert "ctxrepo.shelf.shelf" not in house.hook_path


def test_a_function_is_wide_from_seven_parameters_on(house: House) -> None:
    assert house.wide == ["ctxrepo.notes.note.wide 7"]


def test_a_table_has_a_line_for_each_figure(house: House) -> None:
    most = BARS["import levels"]
    assert f"| import levels | 3 | 3 | {most} |" in table(house, house)
    assert f"| import levels |  | 3 | {most} |" in table(house, None)
