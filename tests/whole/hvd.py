# SPDX-License-Identifier: Apache-2.0
# An ordinary script of Horovod, which knows nothing of protium: ranks meet, sum, part and meet again.
import horovod.torch as hvd
import torch

for _ in range(2):
    hvd.init()
    total = hvd.allreduce(torch.full((4,), hvd.rank() + 1.0), op=hvd.Sum)
    print("rank", hvd.rank(), "of", hvd.size(), "has", total.tolist(), flush=True)
    hvd.shutdown()
