"""The keys of git's configuration that could do harm, as the table beside this file has them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_TABLE = Path(__file__).with_name("keys.tsv")


@dataclass(frozen=True)
class Key:
    """`page` is where git documents it; keys with the same `apart` are set together, without all others."""

    page: str
    name: str
    value: str
    apart: str = ""

    @property
    def label(self) -> str:
        """A word for what its canary leaves, of signs that any file may have."""
        return "".join(sign if sign.isalnum() or sign in ".-" else "_" for sign in f"{self.name}{self.apart}")


def keys() -> list[Key]:
    lines = _TABLE.read_text().splitlines()
    return [Key(*line.split("\t")) for line in lines if line and not line.startswith("#")]


def batches() -> dict[str, list[Key]]:
    """The keys that are set together; those that exclude no others are those of ''."""
    groups: dict[str, list[Key]] = {}
    for key in keys():
        groups.setdefault(key.apart, []).append(key)
    return groups


def written(key: Key, values: dict[str, str]) -> str:
    """The lines of a configuration that set a key, with these values for what is in braces."""
    name = _filled(key.name, values)
    section, _, last = name.rpartition(".")
    first, dot, middle = section.partition(".")
    quoted = _quoted(middle)
    header = f"[{first} {quoted}]" if dot else f"[{first}]"
    return f"{header}\n\t{last} = {_quoted(_filled(key.value, values))}\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _filled(text: str, values: dict[str, str]) -> str:
    for word, value in values.items():
        text = text.replace("{" + word + "}", value)
    return text
