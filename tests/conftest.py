"""How every test runs: the profiles of Hypothesis.

``fast`` (the default) tries the same modest number of examples every time; ``nightly``, chosen with
``HYPOTHESIS_PROFILE=nightly``, tries many and new ones.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("fast", max_examples=30, deadline=None, derandomize=True, database=None)
settings.register_profile("nightly", max_examples=2000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))
