"""Paths of a memory repository: reserved names, and names that a note may have."""

import posixpath
import re
import unicodedata
from functools import lru_cache

from ctxrepo.domain.text import spell_hidden
from ctxrepo.errors import UsageError
from ctxrepo.lazy import lazy_pattern

GLOBAL = "global"
"""The folder of notes that hold everywhere, unless the settings name another one."""

PROJECT = "project"
"""The name that a person gives to the scope of the current project."""

MEMORY = "MEMORY.md"
CHECKLIST = "SCRATCHPAD.md"
DAILY = "daily"
ARCHIVE = "archive"
"""The folder of a scope for past notes: they are kept and searchable, but never delivered."""

REGISTRY = "ctxrepo.toml"
TAPES = "TAPE"
CONFLICTS = "conflicts"
INBOX = "inbox"
BOOKKEEPING = ".ctx"
EVIDENCE = f"{BOOKKEEPING}/evidence"

RESERVED = frozenset({GLOBAL, TAPES.casefold(), INBOX, CONFLICTS, ARCHIVE, BOOKKEEPING, ".git"})
"""Names that no project's folder may have, in any case."""

COMPATIBLE = "pi-memory-md"
"""The program whose repositories open unchanged, and which still reads them afterwards."""

ANCHORS_FILE = "__anchors.jsonl"
"""How the file ends in which that program keeps all anchors of a project."""


def tapes_of(folder: str) -> str:
    """The folder with the tapes of a scope."""
    return f"{TAPES}/{folder}"


def anchors_file(folder: str) -> str:
    """The file in which another program than ours keeps the anchors of a project."""
    return f"{TAPES}/{folder}{ANCHORS_FILE}"


def tape_archive(folder: str) -> str:
    """The folder with the anchors that `tape reset` removed from the tape of a scope."""
    return f"{tapes_of(folder)}/{ARCHIVE}"


def tape_folder(path: str) -> str:
    """The folder of the scope whose tape has the file at `path`; '' for archived tapes and other files."""
    top, _, rest = path.partition("/")
    if top != TAPES or not rest.endswith(".jsonl") or is_archived(rest):
        return ""
    return rest.partition("/")[0] if "/" in rest else rest.removesuffix(ANCHORS_FILE)


def archived_tape_folder(path: str) -> str:
    """The folder of the scope from whose tape the anchors in the file at `path` were removed, or ''."""
    top, _, rest = path.partition("/")
    return rest.partition("/")[0] if top == TAPES and is_archived(rest) else ""


def scope_of(path: str) -> str:
    """The folder name that is in use because of the file at `path`."""
    return path.removeprefix(f"{TAPES}/").split("/")[0].removesuffix(ANCHORS_FILE)


def moved_path(path: str, old: str, new: str) -> str:
    """The new path of a project's file (its folder, its tapes, another program's anchors file) once the
    project moved from the folder `old` to `new`; '' for other files."""
    if path == anchors_file(old):
        return anchors_file(new)
    before = next((b for b in (f"{old}/", f"{tapes_of(old)}/") if path.startswith(b)), "")
    return before[: -len(old) - 1] + new + "/" + path.removeprefix(before) if before else ""


def archived(path: str) -> str:
    """The path of a note in the archive of its scope."""
    folder, _, rest = path.partition("/")
    return f"{folder}/{ARCHIVE}/{rest}"


def is_archived(path: str) -> bool:
    """Whether the note at `path` is in the archive of its scope."""
    return path.partition("/")[2].startswith(f"{ARCHIVE}/")


def is_conflict_copy(path: str) -> bool:
    """Whether the file at `path` is a version that lost a merge."""
    return path.startswith(f"{CONFLICTS}/")


def is_evidence(path: str) -> bool:
    return path.startswith(f"{EVIDENCE}/")


def is_aside(path: str) -> bool:
    """Whether the note is kept, but neither listed nor recalled."""
    folders = path.split("/")[:-1]
    is_hidden = any(folder.startswith(".") for folder in folders) or folders[:1] == [TAPES]
    return not folders or is_hidden or not {ARCHIVE, CONFLICTS, INBOX}.isdisjoint(folders[:2])


MAX_BYTES = 4096
MAX_PART_BYTES = 255
MAX_PARTS = 16

INVISIBLE = lazy_pattern(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
"""Control characters, and those that show nothing or reorder what is shown."""

_RESERVED = lazy_pattern(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|\Z)")
_GIT = lazy_pattern(r"\.git(modules)?|git~\d+|gitmod~\d+|gi7eba~\d+")
_NOT_ON_WINDOWS = lazy_pattern(r'[*?"<>|]')
_SUFFIX = lazy_pattern(r"\.([A-Za-z][A-Za-z0-9]{0,4})\Z")

_OWNED_DOT_FILES = frozenset({".gitattributes", ".gitignore", ".gitkeep"})
_EVIDENCE = lazy_pattern(r"\.ctx/evidence/[^/.][^/]*\.jsonl\Z")
_LEFT_BY_PROGRAMS = lazy_pattern(
    # 4913 is what vim writes to see whether it can; the ___jb_…___ are JetBrains' safe writes.
    r"(.*~|#.*#|.*\.sw[a-p]|.*\.(tmp|temp|part|crdownload)(\..*)?|.*___jb_(tmp|old)___|4913"
    r"|thumbs\.db|desktop\.ini|icon\r)\Z",
    re.IGNORECASE | re.DOTALL,
)

_NOT_RESERVED = r"(?!(?i:con|prn|aux|nul|com[0-9]|lpt[0-9])[./]|4913/)"
_PLAIN_PART = rf"{_NOT_RESERVED}[A-Za-z0-9_][A-Za-z0-9_-]{{0,99}}"
_PLAIN = lazy_pattern(rf"(?:{_PLAIN_PART}/){{0,9}}{_PLAIN_PART}\.md")
"""Names as nearly all notes have them. They pass all rules below, which take far longer to test."""


def is_plain(path: str) -> bool:
    """Whether a path is neither unsafe nor ignored at first sight, as nearly all are."""
    return "___" not in path and _PLAIN.fullmatch(path) is not None


@lru_cache(4096)  # on the way to the disk each path is asked for by everybody who touches it
def unsafe(path: str) -> str | None:
    """Why `path` may be neither written nor materialised, or None when it may. The reason completes the
    sentence "the path …" and quotes nothing but names that are known."""
    if is_plain(path):
        return None
    if not path:
        return "is empty"
    try:
        size = len(path.encode("utf-8"))
    except UnicodeEncodeError:
        return "is not UTF-8"
    if size > MAX_BYTES:
        return f"is longer than {MAX_BYTES} bytes"
    if path.startswith("/"):
        return "is absolute"
    parts = path.split("/")
    if len(parts) > MAX_PARTS:
        return f"is more than {MAX_PARTS} folders deep"
    return next((reason for part in parts if (reason := _unsafe_part(part))), None)


def is_ignored(path: str) -> bool:
    """Whether changes of a file are ignored: what editors and systems leave behind, and dot files that
    aren't ours, since an agent must not reach a forge's workflows or an editor's settings by an automatic
    push. A dot file that a person committed stays in the tree."""
    if is_plain(path) or _EVIDENCE.match(path):
        return False
    *folders, name = path.split("/")
    if any(folder.startswith(".") for folder in folders):
        return True
    if name.startswith("."):
        return name not in _OWNED_DOT_FILES
    return any(_LEFT_BY_PROGRAMS.match(part) for part in (*folders, name))


def is_ignored_folder(path: str) -> bool:
    """Whether nothing below the folder at `path` can be part of the memory."""
    return path not in (BOOKKEEPING, EVIDENCE) and is_ignored(path)


def prefixes_of(path: str) -> list[str]:
    """Every folder that a file is in, and the file itself, from the top."""
    parts = path.split("/")
    return ["/".join(parts[:number]) for number in range(1, len(parts) + 1)]


def is_note(path: str) -> bool:
    """Whether the file at `path` is a note: its name is more than `.md` and ends in it."""
    name = path.rsplit("/", 1)[-1]
    return name[-3:].lower() == ".md" and not name.startswith(".")


def fold(path: str) -> str:
    """The path as case-insensitive and NFD file systems compare it: equal ones can't exist together."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def note_path(text: str) -> str:
    """The path of the note that a person names by `text`, relative to its scope; `.md` is added where
    there is no suffix. UsageError says what is wrong with the name."""
    path = unicodedata.normalize("NFC", re.sub("/{2,}", "/", text.strip()))
    while path.startswith("./"):
        path = path[2:]
    if not path or path.endswith("/"):
        raise _not_a_note(text, "names no file")
    suffix = _SUFFIX.search(path)
    if not suffix:
        path += ".md"
    elif suffix[1].lower() != "md":
        raise _not_a_note(text, f"ends in .{suffix[1]}; notes end in .md")
    reason = unsafe(path)
    if reason:
        raise _not_a_note(text, reason)
    if _NOT_ON_WINDOWS.search(path):
        raise _not_a_note(text, 'has one of * ? " < > | in it')
    if is_ignored(path) or not is_note(path):
        raise _not_a_note(text, "looks like a hidden or temporary file")
    return path


def shown(text: str, limit: int = 200) -> str:
    """`text` on one line with nothing hidden in it, at most `limit` characters, for messages."""
    escaped = spell_hidden(text[: limit + 1]).replace("\t", "\\u{9}")
    return escaped if len(escaped) <= limit else escaped[: limit - 1] + "…"


@lru_cache(maxsize=10_000)
def _unsafe_part(part: str) -> str | None:
    if part in ("", ".", ".."):
        return "has an empty part" if not part else f"has the part {part!r}"
    # HFS+ drops invisible characters from names, NTFS dots and spaces at the end and what follows a colon.
    bare = INVISIBLE.sub("", part).split(":")[0].rstrip(". ").lower()
    if _GIT.fullmatch(bare):
        return "stands for git's own files"
    if INVISIBLE.search(part):
        return "has invisible or control characters"
    if "\\" in part:
        return "has a backslash"
    if ":" in part:
        return "has a colon"
    if part[-1] in ". ":
        return "has a part that ends with a dot or a space"
    if part[0] == "-":
        return "has a part that starts with a dash"
    if _RESERVED.match(part):
        return "has a name that Windows reserves"
    if len(part.encode("utf-8")) > MAX_PART_BYTES:
        return f"has a part longer than {MAX_PART_BYTES} bytes"
    return None


def _not_a_note(text: str, reason: str) -> UsageError:
    return UsageError(
        f"`{shown(text, 80)}` can't be a note: the path {reason}",
        "Name it like `topics/build.md`, relative to its scope.",
    )


def visible(text: str) -> str:
    """`text` with what acts on a terminal, or hides something, written out as `\\u{hex}`; a line that
    ends in CR LF in a file ends in LF."""
    text = text.replace("\r\n", "\n").removesuffix("\r")
    return "\n".join(map(spell_hidden, text.split("\n"))) if INVISIBLE.search(text) else text


def expanded(path: str, home: str) -> str:
    """`path` with a leading `~` as the home folder; nothing else in it stands for anything."""
    return posixpath.normpath(f"{home}/{path[1:]}") if path.startswith("~") else path
