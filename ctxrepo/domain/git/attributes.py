"""What `.gitattributes` tells forges: files that ctxrepo keeps beside the notes need nobody's eyes."""

from __future__ import annotations

from ctxrepo.domain.project.layout import BOOKKEEPING, TAPES

ATTRIBUTES_FILE = ".gitattributes"

_WHY = "# Kept by ctxrepo beside the notes: forges collapse it in diffs."
_GENERATED = "linguist-generated gitlab-generated"
GENERATED = (f"{BOOKKEEPING}/** {_GENERATED}", f"{TAPES}/** {_GENERATED}")
"""GitHub, Gitea and Forgejo go by the first attribute, GitLab by the second."""


def is_marked(text: str) -> bool:
    """Whether the file says so, or what somebody else says of these folders stands there."""
    named = {line.split()[0] for line in text.splitlines() if "-generated" in line}
    return all(line.split()[0] in named for line in GENERATED)


def marked(text: str) -> str:
    """The text with the lines it lacks at its end, in its own line ends."""
    if is_marked(text):
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    there = {line.split()[0] for line in text.splitlines() if "-generated" in line}
    due = [_WHY, *(line for line in GENERATED if line.split()[0] not in there)]
    gap = newline if text and not text.endswith("\n") else ""
    return text + gap + "".join(f"{line}{newline}" for line in due)
