"""Secrets that no fixed form tells: only that they stand near a word for one."""

from __future__ import annotations

import pytest
from made import Maker

from ctxrepo.domain.secrets import mask, scan
from ctxrepo.domain.secrets.shape.judges import Grade, graded
from ctxrepo.domain.secrets.shape.placeholder import is_gibberish

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
    "MYSQL_PWD=Willow_Maple8{d2} mysql -u app shop",
    "`redis-cli` then AUTH otter.7{d2}.ThistleX",
    "mongosh -u ada -p Quartz_Harbor9{d2} db1",
    "chpasswd <<EOF\nada:Amber_Kestrel5{d2}\nEOF",
    "yes Birch_Comet2{d2} | passwd ada",
    "a new console -u ada Birch_Comet2{d2}",
    "DriverManager.getConnection(url, 'ada', 'Birch_Comet2{d2}')",
    "bin/console app:user:create ada Birch_Comet2{d2} --admin",
    "radius-server key 0 Birch_Comet2{d2}",
    "pls use Birch_Comet2{d2} as password",
    "use Birch_Comet2{d2} to unlock it",
    "사무실 와이파이 비번: Birch_Comet2{d2}",
    "log in with ada and Birch_Comet2{d2}",
    "ssh ada@web1  # Birch_Comet2{d2}",
    "corp.lan/ada:Birch_Comet2{d2}@10.0.0.3",
    "recovery code is q7t6-hin1-m2{d2}",
    "https://api.vercel.com/v1/integrations/deploy/prj_{a24}/7aZ{a8}4q",
    "https://logs.acme.io/inputs/{uuid}/tag/x",
)
CLEAN = (
    "the password is stored hashed, with argon2id and 3 rounds",
    "password: required since v2",
    "the session id is 7d444840-9dc0-11d1-b245-5ffdce74fad2",
    "    pass\nMODULE_RESOURCE_STATE=yes",
    "        pass\n    context=None):",
    "API_KEY=$API_KEY ./run.sh\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEVs/o5+uQbTjL3chynL4wXgUg2R9",
    "export TOKEN=$(gh auth token)\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ",
    "Pass type_comments=True to get back type comments",
    "https://docs.acme.io/integrations/generic-alert/settings-page",
    "the password policy follows Content_Sha256 and Key_Utf16",
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


@pytest.mark.parametrize(
    "line",
    [
        '{"id":"{uuid}","meta":{"trigger":"direct","keywords":["k"]},"sessionId":"s-1","sessionEntryId":"{uuid}"}',
        '{"token": "none", "thing": "{uuid}", "other": ["{a32}"]}',
    ],
)
def test_a_value_that_has_a_name_of_its_own_is_not_what_a_label_before_it_names(line: str) -> None:
    """The first is a line of a tape, which every anchor writes."""
    assert scan(Maker().filled(line)) == ()


def test_what_begins_with_a_digit_is_no_label_within_hex() -> None:
    lines = Maker().filled("- 2fa{h64}\n- {h64}02fa\n- {h64}\n")
    assert scan(lines) == ()


def test_letters_that_make_no_word_are_told_from_those_that_do() -> None:
    maker = Maker()
    small = "abcdefghijklmnopqrstuvwxyz"
    assert sum(is_gibberish(maker.text(small, 20).lower().encode()) for _ in range(100)) > 95
    for word in (b"authentication", b"wiederherstellung", b"getElementsByTagName", b"internationalisation"):
        assert not is_gibberish(word)


def test_what_a_keychain_proposes_is_a_password_though_it_can_be_said_aloud() -> None:
    for value in (b"gudMav-torja5-bosbyt", b"jandaN-nyhsum-gaxcu9", b"macnab-4ofcek-zohfoh"):
        assert graded(value) is Grade.RANDOM
    for name in (b"GitHub-Docker-Alpin3", b"server-docker-node12", b"deploy-server-backup"):
        assert graded(name) is Grade.NONE


def test_the_more_random_a_value_is_the_higher_is_its_grade() -> None:
    maker = Maker()
    assert graded(b"README.md") is Grade.NONE
    assert graded(b"Uint8Array") <= Grade.LIKELY
    assert graded(b"4917") is Grade.NUMBER
    assert graded(b"1234") is Grade.NONE
    assert graded(b"Tundra#2980x") is Grade.CHOSEN
    assert graded(maker.filled("{uuid}").encode()) is Grade.UUID
    assert graded(maker.filled("{a32}").encode()) is Grade.RANDOM
