"""Secrets that are made up at run time, so that none stands in the tree for those who scan it."""

from __future__ import annotations

import base64
import random
import re
import string
from importlib import import_module
from typing import Any

# What a pattern is made of; the modules have no types, and their names say that Python may change them.
_constants: Any = import_module("re._constants")
_parser: Any = import_module("re._parser")

_UPPER = string.ascii_uppercase + string.digits
_ALNUM = string.ascii_letters + string.digits
ALPHABETS = {
    "a": _ALNUM,
    "A": _UPPER,
    "u": _ALNUM + "_-",
    "b": _ALNUM + "+/",
    "h": "0123456789abcdef",
    "d": string.digits,
    "t": string.ascii_uppercase + "234567",
    "X": "X",
}
"""What the letters of a template stand for; X, as often as vendors print it where a secret belongs."""


class Maker:
    """Random values that are the same at every run."""

    def __init__(self, seed: int = 20260102) -> None:
        self._dice = random.Random(seed)

    def text(self, alphabet: str, length: int) -> str:
        """With a digit, a small letter and a capital among the first, as nearly every real one has."""
        drawn = [self._dice.choice(alphabet) for _ in range(length)]
        for at, kind in ((1, string.digits), (2, string.ascii_uppercase), (3, string.ascii_lowercase)):
            if at < length and (usable := [c for c in alphabet if c in kind]):
                drawn[at] = self._dice.choice(usable)
        return "".join(drawn)

    def filled(self, template: str) -> str:
        """`{a20}` becomes 20 letters and digits; see ALPHABETS and the names below."""
        return re.sub(r"\{(?:([aAubhdtX])(\d+)|(pair|card|uuid|bytes64|auths))\}", self._field, template)

    def _field(self, match: re.Match[str]) -> str:
        kind, length, name = match.groups()
        if kind:
            return self.text(ALPHABETS[kind], int(length))
        if name == "pair":
            return base64.b64encode(f"ada:{self.text(_ALNUM, 14)}".encode()).decode()
        if name == "auths":
            whole = f'{{"auths": {{"r.acme.io": {{"password": "{self.text(_ALNUM, 14)}"}}}}}}'
            return base64.b64encode(whole.encode()).decode()
        if name == "uuid":
            h = self.text("0123456789abcdef", 32)
            return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"
        if name == "bytes64":
            return ", ".join(str(self._dice.randrange(256)) for _ in range(64))
        digits = "45" + self.text(string.digits, 13)
        return next(f"{digits}{d}" for d in string.digits if _luhn(f"{digits}{d}"))

    def of_pattern(self, regex: str | bytes) -> str:
        """A text that the pattern of a vendor's token matches."""
        return "".join(self._parts(_parser.parse(regex)))

    def _parts(self, nodes: Any) -> list[str]:
        made: list[str] = []
        for op, value in nodes:
            if op is _constants.LITERAL:
                made.append(chr(value))
            elif op is _constants.IN:
                made.append(self._dice.choice(_members(value)))
            elif op is _constants.MAX_REPEAT:
                low, high, inside = value
                if len(inside) == 1 and inside[0][0] is _constants.IN:
                    made.append(self.text(_members(inside[0][1]), min(max(low, 1), high)))
                else:
                    made += [part for _ in range(low) for part in self._parts(inside)]
            elif op is _constants.SUBPATTERN:
                made += self._parts(value[-1])
            elif op is _constants.BRANCH:
                made += self._parts(value[1][0])
        return made


def _members(items: Any) -> str:
    members = ""
    for op, value in items:
        if op is _constants.LITERAL:
            members += chr(value)
        elif op is _constants.RANGE:
            members += "".join(map(chr, range(value[0], value[1] + 1)))
        else:
            members += string.digits
    return members


def _luhn(digits: str) -> bool:
    numbers = [int(d) for d in digits]
    return (sum(numbers[-1::-2]) + sum(sum(divmod(2 * n, 10)) for n in numbers[-2::-2])) % 10 == 0
