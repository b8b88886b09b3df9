"""What a hook answers, in the shape that its agent reads."""

import _sqlite3


def reply_json(db: _sqlite3.Connection, agent: str, event: str, text: str) -> str:
    """`text` as context that `agent` adds at `event` (as the agent writes it); one line of JSON."""
    inner = "select json_object('hookEventName', ?, 'additionalContext', ?)"
    shapes = {"claude": f"select json_object('hookSpecificOutput', json(({inner})))"}
    return str(db.execute(shapes[agent.lower()], (event, text)).fetchone()[0]) + "\n"


def line_json(db: _sqlite3.Connection, fields: dict[str, object]) -> str:
    """A JSON line of `fields`, empty ones left out; one whose name ends in `:json` is JSON already."""
    pairs: list[object] = []
    marks = []
    for name, value in fields.items():
        if value not in ("", None):
            marks.append("?, json(?)" if name.endswith(":json") else "?, ?")
            pairs += [name.removesuffix(":json"), value]
    return str(db.execute(f"select json_object({', '.join(marks)})", pairs).fetchone()[0]) + "\n"
