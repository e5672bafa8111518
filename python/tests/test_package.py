# SPDX-License-Identifier: Apache-2.0
"""The package as Python's import system and a shell see it."""

import subprocess
import sys
import unittest

IMPORT = """
import sys, time
since = time.process_time()
import protium
print(time.process_time() - since)
heavy = {"numpy", "pandas", "pyarrow", "sklearn", "torch"} & set(sys.modules)
assert not heavy, heavy
"""


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60)


class Package(unittest.TestCase):
    def test_importing_takes_no_time_and_brings_nothing_large(self):
        seconds = []
        for _ in range(5):
            told = run("-c", IMPORT)
            self.assertEqual(told.returncode, 0, told.stderr)
            seconds.append(float(told.stdout))
        self.assertLess(min(seconds), 0.15)

    def test_the_module_is_the_command(self):
        told = run("-m", "protium", "--version")
        self.assertEqual((told.returncode, told.stdout), (0, "protium 0.1.0\n"), told.stderr)
        self.assertEqual(run("-m", "protium", "nothing").returncode, 2)

    def test_versions_agree(self):
        import protium
        from protium.session import read_version

        self.assertEqual(read_version(), protium.__version__)

    def test_a_library_that_is_not_there_is_told(self):
        told = run("-c", "import os\nos.environ['PROTIUM_HOME'] = '/nowhere'\nimport protium\n"
                         "try: protium.Session()\n"
                         "except protium.EnvironmentFault as error: print(error)")
        self.assertIn("/nowhere/lib/libprotium_c.so cannot be loaded", told.stdout)


if __name__ == "__main__":
    unittest.main()
