"""pi-memory-md's own repository as the memory, where there is none yet: what `init` would take over."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ctxrepo.lazy import dataclass
from ctxrepo.services.imports.pi_memory_md import NAME
from ctxrepo.services.imports.plan import ImportPlan, PlannedSetting
from ctxrepo.services.imports.values import NotTaken, SourceSetting
from ctxrepo.services.repository.init import adoptable
from ctxrepo.storage.user.config import read_settings
from ctxrepo.storage.user.places import Places


@dataclass(frozen=True)
class AdoptionPlan(ImportPlan):
    """The repository is served where it is, and no note is copied."""

    @property
    def changes(self) -> bool:
        return True


def adoption_plan(places: Places, env: Mapping[str, str]) -> AdoptionPlan | None:
    """What `init` would take over from pi's settings; None where it would take over nothing."""
    adoption = adoptable(places, env, read_settings(places.config_file))
    found = adoption.repository
    if found is None:
        return None
    wanted = [("repository.path", found.path)]
    wanted += [("repository.remote", adoption.url)] if adoption.url else []
    wanted += [("repository.global_folder", found.global_folder)]
    reason = f"{adoption.source.name} of pi says so"
    settings = [PlannedSetting(SourceSetting(key, value, reason), "") for key, value in wanted]
    told = [NotTaken(*_parted(line, adoption.source)) for line in adoption.warnings]
    return AdoptionPlan(NAME, found.path, (), settings=tuple(settings), not_taken=tuple(told))


def _parted(line: str, source: Path) -> tuple[str, str]:
    """A warning as what it is about and what it says."""
    return source.name, line.removeprefix(f"{source}: ")
