"""Frames: complete, shared, and the same message in both encodings."""

from typing import get_args

import msgspec
import pytest
from websockets.client import ClientProtocol
from websockets.frames import Frame as ReceivedFrame
from websockets.frames import Opcode
from websockets.protocol import OPEN
from websockets.uri import parse_uri

from api import messages
from api.frames import NO_REV, NOBODY, SharedFrame, bytes_of, frame_of, payload_of
from api.messages import CaughtUp, Codec, Delta, Earlier, Pong, Reset, Sessions, Snapshot
from projections.deltas import AppendOp
from projections.position import Position
from projections.view import WebView

AT = Position(epoch="e", version=1)
EVERY_SHARED: list[messages.Shared | Sessions] = [
    Snapshot(
        sub=NOBODY, view_rev=NO_REV, position=AT, view=WebView(), history_complete=True, before=None,
        session_rows=(), turns=(), part=0, last=True,
    ),
    Delta(sub=NOBODY, view_rev=NO_REV, since=1, to=2, epoch="e", ops=()),
    CaughtUp(sub=NOBODY, view_rev=NO_REV, position=AT),
    Earlier(
        sub=NOBODY, view_rev=NO_REV, position=AT, before=None, history_complete=True, session_rows=(), turns=()
    ),
    Reset(sub=NOBODY, view_rev=NO_REV, reason="slow"),
    Sessions(sub=NOBODY, whole=True, sessions=(msgspec.Raw(b'{"session":"s"}'),)),
]  # fmt: skip


def delta_of(text: str) -> Delta:
    """A delta that adds a text."""
    op = AppendOp(turn=1, key="step:1:1", block=0, text=text)
    return Delta(sub=NOBODY, view_rev=NO_REV, since=1, to=2, epoch="e", ops=(op,))


def read(frame: tuple[bytes, ...]) -> ReceivedFrame:
    """The frame as a client's protocol engine reads it."""
    client = ClientProtocol(parse_uri("ws://localhost/"), state=OPEN, max_size=None)
    client.receive_data(b"".join(frame))
    (event,) = client.events_received()
    assert isinstance(event, ReceivedFrame)
    return event


def value_of(frame: tuple[bytes, ...], codec: Codec) -> dict[str, object]:
    """What a frame says."""
    decode = msgspec.json.decode if codec == "json" else msgspec.msgpack.decode
    value: dict[str, object] = decode(read(frame).data)
    return value


def test_every_shared_message_is_tried() -> None:
    """A new one has to be added to this module."""
    assert {type(one) for one in EVERY_SHARED} == {*get_args(messages.Shared), Sessions}


@pytest.mark.parametrize("message", EVERY_SHARED, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("codec", get_args(Codec))
@pytest.mark.parametrize("sub", ["a", 'a "b"', "ß" * 64])
def test_a_shared_message_is_addressed_by_its_head_alone(
    message: messages.Shared | Sessions, codec: Codec, sub: str
) -> None:
    """The frame for a subscription is what encoding the whole message for it would give."""
    named = {"sub": sub} if isinstance(message, Sessions) else {"sub": sub, "view_rev": 300}
    wanted = msgspec.json.decode(msgspec.json.encode(msgspec.structs.replace(message, **named)))
    assert value_of(SharedFrame(message).to(sub, 300, codec), codec) == wanted


@pytest.mark.parametrize("length", [0, 60, 300, 65_000, 66_000, 300_000])
@pytest.mark.parametrize("codec", get_args(Codec))
def test_a_frame_is_complete_at_any_length(length: int, codec: Codec) -> None:
    """RFC 6455: the length in 1, 2 or 8 bytes, the opcode by the codec, one fragment."""
    frame = SharedFrame(delta_of("x" * length)).to("a", 1, codec)
    received = read(frame)
    assert (received.opcode, received.fin) == (Opcode.TEXT if codec == "json" else Opcode.BINARY, True)
    assert payload_of(frame) == bytes(received.data)
    assert bytes_of(frame) == len(b"".join(frame))


@pytest.mark.parametrize("codec", get_args(Codec))
def test_subscribers_of_one_name_get_the_very_same_bytes(codec: Codec) -> None:
    """W-3: encoded and framed once."""
    shared = SharedFrame(delta_of("hello"))
    assert shared.to("a", 1, codec)[0] is shared.to("a", 1, codec)[0]


def test_a_great_tail_is_shared_by_subscribers_of_any_name() -> None:
    """Memory does not grow with the subscribers of a great snapshot."""
    shared = SharedFrame(delta_of("x" * 100_000))
    assert shared.to("a", 1, "json")[1] is shared.to("b", 2, "json")[1]


def test_frames_of_many_names_are_not_all_kept() -> None:
    """A message that is kept, as a snapshot is, does not grow with those who come and go."""
    shared = SharedFrame(delta_of("hello"))
    for number in range(1000):
        shared.to(f"sub{number}", 1, "json")
    assert len(shared._frames) < 20


@pytest.mark.parametrize("codec", get_args(Codec))
def test_a_message_of_one_socket_is_a_frame_as_well(codec: Codec) -> None:
    """The same in both encodings."""
    assert value_of(frame_of(Pong(server_time_ms=5), codec), codec) == {"type": "pong", "server_time_ms": 5}
