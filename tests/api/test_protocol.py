"""The protocol of one socket, without a network: what each input means in each state."""

import msgspec
import pytest

from api.codes import CLOSES, ERRORS, CloseCode, ErrorCode, may_reconnect
from api.messages import Error, Limits, Pong, Welcome
from api.protocol import (
    TRANSITIONS,
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

NOW_MS = 1_000
SUBSCRIBE = {"type": "subscribe", "sub": "a", "session": "s1", "view": {"kind": "web"}}


def connection(*, known: bool = True, **limits: int) -> Connection:
    """A socket that was just accepted."""
    return Connection(limits=Limits(**limits), known=known, now_ms=NOW_MS)


def opened(**limits: int) -> Connection:
    """A socket whose hello was said."""
    made = connection(known=True, **limits)
    say(made, {"type": "hello"})
    return made


def say(to: Connection, message: object, now_ms: int = NOW_MS) -> list[Effect]:
    """Receive one JSON message."""
    return to.receive(msgspec.json.encode(message).decode(), now_ms)


def image(of: Connection) -> tuple[State, dict[str, int]]:
    """Everything of a connection but its rate."""
    return of.state, dict(of.subs)


def assert_refused(effects: list[Effect], code: ErrorCode) -> None:
    """The effects are one error message of this code."""
    assert len(effects) == 1
    assert isinstance(effects[0], Send)
    assert isinstance(effects[0].message, Error)
    assert (effects[0].message.code, effects[0].message.retry) == (code, ERRORS[code].retry)


def test_hello_is_answered_by_welcome_with_the_limits() -> None:
    """A client learns what it has to keep to before anything else."""
    (effect,) = say(connection(), {"type": "hello"})
    assert isinstance(effect, Send)
    assert effect.message == Welcome(limits=Limits(), server_time_ms=NOW_MS)


def test_a_known_client_may_leave_hello_out() -> None:
    """`welcome` is the first message all the same."""
    first, second = say(connection(), {"type": "ping"})
    assert isinstance(first, Send)
    assert isinstance(second, Send)
    assert isinstance(first.message, Welcome)
    assert isinstance(second.message, Pong)


def test_a_token_is_checked_by_the_shell() -> None:
    """The protocol asks, and opens or closes by the answer."""
    good, bad = connection(known=False), connection(known=False)
    assert say(good, {"type": "hello", "token": "t"}) == [Authenticate(token="t")]
    good.admit(NOW_MS)
    say(bad, {"type": "hello", "token": "t"})
    refused = bad.refuse("no")
    assert (good.state, bad.state) == (State.OPEN, State.CLOSED)
    assert isinstance(refused[-1], Close)
    assert refused[-1].code == CloseCode.UNAUTHENTICATED


def test_a_ticket_is_used_up_by_the_shell() -> None:
    """As a token is checked; meanwhile no other message is legal."""
    stranger = connection(known=False)
    assert say(stranger, {"type": "hello", "ticket": "t"}) == [Redeem(ticket="t")]
    (refused,) = say(stranger, {"type": "ping"})
    assert isinstance(refused, Send)
    assert isinstance(refused.message, Error)
    assert refused.message.code == ErrorCode.UNEXPECTED_MESSAGE
    stranger.admit(NOW_MS)
    assert stranger.state is State.OPEN


def test_the_hello_timer_closes_strangers_alone() -> None:
    """Who said hello in time, or had to say nothing, is not touched by the timer."""
    stranger = connection(known=False)
    (closed,) = stranger.hello_timeout()
    assert isinstance(closed, Close)
    assert closed.code == CloseCode.HELLO_TIMEOUT
    assert opened().hello_timeout() == connection().hello_timeout() == []


def test_every_request_has_its_effect() -> None:
    """What a client asks becomes one thing for the shell to do."""
    made = opened()
    (follow,) = say(made, SUBSCRIBE)
    assert isinstance(follow, Follow)
    assert (follow.sub, follow.view_rev, follow.session) == ("a", 1, "s1")
    assert say(made, {"type": "subscribe_sessions", "sub": "l"}) == [FollowList(sub="l")]
    (show,) = say(made, {"type": "set_view", "sub": "a", "view": {"kind": "web", "mode": "normal"}})
    assert isinstance(show, Show)
    assert show.view_rev == 2
    assert say(made, {"type": "load_earlier", "sub": "a", "limit": 5}) == [Reach(sub="a", limit=5)]
    assert say(made, {"type": "refresh", "token": "t"}) == [Renew(token="t")]
    assert say(made, {"type": "refresh", "ticket": "t"}) == [Redeem(ticket="t", renews=True)]
    assert say(made, {"type": "unsubscribe", "sub": "a"}) == [Drop(sub="a")]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (SUBSCRIBE, ErrorCode.SUB_IN_USE),
        ({**SUBSCRIBE, "sub": "c"}, ErrorCode.TOO_MANY_SUBSCRIPTIONS),
        ({"type": "unsubscribe", "sub": "c"}, ErrorCode.NO_SUCH_SUB),
        ({"type": "load_earlier", "sub": "l"}, ErrorCode.NO_SUCH_SUB),
        ({"type": "load_earlier", "sub": "a", "limit": 0}, ErrorCode.INVALID_MESSAGE),
        ({"type": "hello"}, ErrorCode.UNEXPECTED_MESSAGE),
        ({"type": "hello", "token": ""}, ErrorCode.INVALID_MESSAGE),
        ({**SUBSCRIBE, "sub": "x" * 65}, ErrorCode.INVALID_MESSAGE),
        ({**SUBSCRIBE, "sub": 1}, ErrorCode.INVALID_MESSAGE),
        ({**SUBSCRIBE, "session": "a\n"}, ErrorCode.INVALID_MESSAGE),
        ({**SUBSCRIBE, "from_turn": "1"}, ErrorCode.INVALID_MESSAGE),
        ({**SUBSCRIBE, "position": {"epoch": "e"}}, ErrorCode.INVALID_MESSAGE),
        ({"type": "no such"}, ErrorCode.UNKNOWN_TYPE),
        ({"sub": "a"}, ErrorCode.UNKNOWN_TYPE),
        ({"type": 1}, ErrorCode.INVALID_MESSAGE),
        ([], ErrorCode.INVALID_MESSAGE),
    ],
)
def test_a_refused_message_leaves_the_state_untouched(message: object, code: ErrorCode) -> None:
    """One error, and everything is as it was before."""
    made = opened(max_subscriptions=2)
    say(made, SUBSCRIBE)
    say(made, {"type": "subscribe_sessions", "sub": "l"})
    before = image(made)
    assert_refused(say(made, message), code)
    assert image(made) == before


def test_unknown_fields_are_ignored() -> None:
    """A newer client may say more than we know."""
    assert isinstance(say(opened(), {**SUBSCRIBE, "colour": "red"})[0], Follow)


def test_a_frame_of_the_other_kind_is_refused() -> None:
    """Binary on a JSON socket, text on a MessagePack socket."""
    packed = Connection(limits=Limits(), known=True, now_ms=NOW_MS, codec="msgpack")
    assert_refused(opened().receive(b"{}", NOW_MS), ErrorCode.WRONG_FRAME)
    assert_refused(packed.receive("{}", NOW_MS), ErrorCode.WRONG_FRAME)


def test_size_is_counted_in_bytes_of_utf_8() -> None:
    """A text of few characters can be long."""
    made = opened(max_message_bytes=100)
    assert_refused(say(made, {"type": "ping", "x": "\u4e2d" * 40}), ErrorCode.MESSAGE_TOO_LARGE)


def test_a_client_over_its_rate_is_refused_then_served_again() -> None:
    """The bucket holds a minute's worth and fills with time."""
    made = opened(max_messages_per_minute=10)
    for _ in range(9):
        say(made, {"type": "ping"})
    assert_refused(say(made, {"type": "ping"}), ErrorCode.TOO_MANY_MESSAGES)
    (pong,) = say(made, {"type": "ping"}, NOW_MS + 60_000)
    assert isinstance(pong, Send)
    assert isinstance(pong.message, Pong)


def test_a_clock_set_back_costs_a_client_nothing_it_had() -> None:
    """The bucket fills from where the clock is now, not only once it has caught up."""
    made = opened(max_messages_per_minute=10)
    for _ in range(9):
        say(made, {"type": "ping"})
    assert_refused(say(made, {"type": "ping"}, NOW_MS - 86_400_000), ErrorCode.TOO_MANY_MESSAGES)
    (pong,) = say(made, {"type": "ping"}, NOW_MS - 86_400_000 + 60_000)
    assert isinstance(pong, Send)
    assert isinstance(pong.message, Pong)


def test_a_client_far_over_its_rate_is_closed() -> None:
    """It does not listen: closing is the only way to be heard."""
    made = opened(max_messages_per_minute=10)
    effects = [say(made, {"type": "ping"})[0] for _ in range(20)]
    assert isinstance(effects[-1], Close)
    assert effects[-1].code == CloseCode.TOO_MANY_MESSAGES
    assert say(made, {"type": "ping"}) == []


def test_a_subscription_that_the_service_ended_frees_its_name() -> None:
    """The error names it; a second end says nothing."""
    made = opened()
    say(made, SUBSCRIBE)
    assert_refused(made.ended("a", ErrorCode.GONE), ErrorCode.GONE)
    assert made.ended("a", ErrorCode.GONE) == []
    assert isinstance(say(made, SUBSCRIBE)[0], Follow)


def test_nothing_follows_a_close() -> None:
    """A closed socket has no effects left, whatever still comes in."""
    made = opened()
    made.close(CloseCode.INTERNAL)
    assert say(made, SUBSCRIBE) == made.drain(1) == made.renewed(1, None) == made.close(CloseCode.SLOW) == []


def test_every_state_but_the_last_can_be_left() -> None:
    """The table has no dead end but `CLOSED`, and nothing leaves that."""
    assert {before for before, _ in TRANSITIONS} == set(State) - {State.CLOSED}


def test_every_code_is_in_its_table_and_says_what_to_do() -> None:
    """W-5: the number alone tells whether to come back."""
    assert set(ERRORS) == set(ErrorCode)
    assert set(CLOSES) == set(CloseCode)
    final = {CloseCode.UNAUTHENTICATED, CloseCode.NO_SUBPROTOCOL}
    assert {code for code in CloseCode if not may_reconnect(code)} == final
