"""The code that a session works in: its commit, and the places in it that a text cites."""

from __future__ import annotations

from pathlib import Path

import pytest
from codebases import Codebase
from copies import Copies
from machines import Machine, make_ada

from ctxrepo.services.locate.code_at_hand import CodeAtHand

LINES = "one\ntwo\nthree\n"


@pytest.fixture
def code(copies: Copies) -> CodeAtHand:
    mine: Machine = copies.of(make_ada)
    folder = mine.project_folder
    (folder / "src").mkdir()
    (folder / "src/api.py").write_text(LINES)
    (folder / "src/link.py").symlink_to("api.py")
    (folder / "src/edited.py").write_text(LINES)
    mine.git("-C", str(folder), "add", ".")
    mine.git("-C", str(folder), "commit", "-qm", "code")
    (folder / "src/edited.py").write_text(f"zero\n{LINES}")
    (folder / "src/new.py").write_text(LINES)
    return CodeAtHand(folder, mine.env, "shop")


@pytest.mark.parametrize(
    ("text", "cites"),
    [
        ("set in src/api.py:2", ["src/api.py#L2-L2"]),
        ("set in `src/api.py:1-3`.", ["src/api.py#L1-L3"]),
        ("src/api.py#L1-L2 and src/api.py#L3", ["src/api.py#L1-L2", "src/api.py#L3-L3"]),
        ("src/api.py:4", []),
        ("src/api.py:0", []),
        ("src/api.py:3-2", []),
        ("api.py:2", []),
        ("src/edited.py:2 and src/new.py:2 and src/link.py:1", []),
        ("https://example.org/src/api.py:2, not main.py", []),
        ("../src/api.py:2, ./src/api.py:2 and /src/api.py:2", []),
        ("../src/api.py:2 and src/api.py:3", ["src/api.py#L3-L3"]),
        ("src/../src/api.py:2 and src:1", []),
        ("src/api.py:2:7 says so", []),
    ],
)
def test_only_lines_that_the_commit_has_as_they_are_on_disk_are_cited(
    code: CodeAtHand, text: str, cites: list[str]
) -> None:
    commit, citations = code.of("shop/MEMORY.md", text)
    assert len(commit) == 40
    assert citations == tuple(cite.replace("#", f"@{commit}#") for cite in cites)


@pytest.mark.parametrize(
    ("path", "text"), [("global/MEMORY.md", "src/api.py:2"), ("shop/MEMORY.md", "deploy on friday")]
)
def test_nothing_of_other_scopes_and_texts_that_name_no_file(code: CodeAtHand, path: str, text: str) -> None:
    assert code.of(path, text) == ("", ())


def test_nothing_outside_of_a_repository_before_the_first_commit_and_without_git(
    tmp_path: Path, code: CodeAtHand
) -> None:
    (tmp_path / "plain").mkdir()
    new = Codebase(tmp_path / "new").top
    without_git = {**code.env, "PATH": str(tmp_path)}
    for top, env in ((tmp_path / "plain", code.env), (new, code.env), (code.top, without_git)):
        assert CodeAtHand(top, env, "shop").of("shop/a.md", "src/api.py:2") == ("", ())
