"""The custom elements in a page of somebody else's: one connection, no leaks, nothing lost, nothing spilled."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.host_page import open_host
from tests.browser.node_tools import WEB
from tests.browser.service import Service
from tests.browser.soon import soon
from tests.browser.transcript_page import turn_end, turn_with_tool

BOTH = '<turnfold-sessions for="t"></turnfold-sessions><turnfold-transcript id="t" session="{}"></turnfold-transcript>'


def fold(service: Service, *sessions: str) -> None:
    """Sessions with one finished turn that folds."""
    for session in sessions:
        service.append(session, *turn_with_tool(), turn_end())


def count_sent(page: Page) -> list[str]:
    """The messages that the page sends over its sockets, as they are sent; not the pings, which come by the clock."""
    sent: list[str] = []

    def note(frame: object) -> None:
        if '"type":"ping"' not in str(frame):
            sent.append(str(frame))

    page.on("websocket", lambda socket: socket.on("framesent", note))
    return sent


def test_elements_of_one_address_share_one_connection(page: Page, service: Service) -> None:
    """A list and two transcripts: one socket, and each shows its own."""
    fold(service, "share-1", "share-2")
    other = '<turnfold-transcript id="u" session="share-2" src="./"></turnfold-transcript>'
    sockets = open_host(page, service, BOTH.format("share-1") + other)
    for name in ("t", "u"):
        expect(page.locator(f"#{name} .control")).to_have_text("1 tool call · 1 message")
    expect(page.locator("turnfold-sessions [data-session=share-1]")).to_be_visible()
    assert len(sockets) == 1


def test_a_click_in_the_list_shows_the_session(page: Page, service: Service) -> None:
    """`for` names the transcript; what listens may prevent it."""
    fold(service, "click-1", "click-2")
    open_host(page, service, BOTH.format("click-1"))
    page.locator("[data-session=click-2]").click()
    expect(page.locator("#t")).to_have_attribute("session", "click-2")
    expect(page.locator("[data-session=click-2]")).to_have_attribute("aria-current", "page")
    page.evaluate("addEventListener('turnfold-choose', (event) => event.preventDefault())")
    page.locator("[data-session=click-1]").click()
    expect(page.locator("#t")).to_have_attribute("session", "click-2")


def test_what_was_opened_survives_switching_and_remounting(page: Page, service: Service) -> None:
    """E-3: by session, while the page lives; a reload frees it."""
    fold(service, "keep-1", "keep-2")
    open_host(page, service, BOTH.format("keep-1"))
    control = page.locator("#t .control")
    control.click()
    expect(control).to_have_attribute("aria-expanded", "true")
    page.locator("[data-session=keep-2]").click()
    expect(control).to_have_attribute("aria-expanded", "false")
    page.locator("[data-session=keep-1]").click()
    expect(control).to_have_attribute("aria-expanded", "true")
    page.evaluate("() => { const one = document.getElementById('t'); one.remove(); window.kept = one; }")
    page.wait_for_timeout(50)
    assert page.evaluate("() => window.kept.childElementCount") == 0, "what is out of the page holds nothing"
    page.evaluate("() => document.body.append(window.kept)")
    expect(control).to_have_attribute("aria-expanded", "true")
    page.reload()
    expect(control).to_have_attribute("aria-expanded", "false")


def test_an_element_that_is_moved_stays_what_it_is(page: Page, service: Service) -> None:
    """The same rows at the same place, and the service hears nothing of it."""
    fold(service, "move-1")
    lines = "".join(f"line {number}\n\n" for number in range(300))
    answer = {"type": "assistant/message", "turn": 2, "step": 1, "blocks": [{"type": "text", "text": lines}]}
    service.append("move-1", {"type": "turn/start", "turn": 2}, answer)
    sent = count_sent(page)
    open_host(page, service, BOTH.format("move-1") + '<section id="elsewhere"></section>')
    expect(page.locator("#t")).to_contain_text("line 299")
    scroll = page.locator("#t .scroll")
    scroll.evaluate("(one) => { one.scrollTop = 500 }")
    expect(page.get_by_role("button", name="Jump to latest")).to_be_visible()
    page.evaluate("() => document.querySelectorAll('.seat').forEach((seat) => (seat.marked = true))")
    before = len(sent)
    page.evaluate("() => document.getElementById('elsewhere').append(document.getElementById('t'))")
    assert scroll.evaluate("(one) => one.scrollTop") == 500
    assert page.evaluate(
        "() => [...document.querySelectorAll('#elsewhere .seat')].every((seat) => seat.marked)"
    )
    service.append("move-1", turn_end(2))
    expect(page.locator("#t [data-key='tail:2']")).to_be_attached()
    assert len(sent) == before


def test_the_last_element_that_goes_closes_the_connection(page: Page, service: Service) -> None:
    """And one that comes back opens another."""
    fold(service, "leave-1")
    closed: list[str] = []
    page.on("websocket", lambda socket: socket.on("close", lambda _: closed.append(socket.url)))
    sockets = open_host(page, service, BOTH.format("leave-1"))
    expect(page.locator("#t .control")).to_be_visible()
    page.evaluate("() => document.body.replaceChildren()")
    soon(page, lambda: len(closed) == 1, "the connection is closed")
    assert len(sockets) == 1
    page.evaluate(f"() => (document.body.innerHTML = `{BOTH.format('leave-1')}`)")
    expect(page.locator("#t .control")).to_be_visible()
    assert (len(sockets), len(closed)) == (2, 1)


def test_a_hundred_elements_that_came_and_went_leave_nothing(page: Page, service: Service) -> None:
    """As many subscriptions ended as were begun, and no element is held by anything."""
    fold(service, "churn-1")
    sent = count_sent(page)
    open_host(page, service, BOTH.format("churn-1"))
    expect(page.locator("#t .control")).to_be_visible()
    held = page.evaluate(
        """async () => {
          const seen = [];
          for (let number = 0; number < 100; number += 1) {
            const one = document.createElement('turnfold-transcript');
            one.session = 'churn-1';
            document.body.append(one);
            await new Promise((resolve) => setTimeout(resolve, 5));
            one.remove();
            seen.push(new WeakRef(one));
          }
          await new Promise((resolve) => setTimeout(resolve, 100));
          window.seen = seen;
          return seen.length;
        }"""
    )
    assert held == 100

    def count(kind: str) -> int:
        return sum(f'"{kind}"' in message for message in sent)

    soon(page, lambda: count("unsubscribe") >= 100, "as many subscriptions end")
    assert (count("subscribe"), count("unsubscribe")) == (101, 100)

    def gone() -> bool:
        page.request_gc()  # what one collection leaves behind, the next one takes
        return bool(page.evaluate("() => window.seen.filter((one) => one.deref()).length <= 1"))

    soon(page, gone, "no element is held")


def test_two_views_of_one_session_open_together(page: Page, service: Service) -> None:
    """Expansion is the session's, not the element's."""
    fold(service, "twice-1")
    second = '<turnfold-transcript id="u" session="twice-1"></turnfold-transcript>'
    open_host(page, service, BOTH.format("twice-1") + second)
    page.locator("#t .control").click()
    expect(page.locator("#u .control")).to_have_attribute("aria-expanded", "true")
    page.locator("#u .control").click()
    expect(page.locator("#t .control")).to_have_attribute("aria-expanded", "false")


def test_no_rule_of_ours_reaches_the_host(page: Page, service: Service) -> None:
    """Whatever classes it uses, a host looks as it looked without us; variables go the other way."""
    fold(service, "style-1")
    sheets = [path.read_text(encoding="utf-8") for path in (WEB / "styles").glob("*.css")]
    names = {name for sheet in sheets for name in re.findall(r"\.([a-z][\w-]*)(?=[\s,:.\[>){])", sheet)}
    names.remove("turnfold")  # whoever writes that asks for our colours
    assert len(names) > 100
    looks = """() => [...document.querySelectorAll('#host *')].map((one) => {
      const all = getComputedStyle(one);
      return [...all].map((name) => `${name}:${all.getPropertyValue(name)}`).join(';');
    })"""
    parts = [
        f'<div class="{name}"><button class="{name}">x</button><h4 class="{name}">y</h4></div>'
        for name in sorted(names)
    ]
    host = f'<div id="host">{"".join(parts)}</div>'
    open_host(page, service, host, styled=False, defined=False)
    bare = page.evaluate(looks)
    open_host(page, service, host + BOTH.format("style-1"))
    expect(page.locator("#t .control")).to_be_visible()
    assert page.evaluate(looks) == bare
    page.evaluate("() => document.documentElement.style.setProperty('--turnfold-paper', 'rgb(1, 2, 3)')")
    expect(page.locator("#t")).to_have_css("background-color", "rgb(1, 2, 3)")


def test_what_was_set_before_the_elements_were_defined_counts(page: Page, service: Service) -> None:
    """Frameworks set properties on elements whose script is still loading."""
    fold(service, "early-1")
    open_host(page, service, '<turnfold-transcript id="t"></turnfold-transcript>', defined=False)
    page.evaluate(
        """async () => {
          document.getElementById('t').session = 'early-1';
          await import('./assets/src/elements.js');
        }"""
    )
    expect(page.locator("#t .turn")).to_be_attached()


def test_importing_the_library_does_nothing(page: Page, service: Service) -> None:
    """No element is defined, no socket opened, no listener added, nothing stored: `elements.js` alone defines."""
    sockets = open_host(
        page, service, "<turnfold-transcript session='x'></turnfold-transcript>", defined=False
    )
    done = page.evaluate(
        """async () => {
          const added = [];
          for (const target of [window, document]) {
            const add = target.addEventListener;
            target.addEventListener = function (...words) { added.push(words[0]); return add.apply(this, words); };
          }
          const before = new Set(Object.keys(window));
          const library = await import('./assets/src/index.js');
          await new Promise((resolve) => setTimeout(resolve, 50));
          return {
            exports: Object.keys(library).length,
            defined: Boolean(customElements.get('turnfold-transcript')),
            globals: Object.keys(window).filter((name) => !before.has(name)),
            added,
            stored: localStorage.length + sessionStorage.length,
          };
        }"""
    )
    assert done.pop("exports") > 5
    assert done == {"defined": False, "globals": [], "added": [], "stored": 0}
    assert sockets == []


def test_they_work_in_a_shadow_tree_of_the_host(page: Page, service: Service) -> None:
    """Where the host has one: the list finds its transcript, and a fold never hides the focus (E-4)."""
    service.append("shadow-1", *turn_with_tool())
    open_host(page, service, '<div id="host"></div>')
    page.evaluate(
        """(both) => {
          const root = document.getElementById('host').attachShadow({ mode: 'open' });
          root.innerHTML = `<link rel="stylesheet" href="assets/styles/turnfold.css">${both}`;
        }""",
        BOTH.format(""),
    )
    page.locator("[data-session=shadow-1]").click()
    tool = page.locator("#t [data-key='tool:call-1'] button").first
    tool.focus()
    service.append("shadow-1", turn_end())
    expect(page.locator("#t .control")).to_have_attribute("aria-expanded", "true")
    expect(tool).to_be_focused()
    expect(page.locator("#t .control")).to_have_css("border-bottom-width", "1px")


def test_the_readers_preferences_count_unless_an_attribute_says_otherwise(page: Page, tmp_path: Path) -> None:
    """Mode, presentation and language (B-1, C-4), from the first picture on and at once when they change."""
    own = Service(tmp_path)  # preferences are everybody's without authentication
    own.start()
    try:
        fold(own, "prefer-1")
        own.prefer(transcript_view="normal")
        fixed = 'session="prefer-1" mode="compact" view="web" locale="en"'
        open_host(
            page, own, f'{BOTH.format("prefer-1")}<turnfold-transcript id="u" {fixed}></turnfold-transcript>'
        )
        expect(page.locator("#t [data-key='tool:call-1']")).to_be_visible()
        expect(page.locator("#t .control")).to_be_hidden()
        expect(page.locator("#u .control")).to_be_visible()
        own.prefer(transcript_view="compact")
        expect(page.locator("#t .control")).to_be_visible()
        own.prefer(language="zh-CN")
        expect(page.locator("#t .control")).to_have_text("1 次工具调用 · 1 条消息")
        expect(page.locator("turnfold-sessions")).to_contain_text("已完成")
        own.prefer(presentation="desktop")
        expect(page.locator("#t .control")).to_be_hidden()
        expect(page.locator("#t")).to_contain_text("There are 42 rows.")
        expect(page.locator("#u .control")).to_have_text("1 tool call · 1 message")
        page.reload()
        expect(page.locator("#t")).to_contain_text("There are 42 rows.")
        expect(page.locator("#t .control")).to_be_hidden()
    finally:
        own.stop()
