"""The page is written for its user alone, whole or not at all, and never through a link."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxrepo.errors import CtxrepoError
from ctxrepo.faces.page.page import write_page


def test_it_is_for_its_user_alone_and_replaces_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "review.html"
    path.write_text("before, and longer")
    path.chmod(0o644)
    write_page(path, "page")
    assert path.read_text() == "page"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.glob("*.html")] == ["review.html"]


def test_a_link_in_its_place_is_replaced_and_not_followed(tmp_path: Path) -> None:
    other, path = tmp_path / "other", tmp_path / "review.html"
    other.write_text("mine")
    path.symlink_to(other)
    write_page(path, "page")
    assert other.read_text() == "mine"
    assert not path.is_symlink()


@pytest.mark.parametrize("name", ["", "missing/page.html"])
def test_what_cannot_be_written_says_what_helps(tmp_path: Path, name: str) -> None:
    with pytest.raises(CtxrepoError, match="can't be written") as raised:
        write_page(tmp_path / name, "page")
    assert "--html -" in raised.value.hint
    assert not list(tmp_path.glob(".*"))
