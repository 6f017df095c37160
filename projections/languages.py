"""Languages of labels: plural rules, list patterns and phrases, as values (`views.md` B-11, C-13).

Rules and patterns are Unicode's (CLDR); a test compares those that ship with the service to Babel's copy of them.
Phrases are ours. A language is data alone, so a deployment can add one without any code.
"""

import re
from collections.abc import Iterable
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

# A BCP 47 tag. One that no language answers to speaks English.
Locale = Annotated[str, Meta(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$")]
Category = Literal["zero", "one", "two", "few", "many", "other"]
# A text for each plural category that the language has; `other` is always there.
Forms = tuple[tuple[Category, str], ...]
Phrases = tuple[tuple[str, Forms], ...]


class Language(Struct, frozen=True, kw_only=True):
    """How a language counts, lists and names things.

    Attributes:
        plural_rules: (category, CLDR rule in Babel's spelling); what no rule takes is `other`.
        pair, middle, end: how phrases are joined: two of them, the inner ones of more, the last of more.
        more: the form that says that a list goes on, `{0}` being the list so far.
        unit_separator: what stands between the units of a duration.
        phrases: texts by name, `{n}` being a count.
    """

    locale: str
    plural_rules: tuple[tuple[Category, str], ...]
    pair: str
    middle: str
    end: str
    more: str
    unit_separator: str
    phrases: Phrases


_CONDITION = re.compile(r"(?P<operand>[nivwftce])(?: mod (?P<mod>\d+))? (?P<not>not )?in (?P<ranges>[\d.,]+)")


def category_of(language: Language, count: int) -> Category:
    """Give the plural category of a whole number, 0 or greater.

    >>> category_of(EN, 1), category_of(EN, 0), category_of(ZH_CN, 1)
    ('one', 'other', 'other')
    """
    for category, rule in language.plural_rules:
        if any(all(_holds(one, count) for one in either.split(" and ")) for either in rule.split(" or ")):
            return category
    return "other"


def _holds(condition: str, count: int) -> bool:
    found = _CONDITION.fullmatch(condition.strip())
    if found is None:
        return False
    # A whole number has no fraction digits: every operand but its value is 0 (UTS 35, plural operands).
    value = count if found["operand"] in "ni" else 0
    if found["mod"]:
        value %= int(found["mod"])
    is_in = any(_is_within(value, one) for one in found["ranges"].split(","))
    return is_in is not bool(found["not"])


def _is_within(value: int, span: str) -> bool:
    first, _, last = span.partition("..")
    return int(first) <= value <= int(last or first)


def phrase(language: Language, name: str, count: int | None = None) -> str:
    """Give a phrase, with its count put in; what a language lacks is said in English.

    >>> phrase(EN, "operations", 2)
    '2 operations'
    """
    forms = next((forms for key, forms in language.phrases if key == name), None)
    if forms is None:
        if language is not EN:
            return phrase(EN, name, count)
        return name if count is None else f"{count} {name}"
    category = "other" if count is None else category_of(language, count)
    texts = dict(forms)
    text = texts.get(category, texts["other"])
    return text if count is None else text.format(n=count)


def listed(language: Language, items: tuple[str, ...], *, goes_on: bool = False) -> str:
    """Join phrases the way the language lists them.

    >>> listed(EN, ("searched", "read files")), listed(EN, ("a", "b", "c"), goes_on=True)
    ('searched and read files', 'a, b, c and more')
    """
    if not items:
        return ""
    if goes_on:
        return language.more.format(_chain(items, language.middle))
    if len(items) == 1:
        return items[0]
    if len(items) == 2:
        return language.pair.format(*items)
    return language.end.format(_chain(items[:-1], language.middle), items[-1])


def _chain(items: tuple[str, ...], pattern: str) -> str:
    text = items[0]
    for item in items[1:]:
        text = pattern.format(text, item)
    return text


def _counted(one: str, other: str) -> Forms:
    return (("one", one), ("other", other))


def _always(text: str) -> Forms:
    return (("other", text),)


EN = Language(
    locale="en",
    plural_rules=(("one", "i in 1 and v in 0"),),
    pair="{0} and {1}",
    middle="{0}, {1}",
    end="{0}, and {1}",
    more="{0} and more",
    unit_separator=" ",
    phrases=(
        ("tool_calls", _counted("{n} tool call", "{n} tool calls")),
        ("messages", _counted("{n} message", "{n} messages")),
        ("subagents", _counted("{n} subagent", "{n} subagents")),
        ("nothing_counted", _always("Thought for a while")),
        ("operations", _counted("{n} operation", "{n} operations")),
        ("segments", _counted("{n} segment", "{n} segments")),
        ("items", _counted("{n} item", "{n} items")),
        ("action.delegate", _always("delegated tasks")),
        ("action.fetch", _always("fetched pages")),
        ("action.read", _always("read files")),
        ("action.list", _always("listed files")),
        ("action.search", _always("searched")),
        ("action.write", _always("wrote files")),
        ("action.edit", _always("edited files")),
        ("action.run", _always("ran commands")),
        ("action.use", _always("used tools")),
        ("action.thinking", _always("thought")),
        ("status.running", _always("Working")),
        ("status.completed", _always("Completed")),
        ("status.failed", _always("Failed")),
        ("status.stopped", _always("Stopped")),
        ("phase.compacting", _always("Compacting context")),
        ("phase.recovering", _always("Recovering")),
        ("phase.thinking", _always("Thinking")),
        ("unit.day", _always("{n}d")),
        ("unit.hour", _always("{n}h")),
        ("unit.minute", _always("{n}m")),
        ("unit.second", _always("{n}s")),
        ("unit.millisecond", _always("{n}ms")),
    ),
)
ZH_CN = Language(
    locale="zh-CN",
    plural_rules=(),
    # CLDR lists nouns (`{0}和{1}`); actions are verbs, which Chinese joins in another way (C-13).
    pair="{0}并{1}",
    middle="{0}、{1}",
    end="{0}并{1}",
    more="{0}等",
    unit_separator="",
    phrases=(
        ("tool_calls", _always("{n} 次工具调用")),
        ("messages", _always("{n} 条消息")),
        ("subagents", _always("{n} 个 subagent")),
        ("nothing_counted", _always("已思考")),
        ("operations", _always("{n} 次操作")),
        ("segments", _always("{n} 段")),
        ("items", _always("{n} 项")),
        ("action.delegate", _always("委派任务")),
        ("action.fetch", _always("抓取网页")),
        ("action.read", _always("读取文件")),
        ("action.list", _always("列出文件")),
        ("action.search", _always("搜索")),
        ("action.write", _always("写入文件")),
        ("action.edit", _always("编辑文件")),
        ("action.run", _always("运行命令")),
        ("action.use", _always("使用工具")),
        ("action.thinking", _always("思考")),
        ("status.running", _always("执行中")),
        ("status.completed", _always("已完成")),
        ("status.failed", _always("失败")),
        ("status.stopped", _always("已停止")),
        ("phase.compacting", _always("压缩上下文")),
        ("phase.recovering", _always("恢复中")),
        ("phase.thinking", _always("思考中")),
        ("unit.day", _always("{n}天")),
        ("unit.hour", _always("{n}小时")),
        ("unit.minute", _always("{n}分钟")),
        ("unit.second", _always("{n}秒")),
        ("unit.millisecond", _always("{n}ms")),
    ),
)
SHIPPED: tuple[Language, ...] = (EN, ZH_CN)
# By tag in lower case. What a deployment adds is added once, at the start, before anything is labelled.
_KNOWN: Final = {one.locale.lower(): one for one in SHIPPED}
# Tags whose script or region is understood where it is left out.
_UNDERSTOOD: Final = {"zh": "zh-cn", "zh-hans": "zh-cn", "zh-hans-cn": "zh-cn"}


def add_languages(languages: Iterable[Language]) -> None:
    """Let this process speak further languages, or one that it has with other words."""
    _KNOWN.update({one.locale.lower(): one for one in languages})


def language_of(locale: str) -> Language:
    """Give the language of a locale; English for one that nobody here speaks."""
    return known_language(locale) or EN


def known_locales() -> tuple[str, ...]:
    """The locales that this process speaks."""
    return tuple(one.locale for one in _KNOWN.values())


def known_language(locale: str) -> Language | None:
    """Find the language that a tag means: itself, its usual region, or the language without the region.

    >>> [one and one.locale for one in map(known_language, ("zh-Hans", "en-GB", "zh-TW", "tlh"))]
    ['zh-CN', 'en', None, None]
    """
    tag = locale.lower()
    tag = _UNDERSTOOD.get(tag, tag)
    return _KNOWN.get(tag) or _KNOWN.get(tag.partition("-")[0])
