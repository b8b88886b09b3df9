"""One environment in, every path out."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxrepo.errors import ConfigError
from ctxrepo.storage.user.places import Places


def test_defaults_lie_below_the_home_folder() -> None:
    places = Places.of({"HOME": "/h"})
    assert places.home == Path("/h/.ctxrepo")
    assert places.config_file == Path("/h/.config/ctxrepo/config.toml")
    assert places.state == Path("/h/.local/state/ctxrepo")
    assert not places.home_is_explicit


def test_each_variable_moves_its_own_place_and_no_other() -> None:
    env = {"HOME": "/h", "XDG_STATE_HOME": "/s", "CTXREPO_HOME": "~/m", "CTXREPO_CONFIG": "/c/x.toml"}
    places = Places.of(env)
    assert (places.home, places.home_is_explicit) == (Path("/h/m"), True)
    assert (places.state, places.config_dir) == (Path("/s/ctxrepo"), Path("/c"))
    assert Places.of({**env, "CTXREPO_STATE": "/t"}).state == Path("/t")


def test_a_relative_place_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="CTXREPO_STATE is 'here'"):
        Places.of({"HOME": "/h", "CTXREPO_STATE": "here"})


def test_the_host_is_named_once(tmp_path: Path) -> None:
    places = Places.of({"HOME": str(tmp_path)})
    assert places.host() == places.host()
    assert places.host()[-5] == "-"
    other = Places.of({"HOME": str(tmp_path / "other")})
    assert other.host() != places.host()


def test_dotfiles_that_bring_the_settings_to_two_machines_give_them_no_name(tmp_path: Path) -> None:
    names = []
    for machine in ("laptop", "desktop"):
        places = Places.of({"HOME": str(tmp_path / machine), "XDG_CONFIG_HOME": str(tmp_path / "dotfiles")})
        places.config_dir.mkdir(parents=True, exist_ok=True)
        names.append(places.host())
    assert len({*names}) == 2
    assert not [*places.config_dir.iterdir()]


def test_a_mangled_host_file_is_said(tmp_path: Path) -> None:
    places = Places.of({"HOME": str(tmp_path)})
    places.state.mkdir(parents=True)
    places.host_file.write_text("../../etc")
    with pytest.raises(ConfigError, match="not a host name"):
        places.host()
