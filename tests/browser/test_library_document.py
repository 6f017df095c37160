"""docs/browser-library.md as its readers use it: each example as it stands there, each table against the source."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import jwt
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.node_tools import INSTALLS, MODULES, ROOT, WEB, packed, program, project_with, run
from tests.browser.patience import HTTP_S
from tests.browser.service import Service
from tests.browser.site import Site, serving_site
from tests.browser.transcript_page import turn_end, turn_with_tool

pytestmark = INSTALLS

DOCUMENT = (ROOT / "docs" / "browser-library.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8420"
SECRET = "a secret of more than thirty-two bytes"


def example(language: str, number: int = 0) -> str:
    """A fenced block of the page."""
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", DOCUMENT, re.DOTALL)
    return found[number]


def table(first: str) -> list[list[str]]:
    """The rows of the table whose heading begins with a word."""
    lines = DOCUMENT.split(f"| {first} |", 1)[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reader's project with the package installed."""
    directory = tmp_path_factory.mktemp("library")
    return project_with(packed(directory), directory / "project")


@pytest.fixture(scope="module")
def site(project: Path) -> Iterator[Site]:
    """The project's folder, served."""
    with serving_site(project) as served:
        yield served


@pytest.fixture(scope="module")
def service(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that lets the project's pages in."""
    running = Service(tmp_path_factory.mktemp("service"), TURNFOLD_ALLOWED_ORIGINS=site.address)
    running.start()
    site.bind(running.address)
    yield running
    running.stop()


def test_the_page_in_ten_lines_works(page: Page, project: Path, site: Site, service: Service) -> None:
    """Under a strict policy, on another origin than the service's: a click shows a session, which folds and lives."""
    text = example("html")
    assert len(text.strip().splitlines()) == 10
    (project / "ten.html").write_text(text.replace(ADDRESS, service.address))
    service.append("ten-1", {"type": "session/meta", "title": "Ten lines"}, *turn_with_tool())
    page.goto(f"{site.address}/ten.html")
    page.get_by_role("link", name="Ten lines").click()
    expect(page.locator("turnfold-transcript")).to_contain_text("There are 42 rows.")
    service.append("ten-1", turn_end())
    control = page.locator(".control")
    expect(control).to_have_text("1 tool call · 1 message")
    expect(page.locator("[data-key='tool:call-1']")).to_be_hidden()
    control.click()
    expect(page.locator("[data-key='tool:call-1']")).to_be_visible()


def test_a_services_own_copy_can_be_linked(page: Page, project: Path, site: Site, service: Service) -> None:
    """Scripts and styles below `/assets/`, from a page of another origin that the service lets in."""
    text = example("html").replace("node_modules/turnfold-web/", f"{ADDRESS}/assets/")
    (project / "linked.html").write_text(text.replace(ADDRESS, service.address))
    service.append("linked-1", {"type": "session/meta", "title": "Linked"}, *turn_with_tool(), turn_end())
    site.policy = site.policy.replace("'self'", f"'self' {service.address}")
    page.goto(f"{site.address}/linked.html")
    page.get_by_role("link", name="Linked").click()
    expect(page.locator(".control")).to_have_css("border-bottom-width", "1px")
    site.bind(service.address)


def test_the_react_example_works(page: Page, project: Path, site: Site, service: Service) -> None:
    """Bundled as users bundle it, in StrictMode: it shows the newest session, and what streams into it."""
    (project / "app.jsx").write_text(example("jsx").replace(ADDRESS, service.address))
    run(
        MODULES / ".bin" / "esbuild",
        "app.jsx",
        "--bundle",
        "--jsx=automatic",
        "--outfile=app.js",
        cwd=project,
    )
    (project / "react.html").write_text('<!doctype html><div id="root"></div><script src="app.js"></script>')
    service.append("react-1", *turn_with_tool())
    page.goto(f"{site.address}/react.html")
    expect(page.locator("li").last).to_have_text("assistant_step: Forty-two it is. There are **42** rows.")
    expect(page.get_by_text("Not connected")).to_have_count(0)
    assert page.locator("section").get_attribute("data-status") == "open"
    service.append("react-1", turn_end())
    expect(page.locator("section[data-status=closed]")).to_be_visible()
    service.append("react-2", {"type": "session/meta", "title": "newer"}, *turn_with_tool(7))
    expect(page.locator("section")).to_have_attribute("data-status", "open")


def test_the_store_example_works(project: Path, service: Service) -> None:
    """In Node, as it stands there; it is told to stop once it has seen the turn."""
    service.append("s1", *turn_with_tool(), turn_end())
    source = example("js", 2).replace(ADDRESS, service.address)
    (project / "store.js").write_text(
        source
        + "follower.subscribe(() => follower.getSnapshot().turns.length && setTimeout(() => service.close()));"
    )
    said = run(program("node"), "--experimental-websocket", "--no-warnings", "store.js", cwd=project)
    assert "open 1 closed" in said.splitlines()


def test_a_page_follows_with_tickets_alone(
    browser: Browser, project: Path, site: Site, tmp_path: Path
) -> None:
    """The documented provider: the site's own server holds the token, each connect gets a ticket of its own (R-16)."""
    running = Service(tmp_path, TURNFOLD_ALLOWED_ORIGINS=site.address, TURNFOLD_JWT_SECRET=SECRET)
    running.start()
    bearer = {"authorization": f"Bearer {jwt.encode({'scope': 'read write'}, SECRET, algorithm='HS256')}"}
    given: list[str] = []

    def ticket() -> str:
        asked = httpx.post(f"{running.address}/v1/tickets", json={}, headers=bearer, timeout=HTTP_S)
        given.append(asked.json()["ticket"])
        return given[-1]

    site.answers["/ticket"] = ticket
    site.bind(running.address)
    (project / "ticket.js").write_text(
        "import 'turnfold-web/elements';\n" + example("js") + f"transcript.src = '{running.address}';"
    )
    bundle = ("--bundle", "--format=esm", "--outfile=ticket.bundle.js")
    run(MODULES / ".bin" / "esbuild", "ticket.js", *bundle, cwd=project)
    (project / "ticket.html").write_text(
        '<!doctype html><turnfold-transcript session="t1"></turnfold-transcript>'
        '<script type="module" src="ticket.bundle.js"></script>'
    )
    try:
        running.append("t1", *turn_with_tool(), headers=bearer)
        with browser.new_context() as context:
            shown = context.new_page()
            shown.goto(f"{site.address}/ticket.html")
            expect(shown.locator("turnfold-transcript")).to_contain_text("There are 42 rows.")
            assert len(given) == 1
            running.stop()
            expect(shown.locator(".banner")).to_contain_text("Connection lost")
            running.start()
            running.append("t1", turn_end(), headers=bearer)
            expect(shown.locator(".control")).to_be_visible(timeout=30_000)
            assert len(set(given)) == len(given) >= 2
            assert "eyJ" not in shown.content(), "no token is in the page"
    finally:
        running.stop()


def test_every_attribute_and_property_is_in_the_table() -> None:
    """And nothing else: read from the elements' sources."""
    names = ("service", "sessions", "transcript")
    sources = "".join((WEB / "src" / f"{name}_element.js").read_text() for name in names)
    observed = re.findall(r"observedAttributes\(\) {\s+return \[([^\]]+)\];", sources)
    attributes = {name for one in observed for name in re.findall(r'"([\w-]+)"', one)}
    properties = set(re.findall(r"^  set (\w+)\(", sources, re.MULTILINE))
    rows = table("attribute")
    assert len(observed) == len(names)
    assert {name for cell, *_ in rows for name in re.findall(r"`([\w-]+)`", cell)} == attributes
    assert {name for _, cell, *_ in rows for name in re.findall(r"`(\w+)`", cell)} == properties


def test_every_event_is_in_the_table() -> None:
    """By its name."""
    said = {
        name
        for path in WEB.glob("src/*.js")
        for name in re.findall(r'this\.say\("([\w-]+)"', path.read_text())
    }
    assert {name for cell, *_ in table("event") for name in re.findall(r"`([\w-]+)`", cell)} == said


def test_every_variable_is_in_the_table_with_its_defaults() -> None:
    """What `theme.css` reads, light and dark."""
    theme = (WEB / "styles" / "theme.css").read_text()
    found = dict(re.findall(r"var\((--turnfold-[\w-]+), (light-dark\([^)]*\)|[^;]*)\)", theme))
    rows = {name: cells for cells in table("variable") for name in re.findall(r"`(--[\w-]+)`", cells[0])}
    assert rows.keys() == found.keys()
    for name, default in found.items():
        colours = re.findall(r"#[0-9a-f]{6}", default)
        if colours:
            assert [cell.strip("`") for cell in rows[name][2:]] == colours, name
