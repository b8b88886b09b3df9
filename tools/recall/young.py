"""Cuts memories with prompts into young ones, as they were after some weeks:

    PYTHONPATH=tools python tools/recall/young.py DATA… OUT

Notes are put in the order of their day (the last time they were changed), and cut after at most 100 entries.
Each young memory has the prompts of which it holds at least half of the evidence, and all that deserve
silence. OUT gets a folder NAME-0, NAME-1 and so on for each memory.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from recall.datasets import DataSet, data_sets

from ctxrepo.storage.cache.folder import folder_cache

MOST, FEWEST = 100, 60
"""Entries of a young memory; what is left over at the end is no memory if it has less than FEWEST."""

_COUNTS = "select n.path, count(*) from note n join entry e on e.note = n.id where e.found group by n.path"
_UPDATED = re.compile(r'^updated: *"?([0-9]{4}-[0-9]{2}-[0-9]{2})', re.MULTILINE)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def cuts(data: DataSet) -> Iterator[list[str]]:
    """The paths of the notes of each young memory."""
    with folder_cache(data.memory) as cache:
        counts = {cache.path_of(path): count for path, count in cache.db.execute(_COUNTS)}
    paths: list[str] = []
    entries = 0
    for path in sorted(counts, key=lambda path: (_day(data, path), path)):
        if paths and entries + counts[path] > MOST:
            yield paths
            paths, entries = [], 0
        paths.append(path)
        entries += counts[path]
    if entries >= FEWEST:
        yield paths


def _day(data: DataSet, path: str) -> str:
    """When a note was changed, by its head or its name; notes without a day come last."""
    match = _UPDATED.search((data.memory / path).read_text("utf-8")) or _DAY.search(path)
    return match[match.lastindex or 0] if match else "9999"


def write(data: DataSet, number: int, paths: list[str], out: Path) -> None:
    """The young memory of these notes, with its prompts and labels."""
    folder = out / f"{data.name}-{number}"
    for path in paths:
        (folder / "memory" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(data.memory / path, folder / "memory" / path)
    queries, labels = [], []
    for query in data.queries:
        label = data.labels[query.id]
        held = sorted(line for line in label.evidence if line[0] in paths)
        if not label.is_silent and (not held or 2 * len(held) < len(label.evidence)):
            continue
        name = f"{query.id}-{number}"
        queries.append({"id": name, "query": query.text, "before": list(query.before)})
        relevant = [{"path": path, "line": line} for path, line in held]
        labels.append({"id": name, "category": label.category, "relevant": relevant})
    for file, rows in (("queries.jsonl", queries), ("qrels.jsonl", labels)):
        (folder / file).write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    for data in data_sets(options.data):
        for number, paths in enumerate(cuts(data)):
            write(data, number, paths, options.out)


if __name__ == "__main__":
    main()
