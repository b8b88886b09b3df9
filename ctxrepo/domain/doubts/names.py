"""The names of a project's code in a text: paths, symbols, and commands of the project's own.

A name that never was in the code raises no doubt, so these rules only leave out what is no name at all."""

import re
from collections.abc import Iterator

from ctxrepo.domain.formats.blocks import texts_beside
from ctxrepo.lazy import dataclass, lazy_pattern

MOST = 40
"""Names of each kind that are looked at in a text."""

_LONGEST = 20_000
"""Characters of a text that are looked at."""


@dataclass(frozen=True)
class Names:
    """`paths` without `./` before them; a folder ends with `/`. `symbols` as written, `Client.send` for
    `Client.send()`. `commands` are a runner and the name that it is given: `make deploy`, `npm run lint`."""

    paths: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.paths or self.symbols or self.commands)


_FENCE = lazy_pattern(r"^[ \t]*(```|~~~).*?(^[ \t]*\1|\Z)", re.DOTALL | re.MULTILINE)
_SPAN = lazy_pattern(r"(?<!`)`([^`\n]{1,200})`(?!`)")
_URL = lazy_pattern(
    r"\b[a-z][a-z0-9+.-]{1,20}://\S+|\bwww\.\S+|\bgit@\S+|[^\s@]{1,64}@[^\s@]{1,64}\.\w+", re.I
)
_LINK = lazy_pattern(r"\]\(([^()\s]+)\)")
_RUN = lazy_pattern(r"[\w.@+/$*?{}<>\[\]~:%=|\\-]+")

_LISTS = texts_beside(__spec__, "names.words")
_WORDS = {name: frozenset(text.split()) for name, text in _LISTS.items()}
"""`endings` of files, and `bare` names without one; folders that are `generated`; names of files, without
ending, that are `common` to all projects; `verbs` of package managers; words that tell of a `change`."""

_PATH = lazy_pattern(r"[\w.@+~-]++(?:/[\w.@+~-]++)*+/?")
_PLACE = lazy_pattern(r"(:\d+([:-]\d+)?|#L\d+(-L?\d+)?|::\S*)$")
_MADE_UP = lazy_pattern(
    r"(^|[/_.-])(foo|bar|baz|qux|your|my|path/to|some|xxx+|yyyy|placeholder|todo)([/_.-]|$)", re.I
)
_SYMBOL = lazy_pattern(r"@?[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*){0,4}(\(.*\))?!?")
_PARTS = lazy_pattern(r"[.:#>-]+")
_BARE_SYMBOL = lazy_pattern(
    r"(?<![\w`./$@#:-])([A-Za-z]\w{0,60}_\w{1,60}|[A-Za-z_]\w{3,80}(?=\(\)))(?![\w`/-])"
)
_TELLING = lazy_pattern(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|^[A-Z][A-Z0-9]{3,}$|^[A-Z][a-z]+[A-Z]")

_MAKE = lazy_pattern(r"(?:^|[\s&;$])(make|just|task)((?:[ \t]+[a-z][\w:.-]*)+)")
_SCRIPT = lazy_pattern(
    r"(?:^|[\s&;$])(npm run|npm run-script|pnpm run|pnpm|yarn run|yarn|bun run|deno task)"
    r"[ \t]+([a-z][\w:.-]*)"
)
_SEVERAL = tuple(phrase.strip() for phrase in _LISTS["change_phrases"].split("|"))
_WORD = lazy_pattern(r"[^\W\d_]+")
_SENTENCE = lazy_pattern(r"(?<=[.;!?。])\s+|\n")


def steady(text: str) -> str:
    """The text without sentences that speak of a change: they may name what goes with the next commit."""
    if not _tells_of_change(text):
        return text
    return "\n".join(part for part in _SENTENCE.split(text) if not _tells_of_change(part))


def _tells_of_change(text: str) -> bool:
    text = text.lower()
    return not _WORDS["change"].isdisjoint(_WORD.findall(text)) or any(map(text.__contains__, _SEVERAL))


def names_in(text: str) -> Names:
    """The names in an entry. Addresses, patterns and fenced blocks have none."""
    text = _URL.sub(" ", _FENCE.sub(" ", text[:_LONGEST]))
    paths: dict[str, None] = {}
    symbols: dict[str, None] = {}
    commands: dict[str, None] = {}
    for span in _SPAN.findall(text):
        in_span = [*_commands(span)]
        commands |= dict.fromkeys(in_span)
        if not in_span and (symbol := _symbol(span.strip())):
            symbols[symbol] = None
        paths |= dict.fromkeys(_paths(span, is_code=True))
    prose = _SPAN.sub(" ", text)
    paths |= dict.fromkeys(path for link in _LINK.findall(prose) for path in _paths(link, is_code=True))
    prose = _LINK.sub(" ", prose)
    paths |= dict.fromkeys(_paths(prose, is_code=False))
    symbols |= dict.fromkeys(
        name for name in _BARE_SYMBOL.findall(prose) if len(name) > 5 and not _MADE_UP.search(name)
    )
    return Names(tuple(paths)[:MOST], tuple(symbols)[:MOST], tuple(commands)[:MOST])


def parts_of(symbol: str) -> list[str]:
    """The parts of a symbol by which it is looked for: those that hardly mean anything else."""
    parts = [part.strip("$@") for part in _PARTS.split(symbol)]
    return [part for part in parts if len(part) > 3 or _TELLING.search(part)]


def _paths(text: str, *, is_code: bool) -> Iterator[str]:
    for run in _RUN.findall(text):
        token = _PLACE.sub("", run.strip(":,;=").rstrip(".~"))
        if not _PATH.fullmatch(token) or len(token) > 300 or _MADE_UP.search(token):
            continue
        while token.startswith(("./", "../")):
            token = token.partition("/")[2]
        steps = token.rstrip("/").split("/")
        name = steps[-1]
        if not name.strip(".") or _WORDS["generated"].intersection(steps) or ".." in steps:
            continue
        if token.endswith("/") and token.startswith(".") and steps[0] not in (".github", ".gitlab"):
            continue  # where programs keep things of their users, in any repository
        stem, dot, ending = name.rpartition(".")
        is_file = bool(dot and stem and ending.lower() in _WORDS["endings"]) or name in _WORDS["bare"]
        if len(steps) > 1 or token.endswith("/"):
            if is_file or token.endswith("/") or is_code:
                yield token
        elif is_file and len(name) > 4 and stem not in _WORDS["common"]:
            yield token


def _symbol(span: str) -> str:
    """The symbol that a code span is, or ''."""
    match = _SYMBOL.fullmatch(span)
    if not match or span in _WORDS["bare"] or "$_" in span or _MADE_UP.search(span):
        return ""
    name = span.partition("(")[0].rstrip("!").lstrip("@")
    _, dot, ending = name.rpartition(".")
    if dot and ending.lower() in _WORDS["endings"] and "(" not in span:
        return ""  # a file
    parts = parts_of(name)
    is_called = span.endswith(")")
    if not parts or not (is_called or len(parts) > 1 or any(map(_TELLING.search, parts)) or len(name) > 5):
        return ""
    return name


def _commands(span: str) -> Iterator[str]:
    for runner, words in _MAKE.findall(span):
        for word in words.split():
            if "=" not in word and not _MADE_UP.search(word):
                yield f"{runner} {word}"
    for runner, word in _SCRIPT.findall(span):
        if word not in _WORDS["verbs"] or " " in runner:
            yield f"{runner} {word}"
