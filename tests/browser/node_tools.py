"""Node and what the library is checked and packed with, installed from `clients/package-lock.json` on first use."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).parents[2]
CLIENTS = ROOT / "clients"
WEB = CLIENTS / "web"
MODULES = CLIENTS / "node_modules"
_INSTALL_S = 300
#: For the modules that use these: their first test installs them or waits for the worker that does, and packing and
#: bundling are programs of their own, which take long on a machine that has much to do.
INSTALLS = pytest.mark.timeout(_INSTALL_S + 120)
_INSTALLED = MODULES / ".package-lock.json"  # npm's own note of what it installed


def program(name: str) -> str:
    """The path of `node` or `npm`; without it the test is skipped, in CI it fails."""
    return shutil.which(name) or _missing(name)


def _missing(name: str) -> NoReturn:
    if os.environ.get("TURNFOLD_REQUIRE_ALL") == "1":
        pytest.fail(f"no {name} on PATH")
    pytest.skip(f"no {name} on PATH")


def run(*words: str | Path, cwd: Path, within_s: int = 120, **environ: str) -> str:
    """Run a program, which must succeed; gives what it printed."""
    path = os.pathsep.join([str(MODULES / ".bin"), os.environ["PATH"]])
    ran = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={**os.environ, "PATH": path, "NO_COLOR": "1", **environ},
        capture_output=True,
        text=True,
        timeout=within_s,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def install_tools() -> None:
    """Make `clients/node_modules` what the lock says; costs nothing where it is that already."""
    npm = program("npm")
    lock = CLIENTS / "package-lock.json"
    with (CLIENTS / "package.json").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # another worker of this test run may be installing
        if not _INSTALLED.exists() or _INSTALLED.stat().st_mtime < lock.stat().st_mtime:
            run(
                npm,
                "ci",
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
                "--silent",
                cwd=CLIENTS,
                within_s=_INSTALL_S,
            )


def packed(directory: Path) -> Path:
    """The library's package, made in a copy, so that the tree stays as it is."""
    install_tools()
    copy = directory / "clients" / "web"
    shutil.copytree(WEB, copy, ignore=shutil.ignore_patterns("types", "node_modules"))
    (directory / "clients" / "node_modules").symlink_to(MODULES)
    run(program("npm"), "pack", "--silent", "--pack-destination", directory, cwd=copy)
    (tarball,) = directory.glob("*.tgz")
    return tarball


def project_with(tarball: Path, directory: Path, *, by_npm: bool = False) -> Path:
    """A user's project with the package in it, and React and its types beside it.

    npm installs it where that is what is tested; elsewhere it is unpacked, which is what npm does, in no time.
    """
    place = directory / "node_modules" / "turnfold-web"
    place.parent.mkdir(parents=True)
    (directory / "package.json").write_text('{"name": "scratch", "private": true, "type": "module"}')
    if by_npm:
        options = ("--silent", "--no-audit", "--no-fund", "--offline", "--legacy-peer-deps")
        run(program("npm"), "install", *options, tarball, cwd=directory)
    else:
        run("tar", "-xzf", tarball, cwd=place.parent)
        (place.parent / "package").rename(place)
    for name in ("react", "react-dom", "@types/react", "csstype"):
        link = directory / "node_modules" / name
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(MODULES / name)
    return directory
