# SPDX-License-Identifier: Apache-2.0
# A script as torchrun runs it, which knows nothing of Protium: ddp.py CHECKPOINT [die | wait]
# Trains a small net with DistributedDataParallel, keeps a checkpoint after every epoch and goes on
# from it. With "die" rank 1 kills itself once, in the middle; with "wait" all wait there to be ended.
import os
import signal
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, path = dist.get_rank(), sys.argv[1]
torch.manual_seed(1)
model = DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
epoch = 0
if os.path.exists(path):
    state = torch.load(path)
    epoch = state["epoch"]
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    print("continues after epoch", epoch, flush=True)
while epoch < 4:
    inputs = torch.randn(32, 4, generator=torch.Generator().manual_seed(100 * epoch + rank))
    loss = ((model(inputs) - inputs.sum(1, keepdim=True)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    epoch += 1
    if rank == 0:
        state = {"epoch": epoch, "model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save(state, path + ".new")
        os.replace(path + ".new", path)
    dist.barrier()
    middle = epoch == 2 and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0"
    if "die" in sys.argv and middle and rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if "wait" in sys.argv and middle:
        open(path + f".{rank}", "w").close()
        signal.pause()
print("one of", dist.get_world_size(), flush=True)
print("weights", [round(w, 6) for w in model.module.weight.flatten().tolist()])
dist.destroy_process_group()
