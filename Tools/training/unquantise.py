"""Converts an int8 Tesseract LSTM to the float format for `lstmtraining --continue_from`.

    unquantise.py IN.lstm OUT.lstm

Debian ships `eng` only as an int8 ("fast") model. Each weight becomes its int8 value times its row's scale
(lstm/weightmatrix.cpp), so the float network computes the same function; training continues from there. The file
format is defined by lstm/network.cpp and lstm/lstmrecognizer.cpp of Tesseract 5: a tree of layers, then the
recogniser's own fields, all little-endian.
"""

import struct
import sys

import numpy as np

INT8_WEIGHTS, DOUBLE_WEIGHTS, TRAINING_INT_MODE = 1, 128, 1
LAYER_SPECIFIC_RATES = 64  # a network flag: the layer carries learning rates of its own
CONTAINERS = {"Series", "Parallel", "Replicated", "ParallelBidiLSTM", "DepParUDLSTM", "Par2dLSTM", "RTLReversed", "TTBReversed", "XYTranspose"}
FULLY_CONNECTED = {"Softmax", "SoftmaxNoCTC", "Logistic", "LinLogistic", "LinTanh", "Tanh", "Relu", "Linear"}
FIXED_SIZE = {"Input": 20, "Convolve": 8, "Maxpool": 8, "Reconfig": 8}  # bytes of shape
LSTM_GATES = 4  # without the 2-D forget gate, which `eng` doesn't have


class Converter:
    def __init__(self, data):
        self.data, self.at, self.out = data, 0, bytearray()

    def raw(self, size):
        piece = self.data[self.at:self.at + size]
        if len(piece) != size:
            raise ValueError("the model ends early")
        self.at += size
        return piece

    def fields(self, form):
        return struct.unpack("<" + form, self.raw(struct.calcsize("<" + form)))

    def copy(self, form):
        values = self.fields(form)
        self.out += struct.pack("<" + form, *values)
        return values

    def copy_text(self):
        size, = self.copy("I")
        text = self.raw(size)
        self.out += text
        return text.decode()

    def weights(self):
        mode, = self.fields("B")
        if not (mode & INT8_WEIGHTS and mode & DOUBLE_WEIGHTS):
            raise ValueError("not an int8 model of Tesseract 4 or 5 (weight mode %d)" % mode)
        rows, columns = self.fields("II")
        self.fields("b")  # the array's unused default value
        quantised = np.frombuffer(self.raw(rows * columns), np.int8).reshape(rows, columns)
        count, = self.fields("I")
        scales = np.frombuffer(self.raw(8 * count), "<f8")[:rows]
        self.out += struct.pack("<BIId", mode & ~INT8_WEIGHTS, rows, columns, 0.0)
        self.out += (quantised * scales[:, None]).astype("<f8").tobytes()

    def layer(self):
        self.copy("b")  # always 0: the type follows by name
        kind = self.copy_text()
        self.copy("bb")  # training state, needs back-propagation
        flags, *_ = self.copy("iiii")  # flags, inputs, outputs, weights
        self.copy_text()  # name
        if kind in FIXED_SIZE:
            self.out += self.raw(FIXED_SIZE[kind])
        elif kind in CONTAINERS:
            for _ in range(self.copy("I")[0]):
                self.layer()
            if flags & LAYER_SPECIFIC_RATES:
                self.out += self.raw(4 * self.copy("I")[0])
        elif kind in ("LSTM", "SummLSTM"):
            self.copy("i")
            for _ in range(LSTM_GATES):
                self.weights()
        elif kind in FULLY_CONNECTED:
            self.weights()
        else:
            raise ValueError("unknown layer " + kind)

    def recogniser(self):
        self.layer()
        self.copy_text()  # the network's specification
        training_flags, _, _, null_character = self.fields("iiii")
        # Iteration counts start again at zero.
        self.out += struct.pack("<iiii", training_flags & ~TRAINING_INT_MODE, 0, 0, null_character)
        self.out += self.raw(len(self.data) - self.at)
        return bytes(self.out)


def main():
    source, target = sys.argv[1:]
    with open(source, "rb") as f:
        converted = Converter(f.read()).recogniser()
    with open(target, "wb") as f:
        f.write(converted)


if __name__ == "__main__":
    main()
