"""A memory program's own repository as the memory, where there is none yet: what `init` would take over."""

from collections.abc import Mapping

from ctxrepo.agents.known import AGENTS
from ctxrepo.agents.sources import NotTaken, SourceSetting
from ctxrepo.lazy import dataclass
from ctxrepo.services.imports.destination import ImportPlan, PlannedSetting
from ctxrepo.services.repository.init import adoptable
from ctxrepo.storage.user.config import read_settings
from ctxrepo.storage.user.places import Places


@dataclass(frozen=True)
class AdoptionPlan(ImportPlan):
    """The repository is served where it is, and no note is copied."""

    @property
    def changes(self) -> bool:
        return True


def adoption_plan(places: Places, env: Mapping[str, str], program: str) -> AdoptionPlan | None:
    """What `init` would take over from an agent's settings for this program; None where that is nothing."""
    adoption = adoptable(places, env, read_settings(places.config_file))
    repository = adoption.repository
    if repository is None or adoption.program != program:
        return None
    values = [("repository.path", repository.path)]
    values += [("repository.remote", adoption.url)] if adoption.url else []
    values += [("repository.global_folder", repository.global_folder)]
    reason = f"{adoption.source.name} of {AGENTS[adoption.agent].title} says so"
    settings = [PlannedSetting(SourceSetting(key, value, reason), "") for key, value in values]
    not_taken = [
        NotTaken(adoption.source.name, line.removeprefix(f"{adoption.source}: "))
        for line in adoption.warnings
    ]
    return AdoptionPlan(program, repository.path, (), settings=tuple(settings), not_taken=tuple(not_taken))
