"""Files that git reads in a repository: attributes, and the patterns of a sparse checkout."""

from collections.abc import Collection, Iterable, Mapping

from ctxrepo.domain.project.layout import BOOKKEEPING, TAPES, prefixes_of
from ctxrepo.lazy import dataclass, lazy_pattern

ATTRIBUTES_FILE = ".gitattributes"

_WHY = "# Kept by ctxrepo beside the notes: forges collapse it in diffs."
_GENERATED = "linguist-generated gitlab-generated"
GENERATED = (f"{BOOKKEEPING}/** {_GENERATED}", f"{TAPES}/** {_GENERATED}")
"""GitHub, Gitea and Forgejo go by the first attribute, GitLab by the second."""


def is_marked(text: str) -> bool:
    """Whether the file says so, or what somebody else says of these folders stands there."""
    return marked(text) == text


def marked(text: str) -> str:
    """The text with the lines it lacks at its end, in its own line ends."""
    newline = "\r\n" if "\r\n" in text else "\n"
    present = {line.split()[0] for line in text.splitlines() if "-generated" in line}
    due = [line for line in GENERATED if line.split()[0] not in present]
    gap = newline if text and not text.endswith("\n") else ""
    return text + gap + "".join(f"{line}{newline}" for line in (_WHY, *due)) if due else text


CONVERTING = lazy_pattern(rb"(?m)^[^#\n]*\s(filter|working-tree-encoding|ident|text|eol|crlf)(=|\s|$)")
"""A line of attributes by which git may store a file in another form."""

_NOTHING = ("", "set", "unset", "unspecified")


def conversion(attributes: Mapping[str, str], data: bytes | None = None) -> str:
    """The attribute by which git stores a file in another form than these bytes on disk; '' for none. Without
    `data` only one that tells of every file."""
    if (driver := attributes.get("filter", "")) not in _NOTHING:
        return f"filter={driver}"
    encoding = attributes.get("working-tree-encoding", "")
    if encoding not in _NOTHING and encoding.lower().replace("-", "") != "utf8":
        return f"working-tree-encoding={encoding}"
    if attributes.get("ident") == "set" and b"$Id" in (data or b""):
        return "ident"
    key = next((key for key in ("text", "crlf", "eol") if key in attributes), "")
    if not key or attributes[key] == "unset" or b"\r\n" not in (data or b""):
        return ""
    return key if attributes[key] == "set" else f"{key}={attributes[key]}"


_SPECIAL = lazy_pattern(r"([*?\[\]\\])")
_ESCAPED = lazy_pattern(r"\\(.)")


@dataclass(frozen=True)
class Cone:
    """`folders` are whole; `on_the_way` are those that lead to them ('' is the top)."""

    folders: frozenset[str]
    on_the_way: frozenset[str]

    @classmethod
    def of(cls, folders: Iterable[str]) -> "Cone":
        whole = frozenset(folders)
        above = (place for folder in whole for place in prefixes_of(folder)[:-1])
        return cls(whole, frozenset({"", *above}) - whole)

    def holds(self, path: str) -> bool:
        """Whether the file at `path` is on disk."""
        folder = path.rpartition("/")[0]
        return folder in self.on_the_way or self.is_whole(folder)

    def is_whole(self, folder: str) -> bool:
        """Whether everything below `folder` is on disk."""
        return folder in self.folders or any(above in self.folders for above in prefixes_of(folder)[:-1])

    def with_folders(self, folders: Collection[str]) -> "Cone":
        return Cone.of(self.folders | {f for f in folders if not self.is_whole(f)})


def parse(text: str) -> Cone:
    """The cone that the lines of `info/sparse-checkout` describe."""
    folders = {
        _ESCAPED.sub(r"\1", line[1:-1])
        for line in text.splitlines()
        if line.startswith("/") and line.endswith("/") and line != "/"
    }
    opened = {
        _ESCAPED.sub(r"\1", line[2:-3])
        for line in text.splitlines()
        if line.startswith("!/") and line.endswith("/*/") and line != "!/*/"
    }
    return Cone.of(folders - opened)


def render(cone: Cone) -> str:
    """`info/sparse-checkout` as `git sparse-checkout set --cone` writes it."""
    lines = ["/*", "!/*/"]
    for folder in sorted((cone.on_the_way | cone.folders) - {""}):
        name = _SPECIAL.sub(r"\\\1", folder)
        lines.append(f"/{name}/")
        if folder in cone.on_the_way:
            lines.append(f"!/{name}/*/")
    return "\n".join(lines) + "\n"
