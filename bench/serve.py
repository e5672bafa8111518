# SPDX-License-Identifier: Apache-2.0
"""`protium serve` under 2,000 requests a second of one row each, beside FastAPI and PyTorch with the same weights,
and one row scored in the process."""

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

RATE, SECONDS, CONNECTIONS = 2000, 10, 16
ROW = {f"x{i}": 5 + i / 4 for i in range(16)}
PEER_PORT = 8971


class Serve:
    def __init__(self, binaries, python, figures_in, model):
        self.binaries, self.python, self.figures_in, self.model = binaries, python, figures_in, model

    def ask(self, port):
        body = json.dumps({"rows": [ROW]}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/score", body,
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=5) as answer:
            return json.load(answer)["predictions"][0]["prediction"]

    # The prediction of a server that has just been started.
    def first(self, port):
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.ask(port)
            except (urllib.error.URLError, OSError):
                if time.monotonic() > deadline:
                    sys.exit("bench: the server does not answer")
                time.sleep(0.1)

    def load(self, port, who):
        told = subprocess.run([f"{self.binaries}/bench_serve_load", str(port), "/v1/score", json.dumps({"rows": [ROW]}),
                               str(RATE), str(SECONDS), str(CONNECTIONS)], capture_output=True, text=True)
        if told.returncode != 0:
            sys.exit(f"bench: {who} did not answer all: {told.stdout}{told.stderr}")
        told = json.loads(told.stdout)
        for share in ("p50", "p99"):
            yield {"figure": f"serve {RATE:,} rows/s, {share}", "value": told[f"{share}_ms"], "unit": "ms"}

    def ours(self):
        model = self.model()
        row = subprocess.run([f"{self.binaries}/bench_row", model, json.dumps(ROW)], check=True, capture_output=True,
                             text=True)
        yield from self.figures_in(row.stdout)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen([f"{self.binaries}/protium", "serve", model, "--port", str(port)],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.predicted = self.first(port)
            yield from self.load(port, "protium serve")
        finally:
            server.terminate()
            server.wait(30)

    def theirs(self):
        server = subprocess.Popen([self.python, "bench/peers/serve.py", self.model(), str(PEER_PORT)],
                                  stdout=subprocess.DEVNULL)
        try:
            theirs = self.first(PEER_PORT)
            if abs(theirs - self.predicted) > 1e-4 * max(1, abs(theirs)):
                sys.exit(f"bench: one predicts {self.predicted}, the other {theirs}")
            yield from self.load(PEER_PORT, "FastAPI")
        finally:
            server.terminate()
            server.wait(30)
