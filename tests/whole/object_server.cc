// SPDX-License-Identifier: Apache-2.0
#include "whole/object_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "whole/servers.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

std::string MotoServer() {
  const char* const named = std::getenv("PROTIUM_MOTO_SERVER");
  return named != nullptr && *named != 0 ? named
                                         : (Repository() / ".deps/moto/bin/moto_server").string();
}

std::unique_ptr<Running> StartEnding(std::vector<std::string> words, const fs::path& scratch) {
  const std::vector<std::string> before = {"/usr/bin/setpriv", "--pdeathsig", "KILL"};
  words.insert(words.begin(), before.begin(), before.end());
  return std::make_unique<Running>(std::move(words), scratch);
}

}  // namespace

std::unique_ptr<ObjectServer> ObjectServer::Start(int busy_every, std::string& why) {
  why = "not here: ./dev setup --sources s3";
  if (!fs::exists(Repository() / ".deps/py/pyarrow/libarrow_s3.so.2600")) return nullptr;
  why =
      "not here: python3 -m venv .deps/moto && .deps/moto/bin/pip install 'moto[server]', or "
      "PROTIUM_MOTO_SERVER";
  if (!fs::exists(MotoServer())) return nullptr;
  std::unique_ptr<ObjectServer> made(new ObjectServer());
  const fs::path folder = made->scratch_.path();
  const int behind = FreePort();
  made->moto_ =
      StartEnding({MotoServer(), "-H", "127.0.0.1", "-p", std::to_string(behind)}, folder);
  why = "moto does not start";
  if (!AwaitAnswer(behind, *made->moto_)) return nullptr;
  made->port_ = FreePort();
  made->proxy_ = StartEnding(
      {"/usr/bin/env", "python3", (Repository() / "tests/whole/object_proxy.py").string(),
       std::to_string(made->port_), std::to_string(behind), std::to_string(busy_every),
       (folder / "away").string()},
      folder);
  why = "the proxy does not start";
  if (!AwaitAnswer(made->port_, *made->proxy_)) return nullptr;
  made->Put("lake", "");
  why.clear();
  return made;
}

void ObjectServer::Put(const std::string& object, const std::string& text) const {
  const std::string put = fmt::format(
      "import urllib.request as r; r.urlopen(r.Request('http://127.0.0.1:{}/{}', "
      "data=b'{}', method='PUT', "
      "headers={{'Authorization': 'AWS reader:x', 'Content-Type': 'text/plain'}}))",
      port_, object, text);
  Running python({"/usr/bin/env", "python3", "-c", put}, scratch_.path());
  ASSERT_EQ(python.Wait().exit, 0) << object;
}

std::map<std::string, std::string> ObjectServer::Environment(const fs::path& cache) const {
  return {{"AWS_ENDPOINT_URL", fmt::format("http://127.0.0.1:{}", port_)},
          {"AWS_ACCESS_KEY_ID", "reader"},
          {"AWS_SECRET_ACCESS_KEY", kCanary},
          {"AWS_REGION", "us-east-1"},
          {"AWS_EC2_METADATA_DISABLED", "true"},
          {"XDG_CACHE_HOME", cache.string()}};
}

void ObjectServer::SetAway(bool away) const {
  const fs::path file = scratch_.path() / "away";
  if (away)
    std::ofstream(file) << "\n";
  else
    fs::remove(file);
}

}  // namespace protium::whole
