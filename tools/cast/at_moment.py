"""`ctxrepo` as it is at a moment: `at_moment.py MOMENT WORDS`. No worker comes: it has another clock."""

from __future__ import annotations

import sys
from datetime import datetime
from unittest.mock import patch

from ctxrepo.__main__ import run


def main() -> None:
    _, moment, *words = sys.argv
    now = datetime.fromisoformat(moment)
    sys.argv = ["ctxrepo", *words]
    with patch("ctxrepo.faces.cli.answer.clock", lambda: now), patch("ctxrepo.app.desk.run_forking"):
        sys.exit(run())


if __name__ == "__main__":
    main()
