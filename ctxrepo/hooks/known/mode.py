"""What the hooks give in each delivery mode: parts of a start, and what goes beside prompts.

Faults are told in every mode: nobody else would.
"""

DEFAULT = "delta"

_GIVES = {
    "delta": ("preamble", "packet", "recall", "changes", "subindex"),
    "once": ("preamble", "packet", "subindex"),
    # The packet stands in the system prompt, or in a file that the agent reads: hooks would say it again.
    "system": ("recall", "changes", "subindex", "elsewhere"),
    "file": ("recall", "changes", "elsewhere"),
    "pull": ("preamble",),
}


def gives(settings: dict[str, str], part: str) -> bool:
    """Whether the hooks give this part: `preamble` and `packet` at a start, `recall` and `changes` beside
    prompts, `subindex` to a subagent. `elsewhere`: the packet stands where the agent sees it all the time."""
    return part in _GIVES.get(settings.get("mode", DEFAULT), _GIVES[DEFAULT])


def why_not(settings: dict[str, str], part: str) -> str:
    """Why this part isn't given, for a person who wonders; '' where it is."""
    return "" if gives(settings, part) else f"delivery.mode is {settings['mode']}"
