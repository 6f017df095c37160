"""A page of somebody else's that holds the elements, under the policy of our own."""

import json

from playwright.sync_api import Page, Route

from tests.browser.service import Service

# Takes the place of the reference page's own script, so that the document comes from the service, policy and all: one
# that a test made up would be none of this machine's to the browser, which lets it open no socket here.
_SCRIPT = """
for (const one of document.querySelectorAll("link[rel=stylesheet]")) {
  if (!(STYLED && one.href.endsWith("turnfold.css"))) one.remove();
}
document.body.className = "";
document.body.innerHTML = BODY;
if (DEFINED) await import("./elements.js");
document.body.dataset.ready = "";
"""


def open_host(
    page: Page, service: Service, body: str, *, styled: bool = True, defined: bool = True
) -> list[str]:
    """Show a page with this body; gives the addresses of the sockets that it opens, as they are opened.

    Without `styled` it has no style sheet of ours, without `defined` the elements are not defined.
    """
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    script = _SCRIPT
    for name, value in (("STYLED", styled), ("DEFINED", defined), ("BODY", body)):
        script = script.replace(name, json.dumps(value))

    def answer(route: Route) -> None:
        route.fulfill(content_type="text/javascript; charset=utf-8", body=script)

    page.unroute("**/assets/src/page.js")
    page.route("**/assets/src/page.js", answer)
    page.goto(service.address)
    page.wait_for_selector("body[data-ready]", state="attached")
    return sockets
