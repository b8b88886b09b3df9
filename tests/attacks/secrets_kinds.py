"""What a kind of secret is, for the corpus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attacks.drawing import Draw
from attacks.forms import blocks, noted, shown

Make = Callable[[Draw], str]


@dataclass(frozen=True)
class Kind:
    """A kind of secret, and six notes that hold one each, for any seed."""

    name: str
    family: str
    notes: Callable[[Draw], list[str]]

    def planted(self, seed: int) -> list[str]:
        """The six notes of this seed."""
        return self.notes(Draw(f"{self.name}/{seed}"))


def token(family: str, name: str, says: str, env: str, make: Make, sure: bool = True) -> Kind:
    """A kind of one value; `says` is "vendor: thing", `sure` when its shape alone tells."""
    vendor, thing = says.split(": ")
    return Kind(name, family, lambda d: noted(d, vendor, thing, env, sure, [make(d) for _ in range(6)]))


def weak(family: str, name: str, says: str, env: str, make: Make) -> Kind:
    """A kind of one value that only its label tells from any other string."""
    return token(family, name, says, env, make, sure=False)


def whole(family: str, name: str, file: str, make: Make) -> Kind:
    """A kind of file of several lines."""
    return Kind(name, family, lambda d: shown(d, file, [make(d) for _ in range(6)]))


def block(family: str, name: str, env: str, make: Make) -> Kind:
    """A kind of key of several lines."""
    return Kind(name, family, lambda d: blocks(name, env, [make(d) for _ in range(6)]))


def said(family: str, name: str, *notes: Make) -> Kind:
    """A kind with its own six ways of being noted."""
    assert len(notes) == 6, name
    return Kind(name, family, lambda d: [note(d) for note in notes])
