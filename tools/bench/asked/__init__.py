"""Questions about past sessions as people ask them: how often the session is found and the decision shown."""

from bench.asked.measure import main as main
