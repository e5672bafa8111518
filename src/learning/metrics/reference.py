# SPDX-License-Identifier: Apache-2.0
# What scikit-learn 1.9 says of the rows in reference_test.cc and decision_test.cc:
#   python3 -m venv /tmp/venv && /tmp/venv/bin/pip install scikit-learn==1.9.1
#   /tmp/venv/bin/python src/learning/metrics/reference.py
import warnings
import numpy as np
from sklearn import metrics as m
from sklearn.isotonic import IsotonicRegression
warnings.simplefilter("ignore")

y = np.array([3, -0.5, 2, 7, 0, 4.25]); p = np.array([2.5, 0.0, 2, 8, 0.5, 3.0])
w = np.array([1, 2, 0.5, 3, 1, 0.25])
print("mse", repr(m.mean_squared_error(y, p, sample_weight=w)))
print("rmse", repr(m.root_mean_squared_error(y, p, sample_weight=w)))
print("mae", repr(m.mean_absolute_error(y, p, sample_weight=w)))
print("r2", repr(m.r2_score(y, p, sample_weight=w)))
n = y != 0
print("mape", repr(m.mean_absolute_percentage_error(y[n], p[n], sample_weight=w[n])))
print("rmspe", repr(np.sqrt(np.average(((y[n] - p[n]) / y[n]) ** 2, weights=w[n]))))
print("exp_rmspe", repr(np.sqrt(np.average(((np.exp(y) - np.exp(p)) / np.exp(y)) ** 2, weights=w))))
q = np.stack([p - 1, p, p + 0.75], 1)
print("pinball", repr(np.mean([m.mean_pinball_loss(y, q[:, i], sample_weight=w, alpha=a)
                               for i, a in enumerate([0.1, 0.5, 0.9])])))

t = np.array([0, 0, 1, 1, 0, 1, 0, 1]); s = np.array([-2, 0.5, 0.5, 3, -0.25, -0.25, 0, 1.5])
v = np.array([1, 2, 0.5, 1, 3, 1, 0.25, 2.0]); prob = 1 / (1 + np.exp(-s)); c = (s > 0).astype(int)
print("auc", repr(m.roc_auc_score(t, s, sample_weight=v)))
print("pr_auc", repr(m.average_precision_score(t, s, sample_weight=v)))
print("log_loss", repr(m.log_loss(t, prob, sample_weight=v)))
print("brier", repr(m.brier_score_loss(t, prob, sample_weight=v)))
print("accuracy", repr(m.accuracy_score(t, c, sample_weight=v)))
print("balanced_accuracy", repr(m.balanced_accuracy_score(t, c, sample_weight=v)))
print("f1", repr(m.f1_score(t, c, sample_weight=v, average="macro")))
print("precision", repr(m.precision_score(t, c, sample_weight=v)))
print("recall", repr(m.recall_score(t, c, sample_weight=v)))

for name, only in (("none positive", 0), ("all positive", 1)):
    for says, pred in (("all predicted 0", 0), ("all predicted 1", 1)):
        tt, cc = np.full(3, only), np.full(3, pred)
        print(name, says, "precision", m.precision_score(tt, cc), "recall", m.recall_score(tt, cc),
              "f1", m.f1_score(tt, cc, average="macro"), "balanced", m.balanced_accuracy_score(tt, cc),
              "accuracy", m.accuracy_score(tt, cc))
    print(name, "pr_auc", m.average_precision_score(np.full(3, only), [1.0, 2.0, 3.0]))

l = np.array([0, 1, 2, 2, 1, 0, 3]); u = np.array([1, 0.5, 2, 1, 1, 3, 0.25])
z = np.array([[2, 1, 0, -1], [0, 3, 0, 1], [5, 0, 1, 2], [0, 0, 9, 1], [1, 0.5, 2, 0],
              [0.25, 0, -1, 4], [3, 2, 1, 0.0]])
e = np.exp(z - z.max(1, keepdims=True)); e /= e.sum(1, keepdims=True); best = z.argmax(1)
print("many log_loss", repr(m.log_loss(l, e, sample_weight=u)))
print("many brier", repr(np.average(((e - np.eye(4)[l]) ** 2).sum(1), weights=u)))
print("many accuracy", repr(m.accuracy_score(l, best, sample_weight=u)))
print("many balanced_accuracy", repr(m.balanced_accuracy_score(l, best, sample_weight=u)))
for k in ("f1", "precision", "recall"):
    print("many", k, repr(getattr(m, k + "_score")(l, best, sample_weight=u, average="macro")))
for k in (2, 3):
    print("top", k, repr(m.top_k_accuracy_score(l, z, k=k, sample_weight=u)))

i = IsotonicRegression(out_of_bounds="clip").fit(s, t, sample_weight=v)
print("isotonic", i.X_thresholds_.tolist(), i.y_thresholds_.tolist())
from scipy.optimize import minimize_scalar
print("temperature", repr(np.exp(-minimize_scalar(
    lambda b: m.log_loss(t, 1 / (1 + np.exp(-np.exp(b) * s)), sample_weight=v),
    bounds=(-4.6, 4.6), method="bounded", options={"xatol": 1e-10}).x)))
print("temperature many", repr(np.exp(-minimize_scalar(
    lambda b: -np.average(np.log((lambda x: x / x.sum(1, keepdims=True))(np.exp(np.exp(b) * z)))[
        np.arange(7), l], weights=u), bounds=(-4.6, 4.6), method="bounded",
    options={"xatol": 1e-10}).x)))
cuts = sorted(set(s)); mids = [cuts[0] - 1] + [(a + b) / 2 for a, b in zip(cuts, cuts[1:])] + [cuts[-1] + 1]
for name, f in (("f1", lambda c: m.f1_score(t, c, sample_weight=v, average="macro")),
                ("accuracy", lambda c: m.accuracy_score(t, c, sample_weight=v)),
                ("balanced_accuracy", lambda c: m.balanced_accuracy_score(t, c, sample_weight=v))):
    print("threshold", name, [(x, float(f((s > x).astype(int)))) for x in mids])
