from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ctxrepo.domain.project.registry import (
    Registry,
    bare_id,
    forge_id,
    is_bare,
    is_rooted,
    named_id,
    namesakes,
    normalise_remote,
)

SAME = [
    "https://github.com/Ada/Engine",
    "https://github.com/Ada/Engine.git",
    "https://github.com/Ada/Engine.git/",
    "https://github.com/Ada/Engine/",
    "https://github.com//Ada//Engine//",
    "https://ada@github.com/Ada/Engine.git",
    "https://ada:t0ken@GitHub.COM/Ada/Engine.git/",
    "https://ada:p%40ss@github.com:443/Ada/Engine",
    "https://x-access-token:t0ken@github.com/Ada/Engine.git?access_token=t0ken#readme",
    "http://github.com:80/Ada/Engine",
    "HTTPS://github.com.:443/Ada/Engine",
    "ssh://git@github.com/Ada/Engine.git",
    "ssh://git@github.com:22/Ada/Engine",
    "ssh://git@ssh.github.com:443/Ada/Engine.git",
    "git+ssh://git@github.com/Ada/Engine.git",
    "git://github.com/Ada/Engine.git",
    "git://github.com:9418/Ada/Engine.git",
    "git@github.com:Ada/Engine.git",
    "git@github.com:/Ada/Engine.git",
    "github.com:Ada/Engine",
    "GitHub.com:Ada/Engine.git/",
    "github.com/Ada/Engine",
    "  https://github.com/Ada/Engine\n",
    "https://github.com/Ada/Eng%69ne",
    "https://github.com/Ada/./other/../Engine",
]


@pytest.mark.parametrize("url", SAME)
def test_all_spellings_of_a_remote_are_one(url: str) -> None:
    assert normalise_remote(url) == "github.com/Ada/Engine"


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("https://git.example.org:8443/owner/name.git", "git.example.org:8443/owner/name"),
        ("ssh://git@git.example.org:2222/owner/name", "git.example.org:2222/owner/name"),
        ("ssh://git@git.example.org:443/owner/name", "git.example.org:443/owner/name"),
        ("https://git.example.org:/owner/name", "git.example.org/owner/name"),
        ("git.example.org:8443/owner/name", "git.example.org:8443/owner/name"),
        ("git@host:8443/name", "host/8443/name"),
        ("host:99999/name", "host/99999/name"),
        ("work-github:owner/name.git", "work-github/owner/name"),
        ("git@host:name.git", "host/name"),
        ("git@host:~ada/name.git", "host/~ada/name"),
        ("https://git.sr.ht/%7Eada/name", "git.sr.ht/~ada/name"),
        ("https://gitlab.com/group/sub/sub2/name.git", "gitlab.com/group/sub/sub2/name"),
        ("git@gitlab.com:group/sub/name.git", "gitlab.com/group/sub/name"),
        ("https://org@dev.azure.com/org/My%20Project/_git/repo", "dev.azure.com/org/My Project/_git/repo"),
        ("git@ssh.dev.azure.com:v3/org/My%20Project/repo", "ssh.dev.azure.com/v3/org/My Project/repo"),
        ("https://host/Owner/NAME.git", "host/Owner/NAME"),
        ("https://host/owner/name.git.git", "host/owner/name"),
        ("https://host/owner/my.github", "host/owner/my.github"),
        ("https://[2001:DB8::1]/owner/name", "[2001:db8::1]/owner/name"),
        ("ssh://git@[::1]:2222/owner/name.git", "[::1]:2222/owner/name"),
        ("ssh://git@[::1]:22/owner/name.git", "[::1]/owner/name"),
        ("git@[::1]:owner/name.git", "[::1]/owner/name"),
        ("https://host/../../etc/passwd", "host/etc/passwd"),
        ("file:///srv/git/name.git", "file/srv/git/name"),
        ("file://localhost/srv/git/name.git/", "file/srv/git/name"),
        ("/srv/git/name.git", "file/srv/git/name"),
        ("/srv/git/name.git/", "file/srv/git/name"),
        ("/srv/git/../git/./name/.git", "file/srv/git/name"),
        ("/srv/git/Re\u0301sume\u0301", "file/srv/git/Résumé"),
        ("C:\\git\\name.git", "file/C:/git/name"),
        ("user:t0ken@host/owner/name", "host/owner/name"),
    ],
)
def test_what_makes_a_difference_is_kept(url: str, normal: str) -> None:
    assert normalise_remote(url) == normal
    assert normalise_remote(normal) == normal


@pytest.mark.parametrize(
    "url",
    [
        "",
        " ",
        "origin",
        "not a url",
        "../sibling",
        "./name",
        "~/src/name",
        "/",
        "/.git",
        "https://",
        "https://host",
        "https://host/",
        "https://user:tok@/owner/name",
        "host:",
        "git@:owner/name",
        "-oProxyCommand=x:owner/name",
        "ssh://-oProxyCommand=x/owner/name",
        "ext::sh -c whoami",
        "gcrypt::ssh://host/name",
        "https://ho st/owner/name",
        "https://host/owner/na%0Ame",
        "host:owner/\x1b[2J",
        "https://user:pa/ss@host/owner/name",
    ],
)
def test_what_names_no_shared_place_is_nothing(url: str) -> None:
    assert normalise_remote(url) == ""


FORMS = {
    "github.com/ada/shop": [
        "https://github.com/Ada/Shop.git",
        "gh:ada/shop",
        "git@github.com:ADA/shop",
        "ssh://git@ssh.github.com:443/ada/Shop.git",
        "https://www.github.com/ada/shop/",
    ],
    "gitlab.com/group/sub/shop": [
        "https://gitlab.com/Group/Sub/shop",
        "ssh://git@altssh.gitlab.com:443/group/sub/shop.git",
        "gl:group/sub/shop",
    ],
    "bitbucket.org/ada/shop": ["https://ada@bitbucket.org/Ada/shop.git", "git@bitbucket.org:ada/shop.git"],
    "codeberg.org/ada/shop": ["https://codeberg.org/Ada/Shop", "ssh://git@codeberg.org/ada/shop.git"],
    "dev.azure.com/org/my shop/till": [
        "https://dev.azure.com/org/My%20Shop/_git/till",
        "https://org@dev.azure.com/Org/My%20Shop/_git/till",
        "git@ssh.dev.azure.com:v3/org/My%20Shop/till",
        "https://org.visualstudio.com/DefaultCollection/My%20Shop/_git/till",
        "org@vs-ssh.visualstudio.com:v3/org/My%20Shop/till",
    ],
    "dev.azure.com/org/till/till": [
        "https://dev.azure.com/org/_git/till",
        "https://org.visualstudio.com/_git/till",
    ],
    "git.corp.example/shop/till": [
        "ssh://git@git.corp.example:7999/SHOP/till.git",
        "https://git.corp.example/scm/shop/till.git",
        "https://git.corp.example:8443/scm/SHOP/till.git",
    ],
}


@pytest.mark.parametrize(
    ("name", "url"), [(identity, url) for identity, urls in FORMS.items() for url in urls]
)
def test_a_forges_forms_of_one_address_come_to_one(name: str, url: str) -> None:
    assert forge_id(normalise_remote(url)) == name
    assert forge_id(name) == name


@pytest.mark.parametrize(
    "identity", ["host/Owner/Name", "www.host.org/a/b", "root:abc/shop", "shop", "", "file/x"]
)
def test_other_ids_have_one_form_only(identity: str) -> None:
    assert forge_id(identity) == identity


def test_projects_of_one_owner_and_name_are_told_of_each_other() -> None:
    registry = Registry(projects={"github.com/ada/shop": "shop", "host/ada/till": "till", "dir:a/shop": "x"})
    assert namesakes("work/Ada/shop", registry) == ["github.com/ada/shop"]
    assert namesakes("github.com/ada/shop", registry) == []
    assert namesakes("github.com/ben/shop", registry) == []
    assert namesakes("shop", registry) == []


_label = st.from_regex(r"[a-z][a-z0-9-]{0,10}[a-z0-9]", fullmatch=True)
_host = st.lists(_label, min_size=1, max_size=3).map(".".join)
_part = st.from_regex(r"[A-Za-z_~][A-Za-z0-9_ é.~+-]{0,12}[A-Za-z0-9_é]", fullmatch=True).filter(
    lambda part: not part.endswith(".git")
)
_secret = st.text("abcXYZ019!$&'()*+,;=%@:", min_size=8, max_size=20)


@given(_host, _part, _part, _secret, st.data())
def test_generated_spellings_are_equal_and_hold_no_credential(
    host: str, owner: str, name: str, secret: str, data: st.DataObject
) -> None:
    assume(host not in ("ssh.github.com", "altssh.gitlab.com", "altssh.bitbucket.org", "file"))
    case = data.draw(st.sampled_from([str.lower, str.upper, str.title]))
    tail = data.draw(st.sampled_from(["", "/", ".git", ".git/", ".git//"]))
    user = data.draw(st.sampled_from(["", "git@", "ada@"]))
    password = data.draw(
        st.sampled_from(["", f"ada:{quote(secret, safe='')}@", f"{quote(secret, safe='')}@"])
    )
    encoded = f"{quote(owner)}/{quote(name)}{tail}"
    spellings = [
        f"https://{password or user}{case(host)}/{encoded}",
        f"https://{password or user}{case(host)}:443/{encoded}",
        f"http://{case(host)}/{encoded}",
        f"ssh://{user}{case(host)}:22/{encoded}",
        f"ssh://{user}{case(host)}/{encoded}",
        f"git://{case(host)}/{encoded}",
        f"git@{case(host)}:{owner}/{name}{tail}",
        f"{case(host)}:{owner}/{name}{tail}",
        f"{case(host)}/{owner}/{name}{tail}",
    ]
    assert {normalise_remote(url) for url in spellings} == {f"{host}/{owner}/{name}"}
    assert normalise_remote(f"https://{password}{host}:8443/{encoded}") == f"{host}:8443/{owner}/{name}"


@given(
    st.one_of(
        st.text(max_size=40),
        st.text("abC019.:/@[]%~-_ \\?#", max_size=40),
        st.builds(
            "{}://{}".format,
            st.sampled_from(["ssh", "https", "file"]),
            st.text("aB0.:/@[]%2Fgit ", max_size=30),
        ),
    )
)
def test_what_is_normal_stays_so(url: str) -> None:
    normal = normalise_remote(url)
    assert normalise_remote(normal) == normal
    assert "@" not in normal.split("/", 1)[0]
    assert normal.isprintable()
    assert not normal.endswith(("/", ".git"))


def test_what_a_person_set_comes_before_origin_and_origin_before_other_remotes() -> None:
    remotes = {"acme": "git@host:acme/name", "origin": "https://t0ken@host/ada/name.git"}
    assert named_id("acme/shop", remotes) == "acme/shop"
    assert named_id("", remotes) == "host/ada/name"
    assert named_id(" ", {"fork": "host:b/name", "acme": "host:a/name"}) == "host/a/name"
    assert named_id("", {"origin": "../name", "z": "host:b/name"}) == "host/b/name"
    assert named_id("", {"origin": "../name"}) == named_id("", {}) == ""


def test_without_a_name_the_first_commit_tells_and_else_the_place() -> None:
    root = "0123456789abcdef0123456789abcdef01234567"
    assert bare_id(root.upper(), "/home/ada/name/", "any") == "root:0123456789ab/name"
    here, there = bare_id("", "name", "host:/a/name"), bare_id("no commit yet", "name", "host:/b/name")
    assert here.startswith("dir:")
    assert here.endswith("/name")
    assert here != there
    assert bare_id("", "").endswith("/unnamed")


def test_it_tells_what_kind_of_name_it_is() -> None:
    assert is_bare("root:0123456789ab/name")
    assert is_bare(bare_id("", "name", "x"))
    assert not is_bare("host/owner/name")
    assert is_rooted("root:0123456789ab/name", "name")
    assert not is_rooted("root:0123456789ab/other-name", "name")
    assert not is_rooted("host/owner/name", "name")


@pytest.mark.parametrize(
    "explicit", ["dir:name", "root:0123456789ab/name", "acme", "host/owner/name", "team:shop", "shop@team"]
)
def test_what_the_user_names_is_taken_as_it_is(explicit: str) -> None:
    assert named_id(explicit, {"origin": "host:a/b"}) == explicit


def test_a_url_as_explicit_name_loses_its_credentials() -> None:
    assert named_id("https://ada:t0ken@host/owner/name.git", {}) == "host/owner/name"
    assert named_id("git@host:owner/name.git", {}) == "host/owner/name"
    assert named_id("https://ada:t0/ken@host/owner", {}) == "host/owner"
    assert named_id("ada:t0ken@host", {}) == "host"


@given(st.text(max_size=30), st.text(max_size=30), st.text("0123456789abcdef", max_size=40))
def test_there_is_always_an_identity(name: str, url: str, root: str) -> None:
    identity = named_id("", {"origin": url}) or bare_id(root, name, url)
    assert identity
    assert identity.isprintable()
    assert not identity.endswith("/")
