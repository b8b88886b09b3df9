"""What commands are called elsewhere: names that mean one of ours."""

SYNONYMS = {
    "show": ["read"],
    "cat": ["read"],
    "find": ["search"],
    "grep": ["search"],
    "ls": ["list"],
    "rm": ["forget"],
    "delete": ["forget"],
    "todo": ["scratch"],
    "version": ["--version"],
    "-V": ["--version"],
}
"""The first word of a command line -> what it stands for. No commands: `--help` doesn't list them."""


def with_own_names(words: list[str]) -> list[str]:
    """The command line with a synonym (`rm`) replaced by our command (`forget`)."""
    first, *rest = words or [""]
    if first == "help":
        return [*rest, "--help"]
    return [*SYNONYMS.get(first, [first] * bool(words)), *rest]
