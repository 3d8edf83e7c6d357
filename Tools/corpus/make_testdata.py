#!/usr/bin/env python3
"""Writes the small set of pictures for the tests: testdata/pictures with its labels.csv.

Crops of workshop pictures around the serial, in every file format and EXIF orientation that the server accepts. Quads
refer to the upright picture, after its EXIF orientation is applied.
"""

import csv
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

import cv2
import numpy as np
from PIL import Image, ImageDraw

sys.path.insert(0, str(Path(__file__).parent))
import workshop  # noqa: E402
from make import HEADER, generator, serials_of_photos  # noqa: E402
from picture import Picture  # noqa: E402
from workshop import asset_label, fonts, look_alikes, sticker, wording  # noqa: E402

SEED = 20
LARGEST = 900
# By EXIF orientation: the transformation of the upright picture after which a viewer that respects the tag shows it
# upright.
STORED = {
    1: lambda image: image,
    2: lambda image: image[:, ::-1],
    3: lambda image: image[::-1, ::-1],
    4: lambda image: image[::-1],
    5: lambda image: image.swapaxes(0, 1),
    6: lambda image: np.rot90(image, 1),
    7: lambda image: np.rot90(image, 2).swapaxes(0, 1),
    8: lambda image: np.rot90(image, -1),
}


def upright_text(quad: np.ndarray) -> bool:
    """Whether the serial reads from left to right, within some 20 degrees."""
    dx, dy = quad[1] - quad[0]
    return dx > 0 and abs(dy) < 0.36 * dx


def cut_out(picture: Picture, width: int, height: int) -> Picture:
    """The part of the picture around its serial (or its middle), at most width x height."""
    rows, columns = picture.image_bgr.shape[:2]
    middle = picture.quad.mean(0) if picture.quad is not None else np.array([columns / 2, rows / 2])
    left = int(np.clip(middle[0] - width * 0.55, 0, max(0, columns - width)))
    top = int(np.clip(middle[1] - height / 2, 0, max(0, rows - height)))
    picture.image_bgr = np.ascontiguousarray(picture.image_bgr[top : top + height, left : left + width])
    if picture.quad is not None:
        picture.quad = picture.quad - (left, top)
    picture.check()
    return picture


def drawn(name: str, index: int, make, accept=lambda picture: True) -> Picture:
    """The first picture of a numbered series that fits the tests' sizes and `accept`; `make` takes a generator."""
    for attempt in range(200):
        picture = make(generator(SEED, "testdata", name, index, attempt))
        if picture is not None and not picture.serial:
            picture.quad = None
        if picture is None or max(picture.image_bgr.shape) > 1700:
            continue
        if picture.serial not in serials_of_photos() and accept(picture):
            return cut_out(picture, LARGEST, 560)
    raise RuntimeError(f"nothing accepted for {name} {index}")


def label_with_code(kind: str) -> Picture:
    """An asset sticker whose code contains exactly the serial."""
    for attempt in range(200):
        rng = generator(SEED, "testdata", f"label-{kind}", 0, attempt)
        serial = sticker.random_serial(rng, {12: 1})
        label, mask = asset_label.asset_label(rng, serial, 2.4, True)
        picture = sticker.photographed(rng, "easy", label, mask, f"asset-{kind}", "MacBook")
        if picture is None or max(picture.image_bgr.shape) > 1700:
            continue
        picture.serial = serial
        if _codes_in(picture) == {(kind, serial)}:
            return cut_out(picture, LARGEST, LARGEST)
    raise RuntimeError(f"no readable {kind}")


def _codes_in(picture: Picture) -> set[tuple[str, str]]:
    import zxingcpp

    names = {"QRCode": "qr", "Code128": "code128"}
    return {
        (names.get(str(c.format).replace(" ", "").split(".")[-1], str(c.format)), c.text)
        for c in zxingcpp.read_barcodes(picture.image_bgr)
    }


def out_of_focus(name: str, page: Image.Image, blur: float, noise: float) -> np.ndarray:
    """A page of plain print, slightly blurred and noisy: standard deviations in pixels and in gray values."""
    blurred = cv2.GaussianBlur(np.asarray(page, np.float32), (0, 0), blur)
    return np.clip(blurred + generator(SEED, "testdata", name, 0, 0).normal(0, noise, blurred.shape), 0, 255).astype(
        np.uint8
    )


def printed(name: str, rows: tuple[str, ...], face: str, left: int) -> np.ndarray:
    """Rows of plain print, out of focus."""
    height = 60 * len(rows) + 60
    label = Image.new("L", (760, height), 226)
    draw = ImageDraw.Draw(label)
    for row, text in enumerate(rows):
        draw.text((left, 30 + 60 * row), text, fill=48, font=fonts.load(face, 36))
    return out_of_focus(name, label, 1.1, 3)


def other_makers_label() -> np.ndarray:
    """The label of another maker's device with a serial in Apple's format, which must not be accepted."""
    rows = ("Model: 5R1390", "S/N: CND4182JQV", "DC 12V 1.5A", "Made in Vietnam")
    return printed("other-maker", rows, fonts.THERMAL[0], 40)


def hardware_values() -> np.ndarray:
    """System Information without its labels, as in a photo of the right half of the window."""
    rows = (
        "256 KB",
        "16 GB",
        "1968.120.12",
        "580.140.1~18",
        "7QXW4N2HRK",
        "5D0E37B1-90C4-5F2A-8B6D-3E1C74A9F052",
        "Disabled",
    )
    return printed("hardware-values", rows, "Inter-Regular", 150)


def upside_down() -> np.ndarray:
    """Identifiers upside down, which read nearly as well that way: the bottom of a telephone's About screen."""
    rows = ("35 813288 997980 1", "MEID 35289948651539", "F17TQCGL5FY8", "8906904539638806507716717894")
    return printed("upside-down", rows, "Inter-Regular", 60)[::-1, ::-1]


def repair_ticket() -> np.ndarray:
    """A ticket with its serial's label, two letters, in a column beside the dark table that it lies on."""
    rows = (("Customer:", "L. Novák"), ("SN:", "JZF2JHRLX7"), ("Fault:", "battery swollen"), ("Passcode:", "877725"))
    photo = Image.new("L", (460, 300), 40)
    draw = ImageDraw.Draw(photo)
    draw.rectangle((18, 20, 446, 280), fill=200)
    draw.text((90, 36), "REPAIR TICKET", fill=50, font=fonts.load("LiberationSans-Bold", 26))
    for row, texts in enumerate(rows):
        for left, text in zip((42, 180), texts):
            draw.text((left, 90 + 40 * row), text, fill=60, font=fonts.load("LiberationMono-Regular", 15))
    turned = photo.rotate(-3, Image.Resampling.BICUBIC, fillcolor=40)
    return out_of_focus("repair-ticket", turned, 0.8, 3)


def serial_in_parentheses() -> np.ndarray:
    """A letter in which a parenthesis and a full stop follow the serial without a space."""
    rows = ("Dear customer,", "your iMac (S/N WQ8DJX3B6L).", "Please keep this note.")
    return printed("serial-in-parentheses", rows, "Lato-Regular", 40)


def foreshortened() -> np.ndarray:
    """A row from below: the gap behind the `1` is wide for the height of its capitals, but not for their width."""
    rows = ("Processor  3 GHz", "Memory  16 GB", "Serial Number  DLXF7Q55E1YW", "macOS  14.5")
    photo = printed("foreshortened", rows, "NotoSans-Regular", 40)
    return cv2.resize(photo, None, fx=1, fy=0.6, interpolation=cv2.INTER_AREA)


def narrow_spaces() -> np.ndarray:
    """A dark sticker, sideways, in whose blurred print the spaces are hardly wider than those within words."""
    rows = ("Phone: 030 32758244", "Storage: 256 GB", "Colour: Silver", "Serial number RM1120NGK95")
    label = Image.new("L", (460, 230), 45)
    draw = ImageDraw.Draw(label)
    for row, text in enumerate(rows):
        draw.text((20, 20 + 48 * row), text, fill=205, font=fonts.load("Inter-Bold", 16))
    return np.rot90(out_of_focus("narrow-spaces", label, 0.9, 3), 3)


def cut_labels() -> np.ndarray:
    """The right half of an About page in Japanese: of its labels only the last character, the same in two of them."""
    rows = (
        ("名前", "iPad 2"),
        ("バージョン", "18.3"),
        ("モデル名", "iPad mini"),
        ("モデル番号", "MALB6B/A"),
        ("シリアル番号", "1C934WUA391"),
    )
    page = Image.new("L", (560, 420), 228)
    draw = ImageDraw.Draw(page)
    label, value = fonts.load("cjk-ja", 24), fonts.load("Inter-Regular", 24)
    for row, texts in enumerate(rows):
        draw.text((26 - draw.textlength(texts[0], font=label), 30 + 72 * row), texts[0], fill=40, font=label)
        draw.text((530 - draw.textlength(texts[1], font=value), 30 + 72 * row), texts[1], fill=110, font=value)
    return out_of_focus("cut-labels", page, 0.8, 2)


def glowing_screen() -> np.ndarray:
    """Bold light rows on a dark display, out of focus and overexposed, so that the letters of a word glow into each other."""
    rows = (
        ("Model Name:", "MacBook Pro"),
        ("Model Identifier:", "Mac15,3"),
        ("Total Number of Cores:", "8"),
        ("Memory:", "16 GB"),
        ("Serial Number (system):", "7QXW4N2HRK"),
        ("Activation Lock Status:", "Disabled"),
    )
    page = Image.new("L", (760, 330), 26)
    draw = ImageDraw.Draw(page)
    for row, texts in enumerate(rows):
        for left, text in zip((60, 380), texts):
            draw.text((left, 30 + 46 * row), text, fill=255, font=fonts.load("Inter-Bold", 19))
    light = cv2.GaussianBlur(np.asarray(page, np.float32), (0, 0), 2.0)
    noise = generator(SEED, "testdata", "glowing-screen", 0, 0).normal(0, 2, light.shape)
    return np.clip(26 + (light - 26) * 1.9 + noise, 0, 255).astype(np.uint8)


def inventory() -> np.ndarray:
    """A table of devices, one of them with its serial; its column of dates is most similar to serials."""
    rng = generator(SEED, "testdata", "inventory", 0, 0)
    rows = [("Name", "Model", "Serial Number", "OS version", "Last check-in", "User")]
    for number in range(16):
        month, day, hour, minute = (int(rng.integers(*span)) for span in ((10, 13), (10, 29), (10, 20), (10, 60)))
        rows.append(
            (
                f"MAC-{int(rng.integers(100, 999))}",
                ("MacBook Air", "Mac mini", "iPhone 13")[number % 3],
                "TQ4W7XN2HY" if number == 9 else "-",
                f"{12 + number % 4}.{number % 7}",
                f"{month}/{day}/2024 {hour}:{minute}",
                ("a.meyer", "j.ortiz", "unassigned")[number % 3],
            )
        )
    page = Image.new("L", (1600, 40 + 50 * len(rows)), 252)
    draw = ImageDraw.Draw(page)
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            draw.text(
                ((50, 310, 650, 900, 1070, 1330)[column], 30 + 50 * number),
                text,
                fill=110 if number == 0 else 20,
                font=fonts.load("LiberationSans-Regular", 17 if number == 0 else 19),
            )
    return np.asarray(page)


def serials_of_parts() -> dict[str, np.ndarray]:
    """Reports on parts: a disk, whose fields say so, and a battery and a display, whose labels do."""
    reports = {
        "disk": (
            "Capacity: 500.28 GB",
            "Revision: 2B2QEXE7",
            "Serial Number: Y7RTNV4XMDCH",
            "Link Width: x4",
            "BSD Name: disk0",
        ),
        "battery": ("Manufacturer: SMP", "Battery Serial No.: RQK3V59B4B", "Temperature: 30.1 °C", "Cycles: 214"),
        "display": ("Resolution: 5120 x 2880", "Display Serial Number: V7WP95J3124S", "Mirror: Off", "Online: Yes"),
    }
    pages = {}
    for name, fields in reports.items():
        page = Image.new("L", (1100, 420), 252)
        draw = ImageDraw.Draw(page)
        draw.text((420, 20), "MacBook Pro", fill=20, font=fonts.load("Inter-Regular", 26))
        for number, field in enumerate(fields):
            label, value = field.split(": ")
            for left, text in ((60, label + ":"), (430, value)):
                draw.text((left, 100 + 44 * number), text, fill=20, font=fonts.load("Inter-Regular", 26))
        pages[name] = np.asarray(page)
    return pages


class Folder:
    """The folder being written, with its rows of labels."""

    def __init__(self, path: Path):
        self.path, self.rows = path, []
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)

    def label(self, name: str, picture: Picture, preset: str, grade: str) -> None:
        self.rows.append([name, picture.serial, preset, picture.device_type, grade, picture.kind, picture.quad_text()])

    def jpeg(self, name: str, picture: Picture, preset: str, grade: str, orientation: int = 0) -> None:
        upright = Image.fromarray(cv2.cvtColor(picture.image_bgr, cv2.COLOR_BGR2RGB))
        stored = Image.fromarray(np.ascontiguousarray(STORED[orientation or 1](np.asarray(upright))))
        options = {}
        if orientation:
            exif = Image.Exif()
            exif[0x0112] = orientation
            options["exif"] = exif
        stored.save(self.path / name, "JPEG", quality=82, **options)
        self.label(name, picture, preset, grade)

    def other(self, name: str, picture: Picture, preset: str, grade: str) -> None:
        """PNG, WebP, TIFF or HEIC, by the name's ending."""
        image = Image.fromarray(cv2.cvtColor(picture.image_bgr, cv2.COLOR_BGR2RGB))
        target = self.path / name
        if target.suffix == ".heic":
            with tempfile.NamedTemporaryFile(suffix=".png") as plain:
                image.save(plain.name)
                subprocess.run(["heif-enc", "-q", "70", "-o", str(target), plain.name], check=True, capture_output=True)
        elif target.suffix == ".tiff":
            image.save(target, "TIFF", compression="tiff_lzw")
        elif target.suffix == ".webp":
            image.save(target, "WEBP", quality=82)
        else:
            image.save(target, "PNG", optimize=True)
        self.label(name, picture, preset, grade)

    def finish(self) -> None:
        with open(self.path / "labels.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(HEADER)
            writer.writerows(sorted(self.rows))


def clean_etched(picture: Picture) -> bool:
    return (
        upright_text(picture.quad)
        and "silver" in picture.kind
        and np.linalg.norm(picture.quad[3] - picture.quad[0]) > 14
    )


def of_twelve(picture: Picture) -> bool:
    return clean_etched(picture) and len(picture.serial) == 12


def round_with(grounds: tuple[str, ...]):
    """A condition: curved print on one of these grounds, its serial roughly upright and well resolved."""

    def accept(picture: Picture) -> bool:
        tall = np.linalg.norm(picture.quad[3] - picture.quad[0])
        return upright_text(picture.quad) and tall > 24 and any(ground in picture.kind for ground in grounds)

    return accept


def etched_easily(rng: np.random.Generator) -> Picture:
    return workshop.make_picture("etched", "easy", rng)


def about_without_row(picture: Picture) -> bool:
    return picture.kind.startswith("iphone-about")


def screen_in(language: str):
    """Returns a function that draws screens with labels in one language."""

    def make(rng: np.random.Generator) -> Picture:
        with mock.patch.object(wording, "language", lambda rng: language):
            return workshop.make_picture("screen", "easy", rng)

    return make


def about_with_short_serial(picture: Picture) -> bool:
    """Pages on which only the label identifies the serial."""
    return "about" in picture.kind and "watch" not in picture.kind and len(picture.serial) == 10


# Print round a curve, dark on light and light on dark: grounds to choose from.
ROUND = {"dark": ("airport-white", "watch-aluminium"), "light": ("mini-black", "tv-black")}

# The pictures without a serial: (maker, condition).
WITHOUT_SERIAL = [
    (look_alikes.lid_without_serial, lambda picture: True),
    (look_alikes.bare_lid, lambda picture: True),
    (look_alikes.screen_without_serial, about_without_row),
    (lambda rng: look_alikes.label_without_serial(rng, "retail-box"), lambda picture: True),
    (lambda rng: look_alikes.thing(rng, "text-page"), lambda picture: True),
    (lambda rng: look_alikes.thing(rng, "other-numbers"), lambda picture: True),
]


def main() -> None:
    cv2.setNumThreads(1)
    folder = Folder(Path(sys.argv[1]))
    for preset in ("etched", "screen", "sticker"):
        for grade, word in (("easy", "clean"), ("medium", "medium")):
            accept = clean_etched if (preset, grade) == ("etched", "easy") else lambda picture: True
            for index in range(3):
                picture = drawn(
                    f"{preset}-{word}", index, lambda rng, p=preset, g=grade: workshop.make_picture(p, g, rng), accept
                )
                folder.jpeg(f"{preset}_{word}_{index + 1}.jpg", picture, preset, grade)
    rotated = cut_out(drawn("exif", 0, etched_easily, of_twelve), 560, 200)
    for orientation in STORED:
        folder.jpeg(f"exif_{orientation}.jpg", rotated, "etched", "easy", orientation)
    for place, ending in enumerate(("png", "webp", "tiff", "heic")):
        picture = cut_out(drawn("format", place, etched_easily, clean_etched), 520, 180)
        folder.other(f"format_{ending}.{ending}", picture, "etched", "easy")
    folder.jpeg("sticker_qr.jpg", label_with_code("qr"), "sticker", "easy")
    folder.jpeg("sticker_code128.jpg", label_with_code("code128"), "sticker", "easy")
    for language in ("zh", "ja"):
        picture = drawn(f"screen-{language}", 0, screen_in(language), about_with_short_serial)
        folder.jpeg(f"screen_{language}.jpg", picture, "screen", "easy")
    for ink, grounds in ROUND.items():
        picture = drawn(f"round-{ink}", 0, lambda rng: workshop.make_round("easy", rng), round_with(grounds))
        folder.jpeg(f"round_{ink}.jpg", picture, "etched", "easy")
    for place, (make, accept) in enumerate(WITHOUT_SERIAL):
        picture = drawn("no-serial", place, make, accept)
        picture.serial, picture.quad = "", None
        folder.jpeg(f"no_serial_{place + 1}.jpg", picture, picture.preset, "")
    Image.fromarray(other_makers_label()).save(folder.path / "other_maker.jpg", "JPEG", quality=82)
    Image.fromarray(hardware_values()).save(folder.path / "hardware_values.jpg", "JPEG", quality=82)
    Image.fromarray(upside_down()).save(folder.path / "upside_down.jpg", "JPEG", quality=82)
    Image.fromarray(repair_ticket()).save(folder.path / "repair_ticket.jpg", "JPEG", quality=82)
    Image.fromarray(narrow_spaces()).save(folder.path / "narrow_spaces.jpg", "JPEG", quality=82)
    Image.fromarray(serial_in_parentheses()).save(folder.path / "serial_in_parentheses.jpg", "JPEG", quality=82)
    Image.fromarray(foreshortened()).save(folder.path / "foreshortened.jpg", "JPEG", quality=82)
    Image.fromarray(cut_labels()).save(folder.path / "cut_labels.jpg", "JPEG", quality=82)
    Image.fromarray(glowing_screen()).save(folder.path / "glowing_screen.jpg", "JPEG", quality=82)
    Image.fromarray(inventory()).save(folder.path / "inventory.png")
    for part, page in serials_of_parts().items():
        Image.fromarray(page).save(folder.path / f"serial_of_{part}.png", optimize=True)
    folder.finish()
    size = sum(file.stat().st_size for file in folder.path.iterdir())
    print(f"{len(folder.rows)} pictures, {size / 1e6:.1f} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
