"""Turns a coverage map into a gray picture as taken by a phone.

Etched text is thin and gray on brushed metal, screens have a pixel grid and moiré, labels are printed at a printer's
resolution. The phone's effects (blur, noise, denoising, sharpening, JPEG) are the same for all three.
"""

import cv2
import numpy as np


def tilt(rng, ink):
    """Adds the slight rotation, shear, curvature and keystone that remain after deskewing, and varies the width of the
    typeface."""
    height, width = ink.shape
    rotation = np.radians(rng.normal(0, 0.5) * min(1, 900 / width))
    shear, stretch = rng.normal(0, 0.05), rng.uniform(0.84, 1.15)
    cx, cy = width / 2, height / 2
    m = np.array([[stretch, shear, 0], [np.tan(rotation), 1, 0]], np.float32)
    m[:, 2] = [cx - m[0, 0] * cx - m[0, 1] * cy + max(0.0, stretch - 1) * cx, cy - m[1, 0] * cx - m[1, 1] * cy]
    out = cv2.warpAffine(ink, m, (int(width * max(stretch, 1.0)) + 2, height), flags=cv2.INTER_LINEAR)
    if rng.random() < 0.35:
        xx, yy = np.meshgrid(np.arange(out.shape[1], dtype=np.float32), np.arange(height, dtype=np.float32))
        along = xx / out.shape[1]
        bend = height / 2.6 * rng.uniform(-0.12, 0.12) * np.sin(along * np.pi * rng.uniform(0.7, 1.5))
        keystone = 1 + rng.uniform(-0.2, 0.2) * (along - 0.5)
        out = cv2.remap(out, xx, ((yy - cy) * keystone + cy + bend).astype(np.float32), cv2.INTER_LINEAR)
    return out


def scaled(ink, scale, interpolation=cv2.INTER_AREA):
    size = max(8, int(ink.shape[1] * scale)), max(8, int(ink.shape[0] * scale))
    return cv2.resize(ink, size, interpolation=interpolation)


def through_lens(rng, ink, scale, softest):
    """Applies defocus before sampling, in pixels of the photo, then the camera's resolution, then shake."""
    blur = rng.uniform(0.2, 0.55) if rng.random() < 0.5 else rng.uniform(0.3, softest)
    out = cv2.GaussianBlur(ink, (0, 0), max(0.3, blur / scale)) if scale < 1.2 else ink
    out = scaled(out, scale) if scale < 1 else scaled(out, scale, cv2.INTER_LINEAR)
    if rng.random() < 0.18:
        size = rng.integers(2, 5)
        kernel = np.ones((1, size), np.float32) / size
        out = cv2.filter2D(out, -1, kernel if rng.random() < 0.5 else kernel.T)
    return out


def illumination(rng, shape, level, strength=1.0):
    height, width = shape
    yy, xx = np.mgrid[0:height, 0:width].astype(np.float32)
    light = level * (
        1 + strength * (rng.uniform(-0.35, 0.35) * (xx / width - 0.5) + rng.uniform(-0.25, 0.25) * (yy / height - 0.5))
    )
    if rng.random() < 0.4 * strength:
        light += level * rng.uniform(-0.2, 0.2) * np.cos(xx / width * rng.uniform(1, 8) + rng.uniform(0, 6))
    return light


def glare(rng, shape):
    """Varies the contrast along the line."""
    if rng.random() > 0.35:
        return 1.0
    xx = np.arange(shape[1], dtype=np.float32)[None, :] / shape[1]
    return np.clip(1 + rng.uniform(-0.7, 0.7) * np.cos(xx * rng.uniform(1, 6) + rng.uniform(0, 6)), 0.25, 1.2)


def noise(rng, shape, sigma_or_box):
    n = rng.standard_normal(shape, dtype=np.float32)
    n = cv2.GaussianBlur(n, (0, 0), sigma_or_box) if isinstance(sigma_or_box, float) else cv2.blur(n, sigma_or_box)
    return n / (n.std() + 1e-6)


def phone(rng, gray, contrast, capital, noisiest):
    """Applies sensor noise, sharpening, the denoiser's smear, and JPEG compression."""
    level = rng.uniform(0.01, noisiest) if rng.random() < 0.4 else rng.uniform(0.003, 0.05)
    gray = gray + noise(rng, gray.shape, float(rng.uniform(0.4, 1.3))) * contrast * level * rng.uniform(0.3, 1.3)
    if rng.random() < 0.6:
        gray = gray + rng.uniform(0.3, 1.8) * (gray - cv2.GaussianBlur(gray, (0, 0), rng.uniform(0.7, 1.6)))
    gray = np.clip(gray, 0, 255).astype(np.uint8)
    if rng.random() < 0.45:
        kind = rng.random()
        if kind < 0.3:
            gray = cv2.medianBlur(gray, 3) if capital > 10 else gray
        elif kind < 0.6:
            gray = cv2.bilateralFilter(gray, 5, contrast * rng.uniform(0.15, 0.5), 2)
        else:  # oil painting: a median at twice the resolution
            up = cv2.resize(gray, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
            up = cv2.medianBlur(up, int(rng.choice([3, 5])))
            gray = cv2.resize(up, gray.shape[::-1], interpolation=cv2.INTER_AREA)
    if rng.random() < 0.85:
        gray = cv2.imdecode(
            cv2.imencode(".jpg", gray, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(50, 93))])[1], cv2.IMREAD_GRAYSCALE
        )
    return gray


def toned(rng, ink, paper, contrast, light_text, glare_map=1.0):
    return paper + contrast * ink * glare_map if light_text else paper - contrast * ink * glare_map


def etched(rng, ink, capital):
    """Returns (gray picture, capital height, whether the text is lighter than the ground)."""
    target = rng.uniform(*[(7.5, 10), (8, 11.5), (8.5, 13.5), (10, 20)][rng.integers(4)])
    out = through_lens(rng, ink, target / capital, softest=0.95)
    light_text = rng.random() < 0.15
    level = rng.uniform(30, 130) if light_text else rng.uniform(60, 225)
    contrast = rng.uniform(0.14, 0.30) if rng.random() < 0.3 else rng.uniform(0.25, 0.75)
    contrast *= 255 - level if light_text else level
    gray = toned(rng, out, illumination(rng, out.shape, level), contrast, light_text, glare(rng, out.shape))
    if rng.random() < 0.3:  # brushed metal
        box = int(rng.choice([1, 3, 9])), int(rng.choice([1, 2, 5]))
        gray = gray + noise(rng, out.shape, box) * contrast * rng.uniform(0, 0.09)
    return phone(rng, gray, contrast, target, noisiest=0.13), target, light_text


def moire(rng, shape):
    """Adds moiré of the screen's and the camera's pixels: stripes with a period of a few pixels, mostly two crossing
    sets."""
    yy, xx = np.mgrid[0 : shape[0], 0 : shape[1]].astype(np.float32)
    out = np.zeros(shape, np.float32)
    for _ in range(rng.integers(1, 4)):
        angle, period = rng.uniform(0, np.pi), rng.uniform(2.2, 7) if rng.random() < 0.6 else rng.uniform(7, 40)
        phase = (xx * np.cos(angle) + yy * np.sin(angle)) * (2 * np.pi / period) + rng.uniform(0, 6)
        out += np.sin(phase + rng.uniform(0, 2) * np.sin(xx / rng.uniform(20, 90))) * rng.uniform(0.3, 1.0)
    return out / 1.5


def pixel_grid(rng, ink, capital):
    """Renders the text as a display does: a coarse grid with dark gaps between pixels, large enough to alias."""
    rows = rng.uniform(8.5, 26)  # capital height in display pixels
    shown = scaled(ink, rows / capital)
    factor = max(2, int(round(capital / rows)))
    big = np.kron(shown, np.ones((factor, factor), np.float32))
    lit = np.ones(big.shape, np.float32)
    dark = rng.uniform(0.1, 0.5)
    lit[::factor] *= 1 - dark
    lit[:, ::factor] *= 1 - dark
    return big, lit, rows * factor


def screen(rng, ink, capital):
    light_text = rng.random() < 0.45
    kind = rng.random()
    if kind < 0.2:  # a screenshot: no camera at all
        target = rng.uniform(8, 30)
        out, lit = scaled(ink, target / capital), 1.0
    elif kind < 0.6:
        big, lit, rows = pixel_grid(rng, ink, capital)
        target = min(rng.uniform(8, 14) if rng.random() < 0.5 else rng.uniform(10, 28), rows)
        blur = rng.uniform(0.25, 0.8) * rows / target
        out, lit = (scaled(cv2.GaussianBlur(m, (0, 0), max(0.3, blur)), target / rows) for m in (big, lit))
    else:
        target = rng.uniform(8, 13) if rng.random() < 0.5 else rng.uniform(10, 28)
        out, lit = through_lens(rng, ink, target / capital, softest=1.1), 1.0
    ground = rng.uniform(8, 75) if light_text else rng.uniform(120, 245)
    contrast = rng.uniform(0.45, 0.98) * (245 - ground if light_text else ground)
    if kind < 0.2:
        gray = toned(rng, out, np.full(out.shape, ground, np.float32), contrast, light_text)
        gray = np.clip(gray, 0, 255).astype(np.uint8)
        if rng.random() < 0.5:
            gray = cv2.imdecode(
                cv2.imencode(".jpg", gray, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(40, 95))])[1],
                cv2.IMREAD_GRAYSCALE,
            )
        return gray, target, light_text
    gray = toned(rng, out, illumination(rng, out.shape, ground, 0.7), contrast, light_text, glare(rng, out.shape))
    gray = gray * lit
    if rng.random() < 0.6:
        stripes = moire(rng, out.shape)
        gray = gray * (1 + rng.uniform(0.01, 0.10) * stripes) + stripes * contrast * rng.uniform(0, 0.05)
    if rng.random() < 0.3:  # reflections lift the blacks
        gray = gray * rng.uniform(0.6, 0.95) + rng.uniform(5, 40)
    return phone(rng, gray, contrast, target, noisiest=0.12), target, light_text


def printed(rng, ink, capital):
    """Renders thermal and laser print: binary dots, spreading ink, dead print-head dots, missing flakes."""
    rows = rng.uniform(11, 30)  # capital height in printer's dots
    dots = scaled(ink, rows / capital)
    dots = (dots > rng.uniform(0.3, 0.62)).astype(np.float32)
    if rng.random() < 0.25:
        dots = dots * (rng.random(dots.shape) > rng.uniform(0, 0.12))
    if rng.random() < 0.15:
        dots[:, rng.integers(0, dots.shape[1], 1 + dots.shape[1] // 300)] = 0
    if rng.random() < 0.10:
        dots[rng.integers(0, dots.shape[0])] = 0
    big = cv2.resize(dots.astype(np.float32), None, fx=3, fy=3, interpolation=cv2.INTER_NEAREST)
    return cv2.GaussianBlur(big, (0, 0), rng.uniform(0.5, 2.0)), rows * 3


def sticker(rng, ink, capital):
    if rng.random() < 0.5:
        ink, capital = printed(rng, ink, capital)
    target = rng.uniform(*[(6.5, 9), (7, 11), (8, 13), (10, 24)][rng.integers(4)])
    out = through_lens(rng, ink, target / capital, softest=1.0)
    light_text = rng.random() < 0.10
    level = rng.uniform(20, 90) if light_text else rng.uniform(90, 240)
    contrast = rng.uniform(0.35, 0.9) * (235 - level if light_text else level)
    gray = toned(rng, out, illumination(rng, out.shape, level), contrast, light_text, glare(rng, out.shape))
    if rng.random() < 0.12:  # the label's edge, with something darker behind it
        width = int(target * rng.uniform(0.1, 0.6))
        side = slice(0, width) if rng.random() < 0.5 else slice(gray.shape[1] - width, None)
        gray[:, side] *= rng.uniform(0.2, 0.8)
    return phone(rng, gray, contrast, target, noisiest=0.12), target, light_text


CAMERAS = {"etched": etched, "screen": screen, "sticker": sticker}
