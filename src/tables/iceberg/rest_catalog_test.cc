// SPDX-License-Identifier: Apache-2.0
// Against a server that answers as catalogues do.
#include "iceberg/rest_catalog.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "base/fault.h"
#include "http/library.h"

namespace protium {
namespace {

constexpr const char* kSecret = "canary-of-the-catalogue";

class FakeCatalog {
 public:
  FakeCatalog() {
    server_.Get(".*", [this](const httplib::Request& request, httplib::Response& answer) {
      Note(request);
      if (busy_ > 0) {
        --busy_;
        answer.status = 503;
      } else if (request.get_header_value("Authorization") != "Bearer " + token_) {
        answer.status = 401;
        answer.set_content(R"({"error":{"message":"who is canary-of-the-catalogue?"}})", "");
      } else if (request.path.ends_with("/config")) {
        answer.set_content(R"({"overrides":{"prefix":"p"}})", "application/json");
      } else if (request.path.ends_with("/scores")) {
        answer.set_content(R"({"metadata":{}})", "application/json");
      } else {
        answer.status = 404;
      }
    });
    server_.Post(".*", [this](const httplib::Request& request, httplib::Response& answer) {
      Note(request);
      if (request.path.ends_with("/tokens")) {
        const bool known =
            request.body.find("client_secret=" + std::string(kSecret)) != std::string::npos;
        answer.status = known ? 200 : 401;
        answer.set_content(known ? R"({"access_token":"given"})" : R"({"error":"invalid_client"})",
                           "application/json");
        return;
      }
      answer.status = post_;
      answer.set_content("{}", "application/json");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::jthread([this] { server_.listen_after_bind(); });
    ::setenv("PT_CATALOG_SECRET", kSecret, 1);
  }
  ~FakeCatalog() { server_.stop(); }

  Connection Who() const {
    return {.url = "http://127.0.0.1:" + std::to_string(port_) + "/c?warehouse=w",
            .password = {.env = "PT_CATALOG_SECRET"}};
  }
  std::string Seen() {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const std::string& each : seen_) all += each + " ";
    return all;
  }

  std::atomic<int> busy_ = 0, post_ = 200;
  std::string token_ = kSecret;

 private:
  void Note(const httplib::Request& request) {
    const std::lock_guard lock(mutex_);
    seen_.push_back(request.path);
  }
  std::mutex mutex_;
  std::vector<std::string> seen_;
  httplib::Server server_;
  int port_ = 0;
  std::jthread thread_;
};

TEST(RestCatalog, AsksWhereTheCatalogueWantsToBeAsked) {
  FakeCatalog server;
  const auto catalog = RestCatalog::Open(server.Who());
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  EXPECT_TRUE((*catalog->Load("sales.scores")).has_value());
  EXPECT_FALSE((*catalog->Load("sales.other")).has_value());
  EXPECT_EQ(server.Seen(),
            "/c/v1/config /c/v1/p/namespaces/sales/tables/scores "
            "/c/v1/p/namespaces/sales/tables/other ");
}

TEST(RestCatalog, AsksAgainWhereItIsBusyAndNotForever) {
  FakeCatalog server;
  server.busy_ = 2;
  EXPECT_TRUE(RestCatalog::Open(server.Who()).ok());
  server.busy_ = 100;
  const Fault fault = FaultOf(RestCatalog::Open(server.Who()).status());
  EXPECT_EQ(fault.exit, Exit::kRemote);
  EXPECT_EQ(fault.what, "the catalogue is too busy, or away: it answers 503");
  EXPECT_EQ(server.busy_, 95);
}

TEST(RestCatalog, TakesATokenForAClient) {
  FakeCatalog server;
  server.token_ = "given";
  Connection client = server.Who();
  client.key = "reader";
  const auto catalog = RestCatalog::Open(client);
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  EXPECT_TRUE((*catalog->Load("sales.scores")).has_value());
  ::setenv("PT_CATALOG_SECRET", "other", 1);
  const Status refused = RestCatalog::Open(client).status();
  EXPECT_EQ(FaultOf(refused).what, "the client reader gets no token");
  EXPECT_EQ(FaultOf(refused).why, "invalid_client");
}

TEST(RestCatalog, RefusesWithoutRepeatingTheToken) {
  FakeCatalog server;
  server.token_ = "another";
  const Status refused = RestCatalog::Open(server.Who()).status();
  EXPECT_EQ(FaultOf(refused).what, "the catalogue refuses the token");
  EXPECT_EQ(refused.ToString().find(kSecret), std::string::npos) << refused;
}

TEST(RestCatalog, TellsACommitThatIsRefusedFromOneThatMayArriveYet) {
  FakeCatalog server;
  const auto catalog = RestCatalog::Open(server.Who());
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const auto commit = [&](int status) {
    server.post_ = status;
    return catalog->Commit("sales.scores", Json::object());
  };
  EXPECT_EQ(*commit(200), CommitAnswer::kDone);
  EXPECT_EQ(*commit(409), CommitAnswer::kSlower);
  for (const int status : {500, 502, 503, 504, 429}) {
    EXPECT_EQ(*commit(status), CommitAnswer::kUnknown) << status;
  }
  EXPECT_EQ(FaultOf(commit(400).status()).what, "the catalogue answers 400");
}

TEST(RestCatalog, ThatIsNotThereIsSaid) {
  const Fault fault = FaultOf(RestCatalog::Open({.url = "http://127.0.0.1:9"}).status());
  EXPECT_EQ(fault.what, "the catalogue does not answer");
  EXPECT_EQ(fault.exit, Exit::kRemote);
}

}  // namespace
}  // namespace protium
