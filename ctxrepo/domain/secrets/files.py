"""Files that are secrets as a whole, or lines of them, wherever they were pasted."""

from __future__ import annotations

from ctxrepo.domain.secrets import content, shape
from ctxrepo.domain.secrets.rule import Rule, text

FILES: tuple[Rule, ...] = (
    # Docker's config.json, .npmrc
    text(
        "password",
        "docker's config.json, npm's .npmrc",
        ("auth",),
        r"(?<![a-z])_?auth[\"']{0,2}[ \t]{0,4}[:=][ \t]{0,4}[\"']?([a-z0-9+/]{8,2000}={0,2})(?![a-z0-9+/=])",
        content.is_pair,
        '{"auths": {"registry.acme.io": {"auth": "{pair}"}}}',
        '{"auths": {"registry.acme.io": {}}',
        ignores_case=True,
    ),
    text(
        "kubernetes-secret",
        "Kubernetes",
        ("kind: secret",),
        r"kind:[ ]{1,4}Secret\b(?:[^\r\n]{0,200}[\r\n]{1,2}){1,30}?(?:stringD|d)ata:[ ]{0,4}[\r\n]{1,2}((?:[ ]{1,8}[\w.-]{1,80}:[ ]{1,4}[^\r\n]{0,4000}[\r\n]{0,2}){1,40})",
        content.is_manifest,
        "kind: Secret\nmetadata:\n  name: x\ndata:\n  db: {b32}\n",
        "kind: Secret\nmetadata:\n  name: x\ndata:\n  db: ${DB}\n",
    ),
    text(
        "kubernetes-secret",
        "Kubernetes",
        ("data:",),
        r"(?:stringD|d)ata:[ ]{0,4}[\r\n]{1,2}((?:[ ]{1,8}[\w.-]{1,80}:[ ]{1,4}[^\r\n]{0,4000}[\r\n]{1,2}){1,40})(?=kind:[ ]{1,4}Secret\b)",
        content.is_manifest,
        "apiVersion: v1\ndata:\n  db: {b32}\nkind: Secret\n",
        "apiVersion: v1\ndata:\n  db: plain words only\nkind: ConfigMap\n",
    ),
    text(
        "password",
        ".pgpass",
        (":5432:", ":5433:", ":6432:", ":6543:", ":*:"),
        r"(?<=[\w.*-]):(?:[0-9]{4,5}|\*):[\w*.-]{1,60}:[\w*.-]{1,60}:([^\s]{4,200})",
        shape.is_any,
        "db.acme.io:5432:shop:ada:{a14}",
        "db.acme.io:5432:shop:ada:$PGPASSWORD",
    ),
    text(
        "password-hash",
        ".htpasswd, /etc/shadow",
        (":$", ":{sha}"),
        r"(?<=[\w.@-]):(\$(?:apr1|1|5|6|y|gy|7|2[abxy]|argon2id?|scrypt)\$[^\s:]{20,300}|\{S?SHA\}[A-Za-z0-9+/=]{20,80})",
        shape.is_any_hash,
        "ada:$apr1${a8}${a22}",
        "password hash: $2b$12$KIXQ4v6n9yT2m1WqQb8zUeJx5rY7cV3aL0dF6hG9jK1pN4sR2tU8w",
    ),
    text(
        "password-hash",
        "Windows",
        (":::",),
        r"(?<![0-9a-f])[0-9a-f]{32}:[0-9a-f]{32}:::",
        shape.is_any_hash,
        "ada:1001:{h32}:{h32}:::",
        "x:::",
        ignores_case=True,
        back=65,
    ),
    text(
        "wallet",
        "Ethereum keystores",
        ('"ciphertext',),
        r"\"ciphertext\"[ ]{0,4}:[ ]{0,4}\"([0-9a-f]{60,200})\"",
        shape.is_mixed,
        '{"crypto":{"cipher":"aes-128-ctr","ciphertext":"{h64}"}}',
        '"ciphertext": "..."',
        ignores_case=True,
    ),
    text(
        "wallet",
        "Solana and others",
        ("secret", "private", "keypair", "id.json"),
        r"(?:secret|private|keypair|id\.json)[^\[\]\r\n]{0,60}[\r\n]{0,2}\[[ ]{0,4}((?:[0-9]{1,3}[ ]{0,2},\s{0,6}){31,63}[0-9]{1,3})[ ]{0,4}\]",
        shape.is_any_hash,
        "keypair: [{bytes64}]",
        "private: [1, 2, 3]",
        ignores_case=True,
    ),
    text(
        "tls-key-log",
        "NSS key log",
        ("client_random", "client_traffic_secret", "client_handshake"),
        r"CLIENT_(?:RANDOM|TRAFFIC_SECRET_0|HANDSHAKE_TRAFFIC_SECRET) [0-9a-f]{64} ([0-9a-f]{64,96})",
        shape.is_any_hash,
        "CLIENT_RANDOM {h64} {h96}",
        "CLIENT_RANDOM is the first field",
    ),
)
