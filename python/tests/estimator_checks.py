# SPDX-License-Identifier: Apache-2.0
"""What tests of estimators in scikit-learn's manner share."""

import importlib
import os
import unittest

# Of all checks, those that run in every test; PROTIUM_TEST_ALL=1 runs all of them, which takes minutes.
_USUAL = {
    "check_dict_unchanged", "check_estimators_unfitted", "check_fit2d_1feature",
    "check_get_params_invariance", "check_n_features_in", "check_no_attributes_set_in_init",
    "check_parameters_default_constructible", "check_supervised_y_no_nan",
}


def module(name):
    """The module, or a skip that says which one is missing."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise unittest.SkipTest(f"{name} is not installed")


def run_checks(test, estimators, expected_failures):
    """sklearn.utils.estimator_checks, one subtest for each."""
    checks = module("sklearn.utils.estimator_checks")
    if not hasattr(checks, "estimator_checks_generator"):
        test.skipTest("scikit-learn is older than 1.6")
    every = os.environ.get("PROTIUM_TEST_ALL") == "1"
    ran = 0
    for estimator in estimators:
        for own, check in checks.estimator_checks_generator(estimator):
            name = getattr(check, "func", check).__name__
            if not every and name not in _USUAL:
                continue
            with test.subTest(name, estimator=type(estimator).__name__):
                ran += 1
                try:
                    check(own)
                except unittest.SkipTest:
                    continue
                except AssertionError:
                    test.assertIn(name, expected_failures)
    test.assertGreater(ran, 8)
