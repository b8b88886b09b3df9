"""The transcripts that agents have on this machine, and which of them the index doesn't have as they are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ctxrepo.agents.known import AGENTS, is_resumed, transcripts_of
from ctxrepo.agents.recorded import form_of
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.keeping import Keeping
from ctxrepo.services.sessions.profiles import Profiles
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.session_index import IndexedSession
from ctxrepo.storage.sessions.transcript_files import Layout, TranscriptFile, transcript_files
from ctxrepo.storage.state.compiled import read_checkouts


@dataclass(frozen=True)
class TranscriptsHere:
    """What is in the folders of `agents`; of the others nothing is known, because their folders hang."""

    files: Sequence[TranscriptFile]
    agents: frozenset[str]
    unknown: frozenset[str]


@dataclass(frozen=True)
class Changed:
    """A transcript that isn't in the index as it is now; `indexed` is what is there of it, if anything."""

    file: TranscriptFile
    indexed: IndexedSession | None


def transcripts_here(memory: Memory, agent: str = "") -> TranscriptsHere:
    """All transcripts of all agents, or of one, in each profile; the one that was written last first, and
    those behind all others from which their agents don't go on."""
    profiles = Profiles(memory)
    wanted = [
        Layout(name, folder, kept.PATTERN, kept.SESSIONS, kept.FOLDER_FILE)
        for name in AGENTS
        if agent in ("", name) and (kept := transcripts_of(name))
        for folder in profiles.folders(name)
    ]
    answers = list(memory.outside.ask_each(wanted, transcript_files, lambda layout: layout.folder))
    tops = [row.top for row in read_checkouts(memory.places.state)]
    files = _of_first_form([file for layout, files in answers for file in _with_folders(layout, files, tops)])
    newest_first = sorted(files, key=lambda file: (not is_resumed_file(file), -file.mtime))
    answered = [layout for layout, _ in answers]
    unknown = frozenset(layout.agent for layout in wanted if layout not in answered)
    return TranscriptsHere(newest_first, frozenset(layout.agent for layout in answered) - unknown, unknown)


def is_resumed_file(file: TranscriptFile | IndexedSession) -> bool:
    """Whether the agent goes on with a session from this file."""
    return is_resumed(transcripts_of(file.agent), file.path)


def _with_folders(
    layout: Layout, files: Sequence[TranscriptFile], tops: Sequence[str]
) -> Iterator[TranscriptFile]:
    """The files, each with the checkout that a folder above it is named after, where nothing else tells."""
    names = getattr(transcripts_of(layout.agent), "folder_names", None)
    named = {name: top for top in tops for name in names(top)} if names else {}
    for file in files:
        above = Path(file.path).relative_to(layout.folder).parts if named and not file.cwd else ()
        yield replace(file, cwd=next((named[part] for part in above if part in named), file.cwd))


def _of_first_form(files: Sequence[TranscriptFile]) -> list[TranscriptFile]:
    """The files without those of a session that its agent has in another form, too, which comes before."""
    first: dict[tuple[str, str], int] = {}
    keyed: list[tuple[TranscriptFile, tuple[str, str], int]] = []
    for file in files:
        transcripts = transcripts_of(file.agent)
        form, session = form_of(file.path, transcripts.OF_SESSION if transcripts else "")
        key = file.agent, file.session or session
        first[key] = min(form, first.get(key, form))
        keyed.append((file, key, form))
    return [file for file, key, form in keyed if form == first[key]]


def changed(
    here: TranscriptsHere, sessions: Mapping[str, IndexedSession], kept: Keeping | None = None
) -> list[Changed]:
    """The transcripts that are to be read, the newest first; `sessions` are those of the index by name."""

    def is_done(file: TranscriptFile, indexed: IndexedSession | None) -> bool:
        is_read = indexed and file.state == indexed.state and file.cwd in ("", indexed.cwd)
        return bool(is_read and indexed and not (kept and kept.lacks(file, indexed)))

    known = [Changed(file, sessions.get(file.name)) for file in here.files]
    return [one for one in known if not is_done(one.file, one.indexed)]
