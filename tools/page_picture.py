"""Write the pictures of the page and of a pull request that README and docs show:
`PYTHONPATH=tests python tools/page_picture.py [page] [pull-request]`.

The memories in them are made up (`tests/invented.py`, `tests/reviewers.py`), so is their moment; it needs
chromium (`make servers`)."""

from __future__ import annotations

import base64
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from invented import invent
from machines import make_machine
from markdown_it import MarkdownIt
from needs import lacks
from pages import browser, page_of, prefers
from reviewers import pull_request_of

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


FORGE = """\
<!doctype html><meta charset="utf-8"><title>a pull request</title>
<style>
body {{ margin: 24px 32px; font: 15px/1.5 "Liberation Sans", sans-serif; color: #1f2328; background: #fff }}
h1 {{ font-size: 26px; font-weight: 400; margin: 0 0 8px }}
.state {{ background: #1f883d; color: #fff; border-radius: 2em; padding: 4px 12px; font-weight: 700 }}
.text {{ border: 1px solid #d1d9e0; border-radius: 6px; padding: 2px 20px 8px; margin-top: 18px }}
h3 {{ font-size: 18px; margin: 20px 0 8px }}
code {{ font: 13px "DejaVu Sans Mono", monospace; background: #818b981f; border-radius: 6px }}
code {{ padding: 2px 5px }}
h3 code {{ font-size: 16px }}
li {{ margin: 4px 0 }}
</style>
<h1>{title}</h1>
<span class="state">Open</span> wants to merge 4 commits into <code>main</code> from <code>{branch}</code>
<div class="text">{body}</div>
"""


def main() -> None:
    if why := lacks("chromium", "chromedriver"):
        sys.exit(f"can't run here: {why}")
    PICTURES.mkdir(exist_ok=True)
    names = sys.argv[1:] or ["page", "pull-request"]
    if "pull-request" in names:
        write_pull_request()
    if "page" in names:
        write_page()


def write_pull_request() -> None:
    """The text of a pull request as forges show markdown."""
    with tempfile.TemporaryDirectory(prefix="ctxrepo-picture-") as folder:
        text = pull_request_of(make_machine(Path(folder), "ada"))
        body = MarkdownIt("commonmark").render(text.markdown)
        file = Path(folder) / "pull-request.html"
        file.write_text(
            FORGE.format(title=escape(text.title), branch=escape(text.branch), body=body), "utf-8"
        )
        with browser(width=1000, height=820) as driver:
            driver.get(file.as_uri())
            write(driver, "pull-request-light.png")


def write_page() -> None:
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
