"""The registry of projects and their folders (ctxrepo.toml), and the id of a checkout's project."""

import posixpath
import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import field
from itertools import count
from typing import Any
from urllib.parse import unquote

from ctxrepo.domain.formats import toml
from ctxrepo.domain.project.layout import GLOBAL, REGISTRY, RESERVED, shown, unsafe
from ctxrepo.domain.project.policy import is_rule
from ctxrepo.domain.text import blake2b
from ctxrepo.errors import ConfigError
from ctxrepo.lazy import dataclass, lazy_pattern

FORMAT = 1
"""What a new registry says of its format: no other one is known yet."""


@dataclass(frozen=True)
class Registry:
    """`projects` maps project ids to folders, `aliases` other names of projects to their ids; `problem` is
    a line about why the file can't be read, or ''."""

    projects: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    policy: tuple[str, ...] = ()
    """Rules like those of `inbox.policy`, which hold for everybody who has this memory."""

    def canonical(self, project_id: str) -> str:
        """The project's main id; of names that are aliases of each other the lowest."""
        chain: list[str] = []
        while (other := self.aliases.get(project_id)) and project_id not in chain:
            chain.append(project_id)
            project_id = other
        return min(chain[chain.index(project_id) :]) if project_id in chain else project_id

    def folder_of(self, project_id: str) -> str:
        """The folder registered for a project, by any of its names; '' when there is none."""
        return self.projects.get(self.canonical(project_id), "")

    def names_of(self, project_id: str) -> list[str]:
        """The aliases of a project, sorted."""
        own_id = self.canonical(project_id)
        return sorted(name for name in self.aliases if name != own_id and self.canonical(name) == own_id)


def parse(text: str) -> Registry:
    """Read ctxrepo.toml; entries that can't be a project's folder are left out."""
    try:
        tables = toml.read(text)
    except ConfigError as error:
        return Registry(problem=f"{REGISTRY}: {error.message}")
    rules = _table(tables, "policy").get("inbox", [])
    if not isinstance(rules, list) or not all(map(is_rule, rules)):
        wrong = next((rule for rule in rules if not is_rule(rule)), "") if isinstance(rules, list) else rules
        problem = f"inbox in [policy] has {shown(str(wrong), 40)!r}, which is no rule such as project=stage"
        return Registry(problem=f"{REGISTRY}: {problem}")
    return Registry(
        projects={k: v for k, v in _table(tables, "projects").items() if is_folder_name(v)},
        aliases={k: v for k, v in _table(tables, "aliases").items() if isinstance(v, str) and v},
        policy=tuple(rules),
    )


def with_project(text: str, project_id: str, folder: str | None) -> str:
    """Register the project in `folder` (None: unregister it), keeping every other byte of `text`."""
    return _with(text, "projects", project_id, folder)


def with_alias(text: str, name: str, project_id: str | None) -> str:
    """Make `name` an alias of a project (None: no longer), keeping every other byte of `text`."""
    return _with(text, "aliases", name, project_id)


def is_folder_name(name: object) -> bool:
    """Whether a project's folder may have this name: one safe part that isn't reserved."""
    if not isinstance(name, str) or "/" in name or unsafe(name):
        return False
    return name.casefold() not in RESERVED and not name.startswith(".")


def is_global_folder(name: str) -> bool:
    """Whether a folder of this name may hold the notes that hold everywhere."""
    return name == GLOBAL or is_folder_name(name)


def folder_for(
    project_id: str, registry: Registry, folders: Collection[str], others: Collection[str] = ()
) -> str:
    """A folder for a new project: the last part of its id, with `-2`, `-3` … if that is in use, by a file or
    a link of the names `others` too; a folder of exactly that name that no project claims is adopted."""
    last = unicodedata.normalize("NFC", project_id).rstrip("/").rpartition("/")[2].rpartition(":")[2]
    base = re.sub(r"[^\w.@+-]+", "-", last).strip("-. ")[:80].strip("-. ") or "project"
    claimed = {f.casefold() for f in (*registry.projects.values(), *others)}
    existing = {f.casefold() for f in folders}
    if is_folder_name(base) and base.casefold() not in claimed:
        return base
    return next(
        name
        for name in (f"{base}-{n}" for n in count(2))
        if name.casefold() not in claimed | existing and is_folder_name(name)
    )


def rename_links(text: str, old: str, new: str) -> str:
    """Change every link to the folder `old` into one to `new`."""
    return re.sub(rf"\[\[{re.escape(old)}(?=/[^\[\]\n]+\]\])", lambda _: f"[[{new}", text)


def _table(tables: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = tables.get(name)
    return table if isinstance(table, dict) else {}


def _with(text: str, table: str, key: str, value: str | None) -> str:
    from ctxrepo.domain.formats.toml_edit import with_value  # tomlkit costs a start of Python; most only read

    return with_value(text if text.strip() else f"format = {FORMAT}\n", table, key, value)


_DEFAULT_PORTS = dict.fromkeys(("ssh", "git+ssh", "ssh+git"), "22")
_DEFAULT_PORTS |= {"git": "9418", "http": "80", "https": "443", "ftp": "21", "ftps": "990"}
# Where forges answer ssh for those whose network lets only 443 through.
_SAME_HOST = {
    "ssh.github.com:443": "github.com",
    "altssh.gitlab.com:443": "gitlab.com",
    "altssh.bitbucket.org:443": "bitbucket.org",
}

_SHORT = {"gh": "github.com", "gl": "gitlab.com", "bb": "bitbucket.org"}
_AZURE = r"dev.azure.com/\1/\2/\3"
_NAMED_ALIKE = r"dev.azure.com/\1/\2/\2"
# A forge's forms of one address, and what they come to, without regard to case as there.
_FORGES = tuple(
    (lazy_pattern("(?i)" + pattern.replace("PART", "[^/]{1,99}")), to)
    for pattern, to in (
        (r"((?:github|gitlab)\.com|bitbucket\.org|codeberg\.org|gitea\.com)/(.+)", r"\1/\2"),
        (r"dev\.azure\.com/(PART)/(PART)/_git/(PART)", _AZURE),
        (r"dev\.azure\.com/(PART)/_git/(PART)", _NAMED_ALIKE),
        (r"(?:ssh\.dev\.azure|vs-ssh\.visualstudio)\.com/v3/(PART)/(PART)/(PART)", _AZURE),
        (r"([^/.]{1,99})\.visualstudio\.com/(?:DefaultCollection/)?(PART)/_git/(PART)", _AZURE),
        (r"([^/.]{1,99})\.visualstudio\.com/(?:DefaultCollection/)?_git/(PART)", _NAMED_ALIKE),
        (r"([^/:]{1,99}):7999/(PART/PART)", r"\1/\2"),  # Bitbucket on a server of one's own
        (r"([^/:]{1,99})(?::\d+)?/scm/(PART/PART)", r"\1/\2"),
    )
)

_URL = lazy_pattern(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)")
_ANY_HOST = r"\[[0-9A-Fa-f:.%\w]+\]|[\w][\w.-]*"
_AUTHORITY = lazy_pattern(rf"({_ANY_HOST})(?::([0-9]*))?")
# What git reads as user@host:path; a number behind the colon is a port to those who leave the user out.
_SCP = lazy_pattern(rf"({_ANY_HOST}):(?!:)(.*)", re.DOTALL)
_WITH_PORT = lazy_pattern(rf"({_ANY_HOST}):([0-9]{{1,5}})(/.*)", re.DOTALL)
_DRIVE = lazy_pattern(r"[A-Za-z]:[\\/]")
_HEX = lazy_pattern(r"[0-9a-f]{12,64}\Z")
_ROOT, _FOLDER = "root:", "dir:"


def normalise_remote(url: str) -> str:
    """`host/owner/name`, `host:8443/owner/name` or `file/abs/path` for all spellings of a remote, without
    scheme, user, password, query, default port and `.git`; '' for what another checkout can't share: a
    relative path, a word, a transport helper."""
    text = unicodedata.normalize("NFC", url.strip())
    if not text or not text.isprintable():
        return ""
    if match := _URL.match(text):
        scheme, authority, path = match[1].lower(), match[2], unquote(match[3])
        if scheme == "file":
            return _joined("file", path)
        return _joined(_host(authority.rpartition("@")[2], _DEFAULT_PORTS.get(scheme, "")), path)
    if text.startswith("/") or _DRIVE.match(text):
        return _joined("file", text.replace("\\", "/"))
    return _without_scheme(text)


def address_of(remotes: Mapping[str, str]) -> str:
    """The address of the remote that names a project, origin first; '' where none does."""
    ordered = sorted(remotes, key=lambda name: (name != "origin", name))
    return next((remotes[name] for name in ordered if normalise_remote(remotes[name])), "")


def named_id(explicit: str, remotes: Mapping[str, str]) -> str:
    """The project's id by the user's setting, or by a remote, origin first; '' without either."""
    return _explicit(explicit.strip()) if explicit.strip() else normalise_remote(address_of(remotes))


def forge_id(identity: str) -> str:
    """The one form of all ids that a forge's addresses of a repository come to; other ids as they are. It is
    compared, and stored for new projects only: an id that is registered stays."""
    host, _, path = identity.partition("/")
    place = f"{_SHORT.get(host, host.removeprefix('www.'))}/{path}"
    matches = ((pattern.fullmatch(place), to) for pattern, to in _FORGES)
    return next((match.expand(to).casefold() for match, to in matches if match), identity)


def namesakes(identity: str, registry: Registry) -> list[str]:
    """The other projects whose owner and name are the same, wherever they are."""
    own, tail = registry.canonical(identity), forge_id(identity).casefold().split("/")[1:][-2:]
    return [
        name
        for name in sorted(registry.projects)
        if len(tail) == 2 and name != own and forge_id(name).casefold().split("/")[1:][-2:] == tail
    ]


def bare_id(root_commit: str, name: str, place: str = "") -> str:
    """The id of a checkout without a setting or a remote: by its first commit (hex), otherwise by its
    `place`, machine and path, which tells it from other folders of the same `name`."""
    folder = "".join(c for c in name.rstrip("/").rpartition("/")[2] if c.isprintable()).strip() or "unnamed"
    root = root_commit.strip().lower()
    if _HEX.match(root):
        return f"{_ROOT}{root[:12]}/{folder}"
    digest = blake2b(place.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{_FOLDER}{digest}/{folder}"


def is_bare(identity: str) -> bool:
    """Whether an id was made from the checkout itself."""
    return identity.startswith((_ROOT, _FOLDER))


def is_rooted(identity: str, name: str) -> bool:
    """Whether an id was made from the first commit of a checkout with this name."""
    return identity.startswith(_ROOT) and identity.endswith(f"/{name}")


def _explicit(text: str) -> str:
    """The id that the user wrote; a URL is normalised, so that a token in it goes nowhere."""
    before, at, after = text.rpartition("@")
    if "://" not in text and not (at and "/" not in before):
        return text
    return normalise_remote(text) or (after if ":" in before else text)


def _without_scheme(text: str) -> str:
    first, slash, rest = text.partition("/")
    _user, at, place = first.rpartition("@")
    place += slash + rest
    if not at and (match := _WITH_PORT.fullmatch(place)) and int(match[2]) < 65536:
        return _joined(_host(f"{match[1]}:{match[2]}", ""), match[3])
    if match := _SCP.fullmatch(place):
        return _joined(_host(match[1], ""), unquote(match[2]))
    return _joined(_host(place.split("/", 1)[0], ""), rest) if slash else ""


def _host(authority: str, default_port: str) -> str:
    """The normal form of `host` or `host:port`, '' when it is neither."""
    match = _AUTHORITY.fullmatch(authority)
    if not match:
        return ""
    host = match[1].lower().rstrip(".")
    port = (match[2] or "").lstrip("0")
    full = f"{host}:{port}" if port and port != default_port else host
    return _SAME_HOST.get(f"{host}:{port}", full)


def _joined(host: str, path: str) -> str:
    if not host or not path.isprintable():
        return ""
    before, path = "", unicodedata.normalize("NFC", path)
    while path != before:
        before = path
        # From the root, so that no `..` climbs out of it.
        path = posixpath.normpath("/" + "/".join(part.strip() for part in path.split("/"))).strip("/")
        path = path.removesuffix(".git")
    return f"{host}/{path}" if path else ""
