"""What the browser of these tests is kept from."""

import subprocess
import sys

from tests.browser.service import ROOT

_ASKS = """
import socket
from tests.browser.chromium import refuse_netlink
refuse_netlink()
socket.socket(socket.AF_INET).close()
print("the internet is there")
socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)
"""


def test_changes_of_the_network_are_not_heard_of() -> None:
    """An interface that comes or goes breaks off no request: only the socket that would tell of it is refused."""
    asked = subprocess.run(
        [sys.executable, "-c", _ASKS], cwd=ROOT, capture_output=True, text=True, timeout=30, check=False
    )
    assert asked.stdout.strip() == "the internet is there"
    assert "Address family not supported" in asked.stderr
