# SPDX-License-Identifier: Apache-2.0
"""elastic.py FOLDER: a DDP training that never ends, to be killed under torchrun --max-restarts: rank
0 writes a checkpoint every 100 steps and a line for each step that has ended.
"""

import json
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn

from net import dense

EVERY = 100


def save(path, step, net, optimizer):
    torch.save({"step": step, "net": net.state_dict(), "optimizer": optimizer.state_dict()}, path + ".new")
    os.replace(path + ".new", path)


def main():
    folder = sys.argv[1]
    path = os.path.join(folder, "checkpoint.pt")
    torch.manual_seed(4)
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    net = nn.parallel.DistributedDataParallel(dense(67, [128, 64]))
    optimizer = torch.optim.Adam(net.parameters())
    loss, step = nn.HuberLoss(), 0
    if os.path.exists(path):
        kept = torch.load(path)
        step = kept["step"]
        net.load_state_dict(kept["net"])
        optimizer.load_state_dict(kept["optimizer"])
    pids = [None] * dist.get_world_size()
    dist.all_gather_object(pids, os.getpid())
    inputs, labels = torch.rand(512 // len(pids), 67), torch.rand(512 // len(pids), 1)
    log = os.open(os.path.join(folder, "steps"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    while True:
        optimizer.zero_grad()
        loss(net(inputs), labels).backward()
        optimizer.step()
        step += 1
        if dist.get_rank() == 0:
            os.write(log, (json.dumps({"step": step, "time": time.time(), "pids": pids}) + "\n").encode())
            if step % EVERY == 0:
                save(path, step, net, optimizer)


main()
