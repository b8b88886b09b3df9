"""Passwords on a command line: where each program takes one, and keywords that one follows.

A row of `PROGRAMS` is: the programs, what stands before the password, an example. `COMMANDS` has them, and what
needs no program, such as the long option `--api-token X`.
"""

from __future__ import annotations

from ctxrepo.domain.secrets.rule import Rule, text
from ctxrepo.domain.secrets.shape import judges, shape

# In quotes, or up to the next blank.
VALUE = r"(?:\"([^\"\r\n]{4,200})\"|'([^'\r\n]{4,200})'|([^\s\"'|;&<>`]{4,200}))"
_ARGUMENTS = r"[^\r\n|;]{0,200}?"

_FLAGS: tuple[tuple[str, str, str], ...] = (
    (
        "mysql mysqldump mysqladmin mysqlimport mysqlsh mysqlshow mariadb mariadb-dump",
        "-p",
        "mysql -u ada -p{a9}!{a3} shop",
    ),
    ("sshpass", "-p *", "sshpass -p '{a9}!{a3}' ssh ada@web1"),
    ("redis-cli valkey-cli keydb-cli", "-a +", "redis-cli -h cache -a {a16} ping"),
    ("redis-cli valkey-cli", "--pass +", "redis-cli --pass {a16}"),
    (
        "docker podman nerdctl buildah skopeo helm oras crane az twine flyway oc rclone k6",
        "(?:-p|-P)(?: +|=)",
        "docker login -u ada -p {a9}!{a3}",
    ),
    (
        "mongo mongosh mongodump mongorestore mongoexport mongoimport cqlsh clickhouse-client arangosh couchbase-cli",
        "-p[ =]?",
        "mongosh -u ada -p {a9}!{a3}",
    ),
    (
        "sqlcmd bcp isql tsql osql ipmitool mosquitto_pub mosquitto_sub unzip zip adcli kinit wget",
        "-P *",
        "sqlcmd -S db1 -U sa -P {a9}!{a3}",
    ),
    (
        "ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd iscsiadm",
        "-w *",
        "ldapsearch -D cn=ada -w {a9}!{a3}",
    ),
    ("plink pscp psftp", "-pw +", "plink -pw {a9}!{a3} ada@web1"),
    ("7z 7za 7zr rar unrar", "-h?p", "7z a -p{a9}!{a3} out.7z in"),
    ("xfreerdp wlfreerdp mstsc rdesktop", "(?:/p:|-p +)", "xfreerdp /u:ada /p:{a9}!{a3} /v:win1"),
    ("openssl", "(?:-pass(?:in|out)?|-k)[ =]+(?:pass:)?", "openssl rsa -in k.pem -passin pass:{a9}!{a3}"),
    (
        "keytool jarsigner apksigner",
        "-(?:store|key|dest\\w{0,9}|src\\w{0,9})pass(?: +pass:| +|:)",
        "keytool -list -storepass {a9}!{a3}",
    ),
    ("ssh-keygen", "-[NP] *", "ssh-keygen -t ed25519 -N '{a9}!{a3}'"),
    ("gpg gpg2", "--passphrase[ =]+", "gpg --batch --passphrase {a9}!{a3} -d x.gpg"),
    ("snmpwalk snmpget snmpset", "-[AX] *", "snmpwalk -v3 -A {a9}!{a3} host"),
    ("net", "use +(?:\\w: +)?\\S+ +(?:/user:\\S+ +)?", "net use \\\\fs1\\share /user:ada {a9}!{a3}"),
    (
        "cargo vault npm gh glab ngrok doctl huggingface-cli wandb",
        "(?:login|add-authtoken|authtoken) +(?:--?[\\w-]+[ =]+)?",
        "cargo login {a32}",
    ),
    ("gh glab", "(?:--body|-b|--value)[ =]+", "gh secret set X --body {a32}"),
    ("snmpwalk snmpget snmpset", "-c *", "snmpwalk -v2c -c {a12} host"),
    ("nmcli", "password +", "nmcli dev wifi connect net1 password {a9}!{a3}"),
    ("wpa_passphrase", "[^\\s]{1,40} +", "wpa_passphrase net1 {a9}!{a3}"),
    ("lftp", "-u *[^\\s,]{1,40},", "lftp -u ada,{a9}!{a3} ftp.acme.io"),
    ("smbclient rpcclient smbmap", "-U *[^\\s%]{1,40}%", "smbclient -U ada%{a9}!{a3} //fs1/x"),
    ("sqlplus sqlldr expdp impdp rman", "[^\\s/]{1,40}/", "sqlplus ada/{a9}!{a3}@db1"),
    (
        "rabbitmqctl",
        "(?:add_user|change_password|authenticate_user) +\\S{1,40} +",
        "rabbitmqctl add_user ada {a9}!{a3}",
    ),
    (
        "mc mcli",
        "(?:alias|config host) (?:set|add) +\\S{1,40} +\\S{1,99} +\\S{1,99} +",
        "mc alias set m http://s3 ada {a16}",
    ),
    ("useradd usermod", "-p *", "useradd -p {a9}!{a3} ada"),
    ("htpasswd", "-[a-zA-Z]*b[a-zA-Z]* +(?:\\S{1,99} +){1,2}", "htpasswd -nb ada {a9}!{a3}"),
    ("poetry", "http-basic\\.\\S{1,40} +\\S{1,60} +", "poetry config http-basic.x ada {a9}!{a3}"),
    (
        "curl http https xh wget lftp aria2c git-lfs",
        "(?:-u|--user|-a|--auth|--proxy-user|-U)[ =]?[\"']?[\\w.@+-]{0,64}:",
        "http -a ada:{a9}!{a3} api.acme.io",
    ),
    (
        "az azcopy s3cmd s4cmd",
        "--(?:account-key|sas-token|secret[_-]key)[ =]+",
        "az storage blob list --account-key {b86}==",
    ),
    (
        "kubectl oc",
        "--from-literal[ =]\\w{1,40}(?:[_.-]\\w{1,40}){0,4}=",
        "kubectl create secret generic x --from-literal=pw={a9}!{a3}",
    ),
    ("net", "user +\\S{1,40} +", "net user ada {a9}!{a3}"),
    (
        "bundle",
        "config +(?:set +)?(?:--\\w+ +)?\\S{1,60} +[\\w.-]{1,40}:",
        "bundle config gems.acme.io ada:{a14}",
    ),
    (
        "composer",
        "config +(?:--\\w+ +)?http-basic\\.\\S{1,60} +\\S{1,60} +",
        "composer config http-basic.x.io ada {a14}",
    ),
    ("mkpasswd", "(?:-\\w +\\S{1,20} +)?", "mkpasswd -m sha-512 {a9}!{a3}"),
    (
        "networksetup",
        "-setairportnetwork +\\S+ +\\S+ +",
        "networksetup -setairportnetwork en0 net1 {a9}!{a3}",
    ),
    ("createuser", "\\S{1,40} +(?:MD5|SHA\\S{0,6}) +", "createuser ada SHA {a9}!{a3}"),
    ("influx", "-(?:password|p) +", "influx -username ada -password {a9}!{a3}"),
    ("mosquitto_passwd", "-b +\\S{1,80} +\\S{1,40} +", "mosquitto_passwd -b /etc/m.pw ada {a9}!{a3}"),
    ("ldappasswd ykman tpm2_unseal", "-[sp] *", "ldappasswd -s {a9}!{a3} uid=ada"),
    ("qpdf", "--encrypt +(?:\\S{1,80} +)?", "qpdf --encrypt {a9}!{a3} {a9}!{a3} 256 -- a b"),
    ("pdftotext pdfimages pdfinfo mutool", "-(?:upw|opw|p) +", "pdftotext -upw {a9}!{a3} in.pdf"),
    ("isql tsql", "(?:-\\w +)?\\S{1,40} +\\S{1,40} +", "isql -v shop ada {a9}!{a3}"),
    ("db2", "using +", "db2 connect to shop user ada using {a9}!{a3}"),
    ("rclone", "(?:obscure|pass) +", "rclone obscure {a9}!{a3}"),
    ("security", "-[pwPk] *", "security unlock-keychain -p {a9}!{a3} login.keychain"),
    ("openssl mkpasswd", "passwd +(?:-[\\w-]{1,20} +){0,3}", "openssl passwd -6 {a9}!{a3}"),
    ("dscl", "-passwd +\\S{1,60} +", "dscl . -passwd /Users/ada {a9}!{a3}"),
    ("signtool certutil", "[/-]p +", "signtool sign /f c.pfx /p {a9}!{a3} setup.exe"),
    ("ipmitool", "password +[0-9]{1,2} +", "ipmitool user set password 2 {a9}!{a3}"),
    (
        "aws az gcloud",
        "--(?:secret-string|value|plaintext) +",
        "aws ssm put-parameter --name x --value {a9}!{a3}",
    ),
    ("wbinfo rpcclient net", "-\\w +[^\\s%]{1,60}%", "wbinfo -a ada%{a9}!{a3}"),
    ("radtest", "[^\\s]{1,40} +", "radtest ada {a9}!{a3} auth1 0 shared"),
    ("doveadm", "-p +", "doveadm pw -s SHA512-CRYPT -p {a9}!{a3}"),
    ("zmprov", "(?:sp|ca|setPassword|createAccount) +\\S{1,60} +", "zmprov sp ada@acme.io {a9}!{a3}"),
    (
        "ejabberdctl prosodyctl",
        "register +\\S{1,60} +\\S{1,60} +",
        "ejabberdctl register ada acme.io {a9}!{a3}",
    ),
    ("beeline hydra medusa ncrack netexec nxc", "-p +", "beeline -n ada -p {a9}!{a3}"),
    ("ab hey siege", "-[aA] +[\\w.@-]{1,60}:", "hey -a ada:{a9}!{a3} https://acme.io"),
    ("mvn", "(?:-emp|-ep|--encrypt-(?:master-)?password) +", "mvn --encrypt-password {a9}!{a3}"),
    ("openssl", "-K +", "openssl enc -d -aes-256-cbc -K {h64} -in x"),
    ("MONITOR", "\\S{1,60}@\\S{1,60} +[0-9] +\\S{1,40} +", "MONITOR ups@nas1 1 upsmon {a9}!{a3} primary"),
    ("rootpw", "(?:--\\w+ +)*", "rootpw --plaintext {a9}!{a3}"),
)


def _command(programs: str, flag: str, example: str) -> Rule:
    words = programs.split()
    either = "|".join(w.replace("-", "\\-") for w in sorted(words, key=len, reverse=True))
    regex = rf"(?<![\w./-])(?:{either})(?:\.exe)?(?=[ \t]){_ARGUMENTS}[ \t](?:{flag}){VALUE}"
    clean = example[: example.index("{")] + "$PASSWORD"
    anchors = tuple(f"{w} ".lower() for w in words)
    return text("command-line-password", words[0], anchors, regex, shape.is_password, example, clean)


PROGRAMS: tuple[Rule, ...] = tuple(_command(*row) for row in _FLAGS)


COMMANDS: tuple[Rule, ...] = (
    text(
        "command-line-password",
        "any program with a flag of one letter for it",
        (" -p", " -k", " -w", " -h", " -rp", " -pw", " -ap", " -hp", " -y", " /p", " /rp", " -x"),
        r"[ ](?:-(?:p|P|pw|w|W|K|k|H|X|ap|rp|hp|y)|/p|/rp)(?:[ ]{1,2}|=|:|(?=[\"']))" + VALUE,
        judges.is_flags,
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
