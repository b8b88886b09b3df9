from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.guard.refusals import MAX_BYTES, Refusal, check_file, refuse
from ctxrepo.errors import Refused

# Put together here, so that this file holds none.
TOKEN = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC2eF4hJ6"
OTHER = "gh" + "p_" + "zY8xW6vU4tS2rQ9pN7mL5kJ3hG1fE8dC6bA4"


def rules(refusals: tuple[Refusal, ...]) -> list[str]:
    return [refusal.rule for refusal in refusals]


def test_an_ordinary_note_may_be_written() -> None:
    assert check_file("global/MEMORY.md", b"---\ndescription: x\n---\n- caf\xc3\xa9\n") == ()
    assert check_file("global/empty.md", b"") == ()
    assert check_file(".ctx/evidence/host-202601.jsonl", b'{"id":1}\n') == ()
    assert check_file("global/logo.png", b"\x89PNG\r\n\x1a\n\0\0\0") == ()


def test_conflict_markers_and_unreadable_bytes_are_kept() -> None:
    assert check_file("global/a.md", b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n") == ()
    assert check_file("global/a.md", b"caf\xe9\n") == ()


def test_an_unsafe_path_is_refused() -> None:
    (refusal,) = check_file("global/../.git/config", b"x")
    assert (refusal.rule, refusal.line) == ("path", 0)
    assert rules(check_file("a/\udcff.md", b"x")) == ["path"]


@pytest.mark.parametrize("path", ["global/a.md", "TAPE/p/h-202601.jsonl", "global/a.bin"])
def test_a_file_larger_than_a_mebibyte_is_refused(path: str) -> None:
    assert rules(check_file(path, b"a " * (MAX_BYTES // 2))) == []
    assert rules(check_file(path, b"a " * (MAX_BYTES // 2) + b"a")) == ["size"]


def test_a_note_that_is_no_text_is_refused_with_its_line() -> None:
    (refusal,) = check_file("global/a.md", b"one\ntwo \0\n")
    assert (refusal.rule, refusal.at) == ("schema", "global/a.md#L2")
    assert rules(check_file("global/a.md", "- text\n".encode("utf-16-le"))) == ["schema"]


def test_a_note_that_another_program_saved_as_utf16_is_text_and_searched_for_secrets() -> None:
    for kind in ("utf-16", "utf-16-le"):
        mark = "" if kind == "utf-16" else "\ufeff"
        assert rules(check_file("global/a.md", f"{mark}- text\n".encode(kind))) == []
        secret = f"{mark}- ghp_{'a1B2' * 9}\n".encode(kind)
        assert rules(check_file("global/a.md", secret)) == ["secret"]


def test_a_secret_is_refused_with_its_line_and_fingerprint() -> None:
    (refusal,) = check_file("global/a.md", f"- one\n- token: `{TOKEN}`\n".encode())
    assert (refusal.rule, refusal.line, refusal.at) == ("secret", 2, "global/a.md#L2")
    assert len(refusal.fingerprint) == 12
    assert TOKEN not in repr(refusal)


@pytest.mark.parametrize(
    "data",
    [
        f"---\ndescription: {TOKEN}\n---\n".encode(),
        f'{{"text":"x\\n{TOKEN}"}}\n'.encode(),
        f"\xe9 {TOKEN}".encode("latin-1"),
        TOKEN.encode("utf-16"),
    ],
)
def test_a_secret_is_found_in_head_jsonl_and_odd_encodings(data: bytes) -> None:
    assert rules(check_file("global/a.txt", data)) == ["secret"]


def test_a_secret_in_the_path_is_refused_and_not_repeated() -> None:
    for path in (f"global/{TOKEN}.md", f"{TOKEN}/a.md", f"global/token={TOKEN}"):
        refusals = check_file(path, b"")
        assert rules(refusals) == ["secret"]
        assert refusals[0].line == 0
        assert refusals[0].path == path
        assert TOKEN not in repr(refusals) + refusals[0].at
        with pytest.raises(Refused) as raised:
            refuse(refusals)
        assert TOKEN not in raised.value.message + raised.value.hint


def test_an_allowed_fingerprint_lets_that_secret_through_and_no_other() -> None:
    data = f"{TOKEN}\n{OTHER}\n".encode()
    first, second = check_file("global/a.md", data)
    assert check_file("global/a.md", data, [first.fingerprint]) == (second,)
    assert check_file("global/a.md", data, {first.fingerprint, second.fingerprint}) == ()
    in_name = check_file(f"global/{TOKEN}.md", b"")[0]
    assert in_name.fingerprint == first.fingerprint
    assert check_file(f"global/{TOKEN}.md", b"", [first.fingerprint]) == ()
    (inside,) = check_file("global/a.md", b"password=Summer2024rain")
    assert check_file("global/password=Summer2024rain.md", b"", [inside.fingerprint]) == ()


def test_everything_that_is_wrong_is_told() -> None:
    assert rules(check_file("CON/a.md", f"\0{TOKEN}".encode())) == ["path", "schema", "secret"]


def test_nothing_to_refuse() -> None:
    refuse([])


def test_the_error_says_what_where_and_what_to_do() -> None:
    refusals = check_file("global/a.md", f"\n{TOKEN}\n{OTHER}\n".encode())
    with pytest.raises(Refused) as raised:
        refuse(refusals)
    error = raised.value
    assert "global/a.md#L2" in error.message
    assert "github-token" in error.message
    assert "1 more" in error.message
    assert "allow_secret" in error.hint
    assert all(refusal.fingerprint in error.hint for refusal in refusals)
    assert not any(secret in error.message + error.hint for secret in (TOKEN, OTHER))
    assert error.exit_code == 6


@given(st.text(max_size=60), st.sampled_from(["path", "size", "schema", "secret"]), st.integers(0, 9))
def test_the_error_is_one_visible_line(path: str, rule: str, line: int) -> None:
    with pytest.raises(Refused) as raised:
        refuse([Refusal(path, rule, "it is wrong", line)])
    for words in (raised.value.message, raised.value.hint):
        assert len(words.splitlines()) == 1
        assert "\x1b" not in words
        words.encode()


@given(st.text(max_size=80), st.binary(max_size=80))
def test_any_file_gets_an_answer(path: str, data: bytes) -> None:
    for refusal in check_file(path, data):
        assert refusal.message
        assert len(refusal.at.splitlines()) <= 1
