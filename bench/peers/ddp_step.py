# SPDX-License-Identifier: Apache-2.0
"""One training step of DistributedDataParallel with Gloo, and the same without communication.

Under torchrun --nproc-per-node 2: 512 rows a rank, huber loss, Adam, one thread.
"""

import time

import torch
import torch.distributed as dist
from torch import nn

from net import dense, print_figure

CASES = [("step 67-128-64-1", 67, [128, 64], 300), ("step 300-1000-1000-1000-500-1", 300, [1000, 1000, 1000, 500], 15)]
ROWS = 512


def milliseconds_of(net, width, steps):
    optimizer = torch.optim.Adam(net.parameters())
    rows, labels = torch.rand(ROWS, width) * 2 - 1, torch.rand(ROWS, 1)
    loss = nn.HuberLoss()

    def step():
        optimizer.zero_grad()
        value = loss(net(rows), labels)
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
    torch.manual_seed(4)
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    for name, width, hidden, steps in CASES:
        wrapped = milliseconds_of(nn.parallel.DistributedDataParallel(dense(width, hidden)), width, steps)
        alone = milliseconds_of(dense(width, hidden), width, steps)
        if dist.get_rank() == 0:
            print_figure(name, wrapped, "ms")
            print_figure(f"{name}, no communication", alone, "ms")
    dist.destroy_process_group()


main()
