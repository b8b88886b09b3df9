"""The pictures of the screen in the pages: `PYTHONPATH=tests python tests/pictures.py` writes them."""

from __future__ import annotations

import os
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

from evening import evening
from machines import NOW, Machine, make_machine, make_remote
from piloted import Played, picture, play

from ctxrepo.faces.screen.operations_app import DARK, LIGHT

FOLDER = Path(__file__).resolve().parents[1] / "docs/pictures"
LATER: datetime = NOW + timedelta(days=2, hours=3)

PICTURES: dict[str, tuple[tuple[int, int], str, str]] = {
    "review-inbox-dark": ((80, 24), DARK, "slash p r e f e r s enter j"),
    "review-conflicts-light": ((80, 24), LIGHT, "2 j j j"),
    "review-scripts-dark": ((120, 30), DARK, "2 G"),
    "review-tape-light": ((100, 28), LIGHT, "4 right right j"),
    "review-wide-dark": ((200, 60), DARK, "2 j space space j"),
    "review-wide-light": ((200, 60), LIGHT, "4 j j"),
    "review-keys-dark": ((80, 24), DARK, "question_mark"),
}
"""name -> size, theme, keys."""


def drawn(machine: Machine, name: str) -> str:
    """A picture of the screen after these keys."""
    size, theme, keys = PICTURES[name]
    pictures: list[str] = []

    async def story(screen: Played) -> None:
        await screen.press(*keys.split())
        pictures.append(picture(screen.app))

    play(machine, story, size=size, theme=theme, now=LATER)
    return pictures[0]


def make_pictured(root: Path) -> Machine:
    """The evening as the pictures have it: the same ids each time."""
    return evening(make_machine(root, "ada"), make_remote(root))


def main() -> None:
    os.environ |= {"TZ": "UTC", "GIT_CONFIG_NOSYSTEM": "1"}
    time.tzset()
    FOLDER.mkdir(exist_ok=True)
    for name in PICTURES:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["HOME"] = folder
            (FOLDER / f"{name}.svg").write_text(drawn(make_pictured(Path(folder)), name), "utf-8")


if __name__ == "__main__":
    main()
