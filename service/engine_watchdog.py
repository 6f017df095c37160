"""Runs a server that must not outlive its owner. A program of its own: `python engine_watchdog.py SERVER ARG…`.

The owner holds the write end of the pipe that is standard input here. Nothing is ever written to it: when the
owner stops or is killed, at any instant and by any signal, the kernel closes it, and the end of file is the
order to stop. That is also how a clean stop is asked for, so the way that matters is the way that is always used.

1. End of file: SIGTERM to the server, SIGKILL after 30 s.
2. The server ends by itself: this program ends with its status.
3. This program is killed: on Linux the kernel sends SIGTERM to the server (PDEATHSIG, set for this process's only
   thread). PDEATHSIG alone, from the owner, would fire when the *thread* that started the server ends.

Imports stay few: it starts before every `turnfold serve`.
"""

import os
import select
import signal
import sys
import time

_STOP_PATIENCE_S = 30.0
_PR_SET_PDEATHSIG = 1
_STATUS_NOT_STARTED = 127


def _exec_server(arguments: list[str], watchdog: int) -> None:
    try:
        if sys.platform == "linux":
            import ctypes  # noqa: PLC0415 - before every `serve`; here only the child waits for it, its parent watches already

            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
            if os.getppid() != watchdog:  # it was killed before the line above
                os._exit(_STATUS_NOT_STARTED)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.execv(arguments[0], arguments)
    except OSError as error:
        os.write(2, os.fsencode(f"{arguments[0]}: {error.strerror}\n"))
    finally:
        os._exit(_STATUS_NOT_STARTED)


def _has_ended(server: int, wakeup: int, patience_s: float) -> bool:
    """Waits for SIGCHLD, then reaps; False when `patience_s` passed first."""
    deadline = time.monotonic() + patience_s
    while True:
        if os.waitid(os.P_PID, server, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return True
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            return False
        if select.select([wakeup], [], [], left_s)[0]:
            os.read(wakeup, 64)


def _watch(server: int, wakeup: int) -> int:
    while True:
        ready, _, _ = select.select([0, wakeup], [], [])
        if wakeup in ready:
            os.read(wakeup, 64)
        if os.waitid(os.P_PID, server, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            break
        if 0 in ready:
            os.kill(server, signal.SIGTERM)
            if not _has_ended(server, wakeup, _STOP_PATIENCE_S):
                os.kill(server, signal.SIGKILL)
            break
    return os.waitstatus_to_exitcode(os.waitpid(server, 0)[1])


def main(arguments: list[str]) -> int:
    wakeup, wakeup_write = os.pipe()
    os.set_blocking(wakeup_write, False)
    signal.set_wakeup_fd(wakeup_write)
    # A handler must exist for the wakeup descriptor to be written.
    signal.signal(signal.SIGCHLD, lambda *_: None)
    # Whoever stops this process means the server, and the server alone decides when it has stopped.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

    watchdog = os.getpid()
    server = os.fork()
    if server == 0:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        _exec_server(arguments, watchdog)
    return max(_watch(server, wakeup), 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
