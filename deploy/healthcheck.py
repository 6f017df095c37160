"""The image's health check: exit code 0 when the service in this container answers `/livez`, else 1.

Liveness and not readiness: whatever restarts an unhealthy container must not restart a service that works off a
backlog or waits for its Redis; a load balancer asks `/readyz`. At its start the service answers nothing before it has
reached its store, so a container that becomes healthy takes events.
"""

import os
import sys
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address

#: Below the timeout in the Dockerfile.
_PATIENCE_S = 4.0


def reachable(host: str) -> str:
    """Where a service that binds `host` answers: what is bound to every address answers on loopback too."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if not address.is_unspecified:
        return host
    return "127.0.0.1" if address.version == 4 else "::1"


def complaint() -> str | None:
    """What is wrong with the service that this environment describes; None when it is alive."""
    host = os.environ.get("TURNFOLD_HOST") or "127.0.0.1"
    port = int(os.environ.get("TURNFOLD_PORT") or 8420)
    path = os.environ.get("TURNFOLD_BASE_PATH", "") + "/livez"
    connection = HTTPConnection(reachable(host), port, timeout=_PATIENCE_S)
    try:
        connection.request("GET", path)
        status = connection.getresponse().status
    except (OSError, HTTPException) as error:
        return str(error) or type(error).__name__
    finally:
        connection.close()
    return None if status == 200 else f"{path} answers {status}"


if __name__ == "__main__":
    wrong = complaint()
    if wrong is not None:
        print(f"not alive: {wrong}")
    sys.exit(wrong is not None)
