"""Record the cast anew: `PYTHONPATH=tests:tools python -m cast` writes both files in `docs/pictures/`.

It needs tmux (`make servers`)."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from needs import lacks

from cast.draw import picture
from cast.record import record
from cast.screen import CAST, SVG, read, written


def main() -> None:
    if why := lacks("tmux", "bash"):
        sys.exit(f"can't run here: {why}")
    os.environ |= {"TZ": "UTC", "GIT_CONFIG_NOSYSTEM": "1"}
    time.tzset()
    with tempfile.TemporaryDirectory(prefix="ctxrepo-cast-") as folder:
        CAST.write_text(written(record(Path(folder))), "utf-8")
    SVG.write_text(picture(read(CAST.read_text("utf-8"))), "utf-8")
    print(f"{CAST.name}: {CAST.stat().st_size} bytes, {SVG.name}: {SVG.stat().st_size} bytes")


if __name__ == "__main__":
    main()
