#!/usr/bin/env python3
"""Measures the web page's response times in a headless Chromium, against a server on this machine.

usage: page.py list [--count 1000]        the list of results
       page.py history [--count 100000]   saved serials: first page, search, filters, orders, to the last page

Times are measured by the browser, from a key press or click until the result is painted. Some lines also show the CPU
time of the page's thread, which depends less on the machine's load.
"""

import argparse
import os
import shutil
import sqlite3
import sys
import tempfile
import time
import uuid

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "Tools/torture"), os.path.join(ROOT, "Tools/page")]

from measure import at, load, made_up_serial  # noqa: E402
from server import Server  # noqa: E402
from webdriver import Browser  # noqa: E402

ARROW_DOWN, END = "\ue015", "\ue010"
DEVICES = ["MacBook Pro", "MacBook Air", "iMac", "Mac mini", "iPhone 15", "iPad", "Apple Watch", ""]

# The browser's time in milliseconds after the next frame is painted.
PAINTED = """
window.painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))));
"""

# The time from a key press until its result is painted.
KEYS = """
window.waits = [];
addEventListener('keydown', (event) => window.painted().then((now) => window.waits.push(now - event.timeStamp)), true);
"""

# Scrolls through the page by one window height per frame; returns the longest frame and the number of frames over 50
# ms.
SCROLL = """
return (async () => {
  const times = [];
  let before = performance.now();
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
    scrollTo(0, y);
    const now = await window.painted();
    times.push(now - before);
    before = now;
  }
  return [Math.max(...times), times.filter((time) => time > 50).length, times.length];
})();
"""

# Performs an action and waits until an expression is true and painted; returns the duration.
TIMED = """
return (async (action, condition) => {
  const begun = performance.now();
  new Function(action)();
  const isTrue = new Function(`return ${condition}`);
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
  return await window.painted() - begun;
})(...arguments);
"""


def line(what, times, cost=None):
    times = [one / 1000 for one in times]
    print(
        f"{what:<58} {at(times, 0.5):7.1f} ms p50 {at(times, 0.99):7.1f} ms p99 {1000 * max(times):7.1f} ms at most"
        f"   ({len(times)} times, {load()}{f', processor {1000 * cost / len(times):.1f} ms each' if cost else ''})",
        flush=True,
    )


def spent(browser):
    """Seconds of CPU time used by the page's thread so far."""
    metrics = browser.devtools("Performance.getMetrics")["metrics"]
    return next(one["value"] for one in metrics if one["name"] == "TaskDuration")


# --- The list of results


def kept(count):
    verdicts = ["accepted"] * 8 + ["uncertain", "refused"]
    return [
        {
            "key": str(n),
            "at": n,
            "tab": "gone",
            "progress": 1,
            "name": f"IMG_{4000 + n}.jpg",
            "job": str(uuid.uuid4()),
            "serial": made_up_serial(n) if n % 10 != 9 else None,
            "confidence": 0.97,
            "verdict": verdicts[n % 10],
            "state": "done",
            "seenBefore": None,
            "error": "No serial number was found" if n % 10 == 9 else None,
        }
        for n in range(count)
    ]


def result_list(options, browser, address):
    browser.open(f"{address}/#/scan")
    browser.wait("document.querySelector('#file')")
    browser.run("return import('./page/kept.js').then((kept) => kept.put(arguments[0]))", kept(options.count))
    for what, rows in (("its top", min(50, options.count)), ("all of it", options.count)):
        shown, cost = [], 0
        for turn in range(5):
            browser.open(f"{address}/?{turn}#/keys")
            browser.wait("document.querySelector('fieldset')")
            browser.run(PAINTED)
            before = spent(browser)
            shown.append(
                browser.run(TIMED, "location.hash = '#/scan'", f"document.querySelectorAll('.result').length >= {rows}")
            )
            cost += spent(browser) - before
        line(f"to open the list of {options.count:,}, {what}", shown, cost)
    browser.wait(f"document.querySelectorAll('.result').length === {options.count}")
    browser.run(KEYS)
    browser.run("document.querySelector('.serial:not([hidden])').focus()")
    before = spent(browser)
    for _ in range(100):
        browser.press(ARROW_DOWN)
    line("arrow to the next serial", browser.run("return window.waits.splice(0)"), spent(browser) - before)
    browser.press(END)
    for _ in range(20):
        browser.press("\ue013")
    line("End, and arrows up from there", browser.run("return window.waits.splice(0)"))
    longest, slow, frames = browser.run(SCROLL)
    print(
        f"scrolled from top to bottom in {frames} steps of a window's height: longest frame {longest:.1f} ms, "
        f"{slow} above 50 ms   ({load()})",
        flush=True,
    )
    press = "[...document.querySelectorAll('main button')].find((one) => one.textContent === '{}').click()".format
    line("Copy all", [browser.run(TIMED, press("Copy all"), "document.querySelector('.toast')")])
    picture = os.path.join(ROOT, "testdata/pictures/etched_clean_1.jpg")
    browser.run(
        "window.changes = []; new MutationObserver(() => { const begun = performance.now();"
        "window.painted().then((now) => window.changes.push(now - begun)); })"
        ".observe(document.querySelector('.results'), {childList: true, subtree: true, characterData: true})"
    )
    browser.type("#file", picture)
    browser.wait(
        f"document.querySelectorAll('.result').length === {options.count + 1} && "
        "document.querySelector('.result:first-child .badge:not(.waiting)')",
        seconds=60,
    )
    line("a change of one photo on its way, until painted", browser.run("return window.changes"))
    before = spent(browser)
    cleared = [browser.run(TIMED, press("Clear list"), "document.querySelectorAll('.result').length === 0")]
    line("Clear list", cleared, spent(browser) - before)


# --- History


def fill(data, count):
    """Inserts serials like those of years of use: of several devices and sources, some read repeatedly, some
    invalid."""
    database = sqlite3.connect(os.path.join(data, "serialscan.sqlite"))
    now, sources = int(time.time() * 1e6), ["scan", "scan", "scan", "live", "ios", "mac"]
    with database:
        database.executemany(
            "INSERT INTO serials (created_at, serial, device_type, confidence, method, source, valid, job_id, filename, verdict, "
            "notes, device_type_key, search_text) VALUES (?, ?, ?, ?, 'tesseract', ?, ?, ?, ?, 'accepted', ?, ?, ?)",
            (
                (
                    now - n * 300_000_000,
                    made_up_serial(n % (count * 9 // 10)),
                    DEVICES[n * 7 % len(DEVICES)],
                    0.9 + n % 1000 / 10000,
                    sources[n % len(sources)],
                    int(n % 50 != 0),
                    str(uuid.uuid4()),
                    f"IMG_{n:06}.jpg",
                    "desk 7" if n % 9 == 0 else None,
                    DEVICES[n * 7 % len(DEVICES)].lower(),
                    f"{made_up_serial(n % (count * 9 // 10))}\n{DEVICES[n * 7 % len(DEVICES)]}\nIMG_{n:06}.jpg".lower(),
                )
                for n in range(count)
            ),
        )
    database.close()


def history(options, browser, address):
    count, word = options.count, f"{options.count:,} serials"
    status = "document.querySelector('main p[role=status]')?.textContent"
    shown, cost = [], 0
    for turn in range(5):
        browser.open(f"{address}/?{turn}#/keys")
        browser.wait("document.querySelector('fieldset')")
        browser.run(PAINTED)
        before = spent(browser)
        shown.append(browser.run(TIMED, "location.hash = '#/history'", f"{status} === '{word}'"))
        cost += spent(browser) - before
    line(f"to open History over {count:,}", shown, cost)
    # Every query rewrites the rows.
    browser.run(
        "new MutationObserver(() => { window.loads += 1; }).observe(document.querySelector('tbody'), {childList: true})"
    )
    loaded = "window.loads > 0"
    change = (
        "window.loads = 0; const field = document.querySelector('[name={}]'); field.value = '{}';"
        "field.dispatchEvent(new Event('input', {{bubbles: true}}))"
    ).format
    for name, values in (
        ("search", [made_up_serial(5), "IMG_0123", "C02", "MacBook", "zz", "K7"]),
        ("device_type", ["iMac"]),
        ("source", ["ios"]),
        ("validation_status", ["invalid"]),
        ("date_from", ["2026-11-01"]),
    ):
        for value in values:
            times = []
            for _ in range(5):
                times.append(browser.run(TIMED, change(name, value), loaded) - 250)
                told = browser.run(f"return {status}")
                browser.run(TIMED, change(name, ""), loaded)
            line(f"{name} “{value}” ({told}), beside the 250 ms it waits for more", times)
    for order in ("Serial", "Confidence", "Device", "Time"):
        times = []
        for _ in range(4):
            press = (
                f"window.loads = 0; [...document.querySelectorAll('thead button')]"
                f".find((one) => one.textContent.startsWith('{order}')).click()"
            )
            times.append(browser.run(TIMED, press, loaded))
        line(f"sorted by {order}", times)
    pages, times, before = -(-count // 50), [], spent(browser)
    for page in range(2, pages + 1):
        times.append(
            browser.run(
                TIMED,
                "[...document.querySelectorAll('main button')].find((one) => one.textContent.startsWith('Next page')).click()",
                f"document.querySelector('main').textContent.includes('Page {page:,} of {pages:,}')",
            )
        )
    line(f"each next page, to the last of {pages:,}", times, spent(browser) - before)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["list", "history"])
    parser.add_argument("--program", default=os.path.join(ROOT, ".build/release/serialscan"))
    parser.add_argument("--count", type=int)
    options = parser.parse_args()
    options.count = options.count or {"list": 1000, "history": 100_000}[options.what]
    data = tempfile.mkdtemp(prefix="serialscan-page-")
    try:
        if options.what == "history":
            Server(options.program, data, ["log.level=error"]).stop()
            fill(data, options.count)
        server = Server(options.program, data, ["log.level=error"])
        # What follows is not about reading: let the readers start and stand still.
        time.sleep(3)
        browser = Browser(f"--user-data-dir={data}/browser")
        try:
            browser.size(1280, 860)
            browser.devtools("Performance.enable", timeDomain="threadTicks")
            {"list": result_list, "history": history}[options.what](options, browser, f"http://localhost:{server.port}")
        finally:
            browser.close()
            server.end()
    finally:
        shutil.rmtree(data, ignore_errors=True)


if __name__ == "__main__":
    main()
