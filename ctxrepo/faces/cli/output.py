"""What a command says: text for people, one JSON object for programs, notices on stderr.

At a terminal a text is in colour, folded at words, and in a pager if the screen is too short. rich does
that, and takes twice as long to load as Python takes to start: pipes and programs do without it."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TextIO

from ctxrepo.domain.formats.moment import counted as counted
from ctxrepo.domain.formats.moment import wall_time as wall_time
from ctxrepo.domain.project.layout import visible as visible
from ctxrepo.errors import CtxrepoError
from ctxrepo.faces.cli import pipe, waiting
from ctxrepo.lazy import dataclass, lazy_pattern

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from ctxrepo.app.views.view import View, ViewSection


SCHEMA_VERSION = 1

_LONGEST = 1000
"""Characters of a message."""

_SURROGATE = lazy_pattern("[\ud800-\udfff]")


def prepare() -> None:
    """Escape characters that the terminal's encoding lacks, instead of failing."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def done(as_json: bool, data: Mapping[str, Any], text: str | Sequence[OutputLine]) -> None:
    """Say how it went: `data` inside the JSON envelope, or `text`."""
    if as_json:
        _envelope(ok=True, data=data, error=None)
    elif text:
        show_lines(lines_of(text) if isinstance(text, str) else text)


def show_lines(lines: Sequence[OutputLine]) -> None:
    """Print the lines; at a terminal in colour, and in a pager if there are many."""
    lines = [replace(line, text=visible(line.text)) for line in lines]
    if not sys.stdout.isatty():
        _print(text_of(lines), sys.stdout)
    elif not page(whole := painted(lines, sys.stdout)):
        _print(whole, sys.stdout)


def text_of(lines: Iterable[OutputLine]) -> str:
    return "\n".join(line.text for line in lines)


def verbatim(data: bytes) -> None:
    """Bytes as they are, for a program or a file."""
    waiting.clear()
    pipe.verbatim(data)


def failed(as_json: bool, error: CtxrepoError, data: Mapping[str, Any] | None = None) -> None:
    """Say what went wrong, and what to do, in the form that was asked for; `data` is shown as JSON only."""
    message, hint = _one_line(error.message), _one_line(error.hint)
    if as_json:
        _envelope(ok=False, data=data, error={"code": error.code, "message": message, "hint": hint})
        return
    _say(OutputLine(f"ctxrepo: {message}", 2, "wrong"))
    if hint:
        _say(OutputLine(f"  {hint}", 2))


def notice(text: str) -> None:
    """Something worth knowing that is not the answer."""
    _say(OutputLine(f"ctxrepo: {_one_line(text)}", 2))


def tell(text: str, mark: str = "") -> None:
    """Say on standard error what somebody should know before they answer a question."""
    for line in lines_of(visible(text), mark):
        _say(line)


def show_difference(diff: str) -> None:
    """Show a difference to somebody who is asked about it, in their pager if it is long."""
    lines = lines_of(visible(diff), "diff")
    if not (sys.stdout.isatty() and page(painted(lines, sys.stdout))):
        for line in lines:
            _say(line)


def drawn(view: View, label_width: int) -> list[OutputLine]:
    """A view as lines: sections with an empty line between them, each part on lines of its own."""
    lines: list[OutputLine] = []
    for number, section in enumerate(view.sections):
        lines += [OutputLine("")] if number else []
        lines += _section_lines(section, label_width)
    return lines


def _section_lines(section: ViewSection, label_width: int) -> Iterator[OutputLine]:
    from ctxrepo.app.views.view import Field, Table, TextLine

    if section.heading:
        yield OutputLine(f"{section.heading}:", mark="heading")
    for part in section.parts:
        if isinstance(part, TextLine):
            for text in part.text.split("\n"):
                yield OutputLine("  " * part.depth + text, mark=part.mark)
        elif isinstance(part, Field):
            for label, line in zip_longest((part.label,), part.lines, fillvalue=""):
                yield OutputLine(f"{label:<{label_width}} {line}", label_width + 1, part.mark or "label")
        elif isinstance(part, Table):
            header, *rows = aligned([part.columns, *part.rows])
            yield OutputLine(header, mark="heading")
            yield from map(OutputLine, rows)
        else:
            yield from (OutputLine(line, mark="diff") for line in part.lines)


def aligned(rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows as lines whose cells stand in columns, numbers at the right; the last cell isn't padded."""
    rows = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = (
        [f"{c:>{w}}" if c.isdigit() else f"{c:{w}}" for c, w in zip(row, widths, strict=True)] for row in rows
    )
    return ["  ".join(row).rstrip() for row in cells]


def _envelope(ok: bool, data: Mapping[str, Any] | None, error: Mapping[str, str] | None) -> None:
    whole = {"schema_version": SCHEMA_VERSION, "ok": ok, "data": data, "error": error}
    # Bytes of a note that are no UTF-8 arrive as half surrogates, which strict readers refuse.
    line = _SURROGATE.sub("\ufffd", json.dumps(whole, ensure_ascii=False))
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    _print(line if is_unicode else json.dumps(json.loads(line)), sys.stdout)


def _one_line(text: str) -> str:
    """`text` in one line; of a long one, which quotes what was typed, the middle is left out."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST // 2]} … {line[-_LONGEST // 2 :]}"


def _say(line: OutputLine) -> None:
    _print(painted([line], sys.stderr) if sys.stderr.isatty() else line.text, sys.stderr)


def _print(text: str, stream: TextIO) -> None:
    waiting.clear()
    try:
        print(text, file=stream, flush=True)
    except OSError as error:
        pipe.silence_stream(stream, error)


_COLOURS = (
    (r"`[^`\n]+`", "bold"),
    (r"(?<!\S)[\w.:/+-]+\.md(#L\d+(-L?\d+)?)?", "cyan"),
    (r"(?<![\w^])\^[\w-]{4,}", "yellow"),
    (r"(?<![\w-])\d{4}-\d\d-\d\d( \d\d:\d\d)?(?![\w-])", "dim"),
)
"""What is coloured in every line: commands, places in notes, ids of entries, times."""

_MARKS = {"wrong": "red", "heading": "bold"}
_DIFF = {"+": "green", "-": "red", "@": "cyan"}
_NARROW = 20
"""Columns below which nothing is folded."""


@dataclass(frozen=True)
class OutputLine:
    """A line of an answer. When it is folded, its first `hang` characters, a label or an indent, stand alone
    (-1: two more than it is indented by). `mark` is `wrong`, `heading`, `label` or `diff`."""

    text: str
    hang: int = -1
    mark: str = ""


def lines_of(text: str, mark: str = "") -> list[OutputLine]:
    return [OutputLine(line, mark=mark) for line in text.split("\n")]


def painted(lines: Iterable[OutputLine], stream: TextIO) -> str:
    """The lines as the terminal behind `stream` shows them; without colours where NO_COLOR is set."""
    from rich.console import Console

    console = Console(file=stream, markup=False, emoji=False, highlight=False)
    with console.capture() as capture:
        for line in lines:
            for part in _folded(_coloured(line), line, console):
                console.print(part, no_wrap=True, overflow="ignore", crop=False)
    return capture.get().removesuffix("\n")


def _coloured(line: OutputLine) -> Text:
    from rich.text import Text

    style = _DIFF.get(line.text[:1], "") if line.mark == "diff" else _MARKS.get(line.mark, "")
    text = Text(line.text, style=style)
    if line.mark != "diff":
        for pattern, colour in _COLOURS:
            text.highlight_regex(pattern, colour)
    if line.mark == "label":
        text.stylize("bold", 0, line.hang)
    return text


def _folded(text: Text, line: OutputLine, console: Console) -> list[Text]:
    from rich.text import Text

    if line.mark == "diff" or text.cell_len <= console.width or console.width < _NARROW:
        return [text]
    indent = len(line.text) - len(line.text.lstrip())
    hang = min(indent + 2 if line.hang < 0 else line.hang, console.width // 2)
    start, rest = text.divide([hang])
    parts = rest.wrap(console, console.width - hang)
    for part in parts:
        part.rstrip()
    return [start + parts[0], *(Text(" " * hang) + part for part in parts[1:])]


def page(text: str) -> bool:
    """Show a text that is longer than the screen in the user's pager; False where it is shorter, or nobody is
    there to turn its pages."""
    if text.count("\n") + 2 < os.get_terminal_size(sys.stdout.fileno()).lines or not sys.stdin.isatty():
        return False
    import signal
    import subprocess

    pager = shlex.split(os.environ.get("CTXREPO_PAGER", os.environ.get("PAGER", "less")))
    if not pager or pager == ["cat"]:
        return False
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the pager's
    try:
        subprocess.run(
            pager,
            input=text.encode(errors="replace"),
            env={"LESS": "FRX", "LV": "-c", **os.environ},
            check=False,
        )
    except OSError:
        return False
    finally:
        signal.signal(signal.SIGINT, before)
    return True
