"""Claims about code: how they are typed, and whether a file bears them out."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.doubts.declared_claim import Claim, judge, parse_claim
from ctxrepo.errors import UsageError


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("src/api.py", Claim("src/api.py", "src/api.py")),
        ("./src/", Claim("./src/", "src")),
        ("!src/old.py", Claim("!src/old.py", "src/old.py", is_absent=True)),
        ("a.py::Client.send", Claim("a.py::Client.send", "a.py", "Client.send")),
        (" a b/größe.py::N=3 ", Claim("a b/größe.py::N=3", "a b/größe.py", "N", "3")),
        ("a.ts::URL='http://x?a=b'", Claim("a.ts::URL='http://x?a=b'", "a.ts", "URL", "'http://x?a=b'")),
    ],
)
def test_what_is_typed(text: str, claim: Claim) -> None:
    assert parse_claim(text) == claim


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "names no path"),
        ("!", "names no path"),
        ("/etc/hosts", "from the top"),
        ("~/x.py", "from the top"),
        ("C:/x.py", "from the top"),
        ("../x.py", "no file of a repository"),
        ("src/*.py", "no file of a repository"),
        ("a\\b.py", "no file of a repository"),
        ("a.py::", "no name after"),
        ("a.py::N=", "no value after"),
        ("a.py::two words", "where a name stands"),
        ("!a.py::N", "isn't there"),
        ("a.py::N=\x1b[2J", "don't show"),
        ("a" * 400, "longer than"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text: str, wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong) as refused:
        parse_claim(text)
    assert "\n" not in refused.value.message + refused.value.hint


PYTHON = '''
"""MAX = 1"""
import os
from helpers import wait as pause
RETRIES = 3
NAME: str = "abc"
LIMIT = os.environ.get("LIMIT", 3)
A, B = 1, 2
PORTS = [80, 443]
class Client:
    SIZE = 1_000
    def __init__(self): self.depth = -4
    def send(self): local = 5
TWICE = 1
TWICE = 2
'''
SCRIPT = """
// MAX = 9
/* MIN = 1 */
export const MAX_RETRIES = 3;
const name: string = 'abc';
const o = { timeout: 5_000, "url": "http://x//y", on: true };
let n = process.env.N ?? 4;
export function send(a: number): void { }
interface Opt { size: number }
class Foo { static LIMIT = 10n; run() { return name } }
"""


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        *(("a.py::RETRIES", "held"), ("a.py::RETRIES=3", "held"), ("a.py::RETRIES=4", "false")),
        *(("a.py::RETRIES=3.0", "held"), ("a.py::RETRIES='3'", "false"), ("a.py::RETRIES=three", "false")),
        *(("a.py::NAME=abc", "held"), ("a.py::NAME='abc'", "held"), ("a.py::NAME=abd", "false")),
        *(("a.py::LIMIT", "held"), ("a.py::LIMIT=3", "unknown"), ("a.py::A=1", "unknown")),
        *(("a.py::PORTS=[80,443]", "held"), ("a.py::PORTS=[80]", "false")),
        *(("a.py::Client.SIZE=1000", "held"), ("a.py::SIZE=1000", "held"), ("a.py::Client.depth=-4", "held")),
        *(("a.py::Client.send", "held"), ("a.py::send", "held"), ("a.py::Other.send", "false")),
        *(
            ("a.py::pause", "held"),
            ("a.py::wait", "false"),
            ("a.py::MAX", "false"),
            ("a.py::nowhere", "false"),
        ),
        *(("a.py::TWICE=1", "unknown"), ("a.py::TWICE=3", "false")),
        *(("a.ts::MAX_RETRIES=3", "held"), ("a.ts::MAX_RETRIES=4", "false"), ("a.ts::name='abc'", "held")),
        *(("a.ts::timeout=5000", "held"), ("a.ts::url=http://x//y", "held"), ("a.ts::on=True", "held")),
        *(
            ("a.ts::n=4", "unknown"),
            ("a.ts::send", "held"),
            ("a.ts::size", "held"),
            ("a.ts::Foo.run", "held"),
        ),
        *(
            ("a.ts::Foo.LIMIT=10", "held"),
            ("a.ts::MAX", "false"),
            ("a.ts::MIN", "false"),
            ("a.ts::x", "unknown"),
        ),
    ],
)
def test_code(claim: str, verdict: str) -> None:
    text = PYTHON if claim.startswith("a.py") else SCRIPT
    assert judge(parse_claim(claim), text.encode()) == verdict


@pytest.mark.parametrize(
    ("path", "text", "held", "false"),
    [
        (
            "a.go",
            "const Max int = 3\nfunc (c *Client) Send(x int) error {\n}\n",
            "Max=3 Send Client.Send",
            "Max=4 Sent",
        ),
        ("a.rs", "pub const N: u32 = 3u32;\nfn run<T>(a: T) -> u8 {\n}\n", "N=3 run", "N=2 ran"),
        ("a.c", "#define SIZE 0x10\nint run(void) {\n}\n", "SIZE=16 run", "SIZE=17"),
        ("A.java", "public static final int MAX = 5;\n", "MAX=5", "MAX=6"),
        (
            "a.yml",
            "a:\n  retries: 3 # 4\n  name: hello world\n  on: true\n",
            "retries=3 a.retries=3 on=true",
            "retries=4",
        ),
        (".env", "PORT=8080\nexport HOST=localhost\n", "PORT=8080 HOST=localhost", "PORT=80"),
        ("run.sh", "LIMIT=3\nstart() {\n}\n", "LIMIT=3 start", "LIMIT=4"),
        (
            "package.json",
            '{"scripts":{"build":"tsc"},"version":"1.10"}',
            "scripts.build=tsc version=1.10",
            "version=1.1",
        ),
        (
            "pyproject.toml",
            '[tool.x]\nline = 110\nname = "y"\n',
            "tool.x.line=110 line=110 name=y",
            "line=100",
        ),
    ],
)
def test_other_languages(path: str, text: str, held: str, false: str) -> None:
    verdicts = [(name, judge(parse_claim(f"{path}::{name}"), text.encode())) for name in held.split()]
    assert [verdict for _, verdict in verdicts] == ["held"] * len(verdicts), verdicts
    verdicts = [(name, judge(parse_claim(f"{path}::{name}"), text.encode())) for name in false.split()]
    assert [verdict for _, verdict in verdicts] == ["false"] * len(verdicts), verdicts


@pytest.mark.parametrize("data", [None, b"RETRIES\0", b"RETRIES = = (", b"<<< RETRIES\ndef"])
def test_what_cannot_be_read_is_not_known(data: bytes | None) -> None:
    assert judge(parse_claim("a.py::RETRIES=3"), data) == "unknown"


@pytest.mark.parametrize("ending", ["py", "ts", "yml", "json", "toml", "sh"])
@pytest.mark.parametrize("part", ["(", "[", "{", "'", "`", "/*", "N", "N(", "N<", "N: ", "a.", "-", '"\\'])
def test_time_is_in_proportion_to_the_length(ending: str, part: str) -> None:
    began = time.process_time()
    judge(parse_claim(f"a.{ending}::N=3"), (part * 20_000).encode())
    judge(parse_claim(f"a.{ending}::N"), f"N = {part * 20_000}\n".encode())
    assert time.process_time() - began < 2


@given(st.text(max_size=60), st.binary(max_size=200))
def test_any_text_is_a_claim_or_refused_and_any_bytes_are_judged(text: str, data: bytes) -> None:
    try:
        claim = parse_claim(text)
    except UsageError:
        return
    assert judge(claim, data) in ("held", "false", "unknown")
