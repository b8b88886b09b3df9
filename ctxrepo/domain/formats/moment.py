"""Moments as the memory writes them: always UTC, so that machines agree on days."""

from __future__ import annotations

from datetime import UTC, datetime


def stamp(now: datetime) -> str:
    """2026-11-20T09:47:11.123Z"""
    return now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def second(moment: datetime) -> str:
    """2026-11-20T09:47:11Z, as every command prints moments for programs."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def seconds_of(text: str) -> float | None:
    """The Unix seconds of a moment in ISO 8601, by UTC where it names no zone; None for anything else."""
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


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
