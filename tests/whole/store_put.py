# SPDX-License-Identifier: Apache-2.0
"""Makes the bucket "lake" of a store as Amazon's, Google's or Azure's, and puts a folder's files into it.

store_put.py amazon|google|azure URL FOLDER PREFIX; the key of Azure's account comes as AZURE_KEY.
"""
import base64
import hashlib
import hmac
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
from email.utils import formatdate


def send(method, url, body, headers):
    headers.setdefault("Content-Type", "application/octet-stream")
    request = urllib.request.Request(url, data=body, method=method, headers=headers)
    urllib.request.urlopen(request, timeout=60).read()


class Amazon:
    def __init__(self, url):
        self.url = url

    def make_bucket(self):
        self.put_at("/lake", b"")

    def put(self, name, body):
        self.put_at("/lake/" + urllib.parse.quote(name), body)

    def put_at(self, path, body):
        send("PUT", self.url + path, body, {"Authorization": "AWS k:x"})


class Google:
    def __init__(self, url):
        self.url = url

    def make_bucket(self):
        send("POST", self.url + "/storage/v1/b?project=p", json.dumps({"name": "lake"}).encode(),
             {"Content-Type": "application/json"})

    def put(self, name, body):
        send("POST", self.url + "/upload/storage/v1/b/lake/o?uploadType=media&name="
             + urllib.parse.quote(name, safe=""), body, {})


class Azure:
    """URL ends with the account's name, as with an emulator; signed by Shared Key."""

    def __init__(self, url):
        self.url = url
        self.account = url.rsplit("/", 1)[1]
        self.key = base64.b64decode(os.environ["AZURE_KEY"])

    def make_bucket(self):
        self.signed_put("/lake", {"restype": "container"}, b"", {})

    def put(self, name, body):
        self.signed_put("/lake/" + urllib.parse.quote(name), {}, body, {"x-ms-blob-type": "BlockBlob"})

    def signed_put(self, path, query, body, headers):
        headers |= {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-12-02"}
        lines = ["PUT", "", "", str(len(body) or ""), "", "application/octet-stream"] + [""] * 6
        lines += [f"{name}:{headers[name]}" for name in sorted(headers)]
        lines += [f"/{self.account}/{self.account}{path}"]
        lines += [f"{name}:{query[name]}" for name in sorted(query)]
        signature = hmac.new(self.key, "\n".join(lines).encode(), hashlib.sha256).digest()
        headers["Authorization"] = f"SharedKey {self.account}:{base64.b64encode(signature).decode()}"
        question = "?" + urllib.parse.urlencode(query) if query else ""
        send("PUT", self.url + path + question, body, headers)


def main():
    kind, url, folder, prefix = sys.argv[1:5]
    store = {"amazon": Amazon, "google": Google, "azure": Azure}[kind](url)
    try:
        store.make_bucket()
    except urllib.error.HTTPError as error:
        if error.code != 409:  # It is there.
            raise
    for at, _, files in os.walk(folder):
        for name in files:
            file = os.path.join(at, name)
            with open(file, "rb") as body:
                store.put(os.path.normpath(os.path.join(prefix, os.path.relpath(file, folder))), body.read())


main()
