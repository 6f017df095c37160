"""What waits for the reader, on the page: seen with everything closed, and answered where the deployment forwards
it (E-16).
"""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.api.test_http_interactions import WRITTEN, Receiver, receiver
from tests.browser.service import Event, Service
from tests.browser.transcript_page import TranscriptPage, text, turn_end, turn_with_tool

__all__ = ["receiver"]


def asked(**fields: object) -> list[Event]:
    """An open turn in which something waits."""
    request: Event = {
        "type": "interaction/request",
        "id": "i/1",
        "kind": "permission",
        "title": "Run it?",
        **fields,
    }
    return [*turn_with_tool(), turn_end(), {"type": "turn/start", "turn": 2}, request]


@pytest.fixture
def forwarding(
    page: Page, receiver: Receiver, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TranscriptPage]:
    """The page of a service that forwards answers to a receiver."""
    configured = {"TURNFOLD_ANSWERS_URL": receiver.url, "TURNFOLD_ANSWERS_SECRET": WRITTEN}
    running = Service(tmp_path_factory.mktemp("a"), **configured)
    running.start()
    yield TranscriptPage(page, running, "asking")
    running.stop()


def answers(receiver: Receiver) -> list[tuple[str, object]]:
    """What the receiver was told."""
    return [
        (one["data"]["outcome"], one["data"]["payload"])
        for one in (json.loads(body) for *_, body in receiver.got)
    ]


def test_without_forwarding_it_is_shown_as_waiting(transcript: TranscriptPage) -> None:
    """No button that would lead nowhere."""
    transcript.append(*asked())
    transcript.open()
    row = transcript.row("interaction:i/1")
    expect(row).to_contain_text("Answer it where this session runs.")
    expect(row.get_by_role("button", name="Allow")).to_have_count(0)


def test_what_waits_is_named_wherever_the_reader_is(transcript: TranscriptPage) -> None:
    """Above the lower edge, with a way there; also for what waits inside a delegate that is closed."""
    call = {"type": "tool/call", "turn": 2, "step": 1, "call_id": "d1", "name": "subagent", "input": {}}
    inner = {
        "type": "interaction/request",
        "id": "i2",
        "kind": "question",
        "title": "Which?",
        "parent_call_id": "d1",
    }
    long = {"type": "assistant/message", "turn": 2, "step": 1, "blocks": text("word\n\n" * 100)}
    transcript.append(*asked(), call, {"type": "turn/start", "turn": 1, "parent_call_id": "d1"}, inner, long)
    transcript.open()
    page = transcript.page
    bar = page.locator(".waiting-bar")
    expect(bar).to_contain_text("Waiting for your answer: 2")
    transcript.row("tool:d1").get_by_role("button", name="Transcript of the delegate").click()
    question = transcript.row("tool:d1").locator('[data-key="interaction:i2"]')
    expect(question).to_be_hidden()
    page.locator(".scroll").evaluate("(one) => { one.scrollTop = 0 }")
    bar.get_by_role("button", name="Show").click()
    bar.get_by_role("button", name="Show").click()
    expect(question).to_be_visible()
    expect(transcript.row("interaction:i/1")).to_be_visible()
    transcript.append({"type": "interaction/resolve", "id": "i/1", "outcome": "allow"})
    expect(bar).to_contain_text("Waiting for your answer: 1")
    transcript.append(
        {"type": "interaction/resolve", "id": "i2", "outcome": "b", "parent_call_id": "d1"}, turn_end(2)
    )
    expect(bar).to_be_hidden()


def test_a_permission_is_given_from_the_page(forwarding: TranscriptPage, receiver: Receiver) -> None:
    """One click; it stays said until the producer resolves it, and then the row says what became of it."""
    forwarding.append(*asked())
    forwarding.open()
    row = forwarding.row("interaction:i/1")
    expect(row).not_to_contain_text("Answer it where this session runs.")
    row.get_by_role("button", name="Allow").click()
    expect(row).to_contain_text("Sent. It goes on when the agent has taken it.")
    expect(row.get_by_role("button", name="Deny")).to_be_disabled()
    assert answers(receiver) == [("allow", None)]
    forwarding.append({"type": "interaction/resolve", "id": "i/1", "outcome": "allowed once"})
    expect(row).to_contain_text("allowed once")
    expect(row.get_by_role("button", name="Allow")).to_be_hidden()


def test_offered_options_are_the_choices(forwarding: TranscriptPage, receiver: Receiver) -> None:
    """By the producer's words and ids."""
    options = [{"id": "one", "label": "The first", "description": "safe"}, "two"]
    forwarding.append(*asked(kind="question", payload={"options": options}))
    forwarding.open()
    row = forwarding.row("interaction:i/1")
    expect(row.get_by_role("button", name="two")).to_be_visible()
    row.get_by_role("button", name="The first safe").click()
    expect(row).to_contain_text("Sent.")
    assert answers(receiver) == [("one", None)]


def test_a_question_is_answered_in_words_inside_a_delegate(
    forwarding: TranscriptPage, receiver: Receiver
) -> None:
    """What was typed stays while the session goes on; the delegate is named on the way."""
    call = {"type": "tool/call", "turn": 1, "step": 1, "call_id": "d1", "name": "subagent", "input": {}}
    inner = {
        "type": "interaction/request",
        "id": "i2",
        "kind": "question",
        "title": "Which?",
        "parent_call_id": "d1",
    }
    forwarding.append({"type": "turn/start", "turn": 1}, call, inner)
    forwarding.open()
    row = forwarding.page.locator('[data-key="interaction:i2"]')
    row.get_by_role("textbox", name="Your answer").fill("The second one")
    forwarding.append({"type": "notice", "id": "n", "level": "info", "text": "It goes on."})
    expect(forwarding.page.locator(".thread")).to_contain_text(["It goes on."])
    expect(row.get_by_role("textbox")).to_have_value("The second one")
    row.get_by_role("button", name="Send").click()
    expect(row).to_contain_text("Sent.")
    assert answers(receiver) == [("answered", {"text": "The second one"})]
    assert json.loads(receiver.got[0][2])["data"]["inside"] == ["d1"]


def test_an_answer_that_was_not_taken_can_be_given_again(
    forwarding: TranscriptPage, receiver: Receiver
) -> None:
    """The page says why in the service's words."""
    receiver.status = 503
    forwarding.append(*asked())
    forwarding.open()
    row = forwarding.row("interaction:i/1")
    row.get_by_role("button", name="Deny").click()
    expect(row).to_contain_text("Not sent: the receiver of answers did not take it")
    receiver.status = 200
    row.get_by_role("button", name="Deny").click()
    expect(row).to_contain_text("Sent.")
    assert answers(receiver) == [("deny", None), ("deny", None)]


def test_hostile_options_are_text_and_go_as_they_came(forwarding: TranscriptPage, receiver: Receiver) -> None:
    """Markup in a label is a label; what is no option in a list is left out."""
    hit = "<img src=x onerror=window.hit=1>\u202e"
    options = [
        {"id": "x\u0000y", "label": hit, "description": hit},
        None,
        7,
        {"id": "z" * 300},
        {"__proto__": "p"},
    ]
    forwarding.append(*asked(kind="question", payload={"options": options}))
    forwarding.open()
    row = forwarding.row("interaction:i/1")
    expect(row.locator(".choice")).to_have_count(1)
    row.locator(".choice").click()
    expect(row).to_contain_text("Sent.")
    assert answers(receiver) == [("x\u0000y", None)]
    assert "\u202e" not in row.inner_text()
    assert forwarding.page.evaluate(
        "() => [window.hit ?? null, document.querySelectorAll('.thread img').length]"
    ) == [
        None,
        0,
    ]
