#!/usr/bin/env python3
"""Drives the live view in a headless Chromium whose camera is a file, is refused, or is not given to the page.

usage: Tools/page/test_camera.py PROGRAM [--pictures FOLDER]

The film is drawn from a generated picture. For requirements and outputs, see test_page.py.
"""

import base64
import sys
import time

import film
from driven_page import DrivenPage, command
from page_server import PICTURES, Server
from webdriver import Browser

ENTER = "\ue007"
PICTURE, SERIAL = PICTURES / "etched_clean_1.jpg", "G0NKP62BLGMZ"
# A host name other than this machine's, as for a server in a network: pages loaded from it by HTTP get no camera.
ELSEWHERE = "bench.example"

# Records the constraints that the page requests, and whether released tracks are off.
WATCH = """
window.asked = [];
window.tracks = [];
window.vibrated = [];
navigator.vibrate = (pattern) => window.vibrated.push(pattern);
const open = window.openCamera ??= navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
navigator.mediaDevices.getUserMedia = async (constraints) => {
  window.asked.push(constraints.video.facingMode);
  const stream = await open(constraints);
  window.tracks.push(...stream.getTracks());
  return stream;
};
"""

# The overlay's pixel at the centre of the tracked object, as [red, green, blue, alpha].
MIDDLE = """
const stage = document.querySelector('.stage canvas');
return [...stage.getContext('2d').getImageData(stage.width / 2, stage.height / 2, 1, 1).data];
"""

# Records the page's requests, and the last place of the first object.
LISTEN = """
window.requests = [];
const send = window.sentBefore ??= window.fetch;
window.fetch = async (address, options = {}) => {
  const boxes = options.body?.get?.('bounding_boxes');
  const path = new URL(address).pathname;
  window.requests.push({method: options.method ?? 'GET', path, boxes: boxes ? JSON.parse(boxes) : null});
  const reply = await send(address, options);
  if (path === '/track' && reply.ok) window.latest = (await reply.clone().json()).bounding_boxes[0];
  return reply;
};
"""

# Plays a recording; returns its width, its length in seconds, and the pixel at its centre.
PLAY = """
return (async (bytes, type) => {
  const video = document.createElement('video');
  video.muted = true;
  video.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))], {type}));
  await video.play();
  let seconds = 0;
  video.addEventListener('timeupdate', () => { seconds = Math.max(seconds, video.currentTime); });
  await new Promise((resolve) => { video.addEventListener('ended', resolve, {once: true}); setTimeout(resolve, 5000); });
  const canvas = Object.assign(document.createElement('canvas'), {width: video.videoWidth, height: video.videoHeight});
  const pen = canvas.getContext('2d');
  pen.drawImage(video, 0, 0);
  return {width: video.videoWidth, seconds, middle: [...pen.getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data]};
})(...arguments);
"""


# The area around the serial in fractions of the film, larger than its drift.
LABEL = [0.15, 0.38], [0.85, 0.62]


class WithoutCamera(DrivenPage):
    """A browser that gives the page no camera."""

    def camera_refused(self):
        """If the camera is denied, the page says why and what to do, and offers a retry."""
        self.go("live", "document.querySelector('main .problem')")
        text = self.browser.run("return document.querySelector('main').innerText")
        assert "Camera access blocked" in text and "Allow the camera" in text, text
        assert not self.browser.run("return Boolean(document.querySelector('.stage')?.checkVisibility())"), (
            "an empty stage"
        )
        self.look("live-refused")
        self.browser.click("main .problem button")
        self.browser.wait("document.querySelector('main .problem')")
        # On Scan too, where photos can still be chosen.
        self.go("scan", "document.querySelector('.drop button')")
        self.browser.click(".drop button")
        self.browser.wait("document.querySelector('main .problem')")
        assert self.browser.run("return document.querySelector('.drop').checkVisibility()"), "files can be chosen"
        self.look("scan-refused")

    def plain_http(self):
        """Over plain HTTP from another machine there is no camera: the page says so, and how to get one."""
        self.browser.open(f"http://{ELSEWHERE}:{self.server.port}/#/live")
        self.browser.wait("document.querySelector('main h2')")
        assert not self.browser.run("return isSecureContext || Boolean(navigator.mediaDevices)"), "not what is tested"
        text = self.browser.run("return document.querySelector('main').innerText")
        assert "HTTPS" in text and f"{ELSEWHERE}:{self.server.port}" in text and "localhost" in text, text
        self.look("live-plain")
        self.browser.click("main .card a")
        self.browser.wait("document.querySelector('#file')", "photos work all the same")
        # Without HTTPS there is no clipboard API either; copying uses the older method.
        self.browser.type("#file", str(PICTURE))
        self.browser.wait(f"document.querySelector('.result .serial')?.textContent === '{SERIAL}'", seconds=60)
        self.browser.run(
            "document.addEventListener('copy', () => { window.copied = getSelection().toString() || "
            "document.activeElement.value; })"
        )
        self.browser.run("document.querySelector('.result .serial').focus()")
        self.browser.press(ENTER)
        self.browser.wait(f"window.copied === '{SERIAL}'")


class WithCamera(DrivenPage):
    """A browser whose camera shows a film of a label."""

    def scanning(self):
        """The viewfinder stays open on Scan: each press of the shutter takes a full-size photo, whose row shows a
        thumbnail and a verdict."""
        self.browser.size(390, 844, is_phone=True)
        self.go("scan", "document.querySelector('.drop button')")
        self.browser.run(WATCH)
        before = len(self.server.ask("/jobs")["items"])
        self.browser.click(".drop button")
        self.browser.wait("document.querySelector('.finder video')?.videoWidth > 0")
        assert self.browser.run("return window.asked") == ["environment"]
        shutter = self.browser.run(
            "const box = document.querySelector('.shutter').getBoundingClientRect(); return [box.width, box.height, box.bottom <= innerHeight]"
        )
        assert shutter[0] >= 44 and shutter[1] >= 44 and shutter[2], shutter
        self.browser.click(".shutter")
        row = "document.querySelector('.recent li')"
        self.browser.wait(f"{row}?.querySelector('.thumb img')", "the picture is there at once")
        self.browser.wait(
            f"{row}.querySelector('.badge:not(.waiting)') && {row}.querySelector('.serial').textContent === '{SERIAL}'",
            seconds=60,
        )
        # Keys press the shutter too unless a field has the focus. The film moves, so not every frame is accepted.
        self.browser.run("document.activeElement.blur()")
        rows = "document.querySelectorAll('.recent li').length"
        ended = "document.querySelectorAll('.recent .badge:not(.waiting)').length"
        shots = 1
        while shots < 3 or not self.browser.run("return Boolean(document.querySelector('.recent .badge.accepted'))"):
            assert shots < 5, "none is accepted"
            self.browser.press(" " if shots % 2 else ENTER)
            shots += 1
            self.browser.wait(f"{rows} === {shots} && {ended} === {shots}", seconds=60)
        job = self.server.ask("/jobs")["items"][0]
        photo = self.server.ask(f"/result/{job['job_id']}")
        assert photo["results"]["photo_width"] >= 1280, photo["results"]["photo_width"]
        assert len(self.server.ask("/jobs")["items"]) == before + shots
        self.browser.wait(
            "[...document.querySelectorAll('.recent .state')].some((one) => one.textContent.includes('Duplicate'))",
            "it was seen before",
        )
        bottom = self.browser.run(
            "return [...document.querySelectorAll('.recent li')].at(-1).getBoundingClientRect().bottom"
        )
        assert bottom <= 844, "the latest rows are in sight below the camera"
        self.look("scanning")

    def undo_photo(self):
        """One tap undoes a photo with its serial, and another one restores it."""
        before, saved = (len(self.server.ask(path)["items"]) for path in ("/jobs", "/history"))
        undo, rows = ".recent li:has(.badge.accepted) .undo", "document.querySelectorAll('.recent li').length"
        shown = self.browser.run(f"return {rows}")
        self.browser.click(undo)
        self.browser.wait(f"{rows} === {shown - 1}")
        self.browser.run("[...document.querySelectorAll('.toast button')].at(-1).click()")
        self.browser.wait(f"{rows} === {shown}")
        self.browser.click(undo)
        self.browser.wait(f"{rows} === {shown - 1}")
        assert len(self.server.ask("/jobs")["items"]) == before, "it can still be undone"
        self.until("the photo is deleted", lambda: len(self.server.ask("/jobs")["items"]) == before - 1, 30)
        self.until("and its serial", lambda: len(self.server.ask("/history")["items"]) == saved - 1)

    def sounds_and_vibration(self):
        """Outcomes have different sounds and vibrations, which can be turned off."""
        apart = self.browser.run(
            "return import('./page/feedback.js').then(({signal, choices}) => { const felt = []; navigator.vibrate = (one) => felt.push(one.join());"
            "const now = performance.now.bind(performance); let shift = 0; performance.now = () => now() + shift;"
            "for (const one of ['accepted', 'uncertain', 'duplicate', 'refused', 'tagged']) { shift += 1000; signal(one); }"
            "choices.vibration = false; shift += 1000; signal('accepted'); choices.vibration = true; performance.now = now; return felt; })"
        )
        assert len(apart) == 5 and len(set(apart)) == 5, apart
        assert self.browser.run("return JSON.parse(localStorage.getItem('serialscan.vibration'))") is True, "remembered"

    def close_camera(self):
        """Leaving the view turns the camera off, returning turns it on, and closing the viewfinder shows the file
        input again."""
        self.browser.run("location.hash = '#/history'")
        self.browser.wait("document.querySelector('tbody') && window.tracks.every((one) => one.readyState === 'ended')")
        self.browser.run("location.hash = '#/scan'")
        self.browser.wait("document.querySelector('.finder video')?.videoWidth > 0", "it was open")
        self.browser.click(".finder-bar button")
        self.browser.wait(
            "document.querySelector('.drop').checkVisibility() && !document.querySelector('.finder').checkVisibility()"
        )
        assert self.browser.run("return window.tracks.every((one) => one.readyState === 'ended')"), "the camera is off"
        self.browser.run("return import('./page/uploads.js').then((uploads) => uploads.forget(...uploads.items))")
        self.browser.size(1280, 860)

    def open_live(self):
        self.go("scan", "document.querySelector('#file')")
        self.browser.run(WATCH)
        self.browser.run("location.hash = '#/live'")
        self.browser.wait("document.querySelector('.stage video')?.videoWidth > 0")

    def point(self, *places):
        """Taps or drags on the stage, at positions in fractions of its size."""
        left, top, width, height = self.browser.run(
            "const area = document.querySelector('.stage canvas').getBoundingClientRect();"
            "return [area.left, area.top, area.width, area.height]"
        )
        self.browser.draw(*((round(left + x * width), round(top + y * height)) for x, y in places))

    def leave(self):
        self.browser.run("location.hash = '#/scan'")
        self.browser.wait("document.querySelector('#file')")

    def saved(self):
        return self.server.ask("/history?source=live")["items"]

    def accepted(self, seconds=60):
        self.browser.wait(
            f"document.querySelector('.results .serial')?.textContent === '{SERIAL}' && "
            "document.querySelector('.results .badge.accepted')",
            "the serial is accepted",
            seconds,
        )

    def track_without_saving(self):
        """After a box is drawn, its serial is voted on, accepted and listed, and is not saved if saving is off."""
        self.open_live()
        self.browser.click("main input[type=checkbox]")
        self.point(*LABEL)
        self.accepted()
        text = self.browser.run("return document.querySelector('.corner').textContent")
        assert "frames/s" in text, text
        assert self.browser.run("return window.vibrated.length") == 1, "a vibration reports it"
        self.look("live")
        self.leave()
        rows = self.browser.run("return [...document.querySelectorAll('.result')].map((row) => row.textContent)")
        assert len(rows) == 1 and SERIAL in rows[0] and "Live" in rows[0], rows
        self.browser.wait("true")
        assert self.saved() == [], self.saved()

    def save_accepted(self):
        """An accepted live serial is saved and announced once, and stays accepted when objects are added."""
        self.open_live()
        assert not self.browser.run("return document.querySelector('main input[type=checkbox]').checked"), "remembered"
        self.point(*LABEL)
        self.accepted()
        # The choice applies to objects that are already tracked.
        self.browser.click("main input[type=checkbox]")
        # After adding a second object, the first is still tracked.
        self.point([0.1, 0.1], [0.35, 0.45])
        self.browser.wait("document.querySelectorAll('main .results .result').length === 2")
        self.accepted(1)
        self.until("it is saved", self.saved)

    def opacity(self):
        """The overlay's opacity can be set from 0 to 80%."""
        for share in (0, 80):
            self.browser.run(
                "const range = document.querySelector('input[type=range]'); range.value = arguments[0];"
                "range.dispatchEvent(new Event('input', {bubbles: true}))",
                share,
            )
            self.browser.wait(
                f"((given) => Math.abs(given - {share} * 2.55) <= 3)((() => {{{MIDDLE}}})()[3])", f"{share} %"
            )
        limits = self.browser.run("const {min, max} = document.querySelector('input[type=range]'); return [min, max]")
        assert limits == ["0", "80"], limits

    def recording(self):
        """A recording shows its length, can be discarded, can be saved once it has frames, and results in a playable
        file that includes the overlay."""
        progress = "main .row [role=status]"
        is_empty = "document.querySelector('main .row .primary').disabled"
        assert self.press("● Record", is_empty), "it has no frames yet"
        self.browser.wait(
            f"parseInt(document.querySelector('{progress}').textContent) >= 1 && "
            f"/ [0-9.]+ MB/.test(document.querySelector('{progress}').textContent)"
        )
        self.look("live-recording")
        self.press("Cancel")
        self.browser.wait(f"document.querySelector('{progress}').textContent === ''")
        self.press("● Record")
        self.browser.wait(f"parseInt(document.querySelector('{progress}').textContent) >= 4 && !{is_empty}")
        assert not list(self.downloads.glob("serialscan-*")), "a discarded recording leaves no file"
        # Its name has the user's time.
        self.browser.devtools("Emulation.setTimezoneOverride", timezoneId="Pacific/Kiritimati")
        self.press("Stop and save")
        (file,) = self.until(
            "the recording is downloaded",
            lambda: [one for one in self.downloads.glob("serialscan-*") if one.suffix in (".mp4", ".webm")],
        )
        self.browser.devtools("Emulation.setTimezoneOverride", timezoneId="")
        times = [time.gmtime(time.time() + 14 * 3600 - ago) for ago in (0, 60)]
        assert file.name.startswith(tuple(time.strftime("serialscan-%Y-%m-%dT%H", one) for one in times)), file
        recorded = file.read_bytes()
        played = self.browser.run(PLAY, base64.b64encode(recorded).decode(), f"video/{file.suffix[1:]}")
        assert played["width"] >= 640 and played["seconds"] > 1, (played, len(recorded))
        # The first object's green at 80% over grey metal.
        red, green, blue, _ = played["middle"]
        assert green > red + 60 and green > blue + 40, played

    def press(self, title, then="null"):
        """Presses the button with a title and returns the value that an expression has at once."""
        return self.browser.run(
            "[...document.querySelectorAll('main button')].find((one) => one.checkVisibility() && "
            f"one.textContent === arguments[0]).click(); return {then}",
            title,
        )

    def tap_object(self):
        """After a tap, the server proposes a box, and the object in it is tracked."""
        self.browser.click("main input[type=checkbox]")
        self.press("Reset")
        self.browser.wait("document.querySelectorAll('main .results .result').length === 0")
        self.point([0.5, 0.5])
        self.browser.wait(
            "document.querySelector('.corner').textContent.includes('frames/s') && "
            "document.querySelectorAll('main .results .result').length === 1"
        )
        state = self.browser.run("return document.querySelector('main .results .state').textContent")
        assert state != "Lost", state

    def drag_corner(self):
        """Dragging a corner of an object's box changes that object and adds none. The tracked frame is shown below."""
        self.press("Reset")
        self.browser.wait("document.querySelectorAll('main .results .result').length === 0")
        self.browser.wait("document.querySelector('.stage .still').hidden", what="nothing is tracked")
        self.browser.run(LISTEN)
        self.point(*LABEL)
        self.browser.wait("window.requests.filter((one) => one.path === '/track').length > 1")
        assert not self.browser.run("return document.querySelector('.stage .still').hidden"), (
            "the tracked frame is shown"
        )
        # The film drifts, so use the corner of the box tracked last.
        (box,) = self.browser.run("return window.requests.find((one) => one.path === '/initialize').boxes")
        latest = self.browser.run("return window.latest")
        corner = [
            LABEL[0][axis]
            + (latest[axis] - box[axis]) / (box[axis + 2] - box[axis]) * (LABEL[1][axis] - LABEL[0][axis])
            for axis in (0, 1)
        ]
        self.point(corner, [corner[0] - 0.08, corner[1] - 0.1])
        self.browser.wait("window.requests.filter((one) => one.path === '/initialize').length === 2")
        boxes = self.browser.run(
            "return window.requests.filter((one) => one.path === '/initialize').map((one) => one.boxes)"
        )
        assert [len(one) for one in boxes] == [1, 1], boxes
        (before,), (after,) = boxes
        # In fractions of the box, because slow machines send smaller frames.
        wide = before[2] - before[0]
        assert after[0] < latest[0] - 0.05 * wide and after[1] < latest[1] - 0.05 * wide, (boxes, latest)
        assert abs(after[2] - latest[2]) < 0.1 * wide, (boxes, latest)
        self.look("live-pulled")

    def pause_in_background(self):
        """In the background nothing is sent and the session is ended; when the page is visible again, the object is
        found."""
        self.browser.run(
            "window.requests.length = 0;"
            "Object.defineProperty(document, 'hidden', {configurable: true, get: () => true});"
            "document.dispatchEvent(new Event('visibilitychange'))"
        )
        self.browser.wait("window.requests.some((one) => one.method === 'DELETE' && one.path.startsWith('/sessions/'))")
        count = self.browser.run("return window.requests.length")
        time.sleep(0.5)
        assert self.browser.run("return window.requests.length") == count, "frames are sent in the background"
        self.browser.run(
            "window.requests.length = 0; delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))"
        )
        self.browser.wait(
            "window.requests.some((one) => one.path === '/initialize') && "
            "window.requests.filter((one) => one.path === '/track').length > 4"
        )
        self.browser.wait(
            "document.querySelectorAll('main .results .result').length === 1 && "
            "document.querySelector('main .results .state').textContent !== 'Lost'"
        )

    def switch_cameras(self):
        """The rear camera is opened first, the front one on request, and the other is turned off. Objects are kept."""
        asked = self.browser.run("return window.asked")
        assert asked == ["environment"], asked
        self.press("Front camera")
        self.browser.wait("window.asked.length === 2 && window.tracks.length === 2")
        assert self.browser.run("return window.asked[1]") == "user"
        assert self.browser.run("return document.querySelectorAll('main .results .result').length") == 1, "objects stay"
        assert self.browser.run("return window.tracks.map((one) => one.readyState)") == ["ended", "live"]
        self.browser.wait("document.querySelector('video').srcObject.getTracks()[0] === window.tracks[1]")
        self.press("Rear camera")
        self.browser.wait("window.asked[2] === 'environment' && window.tracks.length === 3")
        self.leave()
        self.browser.wait("window.tracks.every((one) => one.readyState === 'ended')", "the camera is off")
        # The session has ended, and its serial was saved once.
        time.sleep(0.5)
        items = self.saved()
        assert [item["serial"] for item in items] == [SERIAL] and items[0]["source"] == "live", items
        rows = self.browser.run("return [...document.querySelectorAll('.result')].map((row) => row.textContent)")
        assert len(rows) == 1, rows


def label(server):
    """Returns the four corners of the serial in the picture, as read by the server."""
    return server.ask(f"/result/{server.photo(PICTURE)}")["results"]["serials"][0]["region"]


def main():
    with command(__doc__) as (arguments, folder, downloads):
        server = Server(arguments.program, folder, f"server.hosts={ELSEWHERE}")
        video = folder / "label.mjpeg"
        without = (
            "--use-fake-device-for-media-stream",
            f"--host-resolver-rules=MAP {ELSEWHERE} 127.0.0.1",
            f"--user-data-dir={folder}/without",
        )
        camera = (
            "--use-fake-ui-for-media-stream",
            "--use-fake-device-for-media-stream",
            f"--use-file-for-fake-video-capture={video}",
            f"--user-data-dir={folder}/with",
        )
        denied = {"profile.default_content_setting_values.media_stream_camera": 2}
        try:
            drive(
                Browser(*without, prefs=denied),
                lambda browser: (
                    film.draw(browser, PICTURE, label(server), video),
                    WithoutCamera(browser, server, downloads, arguments.pictures),
                ),
                ("camera_refused", "plain_http"),
            )
            drive(
                Browser(*camera, downloads=downloads),
                lambda browser: (None, WithCamera(browser, server, downloads, arguments.pictures)),
                (
                    "scanning",
                    "undo_photo",
                    "close_camera",
                    "track_without_saving",
                    "save_accepted",
                    "opacity",
                    "recording",
                    "tap_object",
                    "drag_corner",
                    "pause_in_background",
                    "switch_cameras",
                    "sounds_and_vibration",
                ),
            )
        finally:
            server.kill()


def drive(browser, prepare, steps):
    """Performs the named steps of a page, and fails if the browser's console has errors."""
    try:
        browser.size(1280, 860)
        page = prepare(browser)[1]
        for step in steps:
            page.take(getattr(page, step))
        complaints = browser.complaints()
        assert not complaints, f"the console: {complaints}"
    finally:
        browser.close()


if __name__ == "__main__":
    try:
        main()
    except (AssertionError, RuntimeError) as failure:
        sys.exit(f"failed: {failure}")
