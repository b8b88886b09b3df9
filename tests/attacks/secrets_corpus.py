"""Every kind of secret that the rules are measured with. Whoever writes rules doesn't look in here first."""

from __future__ import annotations

from attacks.secrets_cloud import CLOUD, DATABASES, INFRASTRUCTURE
from attacks.secrets_code import FORGES, PACKAGES, WATCHING
from attacks.secrets_keys import FILES, KEYS, WALLETS
from attacks.secrets_kinds import Kind
from attacks.secrets_said import COMMANDS, HEADERS, LABELS, PEOPLE
from attacks.secrets_services import MESSAGES, MODELS, PAYMENTS, TEAMS
from attacks.secrets_typed import TYPED
from attacks.secrets_written import WRITTEN

KINDS: tuple[Kind, ...] = (
    *CLOUD, *INFRASTRUCTURE, *DATABASES, *FORGES, *PACKAGES, *WATCHING, *PAYMENTS, *MESSAGES, *MODELS, *TEAMS,
    *KEYS, *FILES, *WALLETS, *COMMANDS, *HEADERS, *LABELS, *PEOPLE,
    *TYPED, *WRITTEN,
)  # fmt: skip
