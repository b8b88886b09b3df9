"""Options and arguments of commands, those that are fields of a request and others, and how text is read.

What a field means is said below it, for every face; how it is spelled is said beside the command (ADR 62)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import MISSING
from functools import cached_property
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

from ctxrepo.domain.formats.described import Between, hints_of, sentences
from ctxrepo.errors import Unreadable, UsageError

if TYPE_CHECKING:  # nothing but typer and help ask for signatures
    import inspect

    import typer

Verb = Callable[..., None]

USUAL = ""
"""A field that is spelled as it is called: `--name` with a value, or without one for a bool; an argument in
capitals where it has no default."""
OWN = "own"
"""Where a parameter of the function itself stands among the fields."""
DRY_RUN = "--dry-run"
SCOPE = "--scope -s SCOPE"
TAG = "--tag -t TAG"
LIMIT = "--limit N"


def command(**spelled: str) -> Callable[[Callable[..., None]], Command]:
    """A command whose function takes a `request`: the fields in `spelled` are its options and arguments, in
    this order, each with its spelling.

    A spelling has the names of an option and then the word for its value, or that word alone for an
    argument: `--note -n PATH`, `TEXT`. The words of `TEXT...` are one text, unless the field has several."""
    return lambda function: Command(function, spelled)


class Command:
    """A command as it is called by the parser and by `plain`: with a value for each option and argument."""

    def __init__(self, function: Callable[..., None], spelled: dict[str, str]) -> None:
        self._function = function
        self._spelled = spelled
        self.__name__ = function.__name__
        self.__module__ = function.__module__
        self.__doc__ = function.__doc__
        self.__annotations__ = {}  # typer asks for these, too, and our signature has them evaluated

    def __call__(self, **values: Any) -> None:
        """Make the request of the values that are its fields', and call the function."""
        hints = hints_of(self._request)
        fields = {}
        for name in [name for name, spelling in self._spelled.items() if spelling != OWN]:
            value, read = values.pop(name, None), _reader(hints[name])
            is_one_text = self._spelled[name].endswith("...") and not _is_many(hints[name])
            value = " ".join(value or ()) if is_one_text else value
            is_left_out = value is None or (not value and read and not _is_required(self._request, name))
            if not is_left_out:
                fields[name] = read(value) if read else value
        self._function(self._request(**fields), **values)

    @cached_property
    def _request(self) -> Any:
        """The class of the request, which the function's module imports."""
        hint = self._function.__annotations__["request"]
        return vars(sys.modules[self.__module__])[hint] if isinstance(hint, str) else hint

    @cached_property
    def __signature__(self) -> inspect.Signature:
        """The parameters as typer asks for them."""
        from inspect import Signature

        return Signature(list(self._params()))

    def _params(self) -> Iterator[inspect.Parameter]:
        from inspect import signature

        own = dict(signature(self._function, eval_str=True).parameters)
        own.pop("request")
        hints, help_texts = hints_of(self._request), sentences(self._request)
        for name, spelling in self._spelled.items():
            if spelling == OWN:
                yield _own(own.pop(name))
            else:
                yield _param(self._request, name, hints[name], help_texts.get(name, ""), spelling)
        yield from map(_own, own.values())


def _own(param: inspect.Parameter) -> inspect.Parameter:
    """A parameter of the function itself; `json` is declared here for all."""
    annotation = Annotated[bool, json_option()] if param.name == "json" else param.annotation
    return _keyword(param.name, annotation, param.default)


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    from inspect import Parameter

    default = Parameter.empty if default is MISSING else default
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _param(request: Any, name: str, hint: Any, sentence: str, spelling: str) -> inspect.Parameter:
    """A field as typer asks for it."""
    kind, extras = _parts(hint)
    default = _default(request, name)
    is_many = _is_many(hint) or spelling.endswith("...")
    form = kind if kind in (bool, int) else list[str] if is_many else str
    if not spelling:
        spelling = _usual(name, form, is_required=_is_required(request, name))
    names = [word for word in spelling.split() if word.startswith("-")]
    details: dict[str, Any] = {
        "help": sentence or next(extra for extra in extras if isinstance(extra, str)),
        "metavar": next((w.removesuffix("...") for w in spelling.split() if not w.startswith("-")), None),
    }
    for extra in extras:
        if isinstance(extra, Between):
            details |= {"min": extra.least, "max": extra.most}
    if default is None and form is str:
        default = ""
    elif default == () or (form == list[str] and default == ""):
        default = None
    if default is None:
        form = form | None
    declared = option(*names, **details) if names else argument(**details)
    return _keyword(name, Annotated[form, declared], default)


def _usual(name: str, form: Any, *, is_required: bool) -> str:
    words = name.replace("_", "-")
    if is_required:
        return words.upper()
    return f"--{words}" if form is bool else f"--{words} {'N' if form is int else words.upper()}"


def _default(request: Any, name: str) -> Any:
    """What a field has when it isn't given, MISSING for nothing; a lazy dataclass that wasn't made yet has it
    as an attribute."""
    value = getattr(request, name, MISSING)
    return getattr(value, "default", value)


def _is_required(request: Any, name: str) -> bool:
    return _default(request, name) is MISSING


def _parts(hint: Any) -> tuple[Any, list[Any]]:
    """(the type, what `Annotated` adds to it), None as an alternative left aside."""
    extras: list[Any] = []
    while True:
        alternatives = [each for each in get_args(hint) if each is not NoneType]
        if get_origin(hint) is Annotated:
            extras += hint.__metadata__
            hint = alternatives[0]
        elif NoneType in get_args(hint):
            (hint,) = alternatives
        else:
            return hint, extras


def _is_many(hint: Any) -> bool:
    """Whether a field of this type has several values."""
    return get_origin(_parts(hint)[0]) in (Sequence, tuple)


def _reader(hint: Any) -> Callable[[Any], Any] | None:
    """What makes the value of a field of what the parser has; None where it is that already."""
    kind, extras = _parts(hint)
    read = next(filter(callable, extras), None)
    if get_origin(kind) in (Sequence, tuple) and read is None:
        read_one = _reader(get_args(kind)[0])
        return (lambda values: tuple(map(read_one, values))) if read_one else tuple
    return Path if kind is Path and read is None else read


def option(*names: str, **details: Any) -> Any:
    """An option of a command, declared as with `typer.Option`, and made when typer asks for it.

    Commands declare what they take in annotations, which nothing but typer evaluates: a plain command line is
    read without typer (`plain`)."""
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


_STREAMS = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


def text_of(source: str) -> str:
    """What `--from` names: a file, `-` for standard input, '' for nothing; no byte of it is lost."""
    from ctxrepo.domain.note.note import decode_exactly
    from ctxrepo.storage.disk.foreign import read

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
    from ctxrepo.storage.disk.foreign import MAX_BYTES

    with nullcontext(sys.stdin.buffer) if source == "-" else open(source, "rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UsageError(f"what comes from {source} is longer than {MAX_BYTES >> 20} MiB")
    return data


class Group:
    """A group of commands, which without a verb runs that of the name `usual`; UsageError if --json comes
    before a verb. It is made as typer's when the parser asks: plain commands may stand in the same module."""

    def __init__(self, name: str, summary: str, usual: str) -> None:
        self._name, self._summary, self._usual = name, summary, usual
        self._verbs: list[tuple[str | None, Verb]] = []

    def command(self, name: str | None = None) -> Callable[[Verb], Verb]:
        """The decorator of a verb, which is called as its function unless it has a `name`."""

        def add(verb: Verb) -> Verb:
            self._verbs.append((name, verb))
            return verb

        return add

    def made(self) -> typer.Typer:
        """The group with its verbs, as typer has it."""
        import typer

        def run(context: typer.Context, json: bool = False) -> None:
            built: Any = context.command
            if context.invoked_subcommand is None:
                verb: Any = built.commands[self._usual]
                verb.invoke(verb.make_context(self._usual, ["--json"] if json else [], parent=context))
            elif json:
                words = f"{context.command_path} {context.invoked_subcommand}"
                raise UsageError("--json stands before the verb", f"It goes behind it: `{words} --json`.")

        # As objects, because this module doesn't have the names in which typer would look for them.
        run.__annotations__ = {"context": typer.Context, "json": Annotated[bool, json_option()]}
        group = typer.Typer(name=self._name)
        group.callback(invoke_without_command=True, help=self._summary)(run)
        for name, function in self._verbs:
            group.command(name)(function)
        return group
