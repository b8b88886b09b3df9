"""Who is writing: on which machine, in which agent session, for which project."""

from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class Origin:
    host: str
    session: str = ""
    agent: str = ""
    project: str = ""
