# SPDX-License-Identifier: Apache-2.0
"""otlp_test.py PROTIUM: a run is sent to a collector, which holds it against OTLP's schema.

The collector is this file's: it takes what opentelemetry-proto 1.x calls an
ExportTraceServiceRequest, with the fields that it requires, and answers as one.
"""

import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

protium = sys.argv[1]
VALUES = {"stringValue": str, "boolValue": bool, "intValue": str, "doubleValue": (int, float)}


def check_attributes(attributes):
    for each in attributes:
        assert set(each) == {"key", "value"} and each["key"], each
        ((kind, value),) = each["value"].items()
        assert isinstance(value, VALUES[kind]), each
        assert kind != "intValue" or re.fullmatch(r"-?\d+", value), each


def nanos(text):
    assert isinstance(text, str) and re.fullmatch(r"\d{19}", text), text  # 64-bit numbers are text.
    return int(text)


def check_span(span):
    assert re.fullmatch(r"[0-9a-f]{32}", span["traceId"]) and re.fullmatch(r"[0-9a-f]{16}", span["spanId"])
    assert span["name"] and span["kind"] in range(6)
    begin, end = nanos(span["startTimeUnixNano"]), nanos(span["endTimeUnixNano"])
    assert begin <= end, span
    check_attributes(span["attributes"])
    for event in span.get("events", []):
        assert event["name"] and begin <= nanos(event["timeUnixNano"]) <= end, event
        check_attributes(event["attributes"])
    assert span.get("status", {}).get("code", 0) in range(3)


def check_request(request):
    (resource,) = request["resourceSpans"]
    check_attributes(resource["resource"]["attributes"])
    names = {each["key"]: each["value"] for each in resource["resource"]["attributes"]}
    assert names["service.name"] == {"stringValue": "protium"}
    (scope,) = resource["scopeSpans"]
    assert scope["scope"]["name"] == "protium"
    spans = scope["spans"]
    for span in spans:
        check_span(span)
    ids = {span["spanId"] for span in spans}
    assert len(ids) == len(spans) and len({span["traceId"] for span in spans}) == 1
    roots = [span for span in spans if "parentSpanId" not in span]
    assert len(roots) == 1 and all(span["parentSpanId"] in ids for span in spans if span is not roots[0])
    return roots[0], {span["name"] for span in spans}


class Collector(http.server.BaseHTTPRequestHandler):
    got = []
    answer = (200, {"partialSuccess": {}})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Collector.got.append((self.path, dict(self.headers), json.loads(body)))
        status, answer = Collector.answer
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


# As runs leave it.
def make_run(folder):
    os.makedirs(folder)
    def write(name, json_value):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump(json_value, file)
    write("run.json", {"name": "made", "state": "failed", "pid": 1, "started": "2026-01-02T03:04:05.000Z",
                       "ended": "2026-01-02T03:04:09.000Z", "argv": ["protium"]})
    write("result.json", {"error": {"exit": 1, "what": "rank 1 died"}, "metrics": {"test": {"rmse": 2.5, "rows": 9}}})
    events = [{"event": "start", "run": "made"}, {"event": "etl_done", "rows": 12}, {"event": "note", "message": "n < 3"},
              {"event": "gang_start", "task": "train", "attempt": 0, "ranks": [{"rank": 0, "host": "a", "pid": 7}, {"rank": 1, "host": "b"}]},
              {"event": "train_start", "rows": 9, "steps": 4, "epochs": 1, "step": 0}, {"event": "end", "state": "failed"}]
    with open(os.path.join(folder, "events.jsonl"), "w", encoding="utf-8") as file:
        for at, event in enumerate(events):
            file.write(json.dumps({"time": f"2026-01-02T03:04:05.{100 * at:03}Z", **event}) + "\n")


def export(uri, **variables):
    words = [protium, "export", "made-1", "--to", "otlp", "--runs-dir", "runs", "--uri", uri]
    return subprocess.run(words, capture_output=True, text=True, env={**os.environ, **variables}, timeout=60)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    uri = f"http://127.0.0.1:{server.server_port}"
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        make_run("runs/made-1")
        done = export(uri, OTEL_EXPORTER_OTLP_HEADERS="x-key=secret")
        assert done.returncode == 0, done.stderr
        ((path, headers, request),) = Collector.got
        assert path == "/v1/traces" and headers["Content-Type"].startswith("application/json")
        assert {name.lower(): value for name, value in headers.items()}["x-key"] == "secret"
        root, names = check_request(request)
        assert root["name"] == "made" and root["status"] == {"code": 2, "message": "rank 1 died"}
        assert {"etl", "train", "train on rank 0", "train on rank 1"} <= names, names
        Collector.answer = (200, {"partialSuccess": {"rejectedSpans": "1", "errorMessage": "one is too old"}})
        assert "one is too old" in (lambda again: again.stdout + again.stderr)(export(uri))
        Collector.answer = (503, {"message": "full"})
        refused = export(uri)
        assert refused.returncode != 0 and "503" in refused.stderr, refused.stderr
        os.chdir("/")
    server.shutdown()
    print("4 passed, 0 failed")


main()
