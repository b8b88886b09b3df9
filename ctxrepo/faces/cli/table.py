"""Every command with its options and arguments, read from `table.tsv`, which needs no parser; and what
commands are called elsewhere.

`tools/reference.py` writes the file from the commands themselves, and a test compares the two."""

import os

FILE = os.path.join(os.path.dirname(__file__), "table.tsv")


class Param:
    """An option or an argument of a command; an argument has no names.

    `name` is the parameter's of the command's function. `is_text` tells that it takes any text as it is."""

    def __init__(self, name: str, names: str, metavar: str, traits: str, summary: str) -> None:
        self.name = name
        self.names = names.split()
        self.metavar = metavar
        self.is_flag = "flag" in traits
        self.is_many = "many" in traits
        self.is_hidden = "hidden" in traits
        self.is_required = "required" in traits
        self.is_text = "text" in traits
        self.summary = summary


class CommandEntry:
    """A command or a group of commands. `module` has it, `panel` is the heading it is listed under.

    `function` is what the module calls the command's function; '' for a group, and for a command of one."""

    def __init__(self, name: str, module: str, function: str, panel: str, traits: str, summary: str) -> None:
        self.name = name
        self.module = module
        self.function = function
        self.panel = panel
        self.is_group = "group" in traits
        self.is_hidden = "hidden" in traits
        self.summary = summary
        self.params: list[Param] = []
        self.commands: dict[str, CommandEntry] = {}


def read() -> CommandEntry:
    """The root command, with all others below it."""
    with open(FILE, encoding="utf-8") as file:
        lines = file.read().split("\n")
    root = entry = CommandEntry("", "", "", "", "group", "")
    for line in filter(None, lines):
        start, *cells = line.split("\t")
        if not start:
            entry.params.append(Param(*cells))
            continue
        above, _, word = start.rpartition(" ")
        entry = CommandEntry(word, *cells)
        (root.commands[above] if above else root).commands[word] = entry
    return root


SYNONYMS = {
    "show": ["read"],
    "cat": ["read"],
    "find": ["search"],
    "grep": ["search"],
    "ls": ["list"],
    "rm": ["forget"],
    "delete": ["forget"],
    "todo": ["scratch"],
    "consolidate": ["dream"],
    "digest": ["tape", "digest"],
    "backfill": ["dream", "--only", "sessions"],
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
