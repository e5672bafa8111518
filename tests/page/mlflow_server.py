# SPDX-License-Identifier: Apache-2.0
"""An MLflow server for the length of a test, in the folder that it works in."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request


@contextlib.contextmanager
def serving():
    """Gives the server's address; None, after saying so, where MLflow is not installed."""
    server = shutil.which("mlflow", path=os.path.dirname(sys.executable))
    if server is None:
        print("skipped: mlflow is not in .deps/peers, so no server was asked")
        yield None
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    uri = f"http://127.0.0.1:{port}"
    words = [server, "server", "--port", str(port), "--workers", "1", "--backend-store-uri", "sqlite:///mlflow.db",
             "--artifacts-destination", os.path.abspath("artifacts")]
    with open("mlflow.log", "w", encoding="utf-8") as log, \
            subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True) as process:
        try:
            await_server(uri)
            yield uri
        finally:
            os.killpg(process.pid, signal.SIGTERM)


def await_server(uri):
    for _ in range(240):
        try:
            urllib.request.urlopen(uri + "/health", timeout=1)
            return
        except OSError:
            time.sleep(0.25)
    raise AssertionError("the server does not answer within a minute")
