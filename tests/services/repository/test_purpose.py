"""The address of a repository of code is a mistake in most cases: nothing is pushed there unasked."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from long import rotating
from machines import Machine

BUG = ".github/ISSUE_TEMPLATE/bug.md"
CODE = {"main.c": "int main() {}\n", "README.md": "# Shop\n", BUG: "---\nname: Bug\n---\n"}
DESCRIBED = "---\ndescription: How we build\n---\n\n- a fact\n"


def files(*paths: str, text: str = "- a fact\n") -> dict[str, str]:
    return dict.fromkeys(paths, text)


NOT_CODE = {
    "notes with heads and a script or two": files("shop/build.md", "shop/a.md", text=DESCRIBED)
    | files("sync.sh", "Makefile"),
    "a folder of plain markdown": files("Ideas/one.md", "Ideas/two.md", "Ideas/pic.png", "LICENSE"),
    "markdown at the top alone": files("one.md", "two.md"),
    "pi-memory-md": files("TAPE/shop__anchors.jsonl", "shop/MEMORY.md", "shop/run.py", "shop/go.py"),
    "a memory of ours that keeps scripts": files("a.py", "b.py") | {"ctxrepo.toml": "format = 1\n"},
    "nothing but a README": files("README.md", ".gitignore", "LICENSE"),
}
MORE_CODE = {
    "documents outnumber the code": files("package.json", "docs/a.md", "docs/b.md", "docs/c.md"),
    "pages with descriptions beside it": files(*(f"src/{n}.ts" for n in "abc")) | {"docs/a.md": DESCRIBED},
    "its ending is known to nobody": files("lib/thing.zig", "lib/other.zig"),
}


def seeded(folder: Path, texts: dict[str, str]) -> Path:
    """A bare repository that holds these files."""
    seed, remote = folder / "seed", folder / "seeded.git"
    for path, text in texts.items():
        (seed / path).parent.mkdir(parents=True, exist_ok=True)
        (seed / path).write_text(text)
    for words in (["init", "-q", "-b", "master"], ["add", "-A", "-f"], ["commit", "-qm", "all"]):
        subprocess.run(["git", "-C", str(seed), *words], check=True)
    subprocess.run(["git", "clone", "-q", "--bare", str(seed), str(remote)], check=True)
    return remote


def commits(remote: Path) -> int:
    counted = subprocess.check_output(["git", "-C", str(remote), "rev-list", "--all", "--count"])
    return int(counted)


def test_a_repository_of_code_is_refused_without_a_terminal_and_nothing_is_left(
    ada: Machine, tmp_path: Path
) -> None:
    remote = seeded(tmp_path, CODE)
    done = ada.ctxrepo("init", str(remote))
    assert done.returncode == 2
    assert "holds code (main.c) and no memory, so nothing was changed" in done.stderr
    assert "--yes" in done.stderr
    assert not ada.clone.exists()
    assert not ada.places.config_file.exists()
    assert ada.ctxrepo("remember", "x").returncode != 0
    assert commits(remote) == 1


def test_a_memory_that_is_there_is_not_merged_with_code(ada: Machine, tmp_path: Path) -> None:
    remote = seeded(tmp_path, CODE)
    ada.init()
    assert ada.ctxrepo("init", str(remote)).returncode == 2
    ada.ctxrepo("sync")
    assert commits(remote) == 1
    assert not (ada.clone / "main.c").exists()
    assert ada.git("remote") == ""


def test_whoever_says_yes_gets_a_memory_there(ada: Machine, tmp_path: Path) -> None:
    remote = seeded(tmp_path, CODE)
    assert ada.ctxrepo("init", str(remote), "--yes").returncode == 0
    ada.remember("beside the code")
    ada.sync()
    assert commits(remote) > 1
    assert (ada.clone / "main.c").exists()


@pytest.mark.parametrize("what", rotating(NOT_CODE))
def test_notes_of_any_kind_stay_fine(ada: Machine, tmp_path: Path, what: str) -> None:
    assert ada.ctxrepo("init", str(seeded(tmp_path, NOT_CODE[what]))).returncode == 0


@pytest.mark.parametrize("what", MORE_CODE)
def test_code_is_known_though(ada: Machine, tmp_path: Path, what: str) -> None:
    assert ada.ctxrepo("init", str(seeded(tmp_path, MORE_CODE[what]))).returncode == 2
