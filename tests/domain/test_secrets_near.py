"""Secrets that no fixed form tells: only that they stand near a word for one."""

from __future__ import annotations

import pytest
from made import Maker

from ctxrepo.domain.secrets import mask, scan
from ctxrepo.domain.secrets.grade import Grade, graded
from ctxrepo.domain.secrets.letters import is_gibberish

SAID = (
    "the Wi-Fi password for the guest network in Lyon is now {a14}",
    "Aktualny klucz API dla staging to {a32}, zmienić po wdrożeniu.",
    "## Vercel token\n\n    {a24}\n",
    "Cosmos DB primary key:\n```\n{b86}==\n```",
    "> ada: can you send me the API token again?\n> me: sure, {a32}",
    "[10:02] etl: send me the root password pls\n[10:03] me: Tundra{a4}!Quiver{d3}",
    "rotated: old password Onyx.Jasper.{d3}7, new password Tundra#{d3}8Ox",
    "changed the admin password from Otter%{d4}x to Kettle!{d4}Q",
    "root のパスワードを Needle*{d4}Ta に変更しました",
    "{a24} is the root password",
    "Q: password for the demo box?\nA: {a9}!{a4}",
    "VAULT_SECRET_ID={uuid}",
    "the passphrase of the deploy key is 'copper lantern walrus granite thistle'",
    "Masterpasswort: copper-lantern-walrus-granite-thistle",
    "PUK der SIM-Karte lautet 58{d3}362",
    "codice dell'allarme 3{d2}5",
    "le mdp admin c'est 3xcdph-bfvoUb-vbrqpl",
    "1. Log in as ada@acme.io\n2. Routing key: {h32}\n3. Restart",
    "printer admin page: admin / Kestrel!{d4}ab",
    "page.fill('#password', 'Kestrel!{d4}ab')",
)
CLEAN = (
    "the password is stored hashed, with argon2id and 3 rounds",
    "password: required since v2",
    "the session id is 7d444840-9dc0-11d1-b245-5ffdce74fad2",
    "    pass\nMODULE_RESOURCE_STATE=yes",
    "        pass\n    context=None):",
    "const statusCode = entry.permanent ? 308 : 307",
    "the token is refreshed in sync of 2024-05-01, see RFC 7519 and PKCS1v15",
    "Release GPG key fingerprint 3ABC01543F22DD2239285CDD818674489FBC127E",
    "Fix the secret store (#1108) in commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "password must have eight characters, one digit and one sign",
    "the passphrase is asked for when the agent starts and never kept",
    "door 4711 is open, the code is in the calendar",
    "PINs have 4 digits",
    "password reset link was sent to the user",
    "keyboard: ctrl+k ctrl+s opens terminal1",
)


@pytest.mark.parametrize("line", SAID)
def test_a_secret_near_a_word_for_it_is_found_and_masked(line: str) -> None:
    maker = Maker()
    for _ in range(5):
        text = maker.filled(line)
        assert scan(f"# Notes\n\n{text}\n"), text
        assert mask(text) != text


@pytest.mark.parametrize("line", CLEAN)
def test_what_is_only_said_about_secrets_is_left_in_peace(line: str) -> None:
    assert scan(f"# Notes\n\n{line}\n") == ()


def test_letters_that_make_no_word_are_told_from_those_that_do() -> None:
    maker = Maker()
    small = "abcdefghijklmnopqrstuvwxyz"
    assert sum(is_gibberish(maker.text(small, 20).lower().encode()) for _ in range(100)) > 95
    for word in (b"authentication", b"wiederherstellung", b"getElementsByTagName", b"internationalisation"):
        assert not is_gibberish(word)


def test_the_more_random_a_value_is_the_higher_is_its_grade() -> None:
    maker = Maker()
    assert graded(b"README.md") is Grade.NONE
    assert graded(b"Uint8Array") <= Grade.LIKELY
    assert graded(b"4917") is Grade.NUMBER
    assert graded(b"1234") is Grade.NONE
    assert graded(b"Tundra#2980x") is Grade.CHOSEN
    assert graded(maker.filled("{uuid}").encode()) is Grade.UUID
    assert graded(maker.filled("{a32}").encode()) is Grade.RANDOM
