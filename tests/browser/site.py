"""A site of somebody else's: a folder of files on an origin of its own, and answers that a test makes."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self' {service}"


@dataclass
class Site:
    """Where it is, the policy of its pages, and what it answers to a POST, by path."""

    address: str
    policy: str = ""
    answers: dict[str, Callable[[], str]] = field(default_factory=dict)

    def bind(self, service: str) -> None:
        """From now on its pages may load from here alone, and speak to this service."""
        self.policy = POLICY.format(service=f"{service} {service.replace('http', 'ws')}")


class _Handler(SimpleHTTPRequestHandler):
    site: Site

    def do_POST(self) -> None:
        """What the test says, as text."""
        body = self.site.answers[self.path]().encode()
        self.send_response(200)
        self.send_header("content-type", "text/plain")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        """A file; a browser asks every site for an icon, and this one has none."""
        if self.path == "/favicon.ico":
            self.send_response(204)
            self.end_headers()
            return
        super().do_GET()

    def end_headers(self) -> None:
        """With the policy of the site."""
        if self.site.policy:
            self.send_header("content-security-policy", self.site.policy)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """A test's output is the test's."""


@contextmanager
def serving_site(directory: Path) -> Iterator[Site]:
    """Serve a folder for the length of the block."""

    class Handler(_Handler):
        """Of this site alone."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(directory)))
    site = Site(address=f"http://127.0.0.1:{server.server_port}")
    Handler.site = site
    running = threading.Thread(target=server.serve_forever, daemon=True)
    running.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        running.join()
