"""Camera effects: motion blur, exposure and noise; and the ground truth of the frame."""

import cv2
import numpy as np

WIDTH, HEIGHT = 1280, 720


def motion_blur(frame: np.ndarray, way: np.ndarray) -> np.ndarray:
    """The frame with motion blur along a path in pixels."""
    length = float(np.hypot(*way))
    if length < 1.5:
        return frame
    side = int(np.ceil(length)) | 1
    kernel = np.zeros((side, side), np.float32)
    middle = (side - 1) / 2
    ends = [np.round((middle + sign * way / 2) * 16).astype(int) for sign in (-1, 1)]
    cv2.line(kernel, tuple(int(v) for v in ends[0]), tuple(int(v) for v in ends[1]), 1, 1, cv2.LINE_AA, 4)
    return cv2.filter2D(frame, -1, kernel / max(kernel.sum(), 1e-6))


def exposed(frame: np.ndarray, light: float, noise: float, rng: np.random.Generator) -> np.ndarray:
    """The frame in another light, with noise of a standard deviation in grey levels."""
    return np.clip(frame * light + rng.normal(0, noise, frame.shape), 0, 255).astype(np.uint8)


def quad_truth(quad: np.ndarray, seen: np.ndarray) -> dict:
    """The ground truth of a flat object with four corners in the frame; `seen` is its share of each pixel, 0...1."""
    return {**seen_truth(quad, seen), "quad": [[round(float(v), 2) for v in point] for point in quad]}


def seen_truth(outline: np.ndarray, seen: np.ndarray) -> dict:
    """The ground truth of an object with an outline in the frame: its box, and its visible share."""
    low, high = outline.min(0), outline.max(0)
    box = [max(0, low[0]), max(0, low[1]), min(WIDTH, high[0]), min(HEIGHT, high[1])]
    in_frame = box[2] - box[0] > 2 and box[3] - box[1] > 2
    whole = cv2.contourArea(outline.astype(np.float32))
    return {
        "box": [round(float(v), 2) for v in box] if in_frame else None,
        "quad": None,
        "visible": round(float(seen.sum() / max(float(whole), 1)), 3),
    }
