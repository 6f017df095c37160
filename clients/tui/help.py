"""What the keys do, on a page of its own."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

# Keys as the reader finds them -> what they do, by language.
KEYS: list[tuple[str, str, str]] = [
    ("Ctrl+O", "next phase: collapsed, expanded, hidden", "下一阶段：折叠、展开、隐藏"),
    ("Ctrl+R", "reasoning on or off", "显示或不显示思考"),
    ("/", "search in what is shown", "在显示内容中搜索"),
    ("n  N", "next, previous match", "下一处、上一处"),
    ("Esc", "end of the search", "结束搜索"),
    ("↑ ↓  k j", "one row", "一行"),
    ("PgUp PgDn  b Space", "one screen", "一屏"),
    ("Home End  g G", "first row held, newest row", "最早一行、最新一行"),
    ("[  ]", "previous, next turn", "上一轮次、下一轮次"),
    ("w", "next thing that waits for you", "下一项等待你的内容"),
    ("a", "answer what waits for you", "答复等待你的内容"),
    ("m", "rest of the cut texts on the screen", "显示屏幕上被截断文本的其余部分"),
    ("y  Ctrl+C", "copy what is marked with the mouse", "复制用鼠标选中的内容"),
    ("t", "colours: terminal, dark, light", "颜色：终端、深色、浅色"),
    ("Enter", "after a lost connection: try now", "连接断开时立即重试"),
    ("?", "this page", "本页"),
]
# The way out, from the only session and from one that was chosen.
QUIT = [("q  Ctrl+C", "quit", "退出")]
BACK = [("q  Esc", "back to the sessions", "返回会话列表"), ("Ctrl+C", "quit", "退出")]
SESSIONS_KEYS: list[tuple[str, str, str]] = [
    ("Enter", "show the session", "显示会话"),
    ("↑ ↓  k j", "one session", "一个会话"),
    ("PgUp PgDn  b Space", "one screen", "一屏"),
    ("Home End  g G", "newest, oldest held", "最新、已加载的最早会话"),
    ("t", "colours: terminal, dark, light", "颜色：终端、深色、浅色"),
    ("?", "this page", "本页"),
    *QUIT,
]
# From this width on, keys and what they do stand side by side.
_WIDE = 66
_NOTE = {
    "en": "Earlier turns are loaded when you scroll up. Nothing that you do here changes the session, but an answer.",
    "zh-CN": "向上滚动时会加载更早的轮次。除了答复，这里的任何操作都不会改变会话。",
}


class HelpScreen(ModalScreen[None]):
    """The page; any of its keys, and `?`, closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q,enter,space", "dismiss_help", "close", show=False),
        Binding("down,j", "down", show=False),
        Binding("up,k", "up", show=False),
    ]

    def __init__(self, locale: str, keys: list[tuple[str, str, str]]) -> None:
        super().__init__(id="help")
        self._locale = locale
        self._keys = keys

    def compose(self) -> ComposeResult:
        """Build the page."""
        text = Text()
        is_wide = self.app.size.width >= _WIDE
        for keys, en, zh in self._keys:
            does = en if self._locale == "en" else zh
            text.append(f"{keys:<20}" if is_wide else f"{keys}\n", style="bold")
            text.append(f"{does}\n" if is_wide else f"  {does}\n")
        text.append(f"\n{_NOTE[self._locale]}")
        with VerticalScroll(id="help-body"):
            yield Static(text, markup=False)

    def action_dismiss_help(self) -> None:
        """Back to the transcript."""
        self.dismiss()

    def action_down(self) -> None:
        """One row."""
        self._scroll(1)

    def action_up(self) -> None:
        """One row."""
        self._scroll(-1)

    def _scroll(self, count: int) -> None:
        """By so many rows; once the page is laid out, for a key that was typed ahead of that."""
        body = self.query_one(VerticalScroll)
        self.call_after_refresh(body.scroll_relative, y=count, animate=False, immediate=True)
