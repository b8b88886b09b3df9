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


def test_in_a_session_of_somebody_else_only_the_process_gives_way() -> None:
    """Or all that is started in that shell afterwards would wait for everybody."""
    words = [
        sys.executable,
        "-c",
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {_SAID!r}])",
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=True, start_new_session=True)
    nice, group = done.stdout.split()
    assert int(nice) == 19
    assert int(group) == (0 if os.path.exists("/proc/self/autogroup") else 19)


def test_a_daemon_s_session_gives_way_though_its_leader_has_ended() -> None:
    code = f"import os\nif os.fork(): os._exit(0)\nimport time; time.sleep(0.3)\n{_SAID}"
    words = [sys.executable, "-c", code]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as leader:
        leader.wait()
        assert leader.stdout
        assert leader.stdout.read().split() == ["19", "19"]
