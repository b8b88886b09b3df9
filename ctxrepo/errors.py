"""Every error ctxrepo raises on purpose.

    CtxrepoError            1  what failed, and what to look at
    ├── UsageError          2  a word on the command line, in a target or in a query that can't be understood
    │   └── ConfigError     2  which file, which key, what was expected
    ├── NotFound            3  the note, entry, project or match isn't there
    │   └── NoMatch         3  nothing has the name, or fits the words, that were given
    ├── Refused             6  the write guard said no; nothing was written
    ├── NotInitialised      1  there is no memory repository yet
    ├── Unsaved             1  what adds could be written nowhere, as in a sandbox that leaves no folder open
    ├── Unreadable          1  a file is there and can't be read
    ├── NoAnswer            1  a folder hangs, as one on a network disk that is gone
    ├── Busy                1  another process holds a lock longer than is polite to wait
    ├── RepositoryState     1  the clone is in a state a person must end first (a merge, another branch …)
    │   └── OtherOwner      1  a place of ctxrepo's belongs to another user; notes in it are read, no more
    ├── BeyondBounds        1  something has more than a memory may have: paths, commits, bytes
    ├── KeptUnusable        1  what is kept of sessions can't be read or written
    ├── ModelUnusable       1  the model that recall.model names isn't there, or can't be loaded
    └── GitFailed           1  git or the object store gave up; its words, redacted
        ├── Uncommitted     1  no commit could be made, as the key can't sign; what was written is in view
        │   └── Unsigned    1  a commit must be signed, which is never done under a lock
        └── Damaged         1  something in the clone's git folder can't be read; `doctor --fix` mends it

The number is the exit code of a command that ends with it. Expected outcomes (offline, refused by the
remote, a version kept aside) are values, not errors. Messages hold no credential and no runnable
destructive command, because agents act on what they read."""

import errno

INTERRUPTED = 130
"""The exit code of a command that its user has interrupted."""


class CtxrepoError(Exception):
    """Root of the tree: `message` says what was wrong and where, `hint` what to do next."""

    exit_code = 1
    code = "failed"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(CtxrepoError):
    exit_code = 2
    code = "usage"


class ConfigError(UsageError):
    code = "config"


class NotFound(CtxrepoError):
    exit_code = 3
    code = "not_found"


class NoMatch(NotFound):
    code = "no_match"


class Refused(CtxrepoError):
    exit_code = 6
    code = "refused"


class NotInitialised(CtxrepoError):
    code = "not_initialised"


class Unsaved(CtxrepoError):
    """`project` is the id of the project that the command ran in; '' for none."""

    code = "unsaved"

    def __init__(self, message: str, hint: str, project: str) -> None:
        super().__init__(message, hint)
        self.project = project


class Unreadable(CtxrepoError):
    code = "unreadable"


class NoAnswer(CtxrepoError):
    code = "no_answer"


class Busy(CtxrepoError):
    code = "busy"


class RepositoryState(CtxrepoError):
    code = "repository_state"


class OtherOwner(RepositoryState):
    pass


class BeyondBounds(CtxrepoError):
    code = "bounds"


class KeptUnusable(CtxrepoError):
    code = "kept_unusable"


class ModelUnusable(CtxrepoError):
    code = "model"


class GitFailed(CtxrepoError):
    code = "git"


UNLOCK = "Unlock the signing key, then `ctxrepo sync`. Until then what is written is only found here."


class Uncommitted(GitFailed):
    pass


class Unsigned(Uncommitted):
    """Carries the `tree`, the `parents` and the `text` of the commit."""

    def __init__(self, tree: str, parents: tuple[str, ...], text: str) -> None:
        super().__init__("what was written waits for a signature", "`ctxrepo sync` asks for one.")
        self.key = (tree, parents, text)


class Damaged(GitFailed):
    code = "damaged"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint or "`ctxrepo doctor --fix` mends it; nothing is deleted.")


def next_step(error: OSError) -> str:
    """What helps where the system wouldn't write; '' where that can't be told."""
    if error.errno == errno.EROFS:
        return "Run the command where that can be written: outside of an agent's sandbox, for example."
    return "Make room on that disk, and run the command again." if error.errno == errno.ENOSPC else ""


def in_words(error: Exception) -> str:
    """What a log says of an error: one line where it was foreseen."""
    if isinstance(error, CtxrepoError):
        return f"{error.message}. {error.hint}" if error.hint else error.message
    if isinstance(error, OSError):
        return str(error)
    import traceback  # rare, and errors is what everything imports

    return "".join(traceback.format_exception(error))
