"""How Gemini CLI notes that our extension is linked: by a file in the extension's folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ctxrepo.agents.gemini import install
from ctxrepo.agents.plugins import NAME


def note(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The file that Gemini CLI leaves when it links or installs our extension."""
    return install.folder(user_home, environment) / "extensions" / NAME / ".gemini-extension-install.json"


def is_on(_text: str) -> bool:
    """That it is there is all it tells; a person may have switched the extension off for some folders."""
    return True
