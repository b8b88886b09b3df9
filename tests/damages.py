"""What makes a checkout one of which git can't tell which project it is."""

from __future__ import annotations

import shutil
from pathlib import Path


def break_the_file(checkout: Path) -> None:
    shutil.rmtree(checkout / ".git")
    (checkout / ".git").write_text("nonsense\n")


def take_the_git_folder_away(checkout: Path) -> None:
    (checkout / ".git").rename(checkout.parent / "moved.git")
    (checkout / ".git").write_text(f"gitdir: {checkout.parent}/gone.git\n")


def leave_a_link_to_nothing(checkout: Path) -> None:
    shutil.rmtree(checkout / ".git")
    (checkout / ".git").symlink_to(checkout.parent / "gone.git")


def empty_it(checkout: Path) -> None:
    shutil.rmtree(checkout / ".git")
    (checkout / ".git").mkdir()


def lose_its_head(checkout: Path) -> None:
    (checkout / ".git/HEAD").unlink()


def spoil_its_config(checkout: Path) -> None:
    (checkout / ".git/config").write_text("[core\n")


DAMAGES = (
    break_the_file,
    take_the_git_folder_away,
    leave_a_link_to_nothing,
    empty_it,
    lose_its_head,
    spoil_its_config,
)
