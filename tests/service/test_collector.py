"""The collector's pace is a process's own: what is shown here is shown in another one."""

import subprocess
import sys

PROGRAM = """
import gc, weakref
from service.collector import relax_collector

class Knot: pass

before = gc.get_threshold()
relax_collector()
knot = Knot(); knot.self = knot
gone = weakref.ref(knot)
del knot
held = [[number] for number in range(gc.get_threshold()[0] + 1)]
print(gc.get_threshold()[0] > before[0], gc.isenabled(), gone() is None, gc.get_freeze_count() > 0)
"""


def test_the_collector_looks_seldom_and_still_finds_cycles() -> None:
    """A cycle is freed once enough was made since; what was there at the start is left alone."""
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "True", "True", "True"]
