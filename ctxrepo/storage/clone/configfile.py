"""One file of a git configuration by itself: nothing that it includes or names is read. Plain lines, as
git writes them, are read and changed here, which saves a process for each question and key (ADR 65); git
does the rest."""

import os
import shlex
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ctxrepo.errors import GitFailed
from ctxrepo.hooks.own_files import bytes_of
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.disk.kinds import kind_of
from ctxrepo.storage.disk.private import sync_folder

if TYPE_CHECKING:
    from ctxrepo.storage.git.git import Git

_MOST = 1024 * 1024
"""Bytes of a configuration; those of people have some hundreds."""

_TIMEOUT = 10.0

# Without quotes, escapes and comments behind a value a line means what it says. The tests compare this
# with git's own reading.
_HEADER = lazy_pattern(r'\[([A-Za-z0-9-]+)(?: +"([^"\\\x00-\x1f]*)")?\]')
_PAIR = lazy_pattern(r'([A-Za-z][A-Za-z0-9-]*)[ \t]*=[ \t]*+([^"\\#;\x00-\x1f]*)')
_NOTHING = lazy_pattern(r"([#;][^\x00]*)?")


@dataclass(frozen=True)
class _Line:
    """A line with its section (`remote.origin.`), its value and its key, '' for a header or a comment."""

    text: str
    section: str
    key: str = ""
    value: str = ""


def entries(file: Path, env: Mapping[str, str]) -> list[tuple[str, str]]:
    """(key, value) in order, keys in lower case but for their middle part; none where there is no such
    file. GitFailed when it isn't a file, or git can't read it."""
    data = bytes_of(str(file), _MOST)
    if data is None:
        if file.is_symlink() or file.exists():
            raise GitFailed(
                f"{file} is {kind_of(file)} that can't be read",
                f"`mv {shlex.quote(str(file))} {shlex.quote(f'{file}.aside')}` moves it out of the way.",
            )
        return []
    if (lines := _plain_lines(data)) is not None:
        return [(line.key, line.value) for line in lines if line.key]
    words = ("config", "--file", "-", "--no-includes", "--null", "--list")
    answer = _git(env).run(*words, timeout=_TIMEOUT, stdin=data)
    if not answer.ok:
        raise GitFailed(f"{file} can't be read: {answer.reason}", f"Look at {file}.")
    pairs = (item.partition("\n") for item in answer.out.split("\0")[:-1])
    return [(key, value) for key, _, value in pairs]


def values(file: Path, key: str, env: Mapping[str, str]) -> list[str]:
    """All values of a key, in order."""
    return [value for name, value in entries(file, env) if name == key]


def configure(file: Path, env: Mapping[str, str], settings: Mapping[str, str]) -> None:
    """Give each key this one value, whatever values it had; GitFailed when that can't be written."""
    if _set_here(file, settings):
        return
    for key, value in settings.items():
        if not _change_by_git(file, env, "--replace-all", key, value):
            raise GitFailed(f"{key} can't be written to {file}", f"Look at {file}.")


def remove_key(file: Path, env: Mapping[str, str], key: str) -> bool:
    """Remove all values of a key; False when git can't."""
    return _change_by_git(file, env, "--unset-all", key)


def _plain_lines(data: bytes) -> list[_Line] | None:
    """The lines of a configuration; None when one of them is of a kind that only git can read."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    lines, section = [], ""
    for line in text.removesuffix("\n").split("\n"):
        words = line.strip(" \t")
        if header := _HEADER.fullmatch(words):
            section = f"{header[1].lower()}." + (f"{header[2]}." if header[2] is not None else "")
            lines.append(_Line(line, section))
        elif section and (pair := _PAIR.fullmatch(words)):
            lines.append(_Line(line, section, section + pair[1].lower(), pair[2]))
        elif _NOTHING.fullmatch(words):
            lines.append(_Line(line, ""))
        else:
            return None
    return lines


def _set_here(file: Path, settings: Mapping[str, str]) -> bool:
    """Write these values under git's own lock on the file; False when that is to be left to git."""
    lock = file.with_name(f"{file.name}.lock")
    try:
        status = file.lstat()
        if not stat.S_ISREG(status.st_mode):
            return False
        handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:  # git says in its own words what is wrong with the folder, or who holds the lock
        return False
    is_renamed = False
    try:
        with open(handle, "wb") as new:
            lines = _plain_lines(bytes_of(str(file), _MOST) or b"\0")
            if lines is None or not all(_set(lines, key, value) for key, value in settings.items()):
                return False
            new.write("".join(f"{line.text}\n" for line in lines).encode())
            new.flush()
            os.fchmod(handle, stat.S_IMODE(status.st_mode))
            os.fsync(handle)
            lock.rename(file)
            is_renamed = True
        sync_folder(file.parent)
    except OSError as error:
        raise GitFailed(f"{file} can't be written: {error.strerror or error}", f"Look at {file}.") from error
    finally:
        if not is_renamed:
            with suppress(OSError):
                lock.unlink()
    return True


def _set(lines: list[_Line], key: str, value: str) -> bool:
    """Give a key this value in `lines`, where the key stood first, else at the end of its section, else in
    a new one; False for what would have to be written in quotes."""
    section, _, rest = key.partition(".")
    middle, _, name = rest.rpartition(".")
    header = f'[{section} "{middle}"]' if middle else f"[{section}]"
    added = _plain_lines(f"{header}\n\t{name} = {value}".encode("utf-8", "surrogateescape"))
    if added is None or added[-1].value != value:
        return False
    line = added[-1]
    places = [number for number, old in enumerate(lines) if old.key == line.key]
    ends = [number for number, old in enumerate(lines) if old.section == line.section]
    if places:
        lines[places[0]] = line
        for number in reversed(places[1:]):
            del lines[number]
    elif ends:
        lines.insert(ends[-1] + 1, line)
    else:
        lines += added
    return True


def _change_by_git(file: Path, env: Mapping[str, str], *words: str) -> bool:
    if file.is_symlink() or (file.exists() and not file.is_file()):
        return False
    return _git(env).run("config", "--file", str(file), *words, timeout=_TIMEOUT).ok


def _git(env: Mapping[str, str]) -> "Git":
    from ctxrepo.storage.git.git import nowhere  # only needed if somebody's setting is odd

    return nowhere(env)
