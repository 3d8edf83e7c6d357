"""A connection that sends arbitrary bytes and parses HTTP responses."""

import collections
import http.client
import json
import socket
import time

# Maximum seconds until a response: the longest that the settings allow, doubled for a busy machine.
LONGEST = 30


class Hung(Exception):
    """There was no response in time, or it is not HTTP."""


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        # Of a stream, only the first piece is read.
        self.is_stream = self.media_type == "text/event-stream"
        self.body = response.read1(65536) if self.is_stream else response.read()

    @property
    def media_type(self):
        return self.headers.get("content-type", "").split(";")[0].strip().lower()

    @property
    def json(self):
        """Returns the body's JSON value; None if it is not JSON."""
        try:
            return json.loads(self.body) if self.media_type == "application/json" else None
        except ValueError:
            return None

    @property
    def error_code(self):
        return self.json.get("error_code") if isinstance(self.json, dict) else None


class Connection:
    """Sends requests one after another, on one connection as long as the server keeps it open."""

    def __init__(self, port):
        self.port = port
        self.socket = None
        self.latest = collections.deque(maxlen=20)
        self.waiting = collections.deque()

    def ask(self, request, method):
        """Returns the response to a request; None if the server closed the connection without one."""
        self.latest.append(request)
        self.close_those_that_waited()
        is_fresh = self.socket is None
        answer = self.once(request, method)
        if answer is None and not is_fresh:
            # It was closed while idle, or because of the previous request.
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
            # The server answered and disconnected before it received everything; its response can still be read.
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
        # A malformed request leaves unread bytes, and responses to them, on the connection.
        if answer.is_stream or response.will_close or not is_clean(request):
            self.close()
        return answer

    def abandon(self, part, waits):
        """Sends part of a request, and closes the connection immediately or after a long wait."""
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
    """Whether this is exactly one complete request, so that another can follow it on the connection."""
    head, _, body = request.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    told = [line for line in lines if line.startswith(b"Content-Length: ")]
    return lines[-1] == b"X-Whole: 1" and told == [b"Content-Length: %d" % len(body)]
