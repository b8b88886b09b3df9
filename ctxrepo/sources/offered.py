"""The sources that are no agent's, found from the files that there are."""

import os
from collections.abc import Iterator
from importlib import import_module
from typing import Protocol, cast

from ctxrepo.sources import programs
from ctxrepo.sources.source import Source


class Program(Protocol):
    """A file in `programs/`."""

    SOURCES: tuple[Source, ...]


def offered() -> Iterator[Source]:
    """All of them, in the order of their files."""
    folder = os.path.dirname(os.path.abspath(programs.__file__))
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py") and not name.startswith("_"):
            module = import_module(f"{programs.__name__}.{name.removesuffix('.py')}")
            yield from cast("Program", module).SOURCES
