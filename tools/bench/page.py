"""How long the page of a memory takes to be made, and to open in a browser beside the same page without its
script. Needs chromium (`make servers`)."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from needs import lacks
from pages import browser

from bench.hooks import code_of, settle

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

_OPEN = """
const done = arguments[0];
requestAnimationFrame(() => setTimeout(() => {
  const [opened] = performance.getEntriesByType("navigation");
  const [painted] = performance.getEntriesByName("first-contentful-paint");
  done([painted.startTime, opened.domInteractive, opened.loadEventEnd]);
}, 0));
"""
"""The milliseconds until something is seen, until keys work, and until all is laid out."""


_HEAD = """
| notes | page MB | made in s | bare starts | seen ms | keys work ms | open ms | without script | ratio |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|"""


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench page", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args(words)
    if why := lacks("chromium", "chromedriver"):
        sys.exit(f"can't run here: {why}")
    root = Path(tempfile.mkdtemp(prefix="ctxrepo-bench-"))
    print()
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    try:
        for size in options.sizes:
            print(_row(root / str(size), size, options.rounds))
    finally:
        shutil.rmtree(root)
    return 0


def _row(root: Path, size: int, rounds: int) -> str:
    person = settle(root, size)
    person.wait_for_workers()
    page, plain = root / "page.html", root / "plain.html"
    command = [sys.executable, "-m", "ctxrepo", "review", "--html", str(page)]
    made, bare = [], []
    for _ in range(3):
        made.append(_seconds(command, code_of(person), person.env))
        bare.append(_seconds([sys.executable, "-c", "pass"], root, person.env))
    text = page.read_text("utf-8")
    plain.write_text(re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL), "utf-8")
    took: dict[Path, list[list[float]]] = {page: [], plain: []}
    with browser() as driver:
        for number in range(rounds + 1):
            for file, rows in took.items():
                row = _opened(driver, file)
                if number:  # the first of each warms the browser
                    rows.append(row)
    seen, keys, opened = (median(values) for values in zip(*took[page], strict=True))
    without = median(row[-1] for row in took[plain])
    ratio = median(own[-1] / other[-1] for own, other in zip(took[page], took[plain], strict=True))
    cells = (f"{len(text.encode()) / 1e6:.1f}", f"{median(made):.1f}", f"{median(made) / median(bare):.0f}")
    times = (f"{seen:.0f}", f"{keys:.0f}", f"{opened:.0f}", f"{without:.0f}", f"{ratio:.2f}")
    return "| " + " | ".join([f"{size:,}", *cells, *times]) + " |"


def _seconds(words: list[str], cwd: Path, env: Mapping[str, str]) -> float:
    start = time.monotonic()
    subprocess.run(words, cwd=cwd, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def _opened(driver: Chrome, file: Path) -> list[float]:
    driver.get("about:blank")
    driver.get(file.as_uri())
    took: list[float] = driver.execute_async_script(_OPEN)
    return took
