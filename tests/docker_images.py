"""The images of the tests: pulled where the engine can, else made on this machine from Debian's packages.

What is made here goes with the test run.
"""

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from secrets import token_hex

import pytest

from tests.docker_engine import DockerEngine, docker

ROOT = Path(__file__).parents[1]
PULLED_BASE, PULLED_REDIS = "python:3.11-slim", "redis:7"
#: Like the public image: a directory for the data that a volume takes the owner from, and the server as its command.
REDIS_STEPS = """
RUN install --directory --owner redis --group redis /data
VOLUME /data
WORKDIR /data
CMD ["redis-server"]
"""


@pytest.fixture(scope="session")
def local_base(docker_engine: DockerEngine) -> Iterator[str | None]:
    """The name of a base image that was made here; None where images can be pulled."""
    if not docker_engine.is_private and _is_there(PULLED_BASE) and _is_there(PULLED_REDIS):
        yield None
        return
    if shutil.which("debootstrap") is None or os.geteuid() != 0:
        pytest.skip("no image can be pulled, and none can be made: that takes root and debootstrap")
    with _image(docker_engine, "base") as name:
        done = subprocess.run(
            [ROOT / ".ci" / "make-base-image", name], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            pytest.skip(f"no image can be pulled, and none can be made: {done.stderr.strip()[-500:]}")
        yield name


@pytest.fixture(scope="session")
def redis_image(docker_engine: DockerEngine, local_base: str | None) -> Iterator[str]:
    """An image whose command is Redis 7."""
    if local_base is None:
        yield PULLED_REDIS
        return
    with _image(docker_engine, "redis") as name:
        docker("build", "--tag", name, "-", said=f"FROM {local_base}{REDIS_STEPS}")
        yield name


@pytest.fixture(scope="session")
def service_image(
    docker_engine: DockerEngine, local_base: str | None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The service's own image, built by `deploy/Dockerfile` from this tree."""
    build = ["build", "--file", str(ROOT / "deploy" / "Dockerfile")]
    with _image(docker_engine, "service") as name:
        if local_base is None:
            docker(*build, "--tag", name, str(ROOT))
        else:
            with _wheels(tmp_path_factory.mktemp("wheels")) as address:
                where = ("--build-arg", f"PIP_FIND_LINKS={address}", "--build-arg", "PIP_NO_INDEX=1")
                base = ("--build-arg", f"BASE={local_base}", "--network", "host")
                docker(*build, *base, *where, "--tag", name, str(ROOT))
        yield name


@contextmanager
def _image(engine: DockerEngine, purpose: str) -> Iterator[str]:
    """A name for an image; what has it at the end is removed, unless the engine goes as a whole."""
    name = f"turnfold-test-{purpose}:{token_hex(4)}"
    try:
        yield name
    finally:
        if not engine.is_private and docker("images", "--quiet", name):
            docker("image", "rm", "--force", name)


def _is_there(image: str) -> bool:
    """Whether the engine has the image, or gets it now."""
    commands = (["docker", "image", "inspect", image], ["docker", "pull", "--quiet", image])
    return any(subprocess.run(one, capture_output=True, check=False).returncode == 0 for one in commands)


@contextmanager
def _wheels(directory: Path) -> Iterator[str]:
    """The locked wheels, as this machine's pip gets them, on a page of loopback for the length of the block.

    A build knows neither this machine's index nor its certificates; the lock's hashes make it all one where a
    wheel comes from. Every entry, whatever its marker: the image's Python is not this one.
    """
    lock = directory / "requirements.txt"
    lock.write_text(re.sub(r" ; [^\\\n]*", " ", (ROOT / "requirements.txt").read_text()))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "download", "--no-input"]
    which = ["--require-hashes", "--no-deps", "--only-binary", ":all:", "--python-version", "3.11"]
    subprocess.run([*pip, *which, "--dest", directory, "--requirement", lock], check=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(directory)))
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Say nothing of the files that were asked for."""
