"""Checks that SerialScan works behind Caddy and nginx with deploy/Caddyfile and deploy/nginx.conf.

Starts the real proxies with these files, in which only addresses, ports and certificates are replaced.
"""

import contextlib
import http.client
import json
import pathlib
import re
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

from running import DEPLOY, TOP, free_port, server, setting, started, wait_for_port

NAME = "serials.example.org"
BOUNDARY = "------------------------5f1d"
PICTURE = (TOP / "testdata/pictures/etched_clean_1.jpg").read_bytes()


def form(picture):
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\n\r\n'
    return head.encode() + picture + f"\r\n--{BOUNDARY}--\r\n".encode()


def large_picture(size):
    """Returns a JPEG of about `size` bytes: a real one preceded by comments without content."""
    comment = b"\xff\xfe\xff\xff" + bytes(65_533)
    return PICTURE[:2] + comment * ((size - len(PICTURE)) // len(comment)) + PICTURE[2:]


def nginx_configuration(folder, port, upstream, below_path):
    text = (DEPLOY / "nginx.conf").read_text()
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{upstream}")
    text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl").replace(
        "    listen [::]:443 ssl http2;\n", ""
    )
    text = re.sub(r"/etc/ssl/\S+\.pem", f"{folder}/certificate.pem", text)
    text = re.sub(r"/etc/ssl/\S+\.key", f"{folder}/key.pem", text)
    if below_path:
        # As the file's comment says.
        text = text.replace("location / {", "location /serialscan/ {")
        text = text.replace("proxy_pass http://serialscan;", "proxy_pass http://serialscan/;")
    folders = "".join(
        f"  {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    path = pathlib.Path(folder) / "nginx.conf"
    path.write_text(
        f"daemon off;\npid {folder}/nginx.pid;\nerror_log {folder}/nginx.log;\nevents {{}}\nhttp {{\n"
        f"  access_log off;\n{folders}{text}\n}}\n"
    )
    return ["nginx", "-p", folder, "-c", str(path), "-e", f"{folder}/nginx.log"]


def caddy_configuration(folder, port, upstream, below_path):
    text = (DEPLOY / "Caddyfile").read_text()
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{upstream}")
    site = f"{NAME}:{port} {{\n\tbind 127.0.0.1\n\ttls {folder}/certificate.pem {folder}/key.pem\n"
    if below_path:
        # As the file's comment says.
        block = re.findall(r"^# (\t.*)$", text, re.MULTILINE)
        text = site + "\n".join(block) + "\n}\n"
    else:
        text = text.replace(f"{NAME} {{\n", site)
    path = pathlib.Path(folder) / "Caddyfile"
    path.write_text(f"{{\n\tadmin off\n\tauto_https off\n}}\n{text}")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(path)]


class ProxyTests:
    """Tests for each proxy; `configuration` is the proxy's own."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        folder = cls.temporary.name
        # nginx drops root's privileges.
        pathlib.Path(folder).chmod(0o755)
        cls.addClassCleanup(cls.temporary.cleanup)
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "2",
                "-subj",
                f"/CN={NAME}",
                "-addext",
                f"subjectAltName=DNS:{NAME}",
                "-keyout",
                f"{folder}/key.pem",
                "-out",
                f"{folder}/certificate.pem",
            ],
            check=True,
            capture_output=True,
        )
        # No workers, so that jobs stay queued and long polls wait.
        upstream, cls.data, cls.log = cls.enterClassContext(
            server(
                folder, "--workers", "0", "--set", "server.trusted_proxies=127.0.0.1", "--set", f"server.hosts={NAME}"
            )
        )
        cls.port, cls.port_of_path = free_port(), free_port()
        for number, (port, below_path) in enumerate([(cls.port, False), (cls.port_of_path, True)]):
            own = pathlib.Path(folder) / f"proxy{number}"
            own.mkdir(mode=0o777)
            own.chmod(0o777)
            for name in ("key.pem", "certificate.pem"):
                (own / name).write_bytes((pathlib.Path(folder) / name).read_bytes())
            command = cls.configuration(str(own), port, upstream, below_path)
            output = cls.enterClassContext((own / "output").open("wb"))
            environment = {"HOME": str(own), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
            proxy = cls.enterClassContext(started(command, stdout=output, stderr=output, env=environment))
            wait_for_port(port, proxy)

    def connection(self, port=None, source="127.0.0.1"):
        """Returns a TLS connection that trusts only this certificate."""
        context = ssl.create_default_context(cafile=f"{self.temporary.name}/certificate.pem")
        port = port or self.port
        connection = http.client.HTTPSConnection(NAME, port, timeout=60)
        plain = socket.create_connection(("127.0.0.1", port), 60, (source, 0))
        connection.sock = context.wrap_socket(plain, server_hostname=NAME)
        return connection

    def ask(self, method, path, body=None, headers=None, **options):
        connection = self.connection(**options)
        self.addCleanup(connection.close)
        # A request rejected for its head is answered and disconnected while its body is still being sent.
        with contextlib.suppress(ssl.SSLError, ConnectionError):
            connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read()

    def scan(self, picture=PICTURE, headers=None, **options):
        status, body = self.ask(
            "POST",
            options.pop("path", "/scan"),
            form(picture),
            {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}", **(headers or {})},
            **options,
        )
        return status, json.loads(body)

    def test_a_browser_uploads_from_the_page_over_tls(self):
        origin = f"https://{NAME}:{self.port}"
        status, body = self.ask("GET", "/")
        self.assertEqual((status, b"page/app.js" in body), (200, True))
        status, answer = self.scan(headers={"Origin": origin, "Sec-Fetch-Site": "same-origin"})
        self.assertEqual((status, answer["status"]), (200, "queued"))

    def test_the_page_works_below_a_path(self):
        status, body = self.ask("GET", "/serialscan/", port=self.port_of_path)
        self.assertEqual(status, 200)
        files = re.findall(rb'(?:src|href)="([^"#]+)"', body)
        self.assertIn(b"page/app.js", files)
        for file in files:
            self.assertFalse(file.startswith(b"/"), file)
            self.assertEqual(self.ask("GET", "/serialscan/" + file.decode(), port=self.port_of_path)[0], 200, file)
        self.assertEqual(self.scan(path="/serialscan/scan", port=self.port_of_path)[0], 200)

    def test_an_upload_goes_on_while_it_arrives(self):
        body = form(large_picture(int(setting("upload.max_bytes")) - 100_000))
        connection = self.connection()
        self.addCleanup(connection.close)
        connection.putrequest("POST", "/scan")
        connection.putheader("Content-Type", f"multipart/form-data; boundary={BOUNDARY}")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        half = len(body) // 2
        connection.send(body[:half])
        # The server receives most of the first half before the second one is sent.
        end = time.monotonic() + 30
        while self.largest_file() < half - 4_000_000 and time.monotonic() < end:
            time.sleep(0.05)
        self.assertGreater(self.largest_file(), half - 4_000_000)
        connection.send(body[half:])
        answer = connection.getresponse()
        self.assertEqual((answer.status, json.loads(answer.read())["status"]), (200, "queued"))

    def largest_file(self):
        return max((file.stat().st_size for file in self.data.rglob("*") if file.is_file()), default=0)

    def test_a_photo_too_large_is_refused_by_the_server_in_its_own_words(self):
        status, answer = self.scan(large_picture(int(setting("upload.max_bytes")) + 300_000))
        self.assertEqual((status, answer["error_code"]), (413, "BODY_TOO_LARGE"))

    def test_an_answer_is_held(self):
        path = self.scan()[1]["check_status_url"]
        start = time.monotonic()
        status, body = self.ask("GET", path + "?wait=4")
        self.assertGreaterEqual(time.monotonic() - start, 4)
        self.assertEqual((status, json.loads(body)["status"]), (200, "queued"))

    def test_the_clients_address_is_known_and_no_other_believed(self):
        for number, lies in enumerate(
            [
                {},
                {"X-Forwarded-For": "6.6.6.6"},
                {"Forwarded": "for=7.7.7.7"},
                {"X-Forwarded-For": "127.0.0.1", "Forwarded": "for=127.0.0.1"},
            ]
        ):
            request_id = f"{self.id().split('.')[-2]}-{number}"
            status, _ = self.ask("GET", "/params", None, {"X-Request-ID": request_id, **lies}, source="127.0.0.77")
            self.assertEqual(status, 200)
            end = time.monotonic() + 10
            while not (
                lines := [line for line in self.log.read_text().splitlines() if f"request={request_id}" in line]
            ):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.05)
            self.assertIn("address=127.0.0.77", lines[0], lies)


class NginxTests(ProxyTests, unittest.TestCase):
    configuration = staticmethod(nginx_configuration)

    def test_no_limit_of_nginx_lies_below_one_of_the_server(self):
        text = (DEPLOY / "nginx.conf").read_text()
        longest = max(float(setting("server.max_wait")), float(setting("server.process_timeout")))
        for name in ("proxy_read_timeout", "proxy_send_timeout"):
            self.assertGreater(float(re.search(rf"{name} (\d+)s;", text).group(1)), longest)
        size = int(re.search(r"client_max_body_size (\d+)m;", text).group(1)) << 20
        self.assertGreater(size, int(setting("upload.max_bytes")))


class CaddyTests(ProxyTests, unittest.TestCase):
    configuration = staticmethod(caddy_configuration)

    def test_no_limit_of_caddy_lies_below_one_of_the_server(self):
        text = (DEPLOY / "Caddyfile").read_text()
        self.assertNotIn("timeout", text)
        size = int(re.search(r"max_size (\d+)MB", text).group(1)) * 1_000_000
        self.assertGreater(size, int(setting("upload.max_bytes")))


if __name__ == "__main__":
    unittest.main()
