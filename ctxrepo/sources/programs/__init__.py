"""The memory programs that are no agent's: each is a file here, with its `SOURCES`."""

import os
from collections.abc import Iterator
from importlib import import_module

from ctxrepo.sources.source import Source


def offered() -> Iterator[Source]:
    """The sources of all of them, in the order of their files."""
    for name in sorted(os.listdir(os.path.dirname(os.path.abspath(__file__)))):
        if name.endswith(".py") and not name.startswith("_"):
            yield from import_module(f"{__name__}.{name.removesuffix('.py')}").SOURCES
