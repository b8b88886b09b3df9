"""How pi notes that our package is installed: among the packages in its settings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from ctxrepo.agents.pi import install
from ctxrepo.agents.plugins import NAME

_SOURCE = re.compile(rf"npm:{NAME}(?:@[^/]*)?|(?!npm:)(?:.*[:/])?{NAME}(?:\.git)?/?(?:@[^/]*)?")


def note(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The settings, in which pi notes it."""
    return install.folder(user_home, environment) / "settings.json"


def is_on(text: str) -> bool:
    """Whether one of the packages in these settings has our name: from npm, from git or in a folder. With its
    extensions filtered out (`"extensions": []`) it is not on."""
    settings = json.loads(text)
    packages = settings.get("packages") if isinstance(settings, dict) else None
    sources = map(_source, packages if isinstance(packages, list) else ())
    return any(_SOURCE.fullmatch(source) for source in sources)


def _source(package: object) -> str:
    """Where a package that brings extensions is from; '' for others."""
    if isinstance(package, dict) and package.get("extensions") != []:
        package = package.get("source")
    return package if isinstance(package, str) else ""
