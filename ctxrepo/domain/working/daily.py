"""A daily note: what was done on one day, in the order it was reported."""

import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta

from ctxrepo.domain.note import compose, frontmatter
from ctxrepo.domain.note.note import bump_updated
from ctxrepo.domain.project.layout import DAILY
from ctxrepo.errors import UsageError
from ctxrepo.lazy import lazy_pattern

_NAME = lazy_pattern(r"(\d{4}-\d{2}-\d{2})\.md\Z", re.ASCII)
_DAY = lazy_pattern(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
_STAMP = lazy_pattern(r"\A\d{2}:\d{2} [+-]\d{4} ")
_MARKER = lazy_pattern(r"\A[-*+](?:[ \t]+|\Z)")


def path_of(folder: str, day: str) -> str:
    """The note of a day, in the scope of this folder."""
    return f"{folder}/{DAILY}/{day}.md"


def day_of(now: datetime) -> str:
    """The current day for the person: `now` has their offset."""
    return now.date().isoformat()


def parse_day(text: str, now: datetime) -> str:
    """`today`, `yesterday` or a day of the calendar as 2026-11-20; UsageError for anything else."""
    if text in ("today", "yesterday"):
        return (now.date() - timedelta(days=text == "yesterday")).isoformat()
    try:
        if _DAY.match(text):
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise UsageError(f"{text[:40]!r} is not a date", "Write it as 2026-11-20, or say today or yesterday.")


def days(paths: Iterable[str]) -> list[str]:
    """The days of these daily notes, the newest first; other paths are skipped."""
    dates = []
    for path in paths:
        match = _NAME.match(path.rpartition("/")[2])
        try:
            dates += [date.fromisoformat(match[1]).isoformat()] if match else []
        except ValueError:
            continue
    return sorted(dates, reverse=True)


def line(text: str, now: datetime) -> str:
    """The entry for a report at this moment: `- 09:47 +0100 text`, further lines indented. The offset is
    always included: people who travel, or work with others, have several zones in one note."""
    words = _MARKER.sub("", text.strip(), count=1)
    if not words:
        raise UsageError("there is nothing to log", "Say in a sentence what was done, found or decided.")
    return compose.bullet(f"{now.strftime('%H:%M %z')} {words}")


def logged(text: str | None, entry: str, day: str) -> str:
    """Add `entry` to the note of a day, which is created if it is None. Two machines create it alike, so that
    their notes merge into one."""
    if text is None:
        head = {"description": f"Log of {day}", "created": day, "updated": day}
        text = frontmatter.render(head) + "\n"
    return bump_updated(compose.append(text, entry), day)


def words_of(plain: str) -> str:
    """The text of a log entry, without the time."""
    return _STAMP.sub("", plain, count=1).strip()
