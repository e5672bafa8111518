# SPDX-License-Identifier: Apache-2.0
"""One training step of DistributedDataParallel with Gloo, and the same without communication.

Under torchrun --nproc-per-node 2: 512 rows a rank (64 for nets with convolutions or attention),
huber loss, Adam, one thread. `ddp_step.py PART`: only the cases that have PART in their name.
"""

import sys
import time

import torch
import torch.distributed as dist
from torch import nn

from net import FtTransformer, TextTransformer, WideAndDeep, convolutions, dense, print_figure

CATEGORIES = [24, 31, 300, 16]
WORDS, LENGTH = 20000, 64


def numbers(rows, width):
    return (torch.rand(rows, width) * 2 - 1,)


def columns(rows):
    return numbers(rows, 10)[0], torch.stack([torch.randint(0, n, (rows,)) for n in CATEGORIES], 1)


# name, makes the net, makes its inputs, steps
CASES = [
    ("step 67-128-64-1", lambda: dense(67, [128, 64]), lambda: numbers(512, 67), 300),
    ("step 300-1000-1000-1000-500-1", lambda: dense(300, [1000, 1000, 1000, 500]), lambda: numbers(512, 300), 15),
    ("step cnn 28x28", lambda: convolutions(28, [16, 32], 128), lambda: (torch.rand(64, 1, 28, 28) * 2 - 1,), 60),
    ("step wide_and_deep", lambda: WideAndDeep(10, CATEGORIES, [128, 64]), lambda: columns(512), 100),
    ("step ft_transformer", lambda: FtTransformer(10, CATEGORIES, 64, 8, 3), lambda: columns(64), 20),
    ("step text_classifier", lambda: TextTransformer(WORDS, LENGTH, 64, 4, 1, 64),
     lambda: (torch.randint(0, WORDS, (64, LENGTH)),), 20),
]


def milliseconds_of(net, inputs, steps):
    optimizer = torch.optim.Adam(net.parameters())
    labels = torch.rand(len(inputs[0]), 1)
    loss = nn.HuberLoss()

    def step():
        optimizer.zero_grad()
        value = loss(net(*inputs), labels)
        value.backward()
        optimizer.step()
        return value

    for _ in range(5):
        before = step()
    dist.barrier()
    begun = time.perf_counter()
    for _ in range(steps):
        after = step()
    milliseconds = (time.perf_counter() - begun) * 1e3 / steps
    assert after.item() < before.item(), "the loss did not fall"
    return milliseconds


def main():
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    torch.manual_seed(4)
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    for name, make, make_inputs, steps in CASES:
        if part not in name:
            continue
        inputs = make_inputs()
        wrapped = milliseconds_of(nn.parallel.DistributedDataParallel(make()), inputs, steps)
        alone = milliseconds_of(make(), inputs, steps)
        if dist.get_rank() == 0:
            print_figure(name, wrapped, "ms")
            print_figure(f"{name}, no communication", alone, "ms")
    dist.destroy_process_group()


main()
