"""`python -m bench sync|hooks|agents|commands|build|load|…`, tests/ on the path: a table each."""

from __future__ import annotations

import sys
from importlib import import_module

_WHAT = (
    *("sync", "hooks", "agents", "commands", "build", "load", "profile", "recall", "meaning", "sessions"),
    "page",
    "screen",
    "asked",
    "doubts",
)


def main(words: list[str]) -> int:
    if not words or words[0] not in _WHAT:
        print(f"python -m bench {'|'.join(_WHAT)} [--help]", file=sys.stderr)
        return 2
    code: int = import_module(f"bench.{words[0]}").main(words[1:])
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
