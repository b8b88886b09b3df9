"""Which session a session of Claude Code was forked from.

Claude Code doesn't tell a hook, and the fork's transcript isn't written yet. The command line that the agent
was started with tells it, on a system that shows command lines of processes as files (Linux).
"""

import os

from ctxrepo.hooks.own_files import bytes_of

_WORDS_BYTES = 64 * 1024


def origin(transcript: str) -> str:
    """The id of the session that the one with this `transcript` goes on with; '' where it can't be told."""
    return origin_of(os.environ.get("CLAUDE_PID", ""), transcript)


def origin_of(process: str, transcript: str) -> str:
    """The id of the session that the Claude Code with this process id was told to go on with.

    '' where the command line names none, or where it goes on with only a part of that session.
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
