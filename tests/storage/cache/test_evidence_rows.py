"""Evidence in the cache: the records of each file by the id of its content, and what they amount to."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.records.entry_evidence import by_entry
from ctxrepo.domain.records.evidence import Evidence, Kind, evidence_in_part, evidence_of, marks, to_line
from ctxrepo.storage.cache import evidence_rows
from ctxrepo.storage.cache.cache import Cache
from ctxrepo.storage.cache.evidence_rows import EvidenceFiles, EvidenceRows, entry_evidence

IDS = ["a", "b", "c", "\ud800"]


def line(number: int, kind: Kind, entry: str, to: str) -> str:
    is_note = kind == "renamed"
    path, day = f"{number % 2}.md", "2024-05-06" if number % 3 else ""
    names = ("", f"{entry}.md", f"{to}.md") if is_note else (entry, path, to if to != entry else "x")
    record = Evidence(f"e{number}", f"2026-{number % 13:02}", kind, *names, key=entry, day=day)
    if kind == "enforced":
        record = replace(record, rule=f"block tool {number}" if number % 3 else "")
    return json.dumps(json.loads(to_line(record)))


LINES = st.one_of(
    st.builds(
        line,
        st.integers(0, 60),
        st.sampled_from(get_args(Kind)),
        st.sampled_from(IDS),
        st.sampled_from(IDS),
    ),
    st.builds(lambda number: json.dumps({"id": f"e{number}", "deleted": True}), st.integers(0, 60)),
    st.sampled_from(['{"kind": "stated", "entry"', "", "[]", '{"kind": "loved", "entry": "a"}']),
)
"""Records, lines that delete one, and torn or foreign ones."""

CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["one", "two", "a/three"]),
        st.sampled_from(["append", "append torn", "cut", "rewrite", "remove", "utf-16"]),
        st.lists(LINES, max_size=4),
    ),
    max_size=12,
)


def changed(data: bytes, how: str, lines: list[str]) -> bytes | None:
    text = "".join(f"{line}\n" for line in lines)
    match how:
        case "append":
            return data + text.encode()
        case "append torn":
            return data + text.encode().rstrip(b"\n")
        case "cut":
            return data[: len(data) // 2]
        case "rewrite":
            return text.encode() + data[len(data) // 3 :]
        case "utf-16":
            return text.encode("utf-16")
    return None


@pytest.mark.parametrize("many", [0, evidence_rows._MANY])
@given(CHANGES)
def test_after_any_changes_the_rows_are_what_the_files_say(
    tmp_path_factory: pytest.TempPathFactory, many: int, changes: list[tuple[str, str, list[str]]]
) -> None:
    files: dict[str, bytes] = {}
    with (
        pytest.MonkeyPatch.context() as patch,
        closing(Cache.open(tmp_path_factory.mktemp("c") / "cache.db")) as cache,
    ):
        patch.setattr(evidence_rows, "_MANY", many)
        for path, how, lines in changes:
            data = changed(files.get(path, b""), how, lines)
            files.pop(path, None)
            if data is not None:
                files[path] = data
            take(cache, files)
            records = [record for path in sorted(files) for record in evidence_of(decode(files[path]))]
            assert cache.ask(entry_evidence) == by_entry(records)
            marked = cache.ask(lambda db: EvidenceRows(db).marks())
            assert (marked, marked.pinned_at) == (marks(records), marks(records).pinned_at)


def take(cache: Cache, files: Mapping[str, bytes]) -> list[str]:
    """Bring a cache up to some evidence files; returns which of them were read."""
    read: list[str] = []

    def data_of(path: str) -> bytes:
        read.append(path)
        return files[path]

    keys = {path: blob_id(data) for path, data in files.items()}
    cache.apply("c", [], [], EvidenceFiles(keys, data_of))
    return read


def test_only_what_is_new_is_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {path: f"{line(1, 'stated', path, '')}\n".encode() for path in ("a", "b")}
    with closing(Cache.open(tmp_path / "cache.db")) as cache:
        assert take(cache, files) == ["a", "b"]
        assert take(cache, files) == []
        texts: list[str] = []

        def parse(text: str) -> list[Evidence] | None:
            texts.append(text)
            return evidence_in_part(text)

        monkeypatch.setattr(evidence_rows, "evidence_in_part", parse)
        files["b"] += f"{line(2, 'pinned', 'b', '')}\n".encode()
        assert take(cache, files) == ["b"]
        assert texts == [f"{line(2, 'pinned', 'b', '')}\n"]
        assert cache.ask(entry_evidence, ["a", "b", "x"]) == cache.ask(entry_evidence)
        assert cache.ask(entry_evidence, ["b"])["b"].is_pinned


def test_what_is_asked_for_is_found_by_an_index(tmp_path: Path) -> None:
    with closing(Cache.open(tmp_path / "cache.db")) as cache:
        asked: list[str] = []
        cache._db.set_trace_callback(asked.append)

        def questions(db: sqlite3.Connection) -> None:
            rows = EvidenceRows(db)
            for answer in (
                rows.naming(["a"]),
                rows.beginning("a"),
                rows.of_kind("superseded"),
                rows.with_keys(["a"]),
                rows.with_keys(None),
            ):
                list(answer)

        cache.ask(questions)
        rows = [statement for statement in asked if statement.startswith("select file")]
        assert len(rows) == 7
        plans = [cache._db.execute(f"explain query plan {row}").fetchall() for row in rows]
        assert all("USING INDEX" in plan[0][3] for plan in plans), plans
