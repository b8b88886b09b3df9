"""What shows nothing by itself, judged by what stands beside it: is it written, or does it hide something?

A joiner between two letters of Persian is spelling; the same joiner within an English word hides something.
Hooks load it for lines that hold such a character."""

_SEEN = frozenset(
    "\t\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
"""Blanks as wide as others, and signs of Arabic and its neighbours: Unicode doesn't call them printable."""

_ZWSP, _ZWJ = "\u200b\u200d"
_JOINERS = "\u200c\u200d"
_AS_TEXT, _AS_PICTURE = "\ufe0e\ufe0f"
_KEYCAP = "\u20e3"
_FLAG, _FLAG_ENDS, _LONGEST_FLAG = "\U0001f3f4", "\U000e007f", 6
_TAG = 0xE0000
"""What is added to a letter or digit to make a tag of it."""

_PICTOGRAPHS = (
    "\xa9\xa9\xae\xae\u203c\u203c\u2049\u2049\u2122\u2122\u2139\u2139\u2194\u2199\u21a9\u21aa\u231a\u23ff"
    "\u24c2\u24c2\u25aa\u25fe\u2600\u27bf\u2934\u2935\u2b05\u2b55\u3030\u3030\u303d\u303d\u3297\u3297"
    "\u3299\u3299\U0001f000\U0001faff"
)
"""Each two are the ends of a range; all of the last one is for pictures, in whatever version of Unicode."""

_JOINED = (
    "\u0600\u07ff\u0840\u0dff\u0f00\u109f\u1700\u18af\u1900\u1c7f\ua800\uaaff\uabc0\uabff"
    "\ufb50\ufdff\ufe70\ufefe\U00010a00\U00011fff\U0001e900\U0001e95f"
)
"""Scripts whose letters take another form beside others, so that a joiner is spelling."""

_WITHOUT_BLANKS = "\u0e00\u109f\u1780\u17ff\u1980\u1aaf"
"""Scripts in which a blank without width parts words."""

_MONGOLIAN = "\u1820\u18aa"
_HAN = "\u3400\u4dbf\u4e00\u9fff\uf900\ufaff\U00020000\U0003ffff"


def is_written(line: str, at: int) -> bool:
    """Whether the character at this place of a line, which shows nothing by itself, is seen all the same or
    belongs to what stands beside it. It isn't where it hides or acts on others: controls, marks of direction,
    tags, private and unknown characters, halves of surrogates, and joiners where nobody writes them."""
    char, before, after = line[at], line[at - 1 : at] if at else "", line[at + 1 : at + 2]
    if char in _SEEN:
        return True
    if char in (_AS_TEXT, _AS_PICTURE):
        is_key = before != "" and before in "#*0123456789" and after == _KEYCAP
        return is_key or _is_in(before, _PICTOGRAPHS)
    if char in _JOINERS:
        return (char == _ZWJ and _joins_pictures(line, at)) or _joins_letters(before, after)
    if char == _ZWSP:
        return _is_in(before, _WITHOUT_BLANKS) and _is_in(after, _WITHOUT_BLANKS)
    if "\u180b" <= char <= "\u180f":
        return _is_in(before, _MONGOLIAN)
    if "\U000e0100" <= char <= "\U000e010f":  # the form that a character has in somebody's name
        return _is_in(before, _HAN)
    return _is_in(char, _PICTOGRAPHS) or ("\U000e0020" < char <= _FLAG_ENDS and _is_in_flag(line, at))


def _joins_letters(before: str, after: str) -> bool:
    """Whether both are letters, and one at least of a script that has joiners: it may end an English word."""
    are_letters = f"a{before}".isidentifier() and f"a{after}".isidentifier() and before != "" != after
    return are_letters and (_is_in(before, _JOINED) or _is_in(after, _JOINED))


def _joins_pictures(line: str, at: int) -> bool:
    before = line[max(0, at - 2) : at].removesuffix(_AS_PICTURE)[-1:]
    return _is_in(line[at + 1 : at + 2], _PICTOGRAPHS) and _is_in(before, _PICTOGRAPHS)


def _is_in_flag(line: str, at: int) -> bool:
    """Whether a tag is one of those that make a region's flag, as of Scotland: `gbsct`, and the end."""
    start = line.rfind(_FLAG, max(0, at - _LONGEST_FLAG), at)
    end = line.find(_FLAG_ENDS, at, at + _LONGEST_FLAG)
    if start < 0 or end < 0 or not 4 < end - start <= _LONGEST_FLAG:
        return False
    region = "".join([chr(max(0, ord(char) - _TAG)) for char in line[start + 1 : end]])
    return region.isascii() and region.isalnum() and region.islower() and region[:2].isalpha()


def _is_in(char: str, ranges: str) -> bool:
    return any(ranges[n] <= char <= ranges[n + 1] for n in range(0, len(ranges), 2))
