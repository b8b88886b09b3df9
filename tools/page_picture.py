"""Write the pictures of the page that README and docs show: `PYTHONPATH=tests python tools/page_picture.py`.

The memory in them is made up (`tests/invented.py`), so is its moment; it needs chromium (`make servers`)."""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from invented import invent
from needs import lacks
from pages import browser, page_of, prefers

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
MOST = 150_000
"""Bytes of a picture."""

VIEWS = {
    "page": ("", 860),
    "page-note": ("release.md", 760),
    "page-conflicts": ("#conflicts", 560),
}
"""name -> what is looked at (the top, a note, a section), and the height of the picture."""


def main() -> None:
    if why := lacks("chromium", "chromedriver"):
        sys.exit(f"can't run here: {why}")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ctxrepo-picture-") as folder:
        file = Path(folder) / "page.html"
        file.write_text(page_of(invent(Path(folder))), "utf-8")
        for name, (target, height) in VIEWS.items():
            with browser(width=1200, height=height) as driver:
                for theme in ("light", "dark"):
                    prefers(driver, theme)
                    driver.get(file.as_uri())
                    go_to(driver, target)
                    write(driver, f"{name}-{theme}.png")


def go_to(driver: Chrome, target: str) -> None:
    if target.startswith("#"):
        driver.execute_script("document.querySelector(arguments[0]).scrollIntoView()", target)
    elif target:
        driver.execute_script(
            "const notes = [...document.querySelectorAll('.note')];"
            "const note = notes.find(each => each.textContent.includes(arguments[0]));"
            "note.open = true; note.querySelector('.version').open = true;"
            "note.scrollIntoView(); scrollBy(0, -90)",
            target,
        )
    driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")


def write(driver: Chrome, name: str) -> None:
    data = base64.b64decode(driver.get_screenshot_as_base64())
    if len(data) > MOST:
        sys.exit(f"{name} has {len(data)} bytes: more than {MOST}")
    (PICTURES / name).write_bytes(data)
    print(f"{name}: {len(data)} bytes")


if __name__ == "__main__":
    main()
