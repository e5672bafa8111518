// SPDX-License-Identifier: Apache-2.0
#include "whole/object_server.h"

#include <gtest/gtest.h>

#include "whole/free_port.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPut = R"(import os, sys, urllib.request
url, folder, prefix = sys.argv[1:4]
def put(path, body=b""):
    request = urllib.request.Request(url + path, data=body, method="PUT")
    request.add_header("Content-Type", "application/octet-stream")
    urllib.request.urlopen(request).read()
put("/lake")
for at, _, files in os.walk(folder):
    for name in files:
        file = os.path.join(at, name)
        with open(file, "rb") as body:
            put("/lake/" + prefix + "/" + os.path.relpath(file, folder), body.read())
)";

constexpr const char* kDelete = R"(import sys, urllib.request
request = urllib.request.Request(sys.argv[1], method="DELETE")
request.add_header("Authorization", "AWS4-HMAC-SHA256 Credential=k/20260101/us-east-1/s3/aws4_request, "
                   "SignedHeaders=host, Signature=0")
urllib.request.urlopen(request).read()
)";

}  // namespace

Outcome RunLakePython(const std::string& program, const std::vector<std::string>& words,
                      const fs::path& folder) {
  std::vector<std::string> all = {"/usr/bin/env", "python3", "-c", program};
  all.insert(all.end(), words.begin(), words.end());
  Running python(std::move(all), folder, {{"PYTHONPATH", (Repository() / ".deps/lakes").string()}});
  return python.Wait();
}

std::unique_ptr<ObjectServer> ObjectServer::Start(std::string& why) {
  const fs::path moto = Repository() / ".deps/moto";
  why = "moto is not here: ./dev setup --test-servers";
  if (!fs::exists(moto / "made")) return nullptr;
  std::unique_ptr<ObjectServer> made(new ObjectServer());
  made->port_ = FreePort();
  made->server_ = std::make_unique<Running>(
      std::vector<std::string>{"/usr/bin/env", "python3", "-m", "moto.server", "-H", "127.0.0.1",
                               "-p", std::to_string(made->port_)},
      made->scratch_.path(), std::map<std::string, std::string>{{"PYTHONPATH", moto.string()}});
  why = "moto does not start";
  return AwaitAnswer(made->port_, *made->server_) ? std::move(made) : nullptr;
}

std::string ObjectServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

std::map<std::string, std::string> ObjectServer::Environment() const {
  return {{"AWS_ACCESS_KEY_ID", "key-of-the-test"},
          {"AWS_SECRET_ACCESS_KEY", kStoreCanary},
          {"AWS_REGION", "us-east-1"},
          {"AWS_ENDPOINT_URL", url()}};
}

void ObjectServer::Put(const fs::path& folder, const std::string& prefix) const {
  const Outcome put = RunLakePython(kPut, {url(), folder.string(), prefix}, scratch_.path());
  ASSERT_EQ(put.exit, 0) << put.err;
}

void ObjectServer::Delete(const std::string& key) const {
  const Outcome gone = RunLakePython(kDelete, {url() + "/lake/" + key}, scratch_.path());
  ASSERT_EQ(gone.exit, 0) << gone.err;
}

}  // namespace protium::whole
