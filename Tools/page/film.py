"""Draws a film of a label for a browser's fake camera, in a browser, from one of the generated pictures."""

import base64

WIDTH, HEIGHT, FRAMES = 1280, 720, 45

# The serial fills most of the frame and drifts, rotates and approaches slightly, as with a hand-held camera. The last
# frame continues into the first.
DRAW = """
return (async (picture, region, width, height, frames) => {
const image = new Image();
image.src = `data:image/jpeg;base64,${picture}`;
await image.decode();
const [start, end] = region;
const middle = [0, 1].map((axis) => region.reduce((sum, corner) => sum + corner[axis], 0) / 4);
const scale = 0.6 * width / Math.hypot(end[0] - start[0], end[1] - start[1]);
const canvas = Object.assign(document.createElement('canvas'), {width, height});
const pen = canvas.getContext('2d');
const made = [];
for (let frame = 0; frame < frames; frame += 1) {
  const turn = 2 * Math.PI * frame / frames;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.fillStyle = '#556';
  pen.fillRect(0, 0, width, height);
  pen.translate(width / 2 + 14 * Math.sin(turn), height / 2 + 8 * Math.sin(2 * turn));
  pen.rotate(0.02 * Math.sin(turn));
  const near = scale * (1 + 0.03 * Math.cos(turn));
  pen.scale(near, near);
  pen.translate(-middle[0], -middle[1]);
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(image, 0, 0);
  made.push(canvas.toDataURL('image/jpeg', 0.92).split(',')[1]);
}
return made;
})(...arguments);
"""


def draw(browser, picture, region, path):
    """Writes a Motion JPEG film of a picture with its serial at `region` (four corners)."""
    drawn = browser.run(DRAW, base64.b64encode(picture.read_bytes()).decode(), region, WIDTH, HEIGHT, FRAMES)
    path.write_bytes(b"".join(base64.b64decode(frame) for frame in drawn))
