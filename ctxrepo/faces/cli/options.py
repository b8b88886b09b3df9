"""Options that several commands share, each with the same words everywhere, and how they are read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from ctxrepo.errors import Unreadable, UsageError

if TYPE_CHECKING:
    import typer


def option(*names: str, **details: Any) -> Any:
    """An option of a command, declared as with `typer.Option`, and made when typer asks for it.

    Commands declare what they take in annotations, which nothing but typer evaluates: a plain command line is
    read without typer (`plain`).
    """
    from typer import Option

    return Option(*names, **details)


def argument(**details: Any) -> Any:
    """An argument of a command, declared as with `typer.Argument`, and made as `option` makes an option."""
    from typer import Argument

    return Argument(**details)


def json_option() -> Any:
    return option("--json", help="Print one JSON object instead of text.")


def scope_option() -> Any:
    return option("--scope", "-s", metavar="SCOPE", help="global, project, or a project's id or folder.")


def tag_option() -> Any:
    return option("--tag", "-t", metavar="TAG", help="A tag; may be given again.")


def target_argument() -> Any:
    return argument(metavar="TARGET", help="[SCOPE:]PATH of a note; ^ID or PATH#L9 of an entry.")


_STREAMS = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


def text_of(source: str) -> str:
    """What `--from` names: a file, `-` for standard input, '' for nothing; no byte of it is lost."""
    from ctxrepo.domain.note.note import decode_exactly
    from ctxrepo.storage.disk.outside import read

    try:
        if source == "-" or source.startswith(_STREAMS):
            return decode_exactly(_stream(source))
        data = read(source) if source else b""
    except OSError as error:
        raise UsageError(f"{source} can't be read: {error.strerror}") from error
    except Unreadable as error:
        raise UsageError(error.message) from error
    if data is None:
        raise UsageError(f"{source} can't be read: No such file or directory")
    return decode_exactly(data)


def _stream(source: str) -> bytes:
    """Standard input, or a pipe such as a shell's `<(command)`, read to its end, however long that takes."""
    from ctxrepo.storage.disk.outside import MAX_BYTES

    with nullcontext(sys.stdin.buffer) if source == "-" else open(source, "rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UsageError(f"what comes from {source} is longer than {MAX_BYTES >> 20} MiB")
    return data


def without_verb(context: typer.Context, act: Callable[[bool], None], *, json: bool) -> None:
    """Run `act` for a group of commands without a verb; UsageError if --json comes before a verb."""
    if context.invoked_subcommand is None:
        act(json)
    elif json:
        name = f"{context.command_path} {context.invoked_subcommand}"
        raise UsageError("--json stands before the verb", f"It goes behind it: `{name} --json`.")
