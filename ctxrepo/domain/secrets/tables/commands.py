"""Passwords that are given on a command line, or that follow a keyword after a blank.

What well-known programs take is in `programs`; here is what needs no program. The other long options
(`--api-token X`) need none either.
"""

from __future__ import annotations

from ctxrepo.domain.secrets.rule import Rule, text
from ctxrepo.domain.secrets.shape import grade, shape
from ctxrepo.domain.secrets.tables.programs import PROGRAMS, VALUE

COMMANDS: tuple[Rule, ...] = (
    text(
        "command-line-password",
        "any program with a flag of one letter for it",
        (" -p", " -k", " -w", " -h", " -rp", " -pw", " -ap", " -hp", " -y", " /p", " /rp", " -x"),
        r"[ ](?:-(?:p|P|pw|w|W|K|k|H|X|ap|rp|hp|y)|/p|/rp)(?:[ ]{1,2}|=|:|(?=[\"']))" + VALUE,
        grade.is_flags,
        "racadm -r idrac1 -u ada -p {a9}!{a3} getsysinfo",
        "git log -p 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        ignores_case=True,
    ),
    text(
        "command-line-password",
        "what is written into a program or a file",
        ("echo ", "printf ", "yes "),
        r"(?<!\w)(?:echo|printf|yes)(?: -\w{1,3})?(?: [\"']?%s(?:\\n)?[\"']?)?[ ]{1,3}[\"']?(?:[a-z_][\w-]{0,30}:)?([^\s\"'|>]{6,512})[\"']?(?:[\s;][^|>\n]{0,200})?[ \t]{0,4}"
        r"(?:\||>)[^\r\n]{0,80}?(?:pass|pw|secret|key|psk|token|cred|luks|crypt|login|sudo|base64|connect|pdbedit|smb)",
        shape.is_password,
        "echo -n '{a9}!{a3}' | cryptsetup luksOpen /dev/sdb1 data -",
        "echo done | tee log.txt",
        ignores_case=True,
    ),
    text(
        "command-line-password",
        "here-strings",
        ("<<<",),
        r"<<<[ ]?[\"']?([^\s\"'|>]{6,512})",
        shape.is_password,
        "sudo -S <<< '{a9}!{a3}' apt upgrade",
        'cat <<< "$PASS"',
    ),
    *PROGRAMS,
    text(
        "command-line-password",
        "curl and others",
        ("-u",),
        r"(?<![\w-])-u(?:ser)?[ =]?[\"']?[\w.@+-]{1,64}:([^\s\"']{6,200})",
        shape.is_password,
        "curl -sS -u ada:{a9}!{a3} https://api.acme.io",
        "docker run -u 1000:1000 x",
    ),
    text(
        "command-line-secret",
        "any",
        (" --", "\n--"),
        r"[ \n]--(?:[a-z0-9]{1,12}[_-]){0,3}(?:plaintext|\w{0,12}password|token|secret|api-?key|auth-?key|access-?key|secret-?key|private-?key|license-?key"
        r"|account-?key|pass(?:word|wd|phrase)?|pwd|storepass|credential)[ \t]{1,3}" + VALUE,
        shape.is_password,
        "./deploy --api-token {a32}",
        "pass --password-file /run/secrets/db_password_1",
        ignores_case=True,
    ),
    text(
        "password",
        "netrc",
        ("login ",),
        r"(?<![\w-])login[ \t]{1,8}\S{1,80}\s{1,20}(?:account\s{1,8}\S{1,80}\s{1,20})?passw(?:or)?d[ \t]{1,8}"
        + VALUE,
        shape.is_password,
        "machine api.acme.io login ada password {a9}!{a3}",
        "machine api.acme.io login ada password $PASSWORD",
    ),
    text(
        "password",
        "netrc",
        ("machine ",),
        r"(?<![\w-])machine[ \t]{1,8}[\w-]{1,60}\.[\w.-]{1,99}\s{1,20}(?:login\s{1,8}\S{1,80}\s{1,20})?(?:account\s{1,8}\S{1,80}\s{1,20})?"
        r"passw(?:or)?d\s{1,8}" + VALUE,
        shape.is_any,
        "machine api.acme.io\n  login ada\n  password blue{a4}",
        "machine learning login flow password reset",
    ),
    text(
        "password",
        "SQL",
        ("identified", "password"),
        r"(?<![\w-])(?:identified(?:[ \t]{1,4}with[ \t]{1,4}\w{1,40})?[ \t]{1,4}(?:by|as)|(?:with|encrypted|set)?[ \t]{0,4}password)"
        r"(?:[ \t]{1,4}(?:=[ \t]{0,4})?|[ \t]{0,4}\()n?(?:'([^'\s]{6,200})'|\"([^\"\s]{6,200})\")",
        shape.is_password,
        "CREATE USER ada IDENTIFIED BY '{a9}!{a3}'",
        "ALTER USER ada PASSWORD '$1'",
        ignores_case=True,
    ),
    text(
        "password",
        "settings of servers",
        (
            "requirepass",
            "masterauth",
            "rootpw",
            "bindpw",
            "sasl_passwd",
            "snmp-server community",
            "enable secret",
            "enable password",
            "ansible_become_pass",
            "default_pass",
            "masteruser_pass",
        ),
        r"(?:requirepass|masterauth|rootpw|bindpw|sasl_passwd|snmp-server community|enable (?:secret|password)(?: [0-9])?"
        r"|ansible_become_pass|default_pass|masteruser_pass)[ \t]{1,8}=?[ \t]{0,4}" + VALUE,
        shape.is_password,
        "requirepass {a20}",
        "requirepass <password>",
        ignores_case=True,
    ),
    text(
        "secret",
        "Dockerfile, shells, services",
        (
            "env ",
            "arg ",
            "setx ",
            "set -",
            "setenv ",
            "export ",
            "config set ",
            "config:set ",
            "secrets set ",
        ),
        r"(?<![\w-])(?:env|arg|setx|set -g?x|set -xg|set-?env|export|config set|config:set|secrets set)[ \t]{1,4}"
        r"[\w.:/-]{0,60}(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|authtoken|credentials?)(?:_[A-Za-z]{1,12})?[ \t]{1,4}"
        + VALUE,
        shape.is_password,
        "ENV DB_PASSWORD {a9}!{a3}",
        "ENV DB_PASSWORD $DB_PASSWORD",
        ignores_case=True,
    ),
    text(
        "password",
        "shells",
        ("echo ", "printf ", "<<<"),
        r"(?:(?<!\w)(?:echo|printf)(?: -\w{1,3})?|<<<)[ \t]{1,4}(?:[\"'])?(?:[a-z_][\w-]{0,30}:)?([^\s\"'|]{6,200})[\"']?[ \t]{0,4}"
        r"\|[ \t]{0,4}(?:sudo[ \t]{1,4})?(?:chpasswd|sudo[ \t]{1,4}-S|passwd|[^\r\n|]{1,80}--(?:password-stdin|with-token|stdin|passphrase-fd[ =]0))",
        shape.is_password,
        "echo 'root:{a9}!{a3}' | chpasswd",
        'echo "$PASS" | docker login --password-stdin',
    ),
)
