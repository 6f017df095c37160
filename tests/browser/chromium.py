#!/usr/bin/env python3
"""Chromium that does not hear of the machine's network: a program to launch in its place.

Chromium breaks off every request, those to this very machine too, when any interface of the machine gets or loses an
address (ERR_NETWORK_CHANGED). Docker makes and removes interfaces while other tests run. It has no switch for that; so
the kernel is told to refuse it the socket by which it would hear (`AF_NETLINK`), and it takes
the network to be as it was.
"""

import ctypes
import os
import shutil
import struct
import sys
from pathlib import Path

# <linux/prctl.h>, <linux/seccomp.h>, <linux/audit.h>: by machine, its name there and the number of `socket`.
_NO_NEW_PRIVS, _SECCOMP, _FILTER = 38, 22, 2
_ARCHITECTURES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
_AF_NETLINK = 16
_EAFNOSUPPORT = 97
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | _EAFNOSUPPORT


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def path_of_chromium() -> str | None:
    """Where the system's Chromium is."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def refuse_netlink() -> None:
    """For this process and those that it starts; without effect on a machine of another kind."""
    known = _ARCHITECTURES.get(os.uname().machine)
    if known is None:
        return
    architecture, socket = known
    steps = [
        (_LOAD, 0, 0, 4),
        (_IF_EQUAL, 0, 5, architecture),
        (_LOAD, 0, 0, 0),
        (_IF_EQUAL, 0, 3, socket),
        (_LOAD, 0, 0, 16),
        (_IF_EQUAL, 0, 1, _AF_NETLINK),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = _Program(len(steps), ctypes.addressof(code))
    libc = ctypes.CDLL(None)
    libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(_SECCOMP, _FILTER, ctypes.byref(program), 0, 0)


STILL = str(Path(__file__).resolve())

if __name__ == "__main__":
    path = path_of_chromium()
    assert path is not None
    refuse_netlink()
    os.execv(path, [path, *sys.argv[1:]])
