"""Values and notes of a second corpus: four notes of each kind, two of them once more with other values."""

from __future__ import annotations

import base64
import hashlib
import json
import string
import struct
import uuid
import zlib
from collections.abc import Callable, Iterable, Mapping
from random import Random

from attacks.drawing import Draw
from attacks.secrets_kinds import Kind

# fmt: off
LO, UP, DI = string.ascii_lowercase, string.ascii_uppercase, string.digits
AN = UP + LO + DI
B64U = AN + "-_"
HEX = "0123456789abcdef"
B32 = UP + "234567"
B58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def s(r: Random, alpha: str, n: int) -> str:
    return "".join(r.choice(alpha) for _ in range(n))


def an(r: Random, n: int) -> str: return s(r, AN, n)
def hx(r: Random, n: int) -> str: return s(r, HEX, n)
def bu(r: Random, n: int) -> str: return s(r, B64U[:-2], 1) + s(r, B64U, n - 2) + s(r, AN, 1)
def la(r: Random, n: int) -> str: return s(r, LO + DI, n)
def rb(r: Random, n: int) -> bytes: return bytes(r.getrandbits(8) for _ in range(n))
def b64(r: Random, n: int) -> str: return base64.b64encode(rb(r, n)).decode()
def uu(r: Random) -> str: return str(uuid.UUID(int=r.getrandbits(128), version=4))
def num(r: Random, n: int) -> str: return s(r, "123456789", 1) + s(r, DI, n - 1)
def e64(t: str) -> str: return base64.b64encode(t.encode()).decode()
def e64u(t: str) -> str: return base64.urlsafe_b64encode(t.encode()).decode().rstrip("=")


def one_of(r: Random, *ways: Callable[[Random], str]) -> str:
    return r.choice(ways)(r)


def basex(n: int, alpha: str, w: int) -> str:
    o = ""
    while n:
        n, d = divmod(n, len(alpha))
        o = alpha[d] + o
    return o.rjust(w, alpha[0])


def gh(r: Random, pre: str) -> str:
    b = an(r, 30)
    return pre + b + basex(zlib.crc32(b.encode()), DI + UP + LO, 6)


def glpat(r: Random) -> str:
    b = "glpat-" + e64u("o:1\nu:" + la(r, 4)) + bu(r, 22)
    tail = basex(len(b), DI + LO, 2) + basex(zlib.crc32(b.encode()), DI + LO, 7)
    return b + r.choice([".", ".01."]) + tail


def jwt(r: Random, claims: Mapping[str, object]) -> str:
    h = e64u('{"alg":"HS256","typ":"JWT"}')
    return h + "." + e64u(json.dumps(claims, separators=(",", ":"))) + "." + bu(r, 43)


def wif(r: Random) -> str:
    p = b"\x80" + rb(r, 32) + b"\x01"
    p += hashlib.sha256(hashlib.sha256(p).digest()).digest()[:4]
    return basex(int.from_bytes(p, "big"), B58, 52)


def bech32(hrp: str, data: bytes) -> str:
    cs = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
    acc = bits = 0
    v = []
    for b in data:
        acc, bits = (acc << 8) | b, bits + 8
        while bits >= 5:
            bits -= 5
            v.append((acc >> bits) & 31)
    if bits:
        v.append((acc << (5 - bits)) & 31)

    def pm(x: Iterable[int]) -> int:
        c = 1
        for q in x:
            t = c >> 25
            c = (c & 0x1FFFFFF) << 5 ^ q
            for i, g in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
                c ^= g if (t >> i) & 1 else 0
        return c
    e = [ord(c) >> 5 for c in hrp] + [0] + [ord(c) & 31 for c in hrp]
    m = pm(e + v + [0] * 6) ^ 1
    return hrp + "1" + "".join(cs[x] for x in v + [(m >> 5 * (5 - i)) & 31 for i in range(6)])


def wrap(t: str, n: int) -> str:
    return "\n".join(t[i:i + n] for i in range(0, len(t), n))


def pem(label: str, body: bytes, n: int = 64) -> str:
    return f"-----BEGIN {label}-----\n{wrap(base64.b64encode(body).decode(), n)}\n-----END {label}-----"


def ec_pem(r: Random) -> str:
    d = (b"\x30\x77\x02\x01\x01\x04\x20" + rb(r, 32) + bytes.fromhex("a00a06082a8648ce3d030107a14403420004") + rb(r, 64))
    return pem("EC PRIVATE KEY", d)


def p8_ed(r: Random) -> str:
    return pem("PRIVATE KEY", bytes.fromhex("302e020100300506032b657004220420") + rb(r, 32))


def st(b: bytes) -> bytes: return struct.pack(">I", len(b)) + b


def ossh(r: Random) -> str:
    pk, sk, c = rb(r, 32), rb(r, 32), rb(r, 4)
    pub = st(b"ssh-ed25519") + st(pk)
    pr = c + c + pub + st(sk + pk) + st(b"deploy@build02")
    pr += bytes(range(1, 8))[: -len(pr) % 8]
    return pem("OPENSSH PRIVATE KEY", b"openssh-key-v1\0" + st(b"none") * 2 + st(b"") + struct.pack(">I", 1) + st(pub) + st(pr), 70)


def ppk(r: Random) -> str:
    pub = base64.b64encode(st(b"ssh-ed25519") + st(rb(r, 32))).decode()
    return ("PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: eddsa-key-20240311\nPublic-Lines: 2\n"
            + wrap(pub, 64) + "\nPrivate-Lines: 1\n" + b64(r, 36) + "\nPrivate-MAC: " + hx(r, 64))


W = ["Otter", "Maple", "Granite", "Falcon", "Velvet", "Harbor", "Copper", "Lantern", "Thistle", "Walnut", "Cobalt", "Juniper", "Saffron", "Badger", "Meadow", "Orchid", "Turbine", "Glacier", "Pepper", "Marble", "Hornet", "Willow", "Amber", "Quartz", "Kestrel", "Anchor", "Birch", "Comet", "Drizzle", "Ember"]


def ph(r: Random) -> str:
    """human password"""
    a, b = r.sample(W, 2)
    return one_of(r,
        lambda r: f"{a}{r.choice('!#$%&*?+=')}{b}{r.randint(10, 99)}",
        lambda r: f"{a}-{b}-{r.randint(100, 9999)}{r.choice('!?#')}",
        lambda r: f"{a.lower()}{r.randint(10, 99)}{r.choice('!$#_.')}{b}",
        lambda r: f"{a[:2]}{r.choice('37')}{a[3:]}{r.choice('!#&')}{r.randint(2016, 2031)}{b[:3]}",
    )


def pr(r: Random) -> str:
    """password manager password"""
    return an(r, 5) + r.choice("!#%^*+=.") + an(r, 5) + r.choice("_-.~") + an(r, r.randint(3, 8))


def pa(r: Random) -> str:
    """url/shell-safe generated password"""
    while True:
        v = an(r, r.choice([16, 20, 24]))
        if any(c in DI for c in v) and any(c in UP for c in v) and any(c in LO for c in v):
            return v


def pw(r: Random) -> str:
    return r.choice([ph, pr, pa])(r)


def ps(r: Random) -> str:
    """password safe unquoted in shells and separators"""
    a, b = r.sample(W, 2)
    return r.choice([pa(r), f"{a}_{b}{r.randint(10, 999)}", f"{a.lower()}.{r.randint(10, 99)}.{b}X", an(r, 6) + "-" + an(r, 6) + "-" + an(r, 6)])


def kind(family: str, name: str, gen: Callable[[Random], str | Mapping[str, str]], *forms: str) -> Kind:
    """A kind; the mark in a form is the secret, a dict from `gen` fills several marks."""

    def filled(r: Random, form: str) -> str:
        values = gen(r)
        for mark, value in sorted({"\u00a7": values}.items() if isinstance(values, str) else values.items(), reverse=True):
            form = form.replace(mark, value)
        return form

    def notes(d: Draw) -> list[str]:
        return [filled(d.of, form) for form in (*forms, *forms[:2])]

    return Kind(f"more: {name}", family, notes)


def bip39_phrase() -> Callable[[Random], str]:
    words = ["abandon", "absorb", "across", "acoustic", "album", "amused", "anchor", "apple", "arctic", "armor", "balance", "bamboo", "basket", "blossom", "bonus", "brave", "cabin", "candy", "canyon", "casual", "cherry", "cinnamon", "clog", "coconut", "copper", "cradle", "cruise", "dawn", "denial", "dolphin", "dwarf", "eagle", "ecology", "elbow", "embark", "fabric", "feature", "fiscal", "fossil", "galaxy", "garlic", "ginger", "glimpse", "hazard", "hybrid", "inhale", "ivory", "jaguar", "kidney", "ladder", "lobster", "maple", "meadow", "mimic", "noodle", "oblige", "orbit", "oyster", "panther", "pelican", "plunge", "quantum", "rally", "ribbon", "saddle", "scatter", "silver", "sphere", "tackle", "timber", "toddler", "tunnel", "umbrella", "urban", "velvet", "vintage", "walnut", "whisper", "yellow", "zebra"]
    return lambda r: " ".join(r.choice(words) for _ in range(12))
