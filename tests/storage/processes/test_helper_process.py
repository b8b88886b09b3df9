"""A process with several threads forks nothing: a helper process answers, and is asked again."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from functools import partial
from itertools import repeat
from pathlib import Path

import pytest
from needs import needs_proc

from ctxrepo.agents.known import transcripts_of
from ctxrepo.errors import CtxrepoError, NoAnswer
from ctxrepo.storage.processes.apart import Apart, answer_once, run_forking, work_ahead
from ctxrepo.storage.processes.outside import Outside


@pytest.fixture
def outside(tmp_path: Path) -> Outside:
    return Outside(tmp_path / "unresponsive.json")


def test_one_process_answers_question_after_question(outside: Outside) -> None:
    first = outside.ask(Path("/"), os.getpid)
    assert first != os.getpid()
    assert {outside.ask(Path("/"), os.getpid) for _ in range(20)} == {first}
    assert dict(outside.ask_each([1, 4, -1, 9], math.sqrt, lambda _: Path("/"))) == {1: 1, 4: 2, 9: 3}
    assert outside.ask(Path("/"), os.getpid) == first


def test_an_error_comes_back_and_the_process_goes_on(outside: Outside, tmp_path: Path) -> None:
    process = outside.ask(tmp_path, os.getpid)
    with pytest.raises(FileNotFoundError):
        outside.ask(tmp_path, (tmp_path / "none").read_bytes)
    assert outside.ask(tmp_path, os.getpid) == process


def test_a_folder_that_hangs_keeps_its_process_and_the_next_question_has_a_new_one(outside: Outside) -> None:
    process = outside.ask(Path("/"), os.getpid)
    with pytest.raises(NoAnswer, match="/hung doesn't answer"):
        outside.ask(Path("/hung"), partial(time.sleep, 60), 0.3)
    assert outside.ask(Path("/"), os.getpid) != process
    assert not _is_there(process)


def test_a_process_that_was_killed_is_replaced(outside: Outside) -> None:
    process = outside.ask(Path("/"), os.getpid)
    os.kill(process, signal.SIGKILL)
    time.sleep(0.05)
    assert outside.ask(Path("/"), os.getpid) != process
    with pytest.raises(CtxrepoError, match="was ended"):
        outside.ask(Path("/"), partial(signal.raise_signal, signal.SIGKILL))
    assert outside.ask(Path("/"), partial(max, 1, 2)) == 2


def test_answers_that_nobody_waits_for_end_their_process(outside: Outside) -> None:
    with Apart(partial(repeat, 7), 5) as endless:
        assert [endless.next(), endless.next()] == [7, 7]
        endless_process = endless._process.pid
    assert not _is_there(endless_process)
    assert outside.ask(Path("/"), os.getpid) != endless_process


def test_a_question_within_a_question_has_a_process_of_its_own(outside: Outside) -> None:
    for number, root in outside.ask_each([1, 4, 9], math.sqrt, lambda _: Path("/")):
        assert outside.ask(Path("/"), partial(math.sqrt, number)) == root


def test_a_process_with_a_lower_priority_is_not_asked_again(outside: Outside) -> None:
    process = outside.ask(Path("/"), os.getpid)
    with Apart(partial(answer_once, partial(os.nice, 5)), 5, spoils=True) as spoilt:
        assert spoilt.next() == os.nice(0) + 5
    assert outside.ask(Path("/"), os.getpid) != process
    assert outside.ask(Path("/"), partial(os.nice, 0)) == os.nice(0)


def test_what_cannot_be_sent_is_an_error_here_and_costs_nothing(outside: Outside) -> None:
    process = outside.ask(Path("/"), os.getpid)
    with pytest.raises((AttributeError, TypeError), match=r"lambda|local object"):
        outside.ask(Path("/"), lambda: 1)
    assert outside.ask(Path("/"), os.getpid) == process


def test_parts_of_agents_are_sent_by_their_names(outside: Outside) -> None:
    transcripts = transcripts_of("claude")
    assert outside.ask(Path("/"), partial(next, iter([transcripts]))) is transcripts is not None


def test_it_holds_no_stream_and_no_folder_of_ours(outside: Outside, tmp_path: Path) -> None:
    assert outside.ask(tmp_path, os.getcwd) == "/"
    assert outside.ask(tmp_path, partial(os.getpgid, 0)) != os.getpgid(0), "Ctrl-C isn't for it"


@pytest.mark.slow
@needs_proc
def test_it_ends_with_whoever_started_it(tmp_path: Path) -> None:
    code = f"""
import os, threading
from pathlib import Path
from ctxrepo.storage.processes.outside import Outside
from ctxrepo.storage.processes.apart import work_ahead
threading.Thread(target=threading.Event().wait, daemon=True).start()
print(Outside(Path({str(tmp_path / "list")!r})).ask(Path("/"), os.getpid), flush=True)
os._exit(0)
"""
    process = int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
    end = time.monotonic() + 10
    while Path(f"/proc/{process}").exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert not Path(f"/proc/{process}").exists()


def test_an_action_that_forks_is_run_there_and_leaves_no_zombie(outside: Outside) -> None:
    child = run_forking(partial(os.spawnv, os.P_NOWAIT, "/bin/true", ["true"]))
    assert outside.ask(Path("/"), os.getppid) == os.getpid()
    end = time.monotonic() + 10
    while _is_there(child) and time.monotonic() < end:
        outside.ask(Path("/"), os.getpid)
    assert not _is_there(child)


def _is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_work_is_done_here_instead_of_ahead() -> None:
    assert [*work_ahead(lambda number: b"%d" % os.getpid(), 3)] == [b"%d" % os.getpid()] * 3
