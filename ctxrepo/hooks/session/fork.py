"""A fork goes on with a copy of another session's conversation, so its ledger begins as a copy of that one's.

Claude Code doesn't tell a hook which session that was, and the fork's transcript isn't written yet. The
command line that the agent was started with says it, where the system shows it to us (Linux).
"""

import os

from ctxrepo.hooks.files.small import bytes_of
from ctxrepo.hooks.session.session import Session

_WORDS_BYTES = 64 * 1024


def begin_as_copy(session: Session, transcript: str) -> None:
    """Note in the ledger of a session that begins as a fork what the one it was made of had been given.

    Where nobody can tell which that was, nothing: then some of it is given again.
    """
    is_claude = session.agent == "claude"
    before = origin_of(os.environ.get("CLAUDE_PID", ""), transcript) if is_claude else ""
    if before and before != session.id:
        session.is_fork_of(before)
        session.save()


def origin_of(process: str, transcript: str) -> str:
    """The session that Claude Code, which is the process of this number, was told to go on with.

    '' where it isn't said, or where it goes on with a part of that session only.
    """
    if not process.isascii() or not process.isdecimal():
        return ""
    data = bytes_of(f"/proc/{process}/cmdline", _WORDS_BYTES) or b""
    words = data.decode("utf-8", "replace").split("\0")
    if "--resume-session-at" in words:
        return ""
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word in ("-r", "--resume"):
            return after
        if word.startswith("--resume="):
            return word[9:]
        if word in ("-c", "--continue"):
            return _newest_in(os.path.dirname(transcript))
    return ""


def _newest_in(folder: str) -> str:
    """The session whose transcript was written last, which is the one that `--continue` goes on with."""
    found = []
    try:
        with os.scandir(folder) as files:
            found = [(one.stat().st_mtime_ns, one.name) for one in files if one.name.endswith(".jsonl")]
    except OSError:
        pass  # removed meanwhile, or not there: nobody can tell
    return max(found)[1][: -len(".jsonl")] if found else ""
