"""Rules that agents are held to: on which calls of tools one bears, and what is done then.

A rule is one line, as people type it and records have it: `block command kubectl apply`."""

BLOCK, WARN, VERIFY = ACTIONS = ("block", "warn", "verify")
COMMAND, PATTERN, TOOL, FILE = TRIGGERS = ("command", "pattern", "tool", "file")

REFUSED, WARNED, PASSED = "refused", "warned", ""
"""What is done about a call."""

MET, CHANGED = "met", "changed "
"""How a session may stand with a rule that verifies: what it needs was run, or a file was changed since, the
name of which follows. With one that warns it stands as WARNED once it was, and with any other as ''."""

_NEEDS = " needs "

FORMS = (
    "block or warn, then command TEXT, pattern EXPRESSION, tool NAME or file GLOB; "
    "or verify, the same, and needs COMMAND"
)
"""How rules are spelled, for a message."""


class ToolCall:
    """What an agent is about to do: with which tool, which command line, and on which files, each by all
    names that a rule may have for it."""

    def __init__(self, tool: str = "", command: str = "", files: tuple[str, ...] = ()) -> None:
        self.tool = tool
        self.command = " ".join(command.split())
        self.files = files


class EnforcedRule:
    """What is done (`action`) about calls that a `trigger` finds by its `text`. `needs` is the command that a
    rule which verifies wants: before each command or tool that it finds, and after each change of a file."""

    def __init__(self, action: str, trigger: str, text: str, needs: str = "") -> None:
        self.action = action
        self.trigger = trigger
        self.text = text
        self.needs = needs

    @property
    def line(self) -> str:
        """The rule as it is typed and recorded."""
        return f"{self.action} {self.trigger} {self.text}" + (f"{_NEEDS}{self.needs}" if self.needs else "")

    def place_in(self, call: ToolCall) -> int:
        """Where in the call's command line the rule bears on it, 0 where not by that; -1 if it doesn't."""
        if self.trigger == COMMAND:
            return call.command.find(self.text)
        if self.trigger == PATTERN:
            import re  # few rules have one

            match = re.search(self.text, call.command)
            return match.start() if match else -1
        from fnmatch import fnmatchcase

        names = call.files if self.trigger == FILE else (call.tool,)
        return 0 if any(fnmatchcase(name, self.text) for name in names) else -1

    def is_met_by(self, call: ToolCall) -> bool:
        """Whether the call runs the command that the rule needs, before whatever it bears on."""
        at, place = call.command.find(self.needs), self.place_in(call)
        return bool(self.needs) and at >= 0 and (place < 0 or self.trigger == FILE or at < place)

    def judge(self, call: ToolCall, state: str) -> "tuple[str, str]":
        """(what is done about a call, how the session stands with the rule afterwards); `state` is how it
        stood before."""
        bears = self.place_in(call) >= 0
        if self.action == BLOCK:
            return (REFUSED if bears else PASSED), state
        if self.action == WARN:
            return (WARNED, WARNED) if bears and state != WARNED else (PASSED, state)
        if self.is_met_by(call):
            return PASSED, "" if bears and self.trigger != FILE else MET
        if not bears:
            return PASSED, state
        if self.trigger == FILE:
            names = [name for name in call.files if self.place_in(ToolCall(files=(name,))) >= 0]
            return PASSED, CHANGED + names[-1]
        return (PASSED if state == MET else REFUSED), ""


def rule_of(line: str) -> "EnforcedRule | None":
    """The rule on this line; None for a line that has none, or one that a later version understands."""
    action, _, rest = " ".join(line.split()).partition(" ")
    trigger, _, rest = rest.partition(" ")
    text, _, needs = rest.partition(_NEEDS) if action == VERIFY else (rest, "", "")
    if action not in ACTIONS or trigger not in TRIGGERS or not text or (action == VERIFY) != bool(needs):
        return None
    return EnforcedRule(action, trigger, text, needs)
