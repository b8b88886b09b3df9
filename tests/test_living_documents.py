"""Lines of documents as facts, and what commits changed of them."""

from __future__ import annotations

from pathlib import Path

from invented_history import ADDED, NEW, OLD, make_history
from living.material.documents import changes, fact, facts, is_document

PAGE = """\
# The harbour and what it needs to run

The ledger is closed every evening
by the clerk who is on duty.

- Ships longer than ninety metres moor at the eastern quay,
  where the basin is deeper
1. A pilot must be ordered six hours before arrival

```sh
make the whole harbour run at once with this
```

| a table | that says something of the harbour |

    indented code that shows how a ship is entered

<a href="https://example.org">this is a badge or so of ours</a>
- too short
- Ships longer than ninety metres moor at the eastern quay, where the basin is deeper
"""


def test_facts_are_bullets_and_paragraphs_with_their_lines_joined() -> None:
    assert facts(PAGE) == [
        "The ledger is closed every evening by the clerk who is on duty.",
        "Ships longer than ninety metres moor at the eastern quay, where the basin is deeper",
        "A pilot must be ordered six hours before arrival",
    ]


def test_what_is_no_fact_is_none() -> None:
    assert (
        fact("- [ ] Order rope from the chandler in Mill Lane") == "Order rope from the chandler in Mill Lane"
    )
    for line in (
        "- short",
        "# " + "heading " * 5,
        "| a | " * 8,
        "港口的船舶必须在到达前六小时预订引航员，否则不得进入港口的内部水域",
    ):
        assert fact(line) == ""


def test_documents_are_what_people_keep_for_themselves_and_agents() -> None:
    kept = ("AGENTS.md", "packages/x/CLAUDE.md", "docs/a/b.md", "README.md")
    left = ("src/notes.md", "docs/zh/a.md", "README.zh.md", "docs/CHANGELOG.md", "docs/a.py")
    assert all(map(is_document, kept))
    assert not any(map(is_document, left))


def test_changes_are_replacements_and_additions(tmp_path: Path) -> None:
    pairs = [
        (change.old, change.new) for change in changes(make_history(tmp_path)) if change.path == "AGENTS.md"
    ]
    assert pairs == [("", ADDED), (OLD, NEW)]
