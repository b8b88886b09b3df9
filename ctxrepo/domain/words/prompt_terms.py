"""How a prompt is read: its terms, the days that it names, and whether it asks for anything.

The words in these lists are as `fold` leaves them.
"""

# English; then what German, French, Spanish, Portuguese and Italian have beside it.
_STOP = """
    a about after again all also am an and any are as at be been but by can could did do does doing done down
    each else for from get go got had has have he her here him his how i if in into is it its just let like
    make me more most my need no not now of off on one only or other our out over own please put s same see
    she should so some such t than that the their them then there these they this those to too try under up
    us use used using very want was way we well were what when where which while who why will with would you
    your aber als auch auf aus bei bin bis bitte da das dass dem den der des die doch du ein eine einem einen
    er es fur hat ich ihr im ist kann mich mir mit nach nicht noch nur oder schon sich sie sind um und uns
    von vor war wenn wer wie wir zu zum zur au aux avec ce ces cette dans de elle en est et il je la le les
    leur mais mes moi ne nous ou par pas pour que qui sa se ses sur te tu un une vous al como con del el ella
    eso esta este esto ha hay las lo los mas mi muy para pero por porque su sus una uno ya yo ao aos com dos
    em essa esse isso na nas nos nao pela pelo sao sem seu sua tambem uma che chi ci come della di e gli ho
    ma nel non per piu questo sono
"""

# English; German; French; Spanish, Portuguese and Italian; Russian; then Chinese, Japanese and Korean, where
# all that stands between two signs of punctuation is one word here.
_SOCIAL = """
    ok okay k kk yes yeah yep yup no nope sure thanks thank thx ty cheers great good nice cool perfect
    awesome excellent amazing wonderful fine right correct exactly agreed looks look sounds lgtm done
    continue proceed carry keep going ahead start next hello hi hey morning evening bye goodbye later sorry
    welcome work job much lot love it's that's let's ja nein danke dir dankeschon vielen dank gut super prima
    toll klasse genau passt stimmt weiter mach alles klar perfekt sieht aus hallo tschuss gerne oui non merci
    beaucoup bien parfait d'accord c'est accord continuez vas y bonjour salut genial si gracias muchas vale
    perfecto claro sigue continua adelante hola sim obrigado obrigada muito bom otimo perfeito certo ola
    grazie mille bene perfetto va ciao avanti
    да нет спасибо хорошо отлично ладно продолжаи даваи привет
    好 好的 可以 谢谢 谢谢你 谢了 不错 很好 继续 请继续 没问题 是的 对 はい いいえ 了解 了解です
    了解しました ありがとう ありがとうございます 続けて 続けてください お願いします いいね 大丈夫です 네 예
    아니요 감사합니다 고마워 좋아 좋아요 계속 계속해 계속해줘 알겠습니다
"""

# English; German; French; Spanish and Portuguese; Russian; then pairs of characters in Japanese and Chinese.
_EVERYDAY = """
    above add annotations anonymous another anywhere approaches array before better between blank blocks
    both branch browser build bulleted bump call callers cannot changelog changes check class code
    comments commit complexity comprehension conflicts constant continue convert copy correct create csv
    dead dependencies diff difference docstring duplicates easier edit empty english error exactly example
    exception explain expression extract failing far faster few file first fix format found function
    functions grammar handling headings helper imports index install js json keep keys last line lint list
    loop main matches mean merge message module move name new next null number object once open operand
    order output page paragraph pasted places preferred prints process project properties pull push python
    raise read readable recent refactor regular remove rename request resolve return reverse review run
    says script sentences server shorter show signature simpler slow smaller sort spelling split stack
    start step still string suite sum summarise sure table tell tests text thread time top touch trace
    traceback translate two type typo unclear undefined undo unit unsupported unused update value values
    variable version whole words work write wrong yaml
    aktuell anderung behebe datei diese fehler funktion fuhre letzte macht ruckgangig zeile
    einmal explique fait fichier fonction ligne peux precedente renommer relance
    codigo ejecutar funcion linea pruebas vuelve alteracoes escreva faca favor funcao linha testes
    делает еще запусти код объясни тесты функция этот
    この の関 関数 数を 説明 明し して てく くだ ださ さい テス スト トを もう う一 一度 度実 実行 行し
    请解 解释 这段 段代 代码 码的 作用 再运 运行 一次 次测 测试
"""

STOP = frozenset(_STOP.split())
"""Words a search does without."""

SOCIAL = frozenset(_SOCIAL.split())
"""Words that thank, agree, greet or tell to go on."""


_STEM, _ENDING = 4, 3


def stem(word: str) -> str:
    """The letters of a word that another form of it has too: all but the last three, four at least."""
    return word[: max(_STEM, len(word) - _ENDING)]


EVERYDAY = frozenset(map(stem, _EVERYDAY.split()))
"""Words, each without its ending, that people say to a coding agent all day, whatever they work on."""


MAX_WORDS = 96
MAX_READ = 8000
"""Characters of a prompt that are read: what a pasted log says later tells nothing new."""

_LONGEST = 64


def words(prompt: str) -> list[str]:
    """What a prompt is about: at most 96 distinct words as `fold` leaves them, no stop words. Names with `_`,
    `-`, `.`, `/` or in camelCase are split into parts; scripts without blanks into pairs and triples."""
    last = _LAST.get(prompt)
    if last is None:
        _LAST.clear()
        _LAST[prompt] = last = _words(prompt)
    return [*last]


_LAST: dict[str, list[str]] = {}
"""The last prompt with its words: whoever ranks asks for them half a dozen times."""


def _words(prompt: str) -> list[str]:
    terms: dict[str, None] = {}
    for run in runs(plain(prompt[:MAX_READ])):
        for word in spelled(run) if is_unspaced(run) else (run, *spelled(run)):
            low = word.casefold()
            if low not in STOP and (len(low) > 1 or is_wide(low)):
                terms[low[:_LONGEST]] = None
        if len(terms) >= MAX_WORDS:
            break
    return list(terms)[:MAX_WORDS]


def everyday_share(prompt: str) -> float:
    """Which share of a prompt's words are of everyday work, from 0 to 1."""
    terms = words(prompt)
    return sum([stem(word) in EVERYDAY for word in terms]) / max(len(terms), 1)


def plain(text: str) -> str:
    """`text` as it is indexed and asked for, but for capital letters: what reads the same is equal."""
    if text.isascii():
        return text
    from ctxrepo.domain.words.folding import unified

    return unified(text)


def fold(text: str) -> str:
    """`plain`, and without capital letters."""
    return plain(text).casefold()


def numbered_items(prompt: str) -> list[tuple[str, str]]:
    """The items that a prompt names by a number, as in INC-45: (what stands before it, the number), in lower
    case. Only capitals make an item of it, as postgres-15 is a kind of postgres, and two digits at least."""
    items: dict[tuple[str, str], None] = {}
    before, *rest = plain(prompt[:MAX_READ]).split("-")
    for after in rest:
        kind = before[_end_of_letters(before) :]
        number = after[: len(after) - len(after.lstrip("0123456789"))]
        behind = after[len(number) : len(number) + 1]
        if kind.isupper() and len(number) > 1 and (is_wide(behind) or not behind.isalnum()):
            items[kind.lower(), number] = None
        before = after
    return list(items)


def _end_of_letters(text: str) -> int:
    """Where the run of letters at the end of a text begins."""
    first = len(text)
    while first and text[first - 1].isalpha() and not is_wide(text[first - 1]):
        first -= 1
    return first


def runs(text: str) -> list[str]:
    """The runs of letters and digits in a text that is `plain`."""
    if text.isascii():
        return text.translate(_BLANKS).split()
    return "".join([char if is_of_word(char) else " " for char in text]).split()


def is_of_word(char: str) -> bool:
    """Whether it is a letter, a digit, or a vowel that is written as a mark."""
    return char.isalnum() or (char > "\u02ff" and f"a{char}".isidentifier())


def spelled(run: str) -> list[str]:
    """The words in a run of letters and digits that the index takes for one word; [] when it is one."""
    if run.isascii():
        return _humps(run) if not (run.islower() or run[1:].islower() or run.isupper()) else []
    if not is_unspaced(run):
        return _without_prefixes(run)
    pieces = []
    start = 0
    for end in range(1, len(run) + 1):
        if end == len(run) or _piece(run[end]) != _piece(run[start]):
            part, length = run[start:end], _piece(run[start])
            pieces += (
                [part[n : n + length] for n in range(max(1, len(part) - length + 1))] if length else [part]
            )
            start = end
    return pieces


def last_characters(run: str) -> list[str]:
    """The last character of each part of Chinese, Japanese or Korean, which begins no pair: a single one is
    looked for as the beginning of a pair, or as one of these."""
    return [
        char for char, after in zip(run, run[1:] + " ", strict=True) if is_wide(char) and not is_wide(after)
    ]


def is_wide(char: str) -> bool:
    """Whether the character is of a script whose words have about two; a terminal shows it twice as wide."""
    first = char[:1]
    return "\u1100" <= first <= "\u11ff" or "\u2e80" <= first <= "\ua4cf" or "\uac00" <= first <= "\ud7a3"


def _piece(char: str) -> int:
    """The length of the pieces that a run of such characters is found by, 0 where blanks part its words."""
    if char < "\u0e00":
        return 0
    is_thai = char <= "\u0eff" or "\u1000" <= char <= "\u109f" or "\u1780" <= char <= "\u17ff"
    return 3 if is_thai else 2 if is_wide(char) or char >= "\U00020000" else 0


def is_unspaced(run: str) -> bool:
    """Whether a run has characters of a script without spaces: the index takes its words for one."""
    return not run.isascii() and any(map(_piece, run))


_HEBREW, _ARABIC = tuple("והבכלמש"), tuple("وفبكل")
"""Letters of either script that are words by themselves, such as `the` and `in`, and stand before a word."""

_SHORTEST = 3
"""Letters that the word behind them has at least."""


def _without_prefixes(run: str) -> list[str]:
    """A word of Hebrew or Arabic without what is written together with it: the article, and `and` or `in`."""
    if run.startswith(_HEBREW):
        starts = [1, 2] if run.startswith(_HEBREW, 1) else [1]
    elif (article := run.find("ال", 0, 3)) == 0 or (article == 1 and run.startswith(_ARABIC)):
        starts = [article + 2]
    else:
        starts = [2] if run.startswith("لل") else [1] if run.startswith("و") else []
    return [run[at:] for at in starts if len(run) - at >= _SHORTEST]


def _humps(name: str) -> list[str]:
    """`parseHTTPBody2` in its parts: parse, HTTP, Body2."""
    parts = []
    start = 0
    for n in range(1, len(name)):
        begins = name[n].isupper() and not name[n - 1].isupper()
        ends = name[n].islower() and name[n - 1].isupper() and n - 1 > start
        if begins or ends:
            parts.append(name[start : n if begins else n - 1])
            start = n if begins else n - 1
    parts.append(name[start:])
    return parts if len(parts) > 1 else []


_BLANKS = {n: " " for n in range(128) if not chr(n).isalnum()}


MIN_VISIBLE = 10
MIN_WORDS = 2

_NOTICES = ("<task-notification>",)
"""How prompts begin that an agent writes itself: so Claude Code says that a background task ended."""


def is_left_alone(prompt: str, is_follow_up: bool = False) -> bool:
    """Whether a prompt is too short or too social to recall anything for, or isn't a person's. One that
    follows earlier ones may be short: one word tells what is meant."""
    head = prompt[:MAX_READ]
    if _width(head) < MIN_VISIBLE and not is_follow_up:
        return True
    is_short = len(words(head)) < (1 if is_follow_up else MIN_WORDS)
    return is_short or is_notice(head) or SOCIAL.issuperset(_spoken(head))


def is_notice(prompt: str) -> bool:
    """Whether an agent wrote the prompt itself, to tell its model something."""
    return prompt.lstrip().startswith(_NOTICES)


def _width(text: str) -> int:
    """Visible characters, counted as the letters of Latin that say as much: where words have about two
    characters, or are written without vowels, a question is shorter."""
    chars = [char for char in text if char.isprintable() and char != " "]
    return sum([3 if is_wide(char) else 2 if "\u05d0" <= char <= "\u06ff" else 1 for char in chars])


def _spoken(text: str) -> list[str]:
    """All words but the stop words, with the apostrophes in them."""
    bare = "".join([char if is_of_word(char) or char == "'" else " " for char in fold(text)])
    return [word for word in bare.split() if word not in STOP]


Day = tuple[str, str, str]
"""(year, month, day) as YYYY, MM and DD, each '' where the prompt doesn't name it."""

# English; German; French; Spanish; Portuguese; Italian.
_NAMES = """
    january jan januar janvier enero janeiro gennaio
    february feb februar fevrier febrero fevereiro febbraio
    march mar marz mars marzo marco
    april apr avril abril aprile
    may mai mayo maio maggio
    june jun juni juin junio junho giugno
    july jul juli juillet julio julho luglio
    august aug aout agosto
    september sep sept septembre septiembre setembro settembre
    october oct oktober octobre octubre outubro ottobre
    november nov novembre noviembre novembro
    december dec dezember decembre diciembre dezembro dicembre
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
    text = fold(prompt[:_READ])
    if not text.isascii():
        text = "".join([_SIGNS.get(char, char) for char in text])
    words = [word.strip(",.;:?!()[]\"'`") for word in text.split()]
    days: dict[Day, None] = {}
    for place, word in enumerate(words):
        day = _named(words, place) if word in MONTHS else _written(word)
        _, month, _ = day
        if month:
            days[day] = None
    return list(days)[:MOST]


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


def _named(words: list[str], place: int) -> Day:
    """The month that is named at `place`, with day and year beside it: `12th of may 2026`, `may 12, 2026`."""
    name = words[place]
    before = place - 2 if place > 1 and words[place - 1] in _BETWEEN else place - 1
    day = _number(words[before]) if before >= 0 else ""
    after = place + 1
    if not day and after < len(words) and (day := _number(words[after])):
        after += 1
    if after < len(words) and words[after] in _BETWEEN:
        after += 1
    year = words[after] if after < len(words) and words[after].isdecimal() and len(words[after]) == 4 else ""
    if name in _ALSO_WORDS and not (day or year or (place and words[place - 1] in _TIMES)):
        return ("", "", "")
    return (year, MONTHS[name], day)


def _number(word: str) -> str:
    """A day of a month as two digits, '' for another word."""
    bare = word[:-2] if word.endswith(_ENDINGS) else word
    is_day = bare.isdecimal() and bare.isascii() and len(bare) <= 2 and 1 <= int(bare) <= 31
    return bare.zfill(2) if is_day else ""
