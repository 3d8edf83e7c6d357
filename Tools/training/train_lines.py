"""Trains the line model: continues from a Tesseract model with synthetic lines, in PyTorch, and writes an int8 model.

    train_lines.py FROM.traineddata OUT.traineddata --words WORDS.txt --held-out FOLDER [--lines 1200000] [--passes 4]

Lines are drawn by one process a core while the network learns, on a GPU if there is one. Weights are rounded to int8
in each step, as they are shipped, and the shipped ones are a moving average. Prints the share of held-out serials that
are read exactly. Lines depend on the seed only; the model also on when lines were ready.
"""

import argparse
import multiprocessing
import os
import threading
import time

import cv2
import numpy as np
import torch
from torch import nn

import compose_text
import make_lines
import measure_model
import typefaces
from line_network import HEIGHT, MOST, STRIDE, LineNetwork, TrainedData, levels, quantised, texts

SHARD, BATCH, BATCHES_SORTED = 200, 384, 12
RATE, WARM_UP, DECAY, LARGEST_GRADIENT, AVERAGED = 2e-3, 0.02, 1e-4, 4.0, 0.998
OTHER = 0.15  # share of lines that are words of a dictionary
WIDEST = 1500  # pixels


def shard(task):
    """Returns [(levels, text)] of one shard."""
    number, seed, mixture = task
    return [(levels(image), compose_text.transcription(line.text)) for image, line in make_lines.samples(seed, number, SHARD, mixture)]


class Lines:
    """The lines drawn so far, [(levels, codes)]; further ones are drawn in the background."""

    def __init__(self, trained, count, seed, mixture, workers):
        self.items, self.trained, self.count, self.is_complete = [], trained, count, False
        self.pool = multiprocessing.Pool(workers, cv2.setNumThreads, (1,))
        self.tasks = ((number, seed, mixture) for number in range(count // SHARD))
        threading.Thread(target=self.collect, daemon=True).start()

    def collect(self):
        for items in self.pool.imap_unordered(shard, self.tasks):
            self.items += [(line, [self.trained.codes[c] for c in text if c in self.trained.codes])
                           for line, text in items if line.shape[1] <= WIDEST]
        self.is_complete = True

    def batches(self, rng, passes):
        """Yields batches of lines of similar widths, at most `passes` times as many as there are lines."""
        given = 0
        while given < passes * self.count:
            if not self.items or (not self.is_complete and given + BATCH * BATCHES_SORTED > passes * len(self.items)):
                time.sleep(0.2)
                continue
            chosen = sorted((self.items[i] for i in rng.integers(0, len(self.items), BATCH * BATCHES_SORTED)), key=lambda item: item[0].shape[1])
            for first in rng.permutation(BATCHES_SORTED) * BATCH:
                yield chosen[first:first + BATCH]
            given += len(chosen)


def padded(items, device):
    """Returns (lines of -1...1 with noise after each line's end, their numbers of outputs)."""
    widths = np.array([line.shape[1] for line, *_ in items])
    out = np.zeros((len(items), HEIGHT, widths.max()), np.int8)
    for row, (line, *_) in zip(out, items):
        row[:, :line.shape[1]] = line
    lines = torch.from_numpy(out).to(device).float() / MOST
    beyond = (torch.arange(lines.shape[2]) >= torch.from_numpy(widths)[:, None])[:, None].to(device)
    return torch.where(beyond, torch.rand_like(lines) * 2 - 1, lines), torch.from_numpy(widths // STRIDE).to(device)


def varied(lines):
    """Augments lines: height, middle and slant, contrast, blur and noise."""
    count, height, width = lines.shape
    uniform = lambda low, high: torch.rand(count, 1, 1, device=lines.device) * (high - low) + low
    zero, one = torch.zeros(count, 1, 1, device=lines.device), torch.ones(count, 1, 1, device=lines.device)
    moved = torch.cat([torch.cat([one, uniform(-0.08, 0.08) * height / width, zero], 2),
                       torch.cat([zero, uniform(0.94, 1.06), uniform(-0.06, 0.06)], 2)], 1)
    grid = nn.functional.affine_grid(moved, (count, 1, height, width), align_corners=False)
    lines = nn.functional.grid_sample(lines[:, None], grid, padding_mode="border", align_corners=False)
    blur = (uniform(-1, 1).clamp(min=0) * 0.8)[..., None]
    lines = ((1 - blur) * lines + blur * nn.functional.avg_pool2d(lines, 3, 1, 1, count_include_pad=False))[:, 0]
    noise = torch.randn_like(lines) * uniform(-0.12, 0.12).clamp(min=0)
    return (lines * uniform(0.8, 1.2) + uniform(-0.12, 0.12) + noise).clamp(-1, 1)


@torch.no_grad()
def exact(network, lines, trained, device):
    """Returns the share of the serials of [(levels, serial)] that are read exactly (measure_model.py)."""
    right, items = 0, sorted(lines, key=lambda item: item[0].shape[1])
    for first in range(0, len(items), 200):
        part = items[first:first + 200]
        tensor, lengths = padded(part, device)
        read = texts(network(tensor, lengths), lengths, trained)
        right += sum(serial in measure_model.folded(text).split() for text, (_, serial) in zip(read, part))
    return right / len(items)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("start")
    parser.add_argument("out")
    parser.add_argument("--words", required=True, help="words of other lines, one a line")
    parser.add_argument("--held-out", required=True, help="folder of folders written by make_lines.py held-out")
    parser.add_argument("--lines", type=int, default=1_200_000)
    parser.add_argument("--passes", type=float, default=4)
    parser.add_argument("--minutes", type=float, default=1e9, help="ends earlier")
    parser.add_argument("--typefaces", choices=("LINES", "GLYPHS"), default="LINES", help="the table of typefaces.py")
    parser.add_argument("--foreign", type=float, default=0.0, help="share of lines that are a label in another script (foreign_labels.py)")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--seed", type=int, default=20260100)
    options = parser.parse_args()
    began = time.monotonic()
    with open(options.words) as file:
        dictionary = tuple(word for word in file.read().split() if len(word) > 1)
    mixture = make_lines.Mixture(getattr(typefaces, options.typefaces), typefaces.ALTERNATES, options.foreign, OTHER, dictionary)
    make_lines.require_typefaces()
    trained = TrainedData(options.start)
    lines = Lines(trained, options.lines, options.seed, mixture, max(1, os.cpu_count() - 1))
    held_out = {preset: [(levels(cv2.imread(picture, cv2.IMREAD_GRAYSCALE)), serial)
                         for picture, _, serial in measure_model.held_out(os.path.join(options.held_out, preset)) if serial]
                for preset in make_lines.PRESETS}

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(options.seed)
    network, average = (LineNetwork(trained.model.matrices).to(device) for _ in range(2))
    weights = [weight for weight in network.parameters() if weight.requires_grad]
    optimiser = torch.optim.AdamW(weights, options.rate, betas=(0.9, 0.98), weight_decay=DECAY)
    loss_of = nn.CTCLoss(trained.model.blank, reduction="none", zero_infinity=True)
    total, seen, step, recent = options.passes * options.lines, 0, 0, []

    def report(name, matrices):
        measured = LineNetwork(matrices).to(device)
        shares = " ".join("%s %.1f" % (preset, 100 * exact(measured, items, trained, device)) for preset, items in held_out.items())
        print("%s: %d s, %d lines drawn, %d seen, loss %.4f; held-out exact %s"
              % (name, time.monotonic() - began, len(lines.items), seen, np.mean(recent[-100:] or [0]), shares), flush=True)

    def write():
        trained.write(options.out, [matrix.detach().cpu().numpy() for matrix in average.matrices()])

    report("start", trained.model.matrices)
    for items in lines.batches(np.random.default_rng(options.seed), options.passes):
        done = max(seen / total, (time.monotonic() - began) / (60 * options.minutes))
        if done >= 1:
            break
        optimiser.param_groups[0]["lr"] = options.rate * min(1, done / WARM_UP) * 0.5 * (1 + np.cos(np.pi * done))
        tensor, lengths = padded(items, device)
        targets = torch.tensor([code for _, codes in items for code in codes], device=device)
        sizes = torch.tensor([len(codes) for _, codes in items], device=device)
        # The step is taken on rounded weights and applied to the unrounded ones.
        exact_weights = [weight.detach().clone() for weight in weights]
        network.set_matrices(quantised(network.matrices()))
        with torch.autocast(device, torch.bfloat16, enabled=device == "cpu"):  # a third faster there
            outputs = network(varied(tensor), lengths)
        loss = loss_of(outputs.float(), targets, lengths, sizes).sum() / sizes.sum()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(weights, LARGEST_GRADIENT)
        with torch.no_grad():
            for weight, value in zip(weights, exact_weights):
                weight.copy_(value)
        optimiser.step()
        step, seen = step + 1, seen + len(items)
        with torch.no_grad():
            keep = min(AVERAGED, step / (step + 10))
            for mean, weight in zip(average.parameters(), network.parameters()):
                mean.lerp_(weight, 1 - keep)
        if step % 10 == 0:
            recent.append(loss.item())
        if step % 1000 == 0:
            write()
            print("%d s, %d drawn, %d seen, loss %.4f" % (time.monotonic() - began, len(lines.items), seen, np.mean(recent[-100:])), flush=True)
    write()
    report("end", TrainedData(options.out).model.matrices)
    lines.pool.terminate()


if __name__ == "__main__":
    main()
