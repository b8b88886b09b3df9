"""`python -m living update|staleness|claims|report|tidy|harm|repeats`, tests/ and tools/ on the path: a table
each (docs/explanation/living-measured.md)."""

from __future__ import annotations

import sys
from importlib import import_module

_MEASURES = ("update", "staleness", "claims", "report", "tidy", "harm", "repeats", "year")


def main(words: list[str]) -> int:
    """Run one measure; 2 with a line on standard error for an unknown name."""
    if not words or words[0] not in _MEASURES:
        print(f"python -m living {'|'.join(_MEASURES)} [--help]", file=sys.stderr)
        return 2
    code: int = import_module(f"living.{words[0]}").main(words[1:])
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
