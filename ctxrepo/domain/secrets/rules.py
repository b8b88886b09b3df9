"""All rules: the tables put together, special before general."""

from __future__ import annotations

from ctxrepo.domain.secrets.rule import Rule
from ctxrepo.domain.secrets.tables.codes import CODES
from ctxrepo.domain.secrets.tables.commands import COMMANDS
from ctxrepo.domain.secrets.tables.files import FILES
from ctxrepo.domain.secrets.tables.formats import FORMATS
from ctxrepo.domain.secrets.tables.hooks import HOOKS
from ctxrepo.domain.secrets.tables.labels import LABELS
from ctxrepo.domain.secrets.tables.prompts import PROMPTS
from ctxrepo.domain.secrets.tables.tokens import TOKENS
from ctxrepo.domain.secrets.tables.vendors import VENDORS

RULES: tuple[Rule, ...] = (
    *VENDORS, *FORMATS, *FILES, *TOKENS, *COMMANDS, *CODES, *LABELS, *PROMPTS, *HOOKS,
)  # fmt: skip
"""All rules; if two find the same secret, the first names it."""
