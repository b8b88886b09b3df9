"""Notes and lists as no careful person would leave them, and what holds of each all the same.

`python tools/malformed.py --cases 10000 --seed 1` makes so many, tells of each that broke a promise, and
exits with 1 if one did. The test suite runs a few.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from ctxrepo.domain.formats.jsonl import record, render, trouble
from ctxrepo.domain.guard.refusals import check_file
from ctxrepo.domain.merge.file import merge_file
from ctxrepo.domain.note.compose import fixed
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.note.frontmatter import read, set_field, split
from ctxrepo.domain.note.markdown import split_blocks
from ctxrepo.domain.note.note import Note, bump_updated, decode, decode_exactly, encode, utf16
from ctxrepo.domain.records.evidence import Marks, evidence_of, marks
from ctxrepo.domain.tape.anchors import anchors_of
from ctxrepo.faces.cli.output import visible
from ctxrepo.services.health.note_checks import findings_of
from ctxrepo.services.saving.describe import lines_of_change
from ctxrepo.storage.cache.cache import Cache
from ctxrepo.storage.cache.entries import entry_by_id

KEYS = [
    "description",
    "tags",
    "created",
    "updated",
    "x",
    "Tags",
    "",
    "é",
    "?",
    "- a",
    "a b",
    "<<",
    "&a",
    "on",
]
VALUES = [
    *(
        "",
        "d",
        "how: to",
        "[a, b]",
        "[a",
        "{a: 1}",
        "{",
        "7",
        "1e999",
        "9" * 5000,
        "true",
        "null",
        "~",
        "never",
    ),
    *(
        "2026-01-01",
        "2026-02-30",
        "0000-00-00",
        "99999-01-01",
        "2026-01-01T25:00:00Z",
        "12:61:00",
        "0x",
        "1_",
    ),
    *("|", ">-", "'", '"', '"\\ud800"', '"\\x00"', "*a", "&a x", "!!python/object:os.system x", "!!binary x"),
    *(
        "!!timestamp x",
        "!!int x",
        "!!set {a}",
        "@",
        "`",
        "%",
        "# c",
        "a # c",
        "a, b",
        "'a, b'",
        "- a",
        "[" * 60,
    ),
    *(
        "\n  - a\n  - b",
        "\n\t- a",
        "\n  - {a: [b]}",
        "|\n  a\n\n   b",
        "{<<: {a: 1}}",
        "\u2028x",
        "\x85x",
        "\ufeff",
    ),
]
LINES = [
    *(
        "- a",
        "* b",
        "1. c",
        "- ",
        "-",
        "# T",
        "####### seven",
        "#",
        "p",
        "  - sub",
        "\t- tab",
        "    code",
        "> q",
    ),
    *(
        "```",
        "~~~~",
        "```py",
        "  ```",
        "<!--",
        "-->",
        "<!-- c -->",
        "---",
        "***",
        "===",
        "| a | b |",
        "|-|-|",
    ),
    *("- a <!-- ^one -->", "p <!-- ^one -->", "<!-- ^ -->", "- [x] done", "- [c] k: v #t [[l]] *(pinned)*"),
    *(
        "<<<<<<< HEAD",
        "=======",
        ">>>>>>> b",
        "[[",
        "]]",
        "\\",
        "&amp;",
        "\x0c",
        "\x1b[2J",
        "\u202e",
        "\U000e0041",
    ),
    *("\ufeff", "\ufffd", "\udce9", "\udcff\udcfe", "é" * 300, "- " * 500, "`" * 400, "*" * 400, "[" * 400),
]
ENDS = ["\n"] * 12 + ["\r\n"] * 3 + ["\r", "", "\n\n", " \n", "\x0b", "\u2029"]
OPENINGS = [
    "---",
    "---",
    "---",
    "---",
    "--- ",
    "----",
    "---js",
    "+++",
    "...",
    "\ufeff---",
    " ---",
    "---\t",
    "--",
]
JSON = [
    *(
        "null",
        "[]",
        "7",
        "NaN",
        "-Infinity",
        "1e999",
        "9" * 5000,
        '"s"',
        '"\\ud800"',
        "{}",
        "[" * 3000,
        "true",
        "",
    ),
    *(
        '{"a": {"b": [1]}}',
        '{"id": "i", "id": "j"}',
        "{'a': 1}",
        "// c",
        "\udce9",
        "\x00",
        '{"summary": "s"}',
    ),
]
FIELDS = [
    "id",
    "timestamp",
    "name",
    "type",
    "sessionId",
    "sessionEntryId",
    "meta",
    "kind",
    "entry",
    "to",
    "ts",
]
WORDS = ['"i"', '"handoff"', '"pinned"', '"moved"', '"2026-11-20T10:00:00.000Z"', '"stated"']

Wrong = Iterator[str]


def note(random: Random) -> bytes:
    """The bytes of a note."""
    parts = []
    if random.random() < 0.8:
        parts += [random.choice(OPENINGS), random.choice(ENDS)]
        for _ in range(random.randrange(6)):
            space = random.choice([": ", ": ", ": ", ":", " : ", ":\t"])
            indent = random.choice(["", "", "", "", "  ", "\t"])
            parts += [indent, random.choice(KEYS), space, random.choice(VALUES), random.choice(ENDS)]
        if random.random() < 0.8:
            parts += [random.choice(OPENINGS), random.choice(ENDS)]
    for _ in range(random.randrange(9)):
        parts += [random.choice(LINES), random.choice(ENDS)]
    return _spoilt(random, encode("".join(parts)))


def lines(random: Random) -> bytes:
    """The bytes of a JSONL file."""
    parts = []
    for _ in range(random.randrange(6)):
        line = random.choice(JSON)
        if random.random() < 0.6:
            values = [random.choice([*WORDS, *WORDS, random.choice(JSON)]) for _ in FIELDS]
            pairs = [f'"{f}": {v}' for f, v in zip(FIELDS, values, strict=True) if random.random() < 0.8]
            line = "{" + ", ".join(pairs) + "}"
        parts += [line, random.choice(ENDS)]
    return _spoilt(random, encode("".join(parts)))


def _spoilt(random: Random, data: bytes) -> bytes:
    """Now and then cut short, in another encoding, or with bytes that were never text."""
    match random.randrange(20):
        case 0:
            return data[: random.randrange(len(data) + 1)]
        case 1:
            return decode(data).encode(random.choice(["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "utf-7"]))
        case 2:
            at = random.randrange(len(data) + 1)
            return data[:at] + random.randbytes(random.randrange(9)) + data[at:]
        case 3:
            return random.choice([b"\xff\xfe", b"\xfe\xff"]) + data
    return data


def reading(data: bytes, random: Random) -> Wrong:
    """A note is read without an error, and what its head doesn't take is in its body and its entries."""
    path = "global/x.md"
    for text in (decode(data), decode_exactly(data), utf16(data)):
        head, body = split(text)
        if head + body != text or "".join(b.raw for b in split_blocks(body)) != body:
            yield "a byte is neither in the head nor in the body"
        document = read(text)
        if head and document.lines != head.count("\n") + (not head.endswith("\n")):
            yield "the body begins on another line"
        all_lines = text.split("\n")
        if any(not 1 <= p.line <= len(all_lines) or "\n" in p.message for p in document.problems):
            yield "a problem is on a line that isn't there"
        for entry in entries_of(path, text):
            place = "\n".join(all_lines[entry.first_line - 1 : entry.last_line])
            if entry.text.rstrip("\r") != place.rstrip("\r"):
                yield "an entry is not on its lines"
        spoken = visible(text)
        if any(word not in spoken for word in body.split() if word.isprintable()):
            yield "a word of the body is not shown"
        if not document.problems and set_field(text, "x", "1") and read(set_field(text, "x", "1")).problems:
            yield "a field that is set spoils the head"
        encode(bump_updated(text, "2026-11-20"))
    if encode(decode_exactly(data)) != data:
        yield "a byte is lost in editing"
    lines_of_change(path, data[: random.randrange(len(data) + 1)], data)


def checking(data: bytes, random: Random) -> Wrong:
    """check tells without an error; what is mended is mended once, and nothing without a finding."""
    path = random.choice(["global/x.md", "proj/core/X.MD", "TAPE/p/h.jsonl"])
    check_file(path, data)
    findings = list(findings_of(path, data, (), {}))
    if any(not f.problem or not f.remedy or f.line > decode(data).count("\n") + 1 for f in findings):
        yield "a finding says too little"
    if path.endswith("jsonl"):
        return
    after, deeds = fixed(path, data)
    if fixed(path, after) != (after, ()):
        yield "mended twice is not mended once"
    if deeds and not findings:
        yield "what nobody finds wrong was mended"
    is_read = bool(read(decode(data)).fields)  # else what is wrong in it shows only once it is
    if deeds and is_read and len(list(findings_of(path, after, (), {}))) > len(findings):
        yield "mending made it worse"


def merging(data: bytes, random: Random) -> Wrong:
    """Two versions of it merge without an error, alike on both machines."""
    make, path = random.choice([(note, "global/x.md"), (lines, "TAPE/p/h.jsonl")])
    base, other = data[: len(data) // 2], make(random)
    ours, theirs = merge_file(path, base, data, other), merge_file(path, base, other, data)
    if ours.data != theirs.data or set(ours.conflict_copies) != set(theirs.conflict_copies):
        yield "two machines merge it differently"


def listing(data: bytes, random: Random) -> Wrong:
    """Lists are read without an error; what is a record can be written again, and what is none is told."""
    text = decode(data)
    for line in text.split("\n"):
        fields = record(line)
        if (fields is None) != bool(trouble(line)):
            yield "a line is neither a record nor told"
        if fields is not None:
            render(fields)
    anchors_of(text)
    marks(evidence_of(text))
    lines_of_change("TAPE/p/h.jsonl", data[: random.randrange(len(data) + 1)], data)


def caching(cache: Cache) -> Callable[[bytes, Random], Wrong]:
    """The cache takes the note, and gives its entries back."""

    def law(data: bytes, random: Random) -> Wrong:
        text = decode(data)
        cache.apply(f"{random.random()}", [Note("global/x.md", text)], (), Marks(frozenset(), frozenset()))
        for entry in entries_of("global/x.md", text):
            if cache.ask(entry_by_id, entry.id) is None:
                yield "an entry is not in the cache"

    return law


def broken(folder: Path, cases: int, seed: int) -> Iterator[str]:
    """What held of no case, a line each with the case's bytes; empty when all went well."""
    with closing(Cache.open(folder / "cache.db")) as cache:
        laws = [reading, checking, merging, listing, caching(cache)]
        for number in range(cases):
            random = Random(f"{seed} {number}")
            data = (lines if number % 5 == 4 else note)(random)
            for law in laws:
                name = getattr(law, "__name__", "")
                try:
                    yield from (f"case {number}, {name}: {wrong}: {data!r}" for wrong in law(data, random))
                except Exception as error:
                    yield f"case {number}, {name}: {type(error).__name__}: {error}: {data!r}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=10)
    args = parser.parse_args()
    begun = time.monotonic()
    with TemporaryDirectory() as folder:
        breaches = list(broken(Path(folder), args.cases, args.seed))
    print(*breaches[: args.show], sep="\n")
    print(f"{args.cases} cases, {len(breaches)} broken promises, {time.monotonic() - begun:.0f} s")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
