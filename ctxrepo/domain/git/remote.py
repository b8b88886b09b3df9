"""What a remote's answer means, recognised by git's words: the one table of outcomes, and the one of
words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

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

    `passes`: whether it passes by itself within seconds, later, or not before somebody does something.
    """

    means: str
    next_step: str
    passes: Passes = "never"


MEANINGS: Mapping[Outcome, Meaning] = {
    "overtaken": Meaning(
        "another machine was faster each time",
        "Everything is saved here; the next sync tries again.",
        "seconds",
    ),
    "offline": Meaning(
        "it can't be reached from here", "Everything is saved here; the next sync sends it.", "later"
    ),
    "cut": Meaning("the connection broke", "Everything is saved here; the next sync sends it.", "seconds"),
    "timeout": Meaning(
        "it accepted the connection and then stopped answering",
        "Everything is saved here; the next sync sends it. On a slow line raise sync.timeout.",
        "later",
    ),
    "busy": Meaning(
        "it is overloaded or asks us to slow down",
        "Everything is saved here; the next sync sends it.",
        "later",
    ),
    "auth": Meaning(
        "git can't log in there",
        "Everything is saved here. `git fetch` in the memory repository shows what it wants of you.",
    ),
    "untrusted": Meaning(
        "it could not prove who it is",
        "Everything is saved here. Ask whoever keeps it before you trust its new host key or certificate.",
    ),
    "readonly": Meaning(
        "these credentials may read and not write",
        "Everything is saved here. Give your account or key the right to write there.",
    ),
    "protected": Meaning(
        "its branch takes no direct push",
        "Everything is saved here. Let your account push to that branch, or to branches below ctxrepo/.",
    ),
    "quota": Meaning(
        "it has no room for what was sent",
        "Everything is saved here. Make room there, or ask whoever keeps it.",
    ),
    "refused": Meaning(
        "it refused what was sent",
        "Everything is saved here. Ask whoever keeps it, or give the memory another remote.",
    ),
    "missing": Meaning(
        "there is no such repository",
        "Everything is saved here. Check that it exists and that remote in config.toml names it.",
    ),
    "address": Meaning(
        "its address is of a kind that ctxrepo doesn't use, or redirects elsewhere",
        "Everything is saved here. Put its right address into config.toml.",
    ),
    "format": Meaning(
        "it is a repository in another format of git than ctxrepo works with, such as SHA-256",
        "Everything is saved here. ctxrepo works with SHA-1 repositories only: make the remote anew with "
        "`git init --bare --object-format=sha1`, or put the address of another one into config.toml.",
    ),
    "malformed": Meaning(
        "what it sent is damaged or forged",
        "Nothing of it was taken, local work goes on. Ask whoever keeps it to run `git fsck` there.",
    ),
    "bounds": Meaning(
        "it would make this more than a memory may be",
        "Nothing of it was taken, local work goes on. `git log` of that commit, here or in a clone of your "
        "own, shows who made it; once it is taken back there, sync goes on.",
    ),
    "secret": Meaning(
        "a commit holds what looks like a secret",
        "Nothing was sent. Take it out of that commit with git, or let it through with allow_secret.",
    ),
    "changed": Meaning(
        "it holds something else than before",
        "Everything is saved here and nothing was sent. If config.toml names the right remote, "
        "`ctxrepo sync --accept remote` goes on with it.",
    ),
    "failed": Meaning(
        "git failed for a reason that isn't known here",
        "Everything is saved here; `ctxrepo doctor` may know more.",
        "later",
    ),
}
"""Every outcome but `ok`."""

_SCP = lazy_pattern(r"[^/:]+:")
"""How `host:path` begins, which is ssh as well."""

# In this order: the first that fits decides. Words of git 2.30 to 2.50 with LC_ALL=C, OpenSSH, curl and
# the large hosting sites; `^` is the beginning of a line.
_WORDS: tuple[tuple[Outcome, str], ...] = (
    (
        "format",  # a push of SHA-1 to an empty SHA-256 remote also says that it hung up
        r"""^(error|fatal): (mismatched algorithms|unknown repository extensions? found
        |.*not support this repository's (hash algorithm|object format)|invalid value for 'extensions\.)""",
    ),
    (
        "quota",
        r"""^remote:.*(no space left|quota|file size limit|too large)|maximum (input|allowed) size
        |(returned error:|http) 413""",
    ),
    ("overtaken", "non-fast-forward|fetch first|cannot lock ref|incorrect old value|failed to update ref"),
    ("refused", "push cannot contain secrets|push protection|commit message|currently checked out"),
    (
        "protected",
        r"""protected branch|gh006|gh013|(?<!create a )(pull|merge) request|tf402455|prohibited by gerrit
        |not allowed to push code to protected|restricted branch|hook declined|push declined""",
    ),
    (
        "readonly",
        r"""read.only(?! file)|denied to|write access|not allowed to push|denied for writing
        |fatal: w .*denied by|^remote:.*insufficient permission
        |remote unpack failed: unable to create temp""",
    ),
    (
        "malformed",
        r"""^(error|fatal): (fsck error|object [0-9a-f]+: \w+: |pack is corrupted|inflate: data)
        |did not send all necessary objects|sha1 collision""",
    ),
    ("refused", "remote rejected|unpack(er)? err"),
    (
        "untrusted",
        r"""host key verification failed|identification has changed|certificate|ssl certificate
        |ssl: no alternative""",
    ),
    (
        "auth",
        r"""authentication fail|permission denied|could not read (username|password)|publickey
        |terminal prompts disabled|access denied|returned error: 40[13]|invalid credentials
        |dubious ownership|fatal: r .*denied by""",
    ),
    ("address", r"transport '.*' not allowed|returned error: 30\d|url base from redirection"),
    (
        "missing",
        r"""couldn't find remote ref|repository.*not found|does not appear to be a git repository
        |returned error: 404|no such remote|not exported|does not exist|could not be found
        |not valid: is this a git repository""",
    ),
    ("busy", r"(returned error:|http) (429|5\d\d)|too many requests|rate limit"),
    (
        "offline",
        r"""could not resolve|couldn't connect|could not connect|failed to connect|network is unreachable
        |connection (refused|timed out)|no route to host|timed out|unable to look up""",
    ),
    (
        "cut",
        r"""connection (was )?(reset|closed|aborted)|early eof|hung up|unexpected disconnect|rpc failed
        |broken pipe|(recv|send) failure|unexpected eof|tls packet|handshake|ssl_(read|connect|error)
        |gnutls (recv|send) error
        |bad packet|bad line length|protocol error|kex_exchange|banner exchange|ssh_dispatch_run_fatal""",
    ),
)
_PATTERNS = tuple(
    (outcome, lazy_pattern("".join(map(str.lstrip, words.splitlines())), re.IGNORECASE | re.MULTILINE))
    for outcome, words in _WORDS
)
_COUNTING = lazy_pattern(
    r"(remote: +)?(enumerating|counting|compressing|writing|receiving|resolving|unpacking|delta compression)"
    r"|cloning into |(remote: +)?total \d|(to|from) |done$|error: failed to push some refs|(remote: *)?\W*$",
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
    def is_worth_retrying(self) -> bool:
        """Whether trying again within seconds could help."""
        return self._passes("seconds")

    @property
    def next_step(self) -> str:
        step = MEANINGS[self.outcome].next_step if self.outcome in MEANINGS else ""
        return f"{step} {self.ignored_variable}".strip()

    @property
    def trouble(self) -> str:
        """What is wrong, in our words, when it won't pass by itself; else ''.

        For sessions to be told: the remote's own words could pose as orders.
        """
        return MEANINGS[self.outcome].means if self._passes("never") else ""

    def _passes(self, when: Passes) -> bool:
        return self.outcome in MEANINGS and MEANINGS[self.outcome].passes == when


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
    a word was cut off.
    """
    words = _parted(words)
    if not words.strip():
        return "cut"
    if pushing and re.search("returned error: 403", words, re.IGNORECASE):
        return "readonly" if _found(words) == "auth" else _found(words)
    return _found(words)


def reason(words: str, outcome: Outcome) -> str:
    """The line of git's words that says most about an outcome; '' when there is none.

    What the remote's keepers wrote themselves comes first, then the line that decided, then git's summary.
    """
    lines = [line.strip() for line in _parted(words).splitlines() if line.strip()]
    lines = [line for line in lines if not _COUNTING.match(line)]
    # Any line that we don't know "fits" a failure that we don't know.
    fits = [line for line in lines if _found(line) == outcome] if outcome != "failed" else []
    theirs = [line for line in lines if re.match(r"(?i)remote: *\S|error: ", line)]
    summary = [line for line in lines if re.match(r"(?i)(fatal|error)", line)]
    by_them = outcome in ("protected", "quota", "refused", "readonly")
    ordered = [line for line in fits if line in theirs] + theirs if by_them else []
    return next(iter([*ordered, *fits, *summary, *lines]), "")[:300]


def _parted(words: str) -> str:
    """git's words, with each thing that it says on a line of its own."""
    return _GLUED.sub(r"\1\n", words)


def _found(words: str) -> Outcome:
    return next((outcome for outcome, pattern in _PATTERNS if pattern.search(words)), "failed")
