# SPDX-License-Identifier: Apache-2.0
"""Changes to libraries on their way into the wheel."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

_SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "wheel")


@unittest.skipUnless(os.path.isdir(_SCRIPTS), "these tests lie outside of their tree")
@unittest.skipUnless(shutil.which("readelf"), "readelf is not installed")
class Libraries(unittest.TestCase):
    def test_names_and_run_paths_change_in_their_place(self):
        sys.path.insert(0, _SCRIPTS)
        from elf import Elf
        from protium import _library

        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copy(_library.home() / "lib" / "libprotium_c.so", folder)
            elf = Elf(copy)
            arrow = next(name for name in elf.needed if name.startswith("libarrow"))
            before = len(elf.bytes)
            elf.rename({arrow: "pt_" + arrow[3:], "libprotium_c.so": "pt_protium_c.so"})
            elf.pass_on_run_path()
            elf.bind_weakly()
            elf.save()
            told = subprocess.run(["readelf", "--dynamic", "--version-info", "--dyn-syms", copy],
                                  capture_output=True, text=True, check=True).stdout
            self.assertEqual(os.path.getsize(copy), before)
        self.assertIn("[pt_arrow", told)
        self.assertIn("soname: [pt_protium_c.so]", told)
        for gone in ("libarrow.so", "RUNPATH", "UNIQUE"):
            self.assertNotIn(gone, told)

    def test_a_name_of_another_length_is_refused(self):
        sys.path.insert(0, _SCRIPTS)
        from elf import Elf
        from protium import _library

        elf = Elf(_library.home() / "lib" / "libprotium_c.so")
        with self.assertRaisesRegex(ValueError, "differ in length"):
            elf.rename({elf.needed[0]: "x"})


if __name__ == "__main__":
    unittest.main()
