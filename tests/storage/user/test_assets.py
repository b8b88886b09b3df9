from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from checkout import CHECKOUT

from ctxrepo.domain.git.gitfiles import GENERATED
from ctxrepo.domain.note import frontmatter
from ctxrepo.errors import CtxrepoError, NotFound
from ctxrepo.storage.user import assets


def test_a_checkout_uses_its_own_folders() -> None:
    for name in ("hooks", "skills", "templates"):
        assert assets.folder(name) == CHECKOUT / name


def test_an_installed_package_prefers_what_it_carries(tmp_path: Path) -> None:
    package = tmp_path / "site-packages/ctxrepo"
    (package / "_assets/skills/x").mkdir(parents=True)
    (package / "_assets/skills/x/SKILL.md").write_bytes(b"1")
    (tmp_path / "site-packages/skills").mkdir()
    assert assets.files("skills", package) == {"x/SKILL.md": b"1"}


def test_a_neighbour_in_site_packages_is_not_taken_for_ours(tmp_path: Path) -> None:
    (tmp_path / "ctxrepo").mkdir()
    (tmp_path / "hooks").mkdir()
    with pytest.raises(CtxrepoError, match="hooks/ is missing"):
        assets.folder("hooks", tmp_path / "ctxrepo")


def test_an_unknown_folder_is_not_found() -> None:
    with pytest.raises(NotFound, match="templates/nowhere"):
        assets.files("templates/nowhere")


def test_a_new_repository_begins_with_files_that_read_well() -> None:
    files = assets.new_repository()
    assert sorted(files) == [".gitattributes", ".gitignore", "README.md", "ctxrepo.toml", "global/MEMORY.md"]
    assert tomllib.loads(files["ctxrepo.toml"].decode()) == {"format": 1, "projects": {}}
    memory = frontmatter.read(files["global/MEMORY.md"].decode())
    assert memory.description
    assert not memory.problem
    attributes = files[".gitattributes"].decode().splitlines()
    assert {"*.md merge=ctxrepo", "*.jsonl merge=ctxrepo", *GENERATED} <= set(attributes)


@pytest.mark.parametrize("path", [p for p in assets.files("skills") if p.endswith("SKILL.md")])
def test_a_skill_follows_the_standard(path: str) -> None:
    text = assets.files("skills")[path].decode()
    head, body = frontmatter.read(text), frontmatter.split(text)[1]
    assert not head.problem
    assert head.fields["name"] == path.split("/")[0]
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", path.split("/")[0])
    assert 0 < len(head.description) <= 1024
    assert body.count("\n") <= 120
