"""The ways in which people and agents note a secret in markdown."""

from __future__ import annotations

import json

from attacks.drawing import Draw

NOUNS = {
    "token": ("Token", "jeton", "token", "token", "token", "token", "токен", "令牌", "トークン"),
    "key": (
        "API-Schlüssel", "clé d'API", "clave de API", "chave de API", "API-sleutel", "klucz API", "ключ API",
        "API 密钥", "APIキー",
    ),
    "secret": (
        "Client-Secret", "secret", "secreto", "segredo", "geheim", "sekret", "секретный ключ", "密钥",
        "シークレット",
    ),
    "password": (
        "Passwort", "mot de passe", "contraseña", "senha", "wachtwoord", "hasło", "пароль", "密码",
        "パスワード",
    ),
}  # fmt: skip
"""A thing in German, French, Spanish, Portuguese, Dutch, Polish, Russian, Chinese and Japanese."""

ABROAD = (
    ("- {noun} für {vendor}: {value}", "Der {noun} von {vendor} lautet {value}, bitte nicht weitergeben."),
    ("Le {noun} {vendor} est {value}", "- {noun} pour {vendor} : `{value}`"),
    ("La {noun} de {vendor} es {value}.", "- {noun} ({vendor}): {value}"),
    ("A {noun} do {vendor} é {value}", "- {noun} {vendor}: `{value}`"),
    ("Het {noun} van {vendor} is {value}", "{noun} {vendor}: {value}"),
    ("{noun} do {vendor}: {value}", "- {noun} {vendor} to `{value}`"),
    ("{noun} для {vendor}: {value}", "- {noun} {vendor} — `{value}`"),
    ("{vendor} 的{noun}是 {value}", "{vendor} {noun}：{value}"),
    ("{vendor}の{noun}は {value} です", "{vendor} {noun}：`{value}`"),
)

SENTENCES = (
    "The {words} for staging is {value}, valid until March.",
    "- [gotcha] {words}: `{value}` (ask Anna before it is rotated)",
    "We rotated the {words} yesterday, it is now {value}",
    "{words} = {value}",
    "* The {words} that CI uses is `{value}`.",
    "- **{words}:** {value}",
)
LOOSE = (
    "Put {value} into the pipeline's settings, then it deploys.",
    "- [decision] we go on with `{value}` until the vault is up",
    "Anna sent {value} in chat; it works for the {words}.",
    'It failed with 401 until I used "{value}".',
)
ASSIGNED = (
    "{env}={value}",
    "- run it with `{env}={value}`",
    'export {env}="{value}"',
    "    export {env}='{value}'",
    '$env:{env} = "{value}"',
    "set -gx {env} {value}",
    "{env}: {value}",
    "ENV {env}={value}",
)
DATA = (
    '```json\n{{\n  "{lower}": "{value}",\n  "region": "eu-west-1"\n}}\n```',
    "```yaml\nenvironment:\n  {env}: {value}\n  LOG_LEVEL: debug\n```",
    '```yaml\n{dashed}: "{value}"\n```',
    '```hcl\nvariable "{lower}" {{\n  default = "{value}"\n}}\n```',
    '```toml\n[production]\n{lower} = "{value}"\n```',
    '- `{{"{camel}": "{value}"}}`',
)
COMMANDS = (
    '```sh\ncurl -H "Authorization: Bearer {value}" https://api.example.com/v1/me\n```',
    "- `{env}={value} make deploy`",
    "```console\n$ docker run --rm -e {env}={value} registry.example.com/app:1.4\n```",
    '    gh secret set {env} --body "{value}"',
    "- `kubectl create secret generic app --from-literal={dashed}={value}`",
    "```\ntool login --{flag} {value}\n```",
    "- it works with `--{flag}={value}`",
)
FILES = (
    "```ini\n[{section}]\nurl = https://api.example.com\n{lower} = {value}\n```",
    "```dotenv\nDEBUG=1\n{env}={value}\nPORT=8080\n```",
    "```yaml\nservices:\n  app:\n    environment:\n      - {env}={value}\n```",
    "```properties\n{dotted}={value}\n```",
    '```python\n{env} = os.environ.get("{env}", "{value}")\n```',
    '```js\nconst {camel} = "{value}";\n```',
    "~~~xml\n<setting>\n  <{camel}>{value}</{camel}>\n</setting>\n~~~",
)
TABLES = (
    "| name | value |\n|---|---|\n| {words} | {value} |\n| region | eu |",
    "| {env} | `{value}` | rotated in May |",
    "| service | {words} |\n|---|---|\n| billing | `{value}` |",
)
NAMED = tuple(group for group in (SENTENCES, ASSIGNED, DATA, COMMANDS, FILES))


def noted(draw: Draw, vendor: str, thing: str, env: str, sure: bool, values: list[str]) -> list[str]:
    """Six notes, each with one of these values in another way; `sure` when the value tells by its shape."""
    noun = next((known for known in NOUNS if known in thing.lower()), "secret")
    country = draw.of.randrange(len(ABROAD))
    abroad = draw.of.choice(ABROAD[country]).replace("{noun}", NOUNS[noun][country])
    forms = [draw.of.choice(group) for group in NAMED]
    if sure and draw.of.random() < 0.7:
        forms[0] = draw.of.choice(LOOSE)
    forms.append(draw.of.choice((abroad, abroad, draw.of.choice(TABLES))))
    lower = env.lower()
    head, *rest = lower.split("_")
    names = {
        "vendor": vendor, "words": f"{vendor} {thing}", "env": env, "lower": lower,
        "dashed": lower.replace("_", "-"), "dotted": lower.replace("_", "."),
        "camel": head + "".join(word.capitalize() for word in rest), "section": vendor.lower().split()[0],
        "flag": {"key": "api-key"}.get(noun, noun),
    }  # fmt: skip
    return [form.format(value=value, **names) for form, value in zip(forms, values, strict=True)]


def shown(draw: Draw, name: str, values: list[str]) -> list[str]:
    """Six notes that show a file: fenced, indented, quoted, piped, in a list, below a heading."""
    first, second, third, fourth, fifth, sixth = values
    after = draw.of.choice(
        ("It works since then.", "Needed on the build server.", "Ask before it is changed.")
    )
    return [
        f"Our `{name}`:\n\n```\n{first}\n```\n\n{after}",
        "This is what it looks like:\n\n" + "\n".join("    " + line for line in second.splitlines()),
        f"Jonas wrote ({name}):\n\n" + "\n".join("> " + line for line in third.splitlines()),
        f"```sh\ncat > {name} <<'EOF'\n{fourth}\nEOF\n```",
        f"- [howto] {name} is\n  ```text\n"
        + "\n".join("  " + line for line in fifth.splitlines())
        + "\n  ```",
        f"## {name}\n\n~~~\n{sixth}\n~~~\n",
    ]


def blocks(name: str, env: str, values: list[str]) -> list[str]:
    """Six notes that hold a key of several lines: as it is, and as data holds lines."""
    first, second, third, fourth, fifth, sixth = values
    lower = env.lower()
    return [
        f"The key ({name}):\n\n```\n{first}\n```",
        "\n".join("    " + line for line in second.splitlines()),
        "\n".join("> " + line for line in third.splitlines()),
        f"```json\n{json.dumps({lower: fourth}, indent=1)}\n```",
        f"```yaml\n{lower}: |\n" + "\n".join("  " + line for line in fifth.splitlines()) + "\n```",
        f'{env}="{chr(92) + "n"}"'.replace("\\n", sixth.replace("\n", "\\n")),
    ]
