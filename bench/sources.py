# SPDX-License-Identifier: Apache-2.0
"""Tables of a PostgreSQL server and of an object store until their rows are packed for training.

The server is Debian's, with 5 M rows x 20 columns; the store is moto behind a proxy that counts bytes, with a Parquet
table of 40 columns of which 4 are read. Both are made here, on free ports of the loopback address, and end with it.
"""

import atexit
import datetime
import glob
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

FOLDER = "build/bench/sources"
ROWS = 5_000_000
NUMBERS = [f"x{i}" for i in range(1, 19)]
JOB = """name = "sources"
[tables]
{tables}
[etl]
sql = "SELECT {columns}, y FROM wide"
[[pipeline]]
kind = "torch_estimator"
numeric = {columns_list}
label = "y"
[train]
epochs = 1
batch_size = 65536
[gang]
workers = 2
"""


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def answers(port):
    for _ in range(600):
        with socket.socket() as caller:
            if caller.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit(f"bench: no answer on port {port}")


def as_nobody(words):
    root = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []
    return [*root, *words]


class Postgres:
    """A server of its own; its user is "reader", without a password. `log` gets every statement."""

    def __init__(self, log=None):
        self.programs = max(glob.glob("/usr/lib/postgresql/*/bin"), default=None)
        if self.programs is None:
            sys.exit("bench: PostgreSQL is missing: apt-get install postgresql")
        self.folder = tempfile.mkdtemp(prefix="protium-bench-")
        if os.getuid() == 0:
            shutil.chown(self.folder, 65534, 65534)
        self.port = free_port()
        data = f"{self.folder}/data"
        subprocess.run(as_nobody([f"{self.programs}/initdb", "-D", data, "-A", "trust", "-U", "reader", "--no-sync",
                                  "--locale=C.UTF-8"]), check=True, capture_output=True, cwd="/")
        self.server = subprocess.Popen(
            as_nobody([f"{self.programs}/postgres", "-D", data, "-p", str(self.port), "-c",
                       "listen_addresses=127.0.0.1", "-k", self.folder, "-c", "fsync=off", "-c", "shared_buffers=1GB",
                       *(["-c", "log_statement=all"] if log else [])]),
            stdout=subprocess.DEVNULL, stderr=log or subprocess.DEVNULL, cwd="/")
        answers(self.port)
        time.sleep(1)
        self.sql("CREATE DATABASE shop", "postgres")

    def sql(self, text, database="shop"):
        done = subprocess.run([f"{self.programs}/psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "reader", "-d",
                               database, "-Atq", "-c", text], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def url(self):
        return f"postgresql://reader@127.0.0.1:{self.port}/shop"

    def end(self):
        self.server.send_signal(2)
        self.server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Store:
    """moto, and the proxy that the tests use."""

    def __init__(self):
        environment = dict(os.environ, PYTHONPATH=os.path.abspath(".deps/moto"))
        if not os.path.exists(".deps/moto/made"):
            sys.exit("bench: moto is missing: ./dev setup --test-servers")
        behind, self.port = free_port(), free_port()
        self.moto = subprocess.Popen(["python3", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(behind)],
                                     env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        answers(behind)
        self.proxy = subprocess.Popen(["python3", "tests/whole/object_proxy.py", str(self.port), str(behind), "0",
                                       "/nonexistent"])
        answers(self.port)
        self.environment = dict(os.environ, AWS_ACCESS_KEY_ID="k", AWS_SECRET_ACCESS_KEY="s", AWS_REGION="us-east-1",
                                AWS_ENDPOINT_URL=f"http://127.0.0.1:{self.port}")

    def put(self, path, body=b""):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{path}", data=body, method="PUT")
        request.add_header("Content-Type", "application/octet-stream")
        urllib.request.urlopen(request).read()

    # Bytes that it has answered so far.
    def sent(self):
        return int(urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/sent").read())

    def end(self):
        for server in (self.proxy, self.moto):
            server.terminate()
            server.wait()


class Sources:
    def __init__(self, binaries, python, figures_in):
        self.protium, self.python, self.figures_in = f"{binaries}/protium", python, figures_in
        self.postgres = self.store = None

    def open(self):
        if self.postgres is not None:
            return
        os.makedirs(FOLDER, exist_ok=True)
        atexit.register(self.end)
        self.postgres, self.store = Postgres(), Store()
        numbers = ", ".join(f"random()::float8 AS {name}" for name in NUMBERS)
        self.postgres.sql(f"SELECT setseed(0.5); CREATE TABLE wide AS SELECT i AS id, {numbers}, random() < 0.5 AS y "
                          f"FROM generate_series(1, {ROWS}) i; ANALYZE wide")
        self.store.put("lake")
        for part in range(8):
            path = f"{FOLDER}/part-{part}.parquet"
            subprocess.run([self.python, "bench/peers/sources.py", "table", path, "200000", str(part)], check=True)
            with open(path, "rb") as file:
                self.store.put(f"lake/wide/part-{part}.parquet", file.read())

    def end(self):
        if self.postgres is not None:
            self.postgres.end()
            self.store.end()

    # Seconds from the start of the command until the first rank has all packed rows.
    def packed(self, tables, columns, rows, environment=None):
        with tempfile.TemporaryDirectory(prefix="protium-bench-", dir=FOLDER) as folder:
            with open(f"{folder}/job.toml", "w", encoding="utf-8") as job:
                job.write(JOB.format(tables=tables, columns=", ".join(columns), columns_list=json.dumps(columns)))
            begun = time.time()
            subprocess.run([self.protium, "run", f"{folder}/job.toml", "--runs-dir", f"{folder}/runs"], check=True,
                           capture_output=True, env=environment)
            (log,) = glob.glob(f"{folder}/runs/*/events.jsonl")
            with open(log, encoding="utf-8") as lines:
                events = [json.loads(line) for line in lines]
        (start,) = [event for event in events if event["event"] == "train_start"]
        if start["rows"] != rows:
            sys.exit(f"bench: {start['rows']} rows of {rows} were packed")
        return datetime.datetime.fromisoformat(start["time"].replace("Z", "+00:00")).timestamp() - begun

    def ours(self):
        self.open()
        seconds = self.packed(f'wide = {{ postgres = "{self.postgres.url()}", table = "wide" }}', NUMBERS, ROWS)
        yield {"figure": "PostgreSQL, 5 M rows packed", "value": seconds, "unit": "s"}
        before = self.store.sent()
        seconds = self.packed('wide = { parquet = "s3://lake/wide/*.parquet" }', NUMBERS[:3], 1_600_000,
                              self.store.environment)
        yield {"figure": "S3, 4 of 40 columns packed", "value": seconds, "unit": "s"}
        yield {"figure": "S3, bytes read / bytes of 4 columns", "value": (self.store.sent() - before) / self.columns(),
               "unit": ""}

    # The bytes of the four columns in the files.
    def columns(self):
        done = subprocess.run([self.python, "bench/peers/sources.py", "bytes", *sorted(glob.glob(f"{FOLDER}/part-*")),
                               ",".join([*NUMBERS[:3], "y"])], check=True, capture_output=True, text=True)
        return int(done.stdout)

    def theirs(self):
        self.open()
        done = subprocess.run([self.python, "bench/peers/sources.py", "read", str(self.postgres.port),
                               str(self.store.port), str(ROWS)], check=True, capture_output=True, text=True)
        return self.figures_in(done.stdout)
