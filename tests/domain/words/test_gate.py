"""Short and social prompts are left alone, in several languages; questions are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.words.prompt_terms import is_left_alone


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "   \n\t ",
        "ok",
        "go on",
        "why?",
        "ok thanks",
        "Looks good, thank you so much!",
        "yes please continue",
        "Yes, go ahead.",
        "that's great, keep going",
        "vielen dank, sieht gut aus!",
        "passt, mach weiter bitte",
        "merci beaucoup, c'est parfait",
        "muchas gracias, perfecto",
        "muito obrigado, continue",
        "grazie mille, perfetto",
        "спасибо, отлично, продолжай",
        "好的，谢谢，请继续。",
        "ありがとうございます。続けてください。",
        "감사합니다, 계속해줘",
        "what is it about?",
        "<task-notification> The background task of the redis port has ended.</task-notification>",
        "\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b x",
    ],
)
def test_silent(prompt: str) -> None:
    assert is_left_alone(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "how do we deploy the staging server?",
        "please continue the migration of the billing table",
        "thanks! now fix the flaky login test",
        "fix tests/domain/words/test_gate.py",
        "Wie starten wir die Datenbank lokal?",
        "数据库迁移怎么做",
        "テストの実行方法を教えて",
        "run_all failed",
    ],
)
def test_let_through(prompt: str) -> None:
    assert not is_left_alone(prompt)


@given(st.text())
def test_it_never_raises(prompt: str) -> None:
    is_left_alone(prompt)


def test_what_is_follow_up_with_something_may_be_short() -> None:
    assert is_left_alone("and wheat?")
    assert not is_left_alone("and wheat?", is_follow_up=True)
    assert is_left_alone("and the other?", is_follow_up=True)
    assert is_left_alone("ok thanks", is_follow_up=True)
