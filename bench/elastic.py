# SPDX-License-Identifier: Apache-2.0
"""Workers of a training are killed one after another: how long until the others go on, and how many
steps are computed again. Ours is the flights job with a gang that bends, whose weights must be those
of a run left alone; the peers' are a DDP script under torchrun that restarts from its checkpoints,
and a script of Horovod Elastic whose survivors go on from the state they committed last.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "scripts"))
from soak import Run, going_on

WORLDS = (2, 4)
KILLS, PEER_KILLS = 25, 3
PATIENCE_S = 90
PEER_GIVEN_UP_S = 60
PEER_STEPS = 200  # Before the kill: a rival's step takes up to a tenth of a second where ranks share cores.
# Long enough for all kills; a batch of 512 is a step of about a millisecond.
SETTINGS = ("train.epochs=300", "train.batch_size=512", "train.checkpoint.every_steps=1000")


class Elastic:
    def __init__(self, binaries, python, horovod, job, tables):
        self.command, self.python, self.horovod = f"{binaries}/protium", python, horovod
        self.job, self.tables = job, tables

    def start(self, folder, workers):
        return Run(self.command, self.job, os.path.abspath(self.tables()), folder, workers, SETTINGS)

    # The weights, and figures of a gang of `world` from which members are killed.
    def disturbed(self, world):
        chance, kills, next_at = random.Random(world), [], None
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as folder:
            run = self.start(folder, f"{{min=1,max={world}}}")
            while not run.ended():
                time.sleep(0.005)
                run.look()
                # Whole again, and for a while: a kill is measured by itself.
                if not run.trains() or len(run.members()) < world or len(kills) == KILLS:
                    next_at = None
                elif next_at is None:
                    next_at = time.monotonic() + 1
                elif time.monotonic() >= next_at:
                    kill(chance.choice(list(run.members().values())), kills)
                    next_at = None
            weights, error = run.finish()
        if error:
            sys.exit(f"bench: a gang that bends failed:\n{error}")
        joins = [each["pause_seconds"] for each in run.named("gang_entered") if not each["after_death"]]
        return weights, going_on(run, kills), joins, len(run.named("restart"))

    def ours(self):
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as folder:
            alone, error = self.start(folder, "2").finish()
        if error:
            sys.exit(f"bench: the run left alone failed:\n{error}")
        for world in WORLDS:
            weights, after_kills, joins, restarts = self.disturbed(world)
            if weights != alone or restarts or not after_kills:
                sys.exit(f"bench: {world} workers: {restarts} restarts, {len(after_kills)} measured kills, weights "
                         f"{weights} of {alone}")
            for seconds in after_kills:
                yield {"figure": f"kill to next step, {world} workers", "value": seconds * 1e3, "unit": "ms"}
            yield {"figure": f"worst of {len(after_kills)}, {world} workers", "value": max(after_kills) * 1e3, "unit": "ms"}
            for seconds in joins:
                yield {"figure": f"a worker joins, {world} workers", "value": seconds * 1e3, "unit": "ms"}
            # Same weights: no row was missed or used twice, and no step applied twice.
            yield {"figure": f"steps lost, {world} workers", "value": 0, "unit": "steps"}

    # A launch for each kill, since it happens that a rival does not get over one, or ends: then the
    # figure is the time after which it is given up.
    def theirs(self):
        yield from self.of_peer(self.torchrun)

    def of_horovod(self):
        yield from self.of_peer(self.horovodrun)

    def of_peer(self, command):
        for world in WORLDS:
            for _ in range(PEER_KILLS):
                with tempfile.TemporaryDirectory(prefix="protium-bench-") as folder:
                    yield from self.peer(command(world, folder), world, folder)

    def torchrun(self, world, folder):
        return [self.python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(world), "--max-restarts",
                "100", "bench/peers/elastic.py", folder]

    # Horovod leaves out the host of a worker that died, so this one goes by two names.
    def horovodrun(self, world, folder):
        hosts = f"{folder}/hosts"
        with open(hosts, "w", encoding="ascii") as script:
            script.write(f"#!/bin/sh\necho localhost:{world // 2}\necho 127.0.0.1:{world // 2}\n")
        os.chmod(hosts, 0o700)
        return [self.horovod, "-m", "horovod.runner.launch", "--gloo", "--min-np", "1", "--max-np", str(world), "-np", str(world),
                "--host-discovery-script", hosts, os.path.abspath(self.horovod), "bench/peers/horovod_elastic.py", folder]

    def peer(self, command, world, folder):
        log = f"{folder}/steps"
        process = subprocess.Popen(command, env=dict(os.environ, OMP_NUM_THREADS="1"), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            before = self.wait(process, log, lambda lines: len(lines) > PEER_STEPS)[-1]["pids"]
            os.kill(before[-1], signal.SIGKILL)
            killed = time.time()
            lines = self.wait(process, log, lambda lines: lines[-1]["pids"] != before, killed + PEER_GIVEN_UP_S)
        finally:
            process.terminate()
            process.wait(60)
        if lines is None:
            yield {"figure": f"kill to next step, {world} workers", "value": PEER_GIVEN_UP_S * 1e3, "unit": "ms"}
            return
        # What was logged when the dead rank was missed, and what came next.
        last = [one for one in lines if one["pids"] == before][-1]
        new = next(one for one in lines if one["pids"] != before)
        yield {"figure": f"kill to next step, {world} workers", "value": (new["time"] - killed) * 1e3, "unit": "ms"}
        yield {"figure": f"steps lost, {world} workers", "value": last["step"] - new["step"] + 1, "unit": "steps"}

    # The lines that are `ready`; None if they are not by `given_up`, or if the script has ended then.
    @staticmethod
    def wait(process, log, ready, given_up=None):
        deadline = given_up or time.time() + PATIENCE_S
        while time.time() < deadline and process.poll() is None:
            lines = read(log)
            if lines and ready(lines):
                return lines
            time.sleep(0.01)
        if given_up is None:
            lines, code = len(read(log)), process.poll()
            sys.exit(f"bench: the peer's script made {lines} steps in {PATIENCE_S} s"
                     + ("" if code is None else f", and ended with {code}"))
        return None


def kill(pid, kills):
    try:
        os.kill(pid, signal.SIGKILL)
        kills.append(time.time())
    except ProcessLookupError:
        pass  # The job has just come to its end.


def read(log):
    if not os.path.exists(log):
        return []
    with open(log, encoding="ascii") as lines:
        return [json.loads(line) for line in lines if line.endswith("\n")]
