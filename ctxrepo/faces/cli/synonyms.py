"""What commands are called elsewhere: names that mean one of ours, and names that only lead to it."""

SYNONYMS = {
    "show": ["read"],
    "cat": ["read"],
    "ls": ["list"],
    "rm": ["forget"],
    "delete": ["forget"],
    "todo": ["scratch"],
    "version": ["--version"],
    "-V": ["--version"],
}
"""The first word of a command line -> what it stands for. No commands: `--help` doesn't list them."""

NEAREST = {
    "review": "`ctxrepo history --in-review` shows what waits, `ctxrepo declined` what reviewers removed.",
    "diff": "`ctxrepo history TARGET` shows what changed, and `--show COMMIT` prints a version.",
    "why": "`ctxrepo trace` shows what a prompt was given and why, `ctxrepo recall --explain Q` of any text.",
    "ui": "`ctxrepo list --tree` and `ctxrepo search` look through the notes; they are plain files.",
    "note": "`ctxrepo new` makes a note, `ctxrepo remember` adds one fact.",
    "add": "`ctxrepo remember` adds one fact, `ctxrepo new` a note.",
    "faults": "`ctxrepo doctor --faults` lists the problems that sessions were told about.",
    "inbox": "`ctxrepo status` counts the proposals that wait; no command accepts them yet.",
    "verify": "`ctxrepo check` looks through the notes, `ctxrepo cache verify` at what hooks answer from.",
    "revert": "`ctxrepo undo COMMIT` takes a commit back.",
}
"""Names that no command has -> what does the nearest thing."""


def with_own_names(words: list[str]) -> list[str]:
    """The command line with a synonym (`rm`) replaced by our command (`forget`)."""
    first, *rest = words or [""]
    if first == "help":
        return [*rest, "--help"]
    return [*SYNONYMS.get(first, [first] * bool(words)), *rest]
