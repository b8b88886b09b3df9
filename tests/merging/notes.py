"""Notes as machines left them, made up from a seed: clear ones, ones much alike, and wild ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from random import Random
from string import ascii_lowercase

PATH = "global/topics/a.md"

Maker = Callable[[], str]
"""What a machine adds next."""


@dataclass(frozen=True)
class Draft:
    """A note to be written down: its head and its blocks, a heading being the block that starts with `#`."""

    head: str
    blocks: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """What a note was, and what each machine made of it."""

    base: bytes
    sides: tuple[bytes, ...]

    def __str__(self) -> str:
        names = ("base", "ours", "theirs", "third")
        return "\n".join(f"{n}: {t!r}" for n, t in zip(names, (self.base, *self.sides), strict=False))


@dataclass(frozen=True)
class _Sort:
    """What machines write; where `is_said_twice`, also what is there already, and `odd` blocks at the end."""

    entry: Maker
    title: Maker
    is_said_twice: bool = True
    odd: tuple[str, ...] = ()

    def block(self, rng: Random) -> str:
        return self.title() if rng.random() < 0.15 else self.entry()


def clear(rng: Random, sides: int = 2) -> Case:
    """Nothing could be taken for something else: each entry has words of its own and is there once."""
    made = count()

    def entry() -> str:
        number = next(made)
        return _dressed(rng, f"k{number} {_words(rng)}", number)

    def title() -> str:
        return f"{rng.choice(['##', '##', '##', '#', '###'])} {_words(rng)}"

    return _case(rng, sides, _Sort(entry, title, is_said_twice=False))


def alike(rng: Random, sides: int = 2) -> Case:
    """Entries that differ in one word, with equal ones among them."""
    made = count(rng.choice([1, 100]))
    form = rng.choice(["fact k{} about the build", "- item k{}", "k{}", "port k{} is used by service s{}"])

    def entry() -> str:
        if rng.random() < 0.1:
            return rng.choice(["- again", "- none", "again and again"])
        number = next(made)
        return _dressed(rng, form.format(number, number % 3), number)

    return _case(rng, sides, _Sort(entry, lambda: _title(rng)))


def wild(rng: Random, sides: int = 2) -> Case:
    """Few words, ids given twice, half-open fences, headings of any depth: whatever a person may leave."""
    return _case(rng, sides, _Sort(lambda: _wild(rng), lambda: _title(rng), odd=_ODD))


def _case(rng: Random, sides: int, sort: _Sort) -> Case:
    blocks = [sort.block(rng) for _ in range(rng.choice([0, 1, 3, 6, 10]))]
    if rng.random() < 0.5:
        blocks.insert(0, sort.title())
    was = Draft(_head(rng), tuple(blocks))
    made = (_left(rng, was, sort) for _ in range(sides))
    return Case(_written(rng, was), tuple(_written(rng, draft) for draft in made))


def _left(rng: Random, was: Draft, sort: _Sort) -> Draft:
    """The note as a machine left it: some blocks gone, edited, moved, new ones anywhere."""
    blocks: list[str] = []
    busy = rng.choice([0.0, 0.1, 0.3, 0.6])
    for text in was.blocks:
        what = rng.choice(["drop", "edit", "add", "twice"]) if rng.random() < busy else "keep"
        if what == "add":
            blocks.append(sort.block(rng))
        if what == "edit":
            blocks.append(_reworded(rng, text))
        elif what != "drop":
            is_twice = sort.is_said_twice and what == "twice" and rng.random() < 0.3
            blocks += [text] * (2 if is_twice else 1)
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        if blocks:
            blocks.insert(rng.randrange(len(blocks)), blocks.pop(rng.randrange(len(blocks))))
    if rng.random() < 0.05:
        rng.shuffle(blocks)
    blocks += [sort.block(rng) for _ in range(rng.choice([0, 1, 1, 2]))]
    if sort.odd and rng.random() < 0.2:
        blocks.append(rng.choice(sort.odd))
    return Draft(_head(rng) if rng.random() < 0.2 else was.head, tuple(blocks))


def _reworded(rng: Random, text: str) -> str:
    """An edit that keeps most of the text: a word more at the end of the first line, or one changed there."""
    first, *rest = text.split("\n")
    words = first.split(" ")
    more = rng.choice([*_FEW, "".join(rng.choices(ascii_lowercase, k=5))])
    if len(words) > 5 and rng.random() < 0.4 and not first.startswith("#"):
        words[-1] = more
    elif first.endswith(" -->"):
        words.insert(1, more)
    else:
        words.append(more)
    return "\n".join([" ".join(words), *rest])


def _written(rng: Random, draft: Draft) -> bytes:
    """The draft as a file, in one of the ways that editors leave blank lines and line ends."""
    text = draft.head + rng.choice(["", "", "\n"])
    loose = rng.random() < 0.2
    for before, block in zip(("", *draft.blocks), draft.blocks, strict=False):
        is_list = before[:1] in "-*+" and block[:1] in "-*+"
        text += "" if not before or (is_list and not loose) else "\n" * rng.choice([1, 1, 1, 2])
        text += block + "\n"
    text = rng.choice([text, text, text, text.rstrip("\n"), text + "\n"])
    return (text.replace("\n", "\r\n") if rng.random() < 0.1 else text).encode()


def _dressed(rng: Random, text: str, number: int) -> str:
    """The text as one of the kinds of blocks that say something."""
    return rng.choice(
        [
            f"- {text}",
            f"- {text}",
            f"- {text}",
            f"* {text}",
            f"1. {text}",
            f"- [ ] {text}",
            f"- {text}\n  - below it\n    - and deeper",
            f"- {text}\n\n  more of it",
            f"- {text}\n  ```sh\n  # no heading\n  - no bullet\n  ```",
            f"- {text} <!-- ^n{number} -->",
            text.removeprefix("- "),
            f"{text.removeprefix('- ')}\nin two lines",
            f"```\n# {text}\n\n- code\n```",
            f"<!-- {text} -->",
        ]
    )


def _words(rng: Random) -> str:
    return " ".join("".join(rng.choices(ascii_lowercase, k=rng.randint(3, 9))) for _ in range(5))


def _title(rng: Random) -> str:
    titles = ["Notes", "Build", "Builds", "Log", "Things to remember"]
    return f"{'#' * rng.choice([1, 2, 2, 2, 3])} {rng.choice(titles)}"


_FEW = ("alpha", "beta", "gamma", "delta", "epsilon zeta", "the build needs", "on 2026-11-20", "- 4")
_ODD = (
    "  - indented",
    "    code",
    "```\nnever closed",
    "<!-- never closed",
    "<<<<<<< HEAD",
    "=======",
    "---",
    "```\n# code\n\n- code\n```",
    "<!-- two\n\nlines -->",
    "\x0c",
    "- ",
)


def _wild(rng: Random) -> str:
    text = " ".join(rng.choices(_FEW, k=rng.randint(1, 5)))
    return rng.choice(_ODD) if rng.random() < 0.08 else _dressed(rng, text, rng.randint(1, 9))


def _head(rng: Random) -> str:
    if rng.random() < 0.6:
        return ""
    tags = ", ".join(rng.sample("abcd", rng.randint(0, 3)))
    rest = rng.choice(
        ["", "", "# a comment\n", "created: 2025-01-01\nowner: me\n", "x: |\n  long\n  text\n", "bad: [\n"]
    )
    updated = rng.choice(["2026-01-01", "2026-02-01", "soon"])
    return f"---\ndescription: {rng.choice(_FEW)}\ntags: [{tags}]\nupdated: {updated}\n{rest}---\n"
