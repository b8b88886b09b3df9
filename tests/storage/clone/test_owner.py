from __future__ import annotations

import shutil

import pytest
from machines import Machine
from needs import needs_root

from ctxrepo.errors import RepositoryState
from ctxrepo.storage.clone.clone import require_owner


@needs_root
def test_a_clone_of_another_user_is_refused_unless_one_trusts_it(ada: Machine) -> None:
    ada.init()
    ada.open()
    shutil.chown(ada.clone / ".git", 4711)
    with pytest.raises(RepositoryState, match="belongs to another user"):
        require_owner(ada.clone, ada.env)
    ada.git("config", "--global", "safe.directory", str(ada.clone))
    require_owner(ada.clone, ada.env)
