"""A connection that sends any bytes and takes what comes back for HTTP."""

import collections
import http.client
import json
import socket
import time

# Seconds within which any answer is there: the longest that the settings allow, and as long again for a busy machine.
LONGEST = 30


class Hung(Exception):
    """No answer came in time, or one that is not HTTP."""


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        # Of a stream the first piece is taken.
        self.is_stream = self.media_type == "text/event-stream"
        self.body = response.read1(65536) if self.is_stream else response.read()

    @property
    def media_type(self):
        return self.headers.get("content-type", "").split(";")[0].strip().lower()

    @property
    def json(self):
        """The body's value; None if it is not JSON."""
        try:
            return json.loads(self.body) if self.media_type == "application/json" else None
        except ValueError:
            return None

    @property
    def error_code(self):
        return self.json.get("error_code") if isinstance(self.json, dict) else None


class Connection:
    """Sends one request after another, on the same connection as long as the server keeps it."""

    def __init__(self, port):
        self.port = port
        self.socket = None
        self.latest = collections.deque(maxlen=20)
        self.waiting = collections.deque()

    def ask(self, request, method):
        """The answer to a request; None where the server closed the connection without one."""
        self.latest.append(request)
        self.close_those_that_waited()
        is_fresh = self.socket is None
        answer = self.once(request, method)
        if answer is None and not is_fresh:
            # It was closed while it lay idle, or for what came before.
            answer = self.once(request, method)
        return answer

    def once(self, request, method):
        try:
            if self.socket is None:
                self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=LONGEST)
        except OSError as error:
            raise Hung(f"no connection: {error}") from error
        try:
            self.socket.sendall(request)
        except OSError:
            # The server has answered and hung up before it had all; its answer can still be read.
            pass
        try:
            response = http.client.HTTPResponse(self.socket, method=method)
            response.begin()
            answer = Answer(response)
        except TimeoutError as error:
            self.close()
            raise Hung(f"no answer within {LONGEST} s") from error
        except (http.client.RemoteDisconnected, ConnectionError):
            self.close()
            return None
        except http.client.HTTPException as error:
            self.close()
            raise Hung(f"no HTTP came back: {type(error).__name__}") from error
        # A malformed request leaves its rest, and answers to it, behind.
        if answer.is_stream or response.will_close or not is_clean(request):
            self.close()
        return answer

    def abandon(self, part, waits):
        """Sends a part of a request, and closes the connection now or when it has waited for long."""
        self.latest.append(part)
        try:
            half = socket.create_connection(("127.0.0.1", self.port), timeout=LONGEST)
            half.sendall(part)
        except OSError as error:
            raise Hung(f"no connection: {error}") from error
        if waits:
            self.waiting.append((time.monotonic() + 5, half))
        else:
            half.close()

    def close_those_that_waited(self):
        while self.waiting and self.waiting[0][0] < time.monotonic():
            self.waiting.popleft()[1].close()

    def close(self):
        if self.socket is not None:
            self.socket.close()
            self.socket = None


def is_clean(request):
    """Whether a request is one whole request as this tool makes them, so that the next may follow it."""
    head, _, body = request.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    told = [line for line in lines if line.startswith(b"Content-Length: ")]
    return lines[-1] == b"X-Whole: 1" and told == [b"Content-Length: %d" % len(body)]
