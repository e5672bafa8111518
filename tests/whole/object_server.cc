// SPDX-License-Identifier: Apache-2.0
#include "whole/object_server.h"

#include <gtest/gtest.h>

#include <fstream>

#include "whole/free_port.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

constexpr const char* kDelete = R"(import sys, urllib.request
request = urllib.request.Request(sys.argv[1], method="DELETE")
request.add_header("Authorization", "AWS4-HMAC-SHA256 Credential=k/20260101/us-east-1/s3/aws4_request, "
                   "SignedHeaders=host, Signature=0")
urllib.request.urlopen(request).read()
)";

// Python with what moto needs.
std::unique_ptr<Running> StartPython(std::vector<std::string> words, const fs::path& folder) {
  words.insert(words.begin(), {"/usr/bin/env", "python3"});
  return StartServer(std::move(words), folder,
                     {{"PYTHONPATH", (Repository() / ".deps/moto").string()}});
}

}  // namespace

std::unique_ptr<Running> StartServer(std::vector<std::string> words, const fs::path& folder,
                                     const std::map<std::string, std::string>& environment) {
  words.insert(words.begin(), {"/usr/bin/setpriv", "--pdeathsig", "KILL"});
  return std::make_unique<Running>(std::move(words), folder, environment);
}

std::unique_ptr<Running> StartProxy(const StoreProxy& proxy, const fs::path& folder) {
  return StartPython(
      {(Repository() / "tests/whole/object_proxy.py").string(), std::to_string(proxy.port),
       std::to_string(proxy.behind), std::to_string(proxy.busy_every), (folder / "away").string()},
      folder);
}

Outcome PutFiles(const PutPlace& place, const fs::path& folder, const std::string& prefix,
                 const fs::path& scratch) {
  Running put({"/usr/bin/env", "python3", (Repository() / "tests/whole/store_put.py").string(),
               place.kind, place.url, folder.string(), prefix},
              scratch, {{"AZURE_KEY", place.azure_key}});
  return put.Wait();
}

Outcome RunLakePython(const std::string& program, const std::vector<std::string>& words,
                      const fs::path& folder) {
  std::vector<std::string> all = {"/usr/bin/env", "python3", "-c", program};
  all.insert(all.end(), words.begin(), words.end());
  Running python(std::move(all), folder, {{"PYTHONPATH", (Repository() / ".deps/lakes").string()}});
  return python.Wait();
}

std::unique_ptr<ObjectServer> ObjectServer::Start(int busy_every, std::string& why) {
  why = "moto is not here: ./dev setup --test-servers";
  if (!fs::exists(Repository() / ".deps/moto/made")) return nullptr;
  std::unique_ptr<ObjectServer> made(new ObjectServer());
  const fs::path folder = made->scratch_.path();
  made->behind_ = FreePort();
  made->moto_ = StartPython(
      {"-m", "moto.server", "-H", "127.0.0.1", "-p", std::to_string(made->behind_)}, folder);
  why = "moto does not start";
  if (!AwaitAnswer(made->behind_, *made->moto_)) return nullptr;
  made->port_ = FreePort();
  made->proxy_ = StartProxy({made->port_, made->behind_, busy_every}, folder);
  why = "the proxy does not start";
  if (!AwaitAnswer(made->port_, *made->proxy_)) return nullptr;
  why = "the bucket cannot be made";
  fs::create_directory(folder / "nothing");
  const Outcome put = PutFiles({"amazon", made->Behind()}, folder / "nothing", "none", folder);
  return put.exit == 0 ? std::move(made) : nullptr;
}

std::string ObjectServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }
std::string ObjectServer::Behind() const { return "http://127.0.0.1:" + std::to_string(behind_); }

std::map<std::string, std::string> ObjectServer::Environment(const fs::path& cache) const {
  std::map<std::string, std::string> environment = {{"AWS_ACCESS_KEY_ID", "key-of-the-test"},
                                                    {"AWS_SECRET_ACCESS_KEY", kStoreCanary},
                                                    {"AWS_REGION", "us-east-1"},
                                                    {"AWS_EC2_METADATA_DISABLED", "true"},
                                                    {"AWS_ENDPOINT_URL", url()}};
  if (!cache.empty()) environment["XDG_CACHE_HOME"] = cache.string();
  return environment;
}

void ObjectServer::Put(const fs::path& folder, const std::string& prefix) const {
  const Outcome put = PutFiles({"amazon", Behind()}, folder, prefix, scratch_.path());
  ASSERT_EQ(put.exit, 0) << put.err;
}

void ObjectServer::PutText(const std::string& key, const std::string& text) const {
  const fs::path file = scratch_.path() / "put" / key;
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
  const Outcome put = PutFiles({"amazon", Behind()}, scratch_.path() / "put", ".", scratch_.path());
  fs::remove_all(scratch_.path() / "put");
  ASSERT_EQ(put.exit, 0) << put.err;
}

void ObjectServer::Delete(const std::string& key) const {
  const Outcome gone = RunLakePython(kDelete, {Behind() + "/lake/" + key}, scratch_.path());
  ASSERT_EQ(gone.exit, 0) << gone.err;
}

void ObjectServer::SetCut(bool all) const {
  std::ofstream(scratch_.path() / "away.cut") << (all ? "all" : "");
}

void ObjectServer::SetSkewed() const { std::ofstream(scratch_.path() / "away.skewed") << "\n"; }

void ObjectServer::SetAway(bool away) const {
  const fs::path file = scratch_.path() / "away";
  if (away) {
    std::ofstream(file) << "\n";
  } else {
    fs::remove(file);
  }
}

}  // namespace protium::whole
