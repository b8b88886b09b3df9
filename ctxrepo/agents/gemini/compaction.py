"""The last compaction of a session of Gemini CLI: no hook is told of one, but the conversation that goes on
is written into the transcript, and in it what stands behind the summary."""

from ctxrepo.hooks.own_files import end_of

_MOST_BYTES = 8 * 1024 * 1024
"""As much of the end of a transcript is read; a compaction that lies farther back counts as none."""

_MARK = b'"type":"gemini","content":[{"text":"Got it. Thanks for the additional context!"}]'
"""The answer to the summary that Gemini CLI has the model give; it has an id of its own, which stays."""

_ID = b'{"id":"'


def last_compaction(transcript: str) -> str:
    """The id of that answer in this transcript; '' where there is none."""
    text = end_of(transcript, _MOST_BYTES)
    at = text.rfind(_MARK)
    start = text.rfind(_ID, 0, at) + len(_ID) if at > 0 else -1
    return text[start : text.find(b'"', start)].decode("ascii", "replace") if start >= len(_ID) else ""
