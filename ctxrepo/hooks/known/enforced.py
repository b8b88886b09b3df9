"""Which rules hold on this machine: those that a person approved here, until a person here ends them.

They hold whatever becomes of the memory, so that nobody who writes to it can end one (docs/adr/0108). A line
of the file is an approval, its parts with tabs between them; one without a rule ends that of its entry."""

from ctxrepo.domain.records.enforced_rule import EnforcedRule, rule_of
from ctxrepo.hooks.known.world import APPROVALS
from ctxrepo.hooks.own_files import append, lines_of

_MOST_BYTES = 256 * 1024


class Approval:
    """A rule that was approved beside an `entry`, which said this `text` then. `owner` is the project whose
    sessions are held to it, by its id or else its folder; '' for all projects."""

    def __init__(self, entry: str, owner: str, rule: EnforcedRule, text: str) -> None:
        self.entry = entry
        self.owner = owner
        self.rule = rule
        self.text = " ".join(text.split())


def approvals(state: str) -> dict[str, Approval]:
    """entry -> what is approved beside it, by the folder of a repository's state; nothing where nobody ever
    approved a rule, and of a rule that only a later version understands."""
    approved: dict[str, Approval] = {}
    for line in lines_of(f"{state}/{APPROVALS}", _MOST_BYTES):
        entry, owner, spelled, text = (line.split("\t", 3) + [""] * 3)[:4]
        approved.pop(entry, None)
        if rule := rule_of(spelled):
            approved[entry] = Approval(entry, owner, rule, text)
    return approved


def approve(state: str, approval: Approval) -> bool:
    """Hold agents to this from now on, and to nothing else beside its entry; False where it can't be
    written."""
    return _add(state, approval.entry, approval.owner, approval.rule.line, approval.text)


def end_approval(state: str, entry: str) -> bool:
    """Hold agents to nothing beside this entry any more; False where it can't be written."""
    return _add(state, entry, "", "", "")


def _add(state: str, *parts: str) -> bool:
    return append(f"{state}/{APPROVALS}", "\t".join(parts) + "\n", _MOST_BYTES, durable=True)
