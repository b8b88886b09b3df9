"""A block of ours in a file that is somebody else's: put in, renewed, taken out; no other byte changes.

It is the lines from one marker to the other, the end of the last one included."""

from ctxrepo.domain.text import numbered
from ctxrepo.lazy import dataclass, lazy_pattern

BEGIN = "<!-- ctxrepo:begin -->"
END = "<!-- ctxrepo:end -->"

_LINE = lazy_pattern(rb"[^\n]*\n|[^\n]+\Z")
_MARKS = (BEGIN.encode(), END.encode())


class MarkersDamaged(ValueError):
    """The markers in a file aren't one pair any more; the message says what there is."""


@dataclass(frozen=True)
class BlockPlacement:
    """A file with the block in it. `glue` are the bytes that part it from a person's text before it."""

    data: bytes
    glue: bytes


def has_block(data: bytes) -> bool:
    """Whether there is one; MarkersDamaged where it can't be told what it is."""
    return _span(data) is not None


def put(data: bytes, text: str) -> BlockPlacement:
    """`data` with the block saying `text`: where it stands already, else at the end."""
    span = _span(data)
    if span is not None:
        return BlockPlacement(data[: span[0]] + _block(data, text) + data[span[1] :], b"")
    end = _line_end(data)
    glue = b"" if not data else end if data.endswith(b"\n") else end * 2
    return BlockPlacement(data + glue + _block(data, text), glue)


def cut(data: bytes, glue: bytes = b"") -> bytes:
    """`data` without its block, and without the `glue` that was put before it, where it still is."""
    span = _span(data)
    if span is None:
        return data
    return data[: span[0]].removesuffix(glue) + data[span[1] :]


def _block(data: bytes, text: str) -> bytes:
    # Markers in what is delivered would end the block early; a reader of HTML sees the same.
    safe = inert(text.replace("<!-- ctxrepo:", "&lt;!-- ctxrepo:").rstrip("\n"))
    lines = f"{BEGIN}\n{safe}\n{END}\n".encode("utf-8", "replace")
    return lines.replace(b"\n", _line_end(data))


_DIRECTIVE = lazy_pattern(r"(?<![\w.%+\\-])@(?=\S)|(?<![\w/\\])\\?#(?=[a-z]+:)")
"""`@path` takes another file in, and so do `#file:path` and `#tool:name`; an address of mail does not."""
_FENCE = lazy_pattern(r"\A((?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*+)(`|~)(\2{2,})(.*)")


def inert(text: str) -> str:
    """A packet as a file of instructions may hold it. Nothing in it takes another file in, and code ends
    where it should, or a person's own lines below would be taken for code. It reads back by `\\u{hex}`."""
    lines = _DIRECTIVE.sub(lambda match: numbered(match[0][-1]), text).split("\n")
    for at in {n for n, line in enumerate(lines) if _FENCE.match(line)} - _whole_fences(lines):
        lines[at] = _FENCE.sub(lambda match: match[1] + numbered(match[2]) + match[3] + match[4], lines[at])
    return "\n".join(lines)


def _whole_fences(lines: list[str]) -> set[int]:
    """The lines that open and close code in pairs: such lines, and what is between, stand at one indent."""
    whole: set[int] = set()
    first, opening, is_html = 0, None, False  # in HTML, up to a blank line, nothing is code
    for at, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence and fence[2] == "`" and "`" in fence[4]:
            fence = None  # a span of code within its line
        is_html = bool(line.strip()) and (is_html or line.startswith("<"))
        if opening and line.strip() and (line.startswith("## ") or not line.startswith(opening[1])):
            opening = None  # a section of ours begins, or the item that the code belonged to is over
        if opening is None:
            first, opening = at, None if is_html or not fence or fence[1].strip(" \t>") else fence
        elif fence and line.startswith("".join(opening.groups()[:3])) and not fence[4].strip():
            whole |= {first, at}
            opening = None
    return whole


def _line_end(data: bytes) -> bytes:
    first = data.partition(b"\n")
    return b"\r\n" if first[1] and first[0].endswith(b"\r") else b"\n"


def _span(data: bytes) -> tuple[int, int] | None:
    """Where the block begins and ends, None where there is no marker."""
    lines = [line for line in _LINE.finditer(data) if line[0].strip() in _MARKS]
    marks = [line[0].strip() for line in lines]
    if not marks:
        return None
    if marks != [*_MARKS]:
        begins, ends = map(marks.count, _MARKS)
        raise MarkersDamaged(f"it has {begins} of `{BEGIN}` and {ends} of `{END}`")
    return lines[0].start(), lines[1].end()
