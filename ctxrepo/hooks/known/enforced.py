"""Which rules hold on this machine: those beside entries in the cache that a person has approved here."""

import _sqlite3

from ctxrepo.domain.records.enforced_rule import EnforcedRule, rule_of
from ctxrepo.domain.text import blake2b
from ctxrepo.hooks.known.world import APPROVALS
from ctxrepo.hooks.own_files import append, lines_of

_MOST_BYTES = 256 * 1024

_RULES = """
    select v.entry, v.rule, e.text from evidence v join entry e on e.id = v.entry join note n on n.id = e.note
    where v.rule != '' and not e.struck and n.scope in (select value from json_each(?)) order by e.rowid"""


class HeldRule:
    """A rule that holds, the id of its entry, and what that says."""

    def __init__(self, entry: str, rule: EnforcedRule, text: str) -> None:
        self.entry = entry
        self.rule = rule
        self.text = text


def approval(entry: str, text: str, line: str) -> str:
    """What is approved: this very rule beside the entry with this very text."""
    return f"{entry} {blake2b(text.encode('utf-8', 'replace'), digest_size=8).hexdigest()} {line}"


def approvals(state: str) -> set[str]:
    """All that is approved in the folder of a repository's state; nothing where nobody ever did."""
    approved = set[str]()
    for line in lines_of(f"{state}/{APPROVALS}", _MOST_BYTES):
        (approved.add if line[:1] == "+" else approved.discard)(line[1:])
    return approved


def set_approval(state: str, approved: str, is_on: bool) -> bool:
    """Approve this from now on, or no more; False where it can't be written."""
    sign = "+" if is_on else "-"
    return append(f"{state}/{APPROVALS}", f"{sign}{approved}\n", _MOST_BYTES, durable=True)


def held_rules(cache: _sqlite3.Connection, folders_json: str, approved: set[str]) -> list[HeldRule]:
    """The rules of these scopes, a JSON array of their folders, that are approved."""
    rows = cache.execute(_RULES, (folders_json,)).fetchall()
    rules = [
        (entry, rule_of(line), text) for entry, line, text in rows if approval(entry, text, line) in approved
    ]
    return [HeldRule(entry, rule, text) for entry, rule, text in rules if rule]
