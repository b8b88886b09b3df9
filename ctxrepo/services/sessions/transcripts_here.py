"""The transcripts that agents have on this machine, and which of them changed since they were indexed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ctxrepo.agents.known import AGENTS, is_resumed, transcripts_of
from ctxrepo.agents.recorded import form_of
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.keeping import SessionKeeper
from ctxrepo.services.sessions.profiles import Profiles
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.session_index import IndexedSession
from ctxrepo.storage.sessions.transcript_files import Layout, TranscriptFile, transcript_files
from ctxrepo.storage.state.compiled import read_checkouts


@dataclass(frozen=True)
class TranscriptsHere:
    """The transcripts in the folders of `agents`. Of the agents in `unknown`, folders don't answer."""

    files: Sequence[TranscriptFile]
    agents: frozenset[str]
    unknown: frozenset[str]


@dataclass(frozen=True)
class ChangedTranscript:
    """A transcript that changed since it was indexed as `indexed` (None: it never was)."""

    file: TranscriptFile
    indexed: IndexedSession | None


def transcripts_here(memory: Memory, agent: str = "") -> TranscriptsHere:
    """The transcripts of all agents, or of one, in all profiles: the last written first, and at the end those
    from which their agents don't resume."""
    profiles = Profiles(memory)
    layouts = [
        Layout(name, folder, transcripts.PATTERN, transcripts.SESSIONS, transcripts.FOLDER_FILE)
        for name in AGENTS
        if agent in ("", name) and (transcripts := transcripts_of(name))
        for folder in profiles.folders(name)
    ]
    answers = list(memory.outside.ask_each(layouts, transcript_files, lambda layout: layout.folder))
    tops = [row.top for row in read_checkouts(memory.places.state)]
    files = _of_first_form([file for layout, files in answers for file in _with_folders(layout, files, tops)])
    newest_first = sorted(files, key=lambda file: (not is_resumed_file(file), -file.mtime))
    answered = [layout for layout, _ in answers]
    unknown = frozenset(layout.agent for layout in layouts if layout not in answered)
    return TranscriptsHere(newest_first, frozenset(layout.agent for layout in answered) - unknown, unknown)


def is_resumed_file(file: TranscriptFile | IndexedSession) -> bool:
    """Whether the agent resumes a session from this file."""
    return is_resumed(transcripts_of(file.agent), file.path)


def _with_folders(
    layout: Layout, files: Sequence[TranscriptFile], tops: Sequence[str]
) -> Iterator[TranscriptFile]:
    """The files. Those without a session folder get the checkout after which a folder above them is named."""
    names = getattr(transcripts_of(layout.agent), "folder_names", None)
    tops_by_name = {name: top for top in tops for name in names(top)} if names else {}
    for file in files:
        above = Path(file.path).relative_to(layout.folder).parts if tops_by_name and not file.cwd else ()
        yield replace(
            file, cwd=next((tops_by_name[part] for part in above if part in tops_by_name), file.cwd)
        )


def _of_first_form(files: Sequence[TranscriptFile]) -> list[TranscriptFile]:
    """The files, each session only in the first of the forms in which its agent has it."""
    first: dict[tuple[str, str], int] = {}
    keyed: list[tuple[TranscriptFile, tuple[str, str], int]] = []
    for file in files:
        transcripts = transcripts_of(file.agent)
        form, session = form_of(file.path, transcripts.OF_SESSION if transcripts else "")
        key = file.agent, file.session or session
        first[key] = min(form, first.get(key, form))
        keyed.append((file, key, form))
    return [file for file, key, form in keyed if form == first[key]]


def changed_transcripts(
    here: TranscriptsHere, sessions: Mapping[str, IndexedSession], keeper: SessionKeeper | None = None
) -> list[ChangedTranscript]:
    """The transcripts that are to be read, the newest first. `sessions` are those of the index by name."""

    def is_current(file: TranscriptFile, indexed: IndexedSession | None) -> bool:
        if indexed is None or file.state != indexed.state or file.cwd not in ("", indexed.cwd):
            return False
        return not (keeper and keeper.lacks(file, indexed))

    transcripts = [ChangedTranscript(file, sessions.get(file.name)) for file in here.files]
    return [transcript for transcript in transcripts if not is_current(transcript.file, transcript.indexed)]
