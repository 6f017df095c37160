"""The terminal on a running service: keys, phases, streaming, the reader's place (F-1 to F-3, D-1 to D-5)."""

from pathlib import Path
from typing import Any

import pytest

from tests.api.socket_stack import SocketStack, serving_sockets
from tests.tui.driving import Terminal, terminal
from tests.waiting import wait_until

Event = dict[str, Any]


def text(words: str, kind: str = "text") -> Event:
    """A block."""
    return {"type": kind, "text": words}


def turn(number: int, answer: str = "") -> list[Event]:
    """A turn: a question, a step with a call alone, a step with an answer."""
    return [
        {"type": "turn/start", "turn": number},
        {"type": "user/message", "turn": number, "id": f"u{number}", "content": [text(f"question {number}")]},
        {"type": "step/start", "turn": number, "step": 1, "ts_ms": 1_000},
        {
            "type": "tool/call", "turn": number, "step": 1, "call_id": f"c{number}", "name": "bash",
            "input": {"command": f"ls {number}"},
        },
        {"type": "tool/result", "call_id": f"c{number}", "status": "ok", "output": f"output {number}"},
        {"type": "step/end", "turn": number, "step": 1, "ts_ms": 3_000},
        {
            "type": "assistant/message", "turn": number, "step": 2,
            "blocks": [text(f"thought {number}", "reasoning"), text(answer or f"answer {number}")],
        },
        {"type": "turn/end", "turn": number, "reason": "completed"},
    ]  # fmt: skip


def chunk(words: str, number: int = 1, step: int = 1) -> Event:
    """A piece of streamed text."""
    return {
        "type": "assistant/chunk",
        "turn": number,
        "step": step,
        "index": 0,
        "kind": "text",
        "text": words,
    }


def url_of(service: SocketStack) -> str:
    """Where it answers."""
    return f"http://127.0.0.1:{service.port}"


def headers(screen: Terminal) -> int:
    """How many `Assistant` headers are shown."""
    return sum(row == "Assistant" for row in screen.body())


async def test_keys_change_phase_and_reasoning_and_the_service_says_the_fold(tmp_path: Path) -> None:
    """D-1, D-3, D-5: two headers, then output, then one header and the footer of the step that shows nothing."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", *turn(1))
        async with terminal(url_of(service), "s") as screen:
            await screen.shows("answer 1")
            assert headers(screen) == 2
            assert "output 1" not in screen.text()
            await screen.press("ctrl+o")
            await screen.shows("output 1")
            assert (headers(screen), "expanded" in screen.rows()[-2]) == (2, True)
            await screen.press("ctrl+o")
            await screen.shows_not("bash")
            assert screen.body()[1:] == [
                "You", "┃ question 1", "  ⏱ 2s", "Assistant", "  ~ thought 1", "  answer 1", "— completed",
            ]  # fmt: skip
            await screen.press("ctrl+r")
            await screen.shows_not("thought 1")
            assert headers(screen) == 1
            await screen.press("ctrl+o")
            await screen.shows("bash")
            assert headers(screen) == 2
            assert "reasoning off" in screen.rows()[-2]
            await screen.press("ctrl+r")
            await screen.shows("thought 1")


async def test_a_retraction_hands_the_header_on_while_it_streams(tmp_path: Path) -> None:
    """D-4 on the screen: the header goes to the next step with a body, and live equals what a new reader sees."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", {"type": "turn/start", "turn": 1}, chunk("to be taken back"))
        async with terminal(url_of(service), "s", phase="hidden") as screen:
            await screen.shows("to be taken back")
            retry = {"type": "llm/retry", "turn": 1, "step": 1, "retry_id": "r", "retry": 1}
            await service.stack.post("s", retry, chunk("second ", step=2))
            await screen.shows("second")
            await service.stack.post("s", chunk("wind", step=2))
            await screen.shows("second wind")
            assert headers(screen) == 1
            async with terminal(url_of(service), "s", phase="hidden") as other:
                await other.shows("second wind")
                assert other.body() == screen.body()


async def test_the_end_is_followed_until_the_reader_goes_up(tmp_path: Path) -> None:
    """And then what comes below leaves the reader where he is, and says that it is there."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", *(event for one in range(1, 9) for event in turn(one)))
        async with terminal(url_of(service), "s") as screen:
            await screen.shows("answer 8")
            await service.stack.post("s", {"type": "turn/start", "turn": 9}, chunk("streams", 9))
            await screen.shows("streams")
            assert "● running" in screen.rows()[0]
            assert "● running" in screen.body()[-1]
            await screen.press("pageup")
            before = screen.body()
            assert "more below" in screen.rows()[-2]
            height = screen.page.transcript.last_top
            await service.stack.post("s", chunk(" and grows\n" * 30, 9))
            await wait_until(lambda: screen.page.transcript.last_top >= height + 30, "it came")
            await screen.shows("new below")
            assert screen.body() == before
            await screen.press("G")
            await screen.shows("and grows")
            assert "below" not in screen.rows()[-2]


async def test_earlier_turns_are_loaded_when_the_reader_goes_up(tmp_path: Path) -> None:
    """F-3: the tail first; at its beginning, older turns come above and the same rows stay in sight."""
    async with serving_sockets(tmp_path) as service:
        for first in range(1, 701, 100):
            await service.stack.post(
                "s", *(event for one in range(first, first + 100) for event in turn(one))
            )
        async with terminal(url_of(service), "s") as screen:
            await screen.shows("answer 700")
            held = screen.page.session.subscription.held
            count = len(held.turns)
            assert 0 < count < 700
            await screen.press("g")
            await wait_until(lambda: len(held.turns) > count, "older turns are there")
            oldest = 700 - count + 1
            await wait_until(lambda: screen.page.transcript.top_row > 0, "they stand above")
            await screen.shows(f"┃ question {oldest}")
            assert f"┃ question {oldest}" in screen.body()

            async def is_at_the_beginning() -> bool:
                await screen.press("g")
                await screen.pilot.pause(0.05)
                complete = screen.page.session.subscription.history_complete
                return complete and not screen.page.transcript.top_row

            await wait_until(is_at_the_beginning, "everything is loaded", within_s=30)
            await screen.shows("beginning of the session")
            assert "┃ question 1" in screen.body()
            assert [one.number for one in held.turns] == list(range(1, 701))
            await screen.press("ctrl+o")
            await screen.shows("output 1")
            assert "┃ question 1" in screen.body()
            assert len(screen.page.session.subscription.held.turns) == 700


async def test_the_text_at_the_top_stays_there_with_the_width_the_phase_and_the_colours(
    tmp_path: Path,
) -> None:
    """D-4, S003: resize and theme converge on the same fold; the reader's place is a text, not a row number."""
    async with serving_sockets(tmp_path) as service:
        long = " ".join(f"word{number}" for number in range(60))
        await service.stack.post(
            "s", *(event for one in range(1, 20) for event in turn(one, f"{long} end{one}"))
        )
        async with terminal(url_of(service), "s") as screen:
            await screen.shows("end19")
            await screen.press("[", "[", "[", "[")
            at_top = screen.body()[:2]
            assert at_top[0] == "You"
            for width in (40, 200, 80):
                await screen.resize(width, 24)
                assert screen.body()[:2] == at_top
            await screen.press("t")
            assert screen.body()[:2] == at_top
            await screen.press("ctrl+o")
            await screen.shows("output")
            assert screen.body()[:2] == at_top
            await screen.press("ctrl+o")
            await screen.shows_not("output")
            assert screen.body()[:2] == at_top


async def test_a_search_leads_from_match_to_match_and_knows_what_is_hidden(tmp_path: Path) -> None:
    """F-1: `/`, n and N; what this phase does not show is counted by the service."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", *(event for one in range(1, 30) for event in turn(one)))
        async with terminal(url_of(service), "s", phase="hidden") as screen:
            await screen.shows("answer 29")
            first = next(row for row in screen.body() if "answer" in row).split()[-1]
            await screen.press("/", *"answer")
            await screen.shows(f"{first} of 29")
            await screen.press("enter", "N", "N")
            await screen.shows(f"{int(first) - 2} of 29")
            await screen.press("n")
            await screen.shows(f"{int(first) - 1} of 29")
            await screen.press("escape", "/", *"output 7", "enter")
            await screen.shows("not found · +1 not shown here")
            await screen.press("escape")
            assert "not found" not in screen.text()
            await screen.press("/", *"nowhere", "escape")
            assert screen.page.searching.pattern is None


async def test_a_search_upwards_goes_on_in_earlier_turns(tmp_path: Path) -> None:
    """F-3: what is not loaded is loaded, until a match is found."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", *turn(1, "the needle"))
        for first in range(2, 602, 100):
            await service.stack.post(
                "s", *(event for one in range(first, first + 100) for event in turn(one))
            )
        async with terminal(url_of(service), "s") as screen:
            await screen.shows("answer 601")
            await screen.press("/", *"needle", "enter", "N")
            await screen.shows("the needle", within_s=30)
            await screen.shows("1 of 1")


async def test_what_waits_for_the_reader_is_seen_in_every_phase(tmp_path: Path) -> None:
    """C-3's word for the terminal: at its place, in the line below, and one key away."""
    ask = {"type": "interaction/request", "turn": 30, "id": "p", "kind": "permission", "title": "push it?"}
    tail = [{"type": "notice", "id": f"n{number}", "level": "info", "text": "so on"} for number in range(40)]
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", {"type": "turn/start", "turn": 30}, ask, *tail)
        async with terminal(url_of(service), "s") as screen:
            for phase in ("collapsed", "expanded", "hidden"):
                await screen.shows(phase)
                await screen.shows("1 waiting for you (w)")
                await screen.press("w")
                await screen.shows("▶ permission: push it? — waits for you")
                await screen.press("G")
                await screen.press("ctrl+o")
            await service.stack.post("s", {"type": "interaction/resolve", "id": "p", "outcome": "denied"})
            await screen.shows_not("waiting for you")


async def test_the_help_names_every_key_and_any_of_its_keys_closes_it(tmp_path: Path) -> None:
    """`?`, in both languages and at both widths."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", *turn(1))
        for size, locale, says in (((80, 40), "en", "Ctrl+R"), ((40, 40), "zh-CN", "下一阶段")):
            async with terminal(url_of(service), "s", size=size, locale=locale) as screen:
                await screen.shows("answer 1")
                await screen.press("?")
                await screen.shows(says)
                await screen.press("escape")
                await screen.shows("answer 1")
                await screen.press("?", "q")
                await screen.shows("answer 1")


async def test_a_session_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    """It says so, and shows what comes."""
    async with serving_sockets(tmp_path) as service, terminal(url_of(service), "later") as screen:
        await screen.shows("Nothing here yet.")
        await service.stack.post("later", *turn(1))
        await screen.shows("answer 1")


async def test_keys_that_come_faster_than_answers_end_at_what_was_asked_last(tmp_path: Path) -> None:
    """One question at a time: a key that is held costs no refusal, and no answer shows under another's name."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", *turn(1))
        async with terminal(url_of(service), "s") as screen:
            await screen.shows("answer 1")
            await screen.press(*["ctrl+o"] * 50)
            await wait_until(lambda: screen.page.session.is_shown, "the last view is shown")
            await screen.shows_not("…")
            assert "hidden" in screen.rows()[-2]
            assert headers(screen) == 1
            assert "bash" not in screen.text()


async def test_a_terminal_of_any_size_is_drawn(tmp_path: Path) -> None:
    """Down to one cell, and up again."""
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", *turn(1))
        async with terminal(url_of(service), "s") as screen:
            await screen.shows("answer 1")
            for size in ((12, 5), (5, 2), (1, 1), (300, 90), (80, 24)):
                await screen.resize(*size)
                assert screen.widths() <= {size[0]}
            await screen.shows("answer 1")


async def test_what_is_marked_with_the_mouse_is_copied_as_it_was_said(tmp_path: Path) -> None:
    """Without margins, and a line that was wrapped is one line again; nothing marked, Ctrl+C is the end."""
    said = " ".join(f"word{number}" for number in range(30)) + "\nsecond line"
    async with serving_sockets(tmp_path) as service:
        await service.stack.post("s", *turn(1, said))
        async with terminal(url_of(service), "s", size=(60, 30)) as screen:
            await screen.shows("second line")
            first = next(at for at, row in enumerate(screen.rows()) if "word0" in row)
            last = next(at for at, row in enumerate(screen.rows()) if "second line" in row)
            await screen.pilot.mouse_down(offset=(0, first))
            await screen.pilot.hover(offset=(30, first + 1))
            await screen.pilot.hover(offset=(55, last))
            await screen.pilot.mouse_up(offset=(55, last))
            await screen.press("y")
            assert screen.app.clipboard == said
            assert f"{len(said)} characters copied" in screen.text()


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
async def test_quitting_ends_it_with_success(tmp_path: Path, key: str) -> None:
    """From wherever the reader is."""
    async with serving_sockets(tmp_path) as service:
        async with terminal(url_of(service), "s") as screen:
            await screen.press(key)
        assert screen.app.return_code == 0


async def test_the_rest_of_a_great_text_comes_at_a_key(tmp_path: Path) -> None:
    """`m`: an answer that came as its head says so, and is whole afterwards; nothing is cut silently."""
    words = "\n".join(f"line {number}" for number in range(400))
    async with serving_sockets(tmp_path, inline_bytes=256) as service:
        await service.stack.post("s", *turn(1, words))
        async with terminal(url_of(service), "s") as screen:
            await screen.shows("3 kB in all · m shows the rest")
            await screen.press("m")
            await screen.shows("loaded")
            await screen.press("G")
            await screen.shows("line 399")
            await screen.press("m")
            await screen.shows("nothing here was cut")
