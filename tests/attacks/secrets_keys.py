"""Private keys, wallets, and files that are secrets as a whole."""

from __future__ import annotations

import base64
import json
from functools import partial

from attacks.drawing import Draw
from attacks.secrets_kinds import Make, block, said, token, weak, whole

B, T, W = partial(block, "keys"), partial(token, "keys"), partial(weak, "keys")
F = partial(whole, "files")
S = partial(said, "wallets")


def armored(d: Draw) -> str:
    """A private key of OpenPGP."""
    return d.pem("PGP PRIVATE KEY " + "BLOCK", 900, "\n").replace("\n-----END", f"\n={d.raw(3)}\n-----END")


def putty(d: Draw) -> str:
    """A key in PuTTY's own form."""
    return (
        "PuTTY-User-Key-"
        + f"File-3: ssh-ed25519\nEncryption: none\nComment: deploy\nPublic-Lines: 2\n{d.lines(51)}\n"
        f"Private-Lines: 1\n{d.raw(36)}\nPrivate-MAC: {d.hex(64)}"
    )


def jwk(d: Draw) -> str:
    """A private key as JSON."""
    key = {"kty": "RSA", "kid": d.uuid(), "use": "sig", "alg": "RS256", "e": "AQAB", "n": d.raw_url(256)}
    return json.dumps({**key, "d": d.raw_url(256), "p": d.raw_url(128), "q": d.raw_url(128)}, indent=2)


def service_account(d: Draw) -> str:
    """What Google's console lets one download."""
    mail = f"ci@{d.low(8)}.iam.gserviceaccount.com"
    head = {"type": "service_account", "project_id": d.low(8), "private_key_id": d.hex(40)}
    return json.dumps(
        {**head, "private_key": d.pem("PRIVATE " + "KEY", 1200) + "\n", "client_email": mail}, indent=2
    )


def kubeconfig(d: Draw) -> str:
    """A cluster's administrator."""
    key = base64.b64encode(d.pem("RSA PRIVATE " + "KEY", 600).encode()).decode()
    return (
        f"apiVersion: v1\nkind: Config\nclusters:\n- name: prod\n  cluster:\n    server: https://{d.host()}:6443\n"
        f"users:\n- name: admin\n  user:\n    client-key-data: {key}"
    )


def docker(d: Draw) -> str:
    """What `docker login` leaves."""
    auth = base64.b64encode(f"{d.name()}:{d.plain_pw()}".encode()).decode()
    return json.dumps({"auths": {"registry.example.com": {"auth": auth}}}, indent="\t")


KEYS = (
    B("rsa-key", "DEPLOY_KEY", lambda d: d.pem("RSA PRIVATE " + "KEY", 1190)),
    B("ec-key", "JWT_PRIVATE_KEY", lambda d: d.pem("EC PRIVATE " + "KEY", 121)),
    B("pkcs8-key", "APPLE_P8", lambda d: d.pem("PRIVATE " + "KEY", 138)),
    B("encrypted-key", "TLS_KEY", lambda d: d.pem("ENCRYPTED PRIVATE " + "KEY", 1300)),
    B("openssh-key", "SSH_PRIVATE_KEY", lambda d: d.pem("OPENSSH PRIVATE " + "KEY", 390)),
    B("pgp-key", "GPG_PRIVATE_KEY", armored),
    B("putty-key", "PPK", putty),
    B("jwk", "SIGNING_JWK", jwk),
    T("jwk-line", "Auth: signing key", "SIGNING_JWK",
      lambda d: f'{{"kty":"EC","crv":"P-256","x":"{d.raw_url(32)}","y":"{d.raw_url(32)}","d":"{d.raw_url(32)}"}}'),
    T("age", "age: identity key", "SOPS_AGE_KEY", lambda d: d.bech32("age-secret" + "-key-", 32).upper()),
    T("jwt", "staging: session token", "STAGING_JWT", lambda d: d.jwt(exp=1790000000, role="admin")),
    T("pkcs12", "Windows signing: certificate key", "CSC_LINK",
      lambda d: "MIIKcQIBAzCCCjcGCSqGSIb3DQEHAaCCCigEggok" + d.raw(1500)),
    W("wireguard", "WireGuard: private key", "WG_PRIVATE_KEY", lambda d: d.raw(32)),
    W("ssh-passphrase", "ssh key: passphrase password", "SSH_PASSPHRASE", Draw.plain_pw),
    W("p12-password", "certificate: p12 password", "CSC_KEY_PASSWORD", Draw.plain_pw),
    W("rails-master", "Rails: master key", "RAILS_MASTER_KEY", lambda d: d.hex(32)),
    W("django-secret", "Django: secret key", "DJANGO_SECRET_KEY", lambda d: d.some("abcdefghij0123456789!@#^&*(-_=+)", 50)),
    T("laravel", "Laravel: app key", "APP_KEY", lambda d: "base64:" + d.raw(32), sure=False),
    W("jwt-secret", "backend: JWT signing secret", "JWT_SECRET", lambda d: d.hex(64)),
    W("encryption-key", "backup: encryption key", "ENCRYPTION_KEY", lambda d: d.raw(32)),
    W("android-keystore", "Android: keystore password", "KEYSTORE_PASSWORD", Draw.plain_pw),
    W("restic", "restic: repository password", "RESTIC_PASSWORD", Draw.plain_pw),
)  # fmt: skip

FILES = (
    F("dotenv", ".env", lambda d: f"APP_ENV=production\nDB_HOST={d.host()}\nDB_PASSWORD={d.plain_pw()}\nSESSION_SECRET={d.hex(48)}\nDEBUG=0"),
    F("netrc", "~/.netrc", lambda d: f"machine api.example.com\n  login {d.name()}\n  password {d.plain_pw()}"),
    F("docker-config", "~/.docker/config.json", docker),
    F("kubeconfig", "~/.kube/config", kubeconfig),
    F("pgpass", "~/.pgpass", lambda d: f"{d.host()}:5432:shop:{d.name()}:{d.plain_pw()}\n{d.host()}:5432:*:{d.name()}:{d.plain_pw()}"),
    F("htpasswd", ".htpasswd", lambda d: f"{d.name()}:$apr1${d.an(8)}${d.an(22)}\n{d.name()}:$2y$10${d.an(53)}"),
    F("shadow", "/etc/shadow", lambda d: f"root:$6${d.an(16)}${d.an(86)}:19700:0:99999:7:::"),
    F("aws-credentials", "~/.aws/credentials", lambda d: f"[default]\naws_access_key_id = AK" f"IA{d.b32(16)}\naws_secret_access_key = {d.raw(30)}"),
    F("npmrc", "~/.npmrc", lambda d: f"registry=https://npm.example.com/\n//npm.example.com/:_authToken={d.uuid()}\nalways-auth=true"),
    F("npmrc-auth", ".npmrc", lambda d: f"_auth={base64.b64encode(f'{d.name()}:{d.plain_pw()}'.encode()).decode()}\nemail=ci@example.com"),
    F("pypirc", "~/.pypirc", lambda d: f"[distutils]\nindex-servers = local\n\n[local]\nrepository = https://pypi.example.com\nusername = {d.name()}\npassword = {d.plain_pw()}"),
    F("gcp-service-account", "service-account.json", service_account),
    F("git-credentials", "~/.git-credentials", lambda d: f"https://{d.name()}:{d.plain_pw()}@git.example.com"),
    F("my-cnf", "~/.my.cnf", lambda d: f"[client]\nuser={d.name()}\npassword={d.plain_pw()}\nhost={d.host()}"),
    F("rclone", "rclone.conf", lambda d: f"[nas]\ntype = sftp\nhost = {d.host()}\nuser = {d.name()}\npass = {d.url(38)}"),
    F("wp-config", "wp-config.php", lambda d: f"define('DB_USER', '{d.name()}');\ndefine('DB_PASSWORD', '{d.plain_pw()}');\ndefine('AUTH_KEY', '{d.an(64)}');"),
    F("maven-settings", "~/.m2/settings.xml", lambda d: f"<server>\n  <id>releases</id>\n  <username>{d.name()}</username>\n  <password>{d.plain_pw()}</password>\n</server>"),
    F("nuget-config", "NuGet.Config", lambda d: f'<packageSourceCredentials>\n  <Corp>\n    <add key="Username" value="{d.name()}" />\n    <add key="ClearTextPassword" value="{d.plain_pw()}" />\n  </Corp>\n</packageSourceCredentials>'),
    F("tfvars", "terraform.tfvars", lambda d: f'region      = "eu-west-1"\ndb_password = "{d.plain_pw()}"\napi_token   = "{d.an(40)}"'),
    F("k8s-secret", "secret.yaml", lambda d: f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: {base64.b64encode(d.plain_pw().encode()).decode()}"),
    F("wireguard-conf", "wg0.conf", lambda d: f"[Interface]\nPrivateKey = {d.raw(32)}\nAddress = 10.8.0.2/24\n\n[Peer]\nPublicKey = {d.raw(32)}"),
    F("wpa-supplicant", "wpa_supplicant.conf", lambda d: f'network={{\n  ssid="Buero"\n  psk="{d.plain_pw()}"\n}}'),
    F("ipsec-secrets", "/etc/ipsec.secrets", lambda d: f'10.4.0.1 10.4.0.2 : PSK "{d.plain_pw()}"\n{d.name()} : EAP "{d.plain_pw()}"'),
    F("composer-auth", "auth.json", lambda d: f'{{\n  "http-basic": {{\n    "repo.example.com": {{\n      "username": "{d.name()}",\n      "password": "{d.plain_pw()}"\n    }}\n  }}\n}}'),
    F("cargo-credentials", "~/.cargo/credentials.toml", lambda d: f'[registries.corp]\ntoken = "{d.an(32)}"'),
    F("boto", "~/.s3cfg", lambda d: f"[default]\naccess_key = {d.up(20)}\nsecret_key = {d.raw(30)}\nuse_https = True"),
    F("gradle-properties", "gradle.properties", lambda d: f"signing.keyId={d.up(8)}\nsigning.password={d.plain_pw()}\nossrhPassword={d.plain_pw()}"),
)  # fmt: skip


def mnemonic(words: int) -> tuple[Make, ...]:
    """Six ways to note a phrase of so many words."""
    return (
        lambda d: f"Seed phrase: {d.phrase(words)}",
        lambda d: f"- the wallet's recovery phrase is `{d.phrase(words)}`",
        lambda d: f"```\nMNEMONIC=\"{d.phrase(words)}\"\n```",
        lambda d: f"```json\n{{\"mnemonic\": \"{d.phrase(words)}\"}}\n```",
        lambda d: "Recovery words:\n\n" + "\n".join(f"{at}. {word}" for at, word in enumerate(d.phrase(words).split(), 1)),
        lambda d: f"| wallet | seed |\n|---|---|\n| treasury | {d.phrase(words)} |",
    )  # fmt: skip


def six(label: str, env: str, value: Make) -> tuple[Make, ...]:
    """Six ways to note such a value."""
    return (
        lambda d: f"The {label} is {value(d)}", lambda d: f"- {label}: `{value(d)}`", lambda d: f"{env}={value(d)}",
        lambda d: f'```json\n{{"{env.lower()}": "{value(d)}"}}\n```', lambda d: f"    export {env}={value(d)}",
        lambda d: f"| {label} | {value(d)} |",
    )  # fmt: skip


WALLETS = (
    S("bip39-12", *mnemonic(12)),
    S("bip39-24", *mnemonic(24)),
    S("ethereum", *six("private key of the deployer", "PRIVATE_KEY", lambda d: "0x" + d.hex(64))),
    S("bitcoin-wif", *six("wallet's private key", "WIF", lambda d: d.base58(b"\x80" + d.of.randbytes(32) + b"\x01"))),
    S("xprv", *six("extended private key", "XPRV",
                   lambda d: d.base58(bytes.fromhex("0488ade4") + d.of.randbytes(41) + b"\0" + d.of.randbytes(32)))),
    S("solana", *six("wallet's secret key", "SOLANA_PRIVATE_KEY", lambda d: d.base58(d.of.randbytes(60)))),
    S("totp-uri", *six("2FA enrolment", "OTP_URI",
                       lambda d: f"otpauth://totp/Git:{d.name()}?secret={d.b32(32)}&issuer=Git")),
    S("totp-secret", *six("TOTP secret", "TOTP_SECRET", lambda d: d.b32(32))),
)  # fmt: skip
