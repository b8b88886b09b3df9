"""The days and months that a prompt names, in the languages most prompts are written in."""

Day = tuple[str, str, str]
"""(year, month, day) as YYYY, MM and DD, each '' where the prompt doesn't name it."""

# English; German; French; Spanish; Portuguese; Italian.
_NAMES = """
    january jan januar janvier enero janeiro gennaio
    february feb februar février febrero fevereiro febbraio
    march mar märz mars marzo março
    april apr avril abril aprile
    may mai mayo maio maggio
    june jun juni juin junio junho giugno
    july jul juli juillet julio julho luglio
    august aug août agosto
    september sep sept septembre septiembre setembro settembre
    october oct oktober octobre octubre outubro ottobre
    november nov novembre noviembre novembro
    december dec dezember décembre diciembre dezembro dicembre
"""
MONTHS = {
    name: f"{number:02}"
    for number, line in enumerate(_NAMES.strip().splitlines(), 1)
    for name in line.split()
}
_ALSO_WORDS = frozenset({"may", "march", "mars", "mar", "sep"})
"""Names that count as months only beside a number or after a word of time."""

_TIME_WORDS = "in of since last by until from for early late mid im en seit depuis em de"
_TIMES = frozenset(_TIME_WORDS.split())
_ENDINGS = ("st", "nd", "rd", "th")
_BETWEEN = frozenset({"of", "de"})
_SIGNS = {"年": "-", "月": "- ", "日": " ", "월": "- ", "년": "-", "일": " "}
MOST = 8
_READ = 2000


def days_in(prompt: str) -> list[Day]:
    """At most 8 days and months that a prompt names, in its own order."""
    text = prompt[:_READ].lower()
    if not text.isascii():
        text = "".join([_SIGNS.get(char, char) for char in text])
    said = [word.strip(",.;:?!()[]\"'`") for word in text.split()]
    found: dict[Day, None] = {}
    for place, word in enumerate(said):
        day = _named(said, place) if word in MONTHS else _written(word)
        _, month, _ = day
        if month:
            found[day] = None
    return list(found)[:MOST]


def _written(word: str) -> Day:
    """The day in `2026-05-12` or `2026/05`; `5-` is what `_SIGNS` makes of the fifth month in Chinese."""
    parts = word.replace("/", "-").replace(".", "-").split("-")
    if not all(part.isdecimal() and part.isascii() for part in parts if part) or len(parts) < 2:
        return ("", "", "")
    first, second, *more = parts
    if len(first) == 4:
        year, month, day = first, second, next(iter(more), "")
    elif word.endswith("-") and not more:
        year, month, day = "", first, ""
    else:
        return ("", "", "")
    return (year, month.zfill(2), day.zfill(2) if day else "") if 1 <= int(month or 0) <= 12 else ("", "", "")


def _named(said: list[str], place: int) -> Day:
    """The month that is named at `place`, with day and year beside it: `12th of may 2026`, `may 12, 2026`."""
    name = said[place]
    before = place - 2 if place > 1 and said[place - 1] in _BETWEEN else place - 1
    day = _number(said[before]) if before >= 0 else ""
    after = place + 1
    if not day and after < len(said) and (day := _number(said[after])):
        after += 1
    if after < len(said) and said[after] in _BETWEEN:
        after += 1
    year = said[after] if after < len(said) and said[after].isdecimal() and len(said[after]) == 4 else ""
    if name in _ALSO_WORDS and not (day or year or (place and said[place - 1] in _TIMES)):
        return ("", "", "")
    return (year, MONTHS[name], day)


def _number(word: str) -> str:
    """A day of a month as two digits, '' for another word."""
    bare = word[:-2] if word.endswith(_ENDINGS) else word
    return (
        bare.zfill(2)
        if bare.isdecimal() and bare.isascii() and len(bare) <= 2 and 1 <= int(bare) <= 31
        else ""
    )
