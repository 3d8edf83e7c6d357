"""Drives the web page like a user: opens views, waits for them, checks them."""

import argparse
import contextlib
import os
import re
import tempfile
import time
from pathlib import Path


@contextlib.contextmanager
def command(description):
    """Parses a page test's command line; returns its arguments, a temporary folder and a download folder in it."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--pictures", type=Path)
    arguments = parser.parse_args()
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        downloads = folder / "downloads"
        downloads.mkdir()
        yield arguments, folder, downloads


class DrivenPage:
    """A browser that shows a server's page."""

    def __init__(self, browser, server, downloads, pictures):
        self.browser, self.server, self.downloads, self.pictures = browser, server, downloads, pictures
        self.axe = Path(os.environ["AXE"]).read_text() if os.environ.get("AXE") else None

    def go(self, view, ready):
        """Opens a view, and waits until the navigation marks it and `ready` is in the document."""
        name = re.split("[/?]", view)[0]
        current = {"history": "devices"}.get(name, name)
        self.browser.open(f"{self.server.address}/#/{view}")
        self.browser.wait(f"document.querySelector('nav [aria-current]')?.hash === '#/{current}' && ({ready})")

    def reopen(self, place):
        """Reloads the page in the same tab: changing only the fragment would load nothing."""
        self.browser.open("about:blank")
        self.browser.open(f"{self.server.address}/{place}")

    def downloaded(self, name):
        """Waits for a download and returns its path."""
        path = self.downloads / name
        self.until(f"{name} is downloaded", path.exists)
        return path

    @staticmethod
    def until(what, condition, seconds=20):
        """Waits until a condition outside the page is true, and returns its value. The page often shows a change before
        the server has it."""
        deadline = time.monotonic() + seconds
        while not (value := condition()):
            assert time.monotonic() < deadline, f"not in {seconds} s: {what}"
            time.sleep(0.05)
        return value

    def fits(self, name):
        """Checks that the view is not wider than the window."""
        # Phones zoom out of a view that is wider, so that `innerWidth` is as wide.
        wide = self.browser.run(
            "const {scrollWidth, clientWidth} = document.documentElement; return [scrollWidth, clientWidth]"
        )
        assert wide[0] <= wide[1], f"{name} is wider than the window: {wide}"

    def shown(self, name):
        """Saves screenshots of the current view in both themes if requested. Checks that it is not wider than the
        window."""
        if self.pictures:
            for scheme in ("dark", "light"):
                self.browser.colours(scheme)
                time.sleep(0.2)
                self.browser.picture(self.pictures / f"{name}-{scheme}.png")
        self.fits(name)

    def look(self, name):
        """Checks the current view with axe-core in both themes, and saves screenshots."""
        for scheme in ("light", "dark"):
            self.browser.colours(scheme)
            if self.pictures:
                time.sleep(0.3)
                self.browser.picture(self.pictures / f"{name}-{scheme}.png")
            if self.axe:
                self.browser.run(self.axe + "; window.axe = axe")
                found = self.browser.run(
                    "return axe.run(document, {resultTypes: ['violations']}).then((result) => result.violations.map("
                    "(one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`))"
                )
                assert not found, f"axe on {name}, {scheme}: {found}"
        self.browser.colours("light")
        self.fits(name)

    def uncut(self, name):
        """Checks that nothing in the view is cut off, including placeholders, and that nothing requires horizontal
        scrolling."""
        cut = self.browser.run(
            "return [...document.querySelectorAll('body *')].filter((one) => one.checkVisibility() && one.clientWidth > 0 && "
            "!one.matches('.away, input, select, textarea, svg, svg *') && !one.closest('.away') && "
            "(getComputedStyle(one).overflowX !== 'visible' || getComputedStyle(one).contentVisibility === 'auto') && one.scrollWidth > one.clientWidth + 1)"
            ".map((one) => one.outerHTML.slice(0, 150))"
        )
        assert not cut, f"{name} is cut: {cut}"
        hidden = self.browser.run(
            "const pen = document.createElement('canvas').getContext('2d');"
            "return [...document.querySelectorAll('input[placeholder]')].filter((one) => one.checkVisibility()).filter((one) => {"
            "const style = getComputedStyle(one); pen.font = style.font;"
            "return pen.measureText(one.placeholder).width > one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) + 1; })"
            ".map((one) => one.placeholder)"
        )
        assert not hidden, f"{name} has hints that don't fit their fields: {hidden}"

    @staticmethod
    def take(step):
        """Performs a step and prints its duration."""
        begun = time.monotonic()
        step()
        print(f"ok {step.__qualname__} ({time.monotonic() - begun:.1f} s)", flush=True)
