"""The camera: the sheet's pose, and the effects of lens, sensor, phone and chat app."""

from dataclasses import dataclass

import cv2
import numpy as np

from .conditions import Conditions


@dataclass
class Photo:
    """An unfinished picture. image: float32 BGR, 0...255; quad: the serial's corners in its pixels."""

    image: np.ndarray
    quad: np.ndarray | None = None

    @property
    def size(self) -> tuple[int, int]:
        return self.image.shape[1], self.image.shape[0]


def map_points(points: np.ndarray, homography: np.ndarray) -> np.ndarray:
    return cv2.perspectiveTransform(np.asarray(points, np.float64).reshape(-1, 1, 2), homography).reshape(-1, 2)


def local_scale(homography: np.ndarray, point) -> float:
    """Photo pixels per sheet pixel at `point`, in the text's vertical direction."""
    x, y = point
    ends = map_points([[x, y - 2], [x, y + 2], [x - 2, y], [x + 2, y]], homography)
    across = np.linalg.norm(ends[1] - ends[0]) / 4
    along = np.linalg.norm(ends[3] - ends[2]) / 4
    return float(min(across, along * 1.15))


def pose(anchor, scale: float, at, size, pitch: float, yaw: float, roll: float, focal: float = 1.2) -> np.ndarray:
    """Homography of a pinhole camera from sheet to photo.

    anchor, at  the sheet point that is seen at this photo point
    scale       photo pixels for a sheet pixel at the anchor
    focal       focal length as a share of the photo's longer side
    """
    a, b, c = np.radians([pitch, yaw, roll])
    rx = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    ry = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    rz = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
    turn = rz @ rx @ ry
    width, height = size
    f = focal * max(size)
    centre = np.array([width / 2, height / 2])
    depth = f / scale
    offset = depth * np.append((np.asarray(at) - centre) / f, 1.0) - turn @ np.array([anchor[0], anchor[1], 0.0])
    outer = np.column_stack([turn[:, 0], turn[:, 1], offset])
    inner = np.array([[f, 0, centre[0]], [0, f, centre[1]], [0, 0, 1]])
    result = inner @ outer
    return result / result[2, 2]


def _soften(image: np.ndarray, sigma: float) -> np.ndarray:
    return cv2.GaussianBlur(image, (0, 0), sigma) if sigma > 0.2 else image


def _defocus(image: np.ndarray, sigma: float, quad, rng) -> np.ndarray:
    """Blur that grows from the serial towards one side of the picture."""
    height, width = image.shape[:2]
    angle = rng.uniform(0, 2 * np.pi)
    ys, xs = np.mgrid[0:24, 0:24].astype(np.float32) / 23 - 0.5
    ramp = np.clip((xs * np.cos(angle) + ys * np.sin(angle)) * 1.6 + rng.uniform(-0.2, 0.4), 0, 1)
    ramp = cv2.resize(ramp, (width, height), interpolation=cv2.INTER_LINEAR)[..., None]
    return image + (_soften(image, sigma * 2.2) - image) * ramp


def _smear(image: np.ndarray, length: float, rng) -> np.ndarray:
    """Motion blur of `length` pixels in a random direction."""
    if length < 1:
        return image
    reach = int(np.ceil(length)) | 1
    kernel = np.zeros((reach + 2, reach + 2), np.float32)
    angle = rng.uniform(0, np.pi)
    middle = (reach + 1) / 2
    for step in np.linspace(-length / 2, length / 2, 4 * reach):
        x, y = middle + step * np.cos(angle), middle + step * np.sin(angle)
        kernel[int(round(y)), int(round(x))] += 1
    return cv2.filter2D(image, -1, kernel / kernel.sum())


def _noise(image: np.ndarray, sigma: float, rng) -> np.ndarray:
    """Sensor noise: brighter is noisier, and a coarser blotch of colour as phones leave it after denoising."""
    height, width = image.shape[:2]
    gray = rng.standard_normal((height, width), dtype=np.float32)
    if rng.random() < 0.7:
        gray = cv2.GaussianBlur(gray, (0, 0), rng.uniform(0.5, 0.9)) * 1.9
    colour = rng.standard_normal((height // 4 + 1, width // 4 + 1, 3), dtype=np.float32)
    colour = cv2.resize(colour, (width, height), interpolation=cv2.INTER_LINEAR)
    level = 0.6 + 0.4 * np.sqrt(np.clip(image.mean(axis=2, keepdims=True), 0, 255) / 128)
    return image + level * sigma * (gray[..., None] + 0.4 * colour)


def _tone(image: np.ndarray, conditions: Conditions, rng) -> np.ndarray:
    """White balance, gamma and a flat or steep curve."""
    gain = 1 + rng.normal(0, 0.035 + 0.03 * conditions.light, 3)
    image = image * gain.astype(np.float32)
    gamma = rng.uniform(0.85, 1.2)
    return 255 * np.power(np.clip(image, 0, 255) / 255, gamma, dtype=np.float32)


def _rescale(photo: Photo, factor: float, interpolation=cv2.INTER_AREA) -> Photo:
    width, height = photo.size
    new = max(16, round(width * factor)), max(16, round(height * factor))
    image = cv2.resize(photo.image, new, interpolation=interpolation)
    quad = None if photo.quad is None else photo.quad * [new[0] / width, new[1] / height]
    return Photo(image, quad)


def recompress(image: np.ndarray, quality: int) -> np.ndarray:
    """Encodes as JPEG and decodes again."""
    _, data = cv2.imencode(".jpg", np.clip(image, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, int(quality)])
    return cv2.imdecode(data, cv2.IMREAD_COLOR)


def turned(photo: Photo, turns: int) -> Photo:
    """The photo and its quad after counter-clockwise quarter turns."""
    for _ in range(turns % 4):
        width, _ = photo.size
        quad = photo.quad
        if quad is not None:
            quad = np.column_stack([quad[:, 1], width - quad[:, 0]])
        photo = Photo(np.rot90(photo.image), quad)
    return Photo(np.ascontiguousarray(photo.image), photo.quad)


def develop(photo: Photo, conditions: Conditions, shrink: float, rng, screenshot: bool = False) -> tuple[Photo, int]:
    """The finished uint8 photo and its JPEG quality.

    shrink      factor from the working size to the final one (at most 1); a chat app's resizing goes through it
    screenshot  no lens and no sensor: only resizing and compression
    """
    cap = conditions.cap / shrink
    image = photo.image.astype(np.float32, copy=False)
    if not screenshot:
        if conditions.defocus:
            image = _defocus(image, conditions.defocus * cap, photo.quad, rng)
        image = _soften(image, conditions.blur * cap)
        image = _smear(image, conditions.motion * cap, rng)
        image = _tone(image, conditions, rng)
        image = _noise(
            image, conditions.noise / (1 + 0.6 * conditions.sharpen), rng
        )  # phones denoise before they sharpen
        if rng.random() < 0.25 and conditions.noise > 3:
            image = cv2.medianBlur(np.clip(image, 0, 255).astype(np.uint8), 3).astype(np.float32)
        if conditions.sharpen > 0.05:
            radius = rng.uniform(0.9, 2.2) if conditions.sharpen > 0.8 else 1.0
            image = image + conditions.sharpen * (image - cv2.GaussianBlur(image, (0, 0), radius))
    result = Photo(image, photo.quad)
    if conditions.chat:
        result.image = recompress(result.image, rng.integers(75, 93))
    if shrink < 0.99:
        result = _rescale(result, shrink, cv2.INTER_AREA if rng.random() < 0.7 else cv2.INTER_LINEAR)
    if conditions.chat:
        result.image = recompress(result.image, max(42, conditions.quality - rng.integers(0, 22)))
    result = turned(result, conditions.turns)
    result.image = np.clip(result.image, 0, 255).astype(np.uint8)
    return result, conditions.quality
