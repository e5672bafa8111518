# SPDX-License-Identifier: Apache-2.0
"""What of others is inside a package: their licences, and a list of them in the form of SPDX 2.3."""

import json
import os
import re
import shutil
import subprocess

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Packages of scripts/deps.lock that go in, with their licences; the others serve the build alone.
_LICENCES = {"pyarrow": "Apache-2.0", "torch": "BSD-3-Clause", "duckdb": "MIT",
             "nvidia-cuda-runtime": "LicenseRef-NVIDIA", "nvidia-cuda-cupti": "LicenseRef-NVIDIA"}


def _printed(*command):
    told = subprocess.run(command, capture_output=True, text=True)
    return told.stdout.strip() if told.returncode == 0 else ""


def _debian_package(file):
    """The package that a file of the system's is of; "" if it is of none."""
    for path in (file, file.removeprefix("/usr")):
        told = _printed("dpkg-query", "--search", path)
        if told:
            return told.split(": ")[0].split(",")[0]
    return ""


def _downloads():
    """(name, version) of the downloads that go in."""
    with open(os.path.join(_ROOT, "scripts", "deps.lock")) as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return sorted({(row[1], row[2]) for row in rows if row[1] in _LICENCES})


def _entry(name, version, licence):
    return {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name,
            "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": licence,
            "copyrightText": "NOASSERTION"}


def _version():
    with open(os.path.join(_ROOT, "CMakeLists.txt")) as file:
        return re.search(r"project\(protium VERSION ([\d.]+)", file.read()).group(1)


def record(prefix, brought):
    """Writes both below PREFIX/share/doc/protium; `brought` are the files that were copied in."""
    folder = os.path.join(prefix, "share", "doc", "protium")
    os.makedirs(folder, exist_ok=True)
    packages = [_entry("protium", _version(), "Apache-2.0")]
    packages += [_entry(name, version, _LICENCES[name]) for name, version in _downloads()]
    for package in sorted({_debian_package(file) for file in brought} - {""}):
        packages.append(_entry(package.split(":")[0], _printed(
            "dpkg-query", "--show", "--showformat=${Version}", package), "NOASSERTION"))
        licence = f"/usr/share/doc/{package.split(':')[0]}/copyright"
        if os.path.exists(licence):
            own = os.path.join(folder, package.split(":")[0])
            os.makedirs(own, exist_ok=True)
            shutil.copyfile(licence, os.path.join(own, "copyright"))
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
                "name": f"protium-{_version()}",
                "documentNamespace": f"urn:protium:{_version()}",
                "creationInfo": {"created": "2020-01-01T00:00:00Z", "creators": ["Tool: protium"]},
                "documentDescribes": ["SPDXRef-protium"], "packages": packages}
    with open(os.path.join(folder, "protium.spdx.json"), "w") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
