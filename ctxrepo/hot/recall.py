"""What a prompt recalls: the few entries that matter for it, or silence, and why."""

import _sqlite3

from ctxrepo.hot.gate import is_silent
from ctxrepo.hot.query import Hit, find

LIMIT = 4
"""Entries beside one prompt."""

Answer = tuple[str, list[Hit], list[tuple[Hit, str]]]
"""(why there is silence, '' when there is none; entries, best first; entries left out, each with why)"""

SOCIAL = "the prompt is too short, or only thanks, agrees or greets"
NOTHING = "no entry has any of its telling words"


def recall(
    cache: _sqlite3.Connection,
    prompt: str,
    before: list[str],  # noqa: ARG001 - told apart from here on, and used by the ranking that comes next
    scopes: list[str],
    limit: int = LIMIT,
    gated: bool = True,
) -> Answer:
    """At most `limit` entries of `scopes` for `prompt`, which follows the prompts `before` (oldest first).

    Not `gated` answers whatever there is, for a person who asks or a benchmark.
    """
    if gated and is_silent(prompt):
        return SOCIAL, [], []
    hits = find(cache, prompt, scopes, limit)
    return ("" if hits else NOTHING), hits, []
