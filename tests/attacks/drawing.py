"""Values as vendors shape them: right alphabet, length and checksum, random, never the same as a real one."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
import zlib
from pathlib import Path
from urllib.parse import quote

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
BASE32 = string.ascii_uppercase + "234567"
BIP39 = Path(__file__).with_name("bip39.txt").read_text(encoding="ascii").split()
NAMES = ("anna", "deploy", "svc_backup", "root", "ops", "jenkins", "app", "reporting", "mwagner", "etl")
HOSTS = ("db.internal", "10.4.0.17", "pg-main.corp.lan", "cache01", "mq.prod.svc", "srv-7.example.org")
STEMS = (
    "Herbst",
    "tulip",
    "Kestrel",
    "monsoon",
    "Bratwurst",
    "zephyr",
    "Quarry",
    "olive",
    "Falcon",
    "winter",
)
TAILS = ("!", "#", "$", "?", "*", "&x", "%", "!!", "@home", "-")


class Draw:
    """One stream of values; the same seed draws the same ones."""

    def __init__(self, seed: str) -> None:
        self.of = random.Random(seed)

    def some(self, alphabet: str, count: int) -> str:
        """As many characters of this alphabet."""
        return "".join(self.of.choices(alphabet, k=count))

    def hex(self, count: int) -> str:
        """Lower hexadecimal digits."""
        return self.some("0123456789abcdef", count)

    def an(self, count: int) -> str:
        """Letters of both cases and digits."""
        return self.some(BASE62, count)

    def low(self, count: int) -> str:
        """Lower letters and digits."""
        return self.some(string.ascii_lowercase + string.digits, count)

    def up(self, count: int) -> str:
        """Upper letters and digits."""
        return self.some(string.ascii_uppercase + string.digits, count)

    def url(self, count: int) -> str:
        """What base64 for addresses is made of; it ends with a letter, so that it can be copied whole."""
        return self.some(BASE62 + "-_", count - 1) + self.some(string.ascii_letters, 1)

    def b32(self, count: int) -> str:
        """What base32 is made of."""
        return self.some(BASE32, count)

    def digits(self, count: int) -> str:
        """A number of so many digits, not beginning with 0."""
        return self.some("123456789", 1) + self.some(string.digits, count - 1)

    def raw(self, count: int) -> str:
        """So many random bytes in base64, padded."""
        return base64.b64encode(self.of.randbytes(count)).decode()

    def raw_url(self, count: int) -> str:
        """So many random bytes in base64 for addresses, not padded."""
        return base64.urlsafe_b64encode(self.of.randbytes(count)).decode().rstrip("=")

    def uuid(self) -> str:
        """A random UUID of version 4."""
        h = self.hex
        return f"{h(8)}-{h(4)}-4{h(3)}-{self.of.choice('89ab')}{h(3)}-{h(12)}"

    def pick(self, *of: str) -> str:
        """One of these."""
        return self.of.choice(of)

    def name(self) -> str:
        """An account."""
        return self.of.choice(NAMES)

    def host(self) -> str:
        """A machine."""
        return self.of.choice(HOSTS)

    def pw(self) -> str:
        """A password as people and their managers make them."""
        style = self.of.randrange(4)
        if style == 0:
            return self.of.choice(STEMS) + self.digits(4) + self.of.choice(TAILS)
        if style == 1:
            return self.some(string.ascii_letters, 1) + self.some(BASE62 + "!#%*+", 13) + self.digits(2)
        if style == 2:
            return self.an(self.of.randrange(12, 21)) + self.digits(1)
        return "-".join(self.of.sample(BIP39, 4)) + self.digits(2)

    def plain_pw(self) -> str:
        """A password that needs no quotes in a shell, an address or a file."""
        return self.some(string.ascii_letters, 2) + self.an(self.of.randrange(9, 16)) + self.digits(2)

    def part(self, value: object) -> str:
        """A part of a JSON web token."""
        return (
            base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")
        )

    def jwt(self, **claims: object) -> str:
        """A signed JSON web token."""
        head = {"alg": "HS256", "typ": "JWT"}
        body = {"sub": self.uuid(), "iat": 1750000000 + self.of.randrange(10**7), **claims}
        return f"{self.part(head)}.{self.part(body)}.{self.raw_url(32)}"

    def github(self, prefix: str, count: int = 30) -> str:
        """A token whose last six characters are its CRC-32 in base 62, as GitHub and npm make them."""
        body, rest, tail = self.an(count), 0, ""
        rest = zlib.crc32(body.encode())
        for _ in range(6):
            rest, at = divmod(rest, 62)
            tail = BASE62[at] + tail
        return prefix + body + tail

    def base58(self, data: bytes) -> str:
        """Base 58 with its checksum, as wallets write keys."""
        data += hashlib.sha256(hashlib.sha256(data).digest()).digest()[:4]
        number, text = int.from_bytes(data, "big"), ""
        while number:
            number, at = divmod(number, 58)
            text = BASE58[at] + text
        return text

    def bech32(self, prefix: str, count: int) -> str:
        """So many random bytes as bech32, with its checksum."""
        bits = f"{int.from_bytes(self.of.randbytes(count), 'big'):0{count * 8}b}"
        bits += "0" * (-len(bits) % 5)
        values = [int(bits[at : at + 5], 2) for at in range(0, len(bits), 5)]
        spread = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
        check = 1
        for value in [*spread, *values, 0, 0, 0, 0, 0, 0]:
            top = check >> 25
            check = (check & 0x1FFFFFF) << 5 ^ value
            for bit, term in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
                check ^= term if (top >> bit) & 1 else 0
        check ^= 1
        values += [(check >> 5 * (5 - at)) & 31 for at in range(6)]
        return prefix + "1" + "".join(BECH32[value] for value in values)

    def phrase(self, words: int) -> str:
        """A mnemonic of BIP 39 whose last word holds its checksum."""
        entropy = self.of.randbytes(words * 4 // 3)
        bits = f"{int.from_bytes(entropy, 'big'):0{len(entropy) * 8}b}"
        bits += f"{hashlib.sha256(entropy).digest()[0]:08b}"[: words // 3]
        return " ".join(BIP39[int(bits[at : at + 11], 2)] for at in range(0, len(bits), 11))

    def lines(self, count: int, width: int = 64) -> str:
        """So many bytes in base64, in lines as PEM has them."""
        text = self.raw(count)
        return "\n".join(text[at : at + width] for at in range(0, len(text), width))

    def pem(self, label: str, count: int, head: str = "") -> str:
        """A block of PEM with random contents."""
        dashes = "-" * 5
        return f"{dashes}BEGIN {label}{dashes}\n{head}{self.lines(count)}\n{dashes}END {label}{dashes}"

    def quoted(self, text: str) -> str:
        """As it stands in an address."""
        return quote(text, safe="")
