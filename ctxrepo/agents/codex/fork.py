"""Which session a session of Codex was forked from: the first line of its transcript names it."""

from ctxrepo.hooks.own_files import start_of

_HEAD_BYTES = 4096
_MARK = '"forked_from_id":"'


def origin(transcript: str) -> str:
    """The id of the session that the one with this `transcript` goes on with; '' where it can't be told."""
    head = start_of(transcript, _HEAD_BYTES).decode("utf-8", "replace").partition("\n")[0]
    return head.partition(_MARK)[2].partition('"')[0]
