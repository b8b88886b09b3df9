"""How much of the machine a git that speaks with a remote may take.

Whoever can push decides what git unpacks: sixteen kilobytes can stand for gigabytes. git has bounds for what
a server receives and none for what a client fetches, so the system's own hold here.
"""

from __future__ import annotations

import re
import resource
import signal
from collections.abc import Sequence

from ctxrepo.domain.guard.bounds import GIT_FILE, GIT_MEMORY, GIT_SECONDS, Bound
from ctxrepo.lazy import dataclass, lazy_pattern

NOT_FOUND = 127
"""How a command within limits ends when there is no such program."""

_SHELL = "/bin/sh"

_LIMIT = 'ulimit -S -{letter} "$1"; shift'
"""The shell sets the limits: Python's `preexec_fn` isn't safe in a process with threads."""

_KINDS: Sequence[tuple[Bound, str, int, int]] = (
    (GIT_MEMORY, "d", resource.RLIMIT_DATA, 1024),
    (GIT_FILE, "f", resource.RLIMIT_FSIZE, 512),
    (GIT_SECONDS, "t", resource.RLIMIT_CPU, 1),
)
"""Each bound, the letter by which `ulimit` knows it, what Python calls it, and its unit in bytes."""

_WHAT = "what it sent"

_NO_MEMORY = lazy_pattern(
    r"^(remote: )?(fatal|error): .*(out of memory|cannot allocate memory|malloc failed)",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True)
class Limits:
    """`bounds` are those that hold for each process by itself."""

    bounds: tuple[Bound, ...]

    def on(self, command: Sequence[str]) -> list[str]:
        """The command that runs `command` within these limits, or tighter ones that hold here anyway."""
        kinds = [kind for kind in _KINDS if kind[0] in self.bounds]
        script = "; ".join(_LIMIT.format(letter=letter) for _, letter, _, _ in kinds)
        sizes = [str(_allowed(bound.most, which) // unit) for bound, _, which, unit in kinds]
        return [_SHELL, "-c", f'{script}; exec "$@"', _SHELL, *sizes, *command]

    def excess(self, code: int, errors: str, *, is_here: bool) -> str:
        """The sentence for a limit that git, which ended with `code` and these words, came up against.

        `is_here` says that the remote is on this machine, and the limits hold for its side as well.
        """
        if not code:
            return ""
        missing = _NO_MEMORY.search(errors)
        if GIT_MEMORY in self.bounds and missing and (is_here or not missing[1]):
            return GIT_MEMORY.message_for(_WHAT)
        ended = {GIT_SECONDS: signal.SIGXCPU, GIT_FILE: signal.SIGXFSZ}
        for bound, by in ended.items():
            if bound in self.bounds and (code == -by or f"died of signal {by:d}" in errors):
                return bound.message_for(_WHAT)
        return ""


SENDING = Limits((GIT_MEMORY,))
"""What is sent is ours, however much that is; the remote says before what it has."""

RECEIVING = Limits((GIT_MEMORY, GIT_FILE, GIT_SECONDS))


SERVED = ("--upload-pack=git -c core.bigFileThreshold=2m -c pack.threads=2 upload-pack",)
"""With a remote on this disk, its upload-pack runs here too and gets these settings."""


def _allowed(most: int, which: int) -> int:
    return min([most, *(size for size in resource.getrlimit(which) if size != resource.RLIM_INFINITY)])
