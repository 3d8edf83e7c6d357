"""Printed objects with numbers but no Apple serial: routers, parcels, licences, other makers' devices, receipts."""

from PIL import Image, ImageDraw

from . import codes, fonts
from . import wording as w
from .sheet import Sheet, from_pil

Row = tuple[str, float]


def router(rng) -> tuple[list[Row], list[str]]:
    key = w.code(rng, w.pick(rng, ("************", "************", "****************", "@@@@####@@@@", "xxxxxxxxxxxx")))
    name = w.pick(rng, ("Wi-Fi key", "WPA2 Key", "WLAN-Schlüssel", "Network key", "Password (WPA)", "Clé Wi-Fi"))
    return [
        ("HOME ROUTER AC1200", 1.3),
        (f"SSID: {w.code(rng, 'NET-****')}", 1),
        (f"{name}: {key}", 1),
        (f"MAC: {w.mac(rng, '')}", 1),
        (f"Admin: {w.code(rng, '@@####@@')}", 1),
    ], [f"WIFI:T:WPA;S:NET;P:{key};;"]


def parcel(rng) -> tuple[list[Row], list[str]]:
    tracking = w.pick(
        rng,
        (
            w.code(rng, "1Z***********######"),
            w.code(rng, "JJD##################"),
            w.code(rng, "@@#########DE"),
            w.digits(rng, 12),
            w.digits(rng, 14),
        ),
    )
    return [
        (w.pick(rng, ("EXPRESS PARCEL", "PRIORITY", "STANDARD")), 1.8),
        ("To: M. Okafor", 1.2),
        ("14 Quarry Lane", 1.2),
        (w.code(rng, "@@# #@@  LEEDS"), 1.4),
        (f"Tracking no. {tracking}", 1),
        (f"Ref {w.code(rng, '@@########')}", 0.9),
        (f"Weight {rng.uniform(0.2, 9):.1f} kg", 0.9),
    ], [tracking, w.code(rng, "%########")]


def licence(rng) -> tuple[list[Row], list[str]]:
    key = "-".join(w.code(rng, "*****") for _ in range(5))
    return [
        (w.pick(rng, ("Certificate of Authenticity", "Software licence", "Product Key Card")), 1.3),
        ("Product key:", 1),
        (key, 1.1),
        (w.code(rng, "X##-#####"), 0.9),
        (w.code(rng, "#####-###-###-###"), 0.9),
    ], [w.digits(rng, 14)]


def other_laptop(rng) -> tuple[list[Row], list[str]]:
    maker = w.pick(rng, ("VELOR", "Kanto Computers", "ARGENT", "Nimbusbook"))
    rows = [
        (f"{maker}  Model {w.code(rng, '@##@-####')}", 1.1),
        (f"P/N {w.code(rng, '**###-**#')}", 1),
        (f"Service Tag {w.code(rng, '*******')}", 1),
        (f"Express Service Code {w.digits(rng, 11)}", 1),
        (f"Product ID {w.code(rng, '######@@-@@@')}", 1),
        ("Input 19.5V 3.34A  Made in China", 0.9),
        (f"FCC ID: {w.code(rng, '@@@-@@####')}", 0.9),
        (f"Reg Model {w.code(rng, 'P##@')}  Type P{w.digits(rng, 3)}", 0.9),
    ]
    keep = sorted(rng.permutation(len(rows))[: rng.integers(4, 8)])
    return [rows[i] for i in keep], [w.digits(rng, 11)]


def receipt(rng) -> tuple[list[Row], list[str]]:
    rows = [("CORNER MARKET", 1.6), (f"VAT {w.code(rng, 'GB#########')}", 0.9), (f"Receipt {w.digits(rng, 10)}", 1)]
    rows += [
        (
            f"{w.pick(rng, ('MILK 1L', 'BREAD', 'USB CABLE', 'BATTERIES AA', 'COFFEE', 'APPLES 1KG'))}   {rng.uniform(1, 20):.2f}",
            1,
        )
        for _ in range(int(rng.integers(4, 9)))
    ]
    return rows + [
        (f"TOTAL   {rng.uniform(10, 90):.2f}", 1.5),
        (f"Card ************{w.digits(rng, 4)}", 1),
        (f"Auth {w.digits(rng, 6)}  TID {w.digits(rng, 8)}", 0.9),
    ], [w.digits(rng, 13)]


def order_slip(rng) -> tuple[list[Row], list[str]]:
    order = w.code(rng, w.pick(rng, ("W#########", "W##########", "###-#######-#######", "@@##########", "##########")))
    return [
        (w.pick(rng, ("Packing Slip", "Lieferschein", "Order confirmation")), 1.5),
        (f"Order No. {order}", 1),
        (f"Customer {w.digits(rng, 8)}", 1),
        (f"Item {w.part(rng)}  Qty 1", 1),
        ('MacBook Air 13" Silver', 1),
        (f"Invoice {w.code(rng, '@@########')}", 1),
        (f"Web order {w.code(rng, 'W#########')}", 1),
    ], [order]


def imei_list(rng) -> tuple[list[Row], list[str]]:
    numbers = [w.imei(rng) for _ in range(int(rng.integers(3, 9)))]
    return [("IMEI LIST", 1.3)] + [(f"{i + 1}. {n}", 1) for i, n in enumerate(numbers)], numbers[:2]


def addresses(rng) -> tuple[list[Row], list[str]]:
    plain = [w.mac(rng, "") for _ in range(int(rng.integers(2, 6)))]
    return [(w.pick(rng, ("MAC ADDRESSES", "Ethernet ports", "LAN / WLAN")), 1.2)] + [
        (f"{w.pick(rng, ('MAC', 'LAN', 'eth0', 'Wi-Fi', 'BT'))} {m}", 1) for m in plain
    ], plain[:1]


def board(rng) -> tuple[list[Row], list[str]]:
    number = w.code(rng, "C02#*#######@@***")[:17]
    return [
        (f"MLB {number}", 1),
        (f"820-{w.digits(rng, 5)}-A", 1),
        (w.code(rng, "631-#####"), 1),
        ("EEE " + w.code(rng, "****"), 1),
    ], [number]


def battery(rng) -> tuple[list[Row], list[str]]:
    return [
        ("Rechargeable Li-ion Battery", 1.2),
        (f"Model {w.model(rng)}  11.4V  58.2Wh", 1),
        (f"020-{w.digits(rng, 5)}-{w.digits(rng, 2)}", 1),
        ("Typical capacity 5103mAh", 0.9),
        (f"CMIIT ID {w.code(rng, '20##@@####')}", 0.9),
        ("Do not puncture, crush or burn", 0.9),
    ], []


def gift_card(rng) -> tuple[list[Row], list[str]]:
    code = w.code(rng, w.pick(rng, ("X***************", "**** **** **** ****")))
    return [("Gift Card", 1.8), ("Redeem at checkout", 0.9), (code, 1.2), (f"Card no. {w.digits(rng, 16)}", 0.8)], [
        w.digits(rng, 16)
    ]


def asset_only(rng) -> tuple[list[Row], list[str]]:
    number = w.code(rng, w.pick(rng, ("COMP00000000#######", "RM#####", "IT-######", "NB####")))
    return [
        (w.pick(rng, ("PROPERTY OF TALLIN & SONS", "Stadtwerke", "ACADEMY IT")), 1.1),
        (f"Asset {number}", 1.2),
        (f"Cost centre {w.digits(rng, 6)}", 0.9),
        (f"Call {w.phone(rng)}", 0.9),
    ], [number]


def carton(rng) -> tuple[list[Row], list[str]]:
    return [
        (f"(1P) Part No. {(part := w.part(rng))}", 1),
        (f"EID {(eid := w.eid(rng))}", 0.9),
        (f"IMEI {w.imei(rng)}", 1),
        (f"UPC {(upc := w.upc(rng))}", 1),
        (f"Model {w.model(rng)}  Qty 10", 1),
        (f"SSCC 00{w.digits(rng, 18)}", 0.9),
    ], ["1P" + part, eid, upc]


MAKERS = {
    "router-key": router,
    "shipping-label": parcel,
    "licence-key": licence,
    "other-laptop-label": other_laptop,
    "receipt": receipt,
    "order-slip": order_slip,
    "imei-list": imei_list,
    "mac-addresses": addresses,
    "logic-board": board,
    "battery-label": battery,
    "gift-card": gift_card,
    "asset-number-only": asset_only,
    "carton-label": carton,
}


def label(kind: str, cap: float, rng) -> Sheet:
    """Returns the object of this kind; `cap` is the height of its usual capitals."""
    rows, held = MAKERS[kind](rng)
    face = w.pick(rng, fonts.LABEL) if rng.random() < 0.7 else w.pick(rng, fonts.LABEL_MONO)
    pad = cap * rng.uniform(1, 2.5)
    gap = rng.uniform(0.6, 1.1)
    drawn_codes = []
    for content in held[:2]:
        if rng.random() < 0.8:
            if content.startswith("WIFI") or rng.random() < 0.2:
                drawn_codes.append(codes.matrix(content, cap * 7))
            else:
                drawn_codes.append(
                    codes.bars(content[:32], max(0.8, cap * rng.uniform(0.1, 0.15)), cap * rng.uniform(2.5, 5))
                )
    width = max([fonts.text_width(t, face, cap * s) for t, s in rows] + [c.width for c in drawn_codes]) + 2 * pad
    height = sum(cap * (s + gap) for _, s in rows) + sum(c.height + cap for c in drawn_codes) + 2 * pad
    dark = kind == "logic-board"
    paper = (26, 60, 40) if dark else w.pick(rng, ((252, 252, 252), (246, 246, 240), (228, 230, 234), (250, 240, 200)))
    ink = (224, 230, 224) if dark else (16, 16, 20)
    image = Image.new("RGB", (round(width), round(height)), paper)
    draw = ImageDraw.Draw(image)
    y = pad
    for text, size in rows:
        y += cap * size
        fonts.put_text(draw, pad, y, text, face, cap * size, ink)
        y += cap * gap
    for code in drawn_codes:
        image.paste(code.convert("RGB"), (round(pad), round(y + cap * 0.4)))
        y += code.height + cap
    return from_pil(image, cap)
