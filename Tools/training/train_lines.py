"""Trains the line model: continues from a Tesseract model with synthetic lines, in PyTorch, and writes an int8 model.

    train_lines.py FROM.traineddata OUT.traineddata --words WORDS.txt --held-out FOLDER [--lines 500000] [--passes 7]

Lines are drawn first; then the network learns, on a GPU if there is one. Weights are rounded to int8 in each step, as
they are shipped, and the shipped ones are a moving average. Prints the share of held-out serials that are read exactly.
"""

import argparse
import multiprocessing
import os
import time

import compose_text
import cv2
import make_lines
import measure_model
import numpy as np
import torch
import typefaces
from line_network import MOST, STRIDE, LineNetwork, TrainedData, levels, quantised, texts
from torch import nn

SHARD, BATCH, BATCHES_SORTED = 200, 384, 12
RATE, WARM_UP, DECAY, LARGEST_GRADIENT, AVERAGED = 2e-3, 0.02, 1e-4, 4.0, 0.998
OTHER = 0.15  # share of lines that are words of a dictionary
EMPTY = 0.04  # share of crops without text
WIDEST = 1500  # pixels


def shard(task):
    """Returns [(levels, text)] of one shard."""
    number, seed, mixture = task
    return [
        (levels(image), compose_text.transcription(line.text))
        for image, line in make_lines.samples(seed, number, SHARD, mixture)
    ]


def draw(count, seed, mixture, minutes):
    """Returns [(levels, text)]: as many lines as asked for or as the minutes allow, drawn by one process a core."""
    items, began = [], time.monotonic()
    with multiprocessing.Pool(len(os.sched_getaffinity(0)), cv2.setNumThreads, (1,)) as pool:
        for some in pool.imap_unordered(shard, ((number, seed, mixture) for number in range(count // SHARD))):
            items += [(line, text) for line, text in some if line.shape[1] <= WIDEST]
            if time.monotonic() - began > 60 * minutes:
                break
    return items


class Lines:
    """Lines in the memory of a device, column by column, and what they say.

    Nothing is left for the processor to do in a step: on a GPU the steps would wait for it.
    """

    def __init__(self, items, trained, device):
        self.device = device
        self.widths = np.array([line.shape[1] for line, _ in items])
        self.starts = np.cumsum(self.widths) - self.widths
        self.columns = torch.from_numpy(np.concatenate([line.T for line, _ in items])).to(device)
        self.codes = [[trained.codes[c] for c in text if c in trained.codes] for _, text in items]

    def padded(self, chosen):
        """Returns (lines of -1...1 with noise after each line's end, their numbers of outputs)."""
        starts, widths = (torch.from_numpy(values[chosen]).to(self.device) for values in (self.starts, self.widths))
        column = torch.arange(int(self.widths[chosen].max()), device=self.device)
        found = self.columns[(starts[:, None] + column).clamp(max=len(self.columns) - 1)].transpose(1, 2).float() / MOST
        beyond = (column >= widths[:, None])[:, None]
        return torch.where(beyond, torch.rand_like(found) * 2 - 1, found), widths // STRIDE

    def targets(self, chosen):
        """Returns (the codes of these lines one after another, their numbers)."""
        codes = [self.codes[number] for number in chosen]
        return (
            torch.tensor([code for some in codes for code in some], device=self.device),
            torch.tensor([len(some) for some in codes], device=self.device),
        )

    def batches(self, rng):
        """Yields batches of lines of similar widths, without end."""
        while True:
            chosen = rng.integers(0, len(self.widths), BATCH * BATCHES_SORTED)
            chosen = chosen[np.argsort(self.widths[chosen])]
            for first in rng.permutation(BATCHES_SORTED) * BATCH:
                yield chosen[first : first + BATCH]


def varied(lines):
    """Augments lines: height, middle and slant, contrast, blur and noise."""
    count, height, width = lines.shape
    uniform = lambda low, high: torch.rand(count, 1, 1, device=lines.device) * (high - low) + low
    zero, one = torch.zeros(count, 1, 1, device=lines.device), torch.ones(count, 1, 1, device=lines.device)
    moved = torch.cat(
        [
            torch.cat([one, uniform(-0.08, 0.08) * height / width, zero], 2),
            torch.cat([zero, uniform(0.94, 1.06), uniform(-0.06, 0.06)], 2),
        ],
        1,
    )
    grid = nn.functional.affine_grid(moved, (count, 1, height, width), align_corners=False)
    lines = nn.functional.grid_sample(lines[:, None], grid, padding_mode="border", align_corners=False)
    blur = (uniform(-1, 1).clamp(min=0) * 0.8)[..., None]
    lines = ((1 - blur) * lines + blur * nn.functional.avg_pool2d(lines, 3, 1, 1, count_include_pad=False))[:, 0]
    noise = torch.randn_like(lines) * uniform(-0.12, 0.12).clamp(min=0)
    return (lines * uniform(0.8, 1.2) + uniform(-0.12, 0.12) + noise).clamp(-1, 1)


@torch.no_grad()
def exact(network, lines, serials, trained):
    """Returns the share of the serials that are read exactly (measure_model.py)."""
    right, order = 0, np.argsort(lines.widths)
    for first in range(0, len(order), 200):
        chosen = order[first : first + 200]
        tensor, lengths = lines.padded(chosen)
        read = texts(network(tensor, lengths), lengths, trained)
        right += sum(serials[number] in measure_model.folded(text).split() for text, number in zip(read, chosen))
    return right / len(order)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("start")
    parser.add_argument("out")
    parser.add_argument("--words", required=True, help="words of other lines, one a line")
    parser.add_argument("--held-out", required=True, help="folder of folders written by make_lines.py held-out")
    parser.add_argument("--lines", type=int, default=500_000, help="drawn")
    parser.add_argument("--passes", type=float, default=7)
    parser.add_argument("--drawing-minutes", type=float, default=1e9, help="then fewer lines are drawn")
    parser.add_argument("--minutes", type=float, default=1e9, help="then it ends, the drawing included")
    parser.add_argument("--typefaces", choices=("LINES", "GLYPHS"), default="LINES", help="the table of typefaces.py")
    parser.add_argument(
        "--foreign",
        type=float,
        default=0.06,
        help="share of lines that are a label in another script (foreign_labels.py)",
    )
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--seed", type=int, default=20260100)
    options = parser.parse_args()
    began = time.monotonic()
    with open(options.words) as file:
        dictionary = tuple(word for word in file.read().split() if len(word) > 1)
    mixture = make_lines.Mixture(
        getattr(typefaces, options.typefaces), typefaces.ALTERNATES, options.foreign, OTHER, dictionary, EMPTY
    )
    make_lines.require_typefaces()
    items = draw(options.lines, options.seed, mixture, options.drawing_minutes)

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(options.seed)
    trained = TrainedData(options.start)
    lines = Lines(items, trained, device)
    del items
    held_out = {}
    for preset in make_lines.PRESETS:
        found = [
            (picture, serial)
            for picture, _, serial in measure_model.held_out(os.path.join(options.held_out, preset))
            if serial
        ]
        pictures = [(levels(cv2.imread(picture, cv2.IMREAD_GRAYSCALE)), serial) for picture, serial in found]
        held_out[preset] = Lines(pictures, trained, device), [serial for _, serial in found]
    network, average = (LineNetwork(trained.model.matrices).to(device) for _ in range(2))
    weights = [weight for weight in network.parameters() if weight.requires_grad]
    optimiser = torch.optim.AdamW(weights, options.rate, betas=(0.9, 0.98), weight_decay=DECAY)
    loss_of = nn.CTCLoss(trained.model.blank, reduction="none", zero_infinity=True)
    total, seen, step, recent = options.passes * len(lines.widths), 0, 0, []

    def report(name, matrices):
        measured = LineNetwork(matrices).to(device)
        shares = " ".join(
            "%s %.1f" % (preset, 100 * exact(measured, *held, trained)) for preset, held in held_out.items()
        )
        print(
            "%s: %d s, %d lines, %d seen, loss %.4f; held-out exact %s"
            % (name, time.monotonic() - began, len(lines.widths), seen, np.mean(recent[-100:] or [0]), shares),
            flush=True,
        )

    def write():
        trained.write(options.out, [matrix.detach().cpu().numpy() for matrix in average.matrices()])

    report("start", trained.model.matrices)
    began_learning = time.monotonic()
    for chosen in lines.batches(np.random.default_rng(options.seed)):
        spent = time.monotonic() - began_learning
        done = max(seen / total, spent / max(1, 60 * options.minutes - (began_learning - began)))
        if done >= 1:
            break
        optimiser.param_groups[0]["lr"] = options.rate * min(1, done / WARM_UP) * 0.5 * (1 + np.cos(np.pi * done))
        tensor, lengths = lines.padded(chosen)
        targets, sizes = lines.targets(chosen)
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
        step, seen = step + 1, seen + len(chosen)
        with torch.no_grad():
            keep = min(AVERAGED, step / (step + 10))
            for mean, weight in zip(average.parameters(), network.parameters()):
                mean.lerp_(weight, 1 - keep)
        if step % 10 == 0:
            recent.append(loss.item())
        if step % 1000 == 0:
            write()
            print("%d s, %d seen, loss %.4f" % (time.monotonic() - began, seen, np.mean(recent[-100:])), flush=True)
    write()
    report("end", TrainedData(options.out).model.matrices)


if __name__ == "__main__":
    main()
