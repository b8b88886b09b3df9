"""A tool is about to be used, or a turn about to end: what rules say of it that a person approved here.

See docs/adr/0108-a-rule-holds-where-a-person-approved-it.md."""

import _sqlite3
import os

from ctxrepo.domain.records.enforced_rule import CHANGED, REFUSED, WARNED, ToolCall
from ctxrepo.domain.text import escape_field, seal_shortly
from ctxrepo.hooks.dialect import Dialect, Event, HookAnswer
from ctxrepo.hooks.known.enforced import Approval, approvals
from ctxrepo.hooks.known.locate import SessionFolder, inside, place_of
from ctxrepo.hooks.known.world import World
from ctxrepo.hooks.session.ledger_words import RULE
from ctxrepo.hooks.session.session import Session

_MOST_TEXT = 500
"""Characters of an entry that are told."""

_MOST_FILES = 100

_ASK = "Don't look for a way around it: ask the person you work for."


def answer(
    db: _sqlite3.Connection, world: World, dialect: Dialect, event: Event, json_text: str
) -> HookAnswer:
    """Why the call is refused, or what the agent is warned of; mostly nothing."""
    rules = _rules(db, world, event)
    if not rules:
        return HookAnswer()
    is_write = not dialect.only_reads(event.tool)
    touched = dialect.touched(db, event, json_text)[:_MOST_FILES] if is_write else []
    command = "" if touched else event.command  # of a patch it is the text of the patch
    call = ToolCall(event.tool, command, _names([file.path for file in touched], event.cwd))
    # A subagent's calls count for the session that started it, whose turn ends.
    session = Session(world.state, world.repo.id, event.agent, event.session)
    refusals, warnings = [], []
    for approval in rules:
        state = session.record.rules.get(approval.entry, "")
        verdict, then = approval.rule.judge(call, state)
        if then != state:
            session.note(RULE, approval.entry, then)
        if verdict == REFUSED:
            refusals.append(_refusal(approval))
        elif verdict == WARNED:
            warnings.append(f"A rule bears on this call: {_quoted(approval)}\n")
    session.save()
    if refusals:
        return HookAnswer(refusal="\n".join([*refusals, *warnings]))
    return HookAnswer(seal_shortly("".join(warnings), world.secret) if warnings else "")


def before_end(db: _sqlite3.Connection, world: World, event: Event) -> str:
    """What rules want before the turn ends, '' for nothing. It is said once for each change."""
    if event.sub:
        return ""  # the end of a subagent, which isn't that of the turn
    rules = _rules(db, world, event)
    session = Session(world.state, world.repo.id, event.agent, event.session)
    lines = []
    for approval in rules:
        state = session.record.rules.get(approval.entry, "")
        if state.startswith(CHANGED):
            session.note(RULE, approval.entry, "")
            file, needs = _field(state[len(CHANGED) :]), _field(approval.rule.needs)
            lines.append(f"{file} was changed. Run `{needs}`, which a rule wants: {_quoted(approval)}")
    session.save()
    return "\n".join(lines)


def _rules(db: _sqlite3.Connection, world: World, event: Event) -> list[Approval]:
    """The rules that hold for the session; none where no rule was ever approved on this machine."""
    approved = {} if event.silence_reason else approvals(world.repo.state)
    if not approved:
        return []
    place = place_of(db, world, SessionFolder(event.cwd))
    return [approval for approval in approved.values() if approval.owner in ("", place.project, place.folder)]


def _names(paths: list[str], cwd: str) -> tuple[str, ...]:
    """Each path as it is named, and as it is seen from the checkout around the session's folder."""
    folder = SessionFolder(cwd)
    below = [inside(os.path.join(folder.path, path), folder.top or folder.path) for path in paths]
    return tuple(dict.fromkeys([*paths, *[path for path in below if path]]))


def _refusal(approval: Approval) -> str:
    if needs := approval.rule.needs:
        return f"Not before `{_field(needs)}` was run, which a rule wants: {_quoted(approval)}"
    return f"Refused by a rule that is enforced here: {_quoted(approval)}. {_ASK}"


def _quoted(approval: Approval) -> str:
    """What the entry said when the rule was approved, and the entry's id."""
    return f"“{_field(approval.text)}” (^{approval.entry})"


def _field(text: str) -> str:
    return escape_field(" ".join(text.split())[:_MOST_TEXT])
