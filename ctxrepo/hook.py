"""What a hook line runs: `python -I -S .../ctxrepo/hook.py AGENT EVENT STATE`, the event's JSON on stdin.

Prints what the agent reads or nothing, and ends well: an agent's work never stops for its memory. Only where
it can't be loaded whole it ends with 1, and the hook line goes on with another installation. Run by path it
is compiled every time, so all it does is in `ctxrepo.hooks`, with the dialect that the agent's folder holds.
"""

import os
import sys
from _signal import SIG_BLOCK, SIG_DFL, SIGALRM, SIGHUP, SIGINT, SIGTERM, alarm, pthread_sigmask, signal

PATIENCE = 8
"""Seconds a hook may take in all; agents end one that takes ten, and tell their user about it. Then an alarm
ends it as the system does that by itself: who waits for a disk that hangs hears nothing else."""


class TooLate(BaseException):
    """Standard input that nobody closes."""


def main(argv: list[str]) -> int:
    """Answer one event. `argv` is [AGENT, EVENT, STATE]. Returns 0, whatever happens; but 1 where part of
    ctxrepo or of Python is gone, and then nothing of standard input has been read."""
    os.umask(os.umask(0o077) & 0o077)  # nobody's mask takes from the user what is made for them
    try:
        from ctxrepo.hooks.files.lean import load_sqlite

        load_sqlite()
        from ctxrepo.agents import dialect_of
        from ctxrepo.hooks.dialect.payload import read_stdin
        from ctxrepo.hooks.door import answer, log_error

        dialect = dialect_of(argv[0]) if argv else None
    except Exception:
        return 1  # never 2, which is a veto to an agent
    except BaseException:
        return 0  # ended, or too late for another one
    try:
        try:
            _, event, state = argv[:3]  # more where an agent hands the line on without a shell
            signal(SIGALRM, _give_up)
            said = read_stdin()
            signal(SIGALRM, SIG_DFL)
            data = answer(dialect, event, state, said).encode("utf-8", "replace") if dialect else b""
            while data:
                data = data[os.write(1, data) :]
        except BrokenPipeError:
            pass  # the agent went away
        except BaseException as error:
            log_error(argv[2] if len(argv) > 2 else "", argv[:2], error)
    except BaseException:
        return 0  # where not even the log can be written, nobody but an agent would read what we say
    return 0


def _give_up(_signal: int, _frame: object) -> None:
    signal(SIGALRM, SIG_DFL)
    alarm(1)  # for a log on a disk that hangs
    raise TooLate(f"not done within {PATIENCE} seconds")


if __name__ == "__main__":
    # An agent that ends sends these to all that descends from it, also to a hook it has just told of its end.
    # They wait until the hook is done, which is bounded by an alarm.
    pthread_sigmask(SIG_BLOCK, (SIGTERM, SIGHUP, SIGINT))
    alarm(PATIENCE)
    # -I keeps the script's own folder off the path. Behind all else, so that nothing there shadows Python.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    os._exit(main(sys.argv[1:]))
