"""`search --in sessions`: what was said in agents' sessions, found by its words, and shown with the messages
around it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from time import time

from ctxrepo.domain.formats.moment import second_at
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import TAPES, tape_folder, visible
from ctxrepo.domain.question.excerpts import excerpt
from ctxrepo.domain.question.message_traits import BY_AGENT, FINDS_NOTHING, SEARCHES
from ctxrepo.domain.question.question_terms import QuestionTerm, first_hit, question_terms
from ctxrepo.domain.question.window_ranking import TermPostings, ranked_by_folder, ranked_windows
from ctxrepo.domain.secrets import mask_part
from ctxrepo.domain.tape.anchors import Anchor, anchors_of, in_order
from ctxrepo.domain.tape.session_messages import SessionMessage
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.conversations import mask_anchor, mask_and_cut
from ctxrepo.services.sessions.found_messages import (
    NEIGHBOUR_CHARS,
    PATIENCE,
    Candidate,
    FoundMessage,
    no_word_in,
    read_matches,
    sessions_to_search,
)
from ctxrepo.services.sessions.profiles import Profiles
from ctxrepo.services.sessions.session_projects import Projects, resume_command, why_no_command
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.local_tape import LocalTape
from ctxrepo.storage.sessions.session_index import (
    IndexedSession,
    MessageFilter,
    MessageRow,
    SessionIndex,
    index_file,
)

_MOST_POSTINGS = 8000
"""Messages with a word that are looked at, the newest; a fifth of that with it in tools, or with a similar
one."""

_MOST_ROWS = 5000
"""Messages that are looked at where no word is asked for, the newest."""

_RARE = 0.02
"""Share of the messages up to which a word counts as rare, so that similar words are looked for, too."""

_SPARE = 3
"""How many times as many windows as are wanted, but at least 30, are ranked by their folders."""

_UNANSWERED = 0.3
"""Factor for the score of a window in which a question is asked and nobody knows the answer."""

_WEAKEST = 0.15
"""Share of the best window's score below which a window without all of the words isn't shown."""

_MASKED_BEFORE, _MASKED_AFTER = 128 * 1024, 4096
"""Characters before and from a hit in which secrets are masked before the text is cut: a private key is
recognised by its first line, thousands of characters before its last."""

_SHOWN, _NEIGHBOUR_SHOWN = 500, 320
"""The most characters that are shown of a match, and of a message beside it."""


@dataclass(frozen=True)
class SessionQuery:
    """A search. `text` is a question, or words, each in any of its forms; a `"…"` in it must be there.
    `project` is a folder of the memory, an id, or a checkout's name; `file` a path or its end; `since` is in
    Unix seconds. `context` counts the messages to show on either side; None: as many as a window has. `limit`
    counts sessions. The session `here`, in which the question was just asked, comes last."""

    text: str
    agent: str = ""
    project: str = ""
    since: int = 0
    is_by_user: bool = False
    file: str = ""
    context: int | None = None
    limit: int = 10
    here: str = ""

    def wants(self, projects: Projects, agent: str, cwd: str) -> bool:
        """Whether a session of this agent in the folder `cwd` is to be searched."""
        return self.agent in ("", agent) and projects.is_called(cwd, self.project)


@dataclass(frozen=True)
class SessionHit:
    """A message that was found, and those around it, masked and cut. `resume` is the command that resumes its
    session, `no_resume` why there is none; `anchor` is the last one that was left before it."""

    agent: str
    session: str
    project: str
    cwd: str
    path: str
    resume: str
    message: SessionMessage
    anchor: Anchor | None = None
    before: Sequence[SessionMessage] = ()
    after: Sequence[SessionMessage] = ()
    no_resume: str = ""
    missing: Sequence[str] = ()
    """Words of the question that neither it nor a message near it has."""


@dataclass(frozen=True)
class SessionsFound:
    """The hits, whether all sessions could be searched, and the words that no message has."""

    hits: Sequence[SessionHit]
    is_complete: bool = True
    unknown: Sequence[str] = ()

    @property
    def has_all_words(self) -> bool:
        """Whether some hit has all words that were asked for."""
        return any(not hit.missing for hit in self.hits)


def search_sessions(memory: Memory, query: SessionQuery) -> SessionsFound:
    """At most `limit` hits, one of a session: the best first, and of equally good ones the newest. Without
    words, the newest messages. Bring the index up to date before. NotFound for none, UsageError for a query
    that asks for nothing, or whose text has no word."""
    if not (query.text.strip() or query.file or query.is_by_user):
        raise UsageError("there is nothing to search for", "Give a word, or --file, or --user.")
    terms = question_terms(query.text)
    if query.text.strip() and not terms:
        raise no_word_in(query.text)
    projects = Projects(memory)
    file = index_file(memory.state.root)
    with SessionIndex.opened(file) as index:
        sessions, numbers = sessions_to_search(index, lambda s: query.wants(projects, s.agent, s.cwd))
        types = ("user",) if query.is_by_user else ()
        criteria = MessageFilter(types, query.file, query.since, sessions=numbers)
        postings = _postings(index, criteria, terms)
        if terms:
            candidates = _ranked(index, sessions, terms, postings, query.limit)
        else:
            candidates = _newest(index, sessions, criteria)
    candidates.sort(key=lambda candidate: bool(query.here) and candidate.session.id == query.here)
    matches: list[FoundMessage] = []
    if candidates:
        required = [term.text for term in terms if term.is_required]
        read = partial(read_matches, file, candidates, required, query.limit, query.context)
        folder = Path(candidates[0].session.path).parent
        matches = memory.outside.ask(folder, read, PATIENCE)
    if not matches:
        hint = "Without the quotes, any of its words is searched for." if '"' in query.text else ""
        raise NotFound(f"nothing found for {query.text or query.file!r} in agents' sessions", hint)
    unknown = [term.text for term, of_term in zip(terms, postings, strict=False) if not of_term.is_known]
    hits = _hits(memory, matches, [term.text for term in terms], projects)
    return SessionsFound([*hits], unknown=unknown)


def _postings(
    index: SessionIndex, criteria: MessageFilter, terms: Sequence[QuestionTerm]
) -> list[TermPostings]:
    """Which messages have each term, and at the end which have the file, if one is asked for."""
    anywhere = replace(criteria, file="")
    rare = _RARE * index.message_count
    postings = []
    for term in terms:
        spoken = index.postings(anywhere, f"said : ({term.expression})", _MOST_POSTINGS)
        in_tools = index.postings(anywhere, f"given : ({term.expression})", _MOST_POSTINGS // 5)
        has_similar = term.loose and len(spoken) <= rare
        similar = (
            index.postings(anywhere, f"said : ({term.loose})", _MOST_POSTINGS // 5) if has_similar else ()
        )
        postings.append(TermPostings(spoken, in_tools, similar, term.is_required))
    if terms and criteria.file:
        with_file = index.postings(replace(criteria, types=()), "", _MOST_POSTINGS)
        postings.append(TermPostings(with_file, is_required=True, is_word=False))
    return postings


def _newest(
    index: SessionIndex, sessions: Mapping[int, IndexedSession], criteria: MessageFilter
) -> list[Candidate]:
    """The newest message of each session, the newest first."""
    newest: dict[int, MessageRow] = {}
    for row in index.rows(criteria, "", _MOST_ROWS):
        newest.setdefault(row.session, row)
    return [Candidate(sessions[number], row) for number, row in newest.items() if number in sessions]


def _ranked(
    index: SessionIndex,
    sessions: Mapping[int, IndexedSession],
    terms: Sequence[QuestionTerm],
    postings: Sequence[TermPostings],
    limit: int,
) -> list[Candidate]:
    """The windows to read, the best first: more than `limit`, as transcripts of some may be gone."""
    rows: dict[int, MessageRow] = {}
    windows = []
    for window in ranked_windows(postings, index.message_count)[: max(limit, 10) * _SPARE + 10]:
        row = index.row(window.match)
        if row is not None:
            rows[window.match] = row
            factor = _UNANSWERED if _is_unanswered(index, row) else 1.0
            windows.append(window._replace(score=window.score * factor))
    windows = ranked_by_folder(windows, {number: session.cwd for number, session in sessions.items()})
    candidates: list[Candidate] = []
    for window in windows:
        missing = tuple(term.text for number, term in enumerate(terms) if not window.terms >> number & 1)
        is_good = not missing or window.score >= _WEAKEST * windows[0].score
        if is_good and window.session in sessions:
            candidates.append(Candidate(sessions[window.session], rows[window.match], missing))
    return candidates


def _is_unanswered(index: SessionIndex, row: MessageRow) -> bool:
    """Whether a message asks about the past, or answers that nothing is known: in it or in the one beside it
    somebody searches past sessions, or an agent says that it found nothing."""
    before, after = index.spoken_around(row, 1, 1)
    is_by_agent = row.traits & BY_AGENT
    first = before[0] if is_by_agent and before else row
    last = after[0] if not is_by_agent and after else row
    return any(traits & (SEARCHES | FINDS_NOTHING) for traits in index.traits_between(first, last))


def _hits(
    memory: Memory, matches: Sequence[FoundMessage], terms: Sequence[str], projects: Projects
) -> Iterator[SessionHit]:
    profiles = Profiles(memory)
    anchors = anchors_of_sessions(memory, frozenset(match.session.id for match in matches))
    # Secrets are looked for in all neighbours at once: most are short, and each search has a cost.
    neighbours = [message for match in matches for message in (*match.before, *match.after)]
    clean = iter(mask_and_cut(neighbours, NEIGHBOUR_CHARS, NEIGHBOUR_CHARS))
    for match in matches:
        before, after = (
            [
                replace(message, text=excerpt(message.text, terms, _NEIGHBOUR_SHOWN))
                for message in islice(clean, len(side))
            ]
            for side in (match.before, match.after)
        )
        session, when = match.session, second_at(match.at)
        text = snippet(match.text, terms)
        message = replace(match.message, session=session.id, when=when, text=text, details=())
        hit = hit_of(session, message, projects, profiles)
        anchor = last_before(anchors[session.id], match.at)
        yield replace(hit, anchor=anchor, before=before, after=after, missing=match.missing)


def hit_of(
    session: IndexedSession, message: SessionMessage, projects: Projects, profiles: Profiles
) -> SessionHit:
    """A hit for this message, with the facts about its session."""
    profile = profiles.assignment(session.agent, session.path)
    return SessionHit(
        session.agent,
        session.id,
        next(iter(projects.names_of(session.cwd)), ""),
        session.cwd,
        session.path,
        resume_command(session, profile),
        message,
        no_resume=why_no_command(session),
    )


def snippet(text: str, terms: Sequence[str]) -> str:
    """The text around the terms, on one line, without secrets and control characters."""
    at = first_hit(text, terms)
    start, end = max(0, at - _MASKED_BEFORE), at + _MASKED_AFTER
    clean = mask_part(text[start:end])
    return f"{'…' * (start > 0)}{visible(excerpt(clean, terms, _SHOWN))}{'…' * (end < len(text))}"


def anchors_of_sessions(memory: Memory, sessions: frozenset[str]) -> Mapping[str, Sequence[Anchor]]:
    """session id -> its anchors, the oldest first, each with the folder of its scope as its project."""
    ids = [session.encode() for session in sessions]
    tapes = ((path, memory.worktree.read(path) or b"") for path in memory.worktree.scan(TAPES).files)
    shared = (
        replace(anchor, project=tape_folder(path))
        for path, data in tapes
        if any(id_ in data for id_ in ids)
        for anchor in anchors_of(decode(data))
    )
    anchors: dict[str, list[Anchor]] = {session: [] for session in sessions}
    for anchor in (*shared, *LocalTape(memory.state).all_anchors()):
        if anchor.session_id in sessions:
            anchors[anchor.session_id].append(anchor)
    return {session: in_order(of_session, time()) for session, of_session in anchors.items()}


def last_before(anchors: Sequence[Anchor], at: int) -> Anchor | None:
    """The last anchor up to the second `at` (Unix seconds), without secrets. A handoff is preferred to the
    anchor of a session's start or end. None where there is neither."""
    earlier = [anchor for anchor in anchors if int(anchor.moment) <= at]
    handoffs = [anchor for anchor in earlier if anchor.type == "handoff"]
    last = (handoffs or earlier)[-1:]
    return mask_anchor(last[0]) if last else None
