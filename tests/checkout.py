"""Where things of this checkout are that tests and tools read."""

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
PYTHONPATH = f"{CHECKOUT}/tests:{CHECKOUT}/tools"
"""Where tests and tools find what they share."""

DOCS = CHECKOUT / "docs"
FIXTURES = CHECKOUT / "tests/fixtures"
MODEL = FIXTURES / "model"
PAYLOADS = CHECKOUT / "tests/hooks/payloads/claude"
CLAUDE_RECORDS = CHECKOUT / "tests/agents/claude_records"
RECALL_DATA = CHECKOUT / "tools/recall/data"
