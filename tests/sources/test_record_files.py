"""JSON lines and JSON texts are the same records; what is torn is counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxrepo.errors import Unreadable
from ctxrepo.services.imports.sources import FilesOutside
from ctxrepo.sources.facts import fact_of, read_records
from ctxrepo.sources.source import SourceSearch
from ctxrepo.storage.processes.outside import Outside

ROWS = [{"text": "a"}, {"text": "b"}]


@pytest.fixture
def search(tmp_path: Path) -> SourceSearch:
    return SourceSearch(tmp_path, {}, FilesOutside(Outside(tmp_path / "silent")), "global")


@pytest.mark.parametrize(
    "text",
    [
        '{"text": "a"}\n{"text": "b"}\n',
        '\ufeff{"text": "a"}\r\n\r\n{"text": "b"}',
        json.dumps(ROWS),
        json.dumps(ROWS, indent=2),
        json.dumps({"results": ROWS, "more": 1}),
        json.dumps({"version": 1, "results": ROWS}, indent=2),
    ],
)
def test_each_form_holds_the_same_records(search: SourceSearch, text: str) -> None:
    file = search.home / "x"
    file.write_bytes(text.encode())
    assert read_records(search, file, "results") == (ROWS, [])


@pytest.mark.parametrize(
    "text",
    [
        '{"text": "a"}\n{"text": "b"}\n{"te',
        'xt": "0"}\n{"text": "a"}\n{"text": "b"}\n',
        '[{"text": "a"}, {"text": "b"}, 3]',
    ],
)
def test_what_is_torn_is_counted(search: SourceSearch, text: str) -> None:
    (search.home / "x").write_text(text)
    records, (torn,) = read_records(search, search.home / "x")
    assert (records, torn.what) == (ROWS, "1 line")


@pytest.mark.parametrize("text", ['[{"text": "a"}, {"te', "no json", "3", "[" * 100_000, '{"a":\n1}'])
def test_what_holds_no_records_is_unreadable(search: SourceSearch, text: str) -> None:
    (search.home / "x").write_text(text)
    with pytest.raises(Unreadable, match=r"x .*(JSON|records|deep)"):
        read_records(search, search.home / "x", "results")


def test_the_usual_names_of_fields_are_known() -> None:
    fields = {
        "content": " b ",
        "type": "Decision",
        "labels": "x, y z",
        "created_at": 1_775_124_000,
        "cwd": "/a",
    }
    fact = fact_of(fields)
    assert (fact.text, fact.category, fact.tags) == ("b", "Decision", ["x", "y-z"])
    assert (fact.project, fact.when) == ("/a", "2026-04-02")
