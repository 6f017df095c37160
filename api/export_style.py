"""Edge stage: the style sheet of exported HTML, and the policy that lets nothing else in.

It names no address, and no font that a machine has to fetch.
"""

import base64
import hashlib
from typing import Final

STYLE: Final = """
:root {
  color-scheme: light dark; --line: #d9dce1; --soft: #5f6772; --back: #fff; --box: #f5f6f8; --text: #16191d;
  --bad: #b3261e; --warn: #8a5a00; --wait: #1f5fbf; --said: #eef2f8; --add: #e3f4e6; --del: #fbe6e5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --line: #363b43; --soft: #9aa3af; --back: #14171b; --box: #1d2127; --text: #e6e9ed;
    --bad: #ff8a80; --warn: #e6b450; --wait: #82b1ff; --said: #222a36; --add: #17321f; --del: #3a1e1d;
  }
}
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 50rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; }
h2, h3 { font-size: .85rem; font-weight: 600; color: var(--soft); margin: 2.5rem 0 1rem; padding-top: 1rem; }
h2 { border-top: 1px solid var(--line); }
h3 { margin: 1rem 0 .5rem; padding-top: 0; }
time { font-weight: 400; float: right; }
dl { font-size: .85rem; margin: 0; }
dl div { display: flex; gap: .75rem; }
dt { color: var(--soft); min-width: 8rem; }
dd { margin: 0; }
.said { margin: 0 0 1rem auto; max-width: 85%; width: fit-content; background: var(--said); border-radius: 12px; }
.said { padding: .6rem 1rem; }
.said .heading { margin: 0; font-size: .75rem; }
.answer { margin: 1rem 0; }
.words { white-space: pre-wrap; }
.prose > :first-child { margin-top: 0; }
.prose > :last-child { margin-bottom: 0; }
.prose h1, .prose h2, .prose h3 { font-size: 1.05rem; color: inherit; border: 0; padding: 0; margin: 1.2rem 0 .5rem; }
.prose blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--soft); }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; }
details { margin: .5rem 0; }
summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
summary:hover { color: var(--text); }
.process { padding-bottom: .5rem; border-bottom: 1px solid var(--line); }
.process > :not(summary), .delegate > :not(summary) { margin-left: 12px; }
.delegate { border-left: 2px solid var(--line); padding-left: 12px; }
.thought > .prose, .thought > .words { color: var(--soft); margin-left: 12px; }
.name { font-weight: 600; color: var(--text); }
.excerpt { font-family: ui-monospace, monospace; font-size: .85em; }
.status { font-size: .8rem; color: var(--soft); }
.note, .life { border-left: 3px solid var(--line); padding: .1rem 0 .1rem .75rem; margin: 1rem 0; }
.note .heading { margin: 0; }
.error { --line: var(--bad); }
.error > .heading > .name, .error > summary > .status, .error > summary > .name { color: var(--bad); }
.warning { --line: var(--warn); }
.waiting, .life { --line: var(--wait); }
.tail .heading, footer { color: var(--soft); font-size: .8rem; margin: .5rem 0; }
.tail .name { font-weight: 400; color: inherit; }
figure { margin: .5rem 0; }
figcaption { font-size: .75rem; color: var(--soft); }
pre { background: var(--box); border-radius: 8px; padding: .75rem 1rem; margin: .25rem 0; overflow: auto; }
pre { font: .85rem/1.5 ui-monospace, monospace; white-space: pre-wrap; tab-size: 4; max-height: 32rem; }
code { font: .88em ui-monospace, monospace; background: var(--box); border-radius: 4px; padding: .1em .3em; }
pre code { background: none; padding: 0; font-size: inherit; }
ins { background: var(--add); text-decoration: none; }
del { background: var(--del); text-decoration: none; }
img { max-width: 100%; height: auto; border-radius: 8px; }
.attached { font-size: .85rem; color: var(--soft); }
bdi, .words, .prose, pre { unicode-bidi: isolate; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; }
@media print { pre { max-height: none; } }
"""

_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
#: In the file's own head; the header of the answer adds a sandbox, which a file cannot give itself.
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "img-src data:",
        f"style-src 'sha256-{_STYLE_HASH}'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
