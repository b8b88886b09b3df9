"""Words of git and addresses of remotes, without the credentials that they may hold."""

from __future__ import annotations

import re

from ctxrepo.domain.secrets import mask
from ctxrepo.lazy import lazy_pattern

# A password may hold any sign itself, `/` and `@` too.
_CREDENTIALS = lazy_pattern(
    r"(\b[a-z][a-z0-9+.-]*://)([^/\s:@'\"]*:(?!\d+/)[^\s'\"]*|[^/\s'\"]+)@", re.IGNORECASE
)
_CONTROL = lazy_pattern(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")


def redact(text: str) -> str:
    """Text without credentials, in URLs or by their shape, and without control sequences."""
    return mask(_CONTROL.sub("", _CREDENTIALS.sub(r"\1…@", text.replace("\r", "\n"))))
