"""Ports for what is bound later than it is chosen, or again and again: a service that comes back where it was."""

import random
import re
import socket
from pathlib import Path

#: Chromium takes no page from some below; Linux gives those from 32768 on to whoever asks for any.
_FIRST, _BEHIND = 20_000, 32_768
_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
# Not the tests' own generators: two workers with one seed would choose the same.
_random = random.SystemRandom()


def lasting_port() -> int:
    """A port of loopback that nobody uses at this moment, and that nobody gets who asks for any free one.

    A port that the kernel chose is as good as any for the next who asks, as soon as it is free.
    """
    while True:
        port = _random.choice(_outside(_given_out()))
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:
            continue


def _outside(given_out: range) -> range:
    """Ports that are not given out, below or above; where there are hardly any, the usual ones must do."""
    below, above = range(_FIRST, min(_BEHIND, given_out.start)), range(given_out.stop, 65_536)
    found = max(below, above, key=len)
    return found if len(found) >= 1_000 else range(_FIRST, _BEHIND)


def _given_out() -> range:
    """What the kernel gives to whoever asks for any port."""
    try:
        first, last = map(int, re.findall(r"\d+", _RANGE.read_text(encoding="ascii")))
    except OSError:
        return range(_BEHIND, 65_536)
    return range(first, last + 1)
