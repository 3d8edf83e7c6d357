"""Requests that are not HTTP or are contradictory."""

UPLOAD = b'--b\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\n\r\nxyz\r\n--b--\r\n'


def post(headers, body=b"{}", path=b"/serials"):
    return b"POST " + path + b" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + headers + b"\r\n" + body


def get(target=b"/livez", headers=b"", version=b"HTTP/1.1", method=b"GET"):
    return method + b" " + target + b" " + version + b"\r\nHost: x\r\n" + headers + b"\r\n"


def lengths():
    """Requests with a false or repeated content length."""
    for value in (
        b"-1",
        b"+2",
        b" 2 ",
        b"2, 2",
        b"2,3",
        b"0x2",
        b"",
        b"2.0",
        b"9223372036854775807",
        b"9223372036854775808",
        b"18446744073709551616",
        b"9" * 400,
        b"1e3",
        b"\xd9\xa2",
    ):
        yield post(b"Content-Length: " + value + b"\r\n")
    yield post(b"Content-Length: 2\r\nContent-Length: 3\r\n")
    yield post(b"Content-Length: 2\r\nContent-Length: 2\r\n")
    yield post(b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", b"2\r\n{}\r\n0\r\n\r\n")
    yield post(b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", b"2\r\n{}\r\n0\r\n\r\n")
    for coding in (
        b"chunked, chunked",
        b"gzip, chunked",
        b"chunked, gzip",
        b"identity",
        b"xchunked",
        b" chunked",
        b"chunked\0",
    ):
        yield post(b"Transfer-Encoding: " + coding + b"\r\n", b"2\r\n{}\r\n0\r\n\r\n")
    for size in (
        b"ffffffffffffffff",
        b"10000000000000000",
        b"-2",
        b"2;" + b"x" * 20_000,
        b"0x2",
        b"",
        b"zz",
        b"7fffffffffffffff",
    ):
        yield post(b"Transfer-Encoding: chunked\r\n", size + b"\r\n{}\r\n0\r\n\r\n")
    yield post(b"Transfer-Encoding: chunked\r\n", b"1\r\n{\r\n1\r\n}\r\n0\r\n" + b"X: y\r\n" * 5_000 + b"\r\n")
    yield post(b"Transfer-Encoding: chunked\r\n", b"1\r\n \r\n" * 20_000 + b"0\r\n\r\n")
    yield post(b"Content-Length: 100\r\nExpect: 100-continue\r\n", b"{}")
    yield post(b"Content-Length: 2\r\nExpect: something\r\n", b"{}")
    yield get(headers=b"Content-Length: 5\r\n") + b"hello"


def heads():
    """Invalid request lines and headers."""
    for target in (
        b"",
        b"*",
        b"livez",
        b"//livez",
        b"/livez/",
        b"/./livez",
        b"/../livez",
        b"/%2e%2e/livez",
        b"/%00",
        b"/livez%00",
        b"/livez\0",
        b"/%",
        b"/%zz",
        b"/\xff",
        b"http://x/livez",
        b"http://[::1/livez",
        b"/livez#f",
        b"/?",
        b"/?&&&==&",
        b"/" + b"a" * 65_536,
        b"/livez?" + b"a=b&" * 3_500,
        b"/livez?" + b"&" * 15_000,
        b"/history?" + b"limit=1&" * 1_500,
        b"/" + b"/" * 15_000,
        b"/" + b"a/" * 7_000,
        b"/history?" + b"search=" + b"%00" * 5_000,
        b"/result/" + b"a" * 15_000,
    ):
        yield get(target)
    for method in (
        b"HEAD",
        b"OPTIONS",
        b"TRACE",
        b"CONNECT",
        b"PUT",
        b"PATCH",
        b"DELETE",
        b"PROPFIND",
        b"get",
        b"G" * 5_000,
        b"G\0T",
        b"PRI",
        b"M-SEARCH",
        b"QUERY",
        b"",
    ):
        for target in (b"/livez", b"/history", b"/scan", b"/nowhere", b"*"):
            yield get(target, method=method)
    for version in (
        b"HTTP/0.9",
        b"HTTP/1.0",
        b"HTTP/1.2",
        b"HTTP/2.0",
        b"HTTP/9.9",
        b"HTTP/1.1.1",
        b"http/1.1",
        b"",
        b"HTTP/11",
        b"ICY",
    ):
        yield get(version=version)
    for header in (
        b"X: \0\r\n",
        b"X\0: y\r\n",
        b"X : y\r\n",
        b": y\r\n",
        b"X\r\n",
        b" X: y\r\n",
        b"X: y\r\n folded\r\n",
        b"X: y\n",
        b"X: " + b"y" * 15_000 + b"\r\n",
        b"X: " + b"y" * 65_536 + b"\r\n",
        b"X: y\r\n" * 2_000,
        b"X: y\r\n" * 20_000,
        b"Host: y\r\nHost: z\r\n",
        b"Connection: close, keep-alive, x\r\n",
        b"Connection: upgrade\r\nUpgrade: h2c\r\n",
        b"Upgrade: websocket\r\nConnection: Upgrade\r\n",
        b"Authorization: Bearer \xff\0\r\n",
        b"Authorization: " + b"B" * 9_000 + b"\r\n",
        b"Authorization: Bearer ss_" + b"a" * 8 + b"_" + b"b" * 64 + b"\r\n",
        b"Range: bytes=0-9223372036854775808\r\n",
        b"If-None-Match: " + b'"x",' * 2_000 + b"\r\n",
        b"Origin: null\r\n",
        b"Origin: http://evil.example\r\n",
        b"X-Request-ID: " + b"\x7f\xff" * 400 + b"\r\n",
        b"X-Forwarded-For: " + b"1," * 4_000 + b"\r\n",
        b"Accept: */" + b"*" * 8_000 + b"\r\n",
        b"Accept-Encoding: gzip;q=1e400\r\n",
        b"Cookie: " + b"a=b;" * 3_000 + b"\r\n",
        b'Forwarded: for="[::"\r\n',
    ):
        yield get(headers=header)
    for address in (b"[::1", b"x:99999999", b"\xff", b"", b"a" * 5_000, b"localhost:8000:8000"):
        yield b"GET /livez HTTP/1.1\r\nHost: " + address + b"\r\n\r\n"
    yield b"GET /livez HTTP/1.1\r\n\r\n"
    yield b"\r\n" * 2_000 + get()
    yield b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500)
    yield b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(100)
    yield bytes(70_000)
    yield b"\xff" * 70_000
    yield b"GET /livez\r\n\r\n"
    yield b"GET\t/livez\tHTTP/1.1\r\nHost: x\r\n\r\n"
    yield b"GET /livez HTTP/1.1\nHost: x\n\n"
    yield b"GET  /livez  HTTP/1.1\r\nHost: x\r\n\r\n"


def several():
    """Pipelined requests: several on one connection before any response is read."""
    yield get() * 50
    yield (
        get(b"/history")
        + get(method=b"HEAD", target=b"/history")
        + get(b"/nowhere")
        + get(method=b"HEAD", target=b"/nowhere")
        + get()
    )
    yield post(b"Content-Length: 2\r\n") * 20
    yield post(b"Content-Length: 2\r\n", b"{}x") + get()
    yield get() + b"rubbish" * 100


def forms():
    """Multipart bodies, after their headers."""
    part = b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
    end = b"--b--\r\n"
    image = part % (b"image", b"\xff\xd8\xff")
    yield UPLOAD
    yield image + end
    yield b""
    yield b"--b--\r\n"
    yield b"--b--"
    yield image
    yield image + image + end
    yield part % (b"file", b"x") + end
    for name in (b"", b"image\0", b"\xff", b"i" * 8_000, b"image[]", b"IMAGE", b"../image", b'a\\"b', b"\xed\xa0\x80"):
        yield part % (name, b"x") + end
    for value in (
        b"",
        b"\0",
        b"\xff",
        b"etched\0",
        b"etched\r\n",
        b"ETCHED",
        b"x" * 1_024,
        b"x" * 1_025,
        b"x" * 70_000,
        b"\xed\xa0\x80",
        "\U0001f1e6".encode() * 250,
    ):
        for name in (b"preset", b"device_type"):
            yield part % (name, value) + image + end
    yield part % (b"preset", b"etched") + part % (b"preset", b"screen") + image + end
    yield (part % (b"x", b"y")) * 31 + image + end
    yield (part % (b"x", b"y")) * 40 + image + end
    yield b"preamble" * 4_000 + b"\r\n" + image + end
    yield image + end + b"epilogue" * 10_000
    yield b"--b" + b" " * 20_000 + b"\r\n" + image[5:] + end
    yield b"--b\r\n" + b"X: y\r\n" * 4_000 + b"\r\nz\r\n" + end
    yield b"--b\r\nX: " + b"y" * 20_000 + b"\r\n\r\nz\r\n" + end
    yield b"--b\r\nContent-Disposition: form-data;\r\n" + b" a=b;\r\n" * 2_000 + b' name="image"\r\n\r\nz\r\n' + end
    yield b'--b\r\nContent-Disposition: form-data; name="image"; filename="' + b"\\" * 9_000 + b'"\r\n\r\nz\r\n' + end
    yield b"--b\r\nContent-Disposition: form-data; name=\"image\"; filename*=UTF-8''%00%ff\r\n\r\nz\r\n" + end
    yield b"--b\r\nContent-Disposition: form-data; " + b";" * 9_000 + b"name=image\r\n\r\nz\r\n" + end
    yield b"--b\r\nContent-Transfer-Encoding: base64\r\n" + image[5:] + end
    yield b"--b\nContent-Disposition: form-data; name=image\n\nz\n--b--\n"
    yield b"\r\n--b\r" * 5_000
    yield (b"\r\n--" * 10_000) + end
    yield bytes(70_000)
