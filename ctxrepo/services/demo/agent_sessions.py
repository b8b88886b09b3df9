"""A session of Claude Code in the story: what its user and it said, and what its prompts were given.

Its transcript is as Claude Code writes it. What is recalled for a prompt is what a hook would have recalled
then, and is noted where hooks note it: what became of it is counted from there, as always."""

import os
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ctxrepo.agents.known import transcripts_of
from ctxrepo.domain.formats.jsonl import render_compactly
from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.text import blake2b
from ctxrepo.hooks.own_files import append
from ctxrepo.hooks.session.ledger_words import BEGAN, CWD, ENDED, PROJECT
from ctxrepo.hooks.session.session import Session
from ctxrepo.hooks.session.traces import MAX_BYTES
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import search_order
from ctxrepo.services.recall.recall import Question, RecallResult, answered
from ctxrepo.storage.cache.entries import entry_by_id
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.spool import SpoolEvent
from ctxrepo.storage.state.usage import Access, AccessLog

_TURN = timedelta(minutes=4)
"""Between one prompt and the next."""

_DONE = "Done; the tests pass, and nothing else had to change."
"""What the agent answers where nothing was recalled."""


@dataclass(frozen=True)
class AgentSession:
    """The session with this id in a checkout of the project, which began at a moment."""

    memory: Memory
    project: Project
    cwd: Path
    agent: str
    id: str
    began: datetime

    def talk(self, turns: Sequence[tuple[str, str]]) -> None:
        """The user asks, and the agent answers; without a given answer it repeats what was recalled."""
        lines, hashes = list[str](), dict[str, str]()
        for number, (prompt, answer) in enumerate(turns):
            at = self.began + number * _TURN
            lines.append(self._line(len(lines), at, "user", prompt))
            hits = self._recall(prompt, at).hits
            entries = (self.memory.cache.ask(entry_by_id, hit.id.lstrip("^")) for hit in hits)
            hashes |= {entry.entry.id: entry.hash for entry in entries if entry}
            repeated = f"{hits[0].text.lstrip('- ')}. So I did that." if hits else _DONE
            content = [{"type": "text", "text": answer or repeated}]
            lines.append(self._line(len(lines), at + _TURN / 4, "assistant", content))
            if hits and not answer and prompt.endswith("?"):
                path = str(self.memory.root / hits[0].path)
                read = Access(at.timestamp(), self.agent, self.id, "Read", path)
                AccessLog(self.memory.state.access).add(read)
        self.transcript.parent.mkdir(parents=True, exist_ok=True)
        self.transcript.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        ledger = self._open_ledger()
        ledger.note_given(hashes)
        ledger.save()

    def end(self, at: datetime) -> SpoolEvent:
        """Leave ledger and transcript as they are once the session has ended; what a worker is told."""
        ledger, seconds = self._open_ledger(), at.timestamp()
        ledger.note(BEGAN, self.began.timestamp())
        ledger.note(CWD, str(self.cwd))
        ledger.note(PROJECT, self.project.folder)
        ledger.note(ENDED, seconds)
        ledger.save()
        for path in filter(os.path.exists, (str(self.transcript), ledger.path)):
            os.utime(path, (seconds, seconds))
        transcript = str(self.transcript)
        return SpoolEvent("stop", self.agent, self.id, str(self.cwd), transcript=transcript, at=seconds)

    @property
    def transcript(self) -> Path:
        transcripts = transcripts_of(self.agent)
        assert transcripts is not None  # it is an agent that we know
        folder = transcripts.folder(self.memory.places.user_home, self.memory.env)
        name = "".join(char if char.isalnum() else "-" for char in str(self.cwd))
        return folder / transcripts.PATTERN.partition("*")[0] / name / f"{self.id}.jsonl"

    def _open_ledger(self) -> Session:
        return Session(str(self.memory.places.state), self.memory.state.id, self.agent, self.id)

    def _line(self, number: int, at: datetime, who: str, content: object) -> str:
        about = {
            "type": who,
            "uuid": f"{self.id[:-4]}{number:04}",
            "sessionId": self.id,
            "cwd": str(self.cwd),
        }
        message: dict[str, Any] = {"role": who, "content": content}
        if who == "assistant":
            message["id"] = f"m{number}"
        return render_compactly({**about, "timestamp": stamp(at), "message": message})

    def _recall(self, prompt: str, at: datetime) -> RecallResult:
        """What a hook would have given for the prompt, noted as it notes that."""
        cache = self.memory.hook_cache()
        assert cache is not None  # whoever committed last has made it
        scopes = search_order(self.memory, self.project)[::-1]
        with closing(cache):
            answer = answered(cache, Question(prompt, purpose="prompt"), scopes, str, at)
        trace = {
            "id": blake2b(f"{self.id} {at}".encode(), digest_size=4).hexdigest(),
            "at": at.timestamp(),
            "agent": self.agent,
            "session": self.id,
            "prompt": prompt,
            "silence": answer.reason,
            "given": [[hit.id.lstrip("^"), hit.at, hit.score] for hit in answer.hits],
        }
        append(str(self.memory.state.traces), render_compactly(trace) + "\n", MAX_BYTES)
        return answer
