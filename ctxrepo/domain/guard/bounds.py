"""Limits on the size of a memory, and error messages for exceeding them.

Whoever can push to the remote decides how much there is to walk: a few dozen folder objects make ten billion
paths. Every walk counts, and stops here."""

from ctxrepo.errors import BeyondBounds
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class Bound:
    """At most `most` of `what`, a plural; `where` says in a few words where it is counted."""

    most: int
    what: str
    where: str

    def require(self, count: int, at: str) -> None:
        """Raise BeyondBounds when `at`, a commit or a folder or a file, has more."""
        if count > self.most:
            raise BeyondBounds(
                f"{at} has {count:,} {self.what}, more than the {self.most:,} that a memory may have"
            )

    def message_for(self, at: str) -> str:
        """The message that `at` exceeds this limit, without saying by how much."""
        return f"{at} takes more than the {self.most:,} {self.what} that it may"


PATHS = Bound(250_000, "files and folders", "one version of the memory")
DEPTH = Bound(64, "folders within each other", "one version of the memory")
PATH_BYTES = Bound(64 * 2**20, "bytes of paths", "one version of the memory")
FOLDER_BYTES = Bound(64 * 2**20, "bytes of folder listings", "one version of the memory")
FILE_BYTES = Bound(2 * 2**20, "bytes", "one file that is read; a larger one stays in the history")
COMMITS = Bound(300_000, "commits", "the history")
COMMIT_BYTES = Bound(2**20, "bytes", "one commit: its headers and its message")
HISTORY_BYTES = Bound(512 * 2**20, "bytes of commits", "the history")
PARENTS = Bound(100, "parents", "one commit")
MESSAGE = Bound(64 * 2**10, "bytes", "a message that is shown; the rest of it is left out")
SAID_BYTES = Bound(16 * 2**20, "bytes of words", "what git and the remote say in one conversation")
GIT_MEMORY = Bound(400 * 2**20, "bytes of memory", "one git that speaks with the remote")
GIT_SECONDS = Bound(30, "seconds of a processor", "one git that takes what the remote sends")
GIT_FILE = Bound(2**30, "bytes in a file", "what git keeps of one answer of the remote, compressed")
CUT_OUT = Bound(2**32, "bytes of larger files that its files are cut out of", "one answer of the remote")
