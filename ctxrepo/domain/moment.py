"""Moments as the memory writes them: always UTC, so that machines agree on days."""

from __future__ import annotations

from datetime import UTC, datetime


def stamp(now: datetime) -> str:
    """2026-11-20T09:47:11.123Z"""
    return now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def day(now: datetime) -> str:
    """2026-11-20"""
    return now.astimezone(UTC).date().isoformat()


def month(now: datetime) -> str:
    """202611, as monthly files are named."""
    return now.astimezone(UTC).strftime("%Y%m")
