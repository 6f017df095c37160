"""`docker-compose.yml`: one command brings up Redis and the service, on this machine alone."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import pytest

from tests.deploy.deployed import HEALTHY_WITHIN_S, SECRET, TURN, Deployed, healthy, inspected
from tests.docker_engine import docker
from tests.ports import lasting_port
from tests.waiting import wait_until

# The first of them waits for the images.
pytestmark = pytest.mark.timeout(600)
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Project:
    """A project of the file, with this test's images and port."""

    program: tuple[str, ...]
    name: str
    environ: dict[str, str]
    deployed: Deployed

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `docker compose` with these arguments."""
        command = [*self.program, "--project-name", self.name, *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=self.environ, capture_output=True, text=True, timeout=120, check=False
        )

    def did(self, *arguments: str) -> str:
        """Run it, and fail the test when it fails; returns what it printed."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def container(self, service: str) -> str:
        """The id of a service's container, running or not."""
        return docker(
            *("ps", "--all", "--quiet", "--filter", f"label=com.docker.compose.project={self.name}"),
            *("--filter", f"label=com.docker.compose.service={service}"),
        )


def compose_program() -> tuple[str, ...]:
    """`docker compose`, or the program that came before it."""
    plugin = ("docker", "compose")
    if subprocess.run([*plugin, "version"], capture_output=True, check=False).returncode == 0:
        return plugin
    if shutil.which("docker-compose") is None:
        pytest.skip("neither `docker compose` nor docker-compose is installed")
    return ("docker-compose",)


@pytest.fixture
def project(service_image: str, redis_image: str) -> Iterator[Project]:
    """A project that is not up yet; whatever it left is removed at the end."""
    port = lasting_port()
    made = Project(
        program=compose_program(),
        name=f"turnfold-test-{token_hex(4)}",
        environ={
            **os.environ,
            "TURNFOLD_JWT_SECRET": SECRET,
            "PORT": str(port),
            "SERVICE_IMAGE": service_image,
            "REDIS_IMAGE": redis_image,
        },
        deployed=Deployed(port),
    )
    yield made
    made.did("down", "--volumes", "--timeout", "1")


async def test_project_is_healthy_within_a_minute_and_keeps_its_sessions_over_a_stop(
    project: Project,
) -> None:
    """Events in, a snapshot out; both containers stop cleanly; the append-only file brings the sessions back."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    project.did("up", "--detach", "--no-build")
    await healthy(project.container("turnfold"))
    assert loop.time() - began < HEALTHY_WITHIN_S
    await project.deployed.append("s1", *TURN)
    assert await project.deployed.texts_of("s1") == ["Three."]

    project.did("stop")
    ended = {name: inspected(project.container(name))["State"]["ExitCode"] for name in ("turnfold", "redis")}
    assert ended == {"turnfold": 0, "redis": 0}

    project.did("up", "--detach", "--no-build")
    await healthy(project.container("turnfold"))
    assert await project.deployed.texts_of("s1") == ["Three."]


async def test_service_goes_on_after_a_killed_redis(project: Project) -> None:
    """R-12, with the append-only file always in step: nothing that was accepted is lost, and the process stays."""
    project.did("up", "--detach", "--no-build")
    await healthy(project.container("turnfold"))
    await project.deployed.append("s1", *TURN)
    docker("kill", "--signal", "KILL", project.container("redis"))
    docker("start", project.container("redis"))

    await wait_until(project.deployed.is_ready, "the service is ready again", within_s=HEALTHY_WITHIN_S)
    service = project.container("turnfold")
    assert inspected(service)["RestartCount"] == 0, docker("logs", service)
    await project.deployed.append("s1", {"type": "turn/start", "turn": 2})
    assert await project.deployed.texts_of("s1") == ["Three."]


async def test_project_is_published_on_loopback_alone_and_hardened(project: Project) -> None:
    """Redis on no port at all; both as users other than root, without capabilities, on a read-only root file system."""
    project.did("up", "--detach", "--no-build")
    service, redis = (inspected(project.container(name)) for name in ("turnfold", "redis"))
    published = {"8420/tcp": [{"HostIp": "127.0.0.1", "HostPort": str(project.deployed.port)}]}
    assert service["HostConfig"]["PortBindings"] == published
    assert not redis["HostConfig"]["PortBindings"]
    for one in (service, redis):
        assert one["HostConfig"]["ReadonlyRootfs"]
        assert one["HostConfig"]["CapDrop"] == ["ALL"]
        assert one["HostConfig"]["SecurityOpt"] == ["no-new-privileges:true"]
        assert one["Config"]["User"] not in ("", "0", "root")


def test_project_without_a_secret_says_which(project: Project, tmp_path: Path) -> None:
    """R-16: whoever reaches the port needs a token, so there is no default."""
    (tmp_path / "empty").touch()
    del project.environ["TURNFOLD_JWT_SECRET"]
    refused = project.run("--env-file", str(tmp_path / "empty"), "up", "--detach", "--no-build")
    project.environ["TURNFOLD_JWT_SECRET"] = SECRET
    assert refused.returncode != 0
    assert "TURNFOLD_JWT_SECRET" in refused.stderr
    assert "openssl rand -hex 32" in refused.stderr
    assert project.container("redis") == ""
