"""What waits for the reader is answered from the terminal, through a service that forwards to a real host (E-16)."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from api.problems import KIND_BY_CODE
from clients.tui.answering import _REFUSALS, Answering
from clients.wire.address import RefusedError, address_of
from clients.wire.service import reaching
from tests.api.socket_stack import serving_sockets
from tests.api.test_http_interactions import WRITTEN, Receiver, receiver
from tests.clients.wire_service import Process, process
from tests.tui.driving import Terminal, terminal
from tests.tui.test_app import chunk, url_of
from tests.tui.test_hostile import BAD, FORBIDDEN
from tests.waiting import wait_until

__all__ = ["receiver"]

Event = dict[str, Any]
START: Event = {"type": "turn/start", "turn": 1}
CALL: Event = {"type": "tool/call", "turn": 1, "step": 1, "call_id": "d1", "name": "subagent", "input": {}}


def ask(ident: str = "i/1", kind: str = "permission", title: str = "Run it?", **fields: Any) -> Event:
    """Something that waits."""
    return {"type": "interaction/request", "id": ident, "kind": kind, "title": title, **fields}


@asynccontextmanager
async def forwarding(directory: Path, receiver: Receiver, **variables: str) -> AsyncIterator[Process]:
    """A service that forwards answers to the host."""
    configured = {"TURNFOLD_ANSWERS_URL": receiver.url, "TURNFOLD_ANSWERS_SECRET": WRITTEN, **variables}
    async with process(directory / "data", **configured) as service:
        yield service


def answers(receiver: Receiver) -> list[tuple[str, object]]:
    """What the host was told."""
    told = [json.loads(body)["data"] for *_, body in receiver.got]
    return [(one["outcome"], one["payload"]) for one in told]


def is_open(screen: Terminal) -> bool:
    """Whether the panel for an answer is shown."""
    return screen.page.answering.is_open


async def test_a_permission_is_given_by_keys(tmp_path: Path, receiver: Receiver) -> None:
    """It says that something waits and which key answers; what was sent stays said, and is not asked again."""
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, ask(payload={"command": "make release"}))
        async with terminal(service.url, "s") as screen:
            await screen.shows("1 waiting for you (a)")
            await screen.press("a")
            await screen.shows("› 1 Allow")
            assert "make release" in screen.text()
            await screen.press("down", "enter")
            await screen.shows("Sent. It goes on when the agent has taken it.")
            assert answers(receiver) == [("deny", None)]
            assert not is_open(screen)
            await screen.press("a")
            assert not is_open(screen)
            assert "Sent." in screen.text()
            await service.append(
                "s", {"type": "interaction/resolve", "id": "i/1", "outcome": "denied for good"}
            )
            await screen.shows("permission: Run it? — denied for good")
            await screen.shows_not("waiting for you")


async def test_offered_options_are_chosen_by_number_while_the_session_goes_on(
    tmp_path: Path, receiver: Receiver
) -> None:
    """The transcript streams above; a number chooses, and nothing is sent before Enter."""
    options = [{"id": "one", "label": "The first", "description": "safe"}, "two"]
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, ask(kind="question", title="Which?", payload={"options": options}))
        async with terminal(service.url, "s", size=(80, 30)) as screen:
            await screen.shows("(a)")
            await screen.press("a")
            await screen.shows("› 1 The first  safe")
            await screen.press("2")
            await screen.shows("› 2 two")
            await service.append("s", chunk("it streams\n\nabove the question"))
            await screen.shows("above the question")
            assert is_open(screen)
            assert answers(receiver) == []
            await screen.press("enter")
            await screen.shows("Sent.")
            assert answers(receiver) == [("two", None)]


async def test_a_question_of_a_delegate_is_answered_in_words(tmp_path: Path, receiver: Receiver) -> None:
    """Keys of the transcript are letters there, what was typed stays, and the delegate is named on the way."""
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, CALL, ask("i2", "question", "Which?", parent_call_id="d1"))
        async with terminal(service.url, "s", size=(80, 30)) as screen:
            await screen.shows("(a)")
            await screen.press("a")
            await screen.shows("Which?")
            await screen.press("enter")
            assert answers(receiver) == []
            await screen.press(*"quick 1j")
            await service.append("s", chunk("and on it goes"))
            await screen.shows("and on it goes")
            await screen.shows("quick 1j")
            await screen.press("enter")
            await screen.shows("Sent.")
            assert answers(receiver) == [("answered", {"text": "quick 1j"})]
            assert json.loads(receiver.got[0][2])["data"]["inside"] == ["d1"]


async def test_tab_leads_to_the_next_and_an_answer_to_no_other(tmp_path: Path, receiver: Receiver) -> None:
    """Three that wait, each by its own answer; the panel closes after each and never goes on by itself."""
    asked = [ask(f"i{number}", title=f"Ask {number}?", turn=1) for number in range(3)]
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, *asked)
        async with terminal(service.url, "s", size=(80, 40)) as screen:
            await screen.shows("3 waiting for you")
            await screen.press("a")
            await screen.shows("1 of 3")
            await screen.press("tab")
            await screen.shows("2 of 3")
            await screen.press("shift+tab", "shift+tab")
            await screen.shows("3 of 3")
            await screen.press("enter")
            await wait_until(lambda: not is_open(screen), "the panel is closed")
            assert [json.loads(body)["data"]["interaction"] for *_, body in receiver.got] == ["i2"]
            await screen.press("a")
            await screen.shows("1 of 2")
            await screen.press("escape")
            assert not is_open(screen)


async def test_what_is_answered_elsewhere_closes_the_panel(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And says what became of it; Enter that came too late answers nothing."""
    monkeypatch.setattr(Answering, "GRACE_S", 0.0)
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, ask())
        async with terminal(service.url, "s") as screen:
            await screen.shows("(a)")
            await screen.press("a")
            await screen.shows("› 1 Allow")
            await service.append("s", {"type": "interaction/resolve", "id": "i/1", "outcome": "by Ada"})
            await wait_until(lambda: not is_open(screen), "the panel is closed")
            await screen.shows("Run it? — by Ada")
            await screen.press("enter", "a")
            await screen.shows("Nothing waits for you here.")
            assert answers(receiver) == []


async def test_another_question_at_the_same_place_is_chosen_anew(tmp_path: Path, receiver: Receiver) -> None:
    """Enter that was meant for what was asked before confirms nothing."""
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, ask(kind="question", payload={"options": ["keep", "drop"]}))
        async with terminal(service.url, "s") as screen:
            await screen.shows("(a)")
            await screen.press("a")
            await screen.shows("› 1 keep")
            other = ask(kind="question", title="Sure?", payload={"options": ["drop", "keep"]})
            await service.append("s", {"type": "session/rewind", "before_turn": 1}, START, other)
            await screen.shows("  1 drop")
            await screen.press("enter")
            assert is_open(screen)
            assert answers(receiver) == []
            await screen.press("2", "enter")
            await screen.shows("Sent.")
            assert answers(receiver) == [("keep", None)]


@pytest.mark.timeout(180)  # a service that dies and comes back
async def test_a_refusal_is_one_line_and_the_answer_can_be_given_again(
    tmp_path: Path, receiver: Receiver
) -> None:
    """A host in trouble, a service that is not there: said in the panel, which stays, and the transcript with it."""
    async with forwarding(tmp_path, receiver) as service:
        await service.append("s", START, ask())
        async with terminal(service.url, "s", size=(100, 30)) as screen:
            await screen.shows("(a)")
            receiver.status = 503
            await screen.press("a")
            await screen.shows("› 1 Allow")
            await screen.press("enter")
            await screen.shows("Not sent: the receiver of answers did not take it")
            receiver.status = 200
            await service.kill()
            await screen.press("enter")
            await screen.shows("does not answer")
            assert is_open(screen)
            await service.start()
            await wait_until(lambda: screen.page.session.link.name == "open", "it is back", within_s=40)
            await screen.press("enter")
            await screen.shows("Sent.")
            assert answers(receiver) == [("allow", None), ("allow", None)]


async def test_whoever_does_not_wait_reads_below_what_became_of_it(
    tmp_path: Path, receiver: Receiver
) -> None:
    """A slow host holds nothing up: the transcript moves, and a second Enter is no second answer."""
    receiver.stalls_s = 60
    async with forwarding(tmp_path, receiver, TURNFOLD_ANSWERS_TIMEOUT_MS="60000") as service:
        await service.append("s", START, ask())
        async with terminal(service.url, "s") as screen:
            await screen.shows("(a)")
            await screen.press("a")
            await screen.shows("› 1 Allow")
            await screen.press("enter", "enter")
            await screen.shows("Sending …")
            await screen.press("escape")
            assert not is_open(screen)
            await screen.press("ctrl+o")
            await screen.shows("expanded")
            receiver.goes_on.set()
            await screen.shows("Sent.")
            assert answers(receiver) == [("allow", None)]


async def test_without_forwarding_it_says_where_to_answer(tmp_path: Path) -> None:
    """No panel that would lead nowhere; the key beside what waits leads to it."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", START, ask())
        async with terminal(url_of(service), "s") as screen:
            await screen.shows("1 waiting for you (w)")
            await screen.press("a")
            await screen.shows("Answer it where this session runs.")
            assert not is_open(screen)


async def test_refusals_have_their_codes(tmp_path: Path, receiver: Receiver) -> None:
    """Of the service as it runs; those that we say in our own words are among them."""
    assert set(_REFUSALS) <= set(KIND_BY_CODE)
    async with forwarding(tmp_path, receiver) as service, reaching(address_of(service.url)) as client:
        over: Event = {"type": "interaction/resolve", "id": "i/1", "outcome": "allow"}
        await service.append("s", START, ask(), over)
        for ident, code in (("i/1", "interaction_over"), ("nobody", "interaction_unknown")):
            with pytest.raises(RefusedError) as refused:
                await client.answer("s", (), ident, "allow")
            assert refused.value.code == code
    async with serving_sockets(tmp_path / "without") as other, reaching(address_of(url_of(other))) as client:
        await other.stack.post("s", START, ask())
        with pytest.raises(RefusedError) as refused:
            await client.answer("s", (), "i/1", "allow")
        assert refused.value.code == "answers_not_configured"


@pytest.mark.parametrize("size", [(40, 12), (200, 50)])
async def test_titles_and_options_of_strangers_are_text(
    tmp_path: Path, receiver: Receiver, size: tuple[int, int]
) -> None:
    """Nothing steers the terminal, each row is as wide as the screen, and an outcome goes back as it came."""
    options = [{"id": "x\x00y", "label": BAD, "description": BAD}, None, 7, {"id": "z" * 300}]
    async with forwarding(tmp_path, receiver) as service:
        await service.append(
            "s", START, ask(kind=BAD, title=BAD * 50, payload={"options": options, BAD: BAD})
        )
        async with terminal(service.url, "s", size=size) as screen:
            await screen.shows("waiting for you")
            await screen.press("a")
            await wait_until(lambda: is_open(screen), "the panel is open")
            await screen.shows("› 1 a␛[2J")
            for row in screen.rows():
                assert FORBIDDEN.search(row) is None, repr(row)
            assert screen.widths() == {size[0]}
            await screen.press("pagedown", "pageup", "enter")
            await wait_until(lambda: not is_open(screen), "the panel is closed")
            assert answers(receiver) == [("x\x00y", None)]
