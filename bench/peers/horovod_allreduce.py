# SPDX-License-Identifier: Apache-2.0
"""All-reduce of Horovod with Gloo, of single tensors and of 200 small ones. Under horovodrun --gloo;
[SUFFIX] ends the figures' names.
"""

import sys
import time

import horovod.torch as hvd
import torch

from net import print_figure

SIZES = [("4 KiB", 1024, 200), ("256 KiB", 65536, 100), ("16 MiB", 4 << 20, 15), ("100 MB", 25_000_000, 4),
         ("200 KiB", 200 * 256, 100)]
TENSORS, TENSOR, GROUP_REPETITIONS = 200, 256, 50


# Seconds of one `reduce`, which adds up `tensors` over all ranks in place.
def seconds_of(tensors, reduce, repetitions):
    for _ in range(3):
        reduce()
    hvd.barrier()
    begun = time.perf_counter()
    for _ in range(repetitions):
        reduce()
    seconds = (time.perf_counter() - begun) / repetitions
    for each in tensors:
        each.fill_(hvd.rank() + 1)
    reduce()
    total = hvd.size() * (hvd.size() + 1) // 2
    assert all(bool((each == total).all()) for each in tensors), "wrong sum"
    return seconds


# All at once, for Horovod to fuse.
def reduce_together(tensors):
    handles = [hvd.allreduce_async_(each, name=f"together{i}", op=hvd.Sum) for i, each in enumerate(tensors)]
    for each in handles:
        hvd.synchronize(each)


def main():
    hvd.init()
    torch.set_num_threads(1)
    figures = []
    for name, count, repetitions in SIZES:
        one = torch.zeros(count)
        reduce = lambda: hvd.allreduce_(one, name=name, op=hvd.Sum)
        figures.append((name, seconds_of([one], reduce, repetitions)))
    tensors = [torch.zeros(TENSOR) for _ in range(TENSORS)]
    figures.append(("200 of 1 KiB together", seconds_of(tensors, lambda: reduce_together(tensors), GROUP_REPETITIONS)))
    reduce = lambda: hvd.grouped_allreduce_(tensors, name="grouped", op=hvd.Sum)
    figures.append(("200 of 1 KiB grouped", seconds_of(tensors, reduce, GROUP_REPETITIONS)))
    for name, seconds in figures:
        if hvd.rank() == 0:
            print_figure(f"all-reduce {name}" + "".join(sys.argv[1:]), seconds * 1e6, "us")
    hvd.shutdown()


main()
