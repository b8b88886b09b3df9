"""How our MCP server is started, and how it stands in a document of JSON that lists an agent's servers."""

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path, PurePath

from ctxrepo.agents.hook_line import NAME
from ctxrepo.agents.wanted import Line, ServerList
from ctxrepo.domain.formats import jsontext
from ctxrepo.lazy import dataclass

ARGUMENTS = ("-I", "-m", "ctxrepo", "mcp")
"""What the interpreter is given. An agent starts the server in the folder of a project, whose settings may
set variables: -I keeps Python from importing what that folder has or PYTHONPATH names."""


VARIABLES = ("CTXREPO_HOME", "CTXREPO_CONFIG", "CTXREPO_STATE")
"""The variables that setup sets in an entry, or takes out; any other there is a person's."""


@dataclass(frozen=True)
class McpServer:
    """The interpreter that runs our server, and the variables that it needs: agents start servers with few
    of their own. `finds` tells where a command is on this machine, None where it can't be called."""

    interpreter: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    finds: Callable[[str], str | None] = lambda _command: None

    @property
    def entry(self) -> dict[str, object]:
        """The server as most agents list it."""
        return {"command": str(self.interpreter), "args": [*ARGUMENTS], "env": {**self.environment}}

    def is_run_by(self, command: str) -> bool:
        """Whether the command of an entry of ours starts it here: our interpreter, or what people paste."""
        is_there = PurePath(command).name == NAME and self.finds(command) is not None
        return is_there or command == str(self.interpreter)

    def renewed(self, entry: Mapping[str, object], there: Mapping[str, object]) -> Mapping[str, object]:
        """What of our `entry` is put into the one that is `there`: the variables, the command unless its own
        works, and what it lacks. A person may have changed any other field."""
        is_broken = not self.is_run_by(command_of(there))
        renewals = {"env": True, "environment": True, "command": is_broken, "args": is_broken}
        return {key: value for key, value in entry.items() if renewals.get(key, key not in there)}


def command_of(entry: object) -> str:
    """What an entry calls that starts our server, as setup writes it or with the command `ctxrepo mcp`, which
    people paste; '' for any other."""
    if not isinstance(entry, Mapping):
        return ""
    command, args = entry.get("command"), entry.get("args", [])
    words = [*command] if isinstance(command, list) else [command]
    words += args if isinstance(args, list) else []
    called, arguments = words[0] if words else None, tuple(words[1:])
    if not isinstance(called, str):
        return ""
    is_pasted = arguments == ("mcp",) and PurePath(called).name == NAME
    return called if is_pasted or arguments == ARGUMENTS else ""


NOT_OURS = f'"{NAME}" is the name of another MCP server here'
"""Why a list of servers is refused in which something else has the name of our server."""


@dataclass(frozen=True)
class JsonServers(ServerList):
    """A document in which the object at `key` has an agent's MCP servers by their names.

    `ours` is to be there, as it is `spelled`, or with None it isn't."""

    key: str
    ours: McpServer | None
    has_comments: bool = False
    """Whether the agent takes a document with comments."""
    spelled: Callable[[McpServer], Mapping[str, object]] = lambda ours: ours.entry

    def connect(self, text: str, _line: Line | None = None, original: str | None = None, /) -> str:
        """Put our server into the list, or bring it up to date, and leave other fields of it as they are.
        jsontext.Malformed when the document can't be read, or another server has the name of ours."""
        if self.ours is None:
            return self.disconnect(text, original)
        text, entry = jsontext.or_object(text), self.spelled(self.ours)
        servers = self._servers(text)
        there = jsontext.find(servers, (NAME,)) if servers else None
        if servers is None:
            return jsontext.append(text, (), {NAME: entry}, key=self.key)
        if there is None:
            return jsontext.append(text, (self.key,), entry, key=NAME)
        if not isinstance(there.value, dict) or not command_of(there.value):
            raise jsontext.Malformed(text, there.start, NOT_OURS)
        return _renewed(text, (self.key, NAME), there.value, self.ours.renewed(entry, there.value))

    def disconnect(self, text: str, original: str | None = None) -> str:
        """Take our server out, and the list if this leaves it empty and `original` has none."""
        if not self._may_have_ours(text) or not command_of(self.server(text)):
            return text
        text = jsontext.cut(text, (self.key, NAME))
        servers = self._servers(text)
        was_there = not jsontext.is_empty(original or "") and self._servers(original or "") is not None
        if servers is None or servers.items or was_there:
            return text
        if jsontext.comments(text[servers.start : servers.end]):
            return text  # what somebody wrote there outlives our server
        return jsontext.cut(text, (self.key,))

    def server(self, text: str) -> object:
        """The entry that has the name of our server; None where there is none."""
        if not self._may_have_ours(text):
            return None
        servers = self._servers(text)
        node = jsontext.find(servers, (NAME,)) if servers else None
        return node.value if node else None

    def outline(self, text: str) -> str:
        """The document with nothing in it but an empty list of servers, if it has one; if blank, itself."""
        if self.is_blank(text):
            return text
        return f'{{"{self.key}": {{}}}}\n' if self._servers(text) else "{}\n"

    def is_blank(self, text: str) -> bool:
        """Whether it says nothing: no text, or an object without comments that names its schema at most."""
        if jsontext.is_empty(text):
            return True
        value = jsontext.parse_commented(text).value
        return not jsontext.comments(text) and isinstance(value, dict) and not {*value} - {"$schema"}

    def _may_have_ours(self, text: str) -> bool:
        """Whether the name of our server stands anywhere: a document that concerns us nothing isn't read."""
        return f'"{NAME}"' in text

    def _servers(self, text: str) -> jsontext.Node | None:
        """The list of servers, None where there is none; jsontext.Malformed where it should be an object."""
        root = jsontext.parse_commented(text) if self.has_comments else jsontext.parse(text)
        if not isinstance(root.value, dict):
            raise jsontext.Malformed(text, root.start, "expected an object, with braces")
        servers = jsontext.find(root, (self.key,))
        if servers and not isinstance(servers.value, dict):
            raise jsontext.Malformed(text, servers.start, f'"{self.key}" should be an object, with braces')
        return servers


def _renewed(
    text: str, path: tuple[str, ...], known: Mapping[str, object], values: Mapping[str, object]
) -> str:
    """The document with these values in the object at `path`, which has those `known`: None takes one out,
    what is empty needn't be there, and of variables only ours are touched."""
    for key, value in values.items():
        there = known.get(key)
        if key not in known:
            text = jsontext.append(text, path, value, key=key) if value else text
        elif value is None:
            text = jsontext.cut(text, (*path, key))
        elif isinstance(value, Mapping) and isinstance(there, dict):
            text = _renewed(text, (*path, key), there, {**dict.fromkeys(VARIABLES), **value})
        elif there != value:
            text = jsontext.replace(text, (*path, key), value)
    return text
