"""What waits in the inbox, and which scope each proposal is for."""

from ctxrepo.domain.project.layout import INBOX
from ctxrepo.domain.records.proposal import InboxLine, Proposal, inbox_lines
from ctxrepo.errors import ConfigError, NotFound
from ctxrepo.services.locate.identify import project_of, read_registry
from ctxrepo.services.reading.find import NamedScope, scope_named
from ctxrepo.storage.memory import Memory


def waiting(memory: Memory) -> list[InboxLine]:
    """What waits in the inbox, oldest first, and then what can't be read."""
    read = memory.worktree.read
    files = sorted(path for path in memory.worktree.scan(INBOX).files if path.endswith(".jsonl"))
    lines = [line for file in files for line in inbox_lines(file, read(file) or b"")]
    return sorted(lines, key=lambda line: (line.proposal is None, line.proposal.ts if line.proposal else ""))


def scope_of_proposal(memory: Memory, proposal: Proposal) -> NamedScope:
    """The scope that a proposal is for, wherever its project's folder is by now; NotFound for none."""
    if not proposal.owner:
        return scope_named(memory, proposal.scope, None)
    project = project_of(memory, read_registry(memory), proposal.owner)
    return NamedScope(project.id, project.folder, project)


def path_of_proposal(memory: Memory, proposal: Proposal) -> str:
    """The note that a proposal is about, as far as it says, or the folder of its scope."""
    try:
        folder = scope_of_proposal(memory, proposal).folder
    except (ConfigError, NotFound):
        folder = proposal.scope
    return f"{folder}/{proposal.note}" if proposal.note else folder
