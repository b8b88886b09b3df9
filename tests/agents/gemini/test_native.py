"""Gemini CLI's own memory is on only where somebody turned it on."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxrepo.agents.gemini import install


@pytest.mark.parametrize(
    ("text", "is_on"),
    [
        ('{ // mine\n"experimental": {"autoMemory": true}}', True),
        ('{"experimental": {"autoMemory": false}}', False),
        ('{"experimental": []}', False),
        ("", False),
    ],
)
def test_what_its_settings_say(text: str, is_on: bool) -> None:
    assert install.NATIVE_MEMORY.is_on(text, {}) is is_on


def test_it_is_turned_off_in_its_settings() -> None:
    assert install.folder(Path("/h"), {}) / install.NATIVE_MEMORY.settings == Path("/h/.gemini/settings.json")
    assert not install.NATIVE_MEMORY.is_on(f"{{{install.NATIVE_MEMORY.off}}}", {})
