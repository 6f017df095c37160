"""A running `serve` for browser tests: one process on a free port, over a directory of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import httpx

from tests.browser.patience import HTTP_S, SERVICE_S
from tests.ports import lasting_port

ROOT = Path(__file__).parents[2]
PROGRAM = (
    "import os, sys; from api.serve import serve; from service.settings import read_settings; "
    "sys.exit(serve(read_settings(os.environ), announce=lambda line: print(line, flush=True)))"
)
READY = "Turnfold is ready at "
Event = Mapping[str, object]


class Service:
    """A service process; `stop` and `start` again keep its address and what it holds."""

    def __init__(self, directory: Path, **environ: str) -> None:
        self._directory = directory
        self._environ = environ
        self._port = str(lasting_port())
        self._process: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self) -> None:
        """Returns once requests are answered."""
        variables = {"TURNFOLD_DATA_DIR": str(self._directory), "TURNFOLD_PORT": self._port}
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            cwd=ROOT,
            env={**os.environ, "TURNFOLD_WAIT_MS": str(SERVICE_S * 1000), **self._environ, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._process = process
        try:
            self._await_ready(process)
        except BaseException:
            self.stop()  # a test that ran out of time leaves no process behind
            raise

    def _await_ready(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(READY):
                self.address = line.removeprefix(READY).strip().rstrip("/")
                return
        raise AssertionError(f"the service ended with {process.wait()} before it was ready")

    def stop(self) -> None:
        """Returns once the process is gone."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        self._process.communicate(timeout=20)
        self._process = None

    def kill(self) -> None:
        """End the process as a power cut would: nothing is said to anybody, nothing is finished."""
        if self._process is None:
            return
        self._process.kill()
        self._process.communicate(timeout=20)
        self._process = None

    def append(self, session: str, *events: Event, headers: Mapping[str, str] | None = None) -> None:
        """Append events to a session, as a producer would; returns once whoever asks now sees all of them."""
        answer = httpx.post(
            f"{self.address}/v1/sessions/{session}/events",
            params={"wait": "projected"},
            json=list(events),
            headers=headers,
            timeout=HTTP_S,
        )
        assert answer.status_code == 200, answer.text

    def preferences(self) -> dict[str, object]:
        """What is preferred, by everybody where nobody has a name."""
        answer = httpx.get(f"{self.address}/v1/preferences", timeout=HTTP_S)
        answer.raise_for_status()
        found: dict[str, object] = answer.json()
        return found

    def prefer(self, **changes: object) -> None:
        """Change what is preferred, as another window would; None is the default."""
        answer = httpx.patch(f"{self.address}/v1/preferences", json=changes, timeout=HTTP_S)
        assert answer.is_success, answer.text
