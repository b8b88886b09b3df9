"""What forges are told about files beside the notes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ctxrepo.domain.git.gitfiles import GENERATED, is_marked, marked

OURS = "* -text\n*.md merge=ctxrepo\n"


@pytest.mark.parametrize("text", ["", OURS, OURS.strip(), OURS.replace("\n", "\r\n"), f"{GENERATED[0]}\n"])
def test_what_is_missing_comes_at_the_end_and_once(text: str) -> None:
    after = marked(text)
    assert after.startswith(text)
    assert is_marked(after)
    assert marked(after) == after
    assert [after.count(line) for line in GENERATED] == [1, 1]
    assert "\r\n" not in text or after.count("\r\n") == after.count("\n")


def test_what_somebody_says_of_these_folders_stays() -> None:
    text = ".ctx/** -linguist-generated\nTAPE/** linguist-generated=false\n"
    assert marked(text) == text


def test_git_reads_it_as_it_is_meant(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitattributes").write_text(marked(OURS))
    paths = (".ctx/evidence/a/b.jsonl", "TAPE/shop/x.jsonl", "shop/TAPE/x.md", "global/MEMORY.md")
    words = ("git", "check-attr", "linguist-generated", "gitlab-generated", "--", *paths)
    output = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert [line.split(": ")[0] for line in output.splitlines() if line.endswith(": set")] == [
        paths[0], paths[0], paths[1], paths[1]
    ]  # fmt: skip
