"""Answers the event of one hook line, and ends the process (ctxrepo/hook.py)."""

import gc
import os
from _signal import SIG_DFL, SIGALRM, alarm, signal

TYPE_CHECKING = False
if TYPE_CHECKING:  # loading it would cost a hook more than it saves
    from typing import NoReturn


class TooLate(BaseException):
    """Nobody closed standard input in time."""


def run(argv: list[str]) -> "NoReturn":
    """Answer one event and end the process with the exit code of `main`."""
    gc.disable()  # a hook ends before collecting garbage pays off
    os._exit(main(argv))


def main(argv: list[str]) -> int:
    """Answer one event; `argv` is [AGENT, EVENT, STATE]. Returns 1 only where a part of
    ctxrepo or of Python is missing: nothing has been read from standard input then, and the hook line tries
    another installation. Otherwise 0, even after an error."""
    os.umask(os.umask(0o077) & 0o077)  # else a umask like 0o777 denies us what we create
    try:
        from ctxrepo.agents import dialect_of
        from ctxrepo.hooks.dialect import read_stdin
        from ctxrepo.hooks.door import answer, log_error

        dialect = dialect_of(argv[0]) if argv else None
    except Exception:
        return 1  # never 2, which agents take as a veto
    except BaseException:
        return 0  # interrupted: it is too late to try another installation
    try:
        try:
            _, event, state = argv[:3]  # an agent that splits the line by itself passes its `|| …` as words
            signal(SIGALRM, _give_up)
            raw = read_stdin()
            signal(SIGALRM, SIG_DFL)
            data = answer(dialect, event, state, raw).encode("utf-8", "replace") if dialect else b""
            while data:
                data = data[os.write(1, data) :]
        except BrokenPipeError:
            pass  # the agent went away
        except BaseException as error:
            log_error(argv[2] if len(argv) > 2 else "", argv[:2], error)
    except BaseException:
        return 0  # the log can't be written, and only an agent would read a message here
    return 0


def _give_up(_signal: int, _frame: object) -> None:
    signal(SIGALRM, SIG_DFL)
    alarm(1)  # to log this: should the log's disk hang, the process is killed
    raise TooLate("standard input was not closed in time")
