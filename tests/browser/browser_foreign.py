"""Another site, on another port and under another name, and the pages by which it attacks."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGES = {
    # A page that sends a form as soon as it is opened; its fields are all stolen.
    "form": """<form method="post" action="{app}{path}">{fields}</form>
<script>document.forms[0].submit()</script>""",
    "new window": """<form method="post" action="{app}{path}" target="_blank">{fields}</form>
<script>document.forms[0].submit()</script>""",
    "hidden frame": """<iframe name="hole"></iframe>
<form method="post" action="{app}{path}" target="hole">{fields}</form>
<script>document.forms[0].submit()</script>""",
    # Of a frame like these a browser says "Origin: null".
    "sandboxed frame": """<iframe sandbox="allow-forms allow-scripts" srcdoc='
<form method="post" action="{app}{path}">{fields}</form>
<script>document.forms[0].submit()</script>'></iframe>""",
    "no referrer": """<meta name="referrer" content="no-referrer">
<form method="post" action="{app}{path}">{fields}</form>
<script>document.forms[0].submit()</script>""",
    # Text that a careless server reads as JSON.
    "text as JSON": """<form method="post" action="{app}{path}" enctype="text/plain">
<input name='{{"csrf":"{csrf}","token":"{token}","x":"' value='"}}'></form>
<script>document.forms[0].submit()</script>""",
    "fetch": """<script>fetch("{app}{path}", {{method: "POST", mode: "no-cors",
credentials: "include", body: new URLSearchParams({body})}})</script>""",
    "fetch with a header": """<script>fetch("{app}{path}", {{method: "POST", mode: "cors",
credentials: "include", headers: {{"X-CSRF": "{csrf}"}},
body: new URLSearchParams({body})}}).catch(() => 0)</script>""",
    "beacon": """<script>navigator.sendBeacon("{app}{path}",
new URLSearchParams({body}))</script>""",
    # What a browser fetches by itself, or before anybody asks for it.
    "pictures and guesses": """<img src="{app}{path}?{query}">
<link rel="preload" as="fetch" crossorigin="use-credentials" href="{app}{path}?{query}&preload">
<link rel="prefetch" href="{app}{path}?{query}&prefetch">
<link rel="stylesheet" href="{app}{path}?{query}&style">
<script type="speculationrules">{{"prerender": [{{"source": "list",
"urls": ["{app}{path}?{query}&prerender"]}}], "prefetch": [{{"source": "list",
"urls": ["{app}{path}?{query}&speculated"]}}]}}</script>
<script src="{app}{path}?{query}&script"></script>
<a ping="{app}{path}" href="#here">x</a><script>document.querySelector("a").click()</script>""",
    "frame": """<iframe src="{app}{path}" width="900" height="900"></iframe>""",
    "opener": """<script>window.held = window.open("{app}{path}")</script>""",
    "quiet": "",
}


class Foreign:
    """A site of somebody else, and what it has stolen."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.served = ""

    def site(self, name: str) -> str:
        return f"http://{name}:{self._port}"

    def attack(self, kind: str, app: str, path: str, **stolen: str) -> None:
        """Serve a page of a kind from now on."""
        fields = "".join(f'<input name="{name}" value="{of}">' for name, of in stolen.items())
        self.served = "<!doctype html><title>x</title>" + PAGES[kind].format(
            app=app, path=path, fields=fields, body=stolen, csrf=stolen.get("csrf", ""),
            token=stolen.get("token", ""),
            query="&".join(f"{name}={of}" for name, of in stolen.items()),
        )  # fmt: skip


@contextmanager
def foreign() -> Iterator[Foreign]:
    """A site that serves its attack at every address while the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = made.served.encode() if self.path == "/" else b""
            self.send_response(200 if page else 404)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made = Foreign(server.server_port)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield made
        finally:
            server.shutdown()
            thread.join()
