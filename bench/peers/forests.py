# SPDX-License-Identifier: Apache-2.0
"""What the peers of our trees share. It does not load PyTorch as net.py does, whose threads would
count."""

import json


def print_figure(figure, value, unit):
    print(json.dumps({"figure": figure, "value": value, "unit": unit}), flush=True)
