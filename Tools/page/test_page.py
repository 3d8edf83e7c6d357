#!/usr/bin/env python3
"""Drives the page in a headless Chromium against a real server, as people do.

usage: Tools/page/test_page.py PROGRAM [--pictures FOLDER]

PROGRAM is the built serialscan. Needs Debian's chromium and chromium-driver. Where `AXE` names axe-core's axe.min.js, every
view is checked with it, light and dark. With --pictures a screenshot of each view is left there, to be looked at.
"""

import argparse
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from driven_page import DrivenPage
from page_server import PICTURES, Server
from webdriver import Browser

ARROW_UP, ENTER = "\ue013", "\ue007"


class Test(DrivenPage):
    """One browser and one server, through all views in the order of a day's work."""

    def upload(self):
        """Many photos at once: their way is shown, and each ends with its verdict."""
        self.go("scan", "document.querySelector('#file')")
        names = ["etched_clean_1.jpg", "screen_clean_1.jpg", "sticker_qr.jpg", "etched_medium_1.jpg", "no_serial_1.jpg",
                 "format_heic.heic"]
        self.browser.run(
            "window.steps = new Set(); new MutationObserver(() => document.querySelectorAll('.result .state').forEach("
            "(state) => window.steps.add(state.textContent))).observe(document.querySelector('.results'), "
            "{subtree: true, childList: true, characterData: true})")
        self.browser.type("#file", "\n".join(str(PICTURES / name) for name in names))
        self.browser.wait("document.querySelectorAll('.result .badge:not(.waiting)').length === 6", "all are read", 90)
        steps = self.browser.run("return [...window.steps]")
        assert any("Sending" in step for step in steps) and len(steps) > 5, steps
        text = self.browser.run("return document.querySelector('.results').innerText")
        assert "G0NKP62BLGMZ" in text and all(name in text for name in names), text
        assert "4 right, 1 to check, 1 without" in self.browser.run("return document.querySelector('.tally').textContent")
        # The keyboard alone: Enter copies the top serial, arrows move from serial to serial.
        self.browser.run("document.activeElement.blur()")
        self.browser.press(ENTER)
        self.browser.wait("document.querySelector('.toast')?.textContent === "
                          "`Copied ${document.querySelector('.serial:not([hidden])').textContent}`")
        self.browser.run("const all = document.querySelectorAll('.serial:not([hidden])'); all[all.length - 1].focus()")
        self.browser.press(ARROW_UP)
        focused = self.browser.run("return document.activeElement.className")
        assert focused == "serial", focused
        self.browser.press(ENTER)
        self.browser.wait("[...document.querySelectorAll('.toast')].at(-1).textContent === "
                          "`Copied ${document.activeElement.textContent}`")
        self.look("scan")

    def many(self):
        """A list of a thousand stays quick: it is shown and scrolled within a moment."""
        self.browser.run(
            "const kept = Array.from({length: 1000}, (_, index) => ({name: `photo ${index} <b>.jpg`, job: null, "
            "serial: 'C02XL0THJHCC', confidence: 0.99, verdict: 'accepted', state: 'done'}));"
            "window.kept = sessionStorage.getItem('serialscan.items');"
            "sessionStorage.setItem('serialscan.items', JSON.stringify(kept))")
        kept = self.browser.run("return window.kept")
        self.browser.open(f"{self.server.address}/?many#/scan")
        self.browser.wait("document.querySelectorAll('.result').length === 1000")
        assert self.browser.run("return document.querySelectorAll('.result b').length") == 0, "names are text"
        self.browser.run("sessionStorage.setItem('serialscan.items', arguments[0])", kept)

    def why(self):
        """The detail of a photo: the serial enlarged, where it stands, and what was tried."""
        # What is scrolled away is not drawn, and has no inner text.
        row = "[...document.querySelectorAll('.result')].find((row) => row.textContent.includes('etched_clean'))"
        self.go("scan", f"{row}?.querySelector('.why:not([hidden])')")
        self.browser.run(f"{row}.querySelector('.why').click()")
        self.browser.wait("document.querySelectorAll('.pictures canvas').length === 2")
        text = self.browser.run("return document.querySelector('main').innerText")
        assert "G0NKP62BLGMZ" in text and "Confidence" in text and "What was tried" in text, text
        self.look("detail")
        # What this browser can't decode is shown as the server draws it, and enlarged all the same.
        row = row.replace("etched_clean", "format_heic")
        self.go("scan", f"{row}?.querySelector('.why:not([hidden])')")
        self.browser.run(f"{row}.querySelector('.why').click()")
        self.browser.wait("document.querySelector('h1').textContent === 'format_heic.heic' && "
                          "document.querySelectorAll('.pictures canvas').length === 2")

    def correct(self):
        """A doubtful read: the grammar is told while typing, the word is saved, the queue empties."""
        self.go("check", "document.querySelector('.editor input') && document.querySelector('.pictures canvas')")
        self.look("check")
        read = self.browser.run("return document.querySelector('.editor input').value")
        typed = f"{read[:-1]}O"
        self.browser.type(".editor input", typed, clear=True)
        hint = self.browser.run("return document.querySelector('.editor .hint').textContent")
        assert "O is never used: 0?" in hint, hint
        self.browser.run("document.querySelector('.editor .hint button').click()")
        corrected = self.browser.run("return document.querySelector('.editor input').value")
        assert corrected == f"{read[:-1]}0", corrected
        self.browser.type(".editor input", ENTER)
        self.browser.wait("document.querySelector('.empty')?.innerText.includes('Nothing to check')")
        jobs = self.server.ask("/jobs?verdict=uncertain")["items"]
        assert [job["confirmed_serial"] for job in jobs] == [corrected], jobs
        self.browser.click(".spread button")
        with tarfile.open(self.downloaded("confirmed-pictures.tar")) as archive:
            labels = archive.extractfile("confirmed/labels.csv").read().decode()
        assert f",{corrected}," in labels, labels

    def history(self):
        """Saved serials: searched by file name, changed, deleted, exported with the same filter."""
        self.server.ask("/serials", {"serial": "C02XL0THJHCC", "confidence": 0.9, "source": "ios",
                                     "notes": "<img src=x onerror=alert(1)>"})
        self.go("history", "document.querySelectorAll('tbody tr').length >= 5")
        assert self.browser.run("return document.querySelectorAll('td.notes img').length") == 0, "notes are text"
        self.look("history")
        self.browser.type("[name=search]", "screen_clean")
        self.browser.wait("document.querySelectorAll('tbody tr').length === 1 && "
                          "document.querySelector('main p[role=status]').textContent === '1 serial'")
        self.browser.run("[...document.querySelectorAll('main button')].find((one) => one.textContent === 'CSV').click()")
        day = time.strftime("%Y-%m-%d", time.gmtime())
        rows = self.downloaded(f"serials-{day}.csv").read_text("utf-8-sig").splitlines()
        assert len(rows) == 2 and "screen_clean_1.jpg" in rows[1], rows
        self.browser.click("[aria-label^='Edit ']")
        self.browser.type("dialog textarea", "desk 7")
        self.look("edit")
        self.browser.click("dialog .primary")
        self.browser.wait("document.querySelector('td.notes')?.textContent === 'desk 7'")
        self.browser.run("window.confirm = () => true")
        self.browser.click("[aria-label^='Delete ']")
        self.browser.wait("document.querySelector('main p[role=status]').textContent === '0 serials'")

    def evaluate(self):
        """A labelled folder: chosen, watched, and what failed is shown as pictures."""
        self.go("evaluate", "document.querySelector('#dataset').value === 'few'")
        self.browser.run("document.querySelector('main .primary').click()")
        self.browser.wait("document.querySelector('.failures')", seconds=90)
        text = self.browser.run("return document.querySelector('main').innerText")
        assert "By preset" in text and "Failures: 1" in text and "sticker_qr.jpg" in text, text
        self.browser.wait("document.querySelector('.failures img')?.naturalWidth > 0", "the failure is shown as a picture")
        self.look("evaluate")

    def numbers(self):
        """Figures, and verdicts over time: as a picture with a description, and as a table."""
        self.go("numbers", "document.querySelectorAll('.figure').length === 6 && document.querySelectorAll('svg.chart').length > 2")
        told = self.browser.run("return [...document.querySelectorAll('svg.chart')].slice(0, 2).map((one) => one.ariaLabel)")
        # Of the jobs, not of what a person made of them since.
        counts = [len(self.server.ask(f"/jobs?limit=500&verdict={one}")["items"]) for one in ("accepted", "uncertain", "refused")]
        words = "{} right, {} not sure, {} nothing read".format(*counts)
        assert told == [f"Verdicts in the last 24 hours: {words}", f"Verdicts in the last 14 days: {words}"], told
        self.browser.click("details summary")
        row = self.browser.run("return [...document.querySelectorAll('details tbody tr')][0].innerText.split(/\\s+/).slice(-3)")
        assert row == [str(count) for count in counts], row
        self.look("numbers")

    def outage(self):
        """A server that goes away in the middle: the photo is sent again under its key, and read once."""
        self.go("scan", "document.querySelector('#file')")
        before = len(self.server.ask("/jobs?limit=500")["items"])
        self.server.kill()
        self.browser.type("#file", str(PICTURES / "etched_clean_2.jpg"))
        self.browser.wait("!document.querySelector('#offline').hidden")
        self.browser.wait("document.querySelector('.result .state').textContent.includes('Tried again')")
        self.server.start()
        self.browser.wait("document.querySelector('.result .serial').textContent === 'FK1CRVYNLFK3'", seconds=60)
        assert self.browser.run("return document.querySelector('#offline').hidden")
        assert len(self.server.ask("/jobs?limit=500")["items"]) == before + 1

    def phone(self):
        """Every view upright on a phone: nothing is wider than it."""
        self.browser.size(390, 844, is_phone=True)
        for view, ready in (("scan", "#file"), ("check", "main .empty, .editor"), ("history", "tbody tr"),
                            ("numbers", ".figure"), ("evaluate", "#dataset"), ("keys", "fieldset")):
            self.go(view, f"document.querySelector('{ready}')")
            self.look(f"phone-{view}")
        self.browser.size(1280, 860)

    def keys(self):
        """The first key closes the server; the page goes on with it, asks for one elsewhere, and the QR code carries it."""
        self.go("keys", "document.querySelector('fieldset')")
        self.browser.type("main form input", "boss")
        self.browser.run("document.querySelector('main form .primary').click()")
        self.browser.wait("document.querySelector('svg.qr')")
        self.look("keys")
        key = self.browser.run("return document.querySelector('#newKey').textContent")
        self.browser.wait("document.querySelectorAll('tbody tr').length === 1")
        # Another one, that may only send photos, and its end.
        self.browser.type("main form input", "bench")
        self.browser.run("document.querySelector('main form .primary').click(); window.confirm = () => true")
        self.browser.wait("document.querySelectorAll('tbody tr').length === 2")
        assert self.browser.run("return document.querySelector('#newKey').textContent") != key
        self.browser.click("[aria-label='Revoke bench']")
        self.browser.wait("[...document.querySelectorAll('tbody tr')].some((row) => row.innerText.startsWith('bench') && "
                          "/\\bscan\\b/.test(row.innerText) && !row.innerText.includes('admin') && row.innerText.includes('revoked'))")
        self.browser.run("sessionStorage.clear()")
        self.browser.open(f"{self.server.address}/?again#/history")
        self.browser.wait("document.querySelector('#keyDialog').open")
        self.look("key-asked")
        self.browser.type("#keyText", key)
        self.browser.click("#keyDialog .primary")
        self.browser.wait("document.querySelectorAll('tbody tr').length > 0")
        # As a phone's camera opens it: the key goes from the address into the session.
        self.browser.run("sessionStorage.clear()")
        self.browser.open(f"{self.server.address}/?phone#key={key}")
        self.browser.wait("location.hash === '#/scan' && sessionStorage.getItem('serialscan.key') === "
                          f"'{key}'")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--pictures", type=Path)
    arguments = parser.parse_args()
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        downloads = folder / "downloads"
        downloads.mkdir()
        server = Server(arguments.program, folder)
        browser = None
        try:
            browser = Browser(f"--user-data-dir={folder}/profile", downloads=downloads)
            browser.size(1280, 860)
            test = Test(browser, server, downloads, arguments.pictures)
            for step in (test.upload, test.many, test.why, test.correct, test.history, test.evaluate, test.numbers,
                         test.phone):
                test.take(step)
            complaints = browser.complaints()
            assert not complaints, f"the console: {complaints}"
            # From here on the server is away, or refuses, on purpose: the console says so.
            for step in (test.outage, test.keys):
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
