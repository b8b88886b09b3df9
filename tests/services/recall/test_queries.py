"""Queries as JSON lines: what can't be understood is told by its line, and all of it at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxrepo.errors import UsageError
from ctxrepo.services.recall.queries import BadLines, Query, read_queries


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lines.jsonl"


def test_queries_are_read_with_what_came_before(file: Path) -> None:
    file.write_text(
        '\ufeff{"id": "a", "query": "what?", "more": 1}\r\n\n{"id": "b", "query": "", "before": ["x", "y"]}'
    )
    assert read_queries(file) == [Query("a", "what?"), Query("b", "", ("x", "y"))]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("nonsense", "isn't a JSON object"),
        ("[1]", "isn't a JSON object"),
        ('{"id": "a", "query": "x"', "breaks off"),
        ('{"query": "x"}', 'has no "id"'),
        ('{"id": "", "query": "x"}', 'has no "id"'),
        ('{"id": 7, "query": "x"}', 'has no "id"'),
        ('{"id": "a"}', 'has no "query"'),
        ('{"id": "a", "query": ["x"]}', 'has no "query"'),
        ('{"id": "a", "query": "x", "before": "y"}', "no list of texts"),
        ('{"id": "a", "query": "x", "before": [1]}', "no list of texts"),
        ('{"id": "first", "query": "x"}', "as a line before it"),
    ],
)
def test_a_bad_line_is_told_with_its_number(file: Path, line: str, why: str) -> None:
    file.write_text('{"id": "first", "query": "fine"}\n\n' + line + "\n")
    with pytest.raises(BadLines) as error:
        read_queries(file)
    (message,) = error.value.lines
    assert f"{file}, line 3 " in message
    assert why in message


def test_all_bad_lines_are_told_up_to_twenty(file: Path) -> None:
    file.write_text("x\n" * 30)
    with pytest.raises(BadLines, match="30 lines") as error:
        read_queries(file)
    assert len(error.value.lines) == 21


def test_a_file_that_can_not_be_read(file: Path) -> None:
    with pytest.raises(UsageError, match="can't be read"):
        read_queries(file)
    file.write_bytes(b'{"id": "a", "query": "x"}\n\xff\n')
    with pytest.raises(UsageError, match="line 2 is not UTF-8"):
        read_queries(file)
