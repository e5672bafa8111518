# SPDX-License-Identifier: Apache-2.0
"""scipy_ranks.py: what SciPy's signed-rank test gives for differences made at random, one JSON object a
line, for signed_ranks_test. Made with scipy 1.17.1:

    python3 scipy_ranks.py >scipy_ranks.jsonl

Up to 12 differences have equal sizes and zeros among them, and all their signs are tried; up to 50 the
distribution is exact; beyond them it is normal, of equal sizes without zeros, which SciPy counts in the
variance though no sign changes them.
"""

import json

import numpy as np
from scipy.stats import PermutationMethod, wilcoxon

rng = np.random.default_rng(41)


def case(count):
    if count <= 12:
        differences = rng.integers(-4, 7, count).astype(float)
        return differences, {"method": PermutationMethod(n_resamples=2**count)}
    differences = rng.permutation(np.arange(1, count + 1) + 0.25) * rng.choice([-1, 1], count, p=[0.4, 0.6])
    if count <= 50:
        return differences, {"method": "exact"}
    return np.sign(differences) * np.ceil(abs(differences) / 3), {"method": "asymptotic", "correction": False}


for count in [*range(2, 13), *range(2, 13), *range(13, 70, 3)]:
    differences, how = case(count)
    if not differences.any():
        continue
    chance = wilcoxon(differences, alternative="greater", zero_method="zsplit", **how).pvalue
    print(json.dumps({"differences": differences.tolist(), "chance": float(chance)}))
