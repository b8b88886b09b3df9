"""The script of a hook line: `python -I -S .../ctxrepo/hook.py AGENT EVENT STATE`, the event's JSON on stdin.

It prints what the agent reads, or nothing, and exits with 0: an agent's work never stops for its memory. It
exits with 1 only where ctxrepo can't be loaded whole, and the hook line tries another installation
(docs/adr/0020-the-hook-line-falls-back.md). Python compiles a script that is run by path every time, so this
one is short: the work is done in `ctxrepo.hooks`, with the dialect in the agent's folder.
"""

import gc
import os
import sys
from _signal import SIG_BLOCK, SIG_DFL, SIGALRM, SIGHUP, SIGINT, SIGTERM, alarm, pthread_sigmask, signal

HOOK_SECONDS = 8
"""How long a hook may take; agents end one that takes ten, and tell their user. Once standard input is
read, the alarm kills the process outright: Python runs no handler while it waits for a hanging disk."""


class TooLate(BaseException):
    """Nobody closed standard input in time."""


def main(argv: list[str]) -> int:
    """Answer one event; `argv` is [AGENT, EVENT, STATE]. Returns 1 only where a part of
    ctxrepo or of Python is missing: nothing has been read from standard input then, and the hook line tries
    another installation. Otherwise 0, even after an error."""
    os.umask(os.umask(0o077) & 0o077)  # else a umask like 0o777 denies us what we create
    try:
        from ctxrepo.hooks.loading import find_quickly, load_sqlite

        find_quickly()
        load_sqlite()
        from ctxrepo.agents import dialect_of
        from ctxrepo.hooks.dialect.payload import read_stdin
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
    raise TooLate(f"standard input was not closed within {HOOK_SECONDS} seconds")


if __name__ == "__main__":
    # An agent that ends sends these signals to all its descendants, also to the hook that it runs at its end.
    # They stay blocked until the hook is done; the alarm bounds how long that takes.
    pthread_sigmask(SIG_BLOCK, (SIGTERM, SIGHUP, SIGINT))
    alarm(HOOK_SECONDS)
    gc.disable()  # a hook ends before collecting garbage pays off
    # -I keeps the script's own folder off the path. The package's folder comes last, so that nothing in it
    # shadows Python.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    os._exit(main(sys.argv[1:]))
