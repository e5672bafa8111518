# SPDX-License-Identifier: Apache-2.0
"""bench_gpu's steps in plain PyTorch on one GPU: rows come from pinned memory in every step, loss and
update run on the device. With --repeatable under the settings that Protium's workers compute under,
else under PyTorch's defaults."""

import json
import os
import sys
import time

REPEATABLE = "--repeatable" in sys.argv
if REPEATABLE:
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"

import torch

ROWS, WIDTH, WARM_UP = 8192, 64, 20


def net(hidden):
    layers, width = [], WIDTH
    for out in hidden:
        layers += [torch.nn.Linear(width, out), torch.nn.ReLU()]
        width = out
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, 1)).cuda()


def measure(hidden, steps):
    torch.manual_seed(4)
    model = net(hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss = torch.nn.HuberLoss()
    rows = torch.rand(ROWS, WIDTH + 1).pin_memory()

    def step():
        there = rows.cuda(non_blocking=True)
        optimizer.zero_grad()
        value = loss(model(there[:, :WIDTH]), there[:, WIDTH:])
        value.backward()
        optimizer.step()
        return value

    for _ in range(WARM_UP):
        step().item()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(steps):
        step().item()  # As a training that reports its loss and notices when it is not finite.
    torch.cuda.synchronize()
    return (time.perf_counter() - start) * 1e3 / steps


def main():
    if REPEATABLE:
        torch.use_deterministic_algorithms(True)
        torch.utils.deterministic.fill_uninitialized_memory = False
    for hidden, steps in (((1024, 512, 256), 200), ((4096, 4096, 4096), 50), ((128, 64), 200)):
        name = "-".join(str(w) for w in (WIDTH, *hidden, 1))
        print(json.dumps({"figure": f"step {name}, PyTorch" + (", repeatable" if REPEATABLE else ""),
                          "value": measure(hidden, steps), "unit": "ms"}), flush=True)


main()
