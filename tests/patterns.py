"""Every regular expression of the package, and texts that are made to be dear for one.

A pattern that is tried at each of n places, and runs to the end of the text from each of them, costs the
square of n: a note of some kilobytes then holds a lock for minutes. What is tried here is derived from the
parsed pattern: for each of its repeats a text that reaches it, runs through it for long, and then fails.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import math
import pkgutil
import random
import re
import re._constants as codes
import re._parser as parser
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import ctxrepo
from ctxrepo.domain.secrets import search

_ROOT = Path(ctxrepo.__file__).parent
_GUARDED = {"domain.secrets._CREDENTIALS": "is given words that end with an `@`, which it takes at once"}
"""Patterns that would be dear for a text which they aren't given, and why they aren't."""

_CALLS = {"search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
_ANCHORED = {"match", "fullmatch"}
_SIGNS = "a A0 _-.\n\t\"'`:/@=[]()<>{}#*!\\~,;\x00é"


@dataclass(frozen=True)
class Use:
    """A pattern, and how it is used: `run` goes through a text as the package does."""

    name: str
    source: Any
    flags: int
    way: str
    run: Callable[[Any], object]


def uses() -> list[Use]:
    """Each pattern of the package, once for each way it is used."""
    known = {(use.source, use.flags, use.way): use for use in _uses()}
    return sorted(known.values(), key=lambda use: use.name)


def _uses() -> Iterator[Use]:
    trees = {path: ast.parse(path.read_text()) for path in sorted(_ROOT.rglob("*.py"))}
    public: dict[str, set[str]] = {}
    own: dict[Path, dict[str, set[str]]] = {}
    for path, tree in trees.items():
        own[path] = _methods(tree)
        for name, methods in own[path].items():
            public.setdefault(name, set()).update(methods)
    for module in modules():
        path = Path(module.__file__ or "")
        where = module.__name__.removeprefix("ctxrepo.")
        for name, value in [*vars(module).items()]:
            is_made_later = hasattr(value, "cache_info") and not inspect.signature(value).parameters
            for pattern in _patterns(value() if is_made_later else value):
                if f"{where}.{name}" in _GUARDED:
                    continue
                methods = (own[path] if name.startswith("_") else public).get(name, set())
                yield from _used(f"{where}.{name}", pattern, methods or {"match", "finditer"})
        yield from _inline(where, trees[path], vars(module))
    for order, rule in enumerate(search.RULES):
        yield Use(
            f"secrets: {rule.name}",
            rule.pattern.pattern,
            rule.pattern.flags,
            rule.name,
            _by_rule(order, rule),
        )


def modules() -> Iterator[Any]:
    for info in pkgutil.walk_packages([str(_ROOT)], "ctxrepo."):
        if not info.name.endswith("__main__"):
            try:
                module = importlib.import_module(info.name)
            except ImportError:
                continue  # an optional library
            if (module.__file__ or "").endswith(".py"):
                yield module


def _methods(tree: ast.AST) -> dict[str, set[str]]:
    """By the name of a pattern, the methods that are called."""
    methods: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in _CALLS:
            holder = node.value.func if isinstance(node.value, ast.Call) else node.value
            name = holder.id if isinstance(holder, ast.Name) else getattr(holder, "attr", "")
            methods.setdefault(name, set()).add(node.attr)
    return methods


def _patterns(value: Any) -> Iterator[Any]:
    if isinstance(value, re.Pattern):
        yield value
    elif type(value).__module__ == "ctxrepo.lazy" and type(value).__name__ == "_Pattern":
        yield re.compile(value._expression, value._flags)
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _patterns(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from _patterns(part)


def _inline(where: str, tree: ast.AST, names: dict[str, Any]) -> Iterator[Use]:
    """What is given to `re.search` and its like as a literal."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "re" and node.args):
            continue
        if node.func.attr not in _CALLS:
            continue
        try:
            literal = eval(
                compile(ast.Expression(node.args[0]), where, "eval"),
                dict(names),
                dict.fromkeys(["name"], "abc"),
            )
        except NameError:
            continue
        if isinstance(literal, (str, bytes)):
            flags = 0
            for word in node.keywords:
                if word.arg == "flags":
                    flags = eval(compile(ast.Expression(word.value), where, "eval"), names)
            position = {"sub": 4, "subn": 4, "split": 3}.get(node.func.attr, 2)
            if len(node.args) > position:
                flags = eval(compile(ast.Expression(node.args[position]), where, "eval"), names)
            yield from _used(f"{where}:{node.lineno}", re.compile(literal, flags), {node.func.attr})


def _used(name: str, pattern: Any, methods: set[str]) -> Iterator[Use]:
    for method in sorted({m if m in _ANCHORED else "finditer" for m in methods}):
        yield Use(f"{name}.{method}", pattern.pattern, pattern.flags, method, _by_method(pattern, method))


def _by_method(pattern: Any, method: str) -> Callable[[Any], object]:
    if method in _ANCHORED:
        once: Callable[[Any], object] = getattr(pattern, method)
        return once

    def through(text: Any) -> None:
        for _ in pattern.finditer(text):
            pass

    return through


def _by_rule(order: int, rule: Any) -> Callable[[Any], object]:
    def through(data: bytes) -> None:
        lowered = data.lower()
        for anchor in rule.anchors:
            where = data if rule.is_one_word else lowered
            list(search._hits(order, rule, data, search._places(anchor, where)))

    return through


# --- texts


Attack = tuple[str, str, str]
"""A head, what is repeated, and a tail."""


def attacks(use: Use, *, thorough: bool = False) -> list[Attack]:
    """Texts that lead to each repeat of a pattern, run through it for long, and end as it can't."""
    tree = _parsed(use)
    signs = _signs(tree)
    tails = ("", "\n", "\0", "b", "!", " b", '"') if thorough else ("\0",)
    texts: dict[Attack, None] = {}
    for before, body in _repeats(tree, signs):
        heads = [before, *(before + sign for sign in (signs if thorough else signs[:1]))]
        pumps = _pumps(body, signs)
        for pump in pumps if thorough else pumps[:4]:
            texts |= dict.fromkeys((head, pump, tail) for head in heads for tail in tails if pump)
    whole = _Witness(signs).of(tree)
    for end in range(1, min(len(whole), 80 if thorough else 12) + 1):
        texts["", whole[:end], "\0"] = None
    for sign in (*signs, "\n", " ", " \n") if thorough else ("\n", " "):
        texts |= dict.fromkeys((head, sign, tail) for head in ("", whole[:1]) for tail in tails)
    return list(texts)


def wild(use: Use, chance: random.Random, count: int) -> Iterator[Attack]:
    """Texts at random from the parts of a pattern."""
    tree = _parsed(use)
    signs = _signs(tree)
    parts = [*signs, _Witness(signs).of(tree)[:200]]
    for before, body in _repeats(tree, signs):
        parts += [before[:200], *_pumps(body, signs)]
    for _ in range(count):
        head, pump, tail = ("".join(chance.choices(parts, k=chance.randint(0, 3))) for _ in range(3))
        yield head, pump or " ", tail


def _parsed(use: Use) -> Any:
    return parser.parse(use.source, use.flags & ~re.UNICODE if isinstance(use.source, bytes) else use.flags)


def _signs(tree: Any) -> list[str]:
    """One character of each kind that the pattern tells apart."""
    sets: list[Any] = []

    def collect(items: Any) -> None:
        for op, av in items:
            if op in (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY):
                sets.append((op, av))
            else:
                for child in _children(op, av):
                    collect(child)

    collect(tree)
    kinds: dict[tuple[bool, ...], str] = {}
    candidates = list(_SIGNS)
    for op, av in sets:
        if op in (codes.LITERAL, codes.NOT_LITERAL):
            candidates.append(chr(av))
        elif op is codes.IN:
            candidates += [
                chr(a[0]) if o is codes.RANGE else chr(a) for o, a in av if o in (codes.LITERAL, codes.RANGE)
            ]
    for sign in dict.fromkeys(candidates):
        kinds.setdefault(tuple(_takes(op, av, sign) for op, av in sets), sign)
    return list(kinds.values())


def _children(op: Any, av: Any) -> list[Any]:
    if op is codes.BRANCH:
        return list(av[1])
    if op is codes.SUBPATTERN:
        return [av[3]]
    if op in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        return [av[2]]
    if op is codes.ATOMIC_GROUP:
        return [av]
    if op in (codes.ASSERT, codes.ASSERT_NOT):
        return [av[1]]
    if op is codes.GROUPREF_EXISTS:
        return [part for part in av[1:] if part]
    return []


_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    codes.CATEGORY_DIGIT: str.isdigit,
    codes.CATEGORY_NOT_DIGIT: lambda c: not c.isdigit(),
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_NOT_SPACE: lambda c: not c.isspace(),
    codes.CATEGORY_WORD: lambda c: c.isalnum() or c == "_",
    codes.CATEGORY_NOT_WORD: lambda c: not (c.isalnum() or c == "_"),
}


def _takes(op: Any, av: Any, sign: str) -> bool:
    if op is codes.LITERAL:
        return chr(av) == sign
    if op is codes.NOT_LITERAL:
        return chr(av) != sign
    if op is codes.ANY:
        return sign != "\n"
    negated = any(o is codes.NEGATE for o, _ in av)
    inside = any(
        (o is codes.LITERAL and chr(a) == sign)
        or (o is codes.RANGE and a[0] <= ord(sign) <= a[1])
        or (o is codes.CATEGORY and _CATEGORIES[a](sign))
        for o, a in av
    )
    return inside != negated


class _Witness:
    """A short text that a pattern takes, most of the time."""

    def __init__(self, signs: list[str]) -> None:
        self.signs = signs
        self.groups: dict[int, str] = {}

    def of(self, items: Any) -> str:
        return "".join(self.text_of(op, av) for op, av in items)

    def text_of(self, op: Any, av: Any) -> str:
        if op in (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY):
            return next((s for s in self.signs if _takes(op, av, s)), "")
        if op is codes.BRANCH:
            return self.of(av[1][0])
        if op is codes.SUBPATTERN:
            text = self.of(av[3])
            if av[0] is not None:
                self.groups[av[0]] = text
            return text
        if op in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            return self.of(av[2]) * int(av[0])
        if op is codes.ATOMIC_GROUP:
            return self.of(av)
        if op is codes.GROUPREF:
            return self.groups.get(av, "")
        if op is codes.ASSERT and av[0] < 0:
            return self.of(av[1])
        return ""


def _repeats(items: Any, signs: list[str], before: str = "") -> Iterator[tuple[str, Any]]:
    """Each repeat of more than a few, behind a text that leads to it."""
    for op, av in items:
        if op in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            if av[1] is codes.MAXREPEAT or av[1] > 8:
                yield before, av[2]
            yield from _repeats(av[2], signs, before)
        else:
            for child in _children(op, av):
                yield from _repeats(child, signs, before)
        before += _Witness(signs).text_of(op, av)


def _pumps(body: Any, signs: list[str]) -> list[str]:
    """Texts that the body of a repeat takes."""
    if len(body) == 1 and body[0][0] in (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY):
        ((op, av),) = body
        return [sign for sign in signs if _takes(op, av, sign)]
    texts = [_Witness(signs).of(body)]
    for op, av in body:
        for child in _children(op, av):
            texts += [_Witness(signs).of(child)]
            if op is codes.SUBPATTERN and len(child) == 1 and child[0][0] is codes.BRANCH:
                texts += [_Witness(signs).of(branch) for branch in child[0][1][1]]
    texts += [texts[0] + sign for sign in signs[:8]] if texts[0] else []
    return texts


# How long they take.

_ENOUGH, _MUCH, _TOO_MUCH = 0.004, 0.1, 0.5
"""Seconds of the processor that may be more than none, and that surely are, on a machine that does other
things; and those that no text of some kilobytes may take, for a note may hold it many times."""


def dearest(use: Use, texts: Iterable[Attack], length: int) -> Attack | None:
    """The attack that costs the most, if it costs very much, or if eight times its text costs far more than
    eight times as much: a square makes it 64. `length` is beyond most bounds; what takes next to no time
    until there is let off."""
    attacks = list(texts)
    runs = [partial(_cost, use, attack) for attack in attacks]
    runs[0](length)  # compiles the pattern
    spent, worst = max((run(length), number) for number, run in enumerate(runs))
    if spent < _ENOUGH:
        return None
    if spent > _TOO_MUCH and runs[worst](length) > _TOO_MUCH:
        return attacks[worst]
    again = max(runs[worst](length) for _ in range(2))
    return attacks[worst] if runs[worst](8 * length) > max(24 * again, _MUCH) else None


class _TooLongError(Exception):
    """It would go on for ever."""


_LONGEST = 5.0


def _cost(use: Use, attack: Attack, length: int) -> float:
    """Seconds of the processor; infinite where it isn't done in time."""
    head, pump, tail = attack
    text = head + pump * max(1, length // len(pump)) + tail

    def stop(*_: object) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGPROF, stop)
    start = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_PROF, _LONGEST)
        use.run(text.encode("utf-8", "surrogatepass") if isinstance(use.source, bytes) else text)
    except _TooLongError:
        return math.inf
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return time.process_time() - start
