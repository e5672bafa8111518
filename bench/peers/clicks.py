# SPDX-License-Identifier: Apache-2.0
"""clicks.py TABLE SCORED EPOCHS, under torchrun: a factorization machine with DistributedDataParallel and sparse embeddings.

It learns from the rows of TABLE that SCORED, an output of our job, lacks, and predicts those that it has.
Rows lie in memory as tensors before the clock runs. Ids of all columns share one table for each use.
"""

import sys
import time

import numpy as np
import pandas
import torch
import torch.distributed as dist
from torch import nn

from net import print_figure

BATCH, FACTORS, RATE = 1024, 8, 0.01
NUMBERS, IDS = [f"n{n}" for n in range(1, 14)], [f"c{n}" for n in range(1, 27)]


class FactorizationMachine(nn.Module):
    def __init__(self, ids, numbers, factors):
        super().__init__()
        self.weights = nn.Embedding(ids, 1, sparse=True)
        self.vectors = nn.Embedding(ids, factors, sparse=True)
        nn.init.zeros_(self.weights.weight)
        nn.init.uniform_(self.vectors.weight, -0.05, 0.05)
        self.line = nn.Linear(numbers, 1)
        self.of_numbers = nn.Parameter(torch.randn(numbers, factors) * 0.05)

    def forward(self, numbers, ids):
        vectors = torch.cat([self.vectors(ids), numbers.unsqueeze(2) * self.of_numbers], 1)
        pairs = (vectors.sum(1) ** 2 - (vectors ** 2).sum(1)).sum(1) / 2
        return pairs + self.weights(ids).sum((1, 2)) + self.line(numbers).squeeze(1)


# Those that no training row has share one number.
def numbered(table, is_test):
    columns, first = [], 0
    for name in IDS:
        codes, known = pandas.factorize(table[name].fillna("")[~is_test])
        places = pandas.Series(range(len(known)), index=known)
        of_all = table[name].fillna("").map(places).fillna(len(known)).to_numpy(np.int64)
        columns.append(of_all + first)
        first += len(known) + 1
    return torch.from_numpy(np.stack(columns, 1)), first


def prepared(path, scored):
    table = pandas.read_csv(path, dtype={name: str for name in IDS})
    is_test = table["shown"].isin(pandas.read_parquet(scored, columns=["shown"])["shown"]).to_numpy()
    numbers = np.log1p(table[NUMBERS].fillna(table[NUMBERS][~is_test].median()))
    numbers = (numbers - numbers[~is_test].mean()) / numbers[~is_test].std()
    ids, count = numbered(table, is_test)
    numbers = torch.from_numpy(numbers.to_numpy(np.float32))
    labels = torch.from_numpy(table["clicked"].to_numpy(np.float32))
    test = torch.from_numpy(is_test)
    return [each[~test] for each in (numbers, ids, labels)], [each[test] for each in (numbers, ids, labels)], count


def main():
    torch.set_num_threads(1)
    torch.manual_seed(4)
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    (numbers, ids, labels), test, count = prepared(sys.argv[1], sys.argv[2])
    net = nn.parallel.DistributedDataParallel(FactorizationMachine(count, len(NUMBERS), FACTORS))
    optimizer = torch.optim.Adagrad(net.parameters(), lr=RATE)
    loss = nn.BCEWithLogitsLoss()
    epochs, rows, spent = int(sys.argv[3]), len(labels), 0.0
    for epoch in range(epochs):
        order = torch.randperm(rows, generator=torch.Generator().manual_seed(epoch))
        dist.barrier()
        begun = time.perf_counter()
        for at in range(0, rows - BATCH + 1, BATCH):
            mine = order[at:at + BATCH][rank::world]
            optimizer.zero_grad()
            loss(net(numbers[mine], ids[mine]), labels[mine]).backward()
            optimizer.step()
        dist.barrier()
        if epoch > 0:
            spent += time.perf_counter() - begun
    if rank == 0:
        net.eval()
        with torch.no_grad():
            outputs = torch.cat([net.module(a, b) for a, b in zip(test[0].split(8192), test[1].split(8192))])
        print_figure(f"clicks, {world} workers", rows // BATCH * BATCH * (epochs - 1) / spent / 1e6, "M rows/s")
        print_figure("clicks, log_loss", loss(outputs, test[2]).item(), "")
    dist.destroy_process_group()


main()
