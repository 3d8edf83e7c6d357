"""Trains the network that tells single characters apart, on what make_glyphs.py made, and measures it.

    train_glyphs.py OUT.bin --train A.npz B.npz --held-out C.npz

One hidden layer, Adam with a cosine schedule, brightness and noise varied on the way. The same files give the same network.
"""

import argparse

import numpy as np

from compose_text import ALPHABET

HIDDEN, EPOCHS, BATCH, SEED = 64, 14, 256, 1
RATE, DECAY = 2e-3, 1e-4


def load(paths):
    files = [np.load(path) for path in paths]
    glyphs, sizes, characters = (np.concatenate([f[name] for f in files]) for name in ("glyphs", "sizes", "characters"))
    place = {character: index for index, character in enumerate(ALPHABET)}
    return inputs(glyphs, sizes), np.array([place[character] for character in characters])


def inputs(glyphs, sizes):
    """Darkness, proportions and height, as Sources/TextReading/GlyphModel.swift has them."""
    darkness = glyphs.reshape(len(glyphs), -1).astype(np.float32) / 255 - 0.35
    proportions = np.clip(np.log(sizes[:, 0] / sizes[:, 1]), -2, 1)[:, None]
    return np.concatenate([darkness, proportions, ((sizes[:, 1] - 22) / 8)[:, None]], 1).astype(np.float32)


class Network:
    def __init__(self, rng, count):
        layer = lambda n, m: rng.normal(0, 1 / np.sqrt(n), (n, m)).astype(np.float32)
        self.values = [layer(count, HIDDEN), np.zeros(HIDDEN, np.float32), layer(HIDDEN, len(ALPHABET)), np.zeros(len(ALPHABET), np.float32)]
        self.means = [np.zeros_like(v) for v in self.values]
        self.squares = [np.zeros_like(v) for v in self.values]
        self.steps = 0

    def run(self, x):
        """(the hidden layer, log-probabilities)."""
        hidden = np.maximum(x @ self.values[0] + self.values[1], 0)
        scores = hidden @ self.values[2] + self.values[3]
        scores -= scores.max(1, keepdims=True)
        return hidden, scores - np.log(np.exp(scores).sum(1, keepdims=True))

    def learn(self, x, y, rate):
        hidden, logs = self.run(x)
        error = np.exp(logs)
        error[np.arange(len(y)), y] -= 1
        error /= len(y)
        back = (error @ self.values[2].T) * (hidden > 0)
        gradients = [x.T @ back, back.sum(0), hidden.T @ error, error.sum(0)]
        self.steps += 1
        for value, mean, square, gradient in zip(self.values, self.means, self.squares, gradients):
            gradient = gradient + DECAY * value
            mean *= 0.9
            mean += 0.1 * gradient
            square *= 0.999
            square += 0.001 * gradient ** 2
            value -= rate * (mean / (1 - 0.9 ** self.steps)) / (np.sqrt(square / (1 - 0.999 ** self.steps)) + 1e-8)

    def write(self, path):
        """The number of hidden units, then each unit's weights with its bias, layer by layer: little-endian 32-bit floats."""
        layers = [np.concatenate([w, b[None]]).T.ravel() for w, b in (self.values[:2], self.values[2:])]
        np.concatenate([[HIDDEN], *layers]).astype("<f4").tofile(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--train", nargs="+", required=True)
    parser.add_argument("--held-out", nargs="+", required=True)
    options = parser.parse_args()
    x, y = load(options.train)
    held_x, held_y = load(options.held_out)
    rng = np.random.default_rng(SEED)
    network = Network(rng, x.shape[1])
    pixels = x.shape[1] - 2
    for epoch in range(EPOCHS):
        order = rng.permutation(len(x))
        rate = RATE * (0.5 + 0.5 * np.cos(np.pi * epoch / EPOCHS)) + RATE / 100
        for start in range(0, len(order) - BATCH + 1, BATCH):
            chosen = order[start:start + BATCH]
            batch = x[chosen]
            batch[:, :pixels] *= rng.uniform(0.8, 1.2, (BATCH, 1)).astype(np.float32)
            batch[:, :pixels] += rng.normal(0, 0.04, (BATCH, pixels)).astype(np.float32)
            network.learn(batch, y[chosen], rate)
    network.write(options.out)
    for name, (a, b) in {"training": (x, y), "held-out": (held_x, held_y)}.items():
        logs = network.run(a)[1]
        print("%s: %d characters, %.1f %% right, cross entropy %.3f"
              % (name, len(b), 100 * (logs.argmax(1) == b).mean(), -logs[np.arange(len(b)), b].mean()))


if __name__ == "__main__":
    main()
