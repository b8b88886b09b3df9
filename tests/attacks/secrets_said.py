"""Secrets in command lines and headers, and the ones that only a label tells."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import partial

from attacks.drawing import Draw
from attacks.secrets_kinds import Kind, said

C, H, L, P = (
    partial(said, "commands"),
    partial(said, "headers"),
    partial(said, "labels"),
    partial(said, "people"),
)


def command(name: str, *lines: str) -> Kind:
    """A kind in three command lines, each noted twice; {w} is a password, {u} a user, {h} a host."""

    def note(form: str, line: str) -> Callable[[Draw], str]:
        return lambda d: form % line.format(w=d.plain_pw(), u=d.name(), h=d.host())

    forms = (
        "```sh\n%s\n```",
        "- `%s` works",
        "    %s",
        "```console\n$ %s\n```",
        "Run %s and wait.",
        "1. `%s`",
    )
    return C(name, *(note(form, lines[at % len(lines)]) for at, form in enumerate(forms)))


COMMANDS = (
    command("mysql-p", "mysql -u {u} -p{w} shop", "mysqldump -h {h} -u{u} -p{w} shop > d.sql", "mysql --password={w} -u {u}"),
    command("pgpassword", "PGPASSWORD={w} psql -h {h} -U {u}", "env PGPASSWORD='{w}' pg_dump -h {h} shop",
            "psql \"postgresql://{u}:{w}@{h}/shop\""),
    command("sshpass", "sshpass -p {w} ssh {u}@{h}", "sshpass -p '{w}' scp a.tgz {u}@{h}:", "SSHPASS={w} sshpass -e ssh {h}"),
    command("curl-user", "curl -u {u}:{w} https://{h}/api", "curl --user '{u}:{w}' -X POST https://{h}/jobs",
            "curl -s -u \"{u}:{w}\" https://{h}/health"),
    command("docker-login", "docker login -u {u} -p {w} registry.example.com", "docker login --username {u} --password {w}",
            "echo {w} | docker login -u {u} --password-stdin"),
    command("redis-cli", "redis-cli -h {h} -a {w} ping", "redis-cli -a '{w}' --scan", "REDISCLI_AUTH={w} redis-cli -h {h}"),
    command("mongo", "mongosh -u {u} -p {w} --host {h}", "mongodump --username {u} --password {w}",
            "mongosh 'mongodb://{u}:{w}@{h}/admin'"),
    command("ldap-bind", "ldapsearch -x -D cn=admin,dc=corp,dc=lan -w {w} -b dc=corp", "ldapmodify -H ldap://{h} -D cn={u} -w '{w}'",
            "ldapwhoami -x -D cn={u},dc=corp -w {w}"),
    command("smb", "smbclient //{h}/share -U {u}%{w}", "mount -t cifs //{h}/x /mnt -o username={u},password={w}",
            "net use Z: \\\\{h}\\share {w} /user:{u}"),
    command("openssl-pass", "openssl enc -d -aes-256-cbc -in b.enc -pass pass:{w}", "openssl pkcs12 -in c.p12 -passin pass:{w}",
            "openssl rsa -in k.pem -passin 'pass:{w}'"),
    command("wget", "wget --user={u} --password={w} https://{h}/a.iso", "wget --http-password={w} https://{h}/",
            "wget https://{u}:{w}@{h}/nightly.tgz"),
    command("archive", "7z x backup.7z -p{w}", "unzip -P {w} export.zip", "zip -r -P {w} out.zip data"),
    command("gpg-passphrase", "gpg --batch --passphrase {w} -d dump.gpg", "gpg --pinentry-mode loopback --passphrase '{w}' -c x",
            "echo {w} | gpg --passphrase-fd 0 -d dump.gpg"),
    command("rdp", "xfreerdp /u:{u} /p:{w} /v:{h}", "xfreerdp /v:{h} /u:{u} /p:'{w}'", "rdesktop -u {u} -p {w} {h}"),
    command("ipmi", "ipmitool -I lanplus -H {h} -U ADMIN -P {w} power status", "ipmitool -H {h} -U {u} -P '{w}' sol activate",
            "IPMI_PASSWORD={w} ipmitool -E -H {h} chassis status"),
    command("sqlcmd", "sqlcmd -S {h} -U sa -P {w}", "sqlcmd -S tcp:{h} -U {u} -P '{w}' -Q 'select 1'", "bcp db.t out f -S {h} -U sa -P {w}"),
    command("mqtt", "mosquitto_pub -h {h} -u {u} -P {w} -t a -m 1", "mosquitto_sub -h {h} -u {u} -P '{w}' -t '#'",
            "mqtt pub -h {h} -u {u} -pw {w} -t a"),
    command("az-login", "az login -u {u}@corp.com -p {w}", "az login --service-principal -u {u} --password {w} --tenant corp",
            "az sql server create -n s -u {u} --admin-password {w}"),
    command("git-url", "git clone https://{u}:{w}@git.example.com/app.git", "git remote add origin https://{u}:{w}@git.example.com/a.git",
            "pip install --index-url https://{u}:{w}@pypi.example.com/simple app"),
    command("chpasswd", "echo '{u}:{w}' | chpasswd", "useradd -m {u} && echo {u}:{w} | sudo chpasswd", "htpasswd -bc .htpasswd {u} {w}"),
    command("k8s-docker-secret", "kubectl create secret docker-registry r --docker-username={u} --docker-password={w}",
            "kubectl create secret generic db --from-literal=password={w}", "helm upgrade app . --set db.password={w}"),
    command("ansible", "ansible-playbook site.yml -e ansible_password={w}", "ansible all -e 'ansible_become_pass={w}' -m ping",
            "ansible-playbook site.yml --extra-vars \"db_password={w}\""),
)  # fmt: skip


def basic(d: Draw) -> str:
    """Name and password as the header has them."""
    return base64.b64encode(f"{d.name()}:{d.plain_pw()}".encode()).decode()


def header(name: str, line: str, make: Callable[[Draw], str]) -> Kind:
    """A kind of header, in six places."""
    forms = (
        "```http\nGET /v1/me HTTP/1.1\nHost: api.example.com\n%s\n```", "- send `%s`", "curl -H '%s' https://api.example.com/v1",
        "    %s", '```js\nawait fetch(url, {headers: {"%s"}})\n```', "It wants the header %s",
    )  # fmt: skip
    tail = (line, line, line, line, line.replace(": ", '": "'), line)
    return H(
        name,
        *(
            lambda d, f=form, t=text: f % t.replace("{}", make(d))
            for form, text in zip(forms, tail, strict=True)
        ),
    )


HEADERS = (
    header("basic-auth", "Authorization: Basic {}", basic),
    header("bearer-opaque", "Authorization: Bearer {}", lambda d: d.an(43)),
    header("token-auth", "Authorization: Token {}", lambda d: d.hex(40)),
    header("api-key-header", "X-API-Key: {}", lambda d: d.an(32)),
    header("private-token", "PRIVATE-TOKEN: {}", lambda d: d.an(20)),
    header("vault-header", "X-Vault-Token: {}", lambda d: d.uuid()),
    header("auth-token-header", "X-Auth-Token: {}", lambda d: d.hex(32)),
    header("splunk-auth", "Authorization: Splunk {}", lambda d: d.uuid()),
    header("genie-auth", "Authorization: GenieKey {}", lambda d: d.uuid()),
    header("session-cookie", "Cookie: sessionid={}; theme=dark", lambda d: d.low(32)),
    header("php-cookie", "Cookie: PHPSESSID={}", lambda d: d.low(26)),
    header("connect-cookie", "Cookie: connect.sid=s%3A{}", lambda d: d.url(32) + "." + d.raw_url(32)),
    header("set-cookie", "Set-Cookie: _session_token={}; HttpOnly; Secure", lambda d: d.url(64)),
    header("presigned-s3", "Location: https://b.s3.amazonaws.com/x?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature={}", lambda d: d.hex(64)),
    H("query-token",
      lambda d: f"https://api.example.com/v1/me?access_token={d.an(40)}", lambda d: f"- `https://api.example.com/feed?api_key={d.hex(32)}&page=2`",
      lambda d: f"[feed](https://example.com/private.ics?token={d.url(32)})", lambda d: f"open https://example.com/login?auth_token={d.url(40)}",
      lambda d: f"<https://maps.example.com/js?apikey={d.an(36)}>", lambda d: f"```\nGET /export?secret={d.an(24)}&from=1\n```"),
    H("oauth-client",
      lambda d: f"client_id: shop-web\nclient_secret: {d.url(32)}", lambda d: f"The OAuth client secret is {d.url(32)}",
      lambda d: f"```json\n{{\"clientId\": \"shop\", \"clientSecret\": \"{d.an(40)}\"}}\n```", lambda d: f"- `grant_type=client_credentials&client_id=web&client_secret={d.url(40)}`",
      lambda d: f"OIDC_CLIENT_SECRET={d.hex(64)}", lambda d: f"| client secret | {d.url(40)} |"),
)  # fmt: skip

LABELLED = (
    ("english", "Password: {}", "The password is {}", "- pw for the NAS: {}", "login {u} / password {}", "passwd={}", "| user | password |\n|---|---|\n| {u} | {} |"),
    ("german", "Passwort: {}", "Das Kennwort lautet {}", "- Zugangsdaten: {u} / Passwort {}", "Das Passwort für {u} ist `{}`", "kennwort = {}", "| Benutzer | Passwort |\n|---|---|\n| {u} | {} |"),
    ("french", "mot de passe : {}", "Le mot de passe est {}", "- Mot de passe de {u} : `{}`", "mdp: {}", "identifiant {u}, mot de passe {}", "| utilisateur | mot de passe |\n|---|---|\n| {u} | {} |"),
    ("spanish", "Contraseña: {}", "La contraseña es {}", "- contraseña de {u}: `{}`", "clave: {}", "usuario {u}, contraseña {}", "| usuario | contraseña |\n|---|---|\n| {u} | {} |"),
    ("portuguese", "Senha: {}", "A senha é {}", "- senha de {u}: `{}`", "palavra-passe: {}", "usuário {u}, senha {}", "| usuário | senha |\n|---|---|\n| {u} | {} |"),
    ("italian", "Password: {}", "La password è {}", "- parola d'ordine: `{}`", "Parola chiave: {}", "utente {u}, password {}", "| utente | password |\n|---|---|\n| {u} | {} |"),
    ("dutch", "Wachtwoord: {}", "Het wachtwoord is {}", "- wachtwoord van {u}: `{}`", "ww: {}", "gebruiker {u}, wachtwoord {}", "| gebruiker | wachtwoord |\n|---|---|\n| {u} | {} |"),
    ("polish", "Hasło: {}", "Hasło to {}", "- hasło użytkownika {u}: `{}`", "haslo: {}", "login {u}, hasło {}", "| login | hasło |\n|---|---|\n| {u} | {} |"),
    ("russian", "Пароль: {}", "Пароль от базы — {}", "- пароль {u}: `{}`", "пароль = {}", "логин {u}, пароль {}", "| логин | пароль |\n|---|---|\n| {u} | {} |"),
    ("chinese", "密码：{}", "密码是 {}", "- 数据库密码: `{}`", "口令：{}", "用户名 {u}，密码 {}", "| 用户名 | 密码 |\n|---|---|\n| {u} | {} |"),
    ("japanese", "パスワード：{}", "パスワードは {} です", "- パスワード: `{}`", "暗証番号ではなくパスワード: {}", "ユーザー {u} パスワード {}", "| ユーザー | パスワード |\n|---|---|\n| {u} | {} |"),
    ("swedish", "Lösenord: {}", "Lösenordet är {}", "- lösenord för {u}: `{}`", "lösen: {}", "användare {u}, lösenord {}", "| användare | lösenord |\n|---|---|\n| {u} | {} |"),
    ("turkish", "Parola: {}", "Şifre: {}", "- {u} şifresi: `{}`", "şifre = {}", "kullanıcı {u}, parola {}", "| kullanıcı | parola |\n|---|---|\n| {u} | {} |"),
    ("czech", "Heslo: {}", "Heslo je {}", "- heslo uživatele {u}: `{}`", "heslo = {}", "uživatel {u}, heslo {}", "| uživatel | heslo |\n|---|---|\n| {u} | {} |"),
    ("korean", "비밀번호: {}", "비밀번호는 {} 입니다", "- {u} 비밀번호: `{}`", "암호: {}", "아이디 {u}, 비밀번호 {}", "| 아이디 | 비밀번호 |\n|---|---|\n| {u} | {} |"),
    ("passphrase", "Passphrase: {}", "the passphrase is {}", "- passphrase of the backup: `{}`", "passphrase = {}", "KEY_PASSPHRASE={}", "| backup | passphrase |\n|---|---|\n| nas | {} |"),
    ("admin", "admin password: {}", "root pw: {}", "- the admin login is admin / {}", "ADMIN_PASSWORD={}", "adminPassword: \"{}\"", "default credentials: admin:{}"),
    ("wifi", "Wi-Fi password: {}", "WLAN-Schlüssel: {}", "- Wi-Fi `Office-5G`, key `{}`", "WPA2 key: {}", "WPA_PSK={}", "WIFI:T:WPA;S:Office;P:{};;"),
    ("smtp", "SMTP password: {}", "SMTP_PASSWORD={}", "smtp://mailer:{}@mail.example.com:587", "EMAIL_HOST_PASSWORD = '{}'", "- mail login: noreply@example.com / {}", "MAIL_PASS: {}"),
    ("vpn", "VPN password: {}", "IPsec PSK: {}", "- pre-shared key: `{}`", "VPN_SECRET={}", "psk = \"{}\"", "| VPN | shared secret |\n|---|---|\n| office | {} |"),
    ("snmp", "SNMP community: {}", "snmpwalk -v2c -c {} 10.0.0.1", "snmp-server community {} RO", "- SNMP community string is `{}`", "rocommunity {}", "snmp_community: {}"),
    ("cisco", "enable secret {}", "username {u} password 0 {}", "enable password {}", "- enable secret is `{}`", "radius-server key {}", "tacacs-server key {}"),
)  # fmt: skip


def label(name: str, *notes: str) -> Kind:
    """A kind that its label tells, with a password in each note."""
    return L(f"label-{name}", *(
        lambda d, n=note: n.replace("{u}", d.name()).replace("{}", d.plain_pw() if "://" in n or " -c " in n else d.pw())
        for note in notes
    ))  # fmt: skip


LABELS = tuple(label(*row) for row in LABELLED)

PEOPLE = (
    P("pin", lambda d: f"PIN: {d.digits(6)}", lambda d: f"The alarm's PIN is {d.digits(4)}", lambda d: f"- door code: `{d.digits(6)}#`",
      lambda d: f"SIM_PIN={d.digits(4)}", lambda d: f"PUK: {d.digits(8)}", lambda d: f"| card | PIN |\n|---|---|\n| corporate | {d.digits(4)} |"),
    P("recovery-codes", *[
        lambda d, f=form: f.format("\n".join(f"{d.low(5)}-{d.low(5)}" for _ in range(8)))
        for form in ("Recovery codes:\n\n{}", "2FA recovery codes of the bot account:\n```\n{}\n```", "## Backup codes\n{}",
                     "Wiederherstellungscodes:\n{}", "GitHub recovery codes\n\n{}", "- two-factor backup codes:\n{}")]),
    P("apple-app", *[
        lambda d, f=form: f.format("-".join(d.some("abcdefghijklmnopqrstuvwxyz", 4) for _ in range(4)))
        for form in ("App-specific password: {}", "APPLE_APP_SPECIFIC_PASSWORD={}", "- `xcrun notarytool store-credentials --password {}`",
                     "notarization password is {}", "```yaml\napple_password: {}\n```", "| app-specific password | {} |")]),
    P("security-answer", *[
        lambda d, f=form: f.format(d.plain_pw())
        for form in ("Kundenkennwort: {}", "Telefon-Passwort bei der Bank: {}", "- phone password: `{}`", "support password: {}",
                     "Codewort / Passwort: {}", "account passcode: {}")]),
)  # fmt: skip
