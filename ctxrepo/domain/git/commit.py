"""What a commit says of itself: a subject, a line an entry, and trailers that tell who wrote it."""

from collections.abc import Sequence

from ctxrepo.domain.project.layout import INVISIBLE, TAPES, scope_of
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.secrets import mask
from ctxrepo.lazy import dataclass, lazy_pattern

MAX_SUBJECT = 72
MAX_LINE = 100
MAX_LINES = 40
MAX_VALUE = 200

_MAX_SCOPE = 24
_MAX_VERB = 20
_READ = 400
"""Characters of a line that are looked at: enough to know a secret that begins before MAX_LINE."""

_BREAKS = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029")

# With one of these in front no line can be taken for a trailer, nor for the `---` that ends a message.
_MARKS = ("+ ", "- ", "~ ", "* ")

_KEYS = ("Session", "Agent", "Host", "Project", "Deleted", "Version")
_TRAILER = lazy_pattern(rf"Ctxrepo-({'|'.join(_KEYS)}): (.+)")


@dataclass(frozen=True)
class Writers:
    """Who wrote what a commit holds, each once; nobody when it was made by hand. `deleted` sums up what was
    deleted by hand in it, `versions` says which ctxrepo made it; earlier ones didn't say that."""

    sessions: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()


@dataclass(frozen=True)
class FileChange:
    """A changed file: `verb` is add, edit, remove, move …, each of `lines` tells of one entry. `was` is
    the path of a note before it moved, or a project's folder before it got the name `path`."""

    path: str
    verb: str
    lines: tuple[str, ...] = ()
    was: str = ""


def message(changes: Sequence[FileChange], origins: Sequence[Origin], deleted: str = "") -> str:
    """The message of a commit; the first of `changes` gives it its subject. `deleted` sums up what somebody
    deleted by hand in it."""
    # The registry and the evidence change along with notes; they are the subject only when alone.
    notes = [change for change in changes if _scope(change.path)] or changes
    move = next((change for change in changes if change.was), None)
    verb = notes[0].verb if notes else "change"
    subject = _moved(move, len(notes)) if move else _subject(verb, [change.path for change in notes])
    return _assembled(subject, [line for change in changes for line in change.lines], origins, deleted)


def merge_message(paths: Sequence[str], origin: Origin) -> str:
    """The message of a commit that brings together what was written elsewhere, at `paths`, with ours."""
    return _assembled(_subject("merge", [path for path in paths if _scope(path)] or paths), [], [origin])


def with_version(message: str, version: str) -> str:
    """A message of ours that tells who wrote it, and in one more trailer which ctxrepo makes the commit."""
    return f"{message}Ctxrepo-Version: {version}\n" if writers_of(message).hosts else message


def subject_of(message: str) -> str:
    """The first line of any commit's message."""
    return message.lstrip().partition("\n")[0].rstrip()


def lines_of(message: str) -> list[str]:
    """The lines of a message of ours that each tell of an entry."""
    return [line for line in message.split("\n")[1:] if line.startswith(_MARKS)]


def writers_of(message: str) -> Writers:
    """What the trailers of any commit's message say; they are lines of its last paragraph."""
    last = message.rstrip().rpartition("\n\n")[2]
    trailers = [match.groups() for line in last.split("\n") if (match := _TRAILER.fullmatch(line.rstrip()))]
    return Writers(*(tuple(value for name, value in trailers if name == key) for key in _KEYS))


def _subject(verb: str, paths: Sequence[str]) -> str:
    """`memory(scope): verb note, +n`, cut where it can best be guessed."""
    verb = _cut(_one_line(verb), _MAX_VERB)
    if not paths:
        return f"memory: {verb} nothing"
    scope = _scope(paths[0])
    note = paths[0].removeprefix(f"{TAPES}/").removeprefix(f"{scope}/").removesuffix(".md")
    start = f"memory({_cut(_one_line(mask(scope or '*')), _MAX_SCOPE)}): {verb} "
    more = f", +{len(paths) - 1}" if len(paths) > 1 else ""
    return start + _cut_front(_one_line(mask(note)), MAX_SUBJECT - len(start) - len(more)) + more


def _moved(change: FileChange, count: int) -> str:
    """`memory: rename folder to folder`, `memory(scope): move note to note, +n`, or `archive note`."""
    scope = _scope(change.was)
    if not scope:
        names = [_cut(_one_line(mask(name)), _MAX_SCOPE) for name in (change.was, change.path)]
        return f"memory: {change.verb} {names[0]} to {names[1]}"
    if change.verb == "archive":
        return _subject(change.verb, [change.was] * count)
    old, new = (
        _one_line(mask(path.removeprefix(f"{scope}/").removesuffix(".md")))
        for path in (change.was, change.path)
    )
    start = f"memory({_cut(_one_line(mask(scope)), _MAX_SCOPE)}): {change.verb} "
    more = f", +{count - 1}" if count > 1 else ""
    room = MAX_SUBJECT - len(start) - len(" to ") - len(more)
    old = _cut_front(old, max(room // 2, room - len(new)))
    return f"{start}{old} to {_cut_front(new, room - len(old))}{more}"


def _scope(path: str) -> str:
    """The folder of the scope that a path is in, '' for bookkeeping."""
    first, slash, _ = path.partition("/")
    if not slash or first.startswith("."):
        return ""
    return scope_of(path) if first == TAPES else first


def _assembled(subject: str, lines: Sequence[str], origins: Sequence[Origin], deleted: str = "") -> str:
    texts = [_one_line(mask(line[:_READ])) for line in lines[:MAX_LINES]]
    texts = [_cut(line if line.startswith(_MARKS) else f"* {line}".rstrip(), MAX_LINE) for line in texts]
    if len(lines) > MAX_LINES:
        texts[-1] = f"… {len(lines) - MAX_LINES + 1} more"
    values = zip(*((o.session, o.agent, o.host, o.project, deleted) for o in origins), strict=True)
    trailers = [
        f"Ctxrepo-{key}: {value}"
        for key, words in zip(_KEYS, values, strict=False)
        for value in dict.fromkeys(_cut(_one_line(mask(word[:_READ])), MAX_VALUE) for word in words)
        if value
    ]
    parts = (subject, "\n".join(texts), "\n".join(trailers))
    return "\n\n".join(part for part in parts if part) + "\n"


def _one_line(text: str) -> str:
    """Without anything invisible, and any white space as one space."""
    return " ".join(INVISIBLE.sub(lambda match: " " if match[0] in _BREAKS else "", text).split())


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _cut_front(text: str, limit: int) -> str:
    """The end of a path says more than its beginning."""
    return text if len(text) <= limit else "…" + text[len(text) - limit + 1 :].lstrip()
