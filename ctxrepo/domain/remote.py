"""What a remote's answer means, told from git's words: the one table of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Outcome = Literal[
    "ok",
    "overtaken",
    "offline",
    "auth",
    "refused",
    "missing",
    "timeout",
    "guard",
    "secret",
    "failed",
    "protected",
    "changed",
]

# In this order: the first that fits decides. Words of git 2.30 to 2.50 with LC_ALL=C, OpenSSH and curl.
_WORDS: tuple[tuple[Outcome, str], ...] = (
    ("overtaken", "non-fast-forward|fetch first|cannot lock ref|incorrect old value|failed to update ref"),
    (
        "refused",
        """pre-receive hook declined|protected branch|push declined|remote rejected|quota|unpack(er)? err
        |maximum (input|allowed) size|read.only|insufficient permission|denied to|unable to create temp""",
    ),
    (
        "auth",
        """authentication failed|permission denied|could not read (username|password)|publickey
        |terminal prompts disabled|host key verification failed|certificate|access denied
        |returned error: 40[13]|invalid credentials|dubious ownership""",
    ),
    (
        "missing",
        """couldn't find remote ref|repository.*not found|does not appear to be a git repository
        |returned error: 404|no such remote|not exported|does not exist""",
    ),
    (
        "offline",
        """could not resolve|couldn't connect|could not connect|failed to connect|network is unreachable
        |connection (refused|timed out|reset|closed)|no route to host|timed out|early eof|hung up
        |unexpected disconnect|returned error: (429|5..)|rpc failed|broken pipe|recv failure
        |unable to look up|unexpected eof""",
    ),
)
_PATTERNS = tuple(
    (outcome, re.compile(re.sub(r"\n\s*", "", words), re.IGNORECASE)) for outcome, words in _WORDS
)

_NEXT = {
    "overtaken": "Another machine was faster each time; the next sync tries again.",
    "offline": "Everything is saved here; the next sync sends it.",
    "timeout": "Everything is saved here; the next sync sends it.",
    "auth": "Everything is saved here. `git fetch` in the memory repository shows what it wants of you.",
    "refused": "Everything is saved here. Ask whoever keeps the remote, or give it another one.",
    "missing": "Everything is saved here. Check the remote's address in config.toml.",
    "guard": "Local work goes on. `ctxrepo doctor` shows what stands in the way.",
    "secret": "Nothing was sent. Take it out of that commit with git, or let it through with allow_secret.",
    "changed": "Everything is saved here and nothing was sent. Is it the right address in config.toml? "
    "`ctxrepo sync --accept remote` goes on with it as it is now.",
    "failed": "Everything is saved here; `ctxrepo doctor` may know more.",
}


@dataclass(frozen=True)
class RemoteAnswer:
    """How a conversation with the remote ended; `reason` is one redacted line of its words."""

    outcome: Outcome
    reason: str = ""

    @property
    def ok(self) -> bool:
        return self.outcome == "ok"

    @property
    def may_pass(self) -> bool:
        """Whether trying again within seconds could help."""
        return self.outcome in ("overtaken", "offline")

    @property
    def trouble(self) -> str:
        return self.reason if not self.may_pass else ""

    @property
    def next_step(self) -> str:
        return _NEXT.get(self.outcome, "")


def classify(words: str) -> Outcome:
    """The outcome that git's words (both streams) tell."""
    return next((outcome for outcome, pattern in _PATTERNS if pattern.search(words)), "failed")
