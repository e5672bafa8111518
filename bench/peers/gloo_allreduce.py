# SPDX-License-Identifier: Apache-2.0
"""All-reduce of torch.distributed with Gloo. Under torchrun; [SUFFIX] ends the figures' names."""

import sys
import time

import torch
import torch.distributed as dist

from net import print_figure

SIZES = [("4 KiB", 1024, 200), ("256 KiB", 65536, 100), ("16 MiB", 4 << 20, 15), ("100 MB", 25_000_000, 4)]


def seconds_of(count, repetitions):
    values = torch.zeros(count)
    for _ in range(3):
        dist.all_reduce(values)
    dist.barrier()
    begun = time.perf_counter()
    for _ in range(repetitions):
        dist.all_reduce(values)
    seconds = (time.perf_counter() - begun) / repetitions
    values.fill_(dist.get_rank() + 1)
    dist.all_reduce(values)
    world = dist.get_world_size()
    assert bool((values == world * (world + 1) // 2).all()), "wrong sum"
    return seconds


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    for name, count, repetitions in SIZES:
        seconds = seconds_of(count, repetitions)
        if dist.get_rank() == 0:
            print_figure(f"all-reduce {name}" + "".join(sys.argv[1:]), seconds * 1e6, "us")
    dist.destroy_process_group()


main()
