# SPDX-License-Identifier: Apache-2.0
"""classifier.py ours|theirs: a classifier fitted on 1,000,000 rows of 30 numbers, as users of Python
write it: protium.TabularClassifier with two workers, or scikit-learn's MLPClassifier and a loop of
Lightning. The same layers, batches, epochs and rate; of each the seconds of fit() and the accuracy
on rows that it has not seen.
"""

import json
import logging
import sys
import time
import warnings

import numpy as np

ROWS, TEST, COLUMNS, EPOCHS, BATCH, RATE = 1_000_000, 100_000, 30, 20, 512, 1e-3
HIDDEN = (128, 64)
PEERS = ("MLPClassifier", "Lightning")


def table():
    random = np.random.default_rng(7)
    x = random.standard_normal((ROWS + TEST, COLUMNS), dtype=np.float32)
    logit = x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]) + 0.5 * x[:, 3:10].sum(axis=1)
    noise = random.standard_normal(ROWS + TEST, dtype=np.float32)
    return x, (logit + 0.5 * noise > 0).astype(np.int64)


def ours():
    import protium
    return PEERS, protium.TabularClassifier(hidden=HIDDEN, epochs=EPOCHS, batch_size=BATCH, learning_rate=RATE,
                                            workers=2, random_state=1)


def mlp_classifier():
    from sklearn.neural_network import MLPClassifier
    return PEERS[:1], MLPClassifier(HIDDEN, max_iter=EPOCHS, batch_size=BATCH, learning_rate_init=RATE,
                                               n_iter_no_change=EPOCHS, random_state=1)


def lightning_loop():
    import lightning
    import torch

    class Classifier(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = torch.nn.Sequential(
                torch.nn.Linear(COLUMNS, HIDDEN[0]), torch.nn.ReLU(), torch.nn.Linear(*HIDDEN), torch.nn.ReLU(),
                torch.nn.Linear(HIDDEN[1], 2))

        def training_step(self, batch, _):
            return torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1])

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), lr=RATE)

        def fit(self, x, y):
            rows = torch.utils.data.TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
            loader = torch.utils.data.DataLoader(rows, batch_size=BATCH, shuffle=True)
            lightning.Trainer(max_epochs=EPOCHS, accelerator="cpu", logger=False, enable_checkpointing=False,
                              enable_progress_bar=False, enable_model_summary=False).fit(self, loader)

        def score(self, x, y):
            with torch.no_grad():
                return float((self.net(torch.from_numpy(x)).argmax(1).numpy() == y).mean())

    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    torch.manual_seed(1)
    return PEERS[1:], Classifier()


def main():
    warnings.filterwarnings("ignore")
    x, y = table()
    for make in [ours] if sys.argv[1] == "ours" else [mlp_classifier, lightning_loop]:
        beside, model = make()
        began = time.perf_counter()
        model.fit(x[:ROWS], y[:ROWS])
        spent, right = time.perf_counter() - began, model.score(x[ROWS:], y[ROWS:])
        for peer in beside:
            print(json.dumps({"figure": f"fit 1 M x 30, {peer}", "value": spent, "unit": "s"}))
            print(json.dumps({"figure": f"accuracy, {peer}", "value": right, "unit": "accuracy"}), flush=True)


main()
