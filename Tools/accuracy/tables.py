#!/usr/bin/env python3
"""Scores reading every serial of tables of devices, drawn as web pages by headless Chromium.

    tables.py PROGRAM [--seed 1] [--count 24] [--parts] [--keep DIR]

Each table has its own typeface, size, columns, header, stripes, borders and colours, light or dark; every other one is then photographed: tilted,
from the side, out of focus and noisy. Prints how many serials are read, accepted and invented, in screenshots and in photos, and the CPU of all.
With --parts each row is also read alone, below its header, without `--all`: what is read of it, and the CPU of the table as a share of that of
its rows. Needs chromium-driver, and the fonts of Tools/corpus/install-fonts.sh.
"""

import argparse
import base64
import io
import pathlib
import random
import sys
import tempfile

import numpy
from PIL import Image, ImageFilter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "page"))
import webdriver  # noqa: E402
from montage import Score, batch, report, scan  # noqa: E402

FONTS = [
    "Inter",
    "Roboto",
    "Open Sans",
    "Lato",
    "Carlito",
    "Cantarell",
    "Arimo",
    "Noto Sans",
    "DejaVu Sans",
    "Liberation Sans Narrow",
    "Tinos",
    "Noto Serif",
    "Cabin",
    "Nimbus Sans",
]
MONOSPACED = ["JetBrains Mono", "Fira Code", "Hack", "Cousine", "DejaVu Sans Mono", "Inconsolata", "Liberation Mono"]
HEADERS = ["Serial Number", "Serial number", "Serial", "S/N", "Serial No.", "SERIAL NUMBER", "Serial #", "SN"]
MODELS = [
    "MacBook Pro 14",
    "MacBook Air M2",
    "iMac 24-inch",
    "Mac mini",
    "Mac Studio",
    "MacBook Pro 16-inch, 2021",
    "iPad Air",
    "iPhone 14",
]
OTHERS = {
    "#": lambda chance, row: str(row + 1),
    "Asset Tag": lambda chance, row: f"{chance.choice(['IT', 'AST', 'LT'])}-{chance.randint(1000, 99999):05}",
    "Assigned To": lambda chance, row: chance.choice(
        ["Ada Lovelace", "Grace Hopper", "Alan Turing", "Edsger Dijkstra", "Barbara Liskov", "Unassigned"]
    ),
    "Room": lambda chance, row: f"{chance.randint(1, 4)}.{chance.randint(10, 99)}",
    "Location": lambda chance, row: chance.choice(["Berlin", "Zürich", "New York", "Storage", "Reception"]),
    "Purchased": lambda chance, row: (
        f"20{chance.randint(18, 25)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    ),
    "Status": lambda chance, row: chance.choice(["Deployed", "In stock", "In repair", "Retired"]),
    "Price": lambda chance, row: f"${chance.randint(600, 3900):,}.00",
    "OS": lambda chance, row: f"macOS {chance.randint(12, 15)}.{chance.randint(0, 7)}",
    "Order": lambda chance, row: f"W{chance.randint(10**9, 10**10 - 1)}",
    "Hostname": lambda chance, row: (
        f"{chance.choice(['mbp', 'imac', 'mini'])}-{chance.choice(['ada', 'grace', 'lab', 'front'])}-{chance.randint(1, 99):02}"
    ),
}
LIGHT = [
    ("#fff", "#222", "#f3f4f6", "#111", "#f8f9fa", "#ddd"),
    ("#fafafa", "#333", "#2f5597", "#fff", "#e8eef8", "#b4c6e7"),
    ("#fff", "#1d1d1f", "#fff", "#6e6e73", "#f5f5f7", "#d2d2d7"),
    ("#fff", "#000", "#4caf50", "#fff", "#eee", "#999"),
]
DARK = [
    ("#1e1e1e", "#ddd", "#2d2d2d", "#fff", "#262626", "#444"),
    ("#0d1117", "#c9d1d9", "#161b22", "#8b949e", "#131920", "#30363d"),
    ("#202124", "#e8eaed", "#202124", "#9aa0a6", "#2a2b2f", "#5f6368"),
]


class Table:
    """A table of devices with all that its look takes, so that its rows can be drawn alone."""

    def __init__(self, chance):
        self.serials = batch(chance, chance.randint(4, 14))
        names = chance.sample(list(OTHERS), chance.randint(1, 5))
        names = ["#"] * ("#" in names) + [name for name in names if name != "#"]
        serial = chance.choice(HEADERS)
        names.insert(chance.randint(0, len(names)), "Model")
        names.insert(chance.randint(0, len(names)), serial)
        self.names = names
        self.rows = [
            [
                own if name == serial else chance.choice(MODELS) if name == "Model" else OTHERS[name](chance, row)
                for name in names
            ]
            for row, own in enumerate(self.serials)
        ]
        ground, ink, head, head_ink, stripe, border = chance.choice(LIGHT if chance.random() < 0.65 else DARK)
        size, scale = chance.choice([12, 13, 14, 15, 16, 18]), chance.choice([1, 1.5, 2])
        self.scale = max(scale, 1.5 if size < 14 else 1)
        borders = chance.choice(
            ["", "td,th{border:1px solid BORDER}", "td,th{border-bottom:1px solid BORDER}"]
        ).replace("BORDER", border)
        stripes = f"tr:nth-child(even) td{{background:{stripe}}}" if chance.random() < 0.5 else ""
        column = names.index(serial) + 1
        monospaced = (
            f"td:nth-child({column}){{font-family:'{chance.choice(MONOSPACED)}'}}" if chance.random() < 0.3 else ""
        )
        self.style = (
            f"body{{background:{ground};color:{ink};font:{size}px '{chance.choice(FONTS)}';margin:{chance.randint(8, 40)}px}}"
            f"table{{border-collapse:collapse}}td,th{{padding:{chance.randint(2, 12)}px {chance.randint(5, 20)}px;white-space:nowrap;"
            f"text-align:{chance.choice(['left', 'left', 'left', 'center', 'right'])}}}"
            f"th{{background:{head};color:{head_ink};font-weight:{chance.choice([400, 600, 700])}}}{borders}{stripes}{monospaced}"
        )
        self.title = chance.choice(["", "<h2>Devices</h2>", "<h3>Inventory</h3>", "<p>All hardware</p>"])

    def page(self, rows):
        cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
        head = "".join(f"<th>{name}</th>" for name in self.names)
        return f"<style>{self.style}</style>{self.title}<div id=all><table><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table></div>"


def draw(browser, table, rows):
    """The page with some rows of a table, with little around it."""
    browser.devtools(
        "Emulation.setDeviceMetricsOverride", width=1700, height=1000, deviceScaleFactor=table.scale, mobile=False
    )
    browser.open("about:blank")
    browser.run("document.open(); document.write('<!doctype html>' + arguments[0]); document.close()", table.page(rows))
    browser.wait("document.fonts.status == 'loaded'")
    width, height = browser.run(
        "const b = document.querySelector('table').getBoundingClientRect(); return [b.right + 24, b.bottom + 24]"
    )
    shot = browser.devtools(
        "Page.captureScreenshot",
        captureBeyondViewport=True,
        clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1},
    )["data"]
    return Image.open(io.BytesIO(base64.b64decode(shot))).convert("RGB")


def photographed(picture, rng):
    """The picture as a camera sees it on a screen or paper."""
    width, height = picture.size
    turned = [(0, 0), (width, 0), (width, height), (0, height)]
    shift = 0.04 * min(width, height)
    angle = rng.uniform(-0.07, 0.07)
    corners = []
    for x, y in turned:
        dx, dy = x - width / 2, y - height / 2
        corners.append(
            (
                width / 2 + dx * numpy.cos(angle) - dy * numpy.sin(angle) + rng.uniform(-shift, shift),
                height / 2 + dx * numpy.sin(angle) + dy * numpy.cos(angle) + rng.uniform(-shift, shift),
            )
        )
    least = numpy.min(corners, axis=0) - 20
    zoom = float(rng.uniform(1.0, 1.5)) * max(1.0, min(2.0, 1100 / width))
    corners = (numpy.array(corners) - least) * zoom
    size = [int(v) for v in numpy.max(corners, axis=0) + 20 * zoom]
    rows = []
    for (x, y), (u, v) in zip(corners, turned, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
    warp = numpy.linalg.solve(numpy.array(rows), numpy.array(turned, float).ravel())
    ground = tuple(int(v) for v in rng.integers(20, 200, 3))
    seen = picture.transform(size, Image.Transform.PERSPECTIVE, warp, Image.Resampling.BICUBIC, fillcolor=ground)
    seen = seen.filter(ImageFilter.GaussianBlur(float(rng.uniform(0.4, 1.0))))
    values = numpy.asarray(seen, float) * rng.uniform(0.65, 1.0) + rng.normal(
        0, rng.uniform(1, 5), (size[1], size[0], 3)
    )
    return Image.fromarray(numpy.clip(values, 0, 255).astype("uint8"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--parts", action="store_true", help="read each row alone too")
    parser.add_argument("--keep", help="a folder that the tables are left in")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    chance, rng = random.Random(options.seed), numpy.random.default_rng(options.seed)
    scores = {"screenshot": Score(), "photo": Score()}
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        browser = webdriver.Browser()
        try:
            for number in range(options.count):
                table = Table(chance)
                is_photo = number % 2 == 1
                files = []
                for rows in [table.rows] + ([[row] for row in table.rows] if options.parts else []):
                    picture = draw(browser, table, rows)
                    if is_photo:
                        picture = photographed(picture, rng)
                    files.append(folder / f"table_{number}_{len(files)}.{'jpg' if is_photo else 'png'}")
                    picture.save(files[-1], quality=85)
                (together,), cpu = scan(options.program, files[:1], "--all")
                single, cpu_alone = scan(options.program, files[1:]) if files[1:] else ([], 0)
                alone = {
                    serial: reads[0][1]
                    for serial, reads in zip(table.serials, single)
                    if reads and reads[0][0] == serial
                }
                scores["photo" if is_photo else "screenshot"].add(table.serials, together, alone, cpu, cpu_alone)
                report(options, files[0].name, table.serials, together, {})
        finally:
            browser.close()
    Score.table(scores)


if __name__ == "__main__":
    main()
