"""Write what pages show from runs: `PYTHONPATH=tests python tools/page_output.py [readme] [tutorial]`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import groupby, zip_longest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
README = CHECKOUT / "README.md"
TUTORIAL = CHECKOUT / "docs/tutorial/first-memory.md"
TRANSCRIPT = re.compile(r"(<!-- transcript -->.*?```text\n)(.*?)(```\n<!-- /transcript -->)", re.DOTALL)

DAYS = ("# Monday", "# Tuesday", "# A prompt", "# Wednesday", "# Thursday")
"""The parts of the week that the README shows."""

CUT = "[…]"
"""What a page writes in the place of lines, or of the rest of a line, that it leaves out."""

_FRAME = re.compile(r"│ (</?ctxrepo-memory |Quoted from memory: )")
_RULES = "│ This is ctxrepo, "
_SILENT_HOOK = re.compile(r"· (?!UserPromptSubmit)\w+, \d+ ms$")
_TIMING = re.compile(r"^ctxrepo: [^\n]* …\n| · (edited|read) \d{4}-\d\d-\d\d$", re.MULTILINE)
_BLOCK = re.compile(r"^```(sh)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FOLDER = "/tmp/first-memory"
_NEXT = "=== next block"


def main() -> None:
    pages = sys.argv[1:] or ["readme", "tutorial"]
    if "readme" in pages:
        write_readme()
    if "tutorial" in pages:
        write_tutorial()


def write_readme() -> None:
    demo = [sys.executable, str(CHECKOUT / "tools/demo.py")]
    run = subprocess.run(demo, stdout=subprocess.PIPE, text=True, check=True)
    if "# This fetch" in run.stdout:
        sys.exit("page_output: on this busy machine Wednesday's fetch was late; try again")
    shown = transcript(run.stdout)
    text = TRANSCRIPT.sub(lambda match: match[1] + shown + match[3], README.read_text("utf-8"))
    README.write_text(text, "utf-8")


def transcript(output: str) -> str:
    """The demo's output as the README shows it.

    Left out are the days that `DAYS` doesn't name, the frame around what the model is given, hooks that print
    nothing, and the rules, of which one line says where they were.
    """
    days = re.split(r"\n\n(?=# )", without_timing(output))
    shown = [day.strip() for day in days if day.lstrip().startswith(DAYS)]
    text = "\n\n".join("\n".join(_shortened(day.splitlines())) for day in shown)
    return re.sub(r"\n{3,}", "\n\n", text) + "\n"


def _shortened(lines: list[str]) -> Iterator[str]:
    in_rules = False
    for line in lines:
        if _RULES in line:
            in_rules = True
            yield line[: line.index("│")] + "│ [eight lines of rules for using the memory]"
        in_rules = in_rules and "│ ## " not in line
        if not (in_rules or _FRAME.search(line) or _SILENT_HOOK.search(line)):
            yield line.rstrip()


def write_tutorial() -> None:
    text = TUTORIAL.read_text("utf-8")
    outputs = iter(run_blocks([match[2] for match in _BLOCK.finditer(text) if match[1]]))
    printed: list[str] = []

    def written(block: re.Match[str]) -> str:
        nonlocal printed
        if block[1]:
            printed = next(outputs)
            return block[0]
        return "```\n" + "".join(f"{line}\n" for line in refilled(block[2].splitlines(), printed)) + "```"

    TUTORIAL.write_text(_BLOCK.sub(written, text), "utf-8")


def run_blocks(blocks: list[str]) -> list[list[str]]:
    """What each block of shell commands prints, in one shell, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="ctxrepo-tutorial-", ignore_cleanup_errors=True) as folder:
        script = "exec 2>&1\n" + f"\necho '{_NEXT}'\n".join(blocks)
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        run = subprocess.run(
            ["bash", "-eu"],
            input=script.replace(_FOLDER, f"{folder}/first-memory"),
            env={**os.environ, "PATH": path},
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        output = without_timing(run.stdout.replace(f"{folder}/first-memory", _FOLDER))
        for machine in ("laptop", "desktop"):
            host = (
                Path(folder, "first-memory", machine, ".local/state/ctxrepo/host").read_text("utf-8").strip()
            )
            output = output.replace(host, f"{machine}-{host[-4:]}")
    return [part.strip("\n").splitlines() for part in output.split(_NEXT)]


def refilled(shown: list[str], printed: list[str]) -> list[str]:
    """The lines that a page shows, as they were printed now; where it has `CUT`, lines stay left out."""
    if not any(line.strip() == CUT for line in shown):
        return [_cut_like(old, new) for old, new in zip_longest(shown[: len(printed)], printed, fillvalue="")]
    lines: list[str] = []
    start = 0
    for is_cut, group in groupby(shown, lambda line: line.strip() == CUT):
        part = [*group]
        if not is_cut:
            start = _position(part, printed, start)
            part = [_cut_like(old, new) for old, new in zip(part, printed[start:], strict=False)]
            start += len(part)
        lines += part
    return lines


def _position(part: list[str], printed: list[str], start: int) -> int:
    """Where the part begins in what was printed, from `start` on; ids and numbers may differ."""
    expected = [plain(line.partition(CUT)[0]) for line in part]
    for position in range(start, len(printed) - len(part) + 1):
        if all(map(str.startswith, map(plain, printed[position:]), expected)):
            return position
    sys.exit(f"page_output: change the page by hand, nothing printed {part} in {printed[start:]}")


def _cut_like(old: str, new: str) -> str:
    kept, cut, _ = old.partition(CUT)
    return new[: len(kept)] + CUT if cut else new


def without_timing(output: str) -> str:
    """The output without progress, and without the use of notes that the worker may have counted by now."""
    return _TIMING.sub("", output)


def plain(line: str) -> str:
    """The line without what differs from run to run: names of machines, ids, times, numbers."""
    return re.sub(r"\b[\w-]+-[0-9a-f]{4}\b|[0-9a-f]{7,16}|\d+", "N", line.strip())


if __name__ == "__main__":
    main()
