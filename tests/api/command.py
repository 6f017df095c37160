"""The command `turnfold` as its users run it, for tests: a process, its output, and its exit code."""

import asyncio
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "service" / "samples" / "flaky-test.jsonl"
COMMAND = [sys.executable, "-u", "-c", "from api.cli import main; main()"]
TURN: list[dict[str, Any]] = [
    {"type": "turn/start", "turn": 1},
    {"type": "user/message", "turn": 1, "id": "u", "content": [{"type": "text", "text": "How many?"}]},
    {"type": "tool/call", "turn": 1, "step": 1, "call_id": "c", "name": "bash", "input": {"command": "ls"}},
    {"type": "tool/result", "call_id": "c", "status": "ok", "output": "3"},
    {"type": "assistant/message", "turn": 1, "step": 2, "blocks": [{"type": "text", "text": "Three."}]},
    {"type": "turn/end", "turn": 1, "reason": "completed"},
]


def turnfold(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    environ = {**os.environ, "NO_COLOR": "1", **variables}
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@asynccontextmanager
async def started(
    *command: str, stdout: Path | int, stderr: int | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A command that goes on; it and its children end with the block, whatever became of the test."""
    output = os.open(stdout, os.O_WRONLY) if isinstance(stdout, Path) else stdout
    process = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, start_new_session=True, stdout=output, stderr=stderr
    )
    if isinstance(stdout, Path):
        os.close(output)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def shell_words(*arguments: str | Path) -> str:
    """The command for a shell, wherever the checkout lies."""
    return shlex.join([*COMMAND, *map(str, arguments)])


def written(path: Path, events: list[dict[str, Any]]) -> Path:
    """A native session file."""
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path
