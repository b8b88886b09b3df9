"""What gives every byte back of the user's files that we write into: the receipt for what `setup` did to an
agent's, and which others hold a block of ours. A receipt holds a copy of a person's settings, so only that
person may read it."""

import base64
import binascii
import json
import os
from collections.abc import Mapping, Set
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk import foreign

_VERSION = 1


@dataclass(frozen=True)
class WrittenFile:
    """What a file was before setup (None: not there), and the digest of what setup wrote."""

    original: bytes | None
    digest: str


@dataclass(frozen=True)
class Choices:
    """What a person chose for an agent's installation; '' or None where nobody did."""

    permissions: str = ""
    """Which of our commands it may run without asking; a name in agents/permissions.py."""
    mcp: bool | None = None
    """Whether our MCP server is in its list, which isn't looked at while nobody chose."""
    enforces: bool | None = None
    """Whether it asks us before it uses a tool; chosen in config.toml, for all agents."""

    def over(self, others: "Choices") -> "Choices":
        """These, and what the `others` say where nobody chose here."""
        return replace(others, **{key: value for key, value in vars(self).items() if value not in ("", None)})


@dataclass(frozen=True)
class Receipt:
    """`files` that setup has written, by their paths; `skills` we own, with the digest of what we wrote;
    `folders` we made. In its JSON the first file stands by itself, for there was but one once."""

    files: Mapping[Path, WrittenFile]
    skills: Mapping[Path, str] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()
    choices: Choices = field(default_factory=Choices)

    def dump(self) -> bytes:
        """The receipt as the JSON it is kept in; there is at least one file."""
        first, *others = [
            {
                "settings": str(path),
                "original": None if of.original is None else base64.b64encode(of.original).decode("ascii"),
                "written": of.digest,
            }
            for path, of in self.files.items()
        ]
        fields: dict[str, object] = {
            "version": _VERSION,
            **first,
            "skills": {str(path): digest for path, digest in self.skills.items()},
            "folders": [str(folder) for folder in self.folders],
            **{key: value for key, value in vars(self.choices).items() if value not in ("", "none", None)},
        }
        if others:
            fields["others"] = others
        return (json.dumps(fields, indent=2) + "\n").encode("ascii")


def place(config_dir: Path, agent: str, other: Path | None = None) -> Path:
    """Where the receipt is kept; `other` is the agent's first file when it isn't in the usual place."""
    suffix = f"-{digest(os.fsencode(other))[:8]}" if other else ""
    return config_dir / "receipts" / f"{agent}{suffix}.json"


def load(data: bytes | None) -> Receipt | None:
    """The receipt in these bytes; None when it is lost, damaged or of a version we don't know."""
    try:
        fields = json.loads(data or b"")
        if fields["version"] != _VERSION:
            return None
        return Receipt(
            files=dict(_written(of) for of in [fields, *fields.get("others", ())]),
            skills={Path(path): str(digest) for path, digest in fields["skills"].items()},
            folders=tuple(Path(folder) for folder in fields["folders"]),
            choices=Choices(str(fields.get("permissions", "")), fields.get("mcp"), fields.get("enforces")),
        )
    except (ValueError, KeyError, TypeError, AttributeError, binascii.Error):
        return None


def first_files(config_dir: Path, agent: str) -> list[Path]:
    """The first file of each folder of this agent that setup has connected, the usual one's before others."""
    paths = sorted((config_dir / "receipts").glob(f"{agent}*.json"))
    names = {path: path.stem.partition("-")[0] for path in paths}
    receipts = [load(foreign.read(path)) for path in paths if names[path] == agent]
    return [next(iter(receipt.files)) for receipt in receipts if receipt]


def others(config_dir: Path, own: Set[Path]) -> list[Receipt]:
    """The receipts but for those at these places: of other agents, or for another folder of the same."""
    paths = sorted((config_dir / "receipts").glob("*.json"))
    return [receipt for path in paths if path not in own and (receipt := load(foreign.read(path)))]


def _written(fields: Mapping[str, Any]) -> tuple[Path, WrittenFile]:
    original = fields["original"]
    data = None if original is None else base64.b64decode(original, validate=True)
    return Path(fields["settings"]), WrittenFile(data, str(fields["written"]))


def digest(data: bytes | None) -> str:
    """What tells without keeping them whether bytes are the same; '' for no file."""
    if data is None:
        return ""
    import hashlib  # loads OpenSSL, which isn't needed to read a receipt

    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class FileBlock:
    """The block in the file at `path`, no link, for the project of this id; `own` is the checkout's own
    id. `glue` are the bytes put before it; `is_new`: there was no file; `trouble`: why it wasn't renewed."""

    path: Path
    project: str
    glue: bytes = b""
    is_new: bool = False
    trouble: str = ""
    own: str = ""


@dataclass(frozen=True)
class Blocks:
    """All of them; `seen` is what they were last brought up to."""

    known: tuple[FileBlock, ...] = ()
    seen: str = ""

    def at(self, path: Path) -> FileBlock | None:
        return next((block for block in self.known if block.path == path), None)

    def with_(self, block: FileBlock) -> "Blocks":
        """These with `block` in place of the one in the same file; it has seen nothing yet."""
        return replace(self.without(block.path), known=(*self.without(block.path).known, block))

    def without(self, path: Path) -> "Blocks":
        return Blocks(tuple(block for block in self.known if block.path != path))


@dataclass(frozen=True)
class BlockFile:
    """A file in the state; written while holding the lock `blocks`."""

    file: Path

    def read(self) -> Blocks:
        """None are known where it is missing or can't be read: they stay in their files as they are."""
        try:
            fields = json.loads(foreign.read(self.file) or b"{}")
            if fields.get("version") != _VERSION:
                return Blocks()
            return Blocks(tuple(map(_block, fields["blocks"])), str(fields["seen"]))
        except (CtxrepoError, ValueError, KeyError, TypeError, AttributeError, binascii.Error):
            return Blocks()

    def write(self, blocks: Blocks) -> None:
        known = [
            {
                "path": str(block.path),
                "project": block.project,
                "glue": base64.b64encode(block.glue).decode("ascii"),
                "new": block.is_new,
                "trouble": block.trouble,
                "own": block.own,
            }
            for block in blocks.known
        ]
        fields = {"version": _VERSION, "seen": blocks.seen, "blocks": known}
        before, after = foreign.read(self.file), (json.dumps(fields, indent=2) + "\n").encode("ascii")
        if before != after:
            foreign.apply([foreign.Change(self.file, before, after if blocks.known else None, private=True)])


def _block(fields: dict[str, object]) -> FileBlock:
    glue = base64.b64decode(str(fields["glue"]), validate=True)
    return FileBlock(
        Path(str(fields["path"])),
        str(fields["project"]),
        glue,
        fields["new"] is True,
        str(fields["trouble"]),
        str(fields.get("own", "")),
    )
