"""The script of a hook line: `python -I -S .../ctxrepo/hook.py AGENT EVENT STATE`, the event's JSON on stdin.

It prints what the agent reads, or nothing, and exits with 0: an agent's work never stops for its memory. It
exits with 1 only where ctxrepo can't be loaded whole, and the hook line tries another installation
(docs/adr/0020-the-hook-line-falls-back.md). Python compiles a script that is run by path every time, so this
one is as short as can be: the work is done in `ctxrepo.faces.hook`."""

import sys
from _signal import SIG_BLOCK, SIGHUP, SIGINT, SIGTERM, alarm, pthread_sigmask

HOOK_SECONDS = 8
"""How long a hook may take; agents end one that takes ten, and tell their user. Once standard input is
read, the alarm kills the process outright: Python runs no handler while it waits for a hanging disk."""

if __name__ == "__main__":
    # An agent that ends sends these signals to all its descendants, also to the hook that it runs at its end.
    # They stay blocked until the hook is done; the alarm bounds how long that takes.
    pthread_sigmask(SIG_BLOCK, (SIGTERM, SIGHUP, SIGINT))
    alarm(HOOK_SECONDS)
    # -I keeps the script's own folder off the path. The package's folder comes last, so that nothing in it
    # shadows Python.
    sys.path.append(__file__.rpartition("/")[0].rpartition("/")[0])
    try:
        from ctxrepo.hooks.loading import find_quickly

        find_quickly()
        from ctxrepo.faces.hook import run
    except Exception:
        sys.exit(1)  # never 2, which agents take as a veto
    run(sys.argv[1:])
