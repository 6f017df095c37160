"""What a tool does, told from its name (`views.md` C-13): a table of aliases, longest match at a word boundary.

`exec_command`, `Bash` and `mcp__shell__bash` run; `WebFetch` fetches; `spread_sheet` and `spread` are just used.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal

Action = Literal["delegate", "fetch", "read", "list", "search", "write", "edit", "run", "use"]
# One name a line; a name counts where it is the tool's whole name or its end, after a word boundary.
ALIASES: dict[Action, str] = {
    "delegate": "task agent subagent sub_agent delegate spawn_agent run_agent dispatch_agent new_task",
    "fetch": "fetch fetch_url url_fetch open_url browse curl http_request download get_url read_url visit_page",
    "read": "read read_file file_read view view_file view_image cat open_file read_files read_many_files "
    "get_file_contents notebook_read",
    "list": "list ls glob list_dir list_directory list_files list_folder dir tree find_files file_search",
    "search": "search grep rg ripgrep find web_search search_web search_files search_file_content grep_search "
    "codebase_search code_search search_code tool_search search_query",
    "write": "write write_file file_write create create_file save_file todo_write write_to_file",
    "edit": "edit edit_file file_edit multi_edit edit_files patch apply_patch apply_diff update_file str_replace "
    "str_replace_editor str_replace_based_edit_tool search_replace replace replace_in_file insert_edit notebook_edit",
    "run": "run bash shell sh zsh powershell pwsh exec execute exec_command execute_command run_command command "
    "terminal run_terminal_cmd run_in_terminal run_shell_command local_shell shell_command cmd",
}
_ACTION_OF: dict[str, Action] = {
    alias: action for action, aliases in ALIASES.items() for alias in aliases.split()
}
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NO_WORD = re.compile(r"[^a-z0-9]+")


def add_aliases(aliases: Mapping[Action, Iterable[str]]) -> None:
    """Let this process know further tools; done once, at the start. A name of ours may be given another meaning."""
    _ACTION_OF.update({alias.lower(): action for action, names in aliases.items() for alias in names})
    action_of.cache_clear()


@lru_cache(maxsize=4096)  # a session has few tools and calls them often
def action_of(tool_name: str) -> Action:
    """Give what a tool of this name does; `use` where no alias says.

    >>> [
    ...     action_of(name)
    ...     for name in ("Bash", "powershell", "Glob", "WebFetch", "todo_write", "mcp__x__search")
    ... ]
    ['run', 'run', 'list', 'fetch', 'write', 'search']
    >>> [action_of(name) for name in ("spread_sheet", "spread", "subagent_review")]
    ['use', 'use', 'delegate']
    """
    words = [one for one in _NO_WORD.split(_WORD_START.sub("_", tool_name).lower()) if one]
    for first in range(len(words)):
        found = _ACTION_OF.get("_".join(words[first:]))
        if found is not None:
            return found
    # B-2 counts `subagent` and `subagent_…` as delegations.
    return "delegate" if words[:1] == ["subagent"] else "use"
