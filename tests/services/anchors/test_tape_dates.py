"""What a person says of time is meant by this machine's clock, as it stood then."""

from __future__ import annotations

import os
import subprocess
import sys

_ASKED = """
from datetime import UTC, datetime
from ctxrepo.services.anchors.tape_view import _seconds
for text, is_end in (("2026-07-01", False), ("2026-12-01T10:00", False), ("2026-03-29", True)):
    seconds = _seconds("--from", text, is_end=is_end) + 0.001
    print(datetime.fromtimestamp(seconds, UTC).isoformat("T", "minutes"))
"""


def test_a_date_is_meant_by_the_summer_time_of_that_day() -> None:
    env = os.environ | {"TZ": "Europe/Berlin"}
    done = subprocess.run([sys.executable, "-c", _ASKED], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [
        "2026-06-30T22:00+00:00",
        "2026-12-01T09:00+00:00",
        "2026-03-29T22:00+00:00",
    ]
