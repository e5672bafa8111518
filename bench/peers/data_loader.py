# SPDX-License-Identifier: Apache-2.0
"""data_loader.py FILE: shuffled batches of 1024 rows from PyTorch's DataLoader, one process."""

import sys
import time

import numpy as np
import pyarrow.parquet as parquet
import torch
from torch.utils.data import DataLoader, TensorDataset

from net import print_figure


def read(path):
    table = parquet.read_table(path, use_threads=False)
    return torch.from_numpy(np.stack([column.to_numpy() for column in table.columns], 1))


# Visits every row once; the first column holds row numbers.
def run_epoch(loader, rows):
    total, seen = 0.0, 0
    for (batch,) in loader:
        total += batch[:, 0].double().sum().item()
        seen += len(batch)
    assert seen == rows and total == rows * (rows - 1) / 2, "an epoch did not visit every row once"


def main():
    torch.set_num_threads(1)
    begun = time.perf_counter()
    table = read(sys.argv[1])
    loader = DataLoader(TensorDataset(table), 1024, shuffle=True)
    epoch = time.perf_counter()
    run_epoch(loader, len(table))
    ended = time.perf_counter()
    print_figure("feeding, first epoch", len(table) / (ended - begun) / 1e6, "M rows/s")
    print_figure("feeding, later epochs", len(table) / (ended - epoch) / 1e6, "M rows/s")


main()
