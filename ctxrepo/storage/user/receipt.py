"""The receipt for what `setup` did to an agent's files: enough to give every byte back.

It holds a copy of a person's settings, so only that person may read it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_VERSION = 1


@dataclass(frozen=True)
class Receipt:
    """`settings` was `original` (None: not there) and had the digest `written` when setup was done with it.

    `skills` are the files we own with the digest of what we wrote; `folders` are those we made.
    """

    settings: Path
    original: bytes | None
    written: str
    skills: Mapping[Path, str] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()

    def dump(self) -> bytes:
        """The receipt as the JSON it is kept in."""
        original = None if self.original is None else base64.b64encode(self.original).decode("ascii")
        fields = {
            "version": _VERSION,
            "settings": str(self.settings),
            "original": original,
            "written": self.written,
            "skills": {str(path): digest for path, digest in self.skills.items()},
            "folders": [str(folder) for folder in self.folders],
        }
        return (json.dumps(fields, indent=2) + "\n").encode("ascii")


def place(config_dir: Path, agent: str, other: Path | None = None) -> Path:
    """Where the receipt is kept; `other` are the agent's settings when they aren't in the usual place."""
    suffix = f"-{digest(os.fsencode(other))[:8]}" if other else ""
    return config_dir / "receipts" / f"{agent}{suffix}.json"


def load(data: bytes | None) -> Receipt | None:
    """The receipt in these bytes; None when it is lost, damaged or of a version we don't know."""
    try:
        fields = json.loads(data or b"")
        if fields["version"] != _VERSION:
            return None
        original = fields["original"]
        return Receipt(
            settings=Path(fields["settings"]),
            original=None if original is None else base64.b64decode(original, validate=True),
            written=str(fields["written"]),
            skills={Path(path): str(digest) for path, digest in fields["skills"].items()},
            folders=tuple(Path(folder) for folder in fields["folders"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, binascii.Error):
        return None


def digest(data: bytes | None) -> str:
    """What tells without keeping them whether bytes are the same; '' for no file."""
    return "" if data is None else hashlib.sha256(data).hexdigest()
