"""Moments and amounts, as the memory writes them and as people say them."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta

from ctxrepo.domain.words.prompt_terms import days_in
from ctxrepo.errors import UsageError
from ctxrepo.lazy import lazy_pattern


def stamp(now: datetime) -> str:
    """2026-11-20T09:47:11.123Z"""
    return now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def second(moment: datetime) -> str:
    """2026-11-20T09:47:11Z, as every command prints moments for programs."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def second_at(at: float) -> str:
    """The same of Unix seconds; '' for 0."""
    return second(datetime.fromtimestamp(at, UTC)) if at else ""


def seconds_of(text: str) -> float | None:
    """The Unix seconds of an ISO 8601 moment, in UTC if it has no zone; None for anything else."""
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def wall_time(moment: datetime, *, seconds: bool = False) -> str:
    """`2026-11-22 10:50`, by this machine's own time zone."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M{':%S' if seconds else ''}}"


def ago(then: datetime, now: datetime) -> str:
    """`3 days ago`, in the greatest unit that fits."""
    seconds = int((now - then).total_seconds())
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            number = seconds // size
            return f"{number} {unit}{'s' if number > 1 else ''} ago"
    return "just now"


def day(now: datetime) -> str:
    """2026-11-20"""
    return now.astimezone(UTC).date().isoformat()


def month(now: datetime) -> str:
    """202611, as monthly files are named."""
    return now.astimezone(UTC).strftime("%Y%m")


_AGO = lazy_pattern(
    r"(?:last |past |the last )?(\d{1,4}|an?|one)? ?(h|hour|d|day|w|week|m|month|y|year)s?(?: ago)?"
)
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_NAMED = {"today": 0, "yesterday": 1}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_HINT = "Say for example 2026-11-20, yesterday, monday, last week, 3 days ago, in may."


def since(text: str, now: datetime, local: Callable[[datetime], datetime]) -> datetime:
    """The start of a period in words, a date or a moment; UsageError for others. `local` adds the zone of
    then: summer time may have begun since. A weekday, or a month or day without a year, is the latest that
    has begun."""
    words = " ".join(text.casefold().split())
    try:
        moment = _moment_in(text, words, now)
        return moment if moment.tzinfo else local(moment)
    except (ValueError, OverflowError):
        raise UsageError(f"{text!r} is no date", _HINT) from None


def _moment_in(text: str, words: str, now: datetime) -> datetime:
    """The moment, with a zone if the text has one; ValueError when it is none."""
    if words in _NAMED:
        return _midnight(now.date() - timedelta(days=_NAMED[words]))
    if words in _WEEKDAYS:  # the last one that has begun
        return _midnight(now.date() - timedelta(days=(now.weekday() - _WEEKDAYS.index(words)) % 7))
    if ago := _AGO.fullmatch(words):
        count = int(ago[1]) if (ago[1] or "").isdecimal() else 1
        if ago[2].startswith("h"):
            return now - timedelta(hours=count)
        return _midnight(now.date() - timedelta(days=count * _DAYS[ago[2][0]]))
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return _midnight(_day(words, now.date()))


def _day(words: str, today: date) -> date:
    """The first day that a text names; ValueError when it names none."""
    days = days_in(f"in {words}")
    if not days:
        raise ValueError(words)
    year, month, day = days[0]
    first_day = date(int(year or today.year), int(month), int(day or 1))
    return first_day if year or first_day <= today else first_day.replace(year=first_day.year - 1)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time())


def times(count: int) -> str:
    """How often, in a sentence."""
    return "once" if count == 1 else f"{count} times"


def counted(number: int, singular: str, plural: str = "") -> str:
    """`1 note`, `2 notes`."""
    return f"{number} {singular if number == 1 else plural or f'{singular}s'}"
