"""Work that nobody waits for leaves the processor to everybody else."""

from __future__ import annotations

import os
import subprocess
import sys

_SAID = """
import os
from pathlib import Path
from ctxrepo.storage.processes.process import give_precedence
give_precedence()
group = Path("/proc/self/autogroup")
print(os.nice(0), group.read_text().split()[-1] if group.exists() else 19)
"""


def test_it_is_the_last_in_its_session_and_its_session_the_last_of_all() -> None:
    words = [sys.executable, "-c", _SAID]
    done = subprocess.run(words, capture_output=True, text=True, check=True, start_new_session=True)
    nice, group = done.stdout.split()
    assert (int(nice), int(group)) == (19, 19)
    assert os.nice(0) < 19
