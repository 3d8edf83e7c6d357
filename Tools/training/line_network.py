"""Tesseract's LSTM line network in PyTorch: reads its weights from a model's file, and writes them back as int8.

The file format is defined by lstm/network.cpp, lstm/weightmatrix.cpp and lstm/lstmrecognizer.cpp of Tesseract 5: a tree
of layers, then the recogniser's own fields, all little-endian. Only weights are replaced here; everything else is kept
as it is. The network is that of Debian's `eng`: [1,36,0,1 Ct3,3,16 Mp3,3 Lfys48 Lfx96 Lrx96 Lfx192 O1c1].
"""

import struct

import cv2
import numpy as np
import torch
from torch import nn

HEIGHT = 36  # pixels of a line
STRIDE = 3  # columns of a line that become one output
INT8_WEIGHTS, DOUBLE_WEIGHTS, MOST = 1, 128, 127
LAYER_SPECIFIC_RATES = 64  # a network flag: the layer carries learning rates of its own
CONTAINERS = {"Series", "RTLReversed", "XYTranspose"}
FIXED_SIZE = {"Input": 20, "Convolve": 8, "Maxpool": 8}  # bytes of shape
LSTM_GATES = 4


class ModelFile:
    """A model's component `lstm`: its weights, row by row with the bias last, between bytes that are kept."""

    def __init__(self, data):
        self.data, self.at, self.kept, self.matrices, self.kept_from = data, 0, [], [], 0
        self.layer()
        self.text()  # the network's specification
        *_, self.blank = self.fields("iiii")
        self.kept.append(data[self.kept_from :])

    def raw(self, size):
        piece = self.data[self.at : self.at + size]
        if len(piece) != size:
            raise ValueError("the model ends early")
        self.at += size
        return piece

    def fields(self, form):
        return struct.unpack("<" + form, self.raw(struct.calcsize("<" + form)))

    def text(self):
        return self.raw(self.fields("I")[0]).decode()

    def weights(self):
        self.kept.append(self.data[self.kept_from : self.at])
        mode, rows, columns, _ = self.fields("BIIb")
        if not (mode & INT8_WEIGHTS and mode & DOUBLE_WEIGHTS):
            raise ValueError("not an int8 model of Tesseract 4 or 5 (weight mode %d)" % mode)
        quantised = np.frombuffer(self.raw(rows * columns), np.int8).reshape(rows, columns)
        (count,) = self.fields("I")
        scales = np.frombuffer(self.raw(8 * count), "<f8")[:rows]
        self.matrices.append((quantised * scales[:, None]).astype(np.float32))
        self.kept_from = self.at

    def layer(self):
        self.fields("b")  # always 0: the type follows by name
        kind = self.text()
        _, _, flags, *_ = self.fields(
            "bbiiii"
        )  # training state, needs back-propagation, flags, inputs, outputs, weights
        self.text()  # name
        if kind in FIXED_SIZE:
            self.raw(FIXED_SIZE[kind])
        elif kind in CONTAINERS:
            for _ in range(self.fields("I")[0]):
                self.layer()
            if flags & LAYER_SPECIFIC_RATES:
                self.raw(4 * self.fields("I")[0])
        elif kind in ("LSTM", "SummLSTM"):
            self.fields("i")
            for _ in range(LSTM_GATES):
                self.weights()
        elif kind in ("Tanh", "Softmax"):
            self.weights()
        else:
            raise ValueError("unknown layer " + kind)

    def bytes(self, matrices):
        """Returns the file with other weights, as int8."""
        out = bytearray()
        for kept, matrix in zip(self.kept, matrices):
            scales = row_scales(torch.as_tensor(matrix)).double().numpy()
            quantised = np.rint(matrix / scales).astype(np.int8)
            out += kept + struct.pack("<BIIb", INT8_WEIGHTS | DOUBLE_WEIGHTS, *matrix.shape, 0) + quantised.tobytes()
            out += struct.pack("<I", len(scales)) + scales.astype("<f8").tobytes()
        return bytes(out + self.kept[-1])


def row_scales(matrix):
    """Returns the value of one int8 step for each row (WeightMatrix::ConvertToInt)."""
    return matrix.abs().amax(1, keepdim=True).clamp(min=1e-9) / MOST


def quantised(matrices):
    """Returns the weights as they are after they were written as int8."""
    return [(matrix / row_scales(matrix)).round() * row_scales(matrix) for matrix in matrices]


class TrainedData:
    """A .traineddata file (ccutil/tessdatamanager.cpp: a number of parts, their offsets or -1, the parts): its line
    network and its characters. Dictionaries are not written."""

    LSTM, CHARACTERS, CODES, VERSION, PARTS = 17, 21, 22, 23, 24

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        (count,) = struct.unpack_from("<I", data)
        offsets = struct.unpack_from("<%dq" % count, data, 4)
        starts = sorted((offset, number) for number, offset in enumerate(offsets) if offset >= 0)
        ends = [offset for offset, _ in starts[1:]] + [len(data)]
        parts = {number: data[offset:end] for (offset, number), end in zip(starts, ends)}
        self.parts = {number: parts[number] for number in (self.LSTM, self.CHARACTERS, self.CODES, self.VERSION)}
        self.model = ModelFile(self.parts[self.LSTM])
        characters = [row.split(" ")[0] for row in self.parts[self.CHARACTERS].decode().splitlines()[1:]]
        # ccutil/unicharcompress.cpp: each character is one code (int8 flag, int32 length, int32 code).
        codes = [code for _, _, code in struct.iter_unpack("<bii", self.parts[self.CODES][4:])]
        self.codes = {
            " " if character == "NULL" else character: code
            for character, code in zip(characters, codes)
            if code != self.model.blank
        }
        self.characters = {code: character for character, code in self.codes.items()}

    def write(self, path, matrices):
        parts = {**self.parts, self.LSTM: self.model.bytes(matrices)}
        offsets, at = [-1] * self.PARTS, 4 + 8 * self.PARTS
        for number, part in parts.items():
            offsets[number], at = at, at + len(part)
        with open(path, "wb") as file:
            file.write(struct.pack("<I%dq" % self.PARTS, self.PARTS, *offsets) + b"".join(parts.values()))


def scaled(line):
    """Scales a line to the network's height as Leptonica's pixScale does, which Tesseract calls: from 0.7 on linear
    interpolation between upper left corners and an unsharp mask (5 pixels, 0.4), below that the mean of an area and a
    mask of 3 pixels and 0.2."""
    factor = HEIGHT / line.shape[0]
    width = max(1, int(factor * line.shape[1] + 0.5))
    if factor == 1:
        return line
    if factor < 0.7:
        out, size, share = cv2.resize(line, (width, HEIGHT), interpolation=cv2.INTER_AREA), 3, 0.2
    else:
        x = np.minimum(np.arange(width, dtype=np.float32) * line.shape[1] / width, line.shape[1] - 1)
        y = np.minimum(np.arange(HEIGHT, dtype=np.float32) * line.shape[0] / HEIGHT, line.shape[0] - 1)
        out = cv2.remap(line, *np.meshgrid(x, y), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        size, share = 5, 0.4
    if factor > 1.4:
        return out
    sharp = out + share * (out - cv2.blur(out.astype(np.float32), (size, size)))
    half = size // 2
    out = out.copy()
    out[half:-half, half:-half] = np.clip(sharp + 0.5, 0, 255).astype(np.uint8)[half:-half, half:-half]
    return out


def levels(line):
    """Returns a line of gray levels as the network's input, -1...1, in int8 steps."""
    line = scaled(line)
    black, half = contrast(line)
    return np.rint(np.clip((line - black) / half - 1, -1, 1) * MOST).astype(np.int8)


def contrast(line):
    """Returns (black, half of the distance to white) of a line (ComputeBlackWhite in lstm/networkio.cpp): quartiles of
    the minima and of the maxima along its middle row."""
    row = line[line.shape[0] // 2].astype(int)
    before, here, after = row[:-2], row[1:-1], row[2:]
    minima = here[((here < before) & (here <= after)) | ((here <= before) & (here < after))]
    maxima = here[((here > before) & (here >= after)) | ((here >= before) & (here > after))]
    black = np.percentile(minima, 25) if len(minima) else 0
    white = np.percentile(maxima, 75) if len(maxima) else 255
    half = (white - black) / 2
    return black, half if half > 0 else 1.0


class Rounded(torch.autograd.Function):
    """Rounds to int8 steps of -1...1, as between Tesseract's layers; passes gradients on."""

    @staticmethod
    def forward(_, values):
        return (values * MOST).round() / MOST

    @staticmethod
    def backward(_, gradients):
        return gradients


class LineNetwork(nn.Module):
    def __init__(self, matrices):
        super().__init__()
        self.strokes = nn.Conv2d(1, 16, 3)
        self.columns = nn.LSTM(16, 48)
        self.forwards = nn.LSTM(48, 96)
        self.backwards = nn.LSTM(96, 96)
        self.last = nn.LSTM(96, 192)
        self.characters = nn.Linear(192, len(matrices[-1]))
        self.set_matrices([torch.as_tensor(matrix) for matrix in matrices])
        for lstm in self.lstms():
            lstm.bias_hh_l0.requires_grad_(False)  # Tesseract has one bias

    def lstms(self):
        return self.columns, self.forwards, self.backwards, self.last

    def matrices(self):
        """Returns the weights in the order of Tesseract's file: one matrix a layer, four an LSTM."""
        out = [torch.cat([self.strokes.weight[:, 0].transpose(1, 2).reshape(16, 9), self.strokes.bias[:, None]], 1)]
        for lstm in self.lstms():
            whole = torch.cat([lstm.weight_ih_l0, lstm.weight_hh_l0, lstm.bias_ih_l0[:, None]], 1)
            into, forget, cell, output = whole.chunk(4)  # PyTorch's order
            out += [cell, into, forget, output]  # Tesseract's: CI, GI, GF1, GO
        return out + [torch.cat([self.characters.weight, self.characters.bias[:, None]], 1)]

    @torch.no_grad()
    def set_matrices(self, matrices):
        strokes, *gates, characters = matrices
        self.strokes.weight.copy_(strokes[:, :-1].reshape(16, 3, 3).transpose(1, 2)[:, None])
        self.strokes.bias.copy_(strokes[:, -1])
        for index, lstm in enumerate(self.lstms()):
            cell, into, forget, output = gates[4 * index : 4 * index + 4]
            whole, inputs = torch.cat([into, forget, cell, output]), lstm.input_size
            lstm.weight_ih_l0.copy_(whole[:, :inputs])
            lstm.weight_hh_l0.copy_(whole[:, inputs:-1])
            lstm.bias_ih_l0.copy_(whole[:, -1])
            lstm.bias_hh_l0.zero_()
        self.characters.weight.copy_(characters[:, :-1])
        self.characters.bias.copy_(characters[:, -1])

    def forward(self, lines, lengths):
        """Takes lines (batch, HEIGHT, width) of -1...1 and their numbers of outputs; returns log-probabilities
        (outputs, batch, codes)."""
        batch, height, width = lines.shape
        # Beyond the picture Tesseract convolves noise.
        padded = torch.rand(batch, 1, height + 2, width + 2, device=lines.device) * 2 - 1
        padded[:, 0, 1:-1, 1:-1] = Rounded.apply(lines)
        x = Rounded.apply(torch.tanh(self.strokes(padded)))
        x = nn.functional.max_pool2d(x, STRIDE)  # (batch, 16, 12, outputs)
        x = x.permute(2, 0, 3, 1).reshape(height // STRIDE, -1, 16)
        x = self.columns(x)[0][-1].reshape(batch, -1, 48).transpose(0, 1)
        x = self.forwards(Rounded.apply(x))[0]
        # Reversed within each line's own length.
        steps = torch.arange(x.shape[0], device=x.device)[:, None]
        back = torch.where(steps < lengths, lengths - 1 - steps, steps)[..., None].expand(-1, -1, 96)
        x = self.backwards(Rounded.apply(x).gather(0, back))[0].gather(0, back)
        x = self.last(Rounded.apply(x))[0]
        return self.characters(Rounded.apply(x)).log_softmax(2)


def texts(log_probabilities, lengths, trained):
    """Returns each line's text: the best code at every output, repetitions and blanks dropped."""
    best = log_probabilities.argmax(2).T.cpu().numpy()
    out = []
    for codes, length in zip(best, lengths):
        codes = codes[:length]
        changed = np.concatenate([[True], codes[1:] != codes[:-1]])
        out.append("".join(trained.characters[code] for code in codes[changed] if code != trained.model.blank))
    return out
