"""Runs the git executable: argument list, scrubbed environment, bounded time and memory, redacted words."""

import os
import re
import resource
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from ctxrepo.domain.formats.blocks import texts_beside
from ctxrepo.domain.guard.bounds import GIT_FILE, GIT_MEMORY, GIT_SECONDS, SAID_BYTES, Bound
from ctxrepo.domain.secrets import redact
from ctxrepo.errors import GitFailed
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.processes.process import GivenUp, SaidTooMuch, converse, watched

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

MOST_OUTPUT = 256 * 1024 * 1024
"""Bytes that git may say about a repository of somebody else's: a million paths, or files in one batch."""

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
        `is_here`: the remote is on this machine, and the limits hold for its side as well."""
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


_GUARDS = {
    name: [line for line in text.splitlines() if not line.startswith("#")]
    for name, text in texts_beside(__spec__, "guards.config").items()
}
"""Settings that hold in every git of ours, and those for a folder whose configuration somebody else wrote."""

_SECRET_NAMES = lazy_pattern(r"(^GIT_|_KEY$|_TOKEN$|_SECRET$|_PASSWORD$|_MESSAGING(_|$)|^CTXREPO_HOOK$)")
OLDEST_GIT = (2, 30)
"""The oldest git that we work with, and why no older one:

- 2.28 knows `git init --initial-branch`;
- 2.29 knows `git fetch --no-write-fetch-head` and `--stdin`, and GIT_DEFAULT_HASH;
- 2.30 is that of Debian 11, the oldest system that our tests have run on."""

INSTALL_GIT = f"Install git {'.'.join(map(str, OLDEST_GIT))} or newer."

_FORMATS = {"GIT_DEFAULT_HASH": "sha1", "GIT_DEFAULT_REF_FORMAT": "files"}
"""The formats of every repository that git makes for us, whatever its own default is: git 3 announces others
(ADR 65). They are variables and not options, because a git before 2.45 refuses `--ref-format`, and ignores a
variable that it doesn't know."""

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Answer:
    """How a git process ended; `code` is None when it was given up, `excess` tells of exceeded limits."""

    code: int | None
    out: str
    err: str
    excess: str = ""

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def reason(self) -> str:
        """The most telling line of its output, redacted."""
        if self.code is None:
            return "no answer in time"
        lines = [line.strip() for line in redact(self.err or self.out).splitlines() if line.strip()]
        telling = [line for line in lines if re.match(r"(?i)(fatal|error|remote: *error|ERROR)", line)]
        return (telling or lines or [f"git ended with code {self.code}"])[0][:300]


@dataclass(frozen=True)
class Watch:
    """How a git is watched: ended after `silence` seconds without a word (so it may be given
    `--progress`); `limits` hold for each process that it starts, too; `progress` hears whole lines of it."""

    silence: float | None = None
    limits: Limits | None = None
    progress: Progress | None = None


UNWATCHED = Watch()


@dataclass(frozen=True)
class Git:
    """The git executable, run in `folder` with the environment `env` without all that could steer it.
    `file_remote`: the user named a remote on this disk, without which git may not open one."""

    folder: Path
    env: Mapping[str, str]
    file_remote: bool = False
    is_offline: bool = False
    """git speaks no protocol, so that nothing is fetched, or run for it."""
    git_dir: Path | None = None
    """The git directory to use, so that git doesn't look for one."""
    common_dir: Path | None = None
    """The directory with its configuration, objects and refs, if that is another one."""

    def _command(self, args: Sequence[str], limits: Limits | None) -> list[str]:
        # In a code checkout nothing is fetched, and git finds a configuration that anybody may have written.
        is_foreign = self.is_offline and not self.git_dir
        guards = (*_GUARDS["everywhere"], *(_GUARDS["foreign"] if is_foreign else ()))
        command = ["git", *(word for guard in guards for word in ("-c", guard)), *args]
        return limits.on(command) if limits else command

    def run(
        self,
        *args: str,
        timeout: float,
        stdin: bytes = b"",
        index: Path | None = None,
        trace: bool = False,
        watch: Watch = UNWATCHED,
    ) -> Answer:
        """Run `git *args`; its whole process group is ended after `timeout` seconds. `index` stands in for
        the clone's index. With `trace` its errors hold the packets it exchanged with a server."""
        silence, limits = watch.silence, watch.limits
        more = {"GIT_INDEX_FILE": str(index)} if index else {}
        more |= {"GIT_TRACE_PACKET": "1"} if trace else {}
        try:
            process = subprocess.Popen(
                self._command(args, limits),
                cwd=self.folder,
                env=self._environment() | more,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # its own group to kill, and no terminal to ask a password on
            )
        except OSError as error:
            raise GitFailed(f"git could not be started: {error.strerror or error}", INSTALL_GIT) from error
        # A conversation may hang for minutes, and is not to outlive us; what is local is over before that.
        with process, watched(process) if silence is not None else nullcontext():
            try:
                hear = _Lines(watch.progress).hear if watch.progress else None
                most = SAID_BYTES.most if limits else None
                out, err = converse(process, stdin, limit=timeout, silence=silence, most=most, hear=hear)
            except GivenUp:
                return Answer(None, "", "")
            except SaidTooMuch:
                return Answer(None, "", "", SAID_BYTES.message_for("what it says"))
        answer = Answer(process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))
        if limits and answer.code == NOT_FOUND:
            raise GitFailed("git could not be started: it is not found", INSTALL_GIT)
        excess = limits.excess(process.returncode, answer.err, is_here=self.file_remote) if limits else ""
        return replace(answer, excess=excess)

    def output(self, *args: str, timeout: float, stdin: bytes = b"") -> bytes | None:
        """What `git *args` says, byte for byte; None when it fails, isn't done in time, or says too much."""
        try:
            with subprocess.Popen(
                self._command(args, None),
                cwd=self.folder,
                env=self._environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            ) as process:
                out, _ = converse(process, stdin, limit=timeout, most=MOST_OUTPUT)
        except (OSError, GivenUp, SaidTooMuch):
            return None
        return out if process.returncode == 0 else None

    def ask(self, *args: str, timeout: float = 20) -> str:
        """The output of a local question; GitFailed when git can't answer."""
        answer = self.run(*args, timeout=timeout)
        if not answer.ok:
            raise GitFailed(f"git {args[0]} failed: {answer.reason}")
        return answer.out

    def _environment(self) -> dict[str, str]:
        inherited = {k: v for k, v in self.env.items() if not _SECRET_NAMES.search(k)}
        protocols = "none" if self.is_offline else "https:ssh:file" if self.file_remote else "https:ssh"
        return inherited | {
            **_FORMATS,
            "LC_ALL": "C",  # its words are read by `remote`
            "GIT_ALLOW_PROTOCOL": protocols,  # which no configuration can widen
            **({"GIT_NO_LAZY_FETCH": "1"} if self.is_offline else {}),
            **({"GIT_DIR": str(self.git_dir)} if self.git_dir else {}),
            **({"GIT_COMMON_DIR": str(self.common_dir)} if self.common_dir else {}),
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "false",
            "SSH_ASKPASS": "false",
            "SSH_ASKPASS_REQUIRE": "never",
            "GCM_INTERACTIVE": "never",
            "GIT_OPTIONAL_LOCKS": "0",
        }


def nowhere(env: Mapping[str, str]) -> Git:
    """The git executable outside every repository, for questions about single files."""
    return Git(Path("/"), env, is_offline=True, git_dir=Path(os.devnull))


class _Lines:
    """Passes on whole lines of output that arrives in pieces: half a credential can't be redacted."""

    def __init__(self, tell: Progress) -> None:
        self._tell = tell
        self._rest = b""

    def hear(self, chunk: bytes) -> None:
        whole, end, self._rest = (self._rest + chunk).replace(b"\r", b"\n").rpartition(b"\n")
        if end:
            self._tell(redact((whole + end).decode("utf-8", "replace")))
