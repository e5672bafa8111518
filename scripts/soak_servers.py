# SPDX-License-Identifier: Apache-2.0
"""Honest and hostile clients side by side at `protium ui` and `protium serve`.

Honest ones send good requests at a fixed rate, first alone and then beside hostile ones, which do
what docs/serve.md and docs/page.md say is bounded. At the end it prints what each server held and
how long the honest waited, and fails where one of them was refused, a server ended or grew without
end, or a stranger saw the token."""

import argparse
import gzip
import json
import multiprocessing
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

PATIENCE = 30  # Seconds that an honest client waits for its answer.


def connect(port, receive=0):
    peer = socket.socket()
    if receive:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    peer.settimeout(PATIENCE)
    peer.connect(("127.0.0.1", port))
    return peer


def head(port, line, *more):
    return "\r\n".join([f"{line} HTTP/1.1", f"Host: 127.0.0.1:{port}", *more, "", ""]).encode()


def read_answer(peer):
    """One answer with its Content-Length."""
    data = b""
    while b"\r\n\r\n" not in data:
        some = peer.recv(65536)
        if not some:
            return data
        data += some
    start = data.index(b"\r\n\r\n") + 4
    length = int(re.search(rb"Content-Length: (\d+)", data).group(1))
    while len(data) < start + length:
        some = peer.recv(65536)
        if not some:
            break
        data += some
    return data


def read_all(peer, limit=1 << 20):
    data = b""
    try:
        while len(data) < limit and (some := peer.recv(65536)):
            data += some
    except OSError:
        pass
    return data


class Server:
    """A command that serves, its port and its token."""

    def __init__(self, kind, command, arguments, environment):
        self.kind = kind
        self.process = subprocess.Popen([command, *arguments], stdout=subprocess.PIPE, env=environment, text=True)
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline()).group(1))
        self.token = re.search(r"[0-9a-f]{64}", self.process.stdout.readline()).group(0)
        self.allowed = f"Authorization: Bearer {self.token}"

    def watch(self):
        pid = self.process.pid
        status = open(f"/proc/{pid}/status").read()
        held = int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024
        return held, len(os.listdir(f"/proc/{pid}/fd")), int(re.search(r"Threads:\s+(\d+)", status).group(1))


def honest(server, request, expected, rate, stop, results):
    """Requests at fixed times; a wait counts from the time that the request was due."""
    waits, refused, peer, due = [], [], None, time.monotonic()
    while not stop.is_set():
        time.sleep(max(0, due - time.monotonic()))
        answer = b""
        for _ in range(2):  # A kept connection may be closed between requests: that is HTTP's.
            kept = peer is not None
            try:
                peer = peer or connect(server.port)
                peer.sendall(request)
                answer = read_answer(peer)
            except OSError as error:
                answer = repr(error).encode()
            if answer.startswith(b"HTTP/1.1 200") or not kept:
                break
            peer = None
        waits.append((due, time.monotonic() - due))
        if not answer.startswith(b"HTTP/1.1 200") or expected not in answer:
            refused.append(answer[:200])
            peer = None
        if random.random() < 0.3:  # New connections must come through, too.
            peer = None
        due = max(due + 1 / rate, time.monotonic() - 1)
    results.put((server.kind, waits, refused))


# What hostile clients do, each a function of the server and a path. They give what came back.


def ranges(server, path):
    peer = connect(server.port)
    first, last = random.choice([0, 164, 4096, 262144]), random.choice(["", 1, 900000, 1 << 63])
    peer.sendall(head(server.port, f"GET {path}", f"Range: bytes={first}-{last}", "Connection: close"))
    return read_all(peer)


def headers_without_end(server, path):
    peer = connect(server.port)
    peer.sendall(head(server.port, f"POST {path}")[:-2])
    for k in range(200):
        peer.sendall("".join(f"H{k}-{i}: a\r\n" for i in range(1000)).encode())
    return read_all(peer)


def chunks_without_end(server, path):
    peer = connect(server.port)
    peer.sendall(head(server.port, f"POST {path}", server.allowed, "Transfer-Encoding: chunked"))
    for _ in range(64):
        peer.sendall(b"100000\r\n" + b" " * (1 << 20) + b"\r\n")
    return read_all(peer)


def body(server, path, content, *more):
    peer = connect(server.port)
    peer.sendall(head(server.port, f"POST {path}", f"Content-Length: {len(content)}", "Connection: close", *more))
    peer.sendall(content)
    return read_all(peer)


def packed(server, path):
    return body(server, path, gzip.compress(b" " * (1 << 22)), server.allowed, "Content-Encoding: gzip")


def many_objects(server, path):
    rows = b'{"rows":[' + b",".join([b"{}"] * random.choice([1000, 100_000, 2_000_000])) + b"]}"
    return body(server, path, rows, server.allowed, "Content-Type: application/json")


def nested(server, path):
    return body(server, path, b'{"rows":' + b"[" * 1_000_000, server.allowed)


def null_bomb(server, path):
    return body(server, path, BOMB, server.allowed, "Content-Type: application/vnd.apache.arrow.stream")


def damaged(server, path):
    request = bytearray(head(server.port, f"GET {path}", "Content-Length: 5", "Range: bytes=5-99") + b"abcde")
    for _ in range(random.randint(1, 8)):
        request[random.randrange(len(request))] = random.randrange(256)
    peer = connect(server.port)
    peer.settimeout(2)
    peer.sendall(request)
    return read_all(peer)


def flood(server, path):
    for _ in range(200):
        connect(server.port).close()
    return b""


def silent(server, path):
    HELD.extend(connect(server.port) for _ in range(50))
    return b""


def drip(server, path):
    for line in (f"GET {path} HTTP/1.1\r\nX: ", head(server.port, f"POST {path}", server.allowed, "Content-Length: 9999").decode()):
        for _ in range(35):
            peer = connect(server.port)
            peer.sendall(line.encode())
            HELD.append(peer)
    return b""


def unread(server, path):
    peer = connect(server.port, 4096)
    peer.sendall(head(server.port, f"GET {path}", server.allowed) * 100)
    HELD.append(peer)
    return b""


HELD, BOMB = [], b""
ALL = [ranges, headers_without_end, chunks_without_end, packed, many_objects, nested, null_bomb, damaged, flood,
       silent, drip, unread]


def keep_dripping():
    """A byte on each connection that is held, of which the oldest are let go."""
    for peer in HELD:
        try:
            peer.setblocking(False)
            peer.send(b"a")
        except OSError:
            pass
    for peer in HELD[:-400]:
        peer.close()
    del HELD[:-400]


def hostile(server, paths, seed, pause, stop, results):
    os.nice(10)  # They stand for other machines: the cores are the server's.
    random.seed(seed)
    done, seen = {}, 0
    last = time.monotonic()
    while not stop.is_set():
        act = random.choice(ALL)
        try:
            answer = act(server, random.choice(paths))
        except OSError:
            answer = b""
        # Only who shows the token is given it, in a cookie, and none of these asks for one.
        seen += server.token.encode() in answer
        done[act.__name__] = done.get(act.__name__, 0) + 1
        if time.monotonic() - last > 1:
            keep_dripping()
            last = time.monotonic()
        time.sleep(pause)
    results.put((server.kind, done, seen))


def quantiles(waits):
    each = sorted(wait * 1000 for wait in waits)
    if len(each) < 2:
        return "no requests"
    at = lambda share: each[min(len(each) - 1, int(share * len(each)))]
    return f"p50 {at(.5):.1f} ms, p99 {at(.99):.1f} ms, worst {each[-1]:.0f} ms of {len(each)}"


def phase(servers, clients, seconds, watched):
    """Runs clients beside each other for so long."""
    stop, results = multiprocessing.Event(), multiprocessing.Queue()
    processes = [multiprocessing.Process(target=target, args=(*arguments, stop, results), daemon=True)
                 for target, arguments in clients]
    for process in processes:
        process.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(min(5, max(0, end - time.monotonic())))
        for server in servers:
            if server.process.poll() is not None:
                sys.exit(f"{server.kind} has ended with {server.process.returncode}")
            watched.setdefault(server.kind, []).append(server.watch())
    stop.set()
    found = [results.get(timeout=120) for _ in processes]
    for process in processes:
        process.join(30)
    return found


def make_bomb(model):
    """A stream whose null columns claim 2^40 rows; empty where pyarrow is not there to write one."""
    try:
        import pyarrow as arrow
    except ImportError:
        return b""
    table = arrow.table({column["name"]: arrow.nulls(7654321) for column in model["input"]})
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    claim = (7654321).to_bytes(8, "little")
    return sink.getvalue().to_pybytes().replace(claim, (1 << 40).to_bytes(8, "little"))


def main():
    global BOMB
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", nargs="?", type=int, default=120)
    parser.add_argument("--command", required=True)
    parser.add_argument("--job", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between two acts of a hostile client")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="soak-servers-")
    environment = dict(os.environ, HOME=folder)
    subprocess.run([asked.command, "run", asked.job, "--set", f"data={asked.data}", "--runs-dir", folder, "-q"],
                   check=True, env=environment,
                   stdout=subprocess.DEVNULL)
    run = next(name for name in os.listdir(folder) if os.path.isdir(f"{folder}/{name}/model"))
    ui = Server("ui", asked.command, ["ui", folder, "--token"], environment)
    serve = Server("serve", asked.command, ["serve", f"{folder}/{run}/model", "--token"], environment)
    servers = [ui, serve]
    peer = connect(serve.port)
    peer.sendall(head(serve.port, "GET /v1/model", serve.allowed))
    model = json.loads(read_answer(peer).split(b"\r\n\r\n", 1)[1])
    BOMB = make_bomb(model)
    if not BOMB:
        print("without pyarrow: no stream that claims too much is sent")
    values = {"string": "EWR", "float64": 1.5, "float32": 1.5}
    row = json.dumps({"rows": [{c["name"]: values.get(c["type"], 1) for c in model["input"]}] * 3})
    score = head(serve.port, "POST /v1/score", serve.allowed, "Content-Type: application/json",
                 f"Content-Length: {len(row)}") + row.encode()
    page = head(ui.port, "GET /api/v1/runs", ui.allowed)
    good = [(honest, (serve, score, b"predictions", 50)), (honest, (ui, page, run.encode(), 20))]
    bad = [(hostile, (serve, ["/v1/score", "/v1/model", "/healthz"], asked.seed, asked.pause)),
           (hostile, (ui, ["/", "/api/v1/runs", f"/api/v1/runs/{run}/score", "/login"], asked.seed + 1, asked.pause))]
    watched, failed = {}, False
    alone = phase(servers, good, max(20, asked.seconds // 20), {})
    beside = phase(servers, good + bad, asked.seconds, watched)
    for server in servers:
        for name, found in (("alone", alone), ("beside hostile ones", beside)):
            waits, refused = next((f[1], f[2]) for f in found if f[0] == server.kind and isinstance(f[1], list))
            print(f"{server.kind}: honest {name}: {quantiles([w for _, w in waits])}, refused {len(refused)}")
            for answer in refused[:3]:
                print("  ", answer)
            failed |= bool(refused)
        done, seen = next((f[1], f[2]) for f in beside if f[0] == server.kind and isinstance(f[1], dict))
        print(f"{server.kind}: hostile acts {sum(done.values())} {done}, with the token in an answer {seen}")
        held, files, threads = zip(*watched[server.kind])
        half = len(held) // 2
        print(f"{server.kind}: memory median {statistics.median(held):.0f}, most {max(held):.0f} MiB (first half "
              f"{max(held[:half] or held):.0f}), files most {max(files)}, threads most {max(threads)}")
        failed |= bool(seen)
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        code = server.process.wait(60)
        print(f"{server.kind}: ended with {code} in {time.monotonic() - began:.1f} s")
        failed |= code != 0
    subprocess.run(["rm", "-rf", folder], check=False)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
