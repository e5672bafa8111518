# SPDX-License-Identifier: Apache-2.0
"""horovod_elastic.py FOLDER: a training that never ends, to be killed under horovodrun's elastic mode:
its state is committed every 10 steps, and rank 0 writes a line for each step that has ended.
"""

import json
import os
import sys
import time

import horovod.torch as hvd
import torch
from torch import nn

from net import dense

EVERY = 10


def main():
    hvd.init()
    torch.manual_seed(4)
    torch.set_num_threads(1)
    net = dense(67, [128, 64])
    optimizer = hvd.DistributedOptimizer(torch.optim.Adam(net.parameters()), named_parameters=net.named_parameters())
    loss = nn.HuberLoss()
    log = os.open(os.path.join(sys.argv[1], "steps"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    @hvd.elastic.run
    def train(state):
        pids = hvd.allgather_object(os.getpid())
        inputs, labels = torch.rand(512 // len(pids), 67), torch.rand(512 // len(pids), 1)
        while True:
            optimizer.zero_grad()
            loss(net(inputs), labels).backward()
            optimizer.step()
            state.step += 1
            if hvd.rank() == 0:
                os.write(log, (json.dumps({"step": state.step, "time": time.time(), "pids": pids}) + "\n").encode())
            if state.step % EVERY == 0:
                state.commit()

    train(hvd.elastic.TorchState(model=net, optimizer=optimizer, step=0))


main()
