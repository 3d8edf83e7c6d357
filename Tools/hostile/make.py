#!/usr/bin/env python3
"""Makes malicious pictures: decompression bombs, false headers, loops and garbage. Requires only Python; deterministic.

usage: make.py DIRECTORY [KIND...]     (png, tiff, webp, jpeg, exif, heic, foreign; without one all)
"""

import os
import random
import struct
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
PICTURES = os.path.join(HERE, "../../testdata/pictures")


def picture(name):
    with open(os.path.join(PICTURES, name), "rb") as file:
        return file.read()


# --- PNG


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, colour, rows, extra=b""):
    head = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + extra + png_chunk(b"IDAT", rows) + png_chunk(b"IEND", b"")


def zeros(count):
    """Returns this many zero bytes, deflated."""
    packer = zlib.compressobj(9)
    block = bytes(1 << 20)
    parts = [packer.compress(block) for _ in range(count >> 20)]
    return b"".join(parts) + packer.compress(bytes(count & 0xFFFFF)) + packer.flush()


def png_files():
    side = 7700
    yield "png_bomb_rgba16.png", png(side, side, 16, 6, zeros(side * (side * 8 + 1)))
    yield "png_bomb_gray1.png", png(60000, 990, 1, 0, zeros(990 * (60000 // 8 + 1)))
    yield "png_absurd_size.png", png(2**31 - 1, 2**31 - 1, 8, 2, zeros(1000))
    yield "png_no_size.png", png(0, 0, 8, 2, zeros(10))
    yield "png_too_little_data.png", png(4000, 3000, 8, 2, zeros(1000))
    yield "png_too_much_data.png", png(10, 10, 8, 0, zeros(400 << 20))
    text = png_chunk(b"zTXt", b"Comment\0\0" + zeros(200 << 20))
    yield "png_text_bomb.png", png(10, 10, 8, 0, zeros(110), text)
    profile = png_chunk(b"iCCP", b"p\0\0" + zeros(200 << 20))
    yield "png_profile_bomb.png", png(10, 10, 8, 0, zeros(110), profile)
    yield "png_many_chunks.png", png(10, 10, 8, 0, zeros(110), png_chunk(b"tEXt", b"k\0v") * 200_000)
    yield "png_thin.png", png(1, 50_000_000, 1, 0, zeros(2 * 50_000_000))
    yield "png_wide.png", png(50_000_000, 1, 1, 0, zeros(50_000_000 // 8 + 1))
    palette = png_chunk(b"PLTE", bytes(3))
    yield (
        "png_palette_too_short.png",
        png(100, 100, 8, 3, zlib.compress(b"".join(b"\0" + b"\xff" * 100 for _ in range(100))), palette),
    )


# --- TIFF


def tiff(width, height, samples, depth, strips, compression=8, extra=(), rows_per_strip=None):
    body = b"".join(strips)
    counts = struct.pack(f"<{len(strips)}I", *map(len, strips))
    places, at = [], 8
    for strip in strips:
        places.append(at)
        at += len(strip)
    offsets = struct.pack(f"<{len(strips)}I", *places)
    depths = struct.pack(f"<{samples}H", *([depth] * samples))
    tables_at = at
    entries = [
        (256, 4, 1, width),
        (257, 4, 1, height),
        (259, 3, 1, compression),
        (262, 3, 1, 2 if samples >= 3 else 1),
        (277, 3, 1, samples),
        (278, 4, 1, rows_per_strip or height),
    ]
    tables = depths + offsets + counts
    entries.append((258, 3, samples, depth if samples == 1 else tables_at))
    entries.append((273, 4, len(strips), places[0] if len(strips) == 1 else tables_at + len(depths)))
    entries.append(
        (279, 4, len(strips), len(strips[0]) if len(strips) == 1 else tables_at + len(depths) + len(offsets))
    )
    entries += list(extra)
    entries.sort()
    directory_at = tables_at + len(tables)
    directory = struct.pack("<H", len(entries))
    for tag, kind, count, value in entries:
        directory += struct.pack("<HHII", tag, kind, count, value)
    next_at = directory_at if extra == "loop" else 0
    return struct.pack("<2sHI", b"II", 42, directory_at) + body + tables + directory + struct.pack("<I", next_at)


def tiff_files():
    side = 7700
    yield "tiff_bomb_rgba16.tiff", tiff(side, side, 4, 16, [zeros(side * side * 8)])
    yield "tiff_bomb_gray.tiff", tiff(side, side, 1, 8, [zeros(side * side)])
    yield "tiff_absurd_size.tiff", tiff(2**32 - 1, 2**32 - 1, 3, 8, [zeros(1000)])
    yield "tiff_strip_outside.tiff", tiff(1000, 1000, 1, 8, [b"x"], 1)
    yield "tiff_many_strips.tiff", tiff(10, 100_000, 1, 8, [b"0123456789"] * 100_000, 1, rows_per_strip=1)
    loop = bytearray(tiff(10, 10, 1, 8, [bytes(100)], 1))
    loop[-4:] = loop[4:8]
    yield "tiff_directory_loop.tiff", bytes(loop)
    yield "tiff_jpeg_inside.tiff", tiff(8000, 7000, 3, 8, [picture("etched_clean_1.jpg")], 7)
    yield "tiff_samples.tiff", tiff(100, 100, 60, 8, [bytes(600_000)], 1)


# --- WebP


class Bits:
    def __init__(self):
        self.value, self.count = 0, 0

    def put(self, value, bits):
        self.value |= value << self.count
        self.count += bits

    def bytes(self):
        return self.value.to_bytes((self.count + 7) // 8 + 4, "little")


def riff(chunks):
    body = b"WEBP" + chunks
    return b"RIFF" + struct.pack("<I", len(body)) + body


def webp_chunk(kind, data):
    return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) & 1)


def webp_of_one_colour(width, height):
    """Returns a lossless WebP whose pixels take no bits."""
    bits = Bits()
    bits.put(0x2F, 8)
    bits.put(width - 1, 14)
    bits.put(height - 1, 14)
    bits.put(0, 1)
    bits.put(0, 3)
    for _ in range(3):
        bits.put(0, 1)
    for _ in range(5):
        bits.put(1, 1)
        bits.put(0, 1)
        bits.put(0, 1)
        bits.put(0, 1)
    return riff(webp_chunk(b"VP8L", bits.bytes()))


def webp_files():
    yield "webp_bomb.webp", webp_of_one_colour(7700, 7700)
    yield "webp_over_the_limit.webp", webp_of_one_colour(16384, 16384)
    extended = webp_chunk(b"VP8X", bytes([0x02, 0, 0, 0]) + b"\x13\x1e\x00" * 2)
    frame = webp_chunk(b"ANMF", bytes(6) + b"\x13\x1e\x00" * 2 + bytes(4) + webp_of_one_colour(7700, 7700)[12:])
    yield "webp_animation.webp", riff(extended + webp_chunk(b"ANIM", bytes(6)) + frame * 5000)
    yield "webp_lies_about_length.webp", b"RIFF\xff\xff\xff\xffWEBPVP8L\xff\xff\xff\xff" + bytes(100)


# --- JPEG


def segment(marker, data):
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


def exif(tiff_bytes):
    return segment(0xE1, b"Exif\0\0" + tiff_bytes)


def with_segments(jpeg, *segments):
    return jpeg[:2] + b"".join(segments) + jpeg[2:]


def endless_scans(side, megabytes):
    """Returns a progressive JPEG with as many scans as fit. Each takes a few bytes, but makes the decoder process the
    whole picture."""
    blocks = ((side + 7) // 8) ** 2
    out = b"\xff\xd8" + segment(0xDB, b"\0" + b"\1" * 64)
    out += segment(0xC2, struct.pack(">BHHBBBB", 8, side, side, 1, 1, 0x11, 0))
    # One code of one bit: difference 0 (DC), and runs of 16384 empty blocks (AC).
    out += segment(0xC4, b"\x00" + bytes([1] + [0] * 15) + b"\x00")
    out += segment(0xC4, b"\x10" + bytes([1] + [0] * 15) + b"\xe0")
    out += segment(0xDA, bytes([1, 1, 0x00, 0, 0, 0x00])) + bytes((blocks + 7) // 8)
    runs = blocks // 16384 + 2
    scan = segment(0xDA, bytes([1, 1, 0x00, 1, 63, 0x00])) + bytes((15 * runs + 7) // 8)
    return out + scan * ((megabytes << 20) // len(scan)) + b"\xff\xd9"


def jpeg_files():
    good = picture("etched_clean_1.jpg")
    yield "jpeg_truncated_in_header.jpg", good[:300]
    yield "jpeg_truncated_half.jpg", good[: len(good) // 2]
    yield "jpeg_truncated_with_end.jpg", good[: len(good) // 2] + b"\xff\xd9"
    yield "jpeg_endless_scans.jpg", endless_scans(7700, 20)
    yield "jpeg_many_scans.jpg", endless_scans(2000, 2)
    frame = good.index(b"\xff\xc0")
    for name, size in (("absurd", b"\xff\xff\xff\xff"), ("no", b"\0\0\0\0"), ("grown", b"\x1e\x14\x1e\x14")):
        yield f"jpeg_{name}_size.jpg", good[: frame + 5] + size + good[frame + 9 :]
    yield "jpeg_no_tables.jpg", b"\xff\xd8" + good[frame:]
    yield "jpeg_many_segments.jpg", with_segments(good, *[segment(0xE5, b"x")] * 200_000)
    yield "jpeg_large_comments.jpg", with_segments(good, *[segment(0xFE, bytes(65000))] * 300)
    yield "jpeg_two_pictures.jpg", good + good
    yield "jpeg_in_its_own_tail.jpg", good + bytes(20 << 20)
    yield "jpeg_12_bit.jpg", good[: frame + 4] + b"\x0c" + good[frame + 5 :]
    yield "jpeg_arithmetic.jpg", good[: frame + 1] + b"\xc9" + good[frame + 2 :]
    yield "jpeg_lossless.jpg", good[: frame + 1] + b"\xc3" + good[frame + 2 :]
    chance = random.Random(1)
    for number in range(40):
        bits = bytearray(good)
        for _ in range(chance.choice([1, 5, 50, 500])):
            bits[chance.randrange(2, len(bits))] ^= 1 << chance.randrange(8)
        yield f"jpeg_flipped_{number:02}.jpg", bytes(bits)


def exif_files():
    good = picture("etched_clean_1.jpg")
    head = b"II*\0\x08\0\0\0"
    entry = struct.pack("<HHII", 0x0112, 3, 1, 6)
    yield "exif_loop.jpg", with_segments(good, exif(head + b"\1\0" + entry + b"\x08\0\0\0"))
    nested = b"".join(
        struct.pack("<H", 1) + struct.pack("<HHII", 0x8769, 4, 1, 8 + 18 * (depth + 1)) + struct.pack("<I", 0)
        for depth in range(3500)
    )
    yield "exif_deep.jpg", with_segments(good, exif(head + nested))
    yield "exif_count_lies.jpg", with_segments(good, exif(head + b"\xff\xff" + entry + b"\0\0\0\0"))
    yield (
        "exif_value_outside.jpg",
        with_segments(good, exif(head + b"\1\0" + struct.pack("<HHII", 0x0112, 3, 2**31, 2**32 - 2) + bytes(4))),
    )
    yield "exif_offset_outside.jpg", with_segments(good, exif(b"II*\0\xff\xff\xff\xff" + bytes(10)))
    yield (
        "exif_bad_orientation.jpg",
        with_segments(good, exif(head + b"\1\0" + struct.pack("<HHII", 0x0112, 3, 1, 200) + bytes(4))),
    )
    yield "exif_many.jpg", with_segments(good, *[exif(head + b"\1\0" + entry + bytes(4))] * 1000)
    yield "exif_empty.jpg", with_segments(good, exif(b""))


# --- HEIC


def heic_files():
    good = picture("format_heic.heic")
    at = good.index(b"ispe")
    for name, size in (
        ("absurd", struct.pack(">II", 2**31, 2**31)),
        ("grown", struct.pack(">II", 7700, 7700)),
        ("no", bytes(8)),
    ):
        yield f"heic_{name}_size.heic", good[: at + 8] + size + good[at + 16 :]
    yield "heic_truncated.heic", good[: len(good) * 2 // 3]
    yield "heic_header_only.heic", good[:32]
    box = b"\0\0\0\x08free"
    yield "heic_many_boxes.heic", good[: struct.unpack(">I", good[:4])[0]] + box * 500_000
    deep = b""
    for _ in range(5000):
        deep = struct.pack(">I4s", len(deep) + 8, b"moov") + deep
    yield "heic_deep_boxes.heic", good[: struct.unpack(">I", good[:4])[0]] + deep
    # Endless tables of properties: merging or storing them costs the server time and memory before there is a job.
    start = good[: struct.unpack(">I", good[:4])[0]]
    boxed = lambda kind, data: struct.pack(">I4s", len(data) + 8, kind) + data
    table = lambda entries, count: boxed(b"ipma", bytes(4) + struct.pack(">I", count) + entries * count)
    pixels = boxed(b"ipco", boxed(b"ispe", bytes(4) + struct.pack(">II", 9, 9)))
    for name, tables in (
        ("merged_tables", table(b"\0\1\xff" + b"\x81" * 255, 2000) + table(b"\0\1\1\x81", 1) * 20_000),
        ("items_named_again", table(b"\0\1\xff" + b"\x81" * 255, 16) + table(b"\0\1\0", 340_000)),
        ("items_without_end", table(b"\0\2\0", 340_000)),
    ):
        content = bytes(4) + boxed(b"pitm", bytes(4) + b"\0\1") + boxed(b"iprp", pixels + tables)
        yield f"heic_{name}.heic", start + boxed(b"meta", content) + boxed(b"mdat", bytes(100))
    chance = random.Random(2)
    for number in range(20):
        bits = bytearray(good)
        for _ in range(chance.choice([1, 5, 50])):
            bits[chance.randrange(12, len(bits))] ^= 1 << chance.randrange(8)
        yield f"heic_flipped_{number:02}.heic", bytes(bits)


# --- Foreign files and masses of codes

CODE_39 = {
    "0": "000110100",
    "1": "100100001",
    "2": "001100001",
    "3": "101100000",
    "4": "000110001",
    "5": "100110000",
    "6": "001110000",
    "7": "000100101",
    "8": "100100100",
    "9": "001100100",
    "*": "010010100",
}


def code_39(text):
    """Returns bars as booleans: one pixel per module, three for wide bars."""
    line = []
    for letter in f"*{text}*":
        for index, wide in enumerate(CODE_39[letter]):
            line += [index % 2 == 0] * (3 if wide == "1" else 1)
        line.append(False)
    return line


def many_codes():
    columns, rows, height = 90, 112, 14
    lines = []
    for row in range(rows):
        bars = []
        for column in range(columns):
            bars += [False] * 8 + code_39(f"{row * columns + column:05}"[-4:])
        pixels = b"\0" + bytes(0 if bar else 255 for bar in bars)
        white = b"\0" + b"\xff" * (len(pixels) - 1)
        lines += [pixels] * height + [white] * 5
    return png(len(lines[0]) - 1, len(lines), 8, 0, zlib.compress(b"".join(lines), 9))


def noise(width, height):
    chance = random.Random(3)
    return png(width, height, 8, 0, zlib.compress(b"".join(b"\0" + chance.randbytes(width) for _ in range(height)), 1))


def stripes(width, height):
    """Returns a picture that looks like bars and lines of text everywhere."""
    row = b"\0" + bytes(0 if x % 3 else 255 for x in range(width))
    white = b"\0" + b"\xff" * width
    return png(width, height, 8, 0, zlib.compress(b"".join(white if y % 16 < 4 else row for y in range(height)), 9))


def foreign_files():
    yield "empty.jpg", b""
    yield "one_byte.jpg", b"\xff"
    yield "zeros.jpg", bytes(1 << 20)
    yield "gif.jpg", b"GIF89a" + struct.pack("<HH", 65535, 65535) + b"\0\0\0;" + bytes(100)
    yield "pdf.jpg", b"%PDF-1.7\n1 0 obj <</Type/Catalog>> endobj\n" + bytes(1000)
    yield "svg.png", b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'
    yield "html.png", b"<!doctype html><script>alert(1)</script>" * 100
    yield "zip.heic", b"PK\x03\x04" + bytes(1000)
    yield "elf.jpg", b"\x7fELF" + bytes(1000)
    yield "bmp.jpg", b"BM" + struct.pack("<IIIIiiHHIIiiII", 100, 0, 54, 40, 50000, 50000, 1, 24, 0, 0, 0, 0, 0, 0)
    yield "jp2.jpg", b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(200)
    yield "pnm.jpg", b"P6 99999 99999 255\n"
    yield "magic_only.jpg", b"\xff\xd8\xff"
    yield "magic_only.png", b"\x89PNG\r\n\x1a\n"
    yield "magic_only.tiff", b"II*\0"
    yield "magic_only.webp", b"RIFF\0\0\0\0WEBP"
    yield "magic_only.heic", b"\0\0\0\x18ftypheic"
    yield "codes_10000.png", many_codes()
    yield "noise_24mp.png", noise(5600, 4300)
    yield "stripes_50mp.png", stripes(8600, 5800)


def main():
    makers = {
        "png": png_files,
        "tiff": tiff_files,
        "webp": webp_files,
        "jpeg": jpeg_files,
        "exif": exif_files,
        "heic": heic_files,
        "foreign": foreign_files,
    }
    kinds = sys.argv[2:] or list(makers)
    if len(sys.argv) < 2 or not set(kinds) <= set(makers):
        sys.exit(__doc__.strip())
    os.makedirs(sys.argv[1], exist_ok=True)
    count = 0
    for kind in kinds:
        for name, content in makers[kind]():
            with open(os.path.join(sys.argv[1], name), "wb") as file:
                file.write(content)
            count += 1
    print(f"{count} files in {sys.argv[1]}")


if __name__ == "__main__":
    main()
