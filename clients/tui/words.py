"""The words of the terminal in its languages, and durations in them."""

from typing import Final

Words = dict[str, str]
LOCALES: Final = ("en", "zh-CN")
_EN: Final[Words] = {
    "user": "You", "steering": "You (while it ran)", "queued": "to be sent", "assistant": "Assistant",
    "completed": "completed", "aborted": "stopped", "interrupted": "interrupted", "failed": "failed",
    "max_tokens": "cut off: token limit", "blocked": "blocked", "running": "running",
    "waiting": "waits for you", "ok": "ok", "error": "error", "denied": "denied", "canceled": "canceled",
    "unknown": "result not recorded", "searching": "searching", "started": "started", "done": "done",
    "resolved": "resolved", "expired": "expired", "retry": "retry", "retry_in": "again in {time}",
    "permission": "permission", "question": "question", "plan": "plan", "goal": "goal", "other": "request",
    "compaction": "compaction", "exit": "exit code {code}", "image": "image",
    "in_all": "{size} in all", "rest": "{key} shows the rest",
    "phase_collapsed": "collapsed", "phase_expanded": "expanded", "phase_hidden": "hidden",
    "reasoning_on": "reasoning shown", "reasoning_off": "reasoning off",
    "connecting": "connecting …", "lost": "connection lost", "again_in": "trying again in {time}",
    "as_of": "as of the lost connection", "gone": "this session was deleted", "ended": "the service refuses: {why}",
    "loading": "loading …", "earlier": "loading earlier turns …", "more_above": "earlier turns above",
    "top": "beginning of the session", "empty": "Nothing here yet. What comes will be shown at once.",
    "waits_count": "{n} waiting for you", "below": "↓ more below", "news": "↓ new below", "search": "Search",
    "found": "{at} of {n}", "not_found": "not found", "searching_more": "looking further up …",
    "elsewhere": "+{n} not shown here", "loaded": "loaded", "nothing_more": "nothing here was cut",
    "copied": "{n} characters copied", "does_answer": "answer", "does_back": "back", "does_quit": "quit",
    "nothing_waits": "Nothing waits for you here.", "answer_elsewhere": "Answer it where this session runs.",
    "answer_allow": "Allow", "answer_deny": "Deny", "answer_text": "Your answer", "answer_choose": "choose",
    "answer_send": "send", "answer_next": "next", "answer_sending": "Sending …",
    "answer_sent": "Sent. It goes on when the agent has taken it.", "answer_failed": "Not sent: {reason}",
    "answer_over": "it does not wait any more", "answer_given": "Answered elsewhere: {outcome}",
    "answer_gone": "It does not wait any more.", "answer_other": "Something else is asked now.",
    "sessions": "{n} sessions", "session_one": "1 session", "nothing_yet": "no turn yet",
    "no_sessions": "No sessions yet. One appears here with its first event.", "does_open": "open",
    "does_oldest": "oldest", "does_colours": "colours", "does_help": "help",
}  # fmt: skip
_ZH: Final[Words] = {
    "user": "你", "steering": "你（运行中）", "queued": "待发送", "assistant": "助手",
    "completed": "已完成", "aborted": "已停止", "interrupted": "已中断", "failed": "失败",
    "max_tokens": "达到 token 上限", "blocked": "已阻止", "running": "运行中",
    "waiting": "等待你", "ok": "成功", "error": "出错", "denied": "已拒绝", "canceled": "已取消",
    "unknown": "未记录结果", "searching": "搜索中", "started": "已开始", "done": "完成",
    "resolved": "已处理", "expired": "已过期", "retry": "重试", "retry_in": "{time}后重试",
    "permission": "权限", "question": "问题", "plan": "计划", "goal": "目标", "other": "请求",
    "compaction": "上下文压缩", "exit": "退出码 {code}", "image": "图片",
    "in_all": "共 {size}", "rest": "按 {key} 显示其余部分",
    "phase_collapsed": "折叠", "phase_expanded": "展开", "phase_hidden": "隐藏",
    "reasoning_on": "显示思考", "reasoning_off": "不显示思考",
    "connecting": "正在连接…", "lost": "连接已断开", "again_in": "{time}后重试",
    "as_of": "连接断开时的状态", "gone": "此会话已删除", "ended": "服务拒绝：{why}",
    "loading": "正在加载…", "earlier": "正在加载更早的轮次…", "more_above": "上面还有更早的轮次",
    "top": "会话开头", "empty": "还没有内容，有新内容时会立即显示。",
    "waits_count": "{n} 项等待你", "below": "↓ 下面还有", "news": "↓ 下面有新内容", "search": "搜索",
    "found": "第 {at} 处，共 {n} 处", "not_found": "未找到", "searching_more": "正在向上查找…",
    "elsewhere": "另有 {n} 处未显示", "loaded": "已加载", "nothing_more": "这里没有被截断的内容",
    "copied": "已复制 {n} 个字符", "does_answer": "答复", "does_back": "返回", "does_quit": "退出",
    "nothing_waits": "这里没有等待你的内容。", "answer_elsewhere": "请在运行此会话的地方答复。",
    "answer_allow": "允许", "answer_deny": "拒绝", "answer_text": "你的答复", "answer_choose": "选择",
    "answer_send": "发送", "answer_next": "下一项", "answer_sending": "正在发送…",
    "answer_sent": "已发送。智能体接收后会继续。", "answer_failed": "未能发送：{reason}",
    "answer_over": "已不再等待", "answer_given": "已在别处答复：{outcome}",
    "answer_gone": "已不再等待。", "answer_other": "现在询问的是其他内容。",
    "sessions": "{n} 个会话", "session_one": "1 个会话", "nothing_yet": "尚无轮次",
    "no_sessions": "还没有会话。会话的第一个事件到达后，会显示在这里。", "does_open": "打开",
    "does_oldest": "最早", "does_colours": "颜色", "does_help": "帮助",
}  # fmt: skip
_WORDS: Final[dict[str, Words]] = {"en": _EN, "zh-CN": _ZH}
_UNITS: Final = ((86_400_000, "d", "天"), (3_600_000, "h", "小时"), (60_000, "m", "分钟"), (1_000, "s", "秒"))


def words_of(locale: str) -> Words:
    """Give the words of a language."""
    return _WORDS[locale]


def duration_text(duration_ms: float, locale: str) -> str:
    """Say a duration in its units, zero ones left out; below a second in milliseconds.

    >>> duration_text(3_605_400, "en"), duration_text(3_605_400, "zh-CN"), duration_text(40, "en")
    ('1h 5s', '1小时5秒', '40ms')
    """
    is_english = locale == "en"
    left, parts = int(duration_ms), []
    for size_ms, en, zh in _UNITS:
        count, left = divmod(left, size_ms)
        if count:
            parts.append(f"{count}{en if is_english else zh}")
    if not parts:
        return f"{left}ms"
    return (" " if is_english else "").join(parts)


def age_text(age_ms: float, locale: str) -> str:
    """Say how long ago something was, in its greatest unit.

    >>> age_text(3_605_400, "en"), age_text(90_000, "zh-CN"), age_text(-5, "en")
    ('1h', '1分钟', 'now')
    """
    is_english = locale == "en"
    for size_ms, en, zh in _UNITS[:-1]:
        if age_ms >= size_ms:
            return f"{int(age_ms // size_ms)}{en if is_english else zh}"
    return "now" if is_english else "刚刚"


def size_text(size_bytes: float) -> str:
    """Say a size.

    >>> size_text(900), size_text(16_384), size_text(3_200_000)
    ('900 B', '16 kB', '3.2 MB')
    """
    if size_bytes < 1_000:
        return f"{size_bytes:.0f} B"
    if size_bytes < 1_000_000:
        return f"{size_bytes / 1_000:.0f} kB"
    return f"{size_bytes / 1_000_000:.1f} MB"
