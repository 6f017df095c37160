"""The garbage collector's pace in a process that holds folds: seldom, and never over what was there at the start.

A batch makes tens of thousands of small objects, and counting frees all of them but for the rare cycle (a traceback, a
cancelled task). Python's own pace, a look every 700 objects, finds nothing and takes a fifth of the projector's time.
"""

import gc
from typing import Final

# New objects before the first look: about what one batch of a backlog makes, some MB at most.
_FIRST: Final = 50_000
_SECOND, _THIRD = 20, 20


def relax_collector() -> None:
    """Look seldom from now on; what is there already, modules and settings, is never looked at again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_FIRST, _SECOND, _THIRD)
