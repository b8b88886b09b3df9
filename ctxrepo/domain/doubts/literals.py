"""What a file of code or settings says of a name: whether it defines it, and which literals it gives it.

Python, JSON and TOML are parsed. In other languages comments are taken out, and what follows the name is read
where it is a literal; anything else is unknown."""

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any, NamedTuple

from ctxrepo.lazy import dataclass, lazy_pattern


class Literal(NamedTuple):
    """A value as a file writes it, a text without its quotes; `is_text` tells that it is a text."""

    value: str
    is_text: bool


@dataclass(frozen=True)
class Lookup:
    """Whether a name is defined, None where that can't be told, and the `values` that it is given, None for
    one that is computed."""

    is_defined: bool | None
    values: tuple[Literal | None, ...] = ()


_NOWHERE = Lookup(False)
_UNKNOWN = Lookup(None)
_PLAIN = {"yaml", "yml", "env", "ini", "cfg", "conf", "properties", "sh", "bash", "zsh", "fish"}
"""Endings of files in which a text needs no quotes."""

_HASH = _PLAIN | {"py", "pyi", "rb", "toml", "mk", "r", "pl", "ex", "exs", "tf", "nix"}
"""Endings of files in which a comment begins with #."""


def look_up(path: str, text: str, name: str) -> Lookup:
    """What the file at a path says of a name, which may have several parts: `Client.send`."""
    file = path.rpartition("/")[2].lower()
    ending = file.rpartition(".")[2]
    try:
        match ending:
            case "py" | "pyi":
                return _among(_of_python(ast.parse(text)), name)
            case "json":
                return _among(_of_fields(json.loads(text)), name)
            case "toml":
                return _among(_of_fields(tomllib.loads(text)), name)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return _UNKNOWN
    return _lexed(ending if "." in file[1:] or file.startswith(".env") else "sh", text, name)


def is_same_value(value: str, literal: Literal) -> bool:
    """Whether a literal is the value that a person typed, in whatever language: `3` is `3.0` and `true` is
    `True`. What is typed in quotes is a text, and without them it may be one."""
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"`":
        return literal.is_text and literal.value == value[1:-1]
    return value == literal.value if literal.is_text else _canonical(value) == _canonical(literal.value)


_WORDS = {"true": "true", "false": "false"} | dict.fromkeys(("null", "none", "nil", "undefined"), "null")
"""A value that is a word, in lower case -> the same in all languages."""
_NUMBER = (
    r"[-+]?(?:0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d+)(?:[eE][-+]?\d+)?)"
)
_IS_NUMBER = lazy_pattern(_NUMBER)


def _canonical(text: str) -> str:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _IS_NUMBER.fullmatch(text):
        plain = text.replace("_", "").lower()
        try:
            whole = int(plain, 0) if "x" in plain or (plain.isdigit() and plain[0] != "0") else float(plain)
            return str(int(whole)) if whole == int(whole) else repr(whole)
        except (ValueError, OverflowError):
            return text
    try:
        return repr(ast.literal_eval(text)) if text[:1] in "[({" else text
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _literal(value: Any) -> Literal | None:
    """A value that a parser read; None where it is no literal."""
    if isinstance(value, str):
        return Literal(value, True)
    if value is None or isinstance(value, bool | int | float | list | tuple | dict | set):
        return Literal(repr(value), False)
    return None


def _among(definitions: Iterator[tuple[str, Literal | None]], name: str) -> Lookup:
    """What the (dotted path, value) of a file's definitions say of a name: those at exactly this path, and
    where there are none those whose paths end with it."""
    known = [*definitions]
    values = [value for path, value in known if path == name]
    values = values or [value for path, value in known if path.endswith(f".{name}")]
    return Lookup(True, tuple(values)) if values else _NOWHERE


def _of_fields(fields: Any) -> Iterator[tuple[str, Literal | None]]:
    waiting: list[tuple[str, Any]] = [("", fields)]
    while waiting:
        above, value = waiting.pop()
        numbered = enumerate(value) if isinstance(value, list) else ()
        for key, inner in value.items() if isinstance(value, dict) else numbered:
            name = f"{above}.{key}" if above else str(key)
            yield name, _literal(inner)
            waiting.append((name, inner))


def _of_python(tree: ast.AST) -> Iterator[tuple[str, Literal | None]]:
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    while waiting:
        above, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            inner = above
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{above}{child.name}", None
                inner = f"{above}{child.name}."
            for name, value in _assigned(child):
                # What a method gives `self` belongs to its class.
                place = f"{above[:-1].rpartition('.')[0]}." if name.startswith("self.") else above
                yield f"{place.lstrip('.')}{name.removeprefix('self.')}", value
            waiting.append((inner, child))


def _assigned(node: ast.AST) -> Iterator[tuple[str, Literal | None]]:
    targets: list[ast.expr] = []
    value: ast.expr | None = None
    match node:
        case ast.Import() | ast.ImportFrom():
            yield from ((alias.asname or alias.name.partition(".")[0], None) for alias in node.names)
        case ast.Assign():
            targets, value = node.targets, node.value
        case ast.AnnAssign() | ast.NamedExpr():
            targets, value = [node.target], node.value
        case ast.AugAssign():
            targets = [node.target]
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id, _evaluated(value)
        elif isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
            yield f"self.{target.attr}", _evaluated(value)
        elif isinstance(target, ast.Tuple | ast.List):
            yield from ((part.id, None) for part in target.elts if isinstance(part, ast.Name))


def _evaluated(node: ast.expr | None) -> Literal | None:
    try:
        return _literal(ast.literal_eval(node)) if node else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


_QUOTED = r'"(?:[^"\\\n]|\\.)*+"?' r"|'(?:[^'\\\n]|\\.)*+'?" r"|`(?:[^`\\]|\\.)*+`?"
_STRING = r'"(?:[^"\\\n]|\\.){0,2000}+"' r"|'(?:[^'\\\n]|\\.){0,2000}+'" r"|`(?:[^`\\]|\\.){0,2000}+`"
_SLASHES = lazy_pattern(rf"({_QUOTED})|//[^\n]*|/\*.*?(?:\*/|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL)
_HASHES = lazy_pattern(rf"({_QUOTED})|(?<![^\s;])#[^\n]*", re.DOTALL)
_KEYWORD = (
    r"(?:function\*?|class|def|const|let|var|val|type|interface|enum|struct|fn|func|trait|impl|mod|module|namespace|"
    r"package|record|object|protocol|union|typedef|macro_rules!|static|public|private|protected|export|readonly|"
    r"async|abstract|final|get|set|resource|variable|table|view|message|service|rpc|export default)"
)
_TYPE = r"(?:\s*\??\s*:\s*[^=;{}()\n]{1,80}?(?=\s*=)|[ \t]+[\w\[\]*.<>]+(?=\s*=))?"


def _lexed(ending: str, text: str, name: str) -> Lookup:
    comments = _HASHES if ending in _HASH else _SLASHES
    code = comments.sub(lambda match: match[1] or " ", text)
    bare = comments.sub(lambda match: '""' if match[1] else " ", text)
    *above, last = name.split(".")
    word = rf"(?<![\w$-]){re.escape(last)}(?![\w$-])"
    if any(not re.search(rf"(?<![\w$]){re.escape(part)}(?![\w$])", code) for part in above):
        return _NOWHERE
    values = tuple(_values(code, word, has_plain=ending in _PLAIN))
    if values or re.search(rf"['\"]?{word}['\"]?\s*(?::|=>)", code):
        return Lookup(True, values)
    called = rf"{word}\s*(?:<[^>\n]*>)?\([^)]{{0,400}}\)[^;{{}}\n]*\{{"
    if re.search(rf"(?:{_KEYWORD}|#define)\s+(?:\([^)\n]{{0,100}}\)\s*)?{word}|{called}", bare):
        return Lookup(True)
    if re.search(rf"{word}\s*\(\)\s*\{{|^\s*{word}\s*,?\s*$", bare, re.MULTILINE):
        return Lookup(True)  # a function of a shell's; one of an enumeration
    return _UNKNOWN if re.search(word, code) else _NOWHERE


def _values(code: str, word: str, *, has_plain: bool) -> Iterator[Literal | None]:
    """The values that a name is given, None for a computed one. With `has_plain` texts need no quotes."""
    number = rf"({_NUMBER})(?:_?[uif]\d{{1,3}}|[uUlLfFdDn]{{1,3}})?"
    plain = r"|([^\s#;{}\[\]()$\"'`,&|>*!][^#\n;$`]*)" if has_plain else ""
    end = r"(?=[ \t]*(?:as const|satisfies\b[^\n]*)?[ \t]*(?:[;,)}\]#\n]|\Z))"
    value = rf"(?:{number}|({_STRING})|(\w+){plain}){end}"
    assignment = re.compile(rf"['\"]?{word}['\"]?{_TYPE}\s*(:=|=>|=(?![=~>])|:(?!:))[ \t]*(?:{value})?")
    for match in assignment.finditer(code):
        sign, digits, text, token, *rest = match.groups()
        if digits is not None:
            yield Literal(digits, False)
        elif text is not None:
            yield None if text[0] == "`" and "${" in text else Literal(text[1:-1], True)
        elif token is not None and token.lower() in _WORDS:
            yield Literal(token, False)
        elif has_plain and (unquoted := token or rest[0]):
            yield Literal(unquoted.strip(), True)
        elif sign != ":":
            yield None
    for match in re.finditer(
        rf"#define[ \t]+{word}[ \t]+(?:{number}|({_STRING}))[ \t]*$", code, re.MULTILINE
    ):
        yield Literal(match[1], False) if match[1] else Literal(match[2][1:-1], True)
