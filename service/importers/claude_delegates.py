"""Which call started which subagent: by a field where there is one, else by the prompt that both hold."""

from hashlib import blake2b

from service.importers.fields import JsonObject, table, text

_DELEGATE_TOOLS = frozenset({"Task", "Agent"})


class Delegates:
    """The calls of one session that started subagents, in whatever transcript they stand; open ones alone.

    A field is the subagent's id in the call's result or progress, or the call's id beside the subagent's file.
    """

    def __init__(self) -> None:
        self._prompt_of_open: dict[str, bytes] = {}
        self._call_of_agent: dict[str, str] = {}
        self._call_of_run: dict[str, str] = {}
        self._taken: set[str] = set()

    def called(self, call_id: str, name: str, call_input: JsonObject) -> None:
        """A call began; only those that start subagents are kept."""
        if name in _DELEGATE_TOOLS or "subagent_type" in call_input:
            self._prompt_of_open[call_id] = _digest(text(call_input, "prompt") or "")

    def linked(self, agent_id: str, call_id: str) -> None:
        """A field says that this call started this subagent; the first word counts."""
        self._call_of_agent.setdefault(agent_id, call_id)
        self._taken.add(self._call_of_agent[agent_id])

    def progressed(self, line: JsonObject) -> None:
        """A `progress` line: it may name a subagent and the call it works for."""
        agent_id, call_id = text(table(line, "data"), "agentId"), text(line, "parentToolUseID")
        if agent_id is not None and call_id is not None:
            self.linked(agent_id, call_id)

    def call_of(self, agent_id: str) -> str | None:
        """The call that a field names."""
        return self._call_of_agent.get(agent_id)

    def ran(self, run_id: str, call_id: str) -> None:
        """A field says that this call started this workflow's run."""
        self._call_of_run.setdefault(run_id, call_id)

    def call_of_run(self, run_id: str | None) -> str | None:
        """The call that started a workflow's run, which may have many subagents."""
        return None if run_id is None else self._call_of_run.get(run_id)

    def call_with(self, prompt: str) -> str | None:
        """The oldest open call with this prompt that no subagent has taken yet."""
        wanted = _digest(prompt)
        for call_id, digest in self._prompt_of_open.items():
            if digest == wanted and call_id not in self._taken:
                return call_id
        return None

    def is_certain(self, prompt: str) -> bool:
        """Whether exactly one open call has this prompt, so that no field to come can say otherwise."""
        wanted = _digest(prompt)
        return sum(digest == wanted for digest in self._prompt_of_open.values()) == 1

    def is_open(self, call_id: str) -> bool:
        """Whether a call started a subagent and has no result yet."""
        return call_id in self._prompt_of_open

    def only_open_call(self) -> str | None:
        """The one open call that no subagent has taken, if there is exactly one."""
        left = [call_id for call_id in self._prompt_of_open if call_id not in self._taken]
        return left[0] if len(left) == 1 else None

    def take(self, call_id: str) -> None:
        """A subagent was found for the call."""
        self._taken.add(call_id)

    def ended(self, call_id: str) -> None:
        """The call has its result."""
        self._prompt_of_open.pop(call_id, None)
        self._taken.discard(call_id)


def _digest(prompt: str) -> bytes:
    return blake2b(prompt.strip().encode("utf-8", "surrogatepass"), digest_size=16).digest()
