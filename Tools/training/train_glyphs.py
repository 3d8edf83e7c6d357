"""Trains the network that classifies single characters on the output of make_glyphs.py, and measures it.

    train_glyphs.py OUT.bin --train A.npz B.npz --held-out C.npz [--epochs 6]

Three convolution layers and one hidden layer, Adam with a cosine schedule; augments contrast, noise, slant and the
edges of the box. The same files result in the same network.
"""

import argparse
import functools

import cv2
import jax
import jax.numpy as jnp
import numpy as np
import optax
from compose_text import ALPHABET

CHANNELS, HIDDEN, EPOCHS, BATCH, SEED = (8, 16, 32), 48, 6, 256, 1
RATE, DECAY, DROPPED = 2e-3, 1e-3, 0.1
STRIDES = (1, 2, 2)
GRAY = 0.35  # subtracted from darkness, so that ground and strokes lie on both sides of zero


def load(paths):
    """Returns (darkness 0...255, proportions and height, index in the alphabet)."""
    files = [np.load(path) for path in paths]
    glyphs, sizes, characters = (np.concatenate([f[name] for f in files]) for name in ("glyphs", "sizes", "characters"))
    place = {character: index for index, character in enumerate(ALPHABET)}
    return glyphs, proportions(sizes), np.array([place[character] for character in characters])


def proportions(sizes):
    """Returns the features of boxes' widths and heights, as in Sources/TextReading/GlyphModel.swift."""
    return np.stack([np.clip(np.log(sizes[:, 0] / sizes[:, 1]), -2, 1), (sizes[:, 1] - 22) / 8], 1).astype(np.float32)


def start(rng, channels, hidden):
    """Returns initial weights and biases, layer by layer, for pictures of 24 x 16."""
    inputs = (1, *channels[:-1])
    shapes = [(3, 3, n, m) for n, m in zip(inputs, channels)]
    shapes += [(6 * 4 * channels[-1] + 2, hidden), (hidden, len(ALPHABET))]
    return [
        (rng.normal(0, np.sqrt(1.5 / np.prod(shape[:-1])), shape).astype(np.float32), np.zeros(shape[-1], np.float32))
        for shape in shapes
    ]


def log_probabilities(layers, x, also, kept=None):
    x = x[..., None]
    for (weights, bias), stride in zip(layers, STRIDES):
        x = jax.lax.conv_general_dilated(
            x, weights, (stride, stride), ((1, 1), (1, 1)), dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        x = jax.nn.relu(x + bias)
    x = jnp.concatenate([x.reshape(len(x), -1), also], 1)
    x = jax.nn.relu(x @ layers[-2][0] + layers[-2][1])
    if kept is not None:
        x = x * kept / (1 - DROPPED)
    return jax.nn.log_softmax(x @ layers[-1][0] + layers[-1][1])


def loss(layers, x, also, y, kept):
    return -jnp.take_along_axis(log_probabilities(layers, x, also, kept), y[:, None], 1).mean()


def varied(rng, glyphs):
    """Augments pictures: contrast, noise, slant, and edges of the box shifted by up to a twentieth."""
    height, width = glyphs.shape[1:]
    out = np.empty(glyphs.shape, np.float32)
    for index, glyph in enumerate(glyphs):
        (sx, sy), slant, (dx, dy) = (
            1 + rng.uniform(-1, 1, 2) * (0.05, 0.03),
            rng.uniform(-0.1, 0.1),
            rng.uniform(-1, 1, 2) * (0.05, 0.03),
        )
        shift = np.float32([[sx, slant * width / height, 0], [0, sy, 0]])
        middle = np.float32([(width - 1) / 2, (height - 1) / 2])
        shift[:, 2] = middle - shift[:, :2] @ middle + np.float32([dx * width / 2, dy * height / 2])
        out[index] = cv2.warpAffine(
            glyph, shift, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
    out = (out / 255 - GRAY) * rng.uniform(0.75, 1.25, (len(out), 1, 1))
    return (out + rng.normal(0, 0.04, out.shape)).astype(np.float32)


def write(layers, path):
    """Writes the numbers of channels and of hidden units, then each layer's weights and biases, as little-endian
    16-bit floats."""
    counts = [weights.shape[-1] for weights, _ in layers[:-1]]
    values = [np.float32(counts)] + [np.concatenate([w.ravel(), b]) for w, b in layers]
    np.concatenate(values).astype("<f2").tofile(path)


class Guide:
    """A trained network, loaded from its file."""

    MOST = 48  # characters at a time, so that it is compiled once

    def __init__(self, path):
        values = np.fromfile(path, "<f2").astype(np.float32)
        first = len(STRIDES) + 1
        *channels, hidden = values[:first].astype(int)
        layers = start(np.random.default_rng(0), channels, hidden)
        for index, (weights, bias) in enumerate(layers):
            last = first + weights.size
            layers[index] = values[first:last].reshape(weights.shape), values[last : last + bias.size]
            first = last + bias.size
        self.run = jax.jit(functools.partial(log_probabilities, layers))

    def log_probabilities(self, glyphs):
        """Returns the log-probabilities for each result of make_glyphs.glyph; None for None."""
        known = [index for index, found in enumerate(glyphs) if found is not None][: self.MOST]
        darkness, sizes = np.zeros((self.MOST, 24, 16), np.float32), np.ones((self.MOST, 2))
        for row, index in enumerate(known):
            darkness[row], sizes[row] = glyphs[index][0] / np.float32(255) - GRAY, glyphs[index][1:]
        logs, out = np.asarray(self.run(darkness, proportions(sizes))), [None] * len(glyphs)
        for row, index in enumerate(known):
            out[index] = logs[row]
        return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--train", nargs="+", required=True)
    parser.add_argument("--held-out", nargs="+", required=True)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--channels", type=int, nargs=len(STRIDES), default=CHANNELS)
    parser.add_argument("--hidden", type=int, default=HIDDEN)
    parser.add_argument(
        "--temperature", type=float, default=1, help="divisor of log-odds, to calibrate them for unseen typefaces"
    )
    options = parser.parse_args()
    cv2.setNumThreads(1)
    glyphs, also, y = load(options.train)
    rng = np.random.default_rng(SEED)
    layers = start(rng, options.channels, options.hidden)
    steps = options.epochs * (len(y) // BATCH)
    optimiser = optax.adamw(optax.warmup_cosine_decay_schedule(RATE / 20, RATE, steps // 20, steps), weight_decay=DECAY)
    state = optimiser.init(layers)

    @jax.jit
    def learn(layers, state, *batch):
        gradients = jax.grad(loss)(layers, *batch)
        updates, state = optimiser.update(gradients, state, layers)
        return optax.apply_updates(layers, updates), state

    for epoch in range(options.epochs):
        order = rng.permutation(len(y))
        for first in range(0, len(order) - BATCH + 1, BATCH):
            chosen = order[first : first + BATCH]
            kept = (rng.random((BATCH, options.hidden)) >= DROPPED).astype(np.float32)
            layers, state = learn(layers, state, varied(rng, glyphs[chosen]), also[chosen], y[chosen], kept)
    layers[-1] = tuple(values / options.temperature for values in layers[-1])
    write(layers, options.out)
    measured = jax.jit(log_probabilities)
    for name, files in {"training": options.train, "held-out": options.held_out}.items():
        glyphs, also, y = load(files)
        logs = np.concatenate(
            [
                measured(layers, glyphs[i : i + 1000] / np.float32(255) - GRAY, also[i : i + 1000])
                for i in range(0, len(y), 1000)
            ]
        )
        print(
            "%s: %d characters, %.1f %% right, cross entropy %.3f"
            % (name, len(y), 100 * (logs.argmax(1) == y).mean(), -logs[np.arange(len(y)), y].mean())
        )


if __name__ == "__main__":
    main()
