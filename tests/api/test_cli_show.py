"""`turnfold show` as its users run it."""

import json
from pathlib import Path

from tests.api.command import TURN, turnfold, written


def test_show_folds_a_closed_turn_behind_its_label_and_keeps_the_answer(tmp_path: Path) -> None:
    """The text view shows what the page shows."""
    done = turnfold("show", written(tmp_path / "s.jsonl", TURN))
    assert done.returncode == 0
    assert done.stdout.splitlines() == ["You: How many?", "▸ 1 tool call", "Three.", "— completed", ""]


def test_show_expand_shows_the_members_too(tmp_path: Path) -> None:
    """In their places, the label above them."""
    lines = turnfold("show", "--expand", written(tmp_path / "s.jsonl", TURN)).stdout.splitlines()
    assert lines[1:4] == ["▾ 1 tool call", "  ⚙ bash ls", "    → 3"]


def test_show_takes_a_view_and_its_preferences(tmp_path: Path) -> None:
    """As text, and as the wire's JSON that names every preference."""
    path = written(tmp_path / "s.jsonl", TURN)
    shown = turnfold("show", "--view", "desktop", path).stdout.splitlines()
    assert shown == ["You: How many?", "▸ Completed · 1 tool call", "Three.", ""]
    options = ["--mode", "flat", "--no-thinking", "--no-collapse-groups", "--no-collapse-thinking"]
    document = json.loads(turnfold("show", "--json", "--view", "desktop", *options, path).stdout)
    assert document["view"] == {
        "kind": "desktop", "mode": "flat", "thinking": False, "collapse_groups": False,
        "collapse_thinking": False, "locale": "en",
    }  # fmt: skip
    assert document["turns"][0]["presentation"]["entries"][0]["id"] == "user:u"
    document = json.loads(
        turnfold("show", "--json", "--view", "tui", "--phase", "hidden", "--no-reasoning", path).stdout
    )
    assert document["view"] == {"kind": "tui", "phase": "hidden", "reasoning": False}


def test_show_speaks_chinese(tmp_path: Path) -> None:
    """Labels and words alike."""
    done = turnfold("show", "--locale", "zh-CN", written(tmp_path / "s.jsonl", TURN))
    assert "▸ 1 次工具调用" in done.stdout
    assert "— 已完成" in done.stdout


def test_show_json_is_one_document_a_line(tmp_path: Path) -> None:
    """The transcript of the wire, whole, one line for each file."""
    one, two = written(tmp_path / "one.jsonl", TURN), written(tmp_path / "two.jsonl", TURN[:2])
    documents = [json.loads(line) for line in turnfold("show", "--json", one, two).stdout.splitlines()]
    assert [document["session"] for document in documents] == ["one", "two"]
    assert documents[0]["history_complete"] is True
    assert documents[0]["position"] == {"epoch": "", "version": 0}
    assert documents[0]["turns"][0]["presentation"]["members"] == ["tool:c"]


def test_show_ends_the_last_turn_of_a_finished_file_and_leaves_that_of_an_open_one(tmp_path: Path) -> None:
    """Rule 9: completed with an answer, interrupted without; `--open` says that the file still grows."""
    answered, cut = written(tmp_path / "a.jsonl", TURN[:5]), written(tmp_path / "b.jsonl", TURN[:3])
    outcomes = [
        json.loads(line)["turns"][0]["outcome"]
        for line in turnfold("show", "--json", answered, cut).stdout.splitlines()
    ]
    assert outcomes == ["completed", "interrupted"]
    still_open = turnfold("show", "--open", answered)
    assert "● running" in still_open.stdout


def test_show_makes_terminal_escapes_harmless(tmp_path: Path) -> None:
    """What could steer a terminal is shown as a sign."""
    events = [*TURN[:4], {**TURN[4], "blocks": [{"type": "text", "text": "a\x1b[2Jb\u202ec"}]}, TURN[5]]
    shown = turnfold("show", written(tmp_path / "s.jsonl", events)).stdout
    assert "a␛[2Jb�c" in shown
    assert "\x1b" not in shown


def test_the_account_of_a_file_makes_terminal_escapes_harmless(tmp_path: Path) -> None:
    """It quotes lines that could not be read."""
    file = tmp_path / "s.jsonl"
    file.write_text('{"type":"turn/start","turn":1}\n\x1b[31mrubbish\n')
    done = turnfold("show", file)
    assert "␛[31mrubbish" in done.stderr
    assert "\x1b" not in done.stderr


def test_the_account_of_a_file_can_be_printed_whatever_its_types_are_called(tmp_path: Path) -> None:
    """Half of a surrogate pair in a name is a sign, as any other thing that cannot be shown."""
    file = tmp_path / "s.jsonl"
    file.write_text('{"type":"turn/start","turn":1}\n{"type":"odd/\\ud83d"}\nrubbish\n')
    assert "odd/\ufffd" in turnfold("show", file).stderr
