"""What lies about where somebody works, so that every lane of a packet has something to say."""

from __future__ import annotations

import time
from pathlib import Path

from bench.corpus import Author
from bench.person import Person

_LONG = 3 * 1024
"""Bytes of a MEMORY.md and of a log: as much of it as a packet takes, or more."""


def lay_out(person: Person, code: Path, folder: str, seed: int = 7) -> None:
    """Give the project in `code`, which is `folder` in the memory, all that sessions begin with."""
    author = Author(seed)
    lines = [author.prompt(number) for number in range(200)]
    days = [time.strftime("%Y-%m-%d", time.localtime(time.time() - back * 86400)) for back in (0, 1)]
    for scope in ("global", folder):
        notes = {"MEMORY.md": ("- {}\n", _LONG), "SCRATCHPAD.md": ("- [ ] {}\n", 1500)}
        notes |= {f"daily/{day}.md": ("- 10:00 +0000 {}\n", _LONG) for day in days}
        notes["topics/pinned.md"] = ("- *(pinned)* {}\n", 800)
        for path, (form, size) in notes.items():
            file = person.clone / scope / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_filled(form, lines, size))
    person.ctxrepo("handoff", "--goal", lines[0], "--next", lines[1], "--open", lines[2], cwd=code)
    person.ctxrepo("sync", cwd=code)
    person.wait_for_workers()


def _filled(form: str, lines: list[str], size: int) -> str:
    text = ""
    for line in lines:
        if len(text) >= size:
            break
        text += form.format(line)
    return text
