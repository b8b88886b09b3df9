"""Notes as pages: what each is for, and how much of it is resident."""

from __future__ import annotations

import pytest
from machines import Machine


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("MEMORY.md", "- x\n", "index"),
        ("SCRATCHPAD.md", "- [ ] x\n", "task"),
        ("core/TASK.md", "- x\n", "task"),
        ("daily/2026-11-20.md", "- x\n", "log"),
        ("topics/completions.md", "- [done] x\n- [done] y\n- [lesson] z\n", "log"),
        ("topics/decisions.md", "- [decision] x\n", "decision"),
        ("topics/lessons.md", "- [lesson] x\n", "procedure"),
        ("topics/things.md", "- x\n", "fact"),
        ("topics/links.md", "- [a](a.md) — about a\n- [[b]]\n", "pointer"),
        ("evidence/run.md", "- x\n", "evidence"),
    ],
)
def test_what_a_note_is_for(mine: Machine, path: str, text: str, kind: str) -> None:
    mine.write(f"shop/{path}", text)
    (page,) = (page for page in mine.json("pages")["data"]["pages"] if page["path"] == f"shop/{path}")
    assert page["kind"] == kind


def test_pages_within_a_budget(mine: Machine) -> None:
    mine.write("shop/MEMORY.md", "# Shop\n\n" + "".join(f"- fact {n}\n  {'more ' * 40}\n" for n in range(9)))
    mine.write("shop/topics/long.md", f"---\ndescription: Long\n---\n- x\n  {'y' * 9000}\n")
    mine.write("shop/archive/old.md", "- x\n")
    done = mine.ctxrepo("pages", "--scope", "project", "--budget", "400")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [row[:3] for row in rows[:-1]] == [
        ["structured", "index", "shop/MEMORY.md"],
        ["structured", "fact", "shop/topics/long.md"],
    ]
    assert rows[-1][1:] == ["of", "400", "tokens"]
    assert int(rows[-1][0]) <= 400
    assert mine.ctxrepo("pages", "--scope", "project", "--budget", "400").stdout == done.stdout
    tight = mine.ctxrepo("pages", "--scope", "project", "--budget", "20")
    assert "20 tokens are too few, which leaves out 2 pages" in tight.stderr
    dropped = mine.json("pages", "--scope", "project", "--budget", "20")["data"]["dropped"]
    assert dropped == ["shop/topics/long.md", "shop/MEMORY.md"]
    data = mine.json("pages", "--scope", "project")["data"]
    assert data["budget"] == 4096
    assert {page["fidelity"] for page in data["pages"]} == {"full"}
