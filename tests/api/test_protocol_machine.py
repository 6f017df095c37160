"""The protocol of one socket against a model of it: anything in any order, at any rate, in both codecs.

The model is the rules of `api/protocol.py` in the plainest form: a phase, a dictionary of names and a number of
messages left. What it expects is compared with every effect, not only with the state.
"""

from collections.abc import Callable
from typing import Any

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from api.codes import CloseCode, ErrorCode
from api.messages import Codec, Drain, Error, Limits, Pong, Welcome
from api.protocol import (
    Authenticate,
    Close,
    Connection,
    Drop,
    Effect,
    Follow,
    FollowList,
    Reach,
    Redeem,
    Renew,
    Send,
    Show,
    State,
)

Seen = tuple[object, ...]
MOST_SUBS = 3
WELCOME: Seen = ("welcome",)


def seen(effect: Effect) -> Seen:
    """An effect in the model's words."""
    match effect:
        case Send(message=Error() as error):
            return ("error", error.code, error.sub)
        case Send(message=Welcome() | Pong() | Drain() as message):
            return (type(message).__name__.lower(),)
        case Authenticate() | Renew():
            return (type(effect).__name__.lower(), effect.token)
        case Redeem():
            return ("redeem", effect.ticket, effect.renews)
        case Follow() | Show():
            return (type(effect).__name__.lower(), effect.sub, effect.view_rev)
        case FollowList() | Drop() | Reach():
            return (type(effect).__name__.lower(), effect.sub)
        case Close():
            return ("close", effect.code)
        case other:
            raise AssertionError(f"no effect of the protocol: {other}")


class Model:
    """What a socket is, as a reader of the rules would keep it."""

    def __init__(self, *, known: bool, per_minute: int) -> None:
        self.phase = "known" if known else "stranger"
        self.subs: dict[str, int] = {}
        self.per_minute = self.left = per_minute
        self.greeted = False

    def pass_time(self, seconds: int) -> None:
        """The bucket fills, one minute's worth at most."""
        self.left = min(self.per_minute, self.left + seconds * self.per_minute // 60)

    def message(self, kind: Callable[[], list[Seen]]) -> list[Seen]:
        """One frame of the client; what it costs comes before what it says."""
        if self.phase == "closed":
            return []
        self.left -= 1
        if self.left < -self.per_minute:
            return self.close(CloseCode.TOO_MANY_MESSAGES)
        if self.left < 0:
            return [("error", ErrorCode.TOO_MANY_MESSAGES, None)]
        return kind()

    def hello(self, credential: str, *, is_ticket: bool) -> list[Seen]:
        if self.phase not in ("stranger", "known"):
            return [("error", ErrorCode.UNEXPECTED_MESSAGE, None)]
        if credential:
            self.phase = "authenticating"
            return [("redeem", credential, False) if is_ticket else ("authenticate", credential)]
        if self.phase == "stranger":
            return [("error", ErrorCode.UNAUTHENTICATED, None)]
        self.phase = "open"
        return [WELCOME]

    def request(self, sub: str | None, answer: Callable[[], list[Seen]]) -> list[Seen]:
        if self.phase in ("stranger", "authenticating"):
            return [("error", ErrorCode.UNEXPECTED_MESSAGE, sub)]
        answered = answer()
        if self.phase == "known":
            self.phase = "open"
            return [WELCOME, *answered]
        return answered

    def subscribe(self, sub: str, *, listed: bool) -> list[Seen]:
        if sub in self.subs:
            return [("error", ErrorCode.SUB_IN_USE, sub)]
        if len(self.subs) == MOST_SUBS:
            return [("error", ErrorCode.TOO_MANY_SUBSCRIPTIONS, sub)]
        self.subs[sub] = 0 if listed else 1
        return [("followlist", sub)] if listed else [("follow", sub, 1)]

    def unsubscribe(self, sub: str) -> list[Seen]:
        known = self.subs.pop(sub, None) is not None
        return [("drop", sub)] if known else [("error", ErrorCode.NO_SUCH_SUB, sub)]

    def set_view(self, sub: str) -> list[Seen]:
        if not self.subs.get(sub):
            return [("error", ErrorCode.NO_SUCH_SUB, sub)]
        self.subs[sub] += 1
        return [("show", sub, self.subs[sub])]

    def reach(self, sub: str) -> list[Seen]:
        return [("reach", sub)] if self.subs.get(sub) else [("error", ErrorCode.NO_SUCH_SUB, sub)]

    def close(self, code: CloseCode) -> list[Seen]:
        if self.phase == "closed":
            return []
        self.phase = "closed"
        self.subs.clear()
        return [("close", code)]


class ProtocolMachine(RuleBasedStateMachine):
    """Whatever the client sends and the shell finds out, the connection does what the model says."""

    names = st.sampled_from(["a", "b", "c", "d"])

    @initialize(
        known=st.booleans(),
        per_minute=st.sampled_from([6, 6_000]),
        codec=st.sampled_from(["json", "msgpack"]),
    )
    def accept(self, *, known: bool, per_minute: int, codec: Codec) -> None:
        """A socket that was just accepted."""
        limits = Limits(max_subscriptions=MOST_SUBS, max_messages_per_minute=per_minute)
        self.now_ms = 1_000_000
        self.codec = codec
        self.connection = Connection(limits=limits, known=known, now_ms=self.now_ms, codec=codec)
        self.model = Model(known=known, per_minute=per_minute)

    def check(self, effects: list[Effect], expected: list[Seen]) -> None:
        """Every effect is the expected one, and nothing is answered before the greeting."""
        found = [seen(effect) for effect in effects]
        assert found == expected
        for one in found:
            self.model.greeted |= one == WELCOME
            assert self.model.greeted or one[0] in ("error", "authenticate", "redeem", "close", "drain"), one

    def say(self, kind: Callable[[], list[Seen]], **message: Any) -> None:
        """The client sends a message."""
        frame = (
            msgspec.json.encode(message).decode() if self.codec == "json" else msgspec.msgpack.encode(message)
        )
        self.check(self.connection.receive(frame, self.now_ms), self.model.message(kind))

    @rule(seconds=st.sampled_from([10, 20, 60, 600]))
    def wait(self, seconds: int) -> None:
        """Time passes."""
        self.now_ms += seconds * 1000
        self.model.pass_time(seconds)

    @rule(credential=st.sampled_from(["", "good", "bad"]), is_ticket=st.booleans())
    def hello(self, credential: str, *, is_ticket: bool) -> None:
        """With a token, a ticket, or neither."""
        fields = {"ticket" if is_ticket else "token": credential} if credential else {}
        self.say(lambda: self.model.hello(credential, is_ticket=is_ticket), type="hello", **fields)

    @rule(sub=names, listed=st.booleans())
    def subscribe(self, sub: str, *, listed: bool) -> None:
        """To a session or to the list."""
        kind = "subscribe_sessions" if listed else "subscribe"
        fields = {} if listed else {"session": "s1", "view": {"kind": "web"}}
        answer = lambda: self.model.subscribe(sub, listed=listed)  # noqa: E731 - it is asked for later
        self.say(lambda: self.model.request(sub, answer), type=kind, sub=sub, **fields)

    @rule(sub=names)
    def unsubscribe(self, sub: str) -> None:
        """From what is there or not."""
        answer = lambda: self.model.unsubscribe(sub)  # noqa: E731 - as above
        self.say(lambda: self.model.request(sub, answer), type="unsubscribe", sub=sub)

    @rule(sub=names)
    def set_view(self, sub: str) -> None:
        """Only a session has a view."""
        answer = lambda: self.model.set_view(sub)  # noqa: E731 - as above
        self.say(lambda: self.model.request(sub, answer), type="set_view", sub=sub, view={"kind": "web"})

    @rule(sub=names)
    def load_earlier(self, sub: str) -> None:
        """Only a session has earlier turns."""
        answer = lambda: self.model.reach(sub)  # noqa: E731 - as above
        self.say(lambda: self.model.request(sub, answer), type="load_earlier", sub=sub, limit=5)

    @rule(is_ticket=st.booleans())
    def refresh(self, *, is_ticket: bool) -> None:
        """A fresh token or ticket for an open socket."""
        answer: Seen = ("redeem", "t", True) if is_ticket else ("renew", "t")
        fields = {"ticket" if is_ticket else "token": "t"}
        self.say(lambda: self.model.request(None, lambda: [answer]), type="refresh", **fields)

    @rule()
    def ping(self) -> None:
        """The cheapest request."""
        self.say(lambda: self.model.request(None, lambda: [("pong",)]), type="ping")

    @rule(
        case=st.sampled_from(
            [
                ({"type": "no such"}, ErrorCode.UNKNOWN_TYPE),
                ({}, ErrorCode.UNKNOWN_TYPE),
                ({"type": "ping", "sub": "x" * 70_000}, ErrorCode.MESSAGE_TOO_LARGE),
                ({"type": "hello", "token": 1}, ErrorCode.INVALID_MESSAGE),
                ({"type": "hello", "token": "t", "ticket": "t"}, ErrorCode.INVALID_MESSAGE),
                ({"type": "refresh"}, ErrorCode.INVALID_MESSAGE),
                ({"type": "load_earlier", "sub": "", "limit": 1}, ErrorCode.INVALID_MESSAGE),
                ({"type": "refresh"}, ErrorCode.INVALID_MESSAGE),
            ]
        )
    )
    def say_nonsense(self, case: tuple[dict[str, Any], ErrorCode]) -> None:
        """A well-formed frame that is no message costs its place in the bucket and changes nothing."""
        message, code = case
        sub = message.get("sub") if code is ErrorCode.INVALID_MESSAGE else None
        self.say(lambda: [("error", code, sub)], **message)

    @rule(raw=st.one_of(st.text(max_size=20), st.binary(max_size=20)))
    def send_rubbish(self, raw: str | bytes) -> None:
        """Any bytes in any frame: one error, and nothing else."""
        effects = self.connection.receive(raw, self.now_ms)
        expected = self.model.message(lambda: [("error",)])
        assert [seen(effect)[: len(one)] for effect, one in zip(effects, expected, strict=True)] == expected

    @rule()
    def admit(self) -> None:
        """The token of `hello` was good."""
        was, expected = self.model.phase, list[Seen]()
        if was == "authenticating":
            self.model.phase, expected = "open", [WELCOME]
        self.check(self.connection.admit(self.now_ms), expected)

    @rule()
    def refuse(self) -> None:
        """The token of `hello` was not good."""
        expected: list[Seen] = []
        if self.model.phase == "authenticating":
            expected = [
                ("error", ErrorCode.UNAUTHENTICATED, None),
                *self.model.close(CloseCode.UNAUTHENTICATED),
            ]
        self.check(self.connection.refuse("no"), expected)

    @rule()
    def renewed(self) -> None:
        """The token of `refresh` was good; the shell asks only for sockets that were greeted."""
        if self.model.greeted:
            expected = [] if self.model.phase == "closed" else [WELCOME]
            self.check(self.connection.renewed(self.now_ms, None), expected)

    @rule()
    def time_out(self) -> None:
        """The time for `hello` is over."""
        is_late = self.model.phase == "stranger"
        expected = self.model.close(CloseCode.HELLO_TIMEOUT) if is_late else []
        self.check(self.connection.hello_timeout(), expected)

    @rule()
    def drain(self) -> None:
        """The service stops."""
        warns = self.model.phase not in ("draining", "closed")
        if self.model.phase == "open":
            self.model.phase = "draining"
        self.check(self.connection.drain(500), [("drain",)] if warns else [])

    @rule(sub=names)
    def end(self, sub: str) -> None:
        """The service ends a subscription, if there is one."""
        was_there = self.model.subs.pop(sub, None) is not None
        expected: list[Seen] = [("error", ErrorCode.UNAVAILABLE, sub)] if was_there else []
        self.check(self.connection.ended(sub, ErrorCode.UNAVAILABLE), expected)

    @rule(chance=st.integers(0, 3))
    def close(self, chance: int) -> None:
        """The service closes the socket; seldom, for nothing follows."""
        if chance:
            return
        self.check(self.connection.close(CloseCode.DRAINING), self.model.close(CloseCode.DRAINING))

    @invariant()
    def agrees(self) -> None:
        """State and names are the model's."""
        assert self.connection.state is State[self.model.phase.upper()]
        assert self.connection.subs == self.model.subs


TestAnythingInAnyOrder = ProtocolMachine.TestCase
