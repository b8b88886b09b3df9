"""A lasting wish is told from what only has its words."""

from __future__ import annotations

import pytest

from ctxrepo.domain.dream.cues import MOST, cues_in

WISHES = [
    "Always run make fmt before you commit",
    "Please never push to main directly",
    "From now on use pnpm instead of npm",
    "I prefer tabs over spaces in Go files",
    "ok, always answer in German please",
    "For future reference the staging box is heron",
    "Use conventional commits always",
    "my timezone is Europe/Vienna",
    "Verwende immer pnpm statt npm",
    "Bitte nie auf main pushen",
    "Ab jetzt schreiben wir Tests mit pytest",
    "Utilise toujours pnpm dans ce dépôt",
    "N'utilise jamais npm ici, s'il te plaît",
    "Désormais, les commits sont en anglais",
    "Usa siempre pnpm en este proyecto",
    "A partir de ahora los commits van en inglés",
    "D'ora in poi scrivi i commit in inglese",
    "A partir de agora os commits são em inglês",
    "Всегда запускай тесты перед коммитом",
    "今後はコミットメッセージを英語で書いてください",
    "从现在起请使用 pnpm 而不是 npm",
]

TALK = [
    "It always fails on CI, what is wrong there",
    "why does it never return from the loop?",
    "the test never passes on my machine",
    "Should we always run the migrations first?",
    "/memory always use pnpm for this",
    "> Always run make fmt\nis that still true for us",
    "```\nalways use this one\n```\nexplain this code please",
    "<pasted>always use this one</pasted> what is that about",
    "Das schlägt immer fehl auf CI, schau bitte nach",
    "Never mind, I found it myself",
    "Always the same error in this log",
    "the service is always on, isn't it",
    "Always.",
    f"Always {'x' * 300}",
]


@pytest.mark.parametrize("text", WISHES)
def test_a_lasting_wish_is_taken_in_its_own_words(text: str) -> None:
    assert cues_in(text) == [text]
    assert cues_in(f"That is wrong. {text}!\nNow fix src/a.py please.") == [text]


@pytest.mark.parametrize("text", TALK)
def test_what_only_has_its_words_is_none(text: str) -> None:
    assert cues_in(text) == []


def test_a_file_s_dot_ends_no_sentence_and_of_many_the_first_are_taken() -> None:
    assert cues_in("Always read src/api.py first. Thanks.") == ["Always read src/api.py first"]
    assert len(cues_in("\n".join(f"- Never touch file number {n}" for n in range(9)))) == MOST
