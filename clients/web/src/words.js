/** The page's own words. Labels of a transcript's control come from the service and are not made here. */

import { toolsEn, toolsZh } from "./words_tools.js";

/** @typedef {ReturnType<typeof wordsFor>} Words */

const en = {
  ...toolsEn,
  sessions: "Sessions",
  no_sessions: "No sessions yet",
  no_sessions_hint: "A session appears here with its first event.",
  choose: "Choose a session",
  choose_hint: "Its transcript shows here, live.",
  empty: "Nothing in this session yet",
  loading: "Loading…",
  untitled: "Untitled session",
  back: "All sessions",
  settings: "Settings",
  not_saved: "Could not be saved: the service does not answer.",
  general: "General",
  presentation: "Transcript view",
  presentation_web: "Web",
  presentation_desktop: "Desktop",
  transcript_view: "Finished turns",
  transcript_view_compact: "Compact",
  transcript_view_normal: "Full",
  show_thinking: "Show thinking",
  auto_collapse_thinking: "Collapse finished thinking",
  transcript_display_mode: "Process display",
  transcript_display_mode_flat: "Flat",
  "transcript_display_mode_command-first": "Commands first",
  "transcript_display_mode_fully-folded": "Fully folded",
  auto_collapse_settled_groups: "Collapse finished groups",
  language_name: "Language",
  language_auto: "Automatic",
  language_en: "English",
  "language_zh-CN": "中文",
  earlier: "Load earlier",
  loading_earlier: "Loading earlier…",
  fold_partial: "Fold loaded turns",
  fold_group: "Close this group",
  latest: "Jump to latest",
  connecting: "Connecting…",
  open: "Live",
  offline: "Offline. What you see may be out of date.",
  waiting_link: "Connection lost. What you see may be out of date. Trying again in {n} s.",
  retrying_link: "Connection lost. What you see may be out of date. Trying again…",
  try_now: "Try now",
  ended_link: "The service closed the connection: {reason}.",
  unauthenticated: "This service needs an access token.",
  token: "Access token",
  sign_in: "Connect",
  gone: "This session was deleted.",
  refused: "This session cannot be shown: {reason}",
  retrying_session: "The service cannot show this session right now. Trying again…",
  state_waiting: "Waiting for you",
  state_running: "Running",
  state_completed: "Completed",
  state_failed: "Failed",
  state_stopped: "Stopped",
  state_empty: "No turns yet",
  running: "Working",
  turn_waiting: "Waiting for an answer",
  turn_cut: "Was still running when the connection was lost",
  says_running: "The turn is running.",
  says_waiting: "The turn waits for an answer.",
  says_closed: "The turn has ended: {outcome}.",
  you: "You",
  steering: "Sent while running",
  queued: "Queued",
  system_prompt: "System prompt",
  context: "Context",
  thinking: "Thinking",
  thinking_row: "Thinking",
  thought: "Thought",
  interrupted: "Interrupted here",
  input: "Input",
  output: "Output",
  output_live: "Output so far",
  error: "Error",
  no_output: "No output",
  not_recorded: "Result not recorded",
  tool_running: "Running",
  tool_ok: "Done",
  tool_error: "Failed",
  tool_denied: "Denied",
  tool_canceled: "Canceled",
  tool_unknown: "Result not recorded",
  exit_code: "Exit code {n}",
  delegate: "Transcript of the delegate",
  search: "Web search",
  searching: "Searching",
  retry: "Retry {n}",
  retry_waiting: "Model call failed. Trying again in {t}",
  retry_soon: "Model call failed. Trying again",
  command: "Command",
  compaction: "Context compacted",
  compaction_failed: "Context could not be compacted",
  summary: "Summary",
  permission: "Permission",
  question: "Question",
  plan: "Plan",
  goal: "Goal",
  other: "Request",
  pending: "Waiting for you",
  pending_hint: "Answer it where this session runs.",
  resolved: "Answered",
  expired: "Expired without an answer",
  turn_error: "The turn failed",
  max_tokens: "The answer was cut off: the token limit was reached.",
  outcome_completed: "Completed",
  outcome_aborted: "Stopped",
  outcome_interrupted: "Interrupted",
  outcome_failed: "Failed",
  outcome_max_tokens: "Cut off",
  outcome_blocked: "Blocked",
  image: "Image",
  image_remote: "Image at {host}, not loaded",
  details: "Details",
  shortened: "Shortened to {shown} of {whole}",
  show_all: "Show all",
  load_failed: "Not loaded: {reason}",
  no_access: "this page has no access to it",
  copy: "Copy",
  copied: "Copied",
  just_now: "now",
};

/** @type {typeof en} */
const zh = {
  ...toolsZh,
  sessions: "会话",
  no_sessions: "还没有会话",
  no_sessions_hint: "会话的第一个事件到达后，会显示在这里。",
  choose: "请选择一个会话",
  choose_hint: "会话记录会在这里实时显示。",
  empty: "这个会话还没有内容",
  loading: "正在加载…",
  untitled: "未命名会话",
  back: "全部会话",
  settings: "设置",
  not_saved: "未能保存：服务没有响应。",
  general: "常规",
  presentation: "记录视图",
  presentation_web: "网页",
  presentation_desktop: "桌面",
  transcript_view: "已结束的轮次",
  transcript_view_compact: "紧凑",
  transcript_view_normal: "完整",
  show_thinking: "显示思考",
  auto_collapse_thinking: "已完成思考自动收起",
  transcript_display_mode: "过程显示",
  transcript_display_mode_flat: "平铺显示",
  "transcript_display_mode_command-first": "命令工具优先",
  "transcript_display_mode_fully-folded": "全折叠显示",
  auto_collapse_settled_groups: "已完成小组自动收起",
  language_name: "语言",
  language_auto: "自动",
  language_en: "English",
  "language_zh-CN": "中文",
  earlier: "加载更早的内容",
  loading_earlier: "正在加载更早的内容…",
  fold_partial: "折叠已加载的轮次",
  fold_group: "收起此组",
  latest: "回到最新",
  connecting: "正在连接…",
  open: "实时",
  offline: "已离线，当前内容可能不是最新。",
  waiting_link: "连接已断开，当前内容可能不是最新。{n} 秒后重试。",
  retrying_link: "连接已断开，当前内容可能不是最新。正在重试…",
  try_now: "立即重试",
  ended_link: "服务关闭了连接：{reason}。",
  unauthenticated: "此服务需要访问令牌。",
  token: "访问令牌",
  sign_in: "连接",
  gone: "此会话已被删除。",
  refused: "无法显示此会话：{reason}",
  retrying_session: "服务暂时无法显示此会话，正在重试…",
  state_waiting: "等待你处理",
  state_running: "运行中",
  state_completed: "已完成",
  state_failed: "失败",
  state_stopped: "已停止",
  state_empty: "还没有轮次",
  running: "正在处理",
  turn_waiting: "等待答复",
  turn_cut: "连接断开时仍在运行",
  says_running: "轮次正在运行。",
  says_waiting: "轮次正在等待答复。",
  says_closed: "轮次已结束：{outcome}。",
  you: "你",
  steering: "运行中发送",
  queued: "排队中",
  system_prompt: "系统提示词",
  context: "上下文",
  thinking: "正在思考",
  thinking_row: "思考",
  thought: "思考",
  interrupted: "在此中断",
  input: "输入",
  output: "输出",
  output_live: "目前的输出",
  error: "错误",
  no_output: "没有输出",
  not_recorded: "未记录结果",
  tool_running: "运行中",
  tool_ok: "完成",
  tool_error: "失败",
  tool_denied: "已拒绝",
  tool_canceled: "已取消",
  tool_unknown: "未记录结果",
  exit_code: "退出码 {n}",
  delegate: "子任务记录",
  search: "网页搜索",
  searching: "正在搜索",
  retry: "第 {n} 次重试",
  retry_waiting: "模型调用失败，{t}后重试",
  retry_soon: "模型调用失败，正在重试",
  command: "命令",
  compaction: "上下文已压缩",
  compaction_failed: "上下文压缩失败",
  summary: "摘要",
  permission: "权限",
  question: "问题",
  plan: "计划",
  goal: "目标",
  other: "请求",
  pending: "等待你处理",
  pending_hint: "请在运行此会话的地方答复。",
  resolved: "已答复",
  expired: "未答复，已过期",
  turn_error: "轮次失败",
  max_tokens: "达到 token 上限，正文被截断。",
  outcome_completed: "已完成",
  outcome_aborted: "已停止",
  outcome_interrupted: "已中断",
  outcome_failed: "失败",
  outcome_max_tokens: "被截断",
  outcome_blocked: "被拦截",
  image: "图片",
  image_remote: "图片位于 {host}，未加载",
  details: "详情",
  shortened: "已截短：{shown} / {whole}",
  show_all: "显示全部",
  load_failed: "未加载：{reason}",
  no_access: "此页面无权访问该内容",
  copy: "复制",
  copied: "已复制",
  just_now: "刚刚",
};

/**
 * @param {readonly string[]} languages as of the browser, best first
 * @returns the words, a function that fills in `{name}`, and formats of the language
 */
export function wordsFor(languages) {
  const language = (languages[0] ?? "en").toLowerCase().startsWith("zh") ? "zh-CN" : "en";
  const table = language === "zh-CN" ? zh : en;
  return {
    language,
    ...table,
    /** @param {string} text @param {Record<string, string | number>} values */
    fill: (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole)),
    /** @param {string} key @param {string} fallback @returns {string} the word of a name that came over the wire */
    named: (key, fallback) => (Object.hasOwn(table, key) ? table[/** @type {keyof typeof en} */ (key)] : fallback),
    duration: durations(language),
    clock: clockWords(language),
    tasks: taskCounts(language),
    ago: agoWords(language, table.just_now),
    bytes: byteCounts(language),
  };
}

/** @param {string} language @returns {(ms: number) => string} such as `420 ms`, `3.2 s`, `2 min 5 s`, `1 hr 4 min` */
function durations(language) {
  /** @param {string} unit @param {number} [digits] */
  const format = (unit, digits = 0) =>
    new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: digits });
  const ms = format("millisecond");
  const second = format("second");
  const tenths = format("second", 1);
  const minute = format("minute");
  const hour = format("hour");
  return (value) => {
    if (value < 1_000) return ms.format(Math.round(value));
    if (value < 10_000) return tenths.format(value / 1_000);
    const seconds = Math.round(value / 1_000);
    if (seconds < 60) return second.format(seconds);
    const minutes = Math.floor(seconds / 60);
    if (minutes < 60) return seconds % 60 ? `${minute.format(minutes)} ${second.format(seconds % 60)}` : minute.format(minutes);
    return minutes % 60 ? `${hour.format(Math.floor(minutes / 60))} ${minute.format(minutes % 60)}` : hour.format(minutes / 60);
  };
}

/**
 * Running time as the service writes it where it is over: `12s`, `1m 5s`, `1h 4m 5s`; zero units are left out.
 *
 * @param {string} language @returns {(ms: number) => string}
 */
function clockWords(language) {
  const units = ["day", "hour", "minute", "second"].map((unit) => new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "narrow" }));
  const between = language === "en" ? " " : "";
  return (ms) => {
    const seconds = Math.floor(ms / 1_000);
    const counts = [Math.floor(seconds / 86_400), Math.floor(seconds / 3_600) % 24, Math.floor(seconds / 60) % 60, seconds % 60];
    const said = counts.flatMap((count, at) => (count ? [units[at].format(count)] : []));
    return said.join(between) || units[3].format(0);
  };
}

/** @param {string} language @returns {(count: number) => string} what a topology is called; the wire has no title for it */
function taskCounts(language) {
  const plural = new Intl.PluralRules(language);
  const number = new Intl.NumberFormat(language);
  return (count) => {
    const n = number.format(count);
    if (language === "zh-CN") return `${n} 个子任务`;
    return plural.select(count) === "one" ? `${n} subtask` : `${n} subtasks`;
  };
}

/** @param {string} language @param {string} now @returns {(thenMs: number, nowMs: number) => string} */
function agoWords(language, now) {
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "always", style: "narrow" });
  const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
  const date = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year: "numeric" });
  return (thenMs, nowMs) => {
    const minutes = Math.floor((nowMs - thenMs) / 60_000);
    if (minutes < 1) return now;
    if (minutes < 60) return relative.format(-minutes, "minute");
    if (minutes < 24 * 60) return relative.format(-Math.floor(minutes / 60), "hour");
    const sameYear = new Date(thenMs).getFullYear() === new Date(nowMs).getFullYear();
    return (sameYear ? day : date).format(thenMs);
  };
}

/** @param {string} language @returns {(count: number) => string} */
function byteCounts(language) {
  /** @param {string} unit */
  const format = (unit) =>
    new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 });
  const kilo = format("kilobyte");
  const mega = format("megabyte");
  return (count) => (count < 1_000_000 ? kilo.format(count / 1_000) : mega.format(count / 1_000_000));
}
