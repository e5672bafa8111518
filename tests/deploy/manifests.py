# SPDX-License-Identifier: Apache-2.0
"""manifests.py PROTIUM REPOSITORY: the manifests of deploy/kubernetes against Kubernetes' schemas,
and what the Job's container runs: it is asked to stop while it trains, and started again as the next
pod would be. No cluster is needed, and none is tried.
"""

import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import kubernetes_validate
import yaml

RELEASES = ("1.29", "1.34")
PATIENCE_S = 120


def documents(folder):
    for path in sorted(glob.glob(f"{folder}/*.yaml")):
        with open(path, encoding="utf-8") as file:
            yield from yaml.safe_load_all(file)


def start(container, protium, folder, job):
    own = {"RUNS": f"{folder}/runs", "JOB": job, "ENGINE": "local", "PROGRAM": ""}
    named = {each["name"] for each in container["env"]}
    assert named == set(own), named
    # The data lies elsewhere than in the cluster.
    script = container["args"][0].replace("data=/runs/data", f"data={folder}/data")
    assert script != container["args"][0]
    return subprocess.Popen([*container["command"], script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, **own, "PATH": f"{os.path.dirname(protium)}:{os.environ['PATH']}"})


def await_step(process, folder):
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and process.poll() is None:
        for path in glob.glob(f"{folder}/runs/*/events.jsonl"):
            with open(path, encoding="utf-8") as events:
                if '"event":"step"' in events.read():
                    return
        time.sleep(0.02)
    sys.exit(f"no step was made: {process.communicate(timeout=10)}")


def main():
    protium, repository = sys.argv[1:]
    manifests = list(documents(f"{repository}/deploy/kubernetes"))
    for manifest in manifests:
        for release in RELEASES:
            kubernetes_validate.validate(manifest, release, strict=True)
    job = next(each for each in manifests if each["kind"] == "Job")
    container = job["spec"]["template"]["spec"]["containers"][0]
    ignored = job["spec"]["podFailurePolicy"]["rules"][0]["onExitCodes"]["values"]
    with tempfile.TemporaryDirectory(prefix="protium-deploy-") as folder:
        subprocess.run([protium, "example", "flights", f"{folder}/data", "--rows", "20000"], check=True,
                       stdout=subprocess.DEVNULL)
        # Long enough to be stopped in its middle.
        with open(f"{repository}/examples/flights/flights.toml", encoding="utf-8") as source, \
                open(f"{folder}/flights.toml", "w", encoding="utf-8") as target:
            target.write(source.read().replace("epochs     = 10 ", "epochs     = 60 "))
        first = start(container, protium, folder, f"{folder}/flights.toml")
        await_step(first, folder)
        first.send_signal(signal.SIGTERM)  # As the kubelet does.
        _, said = first.communicate(timeout=PATIENCE_S)
        assert first.returncode in ignored, (first.returncode, said)
        second = start(container, protium, folder, f"{folder}/flights.toml")
        out, said = second.communicate(timeout=PATIENCE_S)
        assert second.returncode == 0, said
        with open(glob.glob(f"{folder}/runs/*/result.json")[0], encoding="utf-8") as result:
            assert json.load(result)["metrics"]["test"]["rows"] > 0
    print(f"{len(manifests)} manifests")


main()
