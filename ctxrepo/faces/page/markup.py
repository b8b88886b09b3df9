"""Elements of the page. A text becomes part of it by one function, `escaped`, and no other way.

Attributes hold only what this program says: names of classes, numbers, ids of its own. So whatever a memory
has in it stands between tags, where `mask_between_tags` finds it once more."""

from __future__ import annotations

import html

from ctxrepo.domain.project.layout import visible
from ctxrepo.domain.secrets import mask, scan
from ctxrepo.lazy import lazy_pattern

_TAG = lazy_pattern(r"(<[^<>]*>)")
_WORD = lazy_pattern(r"[\w #./,:;=%+()-]*")
_VOID = frozenset(("input", "br", "hr"))


class Html(str):
    """Finished markup."""

    __slots__ = ()


NOTHING = Html("")


def escaped(text: str) -> Html:
    """A text as a browser shows it and does nothing else with it; what hides something is written out."""
    return Html(html.escape(visible(text.replace("\r", "")).encode("utf-8", "replace").decode()))


def tag(name: str, *children: str, **attributes: str | float | bool | None) -> Html:
    """An element. Children that are markup stay as they are, texts are escaped; `class_` is `class`, and `_`
    in a name is `-`. An attribute that is true has no value, one that is None or False isn't there."""
    words = []
    for key, value in attributes.items():
        key = key.rstrip("_").replace("_", "-")
        if value is True:
            words.append(f" {key}")
        elif value is not None and value is not False:
            said = f"{value:.6g}" if isinstance(value, float) else str(value)
            assert _WORD.fullmatch(said), f"an attribute with text of others: {key}"
            words.append(f' {key}="{said}"')
    opening = f"<{name}{''.join(words)}>"
    return Html(opening) if name in _VOID and not children else Html(f"{opening}{join(*children)}</{name}>")


def join(*parts: str) -> Html:
    """Markup and texts, one after the other."""
    return Html("".join([part if isinstance(part, Html) else escaped(part) for part in parts]))


def mask_between_tags(page: Html) -> Html:
    """The page without secrets. What it was made of had none by itself; only what came to stand side by side
    could look like one. Only texts are searched: in tags is nothing of the memory's."""
    parts = _TAG.split(page)
    texts = parts[::2]
    if not scan("\n".join(map(html.unescape, filter(str.strip, texts)))):
        return page
    parts[::2] = map(_masked, texts)
    return Html("".join(parts))


def _masked(part: str) -> str:
    text = html.unescape(part)
    return html.escape(masked) if (masked := mask(text)) != text else part
