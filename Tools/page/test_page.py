#!/usr/bin/env python3
"""Drives the page like a user, in a headless Chromium against a real server.

usage: Tools/page/test_page.py PROGRAM [--pictures FOLDER]

PROGRAM is the built serialscan. Requires Debian's chromium and chromium-driver. If `AXE` names axe-core's axe.min.js,
every view is checked with it in both themes. With --pictures, a screenshot of each view is saved there for review.
"""

import json
import re
import subprocess
import sys
import tarfile
import time

from driven_page import DrivenPage, command
from page_server import PICTURES, ROOT, Server
from webdriver import Browser

ARROW_UP, ENTER, ALT, TAB, ESCAPE = "\ue013", "\ue007", "\ue00a", "\ue004", "\ue00c"
PAGES = ROOT / "Sources" / "HTTPAPI" / "Pages"
EIGHT = [
    "etched_clean_1.jpg",
    "etched_clean_2.jpg",
    "round_light.jpg",
    "screen_clean_1.jpg",
    "sticker_qr.jpg",
    "no_serial_1.jpg",
    "format_heic.heic",
    "etched_medium_2.jpg",
]
# In bytes per second: the eight photos (420 kB) take ten seconds, so that a busy machine also sees them under way.
SLOW_UPLOAD = 40_000


# Adds a photo of a code with a given text.
TAG_PHOTO = """
return (async (text) => {
  const [{qrPicture}, uploads] = await Promise.all([import('./page/qr.js'), import('./page/uploads.js')]);
  const picture = qrPicture(text, text);
  picture.setAttribute('width', 400);
  picture.setAttribute('height', 400);
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(picture)], {type: 'image/svg+xml'}));
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), {width: 800, height: 800});
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, 800, 800);
  pen.drawImage(image, 200, 200, 400, 400);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  await uploads.add([new File([blob], 'image.png', {type: 'image/png'})], {});
})(...arguments);
"""


def arguments_of(name, source):
    """Returns the first argument of each call of a function, as written."""
    for call in re.finditer(rf"\b{name}\(", source):
        depth, end = 1, call.end()
        while depth and not (depth == 1 and source[end] == ","):
            depth += {"(": 1, ")": -1, "{": 1, "}": -1}.get(source[end], 0)
            end += 1
        yield source[call.end() : end]


class PageTest(DrivenPage):
    """One browser and one server; visits all views in the order of a day's work."""

    def upload(self):
        """Many photos at once: their progress is shown, and each ends with its verdict."""
        self.go("scan", "document.querySelector('#file')")
        names = [
            "etched_clean_1.jpg",
            "screen_clean_1.jpg",
            "sticker_qr.jpg",
            "round_light.jpg",
            "no_serial_1.jpg",
            "format_heic.heic",
        ]
        self.browser.run(
            "window.steps = new Set(); new MutationObserver(() => document.querySelectorAll('.result .state').forEach("
            "(state) => window.steps.add(state.textContent))).observe(document.querySelector('.results'), "
            "{subtree: true, childList: true, characterData: true})"
        )
        self.browser.type("#file", "\n".join(str(PICTURES / name) for name in names))
        self.browser.wait("document.querySelectorAll('.result .badge:not(.waiting)').length === 6", "all are read", 90)
        steps = self.browser.run("return [...window.steps]")
        assert any("Sending" in step for step in steps) and len(steps) > 5, steps
        text = self.browser.run("return document.querySelector('.results').innerText")
        assert "G0NKP62BLGMZ" in text and all(name in text for name in names), text
        assert "4 accepted, 1 needs review, 1 without serial" in self.browser.run(
            "return document.querySelector('.tally').textContent"
        )
        # One event stream reports results; without it, each photo would be polled several times per second.
        asked = self.server.requests()
        assert asked["/events"] >= 1 and asked["/result/{job_id}"] < 12 * len(names), asked
        # With only the keyboard: Enter copies the top serial, arrow keys move between serials.
        self.browser.run("document.activeElement.blur()")
        self.browser.press(ENTER)
        self.browser.wait(
            "document.querySelector('.toast')?.textContent === "
            "`Copied ${document.querySelector('.serial:not([hidden])').textContent}`"
        )
        self.browser.run("const all = document.querySelectorAll('.serial:not([hidden])'); all[all.length - 1].focus()")
        self.browser.press(ARROW_UP)
        focused = self.browser.run("return document.activeElement.className")
        assert focused == "serial", focused
        self.browser.press(ENTER)
        self.browser.wait(
            "[...document.querySelectorAll('.toast')].at(-1).textContent === "
            "`Copied ${document.activeElement.textContent}`"
        )
        self.look("scan")

    def many(self):
        """A list of a thousand items is shown and scrolled quickly."""
        before = self.browser.run("return document.querySelectorAll('.result').length")
        self.browser.run(
            "return import('./page/kept.js').then((kept) => kept.put(Array.from({length: 990}, (_, index) => ({key: `many${index}`, "
            "at: index, tab: 'gone', name: `photo ${index} <b>.jpg`, job: null, serial: 'C02XL0THJHCC', confidence: 0.99, "
            "verdict: 'accepted', state: 'done', progress: 1}))))"
        )
        self.reopen("#/scan")
        self.browser.wait(f"document.querySelectorAll('.result').length === {990 + before}")
        assert self.browser.run("return document.querySelectorAll('.result b').length") == 0, "names are text"
        # Who returns to the list finds it as it was scrolled, however slowly it is drawn.
        self.browser.run("document.querySelectorAll('.result')[700].scrollIntoView({behavior: 'instant'})")
        self.browser.wait("scrollY > 0 && history.state?.top === scrollY")
        name = self.browser.run(
            "return document.elementFromPoint(640, 400).closest('.result').querySelector('.name').textContent"
        )
        row = f"[...document.querySelectorAll('.result')].find((row) => row.querySelector('.name').textContent === '{name}')"
        self.browser.click("nav [href='#/keys']")
        self.browser.wait("document.querySelector('fieldset')")
        assert self.browser.run("return scrollY") == 0
        self.browser.devtools("Emulation.setCPUThrottlingRate", rate=6)
        for back in ("history.back()", "location.reload()"):
            self.browser.run(back)
            self.browser.wait(f"Math.abs({row}?.getBoundingClientRect().top - 400) < 150", back, seconds=60)
        self.browser.devtools("Emulation.setCPUThrottlingRate", rate=1)
        self.browser.run(
            "return Promise.all([import('./page/kept.js'), import('./page/uploads.js')]).then(([kept, uploads]) => "
            "uploads.forget(...uploads.items.filter((item) => item.key.startsWith('many'))))"
        )
        self.browser.wait(f"document.querySelectorAll('.result').length === {before}")

    def photo_details(self):
        """A photo's details: the enlarged serial, its position, and the strategies tried."""
        # Elements scrolled out of view are not rendered and have no inner text.
        row = "[...document.querySelectorAll('.result')].find((row) => row.textContent.includes('etched_clean'))"
        self.go("scan", f"{row}?.querySelector('.why:not([hidden])')")
        self.browser.run(f"{row}.querySelector('.why').click()")
        self.browser.wait("document.querySelectorAll('.pictures canvas').length === 2")
        text = self.browser.run("return document.querySelector('main').innerText")
        assert "G0NKP62BLGMZ" in text and "read from text" in text and "How it was read" in text, text
        self.look("detail")
        self.browser.run(
            "[...document.querySelectorAll('main button')].find((one) => one.textContent.includes('explanation')).click()"
        )
        job = self.browser.run("return location.hash.split('/').pop()")
        page = self.downloaded(f"{job}.html").read_text(encoding="utf-8")
        assert "<iframe sandbox srcdoc=" in page and "G0NKP62BLGMZ" in page, page[:400]
        # A photo that this browser can't decode is shown as drawn by the server, and still enlarged.
        row = row.replace("etched_clean", "format_heic")
        self.go("scan", f"{row}?.querySelector('.why:not([hidden])')")
        self.browser.run(f"{row}.querySelector('.why').click()")
        self.browser.wait(
            "document.querySelector('h1').textContent === 'format_heic.heic' && "
            "document.querySelectorAll('.pictures canvas').length === 2"
        )

    def preloading(self):
        """The document lists all modules of Scan, so that the browser need not find one after the other."""
        told = set(re.findall(r"page/([\w.]+\.js)", (PAGES / "index.html").read_text()))
        needed = set()
        rest = ["app.js", "scan.js"]
        while rest:
            name = rest.pop()
            if name not in needed:
                needed.add(name)
                rest += re.findall(r'from "\./([\w.]+)"', (PAGES / name).read_text())
        assert told == needed, f"index.html preloads other modules than Scan imports: {told ^ needed}"

    def correct(self):
        """A doubtful read: the format is checked while typing, the correction is saved, and the queue empties."""
        self.browser.click("nav [href='#/check']")
        self.browser.wait("document.querySelector('.editor input') && document.querySelector('.pictures canvas')")
        self.browser.wait(
            "document.activeElement === document.querySelector('.editor input')", "Enter confirms at once"
        )
        self.look("check")
        read = self.browser.run("return document.querySelector('.editor input').value")
        typed = f"{read[:-1]}O"
        self.browser.type(".editor input", typed, clear=True)
        hint = self.browser.run("return document.querySelector('.editor .hint').textContent")
        assert "Serials never contain O. Did you mean 0?" in hint, hint
        self.browser.run("document.querySelector('.editor .hint button').click()")
        corrected = self.browser.run("return document.querySelector('.editor input').value")
        assert corrected == f"{read[:-1]}0", corrected
        # Wherever the focus is, such as after a click on the photo.
        self.browser.run("document.activeElement.blur()")
        self.browser.press(ENTER)
        self.browser.wait("document.querySelector('.empty')?.innerText.includes('Nothing to review')")
        confirmed = lambda: [job["confirmed_serial"] for job in self.server.ask("/jobs?verdict=uncertain")["items"]]
        self.until("it is confirmed", lambda: confirmed() == [corrected])
        self.browser.click(".spread button")
        with tarfile.open(self.downloaded("confirmed-pictures.tar")) as archive:
            labels = archive.extractfile("confirmed/labels.csv").read().decode()
        assert f",{corrected}," in labels, labels

    def live_list(self):
        """The list of Scan reflects decisions made in Review: row, counts, copying and the spreadsheet."""
        self.browser.click("nav [href='#/scan']")
        self.browser.wait(
            "document.querySelector('.tally')?.textContent === '5 accepted, 0 need review, 1 without serial'"
        )
        row = self.browser.run(
            "return [...document.querySelectorAll('.result')].find((row) => "
            "row.textContent.includes('round_light')).innerText"
        )
        confirmed = self.server.ask("/jobs?verdict=uncertain")["items"][0]["confirmed_serial"]
        assert confirmed in row and "Confirmed" in row, row
        # A serial in two photos is copied once; unaccepted ones are not copied.
        self.browser.type("#file", str(PICTURES / "etched_clean_1.jpg"))
        self.browser.wait(
            "document.querySelector('.tally').textContent === '6 accepted, 0 need review, 1 without serial'", seconds=60
        )
        self.browser.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        self.browser.click(".spread .row button")
        copied = self.browser.wait("window.copied").split("\n")
        assert sorted(copied) == sorted(set(copied)) and len(copied) == 5 and confirmed in copied, copied
        self.browser.run(
            "[...document.querySelectorAll('main button')].find((one) => one.textContent === 'Download spreadsheet').click()"
        )
        sheet = self.downloaded(f"serials-{time.strftime('%Y-%m-%d')}.csv")
        lines = sheet.read_text("utf-8-sig").splitlines()
        assert lines[0].startswith('"File","Serial","Result"') and len(lines) == 8, lines
        assert any(f'"{confirmed}"' in line and '"yes"' in line for line in lines), lines
        # Times that any spreadsheet knows: the serial of etched_clean_1.jpg was read before.
        assert any(re.search(r'"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"', line) for line in lines), lines
        sheet.unlink()

    def removing_by_keyboard(self):
        """A row that is removed by keyboard passes its focus to the next one, in Reads and on Scan."""
        here = "[...document.querySelectorAll('%s')].indexOf(document.activeElement.closest('%s'))"
        for view, row, button in (("history", "tbody tr", "[aria-label^=Delete]"), ("scan", ".result", ".remove")):
            self.go(view, f"document.querySelectorAll('{row}').length > 2")
            rows = self.browser.run(f"return document.querySelectorAll('{row}').length")
            self.browser.run(f"document.querySelectorAll('{row}')[1].querySelector('{button}').focus()")
            self.browser.press(ENTER)
            self.browser.wait(f"document.querySelectorAll('{row}').length === {rows - 1}")
            at = self.browser.run("return " + here % (row, row))
            assert at == 1, (view, at)
            self.browser.run("[...document.querySelectorAll('.toast button')].at(-1).click()")
            self.browser.wait(f"document.querySelectorAll('{row}').length === {rows}")

    def undo(self):
        """Removing a single photo or the whole list can be undone with one click."""
        count = self.browser.run("return document.querySelectorAll('.result').length")
        order = "[...document.querySelectorAll('.result .name')].map((one) => one.textContent).join()"
        before = self.browser.run(f"return {order}")
        for selector, left in ((".result:nth-child(3) .remove", count - 1), (".spread .row button:last-child", 0)):
            self.browser.click(selector)
            self.browser.wait(f"document.querySelectorAll('.result').length === {left}")
            self.browser.run("[...document.querySelectorAll('.toast button')].at(-1).click()")
            self.browser.wait(f"{order} === {before!r}")
        self.reopen("#/scan")
        self.browser.wait(f"{order} === {before!r}", "what came back is kept")

    def full_disk(self):
        """Photos that the server has no room for are sent again, without anybody having to retry each."""
        self.go("scan", "document.querySelector('#file')")
        self.browser.run(
            "return import('./page/api.js').then(({api, ApiError}) => { const {upload} = api; api.upload = async () => {"
            "api.upload = upload; throw new ApiError(507, {error_code: 'STORAGE_FULL', detail: ''}); }; })"
        )
        self.browser.type("#file", str(PICTURES / "exif_5.jpg"))
        self.browser.wait(
            "document.querySelector('.result .state').textContent === 'The server is out of disk space. Retrying in 1 s'"
        )
        self.browser.wait("document.querySelector('.result:first-child .badge.accepted')", seconds=30)
        self.browser.click(".result .remove")

    def removed_while_retrying(self):
        """A photo that is removed during the pause before its next attempt gives its place to the next one at once."""
        self.go("scan", "document.querySelector('#file')")
        before = self.browser.run("return document.querySelectorAll('.result').length")
        self.browser.run(
            "return import('./page/api.js').then(({api, ApiError}) => { const {upload} = api; let busy = 3; api.upload = async (...request) => {"
            "if (busy-- > 0) throw new ApiError(429, {error_code: 'RATE_LIMITED', detail: ''}, 30); api.upload = upload; return upload(...request); }; })"
        )
        self.browser.type("#file", "\n".join(str(PICTURES / f"exif_{number}.jpg") for number in (1, 2, 3, 4)))
        self.browser.wait(
            "[...document.querySelectorAll('.result .state')].filter((one) => one.textContent.includes('Retrying in 30 s')).length === 3"
        )
        self.browser.run(
            "[...document.querySelectorAll('.result')].slice(1, 4).forEach((row) => row.querySelector('.remove').click())"
        )
        self.browser.wait("document.querySelector('.result:first-child .badge.accepted')", "the fourth is sent", 15)
        self.browser.click(".result .remove")
        self.browser.wait(f"document.querySelectorAll('.result').length === {before}")

    def countdown(self):
        """The time until a retry counts down, is the one that the server names, and has a bound."""
        self.go("scan", "document.querySelector('#file')")
        before = self.browser.run("return document.querySelectorAll('.result').length")
        for named, shown in (("3", 3), ("90", 90), ("86400", 300), ("new Date(Date.now() + 60_500).toUTCString()", 60)):
            self.browser.run(
                "return import('./page/api.js').then(({api, ApiError}) => { const {upload} = api; api.upload = async () => { api.upload = upload;"
                f"throw new ApiError(429, {{error_code: 'RATE_LIMITED', detail: ''}}, {named}); }}; }})"
            )
            self.browser.type("#file", str(PICTURES / "exif_6.jpg"))
            state = "document.querySelector('.result .state').textContent"
            for left in (shown, shown - 1):
                self.browser.wait(f"{state}.includes('Retrying in {left} s')", seconds=3)
            if shown == 3:
                self.browser.wait("document.querySelector('.result:first-child .badge.accepted')", "it is sent", 30)
            self.browser.click(".result .remove")
            self.browser.wait(f"document.querySelectorAll('.result').length === {before}")

    def unreadable_file(self):
        """A file that can never be read offers no retry, and one above the server's limit is not sent."""
        self.go("scan", "document.querySelector('#file')")
        text, large = self.downloads / "text.jpg", self.downloads / "large.jpg"
        text.write_text("no image")
        with open(large, "wb") as file:
            file.truncate(self.server.ask("/config")["limits"]["max_upload_bytes"] + 1)
        self.browser.run("performance.clearResourceTimings()")
        self.browser.type("#file", str(large))
        row = "[...document.querySelectorAll('.result')].find((row) => row.textContent.includes('%s'))"
        self.browser.wait(
            f"{row % 'large.jpg'}?.querySelector('.state').textContent.includes('Too large: 25.1 MB. The limit is 25 MB.')"
        )
        sent = self.browser.run(
            "return performance.getEntriesByType('resource').filter((one) => one.name.endsWith('/scan')).length"
        )
        assert sent == 0, sent
        self.browser.type("#file", str(text))
        self.browser.wait(f"{row % 'text.jpg'}?.querySelector('.state').textContent.includes('readable image')")
        for name in ("large.jpg", "text.jpg"):
            assert not self.browser.run(f"return {row % name}.querySelector('.again').checkVisibility()"), name
            self.browser.run(f"{row % name}.querySelector('.remove').click()")
        # The server rejects such a file, which the browser logs.
        self.browser.complaints()

    def jobs(self, field="filename"):
        return [job[field] for job in self.server.ask("/jobs?limit=500")["items"]]

    def arrived(self, before):
        """All eight photos have reached the server, each once."""
        self.until("all have arrived", lambda: len(self.jobs()) >= len(before) + len(EIGHT), 60)
        try:
            self.browser.wait(
                "[...document.querySelectorAll('.result progress')].every((one) => one.hidden)", "all are read", 90
            )
        except AssertionError as failure:
            left = self.browser.run(
                "return import('./page/uploads.js').then((uploads) => uploads.items.filter((item) => !['done', 'failed'].includes(item.state))"
                ".map((item) => `${item.name} ${item.state} ${item.progress} job ${item.job} tab ${item.tab} turn ${item.turn}`))"
            )
            raise AssertionError(f"{failure}: {left}") from None
        new = self.jobs()[: len(self.jobs()) - len(before)]
        assert sorted(new) == sorted(EIGHT), new

    def reload(self):
        """A reload during uploads: unsent photos are sent afterwards, each once."""
        self.go("scan", "document.querySelector('#file')")
        before, shown = self.jobs(), self.browser.run("return document.querySelectorAll('.result').length")
        self.browser.slow_down(SLOW_UPLOAD)
        self.browser.type("#file", "\n".join(str(PICTURES / name) for name in EIGHT))
        self.browser.wait(f"document.querySelectorAll('.result').length >= {shown + 8}")
        self.browser.wait(
            "import('./page/kept.js').then((kept) => kept.all()).then((all) => all.slice(-8).every((one) => one.isKept || one.job))"
        )
        self.reopen("#/scan")
        arrived = len(self.jobs()) - len(before)
        assert arrived < 8, "the upload was over before the reload"
        self.browser.wait(
            "[...document.querySelectorAll('.toast')].some((one) => one.textContent.includes('left from last time'))"
        )
        self.browser.slow_down(-1)
        self.arrived(before)

    def tabs(self):
        """Two tabs share one list; when the sending one is closed, the other continues, so that each photo arrives
        once."""
        self.go("scan", "document.querySelector('#file')")
        before, shown = self.jobs(), self.browser.run("return document.querySelectorAll('.result').length")
        sender = self.browser.new_tab()
        self.go("scan", f"document.querySelectorAll('.result').length === {shown}")
        other = self.browser.new_tab()
        self.browser.close_tab(sender)
        self.browser.slow_down(SLOW_UPLOAD)
        self.browser.type("#file", "\n".join(str(PICTURES / name) for name in EIGHT))
        self.browser.wait(
            "import('./page/kept.js').then((kept) => kept.all()).then((all) => all.slice(-8).every((one) => one.isKept || one.job) && all.filter((one) => one.isKept).length >= 4)"
        )
        self.browser.close_tab(other)
        self.browser.size(1280, 860)
        self.browser.wait(f"document.querySelectorAll('.result').length === {shown + 8}")
        self.arrived(before)

    def tab_crash(self):
        """If a tab ends without notice while sending, the next tab opened sends its photo."""
        before = len(self.jobs())
        self.browser.run(
            "return (async () => { const kept = await import('./page/kept.js'); const file = await (await fetch('./page/icon-512.png')).blob();"
            "await kept.put([{key: 'crashed', at: Date.now(), tab: 'gone', name: 'crashed.png', size: file.size, state: 'sending', "
            "progress: 0.1, isKept: true, fields: {}}], file); })()"
        )
        self.reopen("#/scan")
        self.browser.wait(
            "[...document.querySelectorAll('.result')].some((row) => row.textContent.includes('crashed.png') && "
            "row.querySelector('.badge'))",
            seconds=60,
        )
        assert self.jobs()[0] == "crashed.png" and len(self.jobs()) == before + 1, self.jobs()
        # The same for a tab that crashes while this one is open.
        self.browser.run(
            "return (async () => { const kept = await import('./page/kept.js'); const file = await (await fetch('./page/icon-192.png')).blob();"
            "const item = {key: 'beside', at: Date.now(), tab: 'gone too', name: 'beside.png', size: file.size, state: 'sending', "
            "progress: 0.1, isKept: true, fields: {}}; await kept.put([item], file); new BroadcastChannel('serialscan').postMessage({item}); })()"
        )
        self.browser.wait(
            "[...document.querySelectorAll('.result')].some((row) => row.textContent.includes('beside.png') && "
            "row.querySelector('.badge'))",
            seconds=60,
        )
        assert self.jobs()[0] == "beside.png" and len(self.jobs()) == before + 2, self.jobs()
        # A tab that closes may still report what it did before: its items belong to this tab now.
        written = self.browser.run(
            "return (async () => { const kept = await import('./page/kept.js'); const item = {key: 'beside', at: Date.now(), tab: 'gone too', "
            "turn: 0, name: 'beside.png', size: 1, state: 'queued', job: 'late', progress: 0.3, isKept: true, fields: {}};"
            "new BroadcastChannel('serialscan').postMessage({item}); return kept.put([item]); })()"
        )
        assert not written, "a former owner's item is stored"
        time.sleep(0.5)
        state = self.browser.run(
            "return import('./page/uploads.js').then((uploads) => uploads.items.find((item) => item.key === 'beside').state)"
        )
        assert state == "done", state
        left = self.browser.run(
            "return import('./page/kept.js').then((kept) => kept.photo('crashed')).then((photo) => photo === undefined)"
        )
        assert left, "a photo that was sent is not kept"

    def unsaved_photos(self):
        """Without IndexedDB, the browser asks before leaving a page with unsent photos; with it, only if a photo is
        not stored."""
        asks = "(() => { const event = new Event('beforeunload', {cancelable: true}); dispatchEvent(event); return event.defaultPrevented; })()"
        self.go("scan", "document.querySelector('#file')")
        assert not self.browser.run(f"return {asks}"), "nothing is under way"
        script = self.browser.devtools(
            "Page.addScriptToEvaluateOnNewDocument",
            source="Object.defineProperty(window, 'indexedDB', {value: {open() { throw new Error('none'); }}})",
        )["identifier"]
        self.reopen("#/scan")
        self.browser.wait("document.querySelector('#file')")
        self.browser.slow_down(20_000)
        self.browser.type("#file", str(PICTURES / "etched_clean_2.jpg"))
        self.browser.wait("document.querySelectorAll('.result').length === 1")
        assert self.browser.run(f"return {asks}"), "an unsent photo would be lost"
        self.browser.slow_down(-1)
        self.browser.wait("document.querySelector('.result .badge')", seconds=60)
        assert not self.browser.run(f"return {asks}"), "all is sent"
        self.reopen("#/scan")
        self.browser.wait("document.querySelector('.result .badge')", "the list outlives a reload of the tab")
        self.browser.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
        self.reopen("#/scan")

    def notes(self):
        """The English notes of results are the server's own, since they find what is translated."""
        sources = re.sub(
            r'"\s*\+ "', "", "".join(file.read_text() for file in (ROOT / "Sources" / "SerialReading").rglob("*.swift"))
        )
        for key, text in self.browser.run(
            "return import('./page/strings.js').then(({english}) => Object.entries(english).filter(([key]) => key.startsWith('note.')))"
        ):
            for piece in re.split(r"\{\w+\}", text):
                assert piece.strip(":. ") in sources, (key, piece)

    def doubts(self):
        """The English doubts say what the API says; each has a sentence of its own, except about single characters."""
        source = (ROOT / "Sources" / "SerialReading" / "Judgement" / "SerialDoubts.swift").read_text()
        sentences = dict(re.findall(r'code: "(\w+)",\s+sentence: "([^"\\]+)"', source))
        assert len(sentences) > 10, sentences
        told = self.browser.run("return import('./page/strings.js').then(({english}) => english)")
        for code, sentence in sentences.items():
            assert told.get(f"doubt.{code}", "").replace("’", "'") == sentence, (code, sentence)
        codes = set(re.findall(r'code: "(\w+)"', source))
        assert all(f"doubt.{code}" in told for code in codes), codes

    def other_maker(self):
        """The page of a photo of another manufacturer's label says so, and does not ask for a sharper photo."""
        job = self.server.photo(PICTURES / "other_maker.jpg")
        self.browser.run("location.hash = arguments[0]", f"#/result/{job}")
        self.browser.wait("document.querySelector('main')?.innerText.includes('another manufacturer')")
        text = self.browser.run("return document.querySelector('main').innerText")
        assert "CND4182JQV: The photo shows another manufacturer’s device" in text and "glare" not in text, text

    def strategies(self):
        """A strategy that ran on the photo with its noise smoothed or its shadows removed has a name too."""
        names = self.browser.run(
            "return import('./page/reads.js').then(({strategyOf}) => ['rows', 'text-closer', 'rows-smoothed', 'beside-label-evened'].map(strategyOf))"
        )
        assert names == [
            "Lines of text",
            "Dark text, closer up",
            "Lines of text, noise smoothed",
            "Beside a word such as “Serial”, shadows removed",
        ], names

    def strings(self):
        """Each text is used and defined in every language with the same values; the code contains no other texts."""
        tables = self.browser.run(
            "return Promise.all(['', '.de', '.es'].map((name) => import(`./page/strings${name}.js`))).then((all) => "
            "all.map((one) => one.english ?? one.strings))"
        )
        english = tables[0]
        values = lambda entry: sorted(
            set(re.findall(r"\{(\w+)\}", entry if isinstance(entry, str) else entry["other"]))
        )
        for language, table in zip(("de", "es"), tables[1:]):
            assert list(table) == list(english), (language, set(table) ^ set(english))
            for key, entry in table.items():
                assert values(entry) == values(english[key]), (language, key)
                assert isinstance(entry, str) or {"one", "other"} <= set(entry), (language, key)
        formal = [
            key
            for key, entry in tables[2].items()
            if re.search(r"\b(usted|desplácese|elija|haga|pulse|vuelva a)\b", str(entry), re.I)
        ]
        assert not formal, f"the Spanish texts say tú: {formal}"
        used, prefixes = set(), set()
        for file in sorted(PAGES.glob("*.js")):
            if file.name.startswith(("strings", "docs")):
                continue
            source = re.sub(r"^\s*(//|/\*\*|\*).*$", "", file.read_text(), flags=re.M)
            for name in ("t", "pieces", "worded"):
                for argument in arguments_of(name, source):
                    # `worded` names what it says instead, not a key.
                    used |= set(re.findall(r'"([^"]+)"', argument)) if name != "worded" else set()
                    prefixes |= set(re.findall(r"`([a-z]+\.)\$\{", argument))
            loose = re.findall(r'["`](?:[A-Z][a-z]+ [a-z][^"`]*)["`]|\}, "[A-Z][a-z]+[^"]*"', source)
            assert not loose, (file.name, loose)
        used |= set(re.findall(r'data-(?:text|label)="([^"]+)"', (PAGES / "index.html").read_text()))
        used = {key for key in used if key not in ("", "environment", "queued")}
        assert used <= set(english), f"not defined: {used - set(english)}"
        unused = [key for key in english if key not in used and not any(key.startswith(prefix) for prefix in prefixes)]
        assert not unused, f"not used: {unused}"

    def wrong_links(self):
        """A link to nothing, or cut in the middle of a character, shows why instead of an empty page."""
        for place in ("#/devices/C02%E0%A4", "#/result/none", "#/batches/none"):
            self.reopen(place)
            self.browser.wait(
                "document.querySelector('main [role=alert]')?.textContent.includes('on the server')", place
            )
        # The server has nothing by these names, which the browser logs.
        self.browser.complaints()

    def languages(self):
        """The page uses the browser's language; another can be chosen and is remembered. In each, nothing is cut off
        on a desktop or a phone."""
        agent = self.browser.run("return navigator.userAgent")
        self.browser.devtools("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage="es-MX,es")
        self.reopen("#/scan")
        self.browser.wait(
            "document.documentElement.lang === 'es' && document.querySelector('h1')?.textContent === 'Escanear'"
        )
        self.browser.devtools("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage="fr")
        self.reopen("#/scan")
        self.browser.wait(
            "document.documentElement.lang === 'en' && document.querySelector('h1')?.textContent === 'Scan'"
        )
        for language in ("de", "es", "en"):
            self.browser.run(
                "const chooser = document.querySelector('#language'); chooser.value = arguments[0];"
                "chooser.dispatchEvent(new Event('change'))",
                language,
            )
            self.browser.wait(f"document.documentElement.lang === '{language}'")
            self.reopen("#/scan")
            self.browser.wait(f"document.documentElement.lang === '{language}'", "the choice is remembered")
            for view, ready in (
                ("scan", ".result"),
                ("check", "main .empty, .editor"),
                ("history", "tbody tr"),
                ("numbers", ".figure"),
                ("evaluate", "#dataset"),
                ("keys", "fieldset"),
            ):
                for name, width, height in (("desk", 1440, 900), ("tablet", 820, 1180), ("phone", 360, 740)):
                    if name == "tablet" and view != "history":
                        continue
                    self.browser.size(width, height, is_phone=name == "phone")
                    self.go(view, f"document.querySelector('{ready}')")
                    self.browser.run("document.querySelectorAll('.toast').forEach((one) => one.remove())")
                    self.shown(f"{language}-{name}-{view}")
                    if name == "desk" or view in ("history", "scan"):
                        # A phone shows part of the navigation, which scrolls.
                        self.browser.run("document.querySelector('nav').hidden = arguments[0]", name == "phone")
                        self.uncut(f"{language}-{name}-{view}")
                        self.browser.run("document.querySelector('nav').hidden = false")
            # A photo's page fits a narrow phone, and says in words of this language what each strategy read.
            for photo in ("etched_clean_1.jpg", "round_light.jpg"):
                job = next(
                    job["job_id"] for job in self.server.ask("/jobs?limit=500")["items"] if job["filename"] == photo
                )
                self.browser.size(360, 740, is_phone=True)
                self.reopen(f"#/result/{job}")
                self.browser.wait(
                    "document.querySelectorAll('td progress').length > 2 && document.querySelectorAll('.pictures canvas').length === 2"
                )
                self.browser.run("document.querySelector('nav').hidden = true")
                self.uncut(f"{language}-phone-{photo}")
                told = self.browser.run(
                    "return [...document.querySelectorAll('td:has(progress) + td')].map((one) => one.textContent).join()"
                )
                assert language == "en" or not re.search(r"no serial|lines|codes|label", told), told
                names = self.browser.run(
                    "return [...document.querySelectorAll('tr:has(progress) th')].map((one) => one.textContent)"
                )
                assert not [name for name in names if re.fullmatch(r"[a-z]+(-[a-z]+)*", name)], names
            told = self.browser.run(
                "return import('./page/reads.js').then(({noteOf}) => ['The serial is on page 2.', 'C02XL0THJHCC is on page 3.',"
                "'Another serial number, C02XL0THJHCC, was seen at the upper left: check which belongs to the device.', 'bench 3'].map(noteOf))"
            )
            assert (
                told
                == {
                    "en": [
                        "The serial is on page 2.",
                        "C02XL0THJHCC is on page 3.",
                        "Another serial number, C02XL0THJHCC, was seen at the upper left: check which belongs to the device.",
                        "bench 3",
                    ],
                    "de": [
                        "Die Seriennummer steht auf Seite 2.",
                        "C02XL0THJHCC steht auf Seite 3.",
                        "Eine weitere Seriennummer, C02XL0THJHCC, ist oben links zu sehen: Prüfen Sie, welche zum Gerät gehört.",
                        "bench 3",
                    ],
                    "es": [
                        "El número de serie está en la página 2.",
                        "C02XL0THJHCC está en la página 3.",
                        "Hay otro número de serie arriba a la izquierda, C02XL0THJHCC: comprueba cuál es el del dispositivo.",
                        "bench 3",
                    ],
                }[language]
            ), told
        self.browser.size(1280, 860)
        self.browser.run("localStorage.removeItem('serialscan.language')")

    def touch_targets(self):
        """On a phone, the button that removes a photo is in its row and large enough to touch."""
        self.browser.size(390, 844, is_phone=True)
        self.go("scan", "document.querySelector('.result')")
        boxes = self.browser.run(
            "return [...document.querySelectorAll('.result')].slice(0, 5).map((row) => { const [one, all] = "
            "[row.querySelector('.remove'), row].map((node) => node.getBoundingClientRect()); return [one.width, one.height, "
            "one.top - all.top, all.bottom - one.bottom, all.right - one.right]; })"
        )
        assert all(box[0] >= 44 and box[1] >= 44 and min(box[2:]) >= 0 for box in boxes), boxes
        self.go("history", "document.querySelector('tbody .does button')")
        right = self.browser.run(
            "return Math.max(...[...document.querySelectorAll('.does button')].map((one) => one.getBoundingClientRect().right))"
        )
        assert right <= 390, right
        self.browser.size(1280, 860)

    def history(self):
        """Saved serials are searched by file name, changed, deleted, and exported with the same filter."""
        self.server.ask(
            "/serials",
            {"serial": "C02XL0THJHCC", "confidence": 0.9, "source": "ios", "notes": "<img src=x onerror=alert(1)>"},
        )
        self.go("history", "document.querySelectorAll('tbody tr').length >= 5")
        assert self.browser.run("return document.querySelectorAll('td.notes img').length") == 0, "notes are text"
        self.look("history")
        # Beside an empty column of notes, a file's name keeps its line; the source has a title.
        for item in self.server.ask("/history")["items"]:
            self.server.with_key(
                None, "PATCH", f"/serials/{item['id']}", {"device_type": "Apple Watch", "notes": item["notes"] or ""}
            )
        self.reopen("#/history")
        self.browser.wait("document.querySelectorAll('tbody tr').length >= 5")
        lines = self.browser.run(
            "return [...document.querySelectorAll('td.name a')].map((link) => { const range = document.createRange();"
            "range.selectNodeContents(link); return [link.textContent, range.getClientRects().length]; })"
        )
        assert lines and all(count == 1 for _, count in lines), lines
        assert "Source: Photos" in self.browser.run("return document.querySelector('tbody').innerText")
        self.browser.type("[name=search]", "screen_clean")
        self.browser.wait(
            "document.querySelectorAll('tbody tr').length === 1 && "
            "document.querySelector('main p[role=status]').textContent === '1 serial'"
        )
        self.browser.run(
            "[...document.querySelectorAll('main button')].find((one) => one.textContent === 'Export').click()"
        )
        self.browser.wait("document.querySelector('dialog[open] [value=csv]')")
        self.browser.run(
            "document.querySelector('dialog[open] [value=csv]').click(); document.querySelector('dialog[open] .primary').click()"
        )
        day = time.strftime("%Y-%m-%d", time.gmtime())
        rows = self.downloaded(f"serials-{day}.csv").read_text("utf-8-sig").splitlines()
        assert len(rows) == 2 and "screen_clean_1.jpg" in rows[1], rows
        self.browser.wait("!document.querySelector('dialog[open]')")
        self.browser.click("[aria-label^='Edit ']")
        # A message can be read and reached while a dialog is open, and stays when it closes.
        self.browser.run(
            "return import('./page/dom.js').then(({toast}) => { toast('In front', '', ['Undo', () => {}]); })"
        )
        place = "(() => { const box = document.querySelector('.toast button').getBoundingClientRect(); return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.textContent; })()"
        assert self.browser.run(f"return {place}") == "Undo", "the dialog covers the message"
        self.browser.press(ESCAPE)
        self.browser.wait("!document.querySelector('dialog[open]')")
        # It returns with the event of the dialog's end, which comes after that.
        self.browser.wait(f"{place} === 'Undo'", "the message stays", 2)
        self.browser.click("[aria-label^='Edit ']")
        self.browser.type("dialog[open] textarea", "desk 7")
        self.look("edit")
        self.browser.click("dialog[open] .primary")
        self.browser.wait("document.querySelector('td.notes')?.textContent === 'desk 7'")
        # A deletion is sent once it can no longer be undone or the page is left.
        count = "document.querySelector('main p[role=status]').textContent"
        self.browser.click("[aria-label^='Delete ']")
        self.browser.wait(f"{count} === '0 serials'")
        # The list is loaded again meanwhile, since another page changes the serial.
        loads = "performance.getEntriesByType('resource').filter((one) => one.name.includes('/history?')).length"
        before = self.browser.run(f"return {loads}")
        item = self.server.ask("/history?search=screen_clean")["items"][0]
        self.server.with_key(None, "PATCH", f"/serials/{item['id']}", {"notes": "desk 8"})
        self.browser.wait(f"{loads} > {before}")
        time.sleep(0.5)
        assert self.browser.run(f"return {count}") == "0 serials", "what can still be undone is not counted"
        self.browser.run("[...document.querySelectorAll('.toast button')].at(-1).click()")
        self.browser.wait(f"{count} === '1 serial' && document.querySelectorAll('tbody tr').length === 1")
        self.browser.click("[aria-label^='Delete ']")
        self.browser.wait(f"{count} === '0 serials'")
        self.reopen("#/history?search=screen_clean")
        self.browser.wait(f"document.querySelector('tbody .empty') && {count} === '0 serials'")

    def evaluate(self):
        """A labelled folder is chosen, its evaluation is followed, and failures are shown as pictures."""
        self.go("evaluate", "document.querySelector('#dataset').value === 'few'")
        self.browser.run("document.querySelector('main .primary').click()")
        self.browser.wait("document.querySelector('.failures')", seconds=90)
        text = self.browser.run("return document.querySelector('main').innerText")
        assert "By type of photo" in text and "Failures: 1" in text and "sticker_qr.jpg" in text, text
        self.browser.wait(
            "document.querySelector('.failures img')?.naturalWidth > 0", "the failure is shown as a picture"
        )
        self.look("evaluate")
        # The results fit a narrow phone in each language.
        self.browser.size(360, 740, is_phone=True)
        for language in ("de", "es", "en"):
            self.browser.run("localStorage.setItem('serialscan.language', JSON.stringify(arguments[0]))", language)
            self.reopen("#/evaluate")
            self.browser.wait(
                f"document.documentElement.lang === '{language}' && document.querySelector('#dataset')?.value"
            )
            self.browser.run("document.querySelector('main .primary').click()")
            self.browser.wait("document.querySelector('.failures')", seconds=90)
            self.shown(f"{language}-phone-evaluated")
            self.browser.run("document.querySelector('nav').hidden = true")
            self.uncut(f"{language}-phone-evaluated")
        self.browser.size(1280, 860)
        self.browser.run("localStorage.removeItem('serialscan.language')")

    def no_datasets(self):
        """Without a datasets folder, the page says so in its language, and without marks of code."""
        away = self.server.datasets.rename(self.server.datasets.with_name("away"))
        for language, told in (
            ("de", f"Den Ordner für Datensätze, {self.server.datasets}, gibt es nicht."),
            ("en", f"The datasets folder {self.server.datasets} doesn’t exist."),
        ):
            self.browser.run("localStorage.setItem('serialscan.language', JSON.stringify(arguments[0]))", language)
            self.reopen("#/evaluate")
            self.browser.wait("document.querySelector('main .stack .quiet')")
            text = self.browser.run("return document.querySelector('main').innerText")
            assert told in text and "`" not in text, text
        away.rename(self.server.datasets)
        self.browser.run("localStorage.removeItem('serialscan.language')")
        # Sentences of errors have no marks either.
        told = self.browser.run(
            "return import('./page/api.js').then(({api}) => api.get('/history?limit=none')).catch((error) => error.message)"
        )
        assert "“limit”" in told, told

    def statistics(self):
        """Statistics, and verdicts over time: as a chart with a description, and as a table."""
        self.go(
            "numbers",
            "document.querySelectorAll('.figure').length === 7 && document.querySelectorAll('svg.chart').length > 2",
        )
        told = self.browser.run(
            "return [...document.querySelectorAll('svg.chart')].slice(0, 2).map((one) => one.ariaLabel)"
        )
        # Of the jobs as read, not as corrected by people since.
        counts = [
            len(self.server.ask(f"/jobs?limit=500&verdict={one}")["items"])
            for one in ("accepted", "uncertain", "refused")
        ]
        words = "{} accepted, {} need review, {} without serial".format(*counts).replace(
            "1 need review", "1 needs review"
        )
        assert told == [f"Results in the last 24 hours: {words}", f"Results in the last 14 days: {words}"], told
        self.browser.click("details summary")
        row = self.browser.run(
            "return [...document.querySelectorAll('details tbody tr')][0].innerText.split(/\\s+/).slice(-3)"
        )
        assert row == [str(count) for count in counts], row
        self.look("numbers")
        # All charts have axis labels of about the same size, on each screen.
        for width in (1280, 768, 360):
            self.browser.size(width, 860, is_phone=width == 360)
            heights = self.browser.run(
                "return [...document.querySelectorAll('svg.chart')].map((one) => one.getBoundingClientRect().width / "
                "one.viewBox.baseVal.width * parseFloat(getComputedStyle(one.querySelector('text')).fontSize))"
            )
            assert len(heights) > 2 and min(heights) > 11 and max(heights) < 14.5, (width, heights)
        self.browser.size(1280, 860)
        # A hidden tab asks for nothing.
        self.browser.run("Object.defineProperty(document, 'hidden', {get: () => true, configurable: true})")
        time.sleep(1)
        before = self.server.requests()["/queue/status"]
        time.sleep(4)
        assert self.server.requests()["/queue/status"] == before
        self.browser.run("delete document.hidden")
        self.until("a visible one does", lambda: self.server.requests()["/queue/status"] > before)

    def documentation(self):
        """The API documentation shows each operation of /openapi.json with its bodies and responses."""
        self.browser.open(f"{self.server.address}/docs")
        self.browser.wait("document.querySelector('details')")
        shown = {
            name: (text, color)
            for name, text, color in self.browser.run(
                "return [...document.querySelectorAll('details')].map((one) => [one.id, one.textContent, "
                "getComputedStyle(one.querySelector('.method')).backgroundColor])"
            )
        }
        for path, methods in self.server.ask("/openapi.json")["paths"].items():
            for method, operation in methods.items():
                assert method + path in shown, f"{method} {path} is not shown"
                text, color = shown[method + path]
                bodies = operation.get("requestBody", {}).get("content", {})
                assert all(f"Body: {kind}" in text for kind in bodies), (path, text)
                assert all(status in text for status in operation["responses"]), (path, text)
                assert not re.search(r"\bundefined\b|\[object", text), (path, text)
                assert color != "rgba(0, 0, 0, 0)", f"{method} has no color"
        # For axe-core, what is in closed ones would cover what is shown.
        self.browser.click("[id='post/devices/import'] summary")
        self.browser.run("document.querySelectorAll('details:not([open]) > div').forEach((one) => one.remove())")
        self.look("docs")

    def photo_names(self):
        """A photo with a generic name is titled by its time and has a thumbnail; its row opens it, and deleting it can
        be undone."""
        self.go("scan", "document.querySelector('#file')")
        photo = self.downloads / "image.jpg"
        photo.write_bytes((PICTURES / "etched_clean_2.jpg").read_bytes())
        self.browser.type("#file", str(photo))
        row = "document.querySelector('.result')"
        self.browser.wait(f"{row}.querySelector('.badge.accepted, .badge.confirmed')", seconds=60)
        name = self.browser.run(f"return {row}.querySelector('.name').textContent")
        assert name.startswith("Photo, ") and "image.jpg" not in name, name
        self.browser.wait(f"{row}.querySelector('.thumb img')?.alt === 'Thumbnail of {name}'")
        size = self.browser.run(
            f"const box = {row}.querySelector('.thumb').getBoundingClientRect(); return [box.width, box.height]"
        )
        assert size == [56, 56], size
        before, shown = len(self.jobs()), self.browser.run("return document.querySelectorAll('.result').length")
        self.browser.click(".result .open-thumb")
        self.browser.wait(
            "document.querySelector('dialog.sheet .editor') && document.querySelector('dialog.sheet canvas')"
        )
        self.look("sheet")
        self.browser.size(360, 740, is_phone=True)
        place = self.browser.run(
            "const [title, close] = ['h2', '.close-sheet'].map((one) => document.querySelector(`dialog.sheet ${one}`).getBoundingClientRect());"
            "return [title.width, close.top - title.bottom, close.right]"
        )
        assert place[0] > 200 and place[1] < 0 and place[2] <= 360, f"the title of the sheet has no room: {place}"
        self.browser.size(1280, 860)
        for undone in (True, False):
            if not undone:
                self.browser.click(".result .open-thumb")
            self.browser.click("dialog.sheet .danger")
            self.browser.wait(f"document.querySelectorAll('.result').length === {shown - 1}")
            if undone:
                self.browser.run("[...document.querySelectorAll('.toast button')].at(-1).click()")
                self.browser.wait(f"document.querySelectorAll('.result').length === {shown}")
        assert len(self.jobs()) == before, "it can still be undone"
        # A deletion that is not undone happens at the latest when the page is left.
        self.reopen("#/scan")
        self.until("the photo is deleted", lambda: len(self.jobs()) == before - 1)
        self.browser.wait(f"document.querySelectorAll('.result').length === {shown - 1}")

    def knows(self, text):
        """Whether the server's API description contains a text."""
        with_api = json.dumps(self.server.ask("/openapi.json"))
        if text not in with_api:
            print(f"-- the server has no {text}: not tested", flush=True)
        return text in with_api

    def scanner(self):
        """A hardware scanner types anywhere on the page or into the field: serials are saved, anything else is shown
        for correction."""
        self.go("scan", "document.querySelector('#scanned')")
        saved = lambda: [item["serial"] for item in self.server.ask("/history?source=scanner")["items"]]
        # Text that is not a serial is not sent; for a letter that serials don't contain, the similar digit is
        # suggested.
        self.browser.run("document.activeElement.blur()")
        self.browser.press(*"C02XLOTHJHCC", ENTER)
        self.browser.wait("document.querySelector('#scanned-hint').textContent.includes('Did you mean 0?')")
        assert self.browser.run("return document.querySelector('#scanned').value") == "C02XLOTHJHCC"
        self.look("scanner")
        if not self.knows("scanner"):
            self.browser.run("document.querySelector('#scanned').value = ''")
            return
        assert saved() == [], saved()
        self.browser.click("#scanned-hint button")
        self.browser.wait(
            "document.querySelector('.result .serial')?.textContent === 'C02XL0THJHCC' && document.querySelector('.result').querySelector('.badge.accepted')"
        )
        self.until("it is saved", lambda: saved() == ["C02XL0THJHCC"])
        # Outside a field, with the data identifier `S`; and with a tab at the end.
        self.browser.run("document.querySelector('.result .serial').focus()")
        self.browser.press(*"SFK1CRVYNLFK3", TAB)
        self.browser.wait(
            "document.querySelector('.result .serial').textContent === 'FK1CRVYNLFK3' && document.querySelector('.result').querySelector('.badge')"
        )
        self.browser.type("#scanned", f"VY1G7QMSYS{ENTER}")
        self.browser.wait(
            "document.querySelector('.result .serial').textContent === 'VY1G7QMSYS' && document.querySelector('.result').querySelector('.badge')"
        )
        self.until("both are saved", lambda: saved() == ["VY1G7QMSYS", "FK1CRVYNLFK3", "C02XL0THJHCC"])
        # Keys pressed one by one by a person are not a scanner's input.
        self.browser.run("document.activeElement.blur()")
        for key in "ABCD":
            self.browser.press(key)
            time.sleep(0.15)
        self.browser.press(ENTER)
        time.sleep(0.3)
        assert len(saved()) == 3, saved()

    def scanned_tag(self):
        """A scanned tag is saved for the device read last, which the page names; this can be undone."""
        if not self.knows("/devices/{serial}") or not self.server.ask("/config").get("custom_fields"):
            return
        self.go("scan", "document.querySelector('.target')?.textContent.includes('VY1G7QMSYS')")
        tag = lambda serial: self.server.ask(f"/devices/{serial}")["custom"].get("asset_tag")
        # The server can't store anything at first: the value is sent again.
        self.browser.run(
            "const direct = window.fetch; window.fetch = async (address, options) => { if (options?.method !== 'PATCH') return direct(address, options);"
            "window.fetch = direct; return new Response('{\"error_code\": \"STORAGE_UNAVAILABLE\"}', {status: 503, headers: {'Retry-After': '1'}}); }"
        )
        self.browser.run("document.activeElement.blur()")
        self.browser.press(*"RM-00042", ENTER)
        self.browser.wait(
            "[...document.querySelectorAll('.toast')].some((one) => one.textContent.includes('RM-00042 belongs to VY1G7QMSYS'))"
        )
        self.browser.wait("document.querySelector('.result .value:not(.owed)')?.textContent.includes('RM-00042')")
        self.until("it is saved", lambda: tag("VY1G7QMSYS") == "RM-00042")
        self.look("tagged")
        # A different tag does not replace it silently.
        self.browser.press(*"rm-00043", ENTER)
        self.browser.wait(
            "[...document.querySelectorAll('.toast')].some((one) => one.textContent.includes('already has Asset tag RM-00042'))"
        )
        assert tag("VY1G7QMSYS") == "RM-00042"
        self.browser.run(
            "[...document.querySelectorAll('.toast button')].find((one) => one.textContent.includes('RM-00043')).click()"
        )
        self.until("it is replaced", lambda: tag("VY1G7QMSYS") == "RM-00043")
        # A photo of only a tag assigns it to the previous device, whose row shows it; its own row names the device.
        self.browser.type("#file", str(PICTURES / "etched_clean_3.jpg"))
        self.browser.wait("document.querySelector('.result').querySelector('.badge.accepted')", seconds=60)
        serial = self.browser.run("return document.querySelector('.result .serial').textContent")
        self.browser.run(TAG_PHOTO, "RM-00099")
        self.browser.wait(
            f"document.querySelector('.result .state').textContent.includes('Belongs to {serial}')", seconds=60
        )
        self.until("it is assigned", lambda: tag(serial) == "RM-00099")
        self.browser.wait(
            "document.querySelectorAll('.result')[1].querySelector('.value:not(.owed)')?.textContent.includes('RM-00099')"
        )
        self.look("tag-photo")
        self.browser.click(".result .remove")
        # After a photo without a serial, a tag goes to no device: neither to that photo nor to the device before it.
        self.browser.type("#file", str(PICTURES / "no_serial_1.jpg"))
        self.browser.wait(
            "document.querySelector('.result .badge.refused') && !document.querySelector('.target').checkVisibility()",
            seconds=60,
        )
        # Its sheet offers no fields either.
        self.browser.click(".result .open-thumb")
        self.browser.wait("document.querySelector('dialog.sheet .editor input')")
        fields = self.browser.run(
            "return [...document.querySelectorAll('dialog.sheet label')].filter((one) => one.checkVisibility()).map((one) => one.textContent).join()"
        )
        assert "Asset tag" not in fields and "Grade" not in fields, fields
        self.browser.run("document.querySelector('dialog.sheet').close()")
        self.browser.run("document.activeElement.blur()")
        self.browser.press(*"RM-00098", ENTER)
        self.browser.wait(
            "document.querySelector('#scanned-hint').textContent === 'Asset tag RM-00098: scan its device first'"
        )
        self.browser.run(TAG_PHOTO, "RM-00097")
        self.browser.wait(
            "document.querySelector('.result .state').textContent.includes('No serial was read before it')", seconds=60
        )
        for _ in range(2):
            self.browser.click(".result .remove")
        self.browser.wait(f"document.querySelector('.target').textContent.includes('{serial}')")
        assert tag(serial) == "RM-00099", tag(serial)
        # A field without a pattern is edited in the row's sheet.
        self.browser.click(".result .open-thumb")
        self.browser.wait("document.querySelectorAll('dialog.sheet label input').length >= 2")
        self.look("sheet-fields")
        # Selecting text may end outside the sheet; a tap there closes it.
        x, y = self.browser.run(
            "const input = [...document.querySelectorAll('dialog.sheet label input')].at(-1); input.scrollIntoView({block: 'center'});"
            "const box = input.getBoundingClientRect(); return [box.x + 20, box.y + box.height / 2].map(Math.round)"
        )
        self.browser.draw((x, y), (x - 30, y), (5, y))
        assert self.browser.run("return document.querySelector('dialog.sheet')?.open"), "a selection closes the sheet"
        self.browser.run(
            "const grade = [...document.querySelectorAll('dialog.sheet label')].find((one) => one.textContent.startsWith('Grade')).querySelector('input');"
            "grade.value = 'B'; grade.dispatchEvent(new Event('change'))"
        )
        self.browser.wait("document.querySelector('.result .values').textContent.includes('B')")
        self.browser.draw((5, y), (5, y))
        self.browser.wait("!document.querySelector('dialog.sheet')", "a tap beside the sheet closes it")

    def review(self):
        """Reads of one device are confirmed together; setting aside a photo without a serial can be undone; the end
        shows a summary."""
        if not self.knows("/jobs/{job_id}/review"):
            return
        for job in self.server.ask("/jobs?limit=500")["items"]:
            if job["verdict"] in ("uncertain", "refused") and not job["confirmed_serial"]:
                self.server.delete(f"/jobs/{job['job_id']}")
        twice = [self.server.photo(PICTURES / "round_light.jpg", mark) for mark in (b"one", b"two")]
        none = self.server.photo(PICTURES / "no_serial_2.jpg", b"three")
        self.reopen("#/check")
        self.browser.wait(
            "document.querySelectorAll('.members .film button').length === 2 && document.querySelector('.pictures canvas')"
        )
        self.browser.wait("document.querySelectorAll('.members .thumb img').length === 2")
        self.look("review")
        self.browser.press(ENTER)
        self.browser.wait("document.querySelector('.finished')")
        self.until(
            "both are confirmed", lambda: all(self.server.ask(f"/result/{job}")["confirmed_serial"] for job in twice)
        )
        self.browser.run("[...document.querySelectorAll('.segments button')][1].click()")
        self.browser.wait("document.querySelector('[data-decision=noSerial]')")
        self.browser.press_with(ALT, "n")
        self.browser.wait("document.querySelector('.finished')?.innerText.includes('2 confirmed · 1 without serial')")
        reviewed = lambda: [job["review"] for job in self.server.ask("/jobs?verdict=refused&reviewed=true")["items"]]
        self.until("it is set aside", lambda: reviewed() == ["no_serial"])
        self.look("review-end")
        self.browser.press_with(ALT, "z")
        self.browser.wait("document.querySelector('[data-decision=noSerial]')")
        self.until("it is back", lambda: reviewed() == [])
        # To be retaken later: it is in a separate list, from which it can be returned.
        self.browser.press_with(ALT, "r")
        self.browser.wait("document.querySelector('dialog.sheet')")
        self.look("retake")
        self.browser.run(
            "[...document.querySelectorAll('dialog.sheet button')].find((one) => one.textContent === 'Later').click()"
        )
        self.browser.wait("document.querySelector('.finished')")
        self.browser.run("[...document.querySelectorAll('.segments button')][2].click()")
        self.browser.wait("document.querySelector('[data-decision=retake]')")
        # The event of the mark, heard in the other list, takes nothing out of this one.
        time.sleep(2)
        assert self.browser.run("return document.querySelector('[data-decision=retake]') !== null")
        # Retaken now (here from a file): a photo without a serial replaces nothing, one with a serial the old photo.
        before = self.jobs("job_id")
        self.retake("no_serial_2.jpg")
        new = self.until("it is sent", lambda: [job for job in self.jobs("job_id") if job not in before])[0]
        self.browser.wait(
            f"import('./page/uploads.js').then((uploads) => uploads.items.find((item) => item.job === '{new}')?.state === 'done')",
            seconds=60,
        )
        assert none in self.jobs("job_id"), "the old photo was deleted"
        self.server.delete(f"/jobs/{new}")
        self.reopen("#/check")
        self.browser.wait("document.querySelector('.finished')")
        self.browser.run("[...document.querySelectorAll('.segments button')][2].click()")
        self.browser.wait("document.querySelector('[data-decision=retake]')")
        self.retake("etched_clean_3.jpg")
        self.until("the old photo is deleted", lambda: none not in self.jobs("job_id"), 30)
        assert self.jobs()[0] == "etched_clean_3.jpg", self.jobs()[0]
        # Deleted, and restored.
        last = self.server.photo(PICTURES / "no_serial_3.jpg", b"four")
        self.reopen("#/check")
        self.browser.wait("document.querySelector('.finished')")
        self.browser.run("[...document.querySelectorAll('.segments button')][1].click()")
        self.browser.wait("document.querySelector('[data-decision=remove]')")
        self.browser.press_with(ALT, "x")
        self.browser.wait("document.querySelector('.finished')")
        self.browser.press_with(ALT, "z")
        self.browser.wait("document.querySelector('[data-decision=remove]')")
        assert last in self.jobs("job_id")

    def hasty_review(self):
        """Keys that are pressed before the next device is shown decide about neither device, and the summary is right."""
        for job in self.server.ask("/jobs?limit=500")["items"]:
            if job["verdict"] in ("uncertain", "refused") and not job["confirmed_serial"]:
                self.server.delete(f"/jobs/{job['job_id']}")
        both = [self.server.photo(PICTURES / name, b"hasty") for name in ("round_light.jpg", "hardware_values.jpg")]
        self.reopen("#/check")
        field = "document.activeElement?.matches('.editor input') && document.activeElement.value"
        first = self.browser.wait(field)
        self.browser.wait(
            "new Set(performance.getEntriesByType('resource').map(({name}) => name).filter((name) => name.endsWith('/photo'))).size === 2",
            "the next photo is loaded meanwhile",
        )
        self.browser.run(
            "window.direct = window.fetch; window.fetch = async (address, options) => {"
            "if (/[/](result[/][^/]+|review)$/.test(address)) await new Promise((resolve) => setTimeout(resolve, 1000));"
            "return window.direct(address, options); }"
        )
        self.browser.press(ENTER)
        self.browser.wait(
            "[...document.querySelectorAll('.toast')].some((one) => one.textContent.includes('Confirmed'))"
        )
        self.browser.press(ENTER)
        self.browser.press_with(ALT, "n")
        self.browser.wait(f"({field}) && document.activeElement.value !== '{first}'", "the next device is shown")
        decided = [self.server.ask(f"/result/{job}") for job in both]
        assert sorted((one["confirmed_serial"] is not None, one["review"]) for one in decided) == [
            (False, None),
            (True, None),
        ], decided
        for _ in range(2):
            self.browser.press_with(ALT, "n")
        self.browser.wait("document.querySelector('.finished')")
        summary = self.browser.run("return document.querySelector('.finished').innerText")
        assert "1 confirmed · 1 without serial" in summary, summary
        assert self.browser.run("return document.querySelectorAll('.toast').length") == 2, "a decision was sent twice"

    def retake(self, name):
        """Takes the shown photo again, from a file."""
        self.browser.press_with(ALT, "r")
        self.browser.wait("document.querySelector('dialog.sheet input[type=file]')")
        self.browser.type("dialog.sheet input[type=file]", str(PICTURES / name))
        self.browser.wait("document.querySelector('.finished')")

    def deletions(self):
        """Deletions reach the server although the page closes while they can still be undone, or the server is away."""
        remove = "return import('./page/removal.js').then(({removeSoon}) => { removeSoon({paths: arguments[0]}, 'Deleted', () => {}); })"
        closed = [
            self.server.photo(PICTURES / "no_serial_4.jpg", mark) for mark in (b"closed 1", b"closed 2", b"closed 3")
        ]
        self.reopen("#/scan")
        self.browser.wait("document.querySelector('#file')")
        self.browser.run(remove, [f"/jobs/{job}" for job in closed])
        self.reopen("#/scan")
        self.until("all of them are deleted", lambda: not set(closed) & set(self.jobs("job_id")), 5)
        away = self.server.photo(PICTURES / "no_serial_4.jpg", b"away")
        self.browser.wait("document.querySelector('#file')")
        self.server.kill()
        self.browser.run(remove, [f"/jobs/{away}"])
        # Further messages end it.
        self.browser.run(
            "return import('./page/dom.js').then(({toast}) => { for (let n = 0; n < 3; n++) toast(`${n}`); })"
        )
        self.browser.wait("!document.querySelector('#offline').hidden")
        self.server.start()
        self.until("it is deleted once the server is back", lambda: away not in self.jobs("job_id"), 20)

    def outage(self):
        """The server stops during use: views say so, and the photo is sent again under its key and read once."""
        self.reopen("#/scan")
        self.browser.wait("document.querySelector('#file')")
        before = len(self.jobs())
        self.server.kill()
        self.browser.type("#file", str(PICTURES / "etched_clean_2.jpg"))
        self.browser.wait("!document.querySelector('#offline').hidden")
        self.browser.wait("document.querySelector('.result .state').textContent.includes('Retrying in')")
        # A view that was not opened before can't be loaded now.
        self.browser.click("nav [href='#/numbers']")
        refused = "document.querySelector('main [role=alert]')?.textContent.includes('the server can’t be reached')"
        self.browser.wait(refused)
        # One that was can be shown, so that photos can be taken meanwhile.
        self.browser.click("nav [href='#/scan']")
        self.browser.wait(
            "document.querySelector('#file') && document.querySelector('.result .state').textContent.includes('Retrying in')"
        )
        self.browser.click("nav [href='#/numbers']")
        self.browser.wait(refused)
        self.browser.run("dispatchEvent(new Event('online'))")
        time.sleep(1)
        assert "Connected again" not in self.browser.run("return document.querySelector('#toasts').textContent"), (
            "it is not"
        )
        self.server.start()
        self.browser.wait("document.querySelector('#toasts').textContent.includes('Connected again')")
        self.browser.wait("document.querySelector('.figure')", "the view is shown once the server is back")
        self.browser.click("nav [href='#/scan']")
        self.browser.wait("document.querySelector('.result .serial')?.textContent === 'FK1CRVYNLFK3'", seconds=60)
        assert self.browser.run("return document.querySelector('#offline').hidden")
        assert len(self.jobs()) == before + 1

    def offline_page(self):
        """While the server is unreachable, its URL shows a page that says so in the chosen language."""
        self.browser.run(
            "const chooser = document.querySelector('#language'); chooser.value = 'de'; chooser.dispatchEvent(new Event('change'))"
        )
        self.browser.wait("document.documentElement.lang === 'de' && navigator.serviceWorker.controller")
        self.browser.wait(
            "caches.match('./page/away').then(async (page) => page && (await page.text()).includes('lang=\"de\"'))"
        )
        self.server.kill()
        self.reopen("#/scan")
        self.browser.wait("document.querySelector('h1')?.textContent === 'SerialScan ist nicht erreichbar'")
        self.server.start()
        self.browser.click("a.button")
        self.browser.wait("document.querySelector('#file')")
        self.browser.run("localStorage.removeItem('serialscan.language')")
        self.reopen("#/scan")
        self.browser.wait("document.documentElement.lang === 'en' && document.querySelector('#file')")

    def gateway_error(self):
        """A proxy's error response does not count as a connection; the page says so until the server itself
        responds."""
        # A response to the check of the page that was just opened would still count as a connection.
        self.browser.wait("performance.getEntriesByType('resource').some((one) => one.name.endsWith('/health'))")
        self.browser.run(
            "window.direct = window.fetch; window.fetch = async () => new Response('<h1>Bad Gateway</h1>', {status: 502})"
        )
        told = self.browser.run(
            "return import('./page/api.js').then(({api}) => api.get('/config')).then(String, (error) => error.message)"
        )
        assert told == "The server can’t be reached.", told
        assert not self.browser.run("return document.querySelector('#offline').hidden")
        self.browser.run(
            "document.querySelectorAll('.toast').forEach((one) => one.remove()); dispatchEvent(new Event('online'))"
        )
        time.sleep(0.5)
        assert self.browser.run("return document.querySelectorAll('.toast').length") == 0, "not connected yet"
        self.browser.run("window.fetch = window.direct")
        self.browser.wait("document.querySelector('.toast')?.textContent === 'Connected again'")
        assert self.browser.run("return document.querySelector('#offline').hidden")

    def phone(self):
        """On a phone in portrait, no view is wider than the screen."""
        self.browser.size(390, 844, is_phone=True)
        for view, ready in (
            ("scan", "#file"),
            ("check", "main .empty, .editor"),
            ("history", "tbody tr"),
            ("numbers", ".figure"),
            ("evaluate", "#dataset"),
            ("keys", "fieldset"),
        ):
            self.go(view, f"document.querySelector('{ready}')")
            self.look(f"phone-{view}")
        # The navigation shows that it continues; Tab reaches each view's link, and scrolls it out of the faded edge.
        self.browser.size(360, 740, is_phone=True)
        self.reopen("#/scan")
        self.browser.wait("document.querySelector('nav.moreAfter:not(.moreBefore)')", "there is more to the right")
        signs = (
            "const top = document.querySelector('.top'); return ['::before', '::after'].map((one) => "
            "getComputedStyle(top, one).content.replace(/[^‹›]/g, ''))"
        )
        assert self.browser.run(signs) == ["", "›"], self.browser.run(signs)
        assert self.browser.run("return getComputedStyle(document.querySelector('nav')).maskImage") != "none"
        self.browser.run("document.querySelector('.brand').focus()")
        views = self.browser.run("return [...document.querySelectorAll('nav a:not([hidden])')].map((one) => one.hash)")
        for place in views:
            self.browser.press(TAB)
            self.browser.wait(
                f"document.activeElement.hash === '{place}' && (() => {{ const [link, nav] = [document.activeElement, "
                "document.activeElement.parentNode].map((one) => one.getBoundingClientRect());"
                "return link.left >= nav.left - 1 && link.right <= nav.right + 1; })()",
                f"{place} is in sight",
            )
        self.browser.wait("document.querySelector('nav.moreBefore:not(.moreAfter)')", "the last link is in sight")
        assert self.browser.run(signs) == ["‹", ""], self.browser.run(signs)
        self.browser.size(1280, 860)

    def keys(self):
        """After the first key is created, the server requires keys; the page continues with it, other browsers ask for
        one, and the QR code contains it."""
        self.go("keys", "document.querySelector('fieldset')")
        self.browser.type("main form input", "boss")
        self.browser.run("document.querySelector('main form .primary').click()")
        self.browser.wait("document.querySelector('svg.qr')")
        assert self.browser.run("return document.querySelector('main .note code').textContent") == (
            f"localhost:{self.server.port}"
        ), "a phone can't sign in by this code"
        self.look("keys")
        gap = self.browser.run(
            "return document.querySelector('main .scroll').getBoundingClientRect().top - document.querySelector('main form').getBoundingClientRect().bottom"
        )
        assert gap > 8, gap
        key = self.boss = self.browser.run("return document.querySelector('#newKey').textContent")
        self.browser.wait("document.querySelectorAll('tbody tr').length === 1")
        # On a phone, a key is a card: nothing is cut off.
        self.browser.size(360, 740, is_phone=True)
        self.browser.run("document.querySelector('nav').hidden = true")
        self.look("phone-keys-made")
        self.uncut("phone-keys-made")
        self.browser.run("document.querySelector('nav').hidden = false")
        self.browser.size(1280, 860)
        self.browser.run("window.confirm = () => true")
        self.browser.click("[aria-label='Revoke boss']")
        self.browser.wait("document.querySelector('.toast.bad')?.textContent.startsWith('This is the last admin key.')")
        # Another key with only the scope `scan`, and its revocation.
        self.browser.type("main form input", "bench")
        self.browser.run("document.querySelector('main form .primary').click()")
        self.browser.wait("document.querySelectorAll('tbody tr').length === 2")
        assert self.browser.run("return document.querySelector('#newKey').textContent") != key
        self.browser.click("[aria-label='Revoke bench']")
        self.browser.wait(
            "[...document.querySelectorAll('tbody tr')].some((row) => row.innerText.startsWith('bench') && "
            "/\\bscan\\b/.test(row.innerText) && !row.innerText.includes('admin') && row.innerText.includes('Revoked'))"
        )
        self.browser.run("sessionStorage.clear()")
        self.reopen("#/history")
        self.browser.wait("document.querySelector('#keyDialog').open")
        self.look("key-asked")
        self.browser.type("#keyText", key)
        self.browser.click("#keyDialog .primary")
        self.browser.wait("document.querySelectorAll('tbody tr').length > 0")
        # As opened by a phone's camera: the key moves from the URL into the session storage.
        self.browser.run("sessionStorage.clear()")
        self.reopen(f"#key={key}")
        self.browser.wait(f"location.hash === '#/scan' && sessionStorage.getItem('serialscan.key') === '{key}'")
        # It is stored on the device only if the user agrees.
        assert self.browser.run("return localStorage.getItem('serialscan.key')") is None
        self.browser.click("#stay button")
        assert self.browser.run("return localStorage.getItem('serialscan.key')") == key
        self.browser.click("#signOut")
        self.browser.wait("document.querySelector('#keyDialog').open")
        assert (
            self.browser.run(
                "return localStorage.getItem('serialscan.key') ?? sessionStorage.getItem('serialscan.key')"
            )
            is None
        )

    def limited_key(self):
        """With a key of only the scope `scan`, only the matching views are shown; a remembered key outlives the tab."""
        key = self.server.make_key("scanner", ["scan"], self.boss)
        self.reopen("#/history")
        self.browser.wait("document.querySelector('#keyDialog').open")
        self.browser.type("#keyText", key)
        self.browser.click("#keyRemember")
        self.browser.click("#keyDialog .primary")
        self.browser.wait(
            "[...document.querySelectorAll('nav a')].filter((one) => one.checkVisibility())"
            ".map((one) => one.textContent).filter((name) => name !== 'Live').join() === 'Scan,Review,Devices,Batches'"
        )
        assert self.browser.run(
            "return [sessionStorage, localStorage].map((one) => one.getItem('serialscan.key'))"
        ) == [None, key]
        self.browser.run("sessionStorage.clear()")
        self.reopen("#/scan")
        self.browser.wait("document.querySelector('#file') && !document.querySelector('#keyDialog').open")
        self.browser.type("#file", str(PICTURES / "etched_clean_1.jpg"))
        self.browser.wait("document.querySelector('.result .badge.accepted')", seconds=60)
        self.go(
            "history", "document.querySelectorAll('tbody tr').length === 1 && document.querySelector('tbody .serial')"
        )
        assert not self.browser.run(
            "return [...document.querySelectorAll('main button')].filter((one) => "
            "/Export|Import|Edit|Delete|Download/.test(one.textContent)).length"
        ), "what the key does not permit"
        self.look("limited")

    def other_peoples_photos(self):
        """With a key of the scopes `scan` and `read`, other people's photos are shown without the decisions that the
        server would refuse, and Review lists only photos that the user may decide about."""
        self.browser.run("localStorage.clear()")
        others = [
            self.server.photo(PICTURES / name, b"others", self.boss) for name in ("round_light.jpg", "no_serial_1.jpg")
        ]
        self.reopen(f"#key={self.server.make_key('desk', ['scan', 'read'], self.boss)}")
        self.browser.wait("document.querySelector('#file') && !document.querySelector('#signOut').hidden")
        self.go("check", "document.querySelector('.finished')")
        self.browser.click("main .segments button:nth-child(2)")
        self.browser.wait(
            "document.querySelector('main .segments button:nth-child(2)').ariaPressed === 'true' && document.querySelector('.finished')"
        )
        self.reopen(f"#/result/{others[0]}")
        self.browser.wait("document.querySelector('.pictures canvas')")
        assert not self.browser.run("return document.querySelectorAll('main form, main .danger').length")
        self.go("scan", "document.querySelector('#file')")
        self.browser.type("#file", str(PICTURES / "no_serial_2.jpg"))
        first = ".result:first-child"
        self.browser.wait(
            f"document.querySelector('{first} .name').textContent === 'no_serial_2.jpg' && document.querySelector('{first} .badge.refused')",
            seconds=60,
        )
        self.browser.click(f"{first} .why")
        self.browser.wait("document.querySelector('main form') && document.querySelector('main .danger')")
        self.go("check", "document.querySelector('.finished')")
        self.browser.click("main .segments button:nth-child(2)")
        self.browser.wait("document.querySelector('.review h2')?.textContent === 'no_serial_2.jpg'")

    def revoked_key(self):
        """If the key is revoked, the page asks for another one, once; unsent photos wait and are sent with
        the next key, each once."""
        self.browser.run("localStorage.clear()")
        self.reopen(f"#key={self.server.make_key('first', ['scan'], self.boss)}")
        self.browser.wait("document.querySelector('#file') && !document.querySelector('#signOut').hidden")
        jobs = lambda: [job["filename"] for job in self.server.with_key(self.boss, "GET", "/jobs?limit=500")["items"]]
        before = len(jobs())
        self.server.revoke_key("first", self.boss)
        self.browser.type("#file", "\n".join(str(PICTURES / name) for name in EIGHT))
        dialog = "document.querySelector('#keyDialog').open"
        self.browser.wait(dialog)
        self.browser.press(ESCAPE)
        self.browser.wait(f"!{dialog}")
        time.sleep(3)
        assert not self.browser.run(f"return {dialog}"), "the page asks again though nobody did anything"
        states = self.browser.run(
            "return import('./page/uploads.js').then((uploads) => uploads.items.slice(-8).map((item) => item.state))"
        )
        assert states == ["waiting"] * 8, states
        again = "[...document.querySelectorAll('.again')].find((one) => one.checkVisibility())"
        assert "revoked" in self.browser.run(f"return {again}.closest('.result').querySelector('.state').textContent")
        self.browser.run(f"{again}.click()")
        self.browser.wait(dialog)
        self.browser.type("#keyText", self.server.make_key("second", ["scan"], self.boss))
        self.browser.click("#keyDialog .primary")
        self.browser.wait(
            "import('./page/uploads.js').then((uploads) => uploads.items.slice(-8).every((item) => item.state === 'done'))",
            "all are sent",
            90,
        )
        new = jobs()[: len(jobs()) - before]
        assert sorted(new) == sorted(EIGHT), new


def main():
    with command(__doc__) as (arguments, folder, downloads):
        # Custom fields, if the program has the setting.
        has_fields = (
            "fields.custom"
            in subprocess.run([arguments.program, "config"], capture_output=True, text=True, check=True).stdout
        )
        server = Server(arguments.program, folder, *([r"fields.custom=asset_tag=RM-\d{5} grade"] if has_fields else []))
        browser = None
        try:
            browser = Browser(f"--user-data-dir={folder}/profile", downloads=downloads)
            browser.size(1280, 860)
            test = PageTest(browser, server, downloads, arguments.pictures)
            for step in (
                test.upload,
                test.notes,
                test.doubts,
                test.strategies,
                test.strings,
                test.preloading,
                test.many,
                test.photo_details,
                test.correct,
                test.live_list,
                test.removing_by_keyboard,
                test.undo,
                test.history,
                test.evaluate,
                test.statistics,
                test.documentation,
                test.phone,
                test.touch_targets,
                test.languages,
                test.reload,
                test.tabs,
                test.tab_crash,
                test.unsaved_photos,
                test.photo_names,
                test.scanner,
                test.scanned_tag,
                test.full_disk,
                test.removed_while_retrying,
                test.countdown,
                test.review,
                test.hasty_review,
                test.other_maker,
            ):
                test.take(step)
            # Deletions that a closed page began are repeated by the next one, since it does not know whether they arrived.
            complaints = [
                line for line in browser.complaints() if not re.search(r"/(jobs|serials)/[\w-]+ - .* 404 ", line)
            ]
            assert not complaints, f"the console: {complaints}"
            # From here on the server is deliberately unreachable or rejects requests, which the console logs.
            for step in (
                test.wrong_links,
                test.no_datasets,
                test.unreadable_file,
                test.deletions,
                test.outage,
                test.offline_page,
                test.gateway_error,
                test.keys,
                test.limited_key,
                test.other_peoples_photos,
                test.revoked_key,
            ):
                test.take(step)
            refused = [line for line in browser.complaints() if "Content Security Policy" in line]
            assert not refused, f"the console: {refused}"
        finally:
            if browser:
                browser.close()
            server.kill()


if __name__ == "__main__":
    try:
        main()
    except (AssertionError, RuntimeError) as failure:
        sys.exit(f"failed: {failure}")
