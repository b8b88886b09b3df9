"""Escapes text from memory so that it can't pass for anything else, and reads it back exactly.

`<` before a letter, `/`, `!` or `?` becomes `&lt;`; a `#` at the start of a line `\\#`; a character that
can't be seen `\\u{hex}`; in a field, which is one line, a newline `\\n`. `&` and `\\` are escaped only where
they would be read as one of these, so that code stays readable.
"""

import sys

# Unicode calls these printable, but they show nothing: fillers, blanks and variation selectors.
_UNSEEN = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U0001d159"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
_NAMED = ("&lt;", "&amp;")


def escape_field(text: str, also: str = "") -> str:
    """`text` on one line; the characters in `also` become `\\u{hex}` too."""
    return _escape_line(text, also, one_line=True)


def escape_text(text: str) -> str:
    """`text` with its lines as they are."""
    if "\n#" not in text and _is_harmless(text.replace("\n", ""), ""):
        return text
    return "\n".join([_escape_line(line, "", one_line=False) for line in text.split("\n")])


def unescape_field(text: str) -> str:
    return _unescape(text, one_line=True)


def unescape_text(text: str) -> str:
    return _unescape(text, one_line=False)


def _escape_line(line: str, also: str, one_line: bool) -> str:
    if _is_harmless(line, also):
        return line
    out = []
    for at, char in enumerate(line):
        follower = line[at + 1 : at + 2]
        if char == "#" and at == 0:
            out.append("\\#")
        elif char == "<" and (follower.isalpha() or follower in ("/", "!", "?")):
            out.append("&lt;")
        elif char == "&" and line.startswith(_NAMED, at):
            out.append("&amp;")
        elif char == "\\" and _would_escape(line, at + 1, also, one_line):
            out.append("\\\\")
        elif char == "\n" and one_line:
            out.append("\\n")
        elif _is_hidden(char, also):
            out.append(f"\\u{{{ord(char):x}}}")
        else:
            out.append(char)
    return "".join(out)


def _is_harmless(line: str, also: str) -> bool:
    """Whether the line needs no escape, as most don't: a few scans in C tell sooner than a walk over it."""
    if line[:1] == "#" or "<" in line or "\\" in line or "&" in line or not line.isprintable():
        return False
    return (line.isascii() or _UNSEEN.isdisjoint(line)) and not (also and any(c in line for c in also))


def _is_hidden(char: str, also: str) -> bool:
    return not char.isprintable() or char in _UNSEEN or char in also


def _would_escape(line: str, at: int, also: str, one_line: bool) -> bool:
    """Whether a backslash before `at` would be read as an escape, together with what is written after it."""
    follower = line[at : at + 1]
    if not follower:
        return False
    if follower in ("\\", "#") or (one_line and follower == "n") or line.startswith("u{", at):
        return True
    return _is_hidden(follower, also)


def _unescape(text: str, one_line: bool) -> str:
    if "\\" not in text and "&" not in text:
        return text
    out = []
    at = 0
    while at < len(text):
        char, follower = text[at], text[at + 1 : at + 2]
        read, width = char, 1
        if char == "&":
            read, width = _named(text, at)
        elif char == "\\" and follower and follower in "\\#":
            read, width = follower, 2
        elif char == "\\" and follower == "n" and one_line:
            read, width = "\n", 2
        elif char == "\\" and text.startswith("u{", at + 1):
            read, width = _numbered(text, at)
        out.append(read)
        at += width
    return "".join(out)


def _named(text: str, at: int) -> tuple[str, int]:
    """(the character that `&` at `at` stands for, how many characters it takes)."""
    if text.startswith("&lt;", at):
        return "<", 4
    return ("&", 5) if text.startswith("&amp;", at) else ("&", 1)


def _numbered(text: str, at: int) -> tuple[str, int]:
    """The same for `\\u{hex}`."""
    digits = text[at + 3 : text.find("}", at)]
    is_hex = 0 < len(digits) <= 6 and all(d in "0123456789abcdef" for d in digits)
    if not is_hex or int(digits, 16) > sys.maxunicode:
        return "\\", 1
    return chr(int(digits, 16)), len(digits) + 4
