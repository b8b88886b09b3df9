"""Sessions in which what a question asks was talked about: of each its best window, read from where it is."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ctxrepo.domain.question.message_traits import BY_AGENT, FINDS_NOTHING, SEARCHES
from ctxrepo.domain.question.question_terms import QuestionTerm, holds, question_terms
from ctxrepo.domain.question.window_ranking import HeldTerm, ranked_windows
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.found_messages import (
    FoundMessage,
    MessageQuery,
    PassageReader,
    message_found,
    neighbours_in,
)
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.kept_file import kept_file
from ctxrepo.storage.sessions.session_index import (
    IndexedSession,
    MessageFilter,
    MessageRow,
    SessionIndex,
    beside,
    index_file,
    matching,
    postings,
    row_of,
    traits_between,
)

_PATIENCE = 20.0
"""Seconds for which transcripts may let a search wait."""

_MOST_POSTINGS = 8000
"""Messages with a word that are looked at, the newest; of those with a word like it a fifth."""

_MOST_ROWS = 5000
"""Messages that are looked at where no word is asked for, the newest."""

_RARE = 0.02
"""Share of the messages up to which a word is looked for in what begins like it, too."""

_SPARE = 3
"""Times the wanted number of windows that are judged."""

_OPEN = 0.3
"""What a window counts in which a question is asked and nobody knows."""

_WEAKEST = 0.3
"""Share of the best window's score without which another one with some of the words isn't shown."""

WIDE = 5
"""Windows that are shown whole."""

AFTER_QUESTION, AROUND_ANSWER, AROUND = (1, 4), (2, 3), (1, 1)
"""Messages before and after the match that are read of these, where it is the user's and where it is the
agent's; and of the other windows."""


class FoundWindow(NamedTuple):
    """A window as its match with the messages around it; `missing` are the words of the question that it
    doesn't have."""

    found: FoundMessage
    missing: tuple[str, ...]


@dataclass(frozen=True)
class WindowsFound:
    """The windows, one of a session, the best first; and the words that stand in no message."""

    windows: Sequence[FoundWindow]
    unknown: tuple[str, ...] = ()


class _Candidate(NamedTuple):
    row: MessageRow
    missing: tuple[str, ...]


def find_windows(memory: Memory, query: MessageQuery, context: int | None = None) -> WindowsFound:
    """At most `limit` windows; without words the newest messages that fit, one of a session. `context` counts
    messages to read on either side, None: as many as a window has. UsageError for a text without a word.
    Bring the index up to date first."""
    terms = question_terms(query.text)
    if query.text.strip() and not terms:
        raise UsageError(
            f"{query.text!r} has no word in it", "`ctxrepo search --in sessions --raw` finds signs, too."
        )
    file = index_file(memory.state.root)
    with SessionIndex.opened(file) as index:
        sessions = {session.number: session for session in index.sessions().values()}
        numbers = [number for number, session in sessions.items() if query.wants_session(session)]
        wanted = numbers if len(numbers) < len(sessions) else None
        held = _held(index, query, terms, wanted)
        chosen = _chosen(index, query, terms, held, wanted)
    chosen = [one for one in chosen if one.row.session in sessions]
    chosen.sort(key=lambda one: bool(query.here) and sessions[one.row.session].id == query.here)
    unknown = tuple(t.text for t, h in zip(terms, held, strict=False) if not h.is_known)
    if not chosen:
        return WindowsFound((), unknown)
    demanded = [term.text for term in terms if term.is_required]
    read = partial(_read, file, sessions, chosen, demanded, query.limit, context)
    folder = Path(sessions[chosen[0].row.session].path).parent
    return WindowsFound(memory.outside.ask(folder, read, _PATIENCE), unknown)


def _held(
    index: SessionIndex, query: MessageQuery, terms: Sequence[QuestionTerm], wanted: Sequence[int] | None
) -> list[HeldTerm]:
    """Which messages hold each term, and which the file that is asked for."""
    asked, held = MessageFilter(query.types, "", query.since, query.until), list[HeldTerm]()
    rare = _RARE * index.message_count
    for term in terms:
        said = postings(index.db, asked, f"said : ({term.expression})", _MOST_POSTINGS, wanted)
        given = postings(index.db, asked, f"given : ({term.expression})", _MOST_POSTINGS // 5, wanted)
        alike = f"said : ({term.loose})" if term.loose and len(said) <= rare else ""
        loose = postings(index.db, asked, alike, _MOST_POSTINGS // 5, wanted) if alike else ()
        held.append(HeldTerm(said, given, loose, term.is_required))
    if terms and query.file:
        touched = MessageFilter((), query.file, query.since, query.until)
        rows = postings(index.db, touched, "", _MOST_POSTINGS, wanted)
        held.append(HeldTerm(rows, is_required=True, is_word=False))
    return held


def _chosen(
    index: SessionIndex,
    query: MessageQuery,
    terms: Sequence[QuestionTerm],
    held: Sequence[HeldTerm],
    wanted: Sequence[int] | None,
) -> list[_Candidate]:
    """The windows to read, the best first; a few more than are wanted, as some may be gone."""
    if not terms:
        newest: dict[int, MessageRow] = {}
        for row in matching(index.db, query, "", _MOST_ROWS, wanted):
            newest.setdefault(row.session, row)
        return [_Candidate(row, ()) for row in newest.values()]
    judged: list[tuple[tuple[bool, float, bool, int], _Candidate]] = []
    for window in ranked_windows(held, index.message_count)[: query.limit * _SPARE + 10]:
        match = row_of(index.db, window.match)
        if match is not None:
            is_open = _is_open(index, match)
            score = window.score * (_OPEN if is_open else 1.0)
            missing = tuple(term.text for number, term in enumerate(terms) if not window.terms >> number & 1)
            order = (is_open or not window.has_all, -score, window.is_copy, -window.at)
            judged.append((order, _Candidate(match, missing)))
    judged.sort(key=lambda each: each[0])
    worst = min((score for (_, score, *_), _ in judged), default=0.0) * _WEAKEST
    return [one for (_, score, *_), one in judged if not one.missing or score <= worst]


def _is_open(index: SessionIndex, row: MessageRow) -> bool:
    """Whether a message is a question for what was said before, or speaks of one: beside it somebody searched
    for it, or an agent says that it found nothing."""
    before, after = beside(index.db, row, 1, 1, is_said=True)
    first = row if row.traits & BY_AGENT == 0 or not before else before[0]
    last = row if row.traits & BY_AGENT or not after else after[0]
    traits = traits_between(index.db, row.session, first.place, last.place)
    return any(each & (SEARCHES | FINDS_NOTHING) for each in traits)


def _read(
    file: Path,
    sessions: Mapping[int, IndexedSession],
    chosen: Sequence[_Candidate],
    demanded: Sequence[str],
    limit: int,
    context: int | None,
) -> list[FoundWindow]:
    """The windows whose match is still in its transcript. Whoever asks masks secrets: in a process of its own
    this would load the rules each time."""
    windows: list[FoundWindow] = []
    with SessionIndex.opened(file) as index, closing(PassageReader(kept_file(file.parent))) as reader:
        for row, missing in chosen:
            usual = AROUND_ANSWER if row.traits & BY_AGENT else AFTER_QUESTION
            usual = usual if len(windows) < WIDE else AROUND
            counts = usual if context is None else (context, context)
            before, after = beside(index.db, row, *counts, is_said=True)
            session = sessions[row.session]
            messages = reader.messages_at(session, [*before, row, *after])
            if row.number not in messages:
                continue
            match = message_found(session, row, messages[row.number])
            sides = [neighbours_in(session, side, messages) for side in (before, after)]
            texts = "\n".join((match.text, *(other.text for side in sides for other in side)))
            if not holds(texts, demanded):
                continue
            windows.append(FoundWindow(FoundMessage(*match[:4], *sides), missing))
            if len(windows) == limit:
                break
    return windows
