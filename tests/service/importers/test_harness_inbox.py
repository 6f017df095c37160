"""Steering: a user message whose id was taken from the next-step queue, and nothing else."""

from tests.service.importers.harness_log import Json, event, natives, said, splice


def states(found: list[Json]) -> list[tuple[str, str]]:
    """The steering states told, in order."""
    return [(fields["id"], fields["state"]) for fields in found if fields["type"] == "user/steering"]


def test_message_taken_from_the_queue_is_steering() -> None:
    """It waits from the first splice on and is delivered by the message itself, at the message's place."""
    found = natives(
        [splice(said("s1", "Also this")), splice(removed=1), event("user/message", **said("s1", "Also this"))]
    )
    assert states(found) == [("s1", "queued"), ("s1", "delivered")]
    assert found[2]["state"] == "delivered"


def test_message_never_queued_is_an_ordinary_one() -> None:
    """Wherever it stands: in the middle of a turn too."""
    found = natives([event("turn/start", turn=1), event("user/message", **said("u1", "Wait"))])
    assert found[1]["type"] == "user/message"


def test_message_that_waited_for_the_next_turn_is_an_ordinary_one() -> None:
    """The harness queues every submission; only `next-step` steers."""
    found = natives(
        [
            splice(said("u1", "Hello"), target="next-turn"),
            splice(removed=1, target="next-turn"),
            event("user/message", **said("u1", "Hello")),
        ]
    )
    assert [fields["type"] for fields in found] == [
        "custom/agent/inbox/spliced",
        "custom/agent/inbox/spliced",
        "user/message",
    ]


def test_queues_do_not_mix() -> None:
    """A removal from one queue takes nothing from the other."""
    found = natives(
        [
            splice(said("s1", "steer")),
            splice(said("u1", "next"), target="next-turn"),
            splice(removed=1, target="next-turn"),
            event("user/message", **said("s1", "steer")),
        ]
    )
    assert found[3]["type"] == "user/message"


def test_canceled_message_is_taken_back() -> None:
    """`outcome: canceled` delivers nothing; a later message of the same id would be an ordinary one."""
    found = natives(
        [
            splice(said("s1", "no")),
            splice(removed=1, outcome="canceled"),
            event("user/message", **said("s1", "no")),
        ]
    )
    assert states(found) == [("s1", "queued"), ("s1", "canceled")]
    assert found[2]["type"] == "user/message"


def test_start_and_removed_count_say_which_messages_are_taken() -> None:
    """The second of three is taken; the others still wait."""
    found = natives(
        [
            splice(said("a", "1"), said("b", "2"), said("c", "3")),
            splice(start=1, removed=1),
            event("user/message", **said("b", "2")),
            event("user/message", **said("a", "1")),
        ]
    )
    assert [fields["type"] for fields in found[2:]] == ["user/steering", "user/message"]


def test_states_of_several_messages_are_carried_by_the_next_silent_events() -> None:
    """One log event gives one native event, so the second state waits for an event that shows nothing."""
    found = natives(
        [
            splice(said("a", "1"), said("b", "2")),
            event("todo/write", todos=[]),
            splice(removed=2),
            event("user/message", **said("a", "1")),
            event("user/message", **said("b", "2")),
        ]
    )
    assert len(found) == 5
    assert states(found) == [("a", "queued"), ("b", "queued"), ("a", "delivered"), ("b", "delivered")]
    assert found[1]["source_event"] == {"type": "todo/write", "data": {"todos": []}}


def test_message_delivered_before_its_waiting_was_told_is_only_delivered() -> None:
    """A queued state told after the delivery would wait for ever."""
    found = natives(
        [
            splice(said("a", "1"), said("b", "2")),
            splice(removed=2),
            event("user/message", **said("b", "2")),
            event("todo/write"),
        ]
    )
    assert states(found) == [("a", "queued"), ("b", "delivered")]


def test_edited_message_still_waits() -> None:
    """Taken out and put back with another text in one splice."""
    found = natives([splice(said("a", "one")), splice(said("a", "two"), removed=1)])
    assert states(found) == [("a", "queued"), ("a", "queued")]
    assert found[1]["content"] == [{"type": "text", "text": "two"}]


def test_queued_message_that_no_human_wrote_is_context_when_it_comes() -> None:
    """A goal's reminder goes through the same queue."""
    reminder = said("g1", "Goal done", source="goal")
    found = natives([splice(reminder), splice(removed=1), event("user/message", **reminder)])
    assert states(found) == []
    assert found[2]["type"] == "context/injection"


def test_removal_of_messages_that_the_log_does_not_hold_is_harmless() -> None:
    """A partial history begins after they were queued."""
    found = natives([splice(removed=2), event("user/message", **said("x", "?"))])
    assert found[1]["type"] == "user/message"
