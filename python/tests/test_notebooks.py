# SPDX-License-Identifier: Apache-2.0
"""The notebooks of examples/notebooks, cell by cell in one namespace, as a kernel runs them."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "notebooks")

# As in a kernel the source of a cell can be looked up, which torch.jit.script() does, and what a cell ends
# with is shown.
_RUNNER = """
import ast, json, linecache, sys
names = {"__name__": "__main__"}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] != "code":
        continue
    linecache.cache[cell["id"]] = (1, None, cell["source"], cell["id"])
    tree = ast.parse("".join(cell["source"]), cell["id"])
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, cell["id"], "exec"), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), cell["id"], "eval"), names)
        print(getattr(value, "_repr_html_", value.__repr__)())
"""


@unittest.skipUnless(os.path.isdir(_FOLDER), "these tests lie outside of their tree")
class NotebookTest(unittest.TestCase):
    def run_one(self, name, needs=(), **environment):
        for module in needs:
            try:
                __import__(module)
            except ImportError:
                self.skipTest(f"{module} is not installed")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-c", _RUNNER, os.path.join(_FOLDER, name)], cwd=folder,
                                  capture_output=True, text=True, timeout=240, env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout


class Notebooks(NotebookTest):
    def test_first_steps(self):
        self.assertIn("prediction", self.run_one("first-steps.ipynb", ["numpy"]))

    def test_own_net(self):
        self.assertIn("[1.5, 1.5]", self.run_one("own-net.ipynb", ["numpy", "torch", "cloudpickle"]))


if __name__ == "__main__":
    unittest.main()
