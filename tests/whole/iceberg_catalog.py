# SPDX-License-Identifier: Apache-2.0
"""iceberg_catalog.py FOLDER WAREHOUSE PORT TOKEN [S3_ENDPOINT]: a catalogue of Iceberg's REST protocol on the loopback
address, over pyiceberg's own catalogue in FOLDER/catalog.db, for whoever has the token; it is also the secret that buys
one.

The next commit is disturbed as a file of one of these names in FOLDER says, which is removed then:
  slower  it is refused, as that of a writer who was slower;
  lost    it is made, but its answer is lost;
  before  FOLDER/arrived appears, and when the client is gone, the commit is forgotten;
  after   the commit is made, FOLDER/arrived appears, and nothing is answered until the client is gone;
  late    FOLDER/arrived appears, and when the client is gone and FOLDER/go exists, the commit is tried:
          FOLDER/tried then holds the status;
  crossed FOLDER/arrived appears, and the commit is made when another one has come, just before that.
"""

import http.server
import json
import os
import socket
import sys
import threading
import time
import urllib.parse

from pydantic import TypeAdapter
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import (CommitFailedException, NoSuchNamespaceError, NoSuchTableError,
                                  TableAlreadyExistsError)
from pyiceberg.schema import Schema
from pyiceberg.table.update import TableRequirement, TableUpdate

FOLDER, WAREHOUSE, PORT, TOKEN = sys.argv[1:5]
STORE = {"s3.endpoint": sys.argv[5], "s3.access-key-id": "k", "s3.secret-access-key": "s",
         "s3.region": "us-east-1"} if len(sys.argv) > 5 else {}
catalog = SqlCatalog("c", uri=f"sqlite:///{FOLDER}/catalog.db", warehouse=WAREHOUSE, **STORE)
catalog.create_namespace_if_not_exists("sales")
requirements, updates = TypeAdapter(list[TableRequirement]), TypeAdapter(list[TableUpdate])
one_at_a_time = threading.Lock()
crossed = []


def wish():
    for name in ("slower", "lost", "before", "after", "late", "crossed"):
        path = os.path.join(FOLDER, name)
        if os.path.exists(path):
            os.remove(path)
            return name
    return ""


def put(name, text=""):
    with open(os.path.join(FOLDER, name + ".new"), "w") as file:
        file.write(text)
    os.rename(os.path.join(FOLDER, name + ".new"), os.path.join(FOLDER, name))


def shown(table):
    return {"metadata-location": table.metadata_location, "metadata": json.loads(table.metadata.model_dump_json())}


def commit(identifier, change):
    with one_at_a_time:
        return shown(catalog.commit_table(catalog.load_table(identifier),
                                          tuple(requirements.validate_python(change["requirements"])),
                                          tuple(updates.validate_python(change["updates"]))))


def answer(method, path, body):
    if path == ["config"]:
        return 200, {"defaults": {}, "overrides": {}}
    if len(path) == 2:
        return 200, {"namespace": path[1:], "properties": catalog.load_namespace_properties(path[1])}
    if len(path) == 3:
        with one_at_a_time:
            return 200, shown(catalog.create_table((path[1], body["name"]), Schema.model_validate(body["schema"])))
    identifier = (path[1], path[3])
    return 200, commit(identifier, body) if method == "POST" else shown(catalog.load_table(identifier))


def error(status, kind, error):
    return status, {"error": {"message": str(error), "type": kind, "code": status}}


def answer_or_error(method, path, body):
    try:
        return answer(method, path, body)
    except (NoSuchTableError, NoSuchNamespaceError) as missing:
        return error(404, type(missing).__name__, missing)
    except (CommitFailedException, TableAlreadyExistsError) as conflict:
        return error(409, type(conflict).__name__, conflict)


class Catalog(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def wait_until_gone(self):
        self.connection.settimeout(120)
        try:
            while self.connection.recv(1, socket.MSG_PEEK):
                time.sleep(0.01)
        except OSError:
            pass

    # Answers nothing.
    def disturb(self, disturbance, path, body):
        self.close_connection = True
        if disturbance in ("lost", "after"):
            answer_or_error("POST", path, body)
        if disturbance == "lost":
            return
        if disturbance == "crossed":
            crossed.append((path, body))
        put("arrived")
        self.wait_until_gone()
        if disturbance == "late":
            while not os.path.exists(os.path.join(FOLDER, "go")):
                time.sleep(0.01)
            put("tried", str(answer_or_error("POST", path, body)[0]))

    def handle_request(self):
        text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = urllib.parse.unquote(self.path.split("?")[0]).strip("/").split("/")[1:]
        if path == ["oauth", "tokens"]:
            form = urllib.parse.parse_qs(text.decode())
            known = form.get("client_secret") == [TOKEN] and form.get("grant_type") == ["client_credentials"]
            self.send(*(200, {"access_token": TOKEN}) if known else (401, {"error": "invalid_client"}))
            return
        body = json.loads(text or "{}")
        disturbance = wish() if self.command == "POST" and len(path) == 4 else ""
        if self.headers.get("Authorization") != "Bearer " + TOKEN:
            status, said = error(401, "NotAuthorizedException", "who asks?")
        elif disturbance == "slower":
            status, said = error(409, "CommitFailedException", "another writer was faster")
        elif disturbance:
            self.disturb(disturbance, path, body)
            return
        else:
            while crossed and self.command == "POST":
                answer_or_error("POST", *crossed.pop())
            status, said = answer_or_error(self.command, path, body)
        self.send(status, said)

    def send(self, status, said):
        body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = handle_request

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(PORT)), Catalog).serve_forever()
