"""What agents and people write down about a repository, line by line, and how it was changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from living.material.histories import Commit, History

PATHS = (
    "*AGENTS.md",
    "*CLAUDE.md",
    "*GEMINI.md",
    "*README.md",
    "*CONTRIBUTING.md",
    "docs/*.md",
    "docs/*.mdx",
)
"""Git patterns of documents that stand in for a memory."""

_DOCUMENT = re.compile(r"(?:^|/)(?:AGENTS|CLAUDE|GEMINI|README|CONTRIBUTING)\.md$|^docs/.*\.mdx?$")
_OTHER = re.compile(
    r"CHANGELOG|/(?:zh|ja|ko|fr|de|es|pt|it|ru)(?:[-_]\w+)?/|[._-](?:zh|ja|ko|fr|de|es|pt|ru)\b", re.I
)
"""Lists of changes, and translations, which say everything again."""

_MARKER = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_NO_FACT = ("#", "|", "<", ">", "```", "~~~", "[!", "![", "import ", "export ", "---", "{", "}")
_MARKUP = re.compile(r"</|/>|=\"")
SHORTEST, LONGEST = 25, 400
"""Characters of a line that can be a fact."""

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


@dataclass(frozen=True)
class Change:
    """A line that a commit put into a document: `old` is the one that it replaced, '' where it was added."""

    commit: str
    at: int
    path: str
    old: str
    new: str


def is_document(path: str) -> bool:
    return bool(_DOCUMENT.search(path)) and not _OTHER.search(path)


def fact(line: str) -> str:
    """The line as an entry's text, '' where it can't be one: headings, tables, code, links, other scripts."""
    text = " ".join(_MARKER.sub("", line).split())
    if not SHORTEST <= len(text) <= LONGEST or text.startswith(_NO_FACT) or _MARKUP.search(text):
        return ""
    letters = sum(char.isascii() and (char.isalpha() or char == " ") for char in text)
    return text if letters * 10 >= len(text) * 6 else ""


def facts(text: str) -> list[str]:
    """The facts of a document in their order, each once: bullets and paragraphs, the lines of each joined."""
    return list(dict.fromkeys(statement for block in _blocks(text) if (statement := fact(" ".join(block)))))


def _blocks(text: str) -> Iterator[list[str]]:
    """The lines of each bullet and paragraph, without code and what stands on a line by itself."""
    block: list[str] = []
    is_code = False
    for line in text.splitlines():
        bare = line.strip()
        is_fence, is_bullet = bare.startswith(("```", "~~~")), bool(_MARKER.match(line))
        is_code ^= is_fence
        ends = is_fence or is_code or not bare or bare.startswith(_NO_FACT)
        if ends or is_bullet:
            yield block
            block = []
        if not ends and (block or is_bullet or not line.startswith(("    ", "\t"))):
            block.append(bare)
    yield block


def changes(history: History) -> Iterator[Change]:
    """One-for-one replacements and additions of up to three lines in documents, newest first."""
    words = (
        "log",
        "--first-parent",
        "-m",
        "-p",
        "-U0",
        "--no-color",
        "--no-ext-diff",
        "--format=@@@%H %ct",
        "HEAD",
    )
    lines = list(history.lines(*words, "--", *PATHS))
    commit, path = Commit("", 0), ""
    for number, line in enumerate(lines):
        if line.startswith("@@@"):
            oid, at = line[3:].split()
            commit = Commit(oid, int(at))
        elif line.startswith("+++ "):
            path = line[6:].rstrip("\t") if line.startswith("+++ b/") else ""
        elif path and is_document(path) and (hunk := _HUNK.match(line)):
            yield from _changes(commit, path, _counts(hunk), lines[number + 1 : number + 5])


def _counts(hunk: re.Match[str]) -> tuple[int, int]:
    """How many lines a hunk takes away and how many it puts there."""
    taken, put = (1 if count is None else int(count) for count in hunk.groups())
    return taken, put


def _changes(commit: Commit, path: str, counts: tuple[int, int], body: Sequence[str]) -> Iterator[Change]:
    taken, put = counts
    if taken == put == 1 and len(body) >= 2:
        old, new = fact(body[0][1:]), fact(body[1][1:])
        if old and new and old != new:
            yield Change(*commit, path, old, new)
    elif taken == 0 and 1 <= put <= 3:
        for line in body[:put]:
            if new := fact(line[1:]):
                yield Change(*commit, path, "", new)
