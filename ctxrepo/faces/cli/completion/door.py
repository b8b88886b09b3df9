"""The door through which a shell's script asks what may stand at the cursor."""

import os
from collections.abc import Callable, Iterator, Sequence

from ctxrepo.faces.cli.pipe import verbatim
from ctxrepo.faces.cli.table import CommandEntry, Param, read

SHELLS = ("bash", "zsh", "fish")
FILES = ":files"

Candidate = tuple[str, str]
"""(what may stand there, what it means or '')."""

Source = Callable[[str, Sequence[str]], list[Candidate]]
"""From the beginning of a word, and the words before it, to what may stand there."""


def main(words: Sequence[str]) -> int:
    """Answer a script: `bash WORDBREAKS LINE`, or another shell's name and the words up to the cursor.

    Nobody reads an error while they type: whatever goes wrong, nothing is said."""
    try:
        answer = _bash(words[1], words[2]) if words[0] == "bash" else _with_meanings(words[1:])
        verbatim("".join(f"{line}\n" for line in answer).encode("utf-8", "surrogateescape"))
    except Exception:
        return 0
    return 0


def candidates(words: Sequence[str]) -> Iterator[Candidate]:
    """What may stand in place of the last of `words`, which follow `ctxrepo`.

    `(FILES, '')` stands for names of files."""
    *before, last = words
    command, count, option, is_over = read(), 0, None, False
    for word in before:
        if option is not None:
            option = None
        elif word == "--" and not is_over:
            is_over = True
        elif word.startswith("-") and not is_over:
            option = _taking(command, word)
        elif word in command.commands:
            command = command.commands[word]
        else:
            count += 1
    name, equals, start = last.partition("=")
    if option is not None:
        choices = _values(command, option, last, before)
    elif last.startswith("--") and equals and (long_option := _taking(command, name)):
        choices = (
            (f"{name}={value}", meaning)
            for value, meaning in _values(command, long_option, start, before)
            if value != FILES
        )
    elif last.startswith("-") and not is_over:
        choices = _options(command, before)
    elif command.is_group and not count:
        choices = ((word, c.summary) for word, c in command.commands.items() if not c.is_hidden)
    else:
        choices = _argument(command, count, last, before)
    yield from (c for c in choices if c[0].startswith(last) or c[0] == FILES)


def _taking(command: CommandEntry, word: str) -> Param | None:
    """The option of this name if its value is the next word."""
    return next((p for p in command.params if word in p.names and not p.is_flag), None)


def _options(command: CommandEntry, before: Sequence[str]) -> Iterator[Candidate]:
    for param in command.params:
        is_used = any(word in before for word in param.names) and not param.is_many
        if param.names and not is_used and not param.is_hidden:
            yield max(param.names, key=len), param.summary
    yield "--help", "Show how it is used."


def _argument(command: CommandEntry, count: int, last: str, before: Sequence[str]) -> Iterator[Candidate]:
    arguments = [p for p in command.params if not p.names]
    if arguments and (count < len(arguments) or arguments[-1].is_many):
        yield from _values(command, arguments[min(count, len(arguments) - 1)], last, before)


def _values(command: CommandEntry, param: Param, start: str, before: Sequence[str]) -> Iterator[Candidate]:
    """What the value of an option or argument may be: by the option, by the command and the word that stands
    for it in the help, or by that word alone."""
    names = [*param.names, f"{command.name} {param.metavar}", param.metavar]
    source = next((_SOURCES[name] for name in names if name in _SOURCES), None)
    return iter(source(start, before)) if source else iter(())


# Each source imports what it asks when it is asked: Tab runs at every key, and most words ask for nothing.
def _of_memory(name: str, **how: bool) -> Source:
    def ask(start: str, _before: Sequence[str]) -> list[Candidate]:
        from ctxrepo.services.reading import complete

        begun = (start,) if name in ("targets", "entries", "items") else ()
        return _answer(getattr(complete, name), *begun, **how)

    return ask


def _ids(name: str) -> Source:
    def ask(_start: str, _before: Sequence[str]) -> list[Candidate]:
        from ctxrepo.services.reading import complete_ids

        return _answer(getattr(complete_ids, name))

    return ask


def _answer(ask: Callable[..., list[Candidate]], *begun: str, **how: bool) -> list[Candidate]:
    """What is known under the state folder, of the place where the person stands."""
    from pathlib import Path

    from ctxrepo.storage.cache.completion import known_at
    from ctxrepo.storage.user.places import Places

    with known_at(Places.of(os.environ).state, Path.cwd()) as known:
        return ask(known, *begun, **how) if known else []


def _keys(_start: str, _before: Sequence[str]) -> list[Candidate]:
    from ctxrepo.domain.settings.keys import keys

    return [(key.name, key.sentence) for key in keys()]


def _setting_values(start: str, before: Sequence[str]) -> list[Candidate]:
    from typing import get_args, get_origin

    from ctxrepo.domain.settings.keys import key_named

    hint = key_named(before[-1]).hint
    if get_origin(hint) is tuple:
        ahead = start[: start.rfind(",") + 1]
        choices = [ahead + word for word in get_args(get_args(hint)[0]) if word not in ahead.split(",")]
    else:
        choices = ["true", "false"] if hint is bool else list(get_args(hint))
    return [(word, "") for word in choices]


def _agents(_start: str, _before: Sequence[str]) -> list[Candidate]:
    from ctxrepo.agents.known import AGENTS

    return [(agent.name, agent.title) for agent in AGENTS.values()]


def _words(*words: str) -> Source:
    return lambda _start, _before: [(word, "") for word in words]


_SOURCES: dict[str, Source] = {
    "SCOPE": _of_memory("scopes"),
    "TAG": _of_memory("tags"),
    "TARGET": _of_memory("targets"),
    "PATH": _of_memory("targets"),
    "C": _of_memory("categories"),
    "done ITEM": _of_memory("items", is_done=False),
    "undo ITEM": _of_memory("items", is_done=True),
    "show ID": _ids("conflicts"),
    "resolve ID": _ids("conflicts"),
    "link ID|FOLDER": _ids("projects"),
    "unlink ID": _ids("linked"),
    "trace ID": _ids("traces"),
    "undo COMMIT": _ids("commits"),
    "--at": _ids("commits"),
    "--show": _ids("commits"),
    "restore TARGET": _ids("gone_notes"),
    "--session": _ids("sessions"),
    "--supersedes": _of_memory("entries"),
    "ENTRY": _of_memory("entries"),
    "MODE": _words("words", "meaning", "both"),
    "KEY": _keys,
    "VALUE": _setting_values,
    "AGENT": _agents,
    "SHELL": _words(*SHELLS),
    "WHICH": _words("kept", "other", "both"),
    "WHAT": _words("deletions", "remote"),
    "FILE": _words(FILES),
    "DEST": _of_memory("targets"),
    "FOLDER": _words(FILES),
    "list FOLDER": _of_memory("note_folders"),
    "REMOTE": _words(FILES),
}


def _with_meanings(words: Sequence[str]) -> Iterator[str]:
    """Candidates with what they mean, for shells that show it."""
    for value, meaning in _printable(words):
        yield f"{value}\t{meaning}" if meaning else value


def _bash(breaks: str, line: str) -> Iterator[str]:
    """Candidates as bash wants them: quoted, and without what stands before the last of its word breaks."""
    words, is_quoted = _split(line)
    last = words[-1]
    cut = 0 if is_quoted else max(last.rfind(char) for char in breaks if char in ":=@") + 1 if breaks else 0
    for value, _ in _printable(words[1:]):
        rest = value if value == FILES else value[cut:]
        yield rest if is_quoted or value == FILES else _escaped(rest)


def _printable(words: Sequence[str]) -> Iterator[Candidate]:
    for value, meaning in candidates(words):
        if value.isprintable():
            yield value, " ".join(meaning.split()) if meaning.isprintable() else ""


def _split(line: str) -> tuple[list[str], bool]:
    """The words of an unfinished line, and whether the last one stands in an open quote."""
    import shlex  # only bash says its line as it is

    lexer = shlex.shlex(line, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    words: list[str] = []
    try:
        words.extend(lexer)
    except ValueError:
        return [*words, lexer.token or ""], True
    return words if line[-1:].strip() else [*words, ""], False


def _escaped(word: str) -> str:
    return "".join(f"\\{c}" if c in " \t'\"\\$`&|;<>()*?[]{}!#~" else c for c in word)
