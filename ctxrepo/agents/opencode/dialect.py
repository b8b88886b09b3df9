"""How OpenCode talks to hooks: through a bridge of ours (hooks/opencode/ctxrepo.js), whose JSON this is.

Events are called as the hooks of its plugins are, but for `task`: a subagent begins, with its first message.
"""

import _sqlite3

from ctxrepo.hooks.dialect import BEFORE, Dialect, Event, TouchedFile, changed_lines

_LINES = """
        select case type when 'integer' then value end
        from json_each(json_extract(:json, '$.lines[0]', '$.lines[1]', '$.lines[2]'))"""
_TEXTS = """
        select case type when 'text' then value end
        from json_each(json_extract(:json, '$.diff', '$.output'))"""

# The files of a patch, of which one may have been moved; no more are looked at by the tool moment.
_FILES = """
        select json_extract(value, '$.filePath'), json_extract(value, '$.movePath'),
            json_extract(value, '$.patch')
        from json_each(:json, '$.files') where type = 'object' limit 100"""


class _OpenCode(Dialect):
    def words(self, prompt: str) -> str:
        """A prompt without the quotes around all of it, which `opencode run` adds where there are blanks."""
        inside = prompt[1:-1].replace('\\"', "")
        if len(prompt) < 2 or prompt[0] != '"' or prompt[-1] != '"' or '"' in inside:
            return prompt
        return prompt[1:-1].replace('\\"', '"')

    def touched(self, db: _sqlite3.Connection, event: Event, json: str) -> list[TouchedFile]:
        """The files of a patch, else the one of the call, with the lines that it read or changed."""
        if event.tool == "apply_patch":
            files = []
            for path, new_path, patch in _rows(db, _FILES, json):
                files += [TouchedFile(path, changed_lines(patch))] if path else []
                files += [TouchedFile(new_path)] if new_path else []
            return files
        if not event.path:
            return []
        if event.tool == "read":
            return [TouchedFile(event.path, _shown(db, json))]
        (diff,), _ = _rows(db, _TEXTS, json)
        return [TouchedFile(event.path, changed_lines(diff), event.wrote)]

    def failure(self, db: _sqlite3.Connection, _event: Event, json: str) -> str:
        """What a command printed that failed: the bridge tells the output of no other."""
        _, (output,) = _rows(db, _TEXTS, json)
        return output

    def reply(self, _db: _sqlite3.Connection, _event: str, text: str) -> str:
        """The text itself, which the bridge puts into the session."""
        return text

    def refuse(self, db: _sqlite3.Connection, event: str, why: str) -> str:
        """JSON, which no other answer is. The end of a turn can't be held up."""
        if self.moment(event) != BEFORE:
            return ""
        return str(db.execute("select json_object('refusal', ?)", (why,)).fetchone()[0])


def _rows(db: _sqlite3.Connection, query: str, json: str) -> list[tuple[str, ...]]:
    """The rows of this query, with '' for what is no text. They are read as bytes, because JSON can spell
    half a surrogate pair, which isn't text."""
    db.text_factory = bytes
    try:
        rows = db.execute(query, {"json": json}).fetchall()
    finally:
        db.text_factory = str
    return [
        tuple([v.decode("utf-8", "replace") if isinstance(v, bytes) else "" for v in row]) for row in rows
    ]


def _shown(db: _sqlite3.Connection, json: str) -> str:
    """The range of the lines that a read has shown; none for a whole file."""
    first, last, count = [value for (value,) in db.execute(_LINES, {"json": json})]
    is_range = first and last and 0 < first <= last
    is_whole = first == 1 and last == count
    return f"[[{first}, {last}]]" if is_range and not is_whole else "[]"


DIALECT = _OpenCode(
    name="opencode",
    moments={
        "session.created": "start",
        "chat.message": "prompt",
        "tool.execute.before": BEFORE,
        "tool.execute.after": "tool",
        "task": "sub",
        "session.idle": "stop",
        "experimental.session.compacting": "compact",
        "dispose": "end",
    },
    fields={
        "session": ("$.session",),
        "cwd": ("$.cwd",),
        "source": ("$.source",),
        "origin": ("$.origin",),
        "prompt": ("$.prompt",),
        "transcript": ("$.transcript",),
        "tool": ("$.tool",),
        "path": ("$.args.filePath",),
        "wrote": ("$.args.content",),
        "edit": ("$.args.newString",),
        "command": ("$.args.command",),
        "sub": ("$.sub",),
    },
    readers=frozenset(("read", "grep", "glob", "list", "webfetch", "skill")),
    shells=frozenset(("bash",)),
    most_bytes=40_000,
)
