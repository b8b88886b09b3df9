"""What a remote's answer means, recognised by git's words. The meanings and the words of all outcomes
are in `remote.answers`."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, cast

from ctxrepo.domain.formats.blocks import FieldBlock, blocks_beside, in_one_line
from ctxrepo.lazy import dataclass, lazy_pattern

Outcome = Literal[
    "ok", "overtaken", "offline", "cut", "timeout", "busy", "auth", "untrusted", "readonly", "protected",
    "quota", "refused", "missing", "address", "malformed", "secret", "failed",
    "changed", "bounds", "format",
]  # fmt: skip

Passes = Literal["seconds", "later", "never"]


@dataclass(frozen=True)
class Meaning:
    """What an outcome means in our words, and what a person does next.

    `passes`: whether it passes by itself within seconds, later, or not before somebody does something."""

    means: str
    next_step: str
    passes: Passes = "never"


_NOTHING = Meaning("", "")


@cache
def _answers() -> tuple[FieldBlock, ...]:
    return tuple(blocks_beside(__spec__, "remote.answers"))


@cache
def meanings() -> Mapping[Outcome, Meaning]:
    """The meaning of every outcome but `ok`."""
    return {
        cast("Outcome", block.heading): Meaning(
            in_one_line(block.fields["means"]),
            in_one_line(block.fields["next-step"]),
            cast("Passes", block.fields.get("passes", "never")),
        )
        for block in _answers()
        if "means" in block.fields
    }


@cache
def _patterns() -> Sequence[tuple[Outcome, re.Pattern[str]]]:
    """The words of each outcome, in the order in which they are tried."""
    return [
        (
            cast("Outcome", block.heading),
            re.compile(block.fields["words"].replace("\n", ""), re.IGNORECASE | re.MULTILINE),
        )
        for block in _answers()
        if "words" in block.fields
    ]


_SCP = lazy_pattern(r"[^/:]+:")
"""How `host:path` begins, which is ssh as well."""

_COUNTING = lazy_pattern(
    r"(remote: +)?(enumerating|counting|compressing|writing|receiving|resolving|unpacking|delta compression)"
    r"|cloning into |(remote: +)?total \d|(to|from) |done$|error: failed to push some refs|(remote:)?\W*+$",
    re.IGNORECASE,
)
"""Lines of git's that say nothing of how it ended."""

# A push is two processes that write to one place, and the one that packs ends this line by itself: what the
# other has to say of the remote may come before that end.
_GLUED = lazy_pattern(r"(?m)^(Total \d.*?)(?=(?:remote|error|fatal): )")


# Whoever can write a project's settings can set a variable of its agent's environment, and hooks and their
# worker inherit it. What a person wants for good stands in a file that is their own.
_IGNORED_VARIABLES = (
    ("GIT_SSH_COMMAND", "ssh", "`git config --global core.sshCommand`, or a Host in ~/.ssh/config,"),
    ("GIT_SSH", "ssh", "`git config --global core.sshCommand`, or a Host in ~/.ssh/config,"),
    ("GIT_SSL_CAINFO", "https", "`git config --global http.sslCAInfo`"),
)


@dataclass(frozen=True)
class RemoteAnswer:
    """How a conversation with the remote ended; `reason` is one redacted line of its words,
    `ignored_variable` a sentence on a variable of the environment that ctxrepo doesn't pass on to git."""

    outcome: Outcome
    reason: str = ""
    ignored_variable: str = ""

    @property
    def ok(self) -> bool:
        return self.outcome == "ok"

    @property
    def _meaning(self) -> Meaning:
        return _NOTHING if self.ok else meanings().get(self.outcome, _NOTHING)

    @property
    def is_worth_retrying(self) -> bool:
        """Whether trying again within seconds could help."""
        return self._meaning.passes == "seconds"

    @property
    def next_step(self) -> str:
        return f"{self._meaning.next_step} {self.ignored_variable}".strip()

    @property
    def trouble(self) -> str:
        """What is wrong, in our words, when it won't pass by itself; else ''.

        For sessions to be told: the remote's own words could pose as orders."""
        return self._meaning.means if self._meaning.passes == "never" else ""


def ignored_variable(env: Mapping[str, str], url: str) -> str:
    """One sentence where the environment tells git how to reach `url`, which we don't pass on; else empty."""
    scheme = url.partition("://")[0].lower() if "://" in url else "ssh" if _SCP.match(url) else ""
    matches = ((name, instead) for name, of, instead in _IGNORED_VARIABLES if of == scheme and env.get(name))
    return next(
        (
            f"ctxrepo doesn't pass {name} on to git; {instead} does the same for good."
            for name, instead in matches
        ),
        "",
    )


def classify(words: str, *, pushing: bool = False) -> Outcome:
    """The outcome that git's words (both streams) tell.

    A push follows a fetch that was let in: what is forbidden then is only writing. A git that dies without
    a word was cut off."""
    words = _parted(words)
    if not words.strip():
        return "cut"
    if pushing and re.search("returned error: 403", words, re.IGNORECASE):
        return "readonly" if _outcome(words) == "auth" else _outcome(words)
    return _outcome(words)


def reason(words: str, outcome: Outcome) -> str:
    """The line of git's words that says most about an outcome; '' when there is none.

    What the remote's keepers wrote themselves comes first, then the line that decided, then git's summary."""
    lines = [line.strip() for line in _parted(words).splitlines() if line.strip()]
    lines = [line for line in lines if not _COUNTING.match(line)]
    # Any line that we don't know "fits" a failure that we don't know.
    fits = [line for line in lines if _outcome(line) == outcome] if outcome != "failed" else []
    theirs = [line for line in lines if re.match(r"(?i)remote: *\S|error: ", line)]
    summary = [line for line in lines if re.match(r"(?i)(fatal|error)", line)]
    by_them = outcome in ("protected", "quota", "refused", "readonly")
    ordered = [line for line in fits if line in theirs] + theirs if by_them else []
    return next(iter([*ordered, *fits, *summary, *lines]), "")[:300]


def _parted(words: str) -> str:
    """git's words, with each thing that it says on a line of its own."""
    return _GLUED.sub(r"\1\n", words)


def _outcome(words: str) -> Outcome:
    return next((outcome for outcome, pattern in _patterns() if pattern.search(words)), "failed")
