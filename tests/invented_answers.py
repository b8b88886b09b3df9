"""A small memory of invented texts with prompts whose answers are known, in the form of tools/recall."""

from __future__ import annotations

import json
from pathlib import Path

from living.material.known import KnownAnswers
from recall.datasets import read_data_set

NOTES = {
    "harbour/topics/boats.md": (
        "The harbour ledger must be closed every evening, because the night clerk starts at 21",
        "Ships longer than 90 metres moor at the eastern quay, which is deeper",
        "A pilot must be ordered 6 hours before arrival, never by mail",
        "The crane on the northern pier lifts 40 tonnes, but only while the wind is below 7",
        "Fishing boats pay by the week and pleasure boats by the night, always in advance",
    ),
    "harbour/topics/papers.md": (
        "Customs papers must be scanned in colour, because the stamps can't be read in grey",
        "Invoices for tugs are written in the currency of the master and booked in `harbour_ledger`",
        "Tide tables come from the hydrographic office and are corrected by `gauge_offset` always",
        "The fog horn is tested on the first Monday of each month, after the noon signal",
    ),
    "global/topics/habits.md": (
        "Commit messages must name the ticket, because the release notes are made from them",
        "Use the short form of dates in tables, never the long one",
    ),
}

PROMPTS = (
    ("where do ships longer than ninety metres moor", "harbour/topics/boats.md", 2),
    ("how many tonnes does the crane on the northern pier lift", "harbour/topics/boats.md", 4),
    ("how must customs papers be scanned", "harbour/topics/papers.md", 1),
    ("what must commit messages name", "global/topics/habits.md", 1),
)


def make_answers(root: Path) -> KnownAnswers:
    """A memory with four prompts that deserve an answer, and one that deserves silence."""
    folder = root / "harbour"
    for path, facts in NOTES.items():
        file = folder / "memory" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"- {fact}\n" for fact in facts))
    queries = [{"id": f"q{number}", "query": text} for number, (text, _, _) in enumerate(PROMPTS)]
    qrels = [
        {"id": f"q{number}", "category": "direct", "relevant": [{"path": path, "line": line}]}
        for number, (_, path, line) in enumerate(PROMPTS)
    ]
    queries.append({"id": "q9", "query": "write a poem about spring and mothers"})
    qrels.append({"id": "q9", "category": "null-generic", "relevant": []})
    for name, rows in (("queries", queries), ("qrels", qrels)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return KnownAnswers(read_data_set(folder))
