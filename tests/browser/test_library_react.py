"""The React binding with React itself: stable snapshots, one subscription in StrictMode, nothing left behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocket, expect

from tests.browser.node_tools import INSTALLS, MODULES, packed, program, project_with, run
from tests.browser.service import Service
from tests.browser.site import Site, serving_site
from tests.browser.soon import soon
from tests.browser.transcript_page import text, turn_end, turn_with_tool

pytestmark = INSTALLS

APP = """
import { StrictMode, memo, useCallback, useState } from "react";
import { createRoot } from "react-dom/client";
import { ServiceClient, webShown } from "turnfold-web";
import { useExpansion, useTranscript } from "turnfold-web/react";

const service = new ServiceClient("ADDRESS");
const drawn = (window.drawn = {});
const count = (name) => (drawn[name] = (drawn[name] ?? 0) + 1);

const Row = memo(({ row }) => {
  count(row.key);
  return <li data-key={row.key}>{row.blocks?.map((block) => block.text).join("") ?? row.kind}</li>;
});
const Turn = memo(({ turn, pane, toggle }) => {
  count(`turn ${turn.turn}`);
  const held = { ...turn, rows: new Set(turn.rows.map((row) => row.key)) };
  const window = { mode: "compact", history_complete: true, fold_partial: false };
  const { control, open, hidden } = webShown(pane, held, window);
  const rows = turn.rows.filter((row) => !hidden.includes(row.key));
  return (
    <>
      {control && <button aria-expanded={open} onClick={() => toggle(held)}>{turn.presentation.label.text}</button>}
      <ul data-status={turn.status}>{rows.map((row) => <Row key={row.key} row={row} />)}</ul>
    </>
  );
});

function Transcript({ session }) {
  const { turns, link } = useTranscript(service, session);
  const [pane, dispatch] = useExpansion(service, session);
  const toggle = useCallback((turn) => dispatch({ type: "web/toggle", session, turn }), [dispatch, session]);
  const drawn = turns.map((turn) => <Turn key={turn.turn} turn={turn} pane={pane} toggle={toggle} />);
  return <main data-link={link.name}>{drawn}</main>;
}

function App() {
  const [session, show] = useState("SESSION");
  window.show = show;
  return session ? <Transcript session={session} /> : <p>Nothing</p>;
}

createRoot(document.getElementById("root")).render(<StrictMode><App /></StrictMode>);
"""

RENDERED = """
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { ServiceClient } from "turnfold-web";
import { useSessions, useTranscript } from "turnfold-web/react";

class Refusing { constructor() { throw new Error("connects"); } }
const service = new ServiceClient("http://127.0.0.1:1/", { WebSocket: Refusing });
function View() {
  const { phase, turns } = useTranscript(service, "s");
  return createElement("p", null, phase, turns.length, String(useSessions(service)));
}
console.log(renderToString(createElement(View)));
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A React project with the package installed."""
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
    yield running
    running.stop()


class App:
    """The application on one session; `sent` are the messages that it sends, `sockets` what it opened."""

    def __init__(self, page: Page, project: Path, site: Site, service: Service, session: str) -> None:
        self.page = page
        self.sent: list[str] = []
        self.closed: list[str] = []
        self.sockets: list[str] = []

        def watch(socket: WebSocket) -> None:
            self.sockets.append(socket.url)
            socket.on("framesent", lambda frame: self.sent.append(str(frame)))
            socket.on("close", lambda _: self.closed.append(session))

        page.on("websocket", watch)
        source = APP.replace("ADDRESS", service.address).replace("SESSION", session)
        (project / f"{session}.jsx").write_text(source)
        bundle = ("--bundle", "--jsx=automatic", f"--outfile={session}.js")
        run(MODULES / ".bin" / "esbuild", f"{session}.jsx", *bundle, cwd=project)
        (project / f"{session}.html").write_text(
            f'<!doctype html><div id="root"></div><script src="{session}.js"></script>'
        )
        page.goto(f"{site.address}/{session}.html")

    def count(self, kind: str) -> int:
        """How many messages of a kind were sent."""
        return sum(f'"type":"{kind}"' in message for message in self.sent)

    def follows(self, count: int) -> None:
        """Fails unless so many subscriptions live soon: React ends an effect after it has drawn."""
        soon(
            self.page,
            lambda: self.count("subscribe") - self.count("unsubscribe") == count,
            f"{count} subscriptions live",
        )

    def drawn(self) -> dict[str, int]:
        """How often each row and turn was drawn."""
        found: dict[str, int] = self.page.evaluate("() => ({ ...window.drawn })")
        return found


def test_strict_mode_leaves_one_subscription(page: Page, project: Path, site: Site, service: Service) -> None:
    """Its second mount is the first one's end: one socket, and one subscription that lives."""
    service.append("strict-1", *turn_with_tool())
    app = App(page, project, site, service, "strict-1")
    expect(page.locator("[data-key='step:1:2']")).to_contain_text("There are")
    assert len(app.sockets) == 1
    app.follows(1)
    service.append("strict-1", turn_end())
    expect(page.locator("ul")).to_have_attribute("data-status", "closed")


def test_what_streams_draws_its_own_row_alone(
    page: Page, project: Path, site: Site, service: Service
) -> None:
    """Other rows and other turns keep their objects, so `memo` spares them."""
    service.append("memo-1", *turn_with_tool(), turn_end())
    chunk = {"type": "assistant/chunk", "turn": 2, "step": 1, "index": 0, "kind": "text"}
    start = {"type": "user/message", "id": "u2", "content": text("More?")}
    service.append("memo-1", {"type": "turn/start", "turn": 2}, start, {**chunk, "text": "one"})
    app = App(page, project, site, service, "memo-1")
    last = page.locator("[data-key='step:2:1']")
    expect(last).to_have_text("one")
    before = app.drawn()
    service.append("memo-1", {**chunk, "text": " two"})
    expect(last).to_have_text("one two")
    after = app.drawn()
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {"step:2:1", "turn 2"}


def test_a_turn_folds_and_opens_by_the_reducers(
    page: Page, project: Path, site: Site, service: Service
) -> None:
    """What was opened is there again after another session was shown (E-3)."""
    service.append("fold-1", *turn_with_tool(), turn_end())
    service.append("fold-2", *turn_with_tool(), turn_end())
    App(page, project, site, service, "fold-1")
    control = page.get_by_role("button", name="1 tool call · 1 message")
    expect(control).to_have_attribute("aria-expanded", "false")
    expect(page.locator("[data-key='tool:call-1']")).to_have_count(0)
    control.click()
    expect(page.locator("[data-key='tool:call-1']")).to_be_visible()
    page.evaluate("() => window.show('fold-2')")
    expect(control).to_have_attribute("aria-expanded", "false")
    page.evaluate("() => window.show('fold-1')")
    expect(control).to_have_attribute("aria-expanded", "true")


def test_another_session_and_none(page: Page, project: Path, site: Site, service: Service) -> None:
    """What is not shown is not followed; without any component the connection is closed."""
    service.append("swap-1", *turn_with_tool())
    service.append("swap-2", *turn_with_tool(5))
    app = App(page, project, site, service, "swap-1")
    expect(page.locator("[data-key='step:1:2']")).to_be_visible()
    page.evaluate("() => window.show('swap-2')")
    expect(page.locator("[data-key='step:5:2']")).to_be_visible()
    expect(page.locator("[data-key='step:1:2']")).to_have_count(0)
    app.follows(1)
    page.evaluate("() => window.show('')")
    expect(page.get_by_text("Nothing")).to_be_visible()
    app.follows(0)
    soon(page, lambda: len(app.closed) == 1, "the connection is closed")
    assert len(app.sockets) == 1


def test_a_lost_connection_is_in_the_snapshot(page: Page, project: Path, site: Site, tmp_path: Path) -> None:
    """And what is shown stays, until it goes on by position (E-15)."""
    running = Service(tmp_path, TURNFOLD_ALLOWED_ORIGINS=site.address)
    running.start()
    try:
        running.append("lost-1", *turn_with_tool())
        App(page, project, site, running, "lost-1")
        expect(page.locator("main")).to_have_attribute("data-link", "open")
        expect(page.locator("[data-key='step:1:2']")).to_be_visible()
        running.stop()
        expect(page.locator("main")).not_to_have_attribute("data-link", "open")
        expect(page.locator("[data-key='step:1:2']")).to_be_visible()
        running.start()
        running.append("lost-1", turn_end())
        expect(page.locator("ul")).to_have_attribute("data-status", "closed", timeout=30_000)
    finally:
        running.stop()


def test_a_render_on_a_server_connects_nothing(project: Path) -> None:
    """The first picture is the empty one, and the process ends by itself."""
    (project / "server.js").write_text(RENDERED)
    assert run(program("node"), "server.js", cwd=project) == "<p>loading<!-- -->0<!-- -->null</p>\n"
