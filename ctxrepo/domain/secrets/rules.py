"""All rules: the tables put together, special before general."""

from __future__ import annotations

from ctxrepo.domain.secrets.codes import CODES
from ctxrepo.domain.secrets.commands import COMMANDS
from ctxrepo.domain.secrets.files import FILES
from ctxrepo.domain.secrets.formats import FORMATS
from ctxrepo.domain.secrets.hooks import HOOKS
from ctxrepo.domain.secrets.labels import LABELS
from ctxrepo.domain.secrets.prompts import PROMPTS
from ctxrepo.domain.secrets.rule import Rule
from ctxrepo.domain.secrets.tokens import TOKENS
from ctxrepo.domain.secrets.vendors import VENDORS

RULES: tuple[Rule, ...] = (
    *VENDORS, *FORMATS, *FILES, *TOKENS, *COMMANDS, *CODES, *LABELS, *PROMPTS, *HOOKS,
)  # fmt: skip
"""Of two that find the same, the first names it."""
