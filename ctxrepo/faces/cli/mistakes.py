"""Usage errors in our words. The parser's own messages are recognised by how they begin."""

import re
from collections.abc import Sequence

import typer

from ctxrepo.domain.formats.blocks import blocks_beside
from ctxrepo.domain.project.target import nearest
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli.synonyms import SYNONYMS
from ctxrepo.lazy import lazy_pattern

NEAREST = next(blocks_beside(__spec__, "nearest.words")).fields
_SAID = (
    (r"Missing (?:argument|option) '(.*)'\.", "{} is missing"),
    (r"Option '(.*)' requires an argument\.", "{} needs a value"),
)
_NO_NUMBER = lazy_pattern(
    r"Invalid value for '([^']*)': (.*) is not (?:a valid|in the) [a-z]+ ?.*", re.DOTALL
)
_UNKNOWN = lazy_pattern(r"No such (command '|option: )(.*?)('|$| \()")
_TOO_MANY = lazy_pattern(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", re.DOTALL)


def mistake(error: typer.TyperException, words: Sequence[str]) -> UsageError:
    """The nearest word where there is one, else how the command is used."""
    said = error.format_message()
    if unknown := _UNKNOWN.match(said):
        is_option = unknown[1].startswith("option")
        if is_option and any(word.startswith("- ") for word in words):
            return UsageError("a text that begins with a dash reads as an option", "Put -- before it.")
        return _unknown(error, unknown[2], words, is_option=is_option)
    if many := _TOO_MANY.fullmatch(said):
        how = _how(error, words)
        return UsageError(f"too many words: {many[1]}", f"A text of several words goes in quotes; {how}")
    if number := _number(error, said):
        return UsageError(number, _how(error, words))
    for pattern, ours in _SAID:
        if found := re.fullmatch(pattern, said, re.DOTALL):
            return UsageError(ours.format(*found.groups()), _how(error, words))
    return UsageError(said, _how(error, words))


def _number(error: typer.TyperException, said: str) -> str:
    """Which numbers an option takes, when it was given something else; '' for any other mistake."""
    kind = getattr(getattr(error, "param", None), "type", None)
    found = _NO_NUMBER.fullmatch(said)
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    if found is None or least is None:
        return ""
    span = f"of {least} or more" if most is None else f"from {least} to {most}"
    return f"{found[1]} is a whole number {span}, not {found[2]}"


def _unknown(error: typer.TyperException, word: str, words: Sequence[str], *, is_option: bool) -> UsageError:
    command = getattr(getattr(error, "ctx", None), "command", None)
    known = {}
    if command and is_option:
        known = {name.lstrip("-"): name for p in command.params for name in p.opts if name[0] == "-"}
    elif command:
        known = {name: name for name in command.commands}
    said = f"there is no {'option' if is_option else 'command'} {word}"
    name = " ".join(words[: words.index(word) + 1]) if word in words else word
    if not is_option and name in NEAREST:
        return UsageError(said, NEAREST[name])
    if not is_option and word == words[0]:
        known |= {name: " ".join(ours) for name, ours in SYNONYMS.items()}
    if near := nearest(word.lower().lstrip("-"), known):
        return UsageError(f"{said}; did you mean {known[near]}?")
    return UsageError(said, _how(error, words))


def _how(error: typer.TyperException, words: Sequence[str]) -> str:
    context = getattr(error, "ctx", None)
    first = next((f" {word}" for word in words[:1] if not word.startswith("-")), "")
    return f"`{context.command_path if context else f'ctxrepo{first}'} --help` shows how to use it."
