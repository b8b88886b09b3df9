"""Writes what is made from the code: the reference pages of the command line, the configuration, the tools
over MCP and the secrets, and the table of commands that is read where the parser isn't loaded.

`.venv/bin/python tools/reference.py` writes them; the tests compare them with what it would write.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from collections.abc import Iterator
from copy import copy
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

from ctxrepo.app.panels.keys import KEYS
from ctxrepo.app.panels.panel import SIGNS
from ctxrepo.domain.formats.described import hints_of, sentences
from ctxrepo.domain.secrets.rule_files import Rule
from ctxrepo.domain.secrets.search import RULES
from ctxrepo.domain.settings.keys import kind, sections
from ctxrepo.faces import mcp
from ctxrepo.faces.cli import table as commands_table
from ctxrepo.faces.cli.parser import registered

PANELS = {
    "Notes and entries": "remember new read list edit move archive forget touch reinforce verify enforce "
    "undo restore log open export scratch dream",
    "Look through them": "search tags topics pages links recall trace history why diff stale stats",
    "Repository, remote, other machines": "start init demo status review sync pull push doctor check import "
    "inbox conflicts declined cache",
    "Projects, agents and their sessions": "setup context anchor handoff hook mcp project session sessions "
    "tape file",
    "Settings": "completion config",
}
"""Heading in the list of commands -> those below it, in the order in which they are listed."""

MODULES = {
    "notes.authoring": "remember new edit log open=open_note",
    "notes.relocating": "move archive forget touch reinforce verify enforce undo restore",
    "notes.lookup": "read search tags links export list=list_notes",
    "notes.caretaking": "check dream import=import_",
    "notes.overviews": "topics pages",
    "notes.scratchpad": "scratch=",
    "sessions.asking": "recall trace stats=",
    "sessions.handing_over": "context anchor handoff hook mcp session= file=",
    "sessions.tape_commands": "tape=",
    "sessions.kept_commands": "sessions=",
    "review.history": "history why diff conflicts= declined=",
    "review.inbox": "stale inbox=",
    "review.look_through": "review",
    "repository.exchanging": "init sync pull push",
    "repository.reporting": "status doctor cache=",
    "repository.setting_up": "setup start demo",
    "repository.project_verbs": "project=",
    "repository.config_verbs": "config= completion",
}
"""The modules in faces/cli that have commands -> the commands, with the function where it has another name;
it has none for a group of commands."""

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"

CLI_HEAD = """\
# Command line

<!-- Written by tools/reference.py from the commands themselves. Change their words, not this page. -->

- `TARGET` is a note, `[SCOPE:]PATH`, or one entry, `^ID`. PATH is relative to its scope, and `.md` may be
  left out. Without a scope the project's notes are searched first, then those of `global`.
- `SCOPE` is `global`, `project` (the one of the current folder), or a project's id or folder.
- `ID` is what `remember` and `read --json` print: `^` and 12 hex digits, or the id that an entry bears.
  Of such an id, and of those of proposals, versions, traces, sessions and commits, the first four
  characters or more are enough while no other id begins so; else the command names those that do.

What is called differently elsewhere is understood: `show` and `cat` read, `rm` and `delete` forget, `ls`
lists, `todo` is `scratch`, `version` and `-V` are `--version`, `help [COMMAND]` is `--help`.

With `--json` a command prints one object,
`{"schema_version": 1, "ok": true, "data": {...}, "error": null}`; when it fails `data` is null and `error` is
`{"code", "message", "hint"}`; only `recall` has its `data` then as well. Notices and warnings always go to
standard error.
What a command ends with: [exit codes](exit-codes.md).
"""

CONFIGURATION_HEAD = """\
# Configuration

<!-- Written by tools/reference.py from ctxrepo/domain/settings/values.py. Change the sentences there. -->

One file, `config.toml`, in the [configuration folder](environment.md). `init` writes its first table; what
you write, comments included, stays as it is. It is the only place that names remotes and folders: nothing
that comes with a memory repository or a project can set them.

```toml
[[repository]]
path = "~/.ctxrepo"
remote = "git@git.example.org:ada/memory.git"
branch = "main"

[recall]
limit = 3
```

[`ctxrepo config`](cli.md#config) shows, explains and changes settings; [how](../how-to/configure.md). There
a key is called `section.key`, and `repository.path` is the first repository's.

A key that is unknown or has the wrong type is told on standard error, with its line and the nearest name,
and its default holds. A file that isn't TOML stops every command but `status` and `doctor` with
[exit code 2](exit-codes.md), and sessions are told of it. Numbers are not negative.

This version uses the first `[[repository]]` only.
"""

SECRETS_HEAD = """\
# Secrets

<!-- Written by tools/reference.py from ctxrepo/domain/secrets/rules/ and labels.py. Change it there. -->

What `remember` and the other commands refuse, what is held back before a commit, and what stops a
push. A message names the rule and the line, never the secret:
[what to do then](../how-to/mend-what-was-held-back.md).

`…` stands for what is random. Placeholders (`xxxx`, `<token>`, `changeme`), references (`${VAR}`, `$(cmd)`,
`process.env.X`, `op://…`), ids of commits, UUIDs, hashes of lock files and examples that a vendor documents,
such as AWS's, are let through. A secret that is cut, encoded once more, or a plain word is not found.

Shapes marked gitleaks are those of its rule set (MIT licence, Copyright (c) 2019 Zachary Rice).

| rule | whose | looks like | shape |
|---|---|---|---|
"""


def secrets_page() -> str:
    """docs/reference/secrets.md as it should be."""
    rows = dict.fromkeys(f"| `{r.name}` | {_one_line(r.whose)} | {_looks(r)} | {r.source} |" for r in RULES)
    return SECRETS_HEAD + "\n".join(sorted(rows)) + "\n"


def _looks(rule: Rule) -> str:
    """A text that the rule finds, with a mark for what is made up."""
    shown = (
        [re.sub(r"\{\w+\}", "…", rule.example)] if rule.example else [f"{a.decode()}…" for a in rule.anchors]
    )
    return ", ".join(f"`{' '.join(text.split())}`".replace("|", "\\|") for text in shown)


KEYS_HEAD = """\
# Keys of the review screen

<!-- Written by tools/reference.py from ctxrepo/app/panels/keys.py. Change it there. -->

`ctxrepo review` shows [a screen](../how-to/review-on-a-screen.md). Each key that reads or changes the memory
does what a command does; the others only move about. `ID`, `TARGET` and `COMMIT` stand for what the screen
knows: it shows the whole command beside each row. The last line has the keys of the row that you look at;
another key says why it does nothing there.

| key | where | what it does | command |
|---|---|---|---|
"""


def keys_page() -> str:
    """docs/reference/review-keys.md as it should be."""
    rows = []
    for row in KEYS:
        keys = " ".join(f"`{key}`" for key in row.key.split(" "))
        command = f"`{row.command}`" if row.command else ""
        rows.append(f"| {keys} | {row.where} | {row.meaning} | {command} |")
    signs = "\n".join(f"| `{sign}` | {meaning} |" for sign, meaning in SIGNS.items())
    return (
        f"{KEYS_HEAD}{chr(10).join(rows)}\n\n## Signs before rows\n\n| sign | meaning |\n|---|---|\n{signs}\n"
    )


MCP_HEAD = """\
# Tools over MCP

<!-- Written by tools/reference.py from ctxrepo/faces/mcp/. Change tools.json and instructions.txt there. -->

What [`ctxrepo mcp`](../how-to/use-mcp.md) offers a host. Definitions are {bytes:,} bytes of JSON, about
{tokens} tokens; what a model is told of them is less, because hosts keep annotations for themselves.

- Tools that read answer text, framed as a quotation that no note can imitate, with places and ages, of at
  most 4,096 bytes. What doesn't fit is told in a line behind it, with the `from` that goes on. Secrets in
  notes that are held back are masked.
- Tools that write answer a line with the place and the scope, and the same as `structuredContent` (`id`,
  `at`, `path`, `hash`, `existing`, `changed`, `replaced`, `near`, `ids` of proposals, `scope`, `notices`;
  what is empty is left out). What was answered is
  [acknowledged](../explanation/what-acknowledged-means.md).
- What goes wrong is a result with `isError` and one line that says what helps.
- A text that is quoted once more than JSON needs, and a number in quotes, are understood.
- The project is that of the folder that is open in the host at the moment of each call: a root that it
  names or, where the server runs in one of these or none is named, the server's current folder. Outside of
  a project memory is `global`.

"""

MCP_FOOT = """\
## Former names

With `CTXREPO_MCP=former` a host is offered the tools of pi-memory, too. They can always be called.

{former}
## Resources

| URI | what it is |
|---|---|
| `ctxrepo://index` | what a session is given at its start: rules, the last handoff, an index of the notes |
| `ctxrepo://note/{{+path}}` | a note, by its path as `read` takes it |

## Instructions

A host is told this of the server:

```text
{instructions}
```
"""


def mcp_page() -> str:
    """docs/reference/mcp-tools.md as it should be."""
    (folder,) = map(Path, mcp.__path__)
    own, former = (
        json.loads((folder / name).read_text("utf-8")) for name in ("tools.json", "former_tools.json")
    )
    size = len(json.dumps(own, separators=(",", ":")))
    instructions = (folder / "instructions.txt").read_text("utf-8").rstrip().replace("\n\n", "\n")
    head = MCP_HEAD.format(bytes=size, tokens=size // 4)
    foot = MCP_FOOT.format(former="\n".join(map(_tool, former)), instructions=instructions)
    return head + "\n".join(map(_tool, own)) + "\n" + foot


def _tool(definition: dict[str, Any]) -> str:
    """A tool with its arguments."""
    notes = definition["annotations"]
    kinds = ["reads" if notes["readOnlyHint"] else "may replace text" if notes["destructiveHint"] else "adds"]
    kinds += ["again changes nothing more"] if notes["idempotentHint"] and not notes["readOnlyHint"] else []
    lines = [f"## {definition['name']}", "", f"{definition['description']} ({'; '.join(kinds)})", ""]
    schema = definition["inputSchema"]
    for name, field in schema["properties"].items():
        bounds = [f"{field['minimum']} to {field['maximum']}"] if "maximum" in field else []
        bounds += [", ".join(f"`{choice}`" for choice in field["enum"])] if "enum" in field else []
        needed = ["required"] if name in schema.get("required", ()) else []
        about = [field["description"]] if "description" in field else []
        lines.append(f"- `{name}`: {'; '.join([field['type'], *needed, *bounds, *about])}")
    return "\n".join(lines) + "\n"


def cli_page() -> str:
    """docs/reference/cli.md as it should be."""
    root = root_command()
    commands = dict(commands_of(root))
    toc = "\n".join(f"- [`{n}`](#{n.replace(' ', '-')}): {_first_line(c)}" for n, c in commands.items())
    parts = [CLI_HEAD, toc + "\n", _section("ctxrepo", "ctxrepo [OPTIONS] COMMAND", root, with_help=False)]
    parts += [_section(name, _usage(name, c), c) for name, c in commands.items()]
    return "\n".join(parts)


def places() -> Iterator[tuple[str, str, str]]:
    """(name, module, function) of each command; '' is the function of a group."""
    for module, words in MODULES.items():
        for word in words.split():
            name, equals, function = word.partition("=")
            yield name, module, function if equals else name


@cache
def root_command() -> Any:
    """All commands with their options, as they are listed: groups come last."""
    built = {name: registered(module, name, function) for name, module, function in places()}
    commands = []
    for panel, names in PANELS.items():
        for name in names.split():
            command = built[name].commands[name]
            command.rich_help_panel = panel
            commands.append(command)
    root = copy(built["remember"])
    root.commands = {command.name: command for command in sorted(commands, key=_is_group)}
    return root


def _is_group(command: Any) -> bool:
    return hasattr(command, "commands")


def commands_of(group: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """(name, command) of all commands of a group, those of a group in it as `group verb`."""
    for word, command in group.commands.items():
        yield name + word, command
        if _is_group(command):
            yield from commands_of(command, f"{name}{word} ")


def table() -> str:
    """ctxrepo/faces/cli/table.tsv as it should be: a line for each command, its parameters indented below."""
    modules = {name: module for name, module, _ in places()}
    root = root_command()
    lines = [_param(p) for p in root.params]
    for name, command in commands_of(root):
        first, *rest = name.split(" ")
        panel = "" if rest else command.rich_help_panel
        group = "group" if _is_group(command) else ""
        function = "" if rest or group else command.callback.__name__
        traits = [group, "hidden" if command.hidden else ""]
        lines.append(
            _cells(name, modules[first], function, panel, _joined(traits), _first_paragraph(command.help))
        )
        lines += [_param(p) for p in command.params]
    return "\n".join(lines) + "\n"


def _param(param: Any) -> str:
    is_option = param.param_type_name == "option"
    is_many = param.multiple if is_option else param.nargs == -1
    is_flag = getattr(param, "is_flag", False)
    has = {
        "flag": is_flag,
        "many": is_many,
        "text": param.type.name == "str",
        "required": param.required,
        "hidden": param.hidden,
    }
    traits = " ".join(trait for trait, is_so in has.items() if is_so)
    names = " ".join(param.opts) if is_option else ""
    return _cells(
        "", param.name, names, "" if is_flag else param.metavar or "", traits, _first_paragraph(param.help)
    )


def _cells(*cells: str) -> str:
    return "\t".join(cells)


def _joined(words: list[str]) -> str:
    return " ".join(filter(None, words))


def _first_paragraph(text: str | None) -> str:
    """The first paragraph, on one line."""
    return " ".join((text or "").split("\n\n")[0].split())


def configuration_page() -> str:
    """docs/reference/configuration.md as it should be."""
    parts = [CONFIGURATION_HEAD]
    for name, section in sections().items():
        sentence, _, header = (inspect.getdoc(section) or "").partition(": ")
        header, _, more = header.partition("`. ")
        rows = "\n".join(
            f"| `{key}` | {type_} | `{default}` | {meaning} |"
            for key, type_, default, meaning in keys(section)
        )
        table = f"| key | kind | default | meaning |\n|---|---|---|---|\n{rows}\n"
        assert name in header
        parts.append(
            f"## {header.rstrip('.').strip('`')}\n\n{sentence}.{f' {more}' if more else ''}\n\n{table}"
        )
    return "\n".join(parts)


def keys(section: type) -> Iterator[tuple[str, str, str, str]]:
    """(key, what kind of value, default as TOML, the sentence below the field) of each field."""
    hints = hints_of(section)
    meanings = sentences(section)
    for field in dataclasses.fields(section()):
        default = list(field.default) if isinstance(field.default, tuple) else field.default
        yield field.name, _kind(hints[field.name]), json.dumps(default), meanings[field.name]


def _section(title: str, usage: str, command: Any, *, with_help: bool = True) -> str:
    """One heading with what the command says of itself; an example becomes a block to copy."""
    parts = [f"## {title}\n", f"```\n{usage}\n```\n"]
    for paragraph in (command.help or "").split("\n\n") if with_help else ():
        label, colon, example = paragraph.partition("Example: ")
        is_example = colon and not label
        parts.append(f"```sh\n{example.strip()}\n```\n" if is_example else f"{_one_line(paragraph)}\n")
    if rows := [_row(p) for p in command.params]:
        parts.append("| | meaning |\n|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def _row(param: Any) -> str:
    names = [param.metavar] if param.param_type_name == "argument" else [*param.opts, *param.secondary_opts]
    value = f" {param.metavar}" if param.param_type_name == "option" and not param.is_flag else ""
    shown = ", ".join(f"`{name}{value}`" for name in names)
    needed = " Required." if param.required and param.param_type_name == "option" else ""
    return f"| {shown} | {_one_line(param.help or '')}{needed} |".replace("||", "|")


def _usage(name: str, command: Any) -> str:
    arguments = [_argument(p) for p in command.params if p.param_type_name == "argument"]
    needed = [f"{p.opts[0]} {p.metavar}" for p in command.params if p.required and p.opts[0].startswith("-")]
    has_options = any(p.param_type_name == "option" for p in command.params)
    return " ".join(["ctxrepo", name, *arguments, *needed, *(["[OPTIONS]"] if has_options else [])])


def _argument(param: Any) -> str:
    """In brackets where it may be left out, as `--help` has it."""
    needs_none = param.required or param.metavar.startswith("[")
    return str(param.metavar if needs_none else f"[{param.metavar}]")


def _first_line(command: Any) -> str:
    return _one_line((command.help or "").split("\n\n")[0])


def _kind(hint: Any) -> str:
    if get_origin(hint) is Annotated:
        return kind(hint)
    values = get_args(get_args(hint)[0]) if get_origin(hint) is tuple else get_args(hint)
    words = [value for value in values if isinstance(value, str)]
    quoted = "|".join(re.escape(word or '""') for word in words)
    return re.sub(rf'(?<![\w"])({quoted})(?![\w"])', r"`\1`", kind(hint)) if words else kind(hint)


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "\\<")  # `<C>` would be taken for HTML


def main() -> None:
    (REFERENCE / "cli.md").write_text(cli_page(), "utf-8")
    (REFERENCE / "configuration.md").write_text(configuration_page(), "utf-8")
    Path(commands_table.FILE).write_text(table(), "utf-8")
    (REFERENCE / "review-keys.md").write_text(keys_page(), "utf-8")
    (REFERENCE / "mcp-tools.md").write_text(mcp_page(), "utf-8")
    (REFERENCE / "secrets.md").write_text(secrets_page(), "utf-8")


if __name__ == "__main__":
    main()
