"""Which session a fork of Claude Code was made of.

Claude Code doesn't tell a hook which that was, and the fork's transcript isn't written yet. The command line
that the agent was started with says it, where the system shows it to us (Linux).
"""

import os

from ctxrepo.hooks.files.small import bytes_of

_WORDS_BYTES = 64 * 1024


def origin(transcript: str) -> str:
    """The session that the one whose `transcript` this is goes on with, '' where nobody can tell."""
    return origin_of(os.environ.get("CLAUDE_PID", ""), transcript)


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
