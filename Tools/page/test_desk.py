#!/usr/bin/env python3
"""Drives the views of devices and batches like a desktop user, in a headless Chromium against a real server.

usage: Tools/page/test_desk.py PROGRAM [--pictures FOLDER]

Like test_page.py, with custom fields (an asset tag with a pattern, a grade, a location).
"""

import base64
import json
import sys
import time
import urllib.error
import urllib.request

from driven_page import DrivenPage, command
from page_server import PICTURES, Server
from webdriver import Browser

TAB, ENTER, ESCAPE, DOWN, RIGHT, DELETE = "\ue004", "\ue007", "\ue00c", "\ue015", "\ue014", "\ue017"
ARABIC = "رف ٣ في المستودع"
# An address that other devices could reach; the browser resolves it to the server.
NETWORK_ADDRESS = "192.0.2.7"
FIELDS = r"fields.custom=asset_tag=RM-\d{5} grade location"


def serials(count):
    """Returns different serials in the 12-character format."""
    letters = "CDFGHJKLMNPQRTVWXY"
    for number in range(count):
        tail = "".join(letters[number // 18**place % 18] for place in range(3))
        yield f"C02X{letters[number % 18]}{tail}JHCC"


class DeskTest(DrivenPage):
    """One browser and one server, from the first device to the export."""

    def change(self, method, path, body):
        request = urllib.request.Request(
            self.server.address + path, json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def send_photo(self, name, batch, mark=b""):
        """Sends a photo into a batch, as another phone would. With bytes appended, the server treats it as a different
        photo. Returns its job."""
        boundary = "photo"
        body = b"".join(
            (
                f'--{boundary}\r\nContent-Disposition: form-data; name="batch"\r\n\r\n{batch}\r\n'.encode(),
                f'--{boundary}\r\nContent-Disposition: form-data; name="image"; filename="{name}"\r\n\r\n'.encode(),
                (PICTURES / name).read_bytes(),
                mark,
                f"\r\n--{boundary}--\r\n".encode(),
            )
        )
        return self.server.send("/scan", body, f"multipart/form-data; boundary={boundary}")["job_id"]

    def click(self, text, within="main"):
        """Clicks a button by its text."""
        self.browser.run(
            "const one = [...document.querySelectorAll(`${arguments[1]} button`)].find((button) => "
            "button.checkVisibility() && button.textContent === arguments[0]);"
            "if (!one) throw new Error(`no button: ${arguments[0]}`); one.click()",
            text,
            within,
        )

    def count(self, text):
        self.browser.wait(f"document.querySelector('.listHead p[role=status]')?.textContent === '{text}'")

    def custom(self, serial):
        return self.server.ask(f"/devices/{serial}")["custom"]

    def values(self, row):
        """Returns the custom values in a row of the grid."""
        return self.browser.run(
            f"return [...document.querySelectorAll('[aria-rowindex=\"{row}\"] .cell')].map((cell) => cell.tagName === 'INPUT' ? cell.value : cell.textContent)"
        )

    def focus(self, row, column):
        self.browser.run(
            "document.querySelectorAll(`[aria-rowindex='${arguments[0]}'] .cell`)[arguments[1]].focus()", row, column
        )

    def focused(self):
        """Returns the focused row and its field."""
        return self.browser.run(
            "const cell = document.activeElement.closest('[aria-colindex]'); return [Number(cell.parentNode.ariaRowIndex), "
            "[...cell.parentNode.querySelectorAll('.valueCell')].indexOf(cell), document.activeElement.tagName]"
        )

    def first_review(self):
        """Review that was opened on an empty server offers all decisions about the first photo."""
        self.reopen("#/check")
        self.browser.wait(
            "document.querySelector('.finished') && document.querySelectorAll('.segments button').length === 3"
        )
        self.browser.run("document.querySelectorAll('.segments button')[1].click()")
        job = self.server.photo(PICTURES / "no_serial_1.jpg", b"first")
        self.browser.wait("document.querySelector('form.editor')")
        self.browser.click("[data-decision=noSerial]")
        self.until("it is marked", lambda: self.server.ask(f"/result/{job}")["review"] == "no_serial")
        self.browser.wait("[...document.querySelectorAll('.segments button')].at(-1).checkVisibility()")
        self.server.delete(f"/jobs/{job}")

    def devices(self):
        """One row per device, latest first, whatever its number of reads."""
        self.reopen("#/devices")
        self.browser.wait("document.querySelector('.listFoot .empty')?.textContent.includes('Devices appear here')")
        self.look("devices-empty")
        for serial in ("VY1G7QMSYS", "FK1CRVYNLFK3", "C02XL0THJHCC", "C02XL0THJHCC"):
            self.server.ask(
                "/serials", {"serial": serial, "confidence": 0.99, "source": "ios", "device_type": "MacBook"}
            )
        self.reopen("#/devices")
        self.count("3 devices")
        rows = self.browser.run(
            "return [...document.querySelectorAll('.gridRows .gridLine')].map((row) => row.innerText.split(/\\s+/))"
        )
        assert (
            [row[0] for row in rows] == ["C02XL0THJHCC", "FK1CRVYNLFK3", "VY1G7QMSYS"]
            and "2×" in rows[0]
            and "1×" in rows[1]
        ), rows
        heads = self.browser.run(
            "return [...document.querySelectorAll('[role=columnheader]')].map((head) => head.textContent)"
        )
        assert heads[3:6] == ["Asset tag", "Grade", "Location"], heads
        self.look("devices")
        # On a tablet, the columns that don't fit are omitted; if it is still too wide, an edge shows that there is more.
        grid = (
            "const grid = document.querySelector('.listSheet'); return [grid.scrollWidth > grid.clientWidth, "
            "grid.matches('.moreAfter') && getComputedStyle(grid).maskImage !== 'none', "
            "document.querySelectorAll('[role=columnheader]').length]"
        )
        for width, wanted in ((1024, [False, False, 9]), (900, [False, False, 8]), (768, [True, True, 8])):
            self.browser.size(width, 900)
            self.browser.wait(f"document.querySelectorAll('[role=columnheader]').length === {wanted[2]}")
            assert self.browser.run(grid) == wanted, (width, self.browser.run(grid))
        self.look("tablet-devices")
        self.browser.size(1280, 860)
        self.browser.wait("document.querySelectorAll('[role=columnheader]').length === 11")
        self.browser.run(
            "[...document.querySelectorAll('[role=columnheader] button')].find((one) => one.textContent.startsWith('Serial')).click()"
        )
        self.browser.wait(
            "document.querySelector('.gridRows .serial').textContent === 'VY1G7QMSYS' && location.hash.includes('sort_by=serial')"
        )
        self.reopen("#/devices")
        self.count("3 devices")

    def typing(self):
        """Values are typed as in a spreadsheet: Enter saves and moves down, Tab moves to the next, Escape reverts, and
        a rejected value stays for correction."""
        self.focus(2, 0)
        self.browser.press(*"RM-00042", ENTER)
        self.until("the tag is saved", lambda: self.custom("C02XL0THJHCC") == {"asset_tag": "RM-00042"})
        assert self.focused() == [3, 0, "BUTTON"], self.focused()
        # A scanner continues with the next device.
        self.browser.press(*"RM-00043", ENTER)
        self.until("the next is saved", lambda: self.custom("FK1CRVYNLFK3") == {"asset_tag": "RM-00043"})
        self.focus(2, 1)
        self.browser.press("A", TAB)
        self.browser.wait("document.activeElement.tagName === 'INPUT'")
        assert self.focused() == [2, 2, "INPUT"], self.focused()
        self.browser.press(*"Shelf 3", TAB)
        self.until(
            "Tab saves",
            lambda: self.custom("C02XL0THJHCC") == {"asset_tag": "RM-00042", "grade": "A", "location": "Shelf 3"},
        )
        assert self.focused() == [3, 0, "INPUT"], self.focused()
        self.browser.press("Q", ESCAPE)
        assert self.focused() == [3, 0, "BUTTON"] and self.values(3)[0] == "RM-00043", self.values(3)
        # The page explains what the server rejects, and keeps the input.
        self.browser.press(*"wrong", ENTER)
        self.browser.wait(
            "[...document.querySelectorAll('.toast')].some((one) => one.textContent.includes('FK1CRVYNLFK3') && one.textContent.includes('asset_tag'))"
        )
        assert self.values(3)[0] == "wrong" and self.custom("FK1CRVYNLFK3") == {"asset_tag": "RM-00043"}
        self.look("devices-refused")
        self.focus(3, 0)
        self.browser.press(ENTER, ESCAPE)
        assert self.values(3)[0] == "RM-00043", self.values(3)
        self.focus(3, 0)
        self.browser.press(DELETE)
        self.until("Delete clears", lambda: self.custom("FK1CRVYNLFK3") == {})
        self.browser.press(RIGHT, DOWN)
        assert self.focused() == [4, 1, "BUTTON"], self.focused()
        # Pasted cells fill rows and fields; Undo restores the previous values.
        self.focus(2, 0)
        self.browser.run(
            "const data = new DataTransfer(); data.setData('text', 'RM-10001\\tB\\nRM-10002\\tC\\n');"
            "document.activeElement.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}))"
        )
        self.until("cells are filled", lambda: self.custom("FK1CRVYNLFK3") == {"asset_tag": "RM-10002", "grade": "C"})
        self.browser.wait(
            "[...document.querySelectorAll('.toast')].some((one) => one.textContent.includes('Filled in 2 devices'))"
        )
        self.browser.run("[...document.querySelectorAll('.toast button')].at(-1).click()")
        self.until(
            "Undo",
            lambda: (
                self.custom("C02XL0THJHCC") == {"asset_tag": "RM-00042", "grade": "A", "location": "Shelf 3"}
                and self.custom("FK1CRVYNLFK3") == {}
            ),
        )

    def extreme_values(self):
        """Long values, right-to-left text and large pastes are shown or rejected, and don't break the layout."""
        self.focus(4, 2)
        self.browser.run("document.activeElement.click(); document.activeElement.value = 'x'.repeat(10000)")
        self.browser.press(ENTER)
        self.browser.wait(
            "[...document.querySelectorAll('.toast')].some((one) => one.textContent.includes('10,000 characters; at most 200'))"
        )
        self.shown("devices-paste")
        self.browser.press(ENTER, ESCAPE)
        self.change("PATCH", "/devices/VY1G7QMSYS", {"custom": {"location": "W" * 200, "grade": ARABIC}})
        self.reopen("#/devices")
        self.count("3 devices")
        self.look("devices-extremes")
        self.browser.type("[name=search]", ARABIC[:4])
        self.count("1 device")
        self.browser.size(390, 844, is_phone=True)
        self.look("phone-devices-extremes")
        self.go("devices/VY1G7QMSYS", "document.querySelector('.valueList')")
        self.look("phone-device-extremes")
        self.browser.size(1280, 860)
        read = {"serial": "VY1G7QMSYS", "confidence": 0.99, "source": "ios", "notes": f"{ARABIC} 12!"}
        saved = self.server.ask("/serials", read)["serial_id"]
        self.go("history", "document.querySelector('td.notes:not(:empty)')")
        assert self.browser.run(
            "const text = document.querySelector('td.notes:not(:empty)').firstChild;"
            "const at = (index) => { const range = document.createRange(); range.setStart(text, index);"
            "range.setEnd(text, index + 1); return range.getBoundingClientRect().x; };"
            "return at(text.length - 1) < at(0)"
        ), "the exclamation mark of a right-to-left note stands before it"
        self.server.delete(f"/serials/{saved}")
        # A character that reverses what follows it is shown, and reverses nothing.
        override = "\u202e"
        read = {"serial": "VY1G7QMSYS", "confidence": 0.99, "source": "ios", "notes": f"{override}Shelf 3"}
        saved = self.server.ask("/serials", read)["serial_id"]
        lot = self.begin(f"Lot {override}41")
        self.reopen("#/history")
        self.browser.wait("document.querySelector('td.notes:not(:empty)')?.textContent === '\ufffdShelf 3'")
        self.go(f"batches/{lot}", "document.querySelector('.tiles')")
        assert self.browser.run("return document.querySelector('h1').textContent") == "Lot \ufffd41"
        # A right-to-left name is isolated in sentences.
        self.change("PATCH", f"/batches/{lot}", {"name": ARABIC})
        self.browser.wait(f"document.querySelector('h1').textContent === '{ARABIC}'")
        self.browser.run("window.confirm = (text) => { window.asked = text; return false; }")
        self.click("Delete")
        assert f"“\u2068{ARABIC}\u2069”" in self.browser.run("return window.asked")
        self.server.delete(f"/batches/{lot}")
        self.server.delete(f"/serials/{saved}")

    def device(self):
        """A device opens with its photos and reads; its fields can be edited there too; deleting a read can be
        undone."""
        job = self.send_photo("etched_clean_1.jpg", self.begin("Lot 13"))
        self.server.ask(f"/result/{job}?wait=30")
        self.reopen("#/devices/G0NKP62BLGMZ")
        self.browser.wait(
            "[...document.querySelectorAll('.side canvas')].filter((one) => one.checkVisibility()).length === 2 && document.querySelectorAll('.readList li').length === 1"
        )
        text = self.browser.run("return document.querySelector('main').innerText")
        assert "G0NKP62BLGMZ" in text and "Seen once" in text and "Lot 13" in text, text
        self.browser.wait("document.querySelector('.deviceHead .tiny img')?.naturalWidth > 0", "its thumbnail")
        self.look("device")
        self.browser.run("document.querySelector('.valueList button').focus()")
        self.browser.press(ENTER, *"RM-00077", ENTER)
        self.until("saved", lambda: self.custom("G0NKP62BLGMZ").get("asset_tag") == "RM-00077")
        self.browser.click("[aria-label^='Delete the read']")
        self.browser.wait("document.querySelectorAll('.readList li').length === 0")
        self.browser.run("[...document.querySelectorAll('.toast button')].at(-1).click()")
        self.browser.wait("document.querySelectorAll('.readList li').length === 1")
        self.browser.click(".readList a")
        self.browser.wait("location.hash.startsWith('#/result/')")
        self.reopen("#/devices/C02XL0THJHCD")
        self.browser.wait(
            "document.querySelector('main [role=alert]')?.textContent === 'This device is not on the server.'"
        )

    def deleting(self):
        """Deleting a device can be undone, also in front of a dialog; otherwise it is deleted when the page is left."""
        self.go("devices", "document.querySelectorAll('.gridRows .gridLine').length === 4")
        self.browser.click("[aria-label='Delete VY1G7QMSYS']")
        self.count("3 devices")
        self.click("Export")
        self.browser.wait("document.querySelector('dialog[open]')")
        assert self.browser.run(
            "const undo = [...document.querySelectorAll('.toast button')].at(-1), box = undo.getBoundingClientRect();"
            "const isInFront = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2) === undo; undo.click(); return isInFront"
        ), "the dialog covers the message"
        self.count("4 devices")
        self.browser.press(ESCAPE)
        self.browser.wait("!document.querySelector('dialog[open]')")
        self.browser.click("[aria-label='Delete VY1G7QMSYS']")
        self.count("3 devices")
        pending = self.browser.run("return localStorage.getItem('serialscan.removing')")
        assert len(json.loads(pending)) == 1, pending
        self.reopen("#/devices")
        self.count("3 devices")
        self.until("it is deleted", lambda: self.server.ask("/devices")["total"] == 3)
        # The next page doesn't know whether that arrived, and repeats it at once. It leaves alone what was read since.
        removing = "JSON.parse(localStorage.getItem('serialscan.removing'))"
        self.browser.wait(f"{removing}.length === 0", seconds=5)
        self.server.photo(PICTURES / "screen_clean_1.jpg", b"again")
        self.browser.run(
            "localStorage.setItem('serialscan.removing', JSON.stringify(JSON.parse(arguments[0]).map((one) => ({...one, at: 0}))))",
            pending,
        )
        self.reopen("#/devices")
        self.browser.wait(f"{removing}.length === 0")
        assert self.server.ask("/devices")["total"] == 4, "a device that was read again is deleted"
        self.server.delete("/devices/VY1G7QMSYS")
        self.count("3 devices")

    def undoing_elsewhere(self):
        """A deletion that can still be undone shows in no list, whatever is opened meanwhile, and Undo brings it back
        into the one that is shown."""
        self.server.ask("/serials", {"serial": "C02XL0THJHCJ", "confidence": 0.99, "source": "ios"})
        undo = "[...document.querySelectorAll('.toast button')].at(-1).click()"
        rows = "document.querySelectorAll('tbody tr[data-id]').length === {}".format
        reads = "document.querySelectorAll('.readList li').length === {}".format
        self.go("history?search=C02XL0THJHCJ", rows(1))
        self.browser.click("[aria-label^='Delete ']")
        self.browser.wait(rows(0))
        self.go("devices/C02XL0THJHCJ", "document.querySelector('.deviceHead')")
        assert self.browser.run(f"return {reads(0)}"), "a deleted read is shown"
        self.browser.run(undo)
        self.browser.wait(reads(1), "the read is back on its device")
        self.browser.click("[aria-label^='Delete the read']")
        self.browser.wait(reads(0))
        self.go("history?search=C02XL0THJHCJ", "document.querySelector('tbody .empty')")
        self.browser.run(undo)
        self.browser.wait(rows(1), "the read is back in the list")
        # Review, and the photos of a batch.
        lost = self.server.data.parent / "lost.jpg"
        lost.write_bytes((PICTURES / "round_light.jpg").read_bytes())
        lot = self.begin("Lot to undo")
        kept = self.server.photo(lost)
        name = "document.querySelector('article.review:not([inert]) h2')?.textContent"
        self.go("check", f"{name} === 'lost.jpg'")
        self.browser.click("[data-decision=remove]")
        self.browser.wait(f"{name} !== 'lost.jpg'")
        for place in ("devices", "check"):
            self.go(place, "document.querySelector('main h1')")
        self.browser.wait(f"document.querySelector('.finished') || {name}")
        assert self.browser.run(f"return {name}") != "lost.jpg", "a deleted photo is in the queue"
        self.browser.run(undo)
        self.until("the photo is kept", lambda: self.server.ask(f"/result/{kept}")["status"] != "queued")
        job = self.send_photo("etched_clean_2.jpg", lot, b"undo")
        self.server.ask(f"/result/{job}?wait=30")
        photos = "document.querySelectorAll('.photoLine').length === {}".format
        self.go(f"batches/{lot}", photos(1))
        self.browser.click(".photoLine .why")
        self.browser.wait("document.querySelector('main .danger')")
        self.browser.click("main .danger")
        self.browser.wait(
            f"location.hash.startsWith('#/batches/') && document.querySelector('.photoSheet') && {photos(0)}"
        )
        time.sleep(0.5)
        assert self.browser.run(f"return {photos(0)}"), "a deleted photo is in the batch"
        self.go("devices", "document.querySelector('.gridLine')")
        self.go(f"batches/{lot}", photos(0))
        self.browser.run(undo)
        self.browser.wait("location.hash.startsWith('#/result/') && document.querySelector('main .danger')")
        self.go(f"batches/{lot}", photos(1))
        for one in (kept, job):
            self.server.delete(f"/jobs/{one}?serial=true")
        self.server.delete("/devices/C02XL0THJHCJ")
        self.server.delete(f"/batches/{lot}")

    def renewing(self):
        """Other tabs load their lists again when a deletion begins or ends, but not each time it is renewed."""
        self.go("devices", "document.querySelector('.gridLine')")
        before = self.server.requests()["/devices"]

        def loads():
            return self.server.requests()["/devices"] - before

        first = self.browser.new_tab()
        self.browser.open(f"{self.server.address}/docs")
        store = "localStorage.setItem('serialscan.removing', JSON.stringify(arguments[0]))"
        entry = {"id": "begun", "paths": [], "device": None, "live": [], "at": round(time.time() * 1000)}
        self.browser.run(store, [entry])
        self.until("the list is loaded when it begins", lambda: loads() == 1)
        self.browser.run(store, [entry | {"at": entry["at"] + 1}])
        time.sleep(0.5)
        assert loads() == 1, "a list is loaded again each time a deletion is renewed"
        self.browser.run(store, [])
        self.until("the list is loaded when it ends", lambda: loads() == 2)
        self.browser.close_tab(first)

    def read_again(self):
        """A device that somebody scans before its deletion is sent is kept, and the page says so. A browser that stores
        nothing deletes too."""
        serial = "C02XL0THJHCK"
        self.server.ask("/serials", {"serial": serial, "confidence": 0.99, "source": "ios"})
        self.go(f"devices?search={serial}", "document.querySelectorAll('.gridRows .gridLine').length === 1")
        self.browser.click(f"[aria-label='Delete {serial}']")
        self.browser.wait("document.querySelectorAll('.gridRows .gridLine').length === 0")
        time.sleep(1)
        self.server.ask("/serials", {"serial": serial, "confidence": 0.99, "source": "mac"})
        self.browser.wait("document.querySelector('.toast')?.textContent.includes('was scanned again')")
        self.browser.wait("document.querySelectorAll('.gridRows .gridLine').length === 1")
        assert self.server.ask(f"/devices/{serial}")["times_seen"] == 2
        self.browser.run("Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }")
        self.browser.click(f"[aria-label='Delete {serial}']")
        self.until("it is deleted", lambda: self.server.ask(f"/devices?search={serial}")["total"] == 0)
        self.reopen("#/devices")

    def changed_meanwhile(self):
        """An open device shows what others change and says that it was deleted. What the user types stays, and a value
        that the user leaves as it was is not saved."""
        path = "/devices/C02XL0THJHCF"
        self.server.ask("/serials", {"serial": "C02XL0THJHCF", "confidence": 0.99, "source": "ios"})
        self.go(path[1:], "document.querySelectorAll('.valueList .cell').length === 3")
        cell = "document.querySelectorAll('.valueList .cell')[{}]".format
        # A page that becomes visible looks for changes at once, and every few seconds.
        returned = "document.dispatchEvent(new Event('visibilitychange'))"
        told = "[...document.querySelectorAll('.toast')].some((one) => one.textContent.includes('{}'))".format
        self.browser.run(f"{cell(2)}.focus()")
        self.browser.press(ENTER, *"She")
        self.server.ask("/serials", {"serial": "C02XL0THJHCF", "confidence": 0.99, "source": "ios"})
        self.change("PATCH", path, {"custom": {"asset_tag": "RM-00055", "location": "Shelf 9"}})
        self.browser.run(returned)
        self.browser.wait(told("changed Location of C02XL0THJHCF to “Shelf 9”"), seconds=4)
        self.browser.wait(
            f"{cell(0)}.textContent === 'RM-00055' && document.querySelectorAll('.readList li').length === 2"
        )
        assert self.browser.run("return [document.activeElement.tagName, document.activeElement.value]") == [
            "INPUT",
            "She",
        ]
        self.browser.press(ESCAPE)
        assert self.browser.run(f"return {cell(2)}.textContent") == "Shelf 9"
        self.browser.run(f"{cell(1)}.focus()")
        self.browser.press(ENTER)
        self.change("PATCH", path, {"custom": {"grade": "D"}})
        self.browser.wait(told("changed Grade of C02XL0THJHCF to “D”"))
        self.browser.press(ENTER)
        self.browser.wait(f"{cell(1)}.textContent === 'D'")
        # A read that is edited keeps what others changed in it.
        read = self.server.ask("/history?search=C02XL0THJHCF&limit=1")["items"][0]["id"]
        self.browser.click(".readList button")
        self.browser.wait("document.querySelector('dialog[open] textarea')")
        self.change("PATCH", f"/serials/{read}", {"device_type": "iMac"})
        self.browser.run("document.querySelector('dialog[open] textarea').focus()")
        self.browser.press(*"checked")
        self.browser.click("dialog[open] .primary")
        self.browser.wait("!document.querySelector('dialog[open]')")
        item = self.server.ask("/history?search=C02XL0THJHCF&limit=1")["items"][0]
        assert (item["device_type"], item["notes"]) == ("iMac", "checked"), item
        assert self.custom("C02XL0THJHCF") == {"asset_tag": "RM-00055", "grade": "D", "location": "Shelf 9"}
        # Its dialog says that a read was deleted.
        self.browser.click(".readList button")
        self.browser.wait("document.querySelector('dialog[open] textarea')")
        self.server.delete(f"/serials/{read}")
        self.browser.run(returned)
        self.browser.wait(
            "document.querySelector('dialog[open] [role=alert]').textContent === 'This read is no longer on the server.' && document.querySelector('dialog[open] .primary:disabled')",
            seconds=4,
        )
        self.browser.press(ESCAPE)
        self.browser.run(returned)
        self.browser.wait("document.querySelectorAll('.readList li').length === 1")
        self.server.delete(path)
        self.browser.wait(
            "document.querySelector('main [role=alert]').textContent === 'This device is not on the server.'"
        )
        assert self.browser.run("return document.querySelectorAll('.readList li').length") == 1, "it stays readable"

    def importing(self):
        """A dry run comes first: invalid lines are reported and nothing changes; a thousand valid lines are imported
        at once."""
        self.go("devices", "document.querySelector('.gridLine')")
        self.click("Import")
        self.browser.type(
            "dialog[open] textarea", "serial;asset_tag\nC02XL0THJHCC;RM-1\n???;RM-00001\nFK1CRVYNLFK3;RM-00001"
        )
        self.browser.wait("document.querySelectorAll('.importLines tbody tr').length === 2")
        told = self.browser.run(
            "return [...document.querySelectorAll('.importLines tbody tr')].map((row) => row.innerText)"
        )
        assert told[0].startswith("2") and "RM-" in told[0] and told[1].startswith("3"), told
        assert "“serial”" in told[1] and "`" not in told[1], told
        assert self.browser.run("return document.querySelector('dialog[open] .primary').disabled")
        self.look("import-wrong")
        assert self.browser.run(
            "const {borderTopWidth, borderTopRightRadius} = getComputedStyle(document.querySelector('dialog[open]'));"
            "return parseFloat(borderTopWidth) >= parseFloat(borderTopRightRadius)"
        ), "the scrollbar sticks out of the round corners"
        table = self.downloads / "table.csv"
        table.write_text(
            "\ufeffserial,asset_tag\n"
            + "".join(f"{serial},RM-{number:05}\n" for number, serial in enumerate(serials(1000))),
            "utf-8",
        )
        self.browser.type("#importFile", str(table))
        self.browser.wait("document.querySelector('.importCounts')?.innerText.includes('1,000 new devices')")
        assert self.server.ask("/devices")["total"] == 3, "nothing is changed yet"
        self.look("import")
        # A file that was changed since it was chosen can't be read any more.
        table.write_text(table.read_text("utf-8") + "\n", "utf-8")
        self.browser.click("dialog[open] .primary")
        self.browser.wait("document.querySelector('dialog[open] [role=alert]')?.innerText.includes('Choose it again')")
        self.browser.type("#importFile", str(table))
        self.browser.wait("document.querySelector('.importCounts')?.innerText.includes('1,000 new devices')")
        self.browser.click("dialog[open] .primary")
        self.count("1,003 devices")
        self.browser.wait("!document.querySelector('dialog[open]')")

    def scrolling(self):
        """A thousand devices can be scrolled to the last one, also with the keyboard, while only visible rows are in
        the document."""
        most = 0
        for _ in range(60):
            end, rows = self.browser.run(
                "const sheet = document.querySelector('.listSheet'); sheet.scrollTop = sheet.scrollHeight;"
                "return new Promise((done) => setTimeout(() => done([document.querySelector('[aria-rowindex=\"1004\"]') !== null, "
                "document.querySelectorAll('.gridRows > *').length]), 100))"
            )
            most = max(most, rows)
            if end:
                break
        assert end and most < 60, (end, most)
        self.browser.run("document.querySelector('[aria-rowindex=\"1004\"] .cell').focus()")
        self.browser.press("\ue00e")
        self.browser.wait("document.activeElement.closest('.gridLine')?.ariaRowIndex < 1000")
        self.browser.size(390, 844, is_phone=True)
        self.browser.wait("document.querySelectorAll('.deviceCard').length > 5")
        assert self.browser.run("return document.querySelectorAll('.gridRows > *').length") < 60
        self.look("phone-devices")
        self.browser.size(1280, 860)

    def live_scrolling(self):
        """A device that is read meanwhile appears without moving the visible rows or taking the focus from its row."""
        self.go("devices", "document.querySelectorAll('.gridLine .cell').length > 20")
        self.focus(4, 0)
        place = (
            "const top = document.querySelector('.listSheet').getBoundingClientRect().top + 100; return ["
            "[...document.querySelectorAll('.gridRows .gridLine')].filter((row) => row.getBoundingClientRect().top > top).slice(0, 3).map((row) => "
            "[row.querySelector('.serial').textContent, row.getBoundingClientRect().top]), "
            "document.activeElement.closest('.gridLine')?.querySelector('.serial').textContent]"
        )
        self.browser.run("document.querySelector('.listSheet').scrollTop = 4000")
        time.sleep(0.5)
        before = self.browser.run(place)
        job = self.server.photo(PICTURES / "screen_clean_1.jpg", b"meanwhile")
        self.count("1,004 devices")
        assert self.browser.run(place) == before, (self.browser.run(place), before)
        self.server.delete(f"/jobs/{job}?serial=true")
        self.count("1,003 devices")

    def printing(self):
        """On paper, lists have all their loaded rows, and views their contents without controls."""
        job = self.server.photo(PICTURES / "etched_clean_1.jpg", b"printed")
        views = [
            ("devices", ".gridRows .gridLine"),
            ("devices/G0NKP62BLGMZ", ".valueList"),
            ("history", "tbody tr"),
            (f"result/{job}", ".characters"),
            ("numbers", ".figure"),
            ("batches", ".batchCard"),
        ]
        # A list that has loaded only its first rows.
        self.reopen("#/devices")
        for view, ready in views:
            self.browser.open(f"{self.server.address}/#/{view}")
            self.browser.wait(f"document.querySelector('{ready}')")
            self.browser.devtools("Emulation.setEmulatedMedia", media="print", features=[])
            self.browser.run("dispatchEvent(new Event('beforeprint'))")
            controls = self.browser.run(
                "return [...document.querySelectorAll('button, input, select, textarea, nav, form, .toast')].filter((one) => one.checkVisibility()"
                " && !one.matches('.cell, .serial, thead button, .heads button')).map((one) => one.outerHTML.slice(0, 150))"
            )
            assert not controls, f"{view}: {controls}"
            text = self.browser.run("return document.querySelector('main').innerText")
            assert "http" not in text and len(text) > 40, f"{view}: {text}"
            colours = self.browser.run(
                "return [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
            )
            assert colours == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"], colours
            if view == "devices":
                rows = self.browser.run(
                    "return [...document.querySelectorAll('.gridRows .gridLine')].map((row) => row.getBoundingClientRect().top)"
                )
                assert len(rows) >= 100 and rows == sorted(set(rows)), "every loaded row has its own place"
                assert f"Only the first {len(rows)} of 1,003 devices" in text, text[-200:]
            if self.pictures:
                paper = self.browser.devtools(
                    "Page.printToPDF", printBackground=False, paperWidth=8.27, paperHeight=11.69
                )["data"]
                (self.pictures / f"print-{view.split('/')[0]}{'-one' if '/' in view else ''}.pdf").write_bytes(
                    base64.b64decode(paper)
                )
            self.browser.run("dispatchEvent(new Event('afterprint'))")
            self.browser.devtools("Emulation.setEmulatedMedia", media="", features=[])
        self.server.delete(f"/jobs/{job}?serial=true")
        self.go("devices", "document.querySelectorAll('.gridLine .cell').length > 20")
        rows = self.browser.run("return document.querySelectorAll('.gridRows > *').length")
        assert rows < 60, f"{rows} rows are in the document after printing"

    def filtering(self):
        """Filters, including those of custom fields, are in the URL; Reads and the export keep them and the search."""
        self.reopen("#/devices?custom.grade=a&status=accepted")
        self.count("1 device")
        assert self.browser.run("return document.querySelector('.counter').textContent") == "2"
        self.look("devices-filters")
        self.browser.click(".filterPanel .small")
        self.count("1,003 devices")
        self.browser.type("[name=search]", "RM-00042")
        self.browser.wait("location.hash.includes('search=RM-00042')")
        self.count("2 devices")
        self.browser.type("[name=search]", "C02XL0THJHCC", clear=True)
        self.browser.wait("location.hash.includes('search=C02XL0THJHCC')")
        self.click("Reads")
        self.count("2 serials")
        assert "search=C02XL0THJHCC" in self.browser.run("return location.hash")
        self.look("reads")

    def exporting(self):
        """Rows, format, and columns in any order can be chosen and are remembered; templates define their own
        columns."""
        self.reopen("#/devices?custom.grade=a")
        self.count("1 device")
        self.click("Export")
        self.browser.wait("document.querySelectorAll('.columnList li').length > 5")
        self.browser.run("document.querySelector('dialog[open] [value=csv]').click()")
        self.click("Select none", "dialog[open]")
        assert self.browser.run("return document.querySelector('dialog[open] .primary').disabled"), "no column"
        self.browser.run(
            "for (const name of ['serial', 'asset_tag', 'grade']) [...document.querySelectorAll('.columnList li')]"
            ".find((one) => one.dataset.name === name).querySelector('input').click()"
        )
        self.browser.run(
            "const row = [...document.querySelectorAll('.columnList li')].find((one) => one.dataset.name === 'asset_tag'); row.querySelector('input').focus();"
        )
        self.browser.run(
            "for (let step = 0; document.querySelector('.columnList li').dataset.name !== 'asset_tag' && step < 50; step += 1) "
            "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowUp', altKey: true, bubbles: true, cancelable: true}))"
        )
        self.look("export")
        # The file's name has the user's day, in a time zone in which it is not that of UTC.
        zone, hours = ("Pacific/Kiritimati", 14) if time.gmtime().tm_hour >= 10 else ("Etc/GMT+12", -12)
        self.browser.devtools("Emulation.setTimezoneOverride", timezoneId=zone)
        self.browser.click("dialog[open] .primary")
        file = self.downloaded(f"devices-{time.strftime('%Y-%m-%d', time.gmtime(time.time() + 3600 * hours))}.csv")
        self.browser.devtools("Emulation.setTimezoneOverride", timezoneId="")
        day = time.strftime("%Y-%m-%d")
        rows = file.read_text("utf-8-sig").splitlines()
        file.unlink()
        assert len(rows) == 2 and rows[1].replace('"', "") == "RM-00042,C02XL0THJHCC,A", rows
        self.browser.wait("!document.querySelector('dialog[open]')")
        self.reopen("#/devices")
        self.count("1,003 devices")
        self.click("Export")
        chosen = self.browser.wait(
            "document.querySelectorAll('.columnList li').length > 5 && [...document.querySelectorAll('.columnList li')]"
            ".filter((one) => one.querySelector('input').checked).map((one) => one.dataset.name)"
        )
        assert chosen == ["asset_tag", "serial", "grade"], chosen
        # Moving a column passes those that exist only for devices and are hidden.
        self.browser.run("document.querySelector('dialog[open] [value=reads]').click()")
        shown = "[...document.querySelectorAll('.columnList li:not([hidden])')].map((one) => one.dataset.name)"
        name, before, after = self.browser.run(
            "const row = [...document.querySelectorAll('.columnList li:not([hidden])')].find((one) => one.previousElementSibling?.hidden);"
            f"const before = {shown}; row.querySelector('button').click(); return [row.dataset.name, before, {shown}]"
        )
        assert after.index(name) == before.index(name) - 1 >= 0, (name, before, after)
        self.browser.run("document.querySelector('dialog[open] [value=devices]').click()")
        self.browser.run(
            "const layout = document.querySelector('dialog[open] select'); layout.value = 'snipe-it'; layout.dispatchEvent(new Event('change'))"
        )
        self.browser.wait("!document.querySelector('.columnList').checkVisibility()")
        self.browser.click("dialog[open] .primary")
        rows = self.downloaded(f"devices-{day}.csv").read_text("utf-8-sig").splitlines()
        assert len(rows) == 1004 and "Asset Tag" in rows[0] and "Serial" in rows[0], rows[:2]
        self.browser.wait("!document.querySelector('dialog[open]')")

    def begin(self, name):
        return self.server.ask("/batches", {"name": name})["id"]

    def batches(self):
        """A batch is created and chosen; photos that others add appear in every tab as they are read."""
        self.go("batches", "document.querySelectorAll('.batchCard').length === 1")
        self.look("batches")
        self.click("Start a batch")
        self.browser.type("dialog[open] input", "lot 13", clear=True)
        self.browser.press(ENTER)
        self.browser.wait(
            "document.querySelector('dialog[open] .bad').textContent === 'An open batch already has this name.'"
        )
        self.browser.type("dialog[open] input", "Lot 14, Monday", clear=True)
        self.browser.press(ENTER)
        self.browser.wait(
            "location.hash.startsWith('#/batches/') && document.querySelector('h1')?.textContent === 'Lot 14, Monday'"
        )
        batch = self.batch = self.browser.run("return location.hash.split('/')[2]")
        assert self.browser.run("return JSON.parse(localStorage.getItem('serialscan.batch')).id") == batch
        first = self.browser.new_tab()
        self.browser.size(1280, 860)
        self.go(f"batches/{batch}", "document.querySelector('.listFoot .empty')")
        sent = [
            self.send_photo(name, batch, b"14")
            for name in ("etched_clean_1.jpg", "screen_clean_1.jpg", "no_serial_1.jpg")
        ]
        shown = (
            "document.querySelector('.tiles .photos dd')?.textContent === '3' && document.querySelector('.tiles .accepted dd').textContent === '2' && "
            "document.querySelector('.tiles .no_serial dd').textContent === '1' && document.querySelectorAll('.photoLine .serial').length === 2 && "
            "document.querySelectorAll('.photoLine .badge.refused').length === 1"
        )
        self.browser.wait(shown, "the tally and the list", 60)
        self.browser.close_tab(first)
        self.browser.wait(shown, "on the other tab too", 60)
        self.browser.wait(
            "document.querySelectorAll('.photoLine img').length === 3 && [...document.querySelectorAll('.photoLine img')].every((one) => one.naturalWidth > 0)"
        )
        self.look("batch")
        self.click("Devices")
        self.browser.wait("document.querySelectorAll('.gridRows .gridLine').length === 2")
        self.look("batch-devices")
        # A photo sent twice counts once, and links to the first.
        again = self.send_photo("screen_clean_1.jpg", batch, b"14")
        self.server.ask(f"/result/{again}?wait=30")
        self.click("Photos")
        self.browser.wait(
            f"document.querySelector('.photoLine a.badge[href=\"#/result/{sent[1]}\"]')", "the same photo"
        )
        # The tally counts what is repeated within the batch. "Duplicate" is the mark of a serial that was seen before, anywhere.
        self.browser.wait("document.querySelector('.tile.duplicates dd').textContent === '1'", "it is counted")
        assert self.browser.run("return document.querySelector('.tile.duplicates dt').textContent") == "Repeated"
        self.browser.size(390, 844, is_phone=True)
        self.look("phone-batch")
        # On a narrow one, the reason why there is no serial has the width of the row.
        self.browser.size(360, 740, is_phone=True)
        cut = self.browser.run(
            "return [...document.querySelectorAll('.photoLine .clip')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"
        )
        assert not cut and self.browser.run("return document.querySelector('.note2').clientWidth") > 220, cut
        self.go("batches", "document.querySelectorAll('.batchCard').length === 2")
        self.look("phone-batches")
        self.browser.size(1280, 860)
        # On paper, a list that is not loaded to its end says so.
        self.browser.run(
            "window.direct ??= fetch; window.fetch = async (url, options) => {"
            "if (String(url).includes('cursor=')) throw new TypeError('away');"
            "return direct(String(url).replace(/limit=(50|100)$/, 'limit=1'), options); }"
        )
        for view, ready, told in (
            ("batches", ".batchCard", "Only the latest 1 batches"),
            (f"batches/{batch}", ".photoLine", "Only the latest 1 of 4 photos"),
        ):
            self.go("numbers", "document.querySelector('.figure')")
            self.go(view, f"document.querySelector('{ready}')")
            self.browser.devtools("Emulation.setEmulatedMedia", media="print", features=[])
            self.browser.run("dispatchEvent(new Event('beforeprint'))")
            text = self.browser.run("return document.querySelector('main').innerText")
            assert told in text, text
            self.browser.run("dispatchEvent(new Event('afterprint'))")
            self.browser.devtools("Emulation.setEmulatedMedia", media="", features=[])
        self.browser.run("window.fetch = direct")

    def narrow_batch(self):
        """On a narrow phone, a photo's serial and its badge are not drawn over each other, in any language."""
        batch = self.begin("Narrow")
        job = self.send_photo("round_light.jpg", batch, b"narrow")
        assert self.server.ask(f"/result/{job}?wait=60")["verdict"] == "uncertain"
        for language in ("de", "es", "en"):
            self.browser.run("localStorage.setItem('serialscan.language', JSON.stringify(arguments[0]))", language)
            for width in (320, 360, 390):
                self.browser.size(width, 740, is_phone=True)
                self.reopen(f"#/batches/{batch}")
                self.browser.wait("document.querySelector('.photoLine .badge.uncertain')")
                over = self.browser.run(
                    "const card = document.querySelector('.photoLine'); const range = document.createRange();"
                    "range.selectNodeContents(card.querySelector('.serial'));"
                    "const [one, two] = [range, card.querySelector('.badge')].map((node) => node.getBoundingClientRect());"
                    "return [Math.min(one.right, two.right) - Math.max(one.left, two.left), "
                    "Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top), card.scrollHeight - card.clientHeight]"
                )
                assert min(over[:2]) <= 0 and over[2] <= 0, (language, width, over)
                self.shown(f"{language}-phone-{width}-batch")
        self.browser.size(1280, 860)
        self.server.delete(f"/jobs/{job}")
        self.server.delete(f"/batches/{batch}")
        self.browser.run("localStorage.removeItem('serialscan.language')")

    def joining(self):
        """A phone joins by QR code or link. A batch that has ended accepts nothing, and pages that had chosen it say
        so."""
        self.go(f"batches/{self.batch}", "document.querySelector('.tiles')")
        self.click("Join with a phone")
        self.browser.wait("document.querySelector('dialog[open] svg.qr')")
        link = self.browser.run("return document.querySelector('dialog[open] code.name').textContent")
        assert link == f"{self.server.address}/#/scan?batch={self.batch}", link
        # No phone can reach this address: the dialog says so.
        told = "return document.querySelector('dialog[open] .note')?.textContent ?? ''"
        assert f"localhost:{self.server.port}" in self.browser.run(told), self.browser.run(told)
        self.look("join")
        self.browser.open(f"http://{NETWORK_ADDRESS}:{self.server.port}/#/batches/{self.batch}")
        self.browser.wait("document.querySelector('[data-name=join]')")
        self.click("Join with a phone")
        self.browser.wait("document.querySelector('dialog[open] svg.qr')")
        assert self.browser.run(told) == "", self.browser.run(told)
        self.browser.open(f"{self.server.address}/")
        self.browser.run("localStorage.removeItem('serialscan.batch')")
        self.reopen(f"#/scan?batch={self.batch}")
        self.browser.wait(
            "location.hash === '#/scan' && document.querySelector('#file') && JSON.parse(localStorage.getItem('serialscan.batch'))?.name === 'Lot 14, Monday'"
        )
        # Photos sent from now on go into the batch.
        self.browser.wait(f"document.querySelector('.batchChooser select')?.value === '{self.batch}'")
        self.look("scan-batch")
        self.browser.type("#file", str(PICTURES / "etched_clean_2.jpg"))
        self.until(
            "it is in the batch",
            lambda: (
                [job["filename"] for job in self.server.ask(f"/jobs?batch={self.batch}")["items"]][0]
                == "etched_clean_2.jpg"
            ),
        )
        self.browser.run(
            "const select = document.querySelector('.batchChooser select'); select.value = ''; select.dispatchEvent(new Event('change'))"
        )
        self.browser.wait(
            "JSON.parse(localStorage.getItem('serialscan.batch')) === null && !document.querySelector('.batchLink').checkVisibility()"
        )
        self.browser.run(
            "const select = document.querySelector('.batchChooser select'); select.value = arguments[0]; select.dispatchEvent(new Event('change'))",
            self.batch,
        )
        self.browser.size(390, 844, is_phone=True)
        self.look("phone-scan-batch")
        self.browser.size(1280, 860)
        self.go(f"batches/{self.batch}", "document.querySelector('.tiles')")
        self.click("Rename")
        self.browser.type("dialog[open] input", "Lot 14", clear=True)
        self.browser.press(ENTER)
        self.browser.wait(
            "document.querySelector('h1').textContent === 'Lot 14' && JSON.parse(localStorage.getItem('serialscan.batch')).name === 'Lot 14'"
        )
        self.click("End batch")
        self.browser.wait(
            "document.querySelector('.toast')?.textContent.includes('has ended') && JSON.parse(localStorage.getItem('serialscan.batch')) === null"
        )
        self.look("batch-ended")
        self.reopen(f"#/scan?batch={self.batch}")
        self.browser.wait(
            "[...document.querySelectorAll('.toast')].some((one) => one.textContent === 'The batch “Lot 14” has ended')"
        )
        self.go(f"batches/{self.batch}", "document.querySelector('.tiles')")
        self.click("Reopen")
        self.browser.wait(
            "[...document.querySelectorAll('main button')].some((one) => one.textContent === 'End batch')"
        )
        self.browser.run("window.confirm = () => true")
        self.click("Delete")
        self.browser.wait("location.hash === '#/batches' && document.querySelectorAll('.batchCard').length === 1")
        assert self.server.ask("/devices/VY1G7QMSYS")["batches"] == [], "its devices stay"

    def live_updates(self):
        """Changes that others make to photos appear in Review, batches, lists and Scan within seconds."""
        lot = self.lot
        jobs = [
            self.server.photo(PICTURES / name, mark=b"elsewhere")
            for name in ("etched_clean_1.jpg", "etched_clean_2.jpg")
        ]
        self.go("history", "document.querySelector('tbody .readSerial')")
        self.change("POST", f"/jobs/{jobs[0]}/confirm", {"serial": "C02XL0THJHC7"})
        self.browser.wait(
            "[...document.querySelectorAll('tbody .serial')].some((one) => one.textContent === 'C02XL0THJHC7')",
            seconds=6,
        )
        self.go("devices", "document.querySelector('.gridRows > *')")
        self.change("POST", f"/jobs/{jobs[1]}/confirm", {"serial": "C02XL0THJHC8"})
        self.browser.wait(
            "[...document.querySelectorAll('.serialCell .serial')].some((one) => one.textContent === 'C02XL0THJHC8')",
            seconds=6,
        )
        # Review: a photo reviewed on another screen leaves the queue; the current one stays until it is reviewed.
        empty = [self.server.photo(PICTURES / "no_serial_1.jpg", mark=str(number).encode()) for number in range(3)]
        self.go("check", "document.querySelector('.segments button')")
        self.browser.run("document.querySelectorAll('.segments button')[1].click()")
        self.browser.wait(
            "document.querySelector('.film').children.length >= 3 && document.querySelector('form.editor input')"
        )
        before = self.browser.run("return document.querySelector('.film').children.length")
        self.browser.run("document.querySelector('form.editor input').value = 'typed'")
        self.change("POST", f"/jobs/{empty[0]}/review", {"outcome": "no_serial"})
        self.browser.wait(f"document.querySelector('.film').children.length === {before - 1}", seconds=6)
        assert self.browser.run("return document.querySelector('form.editor input').value") == "typed", (
            "what a person writes stays"
        )
        self.server.delete(f"/jobs/{empty[2]}")
        self.browser.wait("document.querySelector('.toast')?.textContent.includes('another screen')", seconds=6)
        # Batch: the counts are updated, and deleted photos disappear.
        ended = self.server.ask(f"/batches/{lot}")["ended_at"]
        if ended:
            self.change("PATCH", f"/batches/{lot}", {"ended": False})
        job = self.send_photo("etched_clean_2.jpg", lot, b"followed")
        self.server.ask(f"/result/{job}?wait=30")
        self.go(f"batches/{lot}", "document.querySelector('.photoLine')")
        lines = self.browser.run("return document.querySelectorAll('.photoLine').length")
        confirmed = self.server.ask(f"/batches/{lot}")["tally"]["confirmed"]
        self.change("POST", f"/jobs/{job}/confirm", {"serial": "FK1CRVYNLFK3"})
        self.browser.wait(f"document.querySelector('.tile.confirmed dd').textContent === '{confirmed + 1}'", seconds=5)
        self.server.delete(f"/jobs/{job}?serial=true")
        self.browser.wait(f"document.querySelectorAll('.photoLine').length === {lines - 1}", seconds=5)
        if ended:
            self.change("PATCH", f"/batches/{lot}", {"ended": True})
        # A batch that was deleted elsewhere leaves the list of batches, and the choice on Scan.
        for view, shown in (
            (
                "batches",
                "[...document.querySelectorAll('.batchCard')].some((one) => one.innerText.includes('Passing'))",
            ),
            ("scan", "[...document.querySelectorAll('.batchChooser option')].some((one) => one.text === 'Passing')"),
        ):
            self.go("numbers", "document.querySelector('.figure')")
            passing = self.begin("Passing")
            self.go(view, shown)
            self.server.delete(f"/batches/{passing}")
            self.browser.wait(f"!{shown}", f"it leaves {view}")
        # Scan: the row of a photo shows what was done with it.
        self.go("scan", "document.querySelector('#file')")
        self.browser.type("#file", str(PICTURES / "etched_clean_1.jpg"))
        self.browser.wait("document.querySelector('.result .serial')?.textContent === 'G0NKP62BLGMZ'", seconds=60)
        mine = self.server.ask("/jobs?limit=1")["items"][0]["job_id"]
        # So does its open sheet.
        self.browser.click(".result .open-thumb")
        typed = "document.querySelector('dialog[open] form.editor input')"
        self.browser.wait(f"{typed}?.value === 'G0NKP62BLGMZ'")
        self.change("POST", f"/jobs/{mine}/confirm", {"serial": "G0NKP62BLGM2"})
        self.browser.wait("document.querySelector('.result .serial')?.textContent === 'G0NKP62BLGM2'", seconds=6)
        self.browser.wait(f"{typed}.value === 'G0NKP62BLGM2'", seconds=6)
        self.browser.type("dialog[open] form.editor input", "G0NKP6", clear=True)
        self.server.delete(f"/jobs/{mine}?serial=true")
        self.browser.wait("document.querySelector('.result').innerText.includes('no longer on the server')", seconds=6)
        self.browser.wait(
            "document.querySelector('dialog[open] [role=alert]').textContent.includes('no longer on the server')"
        )
        assert self.browser.run(f"return {typed}.value") == "G0NKP6", "what is typed stays"
        # A tap on its margin keeps it open; one outside closes it.
        left, top = self.browser.run(
            "const box = document.querySelector('dialog[open]').getBoundingClientRect(); return [box.left, box.top]"
        )
        self.browser.draw((round(left + 8), round(top + 30)))
        assert self.browser.run("return document.querySelector('dialog[open]') !== null"), (
            "a tap on its margin closes it"
        )
        self.browser.draw((round(left - 8), round(top + 30)))
        self.browser.wait("!document.querySelector('dialog[open]')")
        # A sheet that is opened while its photo is read shows the editor once it is read.
        # One promise for all requests that are sent meanwhile: a second one follows the event of the end.
        self.browser.run(
            "window.direct ??= fetch; const held = new Promise((resolve) => { window.answer = resolve; }); window.isHolding = false;"
            "window.fetch = async (url, options) => { if (/result|events/.test(url)) { window.isHolding = true; await held; } return direct(url, options); }"
        )
        self.browser.type("#file", str(PICTURES / "etched_clean_2.jpg"))
        self.browser.wait("window.isHolding")
        self.browser.click(".result .open-thumb")
        self.browser.wait("document.querySelector('dialog[open] .badge.waiting')")
        self.browser.run("window.fetch = direct; answer()")
        self.browser.wait(
            f"{typed}?.value === 'FK1CRVYNLFK3' && document.querySelectorAll('dialog[open] canvas').length === 2 && "
            "[...document.querySelectorAll('dialog[open] a')].some((one) => one.checkVisibility() && one.hash.startsWith('#/result/'))",
            seconds=60,
        )
        assert self.browser.run("return document.querySelector('dialog[open] .danger').checkVisibility()")
        self.browser.press(ESCAPE)
        self.server.delete(f"/jobs/{self.server.ask('/jobs?limit=1')['items'][0]['job_id']}?serial=true")
        for one in [*jobs, *empty[:2]]:
            self.server.delete(f"/jobs/{one}?serial=true")
        self.go("devices", "document.querySelector('.gridRows > *')")

    def changed_photo(self):
        """A photo's page shows what others decide about it, and says that it was deleted. What is being typed and the
        focus stay."""
        job = self.server.photo(PICTURES / "etched_clean_1.jpg", mark=b"decided elsewhere")
        self.go("numbers", "document.querySelector('.figure')")
        self.browser.run("location.hash = arguments[0]", f"#/result/{job}")
        typed, serial = (
            "document.querySelector('form.editor input')",
            "document.querySelector('.card .serial').textContent",
        )
        self.browser.wait(
            f"{typed}?.value === 'G0NKP62BLGMZ' && document.querySelectorAll('.pictures canvas').length === 2"
        )
        self.browser.run("window.photo = document.querySelector('.pictures canvas')")
        self.browser.run("document.querySelector('.card button').focus()")
        self.change("POST", f"/jobs/{job}/confirm", {"serial": "G0NKP62BLGM2"})
        self.browser.wait(
            f"{serial} === 'G0NKP62BLGM2' && {typed}.value === 'G0NKP62BLGM2' && document.querySelector('.badge.confirmed')",
            seconds=6,
        )
        assert self.browser.run("return document.activeElement === document.querySelector('.card button')")
        self.browser.type("form.editor input", "G0NKP6", clear=True)
        self.change("POST", f"/jobs/{job}/confirm", {"serial": "G0NKP62BLGM3"})
        self.browser.wait(f"{serial} === 'G0NKP62BLGM3'", seconds=6)
        assert self.browser.run(f"return [{typed}.value, document.activeElement === {typed}]") == ["G0NKP6", True], (
            "what is typed stays"
        )
        # What is confirmed here can be changed again, with the keyboard.
        self.browser.type("form.editor input", f"G0NKP62BLGM4{ENTER}", clear=True)
        self.browser.wait(f"{serial} === 'G0NKP62BLGM4' && document.querySelector('form.editor .primary:enabled')")
        assert self.browser.run(f"return document.activeElement === {typed} && window.photo.isConnected")
        self.server.delete(f"/jobs/{job}?serial=true")
        self.browser.wait(
            "document.querySelector('main [role=alert]').textContent === 'This photo is no longer on the server.'",
            seconds=6,
        )
        assert self.browser.run(f"return {serial}") == "G0NKP62BLGM4", "it stays readable"

    def reviewed(self):
        """A photo that a person reviewed says so on Scan, in its batch and on its page, instead of that it waits."""
        self.go("scan", "document.querySelector('#file')")
        self.browser.type("#file", str(PICTURES / "round_light.jpg"))
        self.browser.wait("document.querySelector('.result .badge.uncertain')", seconds=60)
        tally = self.browser.run("return document.querySelector('.tally').textContent")
        job = self.server.ask("/jobs?limit=1")["items"][0]["job_id"]
        # In this tab, while Scan is not shown.
        self.go("check", "document.querySelector('form.editor input')?.value === 'HCRH2EHZDAK8'")
        self.browser.click("[data-decision=noSerial]")
        self.until("it is marked", lambda: self.server.ask(f"/result/{job}")["review"] == "no_serial")
        self.go("scan", "document.querySelector('.result .badge')?.textContent === 'No serial here'")
        self.browser.wait(f"document.querySelector('.tally').textContent !== '{tally}'")
        # On another screen.
        self.change("POST", f"/jobs/{job}/review", {"outcome": "retake"})
        self.browser.wait("document.querySelector('.result .badge').textContent === 'To retake'", seconds=6)
        self.browser.run("location.hash = arguments[0]", f"#/result/{job}")
        self.browser.wait("document.querySelector('.card .badge')?.textContent === 'To retake'")
        lot = self.server.ask("/batches", {"name": "Reviewed"})["id"]
        other = self.send_photo("hardware_values.jpg", lot, b"reviewed")
        self.server.ask(f"/result/{other}?wait=30")
        self.go(f"batches/{lot}", "document.querySelector('.photoLine .badge.uncertain')")
        self.change("POST", f"/jobs/{other}/review", {"outcome": "no_serial"})
        self.browser.wait("document.querySelector('.photoLine .badge').textContent === 'No serial here'", seconds=6)
        # An open batch that is deleted leads to the list of batches.
        self.go("devices", "document.querySelector('.gridRows > *')")
        for one in (job, other):
            self.server.delete(f"/jobs/{one}")
        self.server.delete(f"/batches/{lot}")

    def silence(self):
        """Gives the next view an event stream that opens late and without a sound; `speak` ends it, and the page opens
        a real one."""
        self.go("numbers", "document.querySelector('.figure')")
        self.browser.wait("!localStorage.getItem('serialscan.listener.')", "no other view or photo has a stream open")
        self.browser.run(
            "window.direct ??= fetch; window.fetch = async (url, options) => {"
            "if (!String(url).includes('/events')) return direct(url, options);"
            "window.fetch = direct; return new Response(new ReadableStream({start(stream) { window.speak = () => stream.close(); }})); }"
        )

    def speak(self):
        self.browser.wait("Boolean(window.speak)")
        self.browser.run("speak(); delete window.speak")

    def missed_events(self):
        """What happens while no events arrive is shown once they do: after the list is loaded and before its stream
        opens, and while a stream is lost. Input, focus and position stay."""
        jobs = [
            self.server.photo(PICTURES / "no_serial_1.jpg", mark=f"missed {number}".encode()) for number in range(5)
        ]
        # Devices: a rejected value, a row in the middle and a value that is being typed.
        self.silence()
        self.go("devices", "document.querySelectorAll('.gridLine .cell').length > 20")
        self.browser.run("document.querySelector('.listSheet').scrollTop = 4000")
        self.browser.wait("document.querySelector(\"[aria-rowindex='76']\")")
        serial = self.browser.run("return document.querySelector(\"[aria-rowindex='76'] .serial\").textContent")
        self.focus(76, 0)
        self.browser.press(*"wrong", ENTER)
        self.browser.wait("document.querySelector('.refusedValue')?.textContent === 'wrong'")
        self.focus(76, 2)
        self.browser.press(*"Shel")
        where = (
            "const row = document.activeElement.closest('.gridLine'); return [row.getBoundingClientRect().top, row.querySelector('.serial').textContent, "
            "document.activeElement.value ?? document.activeElement.textContent]"
        )
        before = self.browser.run(where)
        assert before[1:] == [serial, "Shel"], before
        self.change("POST", f"/jobs/{jobs[0]}/confirm", {"serial": "C02XL0THJHC7"})
        self.speak()
        time.sleep(3)
        assert self.browser.run(where) == before, (self.browser.run(where), before)
        self.browser.press("f", TAB)
        self.browser.press(ESCAPE)
        here = (
            "[...document.querySelectorAll('.serialCell .serial')].find((one) => one.textContent === '%s').closest('.gridLine')"
            % serial
        )
        self.browser.wait(f"{here}.ariaRowIndex === '77'", "the device confirmed meanwhile is above it", 6)
        assert self.browser.run(f"return {here}.getBoundingClientRect().top") == before[0], "the rows do not move"
        assert self.browser.run(f"return [...{here}.querySelectorAll('.cell')].map((cell) => cell.textContent)")[
            ::2
        ] == ["wrong", "Shelf"]
        assert self.focused()[0] == 78, self.focused()
        self.until("it is saved", lambda: self.custom(serial).get("location") == "Shelf")
        self.browser.run("document.querySelector('.refusedValue').focus()")
        self.browser.press(ENTER, ESCAPE)
        self.change("PATCH", f"/devices/{serial}", {"custom": {"location": None}})
        # Reads.
        self.silence()
        self.go("history", "document.querySelector('tbody .readSerial')")
        self.browser.run("document.querySelector('tbody td.name a').focus()")
        link = self.browser.run("return document.activeElement.hash")
        self.change("POST", f"/jobs/{jobs[1]}/confirm", {"serial": "C02XL0THJHC8"})
        self.speak()
        self.browser.wait(
            "[...document.querySelectorAll('tbody .serial')].some((one) => one.textContent === 'C02XL0THJHC8')",
            seconds=6,
        )
        assert self.browser.run("return document.activeElement.hash") == link
        # Review.
        self.silence()
        self.go("check", "document.querySelector('.segments button')")
        self.browser.run("document.querySelectorAll('.segments button')[1].click()")
        self.browser.wait(
            "document.querySelector('.film').children.length >= 2 && document.querySelector('form.editor input')"
        )
        before = self.browser.run("return document.querySelector('.film').children.length")
        self.browser.run("document.querySelector('form.editor input').value = 'typed'")
        self.change("POST", f"/jobs/{jobs[2]}/review", {"outcome": "no_serial"})
        self.speak()
        self.browser.wait(
            f"document.querySelector('.film').hidden || document.querySelector('.film').children.length === {before - 1}",
            seconds=8,
        )
        assert self.browser.run("return document.querySelector('form.editor input').value") == "typed"
        # Scan.
        self.go("scan", "document.querySelector('#file')")
        self.browser.type("#file", str(PICTURES / "sticker_qr.jpg"))
        self.browser.wait("document.querySelector('.result .serial')?.textContent === 'C3DRLK8BEKYS'", seconds=60)
        mine = self.server.ask("/jobs?limit=1")["items"][0]["job_id"]
        self.silence()
        self.go("scan", "document.querySelector('#file')")
        self.change("POST", f"/jobs/{mine}/confirm", {"serial": "C3DRLK8BEKY5"})
        self.speak()
        self.browser.wait("document.querySelector('.result .serial')?.textContent === 'C3DRLK8BEKY5'", seconds=8)
        # Also of an old one, which 25 others follow.
        copies = []
        for number in range(25):
            copies.append(self.downloads / f"copy{number}.jpg")
            copies[-1].write_bytes((PICTURES / "sticker_qr.jpg").read_bytes() + str(number).encode())
        self.browser.type("#file", "\n".join(map(str, copies)))
        done = "import('./page/uploads.js').then(({items}) => items.filter((item) => copies.test(item.name) && item.state === 'done'))"
        done = done.replace("copies", "/^copy/")
        self.browser.wait(f"{done}.then((some) => some.length === 25)", seconds=90)
        more = self.browser.run(f"return {done}.then((some) => some.map((item) => item.job))")
        self.silence()
        self.go("scan", "document.querySelector('#file')")
        self.change("POST", f"/jobs/{mine}/confirm", {"serial": "C3DRLK8BEKY6"})
        self.speak()
        self.browser.wait(
            "[...document.querySelectorAll('.result .serial')].some((one) => one.textContent === 'C3DRLK8BEKY6')",
            seconds=8,
        )
        jobs += more
        for one in {mine, *jobs}:
            self.server.delete(f"/jobs/{one}?serial=true")
        self.go("devices", "document.querySelector('.gridRows > *')")

    def event_while_loading(self):
        """An event that arrives while a batch is loading is shown right after, not with the next poll."""
        lot = self.server.ask("/batches", {"name": "Slow"})["id"]
        source = (
            "const every = setInterval; window.setInterval = (act, time, ...more) => every(act, time === 8000 ? 1e9 : time, ...more);"
            "const direct = fetch; window.fetch = async (url, options) => { const response = await direct(url, options);"
            "if (window.isSlow && /\\/batches\\/[^/?]+$/.test(String(url))) await new Promise((resolve) => setTimeout(resolve, 3000)); return response; }"
        )
        script = self.browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=source)["identifier"]
        self.reopen(f"#/batches/{lot}")
        photos = "Number(document.querySelector('.tile.photos dd')?.textContent)"
        self.browser.wait(f"{photos} === 0")
        time.sleep(3)
        self.browser.run("window.isSlow = true")
        for number in range(2):
            job = self.send_photo("sticker_qr.jpg", lot, f"slow {number}".encode())
            self.server.ask(f"/result/{job}?wait=30")
            time.sleep(1.5)
        self.browser.wait(f"{photos} === 2", seconds=12)
        self.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
        for job in self.server.ask(f"/jobs?batch={lot}")["items"]:
            self.server.delete(f"/jobs/{job['job_id']}?serial=true")
        self.server.delete(f"/batches/{lot}")
        self.reopen("#/devices")
        self.browser.wait("document.querySelector('.gridRows > *')")

    def values_of_an_outage(self):
        """A value that is typed while the server is away stays, marked, and is sent once it is back; unless somebody
        else has changed it meanwhile."""
        self.server.kill()
        serials = self.browser.run(
            "return [2, 3].map((row) => document.querySelector(`[aria-rowindex='${row}'] .serial`).textContent)"
        )
        waiting = "[...document.querySelectorAll('.waitingValue')].map((one) => one.textContent).join()"
        for row, text in ((2, "Shelf 8"), (3, "Shelf 9")):
            self.focus(row, 2)
            self.browser.press(*text, TAB)
            self.browser.press(ESCAPE)
        self.browser.wait(f"{waiting} === 'Shelf 8,Shelf 9'")
        self.look("devices-waiting")
        self.browser.run(
            "window.direct = fetch; window.fetch = async (url, options) => { if (options?.method === 'PATCH' || String(url).includes('/devices/')) throw new TypeError(); return direct(url, options); }"
        )
        self.server.start()
        self.change("PATCH", f"/devices/{serials[1]}", {"custom": {"location": "Shelf 7"}})
        self.browser.run("window.fetch = direct")
        self.until("it is sent", lambda: self.custom(serials[0]).get("location") == "Shelf 8")
        self.browser.wait(f"{waiting} === '' && document.querySelector('.refusedValue')?.textContent === 'Shelf 9'")
        assert self.custom(serials[1])["location"] == "Shelf 7"
        assert "Shelf 7" in self.browser.run("return document.querySelector('.refusedValue').title")
        self.focus(3, 2)
        self.browser.press(ENTER, ESCAPE)
        self.browser.wait(
            "document.querySelectorAll(\"[aria-rowindex='3'] .cell\")[2].textContent === 'Shelf 7' && !document.querySelector('.refusedValue')"
        )
        # The server was deliberately unreachable.
        self.browser.complaints()

    def keeping_focus(self):
        """The focus stays where a keyboard user works: after saving, sorting, undoing, and where a button changes."""
        focused = "return document.activeElement.textContent"
        edit = "[aria-label='Edit C02XL0THJHCC']"
        self.go("history", f'document.querySelector("{edit}")')
        self.browser.run(f'[...document.querySelectorAll("{edit}")].at(-1).focus()')
        row = "return [...document.querySelectorAll('tbody tr')].indexOf(document.activeElement.closest('tr'))"
        before = self.browser.run(row)
        self.browser.press(ENTER)
        self.browser.wait("document.querySelector('dialog[open] textarea')")
        # Another row arrives while the dialog is open.
        self.server.ask("/serials", {"serial": "FK1CRVYNLFK3", "confidence": 0.99, "source": "ios"})
        self.browser.run("document.querySelector('dialog[open] textarea').focus()")
        self.browser.press(*"checked")
        self.browser.run("document.querySelector('dialog[open] .primary').focus()")
        self.browser.press(ENTER)
        self.browser.wait("!document.querySelector('dialog[open]')")
        assert self.browser.run(focused) == "Edit" and self.browser.run(row) in (before, before + 1), self.browser.run(
            focused
        )
        self.browser.run("[...document.querySelectorAll('thead button')][0].focus()")
        self.browser.press(ENTER)
        self.browser.wait("document.querySelector('[aria-sort] button')?.textContent.startsWith('Serial')")
        assert self.browser.run(focused).startswith("Serial"), self.browser.run(focused)
        self.go("devices/C02XL0THJHCC", "document.querySelector('.readList button')")
        self.browser.run("document.querySelector('.readList button').focus()")
        self.browser.press(ENTER)
        self.browser.wait("document.querySelector('dialog[open] .primary')")
        self.browser.run("document.querySelector('dialog[open] .primary').focus()")
        self.browser.press(ENTER)
        self.browser.wait("!document.querySelector('dialog[open]')")
        assert self.browser.run(focused) == "Edit", self.browser.run(focused)
        self.go("devices", "document.querySelector('.gridRows > *')")
        self.browser.run("document.querySelector('.serialHead button').focus()")
        self.browser.press(ENTER)
        self.browser.wait("document.querySelector('.serialHead')?.ariaSort")
        assert self.browser.run(focused).startswith("Serial"), self.browser.run(focused)
        self.browser.run("document.querySelector('.trash').focus()")
        self.browser.press(ENTER)
        self.browser.run("[...document.querySelectorAll('.toast button')].at(-1).focus()")
        self.browser.press(ENTER)
        self.browser.wait("!document.querySelector('.stale') && document.activeElement !== document.body")
        # The second press must not reach the button that deletes the batch.
        lot = self.server.ask("/batches", {"name": "Lot 99"})["id"]
        self.go(f"batches/{lot}", "document.querySelector('[data-name=end]')")
        for text in ("End batch", "Reopen"):
            self.browser.wait(f"document.querySelector('[data-name=end]').textContent === '{text}'")
            self.browser.run(
                "if (arguments[0] === 'End batch') document.querySelector('[data-name=end]').focus()", text
            )
            assert self.browser.run(focused) == text, self.browser.run(focused)
            self.browser.press(ENTER)
        self.browser.wait("document.querySelector('[data-name=end]').textContent === 'End batch'")
        assert self.browser.run(focused) == "End batch"
        self.server.delete(f"/batches/{lot}")
        self.go("devices", "document.querySelector('.gridRows > *')")

    def languages(self):
        """In each language, nothing is wider than a desktop or phone screen, and nothing is cut off on a desktop."""
        for language in ("de", "es", "en"):
            self.browser.run("localStorage.setItem('serialscan.language', JSON.stringify(arguments[0]))", language)
            self.reopen("#/devices")
            self.browser.wait(f"document.documentElement.lang === '{language}'")
            for view, ready in (
                ("devices", ".gridRows > *"),
                ("devices/C02XL0THJHCC", ".valueList"),
                ("history", "tbody tr"),
                ("batches", ".batchCard"),
                (f"batches/{self.lot}", ".tiles"),
            ):
                for name, width, height in (("desk", 1440, 900), ("phone", 390, 844)):
                    self.browser.size(width, height, is_phone=name == "phone")
                    self.go(view, f"document.querySelector('{ready}')")
                    self.shown(f"{language}-{name}-{view.split('/')[0]}{'-one' if '/' in view else ''}")
                    if name == "desk" and view == "devices":
                        wide = self.browser.run(
                            "const sheet = document.querySelector('.listSheet'); return [sheet.scrollWidth, sheet.clientWidth]"
                        )
                        assert wide[0] <= wide[1], f"the grid with three fields scrolls horizontally: {wide}"
                    elif name == "desk":
                        self.uncut(f"{language}-{name}-{view}")
        self.browser.size(1280, 860)

    @property
    def lot(self):
        return self.server.ask("/batches")["items"][0]["id"]

    def limited_key(self):
        """A key with only the scope `scan` sees its own devices and can edit their values, but can't import, export or
        delete."""
        boss = self.server.ask("/keys", {"name": "boss", "scopes": ["admin"]})["key"]
        key = self.server.make_key("bench", ["scan"], boss)
        request = urllib.request.Request(
            f"{self.server.address}/serials",
            json.dumps({"serial": "C02XD0THJHCC", "confidence": 0.9, "source": "ios"}).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {key}"},
        )
        urllib.request.urlopen(request, timeout=30).close()
        self.browser.run("localStorage.setItem('serialscan.key', arguments[0])", key)
        self.reopen("#/devices")
        self.count("1 device")
        assert not self.browser.run(
            "return [...document.querySelectorAll('main button')].filter((one) => /Import|Export|×/.test(one.textContent) && one.checkVisibility()).length"
        )
        self.focus(2, 1)
        self.browser.press("B", ENTER)
        self.browser.wait(
            "document.querySelectorAll('.gridRows .cell')[1].textContent === 'B' && !document.querySelector('.toast.bad')"
        )
        self.go("batches", "document.querySelectorAll('.batchCard').length === 1")
        self.browser.click(".batchCard")
        self.browser.wait(
            "document.querySelectorAll('.photoLine').length === 1", "a batch is shared by all who may scan"
        )
        self.browser.wait("document.querySelector('.photoLine img')?.naturalWidth > 0", "thumbnails come with the key")


def main():
    with command(__doc__) as (arguments, folder, downloads):
        server = Server(arguments.program, folder, FIELDS)
        browser = None
        try:
            browser = Browser(
                f"--user-data-dir={folder}/profile",
                f"--host-resolver-rules=MAP {NETWORK_ADDRESS} 127.0.0.1",
                downloads=downloads,
            )
            browser.size(1280, 860)
            test = DeskTest(browser, server, downloads, arguments.pictures)
            for step in (
                test.first_review,
                test.devices,
                test.typing,
                test.extreme_values,
                test.device,
                test.deleting,
                test.undoing_elsewhere,
                test.renewing,
                test.read_again,
                test.changed_meanwhile,
                test.importing,
                test.scrolling,
                test.live_scrolling,
                test.printing,
                test.filtering,
                test.exporting,
                test.batches,
                test.narrow_batch,
                test.joining,
                test.live_updates,
                test.changed_photo,
                test.reviewed,
                test.missed_events,
                test.event_while_loading,
                test.values_of_an_outage,
                test.keeping_focus,
                test.languages,
                test.limited_key,
            ):
                test.take(step)
            refused = [
                line for line in browser.complaints() if "Content Security Policy" in line or "TypeError" in line
            ]
            assert not refused, f"the console: {refused}"
        finally:
            if browser:
                browser.close()
            server.kill()


if __name__ == "__main__":
    try:
        main()
    except (AssertionError, RuntimeError, urllib.error.HTTPError) as failure:
        sys.exit(f"failed: {failure}")
