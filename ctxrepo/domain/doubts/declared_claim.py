"""A claim about a project's code that is declared with a fact, and whether a file bears it out.

src/api.py               there is such a file or folder
!src/old.py              there is none
src/api.py::Client.send  the file defines this
src/api.py::RETRIES=3    the file gives this name this value, as a literal"""

import re
from collections.abc import Mapping
from typing import Literal

from ctxrepo.domain.doubts.literals import is_same_value, look_up
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass, lazy_pattern

MOST_BYTES = 1024 * 1024
"""A larger file isn't looked into."""

LONGEST = 300
"""Characters of a claim."""

ClaimVerdict = Literal["held", "false", "unknown"]

_BY_DEFINITION: Mapping[bool | None, ClaimVerdict] = {True: "held", False: "false", None: "unknown"}
_PATH = lazy_pattern(r"[^\s\\:*?\"<>|!]+(?: [^\s\\:*?\"<>|]+)*")
_SYMBOL = lazy_pattern(r"[A-Za-z_$][\w$-]*(?:\.[A-Za-z_$][\w$-]*)*")
_HINT = (
    "Write PATH, PATH::NAME, PATH::NAME=VALUE or !PATH, with PATH from the top of the project's repository."
)


@dataclass(frozen=True)
class Claim:
    """`path` is from the top of the repository. `symbol` is '' where only the path is claimed, `value` None
    where none is. With `is_absent` there is nothing at the path."""

    text: str
    path: str
    symbol: str = ""
    value: str | None = None
    is_absent: bool = False


def parse_claim(text: str) -> Claim:
    """Parse a claim as a person types it; UsageError says what is wrong with it."""
    text = text.strip()
    is_absent = text.startswith("!")
    path, double, rest = text.removeprefix("!").strip().partition("::")
    symbol, equals, value = rest.partition("=")
    path, symbol, value = path.removeprefix("./").rstrip("/"), symbol.strip(), value.strip()
    if wrong := _wrong(text, path, symbol):
        raise UsageError(f"the claim {text!r} {wrong}", _HINT)
    if is_absent and double:
        raise UsageError(f"the claim {text!r} says that a name isn't there", "`!` goes with a path alone.")
    if double and not symbol:
        raise UsageError(f"the claim {text!r} has no name after `::`", _HINT)
    if equals and not value:
        raise UsageError(f"the claim {text!r} has no value after `=`", _HINT)
    return Claim(text, path, symbol, value if equals else None, is_absent)


def _wrong(text: str, path: str, symbol: str) -> str:
    """What is wrong with a claim, its path or its symbol; '' for nothing."""
    if len(text) > LONGEST or not text.isprintable():
        return f"is longer than {LONGEST} characters, or has some that don't show"
    if not path:
        return "names no path"
    if path.startswith(("/", "~")) or re.match(r"[A-Za-z]:", path):
        return "has a path that isn't from the top of the repository"
    if ".." in path.split("/") or not _PATH.fullmatch(path):
        return "has a path that no file of a repository has"
    if symbol and not _SYMBOL.fullmatch(symbol):
        return f"has {symbol!r} where a name stands"
    return ""


def judge(claim: Claim, data: bytes | None) -> ClaimVerdict:
    """Whether these bytes of the file at the claim's path bear out what it says of a symbol; `data` is None
    where they can't be had."""
    if data is None or b"\0" in data:
        return "unknown"
    text = data.decode("utf-8", "replace")
    name = claim.symbol.rpartition(".")[2]
    if not re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text):
        return "false"  # the word isn't even there
    known = look_up(claim.path, text, claim.symbol)
    if claim.value is None or not known.is_defined:
        return _BY_DEFINITION[known.is_defined]
    is_same = {value is not None and is_same_value(claim.value, value) for value in known.values}
    if None in known.values or len(is_same) != 1:
        return "unknown"  # it is computed, or given several values
    return "held" if is_same == {True} else "false"
