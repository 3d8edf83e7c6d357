#!/usr/bin/env python3
"""Writes the regression files that are made by hand: small, each of a kind that once failed, or that a parser like ours
has failed on. What the fuzzers find lies beside them, as it was found.

usage: make_finds.py [DIRECTORY, default Fuzzing/finds]
"""

import os
import struct
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))


def segment(marker, data):
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


# --- Picture headers

SOI, EOI = b"\xff\xd8", b"\xff\xd9"
FRAME = segment(0xC2, struct.pack(">BHHBBBB", 8, 10, 20, 3, 1, 0x11, 0))
SCAN = segment(0xDA, bytes([1, 1, 0, 0, 0, 0])) + b"\x12"


def exif(tiff):
    return SOI + segment(0xE1, b"Exif\0\0" + tiff) + FRAME + SCAN + EOI


def entry(tag, kind, count, value):
    return struct.pack("<HHII", tag, kind, count, value)


def tiff(entries, next_at=0, directory_at=8):
    head = struct.pack("<2sHI", b"II", 42, directory_at)
    return head + struct.pack("<H", len(entries)) + b"".join(entries) + struct.pack("<I", next_at)


def png(width, height, chunks):
    def chunk(kind, data, length=None):
        size = len(data) if length is None else length
        return struct.pack(">I", size) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunk(*one) for one in chunks)


def box(kind, data, length=None):
    return struct.pack(">I4s", len(data) + 8 if length is None else length, kind) + data


def heic(properties, associations=b"", extra=b""):
    content = box(b"pitm", bytes(4) + b"\0\1") + box(b"iprp", box(b"ipco", properties) + associations)
    return box(b"ftyp", b"heic\0\0\0\0heic") + box(b"meta", bytes(4) + content) + extra + box(b"mdat", b"x")


def ispe(width, height):
    return box(b"ispe", bytes(4) + struct.pack(">II", width, height))


def picture_headers():
    # A decoder walks over the whole picture for each scan.
    yield "jpeg-scans-without-end", SOI + FRAME + SCAN * 101 + EOI
    yield "jpeg-scans-behind-a-marker-without-length", SOI + FRAME + (b"\xff\x01" + SCAN) * 101 + EOI
    yield "jpeg-tables-between-scans", SOI + FRAME + SCAN + segment(0xC4, b"") * 1100 + SCAN + EOI
    yield "jpeg-segment-of-length-0", SOI + b"\xff\xe0\0\0" + FRAME + SCAN + EOI
    yield "jpeg-segment-of-length-1", SOI + b"\xff\xe0\0\1" + FRAME + SCAN + EOI
    yield "jpeg-fill-bytes-alone", SOI + b"\xff" * 500
    yield "jpeg-scan-before-its-frame", SOI + SCAN + FRAME + EOI
    yield "jpeg-no-size", SOI + segment(0xC0, struct.pack(">BHHB", 8, 0, 0, 1)) + SCAN + EOI
    yield "jpeg-ends-in-a-marker", SOI + FRAME + SCAN + b"\xff"
    yield "jpeg-ends-in-a-length", SOI + FRAME + SCAN + b"\xff\xda\x00"
    # Baseline pictures without an end are walked: ten blocks of two bits, in one row or with restarts.
    codes = lambda kind: bytes([kind, 1]) + bytes(16)
    head = (
        SOI + segment(0xC0, struct.pack(">BHHBBBB", 8, 16, 40, 1, 1, 0x11, 0)) + segment(0xC4, codes(0) + codes(0x10))
    )
    scan = segment(0xDA, bytes([1, 1, 0, 0, 63, 0]))
    yield "jpeg-whole-without-end", head + scan + b"\0\0\x0f"
    yield "jpeg-cut-without-end", head + scan + b"\0\0"
    yield "jpeg-restarts-without-end", head + segment(0xDD, b"\0\1") + scan + b"\x3f\xff\xd0" * 9 + b"\x3f"
    yield "jpeg-more-codes-than-fit", SOI + segment(0xC4, bytes([0]) + b"\xff" * 16 + bytes(4080)) + head + scan + b"\0"
    yield "jpeg-tables-before-no-end", head + segment(0xC4, codes(0)) * 200 + scan + b"\0\0"
    turn = entry(0x0112, 3, 1, 6)
    yield "exif-directory-loop", exif(tiff([turn], next_at=8))
    yield "exif-more-entries-than-bytes", exif(struct.pack("<2sHIH", b"II", 42, 8, 0xFFFF) + turn)
    yield "exif-directory-outside", exif(b"II*\0\xff\xff\xff\xff")
    yield "exif-value-outside", exif(tiff([entry(0x0112, 3, 2**31, 2**32 - 2)]))
    yield "exif-orientation-of-200", exif(tiff([entry(0x0112, 3, 1, 200)]))
    yield "exif-empty", SOI + segment(0xE1, b"") + FRAME + SCAN + EOI
    yield "exif-name-alone", SOI + segment(0xE1, b"Exif\0\0") + FRAME + SCAN + EOI
    # Width times height is more than a number holds.
    most = 2**32 - 1
    yield "tiff-size-overflows", tiff([entry(256, 4, 1, most), entry(257, 4, 1, most)])
    size = [entry(256, 4, 1, 10), entry(257, 4, 1, 10)]
    yield "tiff-pages-in-a-circle", tiff(size, next_at=8)
    yield "tiff-next-page-outside", tiff(size, next_at=most)
    yield "tiff-next-page-within-this-one", tiff(size, next_at=10)
    yield "tiff-no-size", tiff([entry(256, 4, 1, 0), entry(257, 4, 1, 0)])
    yield "tiff-directory-at-the-end", tiff([turn], directory_at=most)
    yield "tiff-magic-alone", b"MM\0*"
    yield "png-size-overflows", png(most, most, [(b"IDAT", b"x"), (b"IEND", b"")])
    yield "png-no-size", png(0, 0, [(b"IDAT", b"x"), (b"IEND", b"")])
    yield "png-chunk-longer-than-the-file", png(1, 1, [(b"tEXt", b"x", 0x7FFFFFFF), (b"IDAT", b"x"), (b"IEND", b"")])
    yield "png-chunk-of-negative-length", png(1, 1, [(b"tEXt", b"x", 0xFFFFFFFF), (b"IDAT", b"x"), (b"IEND", b"")])
    yield "png-no-pixels", png(1, 1, [(b"IEND", b"")])
    yield "webp-longer-than-the-file", b"RIFF\xff\xff\xff\xffWEBPVP8L\xff\xff\xff\xff" + bytes(20)
    body = b"WEBPVP8X" + struct.pack("<I", 10) + bytes([8, 0, 0, 0]) + b"\xff" * 6 + b"EXIF\xff\xff\xff\xff"
    yield "webp-exif-longer-than-the-file", b"RIFF" + struct.pack("<I", len(body)) + body
    yield "heic-size-overflows", heic(ispe(most, most))
    yield "heic-no-size", heic(ispe(0, 0))
    yield "heic-box-of-length-7", heic(ispe(1, 1) + box(b"free", b"", 7))
    yield "heic-box-longer-than-its-parent", heic(ispe(1, 1) + box(b"free", b"", most))
    long = struct.pack(">I4sQ", 1, b"free", 2**64 - 1)
    yield "heic-long-box-of-negative-length", heic(ispe(1, 1), extra=long)
    lies = box(b"ipma", bytes(4) + struct.pack(">I", most) + b"\0\1\xff\x81")
    yield "heic-more-associations-than-bytes", heic(ispe(1, 1), lies)
    deep = b""
    for _ in range(600):
        deep = box(b"moov", deep)
    yield "heic-deep-boxes", heic(ispe(1, 1), extra=deep)
    yield "heic-many-boxes", heic(ispe(1, 1), extra=box(b"free", b"") * 900)
    # Each of these tables was once merged into all that came before.
    named = lambda item, properties: struct.pack(">HB", item, len(properties)) + properties
    table = lambda *entries: box(b"ipma", bytes(4) + struct.pack(">I", len(entries)) + b"".join(entries))
    many = table(*[named(1, b"\x81" * 255)] * 15)
    yield "heic-many-tables-beside-a-large-one", heic(ispe(1, 1), many + table(named(1, b"\x81")) * 180)
    yield (
        "heic-an-item-named-again-and-again",
        heic(ispe(1, 1), table(*[named(1, b"\x81" * 255)] * 8, *[named(1, b"")] * 1900)),
    )
    yield "heic-two-meta-boxes", heic(ispe(9, 9), extra=box(b"meta", bytes(4) + box(b"iprp", box(b"ipco", ispe(1, 1)))))
    # References that the picture does not need are overwritten before it is decoded.
    link = lambda kind, *to: box(kind, struct.pack(f">HH{len(to)}H", 1, len(to), *to))
    linked = lambda content: (
        box(b"ftyp", b"heic\0\0\0\0heic") + box(b"meta", bytes(4) + box(b"iref", content)) + box(b"mdat", b"x")
    )
    yield (
        "heic-references-of-all-kinds",
        linked(bytes(4) + link(b"auxl", 1, 2) + link(b"dimg", 2) + link(b"thmb", 1, 2)),
    )
    yield "heic-reference-longer-than-its-box", linked(bytes(4) + box(b"auxl", b"\0\1\0\1\0\2", 200))
    yield "heic-references-without-a-version", linked(b"")
    yield "heic-many-references", linked(bytes(4) + link(b"auxl", 1, 2) * 500)
    yield "heic-brand-of-two-letters", box(b"ftyp", b"he")


# --- Multipart bodies, with the boundary "b"


def multipart():
    head = b'--b\r\nContent-Disposition: form-data; name="image"\r\n\r\n'
    yield "content-like-the-boundary", head + b"\r\n--\r\n-\r\n--a\r\n--" + b"\r\n--b--\r\n"
    yield "content-of-line-ends", head + b"\r\r\n\r\r\n\n\r" * 40 + b"\r\n--b--\r\n"
    yield "ends-in-the-boundary", head + b"x\r\n--b"
    yield "ends-in-a-half-boundary", head + b"x\r\n--"
    yield "padding-without-end", b"--b" + b" \t" * 3000
    yield "header-without-end", b"--b\r\nContent-Disposition: " + b"x" * 8000
    yield "headers-without-end", b"--b\r\n" + b"a: b\r\n" * 1300
    yield "parts-without-end", head * 60
    yield "quote-without-end", b'--b\r\nContent-Disposition: form-data; name="' + b'\\"' * 500 + b"\r\n\r\nx\r\n--b--"
    yield "name-of-bytes", b"--b\r\nContent-Disposition: form-data; name=\xff\xfe\x80\r\n\r\nx\r\n--b--"
    yield "folded-header", b"--b\r\nContent-Disposition: form-data;\r\n name=a\r\n\r\nx\r\n--b--"
    yield "nul-in-a-name", b'--b\r\nContent-Disposition: form-data; name="a\0b"\r\n\r\nx\r\n--b--'
    yield "preamble-without-end", b"--c\r\n" * 1500
    yield "no-blank-line", b"--b\r\n--b\r\n--b--"
    yield "boundary-quote-without-end", b'multipart/form-data; boundary="' + b"\\" * 150


# --- Pixels for the barcode shim, as Fuzzing/barcodes.cpp takes them: size, padding, bits or bytes

CODE_39 = {
    "0": "000110100",
    "1": "100100001",
    "2": "001100001",
    "3": "101100000",
    "4": "000110001",
    "*": "010010100",
}


def bars(text, module=1):
    line = [False] * 10 * module
    for letter in f"*{text}*":
        for index, wide in enumerate(CODE_39[letter]):
            line += [index % 2 == 0] * ((3 if wide == "1" else 1) * module)
        line += [False] * module
    return line + [False] * 10 * module


def pixels(rows):
    """Rows of booleans, true for ink, as bits; all as wide as the first."""
    width = len(rows[0])
    width += -(width - 1) % 4
    flat = []
    for row in rows:
        flat += [not ink for ink in row] + [True] * (width - len(row))
    packed = bytearray()
    for start in range(0, len(flat), 8):
        packed.append(sum(1 << bit for bit, white in enumerate(flat[start : start + 8]) if white))
    return bytes([0, (width - 1) // 4, 0, 1]) + bytes(packed)


def stripes(width, height, period):
    return [[(x // period) % 2 == 0 for x in range(width)] for _ in range(height)]


def barcodes():
    line = bars("012")
    white = [False] * len(line)
    yield "code-on-several-lines", pixels([white] * 8 + [line] * 40 + [white] * 8)
    # Large enough to be looked through in smaller copies too, where the library fails an assertion on codes that it has
    # found on several lines before.
    for name, module in (("small", 2), ("large", 5)):
        row = (bars("012", module) + [False] * 521)[:521]
        gap = [[False] * 521]
        yield f"{name}-code-in-several-copies", pixels(gap * 20 + [row] * 200 + gap * 80 + [row] * 200 + gap * 20)
    yield "code-in-white-on-black", pixels([[not ink for ink in line]] * 60)
    # A picture full of bars, and of what looks like the corners of square codes.
    yield "many-codes", pixels(([line] * 5 + [white] * 2) * 30)
    yield "bars-everywhere", pixels(stripes(201, 200, 1))
    yield "wide-bars-everywhere", pixels(stripes(201, 200, 3))
    corner = [
        [x < 30 or y > 70 or (x % 2 == 0 and y < 2) or (y % 2 == 0 and x > 98) for x in range(101)] for y in range(101)
    ]
    yield "corners-of-a-square-code", pixels(corner)
    rings = [[(max(abs(x - 50), abs(y - 50)) // 3) % 2 == 0 for x in range(101)] for y in range(101)]
    yield "rings", pixels(rings)
    grid = [[(x % 14 < 7) != (y % 14 < 7) for x in range(141)] for y in range(141)]
    yield "chessboard", pixels(grid)
    yield "one-row", pixels([line])
    yield "one-column", b"\x00\x00\x00\x00" + b"\x00\xff" * 400
    yield "wider-than-its-pixels", b"\xff\xff\x07\x00" + bytes(300)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "finds")
    os.makedirs(folder, exist_ok=True)
    count = 0
    for target, makers in (("picture_header", picture_headers), ("multipart", multipart), ("barcodes", barcodes)):
        for name, content in makers():
            with open(os.path.join(folder, f"{target}-{name}"), "wb") as file:
                file.write(content)
            count += 1
    print(f"{count} files in {folder}")


if __name__ == "__main__":
    main()
