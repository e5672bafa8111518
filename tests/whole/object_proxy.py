# SPDX-License-Identifier: Apache-2.0
"""object_proxy.py PORT SERVER_PORT EVERY AWAY: stands before an object store on the loopback address.

Every EVERY-th request is refused as a busy store does (0: none), and all of them while the file AWAY
exists. While a file AWAY.cut exists, every EVERY-th answer ends in its middle instead, or all if it
holds "all". While a file AWAY.skewed exists, every request is refused as one of a clock that is off.
At /-/sent it says how many bytes it has answered, and at /-/token it gives whoever asks a token of Google's.
"""

import http.client
import http.server
import os
import sys
import threading

PORT, SERVER, EVERY = (int(word) for word in sys.argv[1:4])
AWAY = sys.argv[4]
CUT = AWAY + ".cut"
SKEWED = AWAY + ".skewed"
BUSY = b"<?xml version='1.0'?><Error><Code>SlowDown</Code><Message>Reduce your rate</Message></Error>"
OFF = b"<?xml version='1.0'?><Error><Code>RequestTimeTooSkewed</Code><Message>The difference is too large</Message></Error>"
count = sent = 0
counting = threading.Lock()


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        pieces = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return b"".join(pieces)

    def is_refused(self):
        return os.path.exists(AWAY) or (self.is_chosen and not os.path.exists(CUT))

    def is_cut(self):
        if not os.path.exists(CUT):
            return False
        with open(CUT) as file:
            return self.is_chosen or file.read() == "all"

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in ("transfer-encoding", "connection", "content-length", "date", "server"):
                self.send_header(name, value)
        length = dict((name.lower(), value) for name, value in headers).get("content-length")
        self.send_header("Content-Length", length if self.command == "HEAD" and length else len(body))
        self.end_headers()
        if self.command == "HEAD":
            return
        if self.command == "GET" and status < 300 and self.is_cut():
            self.wfile.write(body[:len(body) // 2])
            self.close_connection = True
            return
        self.wfile.write(body)

    def handle_any(self):
        global count, sent
        self.is_chosen = False
        if self.path == "/-/sent":
            self.answer(200, [], str(sent).encode())
            return
        if self.path == "/-/token":
            self.body()
            self.answer(200, [], b'{"access_token": "t", "expires_in": 3600, "token_type": "Bearer"}')
            return
        with counting:
            count += 1
            self.is_chosen = EVERY > 0 and count % EVERY == 0
        body = self.body()
        if self.is_refused():
            self.answer(503, [], b"" if self.command == "HEAD" else BUSY)
            return
        if os.path.exists(SKEWED):
            self.answer(403, [("Content-Type", "application/xml")], b"" if self.command == "HEAD" else OFF)
            return
        server = http.client.HTTPConnection("127.0.0.1", SERVER, timeout=60)
        headers = {name: value for name, value in self.headers.items()
                   if name.lower() not in ("transfer-encoding", "connection", "content-length", "expect")}
        headers["Content-Length"] = str(len(body))
        server.request(self.command, self.path, body, headers)
        response = server.getresponse()
        answer = response.read()
        with counting:
            sent += len(answer)
        self.answer(response.status, response.getheaders(), answer)
        server.close()

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Proxy)
threading.Thread(target=server.serve_forever, daemon=True).start()
threading.Event().wait()
