"""The parts of the WebDriver protocol (https://www.w3.org/TR/webdriver2/) that the page's tests need, over Debian's
chromedriver."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


class Browser:
    """A headless Chromium. Close it after use; otherwise it keeps running."""

    def __init__(self, *arguments, downloads=None, prefs=None):
        port = free_port()
        self._driver = subprocess.Popen(
            [shutil.which("chromedriver") or "/usr/bin/chromedriver", f"--port={port}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._base = f"http://127.0.0.1:{port}"
        options = {
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", *arguments],
            "prefs": dict(prefs or {}),
        }
        if downloads:
            options["prefs"] |= {
                "download.default_directory": str(downloads),
                "download.prompt_for_download": False,
                "profile.default_content_setting_values.automatic_downloads": 1,
            }
        wanted = {
            "capabilities": {
                "alwaysMatch": {
                    "browserName": "chrome",
                    "goog:chromeOptions": options,
                    "unhandledPromptBehavior": "accept",
                    "goog:loggingPrefs": {"browser": "ALL"},
                }
            }
        }
        for attempt in range(100):
            try:
                self._session = self._call("POST", "/session", wanted)["sessionId"]
                return
            except OSError:
                if attempt == 99:
                    self._driver.kill()
                    raise
                time.sleep(0.1)

    def close(self):
        try:
            self._call("DELETE", f"/session/{self._session}")
        finally:
            self._driver.terminate()
            self._driver.wait()

    def _call(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self._base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise RuntimeError(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def _in_session(self, method, path, body=None):
        return self._call(method, f"/session/{self._session}{path}", body)

    def open(self, address):
        self._in_session("POST", "/url", {"url": address})

    def new_tab(self):
        """Opens a tab and switches to it; returns the handle of the previous one."""
        before = self._in_session("GET", "/window")
        self.switch(self._in_session("POST", "/window/new", {"type": "tab"})["handle"])
        return before

    def switch(self, tab):
        self._in_session("POST", "/window", {"handle": tab})

    def close_tab(self, next_tab):
        self._in_session("DELETE", "/window")
        self.switch(next_tab)

    def run(self, script, *arguments):
        """Runs JavaScript and returns its value; awaits a promise."""
        return self._in_session("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, condition, what=None, seconds=20):
        """Waits until an expression in the page is true and returns its value."""
        deadline = time.monotonic() + seconds
        while True:
            value = self.run(f"return {condition}")
            if value:
                return value
            if time.monotonic() > deadline:
                text = self.run("return document.body.innerText.slice(0, 1500)")
                # The reason last, since logs are often cut to their end.
                raise AssertionError(f"the page says:\n{text}\nnot in {seconds} s: {what or condition}")
            time.sleep(0.05)

    def find(self, selector):
        return self._in_session("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        """Clicks the first visible element that matches a selector."""
        self.run(
            "const seen = [...document.querySelectorAll(arguments[0])].find((one) => one.checkVisibility());"
            "if (!seen) throw new Error(`nothing to click: ${arguments[0]}`); seen.click()",
            selector,
        )

    def type(self, selector, text, clear=False):
        element = self.find(selector)
        if clear:
            self._in_session("POST", f"/element/{element}/clear")
        self._in_session("POST", f"/element/{element}/value", {"text": text})

    def press(self, *keys):
        """Presses keys one after another, wherever the focus is."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._in_session("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def press_with(self, held, key):
        """Presses a key while another is held."""
        actions = [
            {"type": kind, "value": value}
            for kind, value in (("keyDown", held), ("keyDown", key), ("keyUp", key), ("keyUp", held))
        ]
        self._in_session("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def draw(self, start, *way):
        """Drags the pointer from one position in the window over others."""

        def move(place):
            return {"type": "pointerMove", "duration": 50, "x": place[0], "y": place[1]}

        actions = [
            move(start),
            {"type": "pointerDown", "button": 0},
            *map(move, way),
            {"type": "pointerUp", "button": 0},
        ]
        self._in_session("POST", "/actions", {"actions": [{"type": "pointer", "id": "pointer", "actions": actions}]})

    def devtools(self, command, **parameters):
        return self._in_session("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width, height, is_phone=False):
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if is_phone else 1,
            mobile=is_phone,
        )

    def slow_down(self, bytes_per_second):
        """Limits the tab's upload rate; -1 for no limit."""
        self.devtools("Network.enable")
        self.devtools(
            "Network.emulateNetworkConditions",
            offline=False,
            latency=0,
            downloadThroughput=-1,
            uploadThroughput=bytes_per_second,
        )

    def colours(self, scheme):
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._in_session("GET", "/screenshot")))

    def complaints(self):
        """Returns the errors in the browser's console: script errors, and violations of the content security policy."""
        return [
            entry["message"]
            for entry in self._in_session("POST", "/se/log", {"type": "browser"})
            if entry["level"] == "SEVERE"
        ]
