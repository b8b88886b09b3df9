"""What pi's own settings, those for all projects, say of memory in pi's sessions, under `pi-memory-md`."""

import _sqlite3

from ctxrepo.hooks.dialect import OwnSettings
from ctxrepo.hooks.known.pi_switch import settings_ask_for_silence
from ctxrepo.hooks.own_files import bytes_of

MAX_BYTES = 1024 * 1024

_MESSAGE = "message-append"
"""The value of `delivery` that stands for a message; any other one stands for the system prompt."""

_SAID = """
    select
        case 'text'
            when json_type(section, '$.delivery') then json_extract(section, '$.delivery')
            when json_type(section, '$.injection') then json_extract(section, '$.injection')
            else ''
        end,
        case
            when json_type(section, '$.hooks.onSessionStart') is not null
                then json_type(section, '$.hooks.onSessionStart') = 'false'
            when json_type(section, '$.hooks.sessionStart') = 'array' then not exists (
                select 1 from json_each(section, '$.hooks.sessionStart') where trim(value) = 'pull')
            when ifnull(json_type(section, '$.hooks'), 'null') <> 'null' then 0
            else ifnull(json_type(section, '$.autoSync.onSessionStart') = 'false', 0)
        end
    from (select json_extract(:json, '$."pi-memory-md"') as section)
    where json_valid(section) and json_type(section) = 'object'"""
"""The way of delivery, and whether a session's start shall do without a fetch."""


def settings_file(environment: dict[str, str]) -> str:
    """Where pi keeps them: in PI_CODING_AGENT_DIR, else in ~/.pi/agent; '' without a home."""
    home, named = environment.get("HOME", ""), environment.get("PI_CODING_AGENT_DIR", "")
    if named == "~" or named.startswith("~/"):
        named = f"{home}{named[1:]}" if home else ""
    folder = named or (f"{home}/.pi/agent" if home else "")
    return f"{folder}/settings.json" if folder.startswith("/") else ""


def own_settings(db: _sqlite3.Connection, environment: dict[str, str]) -> OwnSettings:
    """What the file says; one that is missing or can't be read says nothing."""
    file = settings_file(environment)
    data = bytes_of(file, MAX_BYTES, follow=True) if file else None
    if not data or b"\0" in data:
        return OwnSettings()
    if settings_ask_for_silence(db, data):
        return OwnSettings(silence=f"{file} says that pi-memory-md isn't enabled")
    try:
        row = db.execute(_SAID, {"json": data.decode("utf-8")}).fetchone()
    except (UnicodeDecodeError, _sqlite3.Error):
        return OwnSettings()
    delivery, has_no_fetch = row or ("", 0)
    place = "" if not delivery else "message" if delivery == _MESSAGE else "system"
    return OwnSettings(place=place, fetches=not has_no_fetch)
