"""`ctxrepo` as it is at a moment: `at_moment.py MOMENT WORDS`. No worker comes: it has another clock."""

from __future__ import annotations

import sys
from datetime import datetime

from ctxrepo.__main__ import run
from ctxrepo.app import desk
from ctxrepo.faces.cli import answer


def main() -> None:
    _, moment, *words = sys.argv
    now = datetime.fromisoformat(moment)
    answer.clock = lambda: now
    desk.run_forking = lambda _: None
    sys.argv = ["ctxrepo", *words]
    sys.exit(run())


if __name__ == "__main__":
    main()
