"""Where the transcript of a session is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from ctxrepo.agents.known import transcripts_of
from ctxrepo.storage.disk.recent import newest


def transcript_of(agent: str, session: str, user_home: Path, env: Mapping[str, str]) -> str:
    """Where an agent keeps its own record of a session, '' where that isn't known."""
    transcripts = transcripts_of(agent)
    if transcripts is None or not re.fullmatch(r"[\w-]{1,100}", session, re.ASCII):
        return ""
    pattern = transcripts.OF_SESSION.format(session=session)
    return next((str(path) for path in newest(transcripts.folder(user_home, env), pattern, 1)), "")
