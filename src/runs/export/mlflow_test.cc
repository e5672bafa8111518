// SPDX-License-Identifier: Apache-2.0
// Runs against a server in this process that responds like MLflow's; tests/page/exported.py uses a
// real one.
#include "export/mlflow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <thread>

#include "base/fault.h"
#include "http/library.h"
#include "os/file.h"
#include "run/folder.h"

namespace protium {
namespace {

using testing::HasSubstr;

class FakeMlflow {
 public:
  FakeMlflow() {
    server_.set_error_handler([this](const httplib::Request& request, httplib::Response& answer) {
      const std::lock_guard lock(mutex_);
      missing.push_back(request.path);
    });
    server_.Get("/api/2.0/mlflow/experiments/get-by-name",
                [](const httplib::Request&, httplib::Response& answer) { answer.status = 404; });
    OnPost("experiments/create", R"({"experiment_id":"7"})");
    OnPost("runs/create", R"({"run":{"info":{"run_id":"abc","artifact_uri":)"
                          R"("mlflow-artifacts:/7/abc/artifacts"}}})");
    OnPost("runs/log-batch", "{}");
    OnPost("runs/update", "{}");
    server_.Post("/api/2.0/mlflow/runs/search",
                 [this](const httplib::Request& request, httplib::Response& answer) {
                   answer.set_content(known ? R"({"runs":[{"info":{"run_id":"old"}}]})" : "{}",
                                      "application/json");
                 });
    server_.Put("/api/2.0/mlflow-artifacts/artifacts/(.*)",
                [this](const httplib::Request& request, httplib::Response& answer) {
                  const std::lock_guard lock(mutex_);
                  files[request.matches[1]] = request.body;
                  answer.set_content("{}", "application/json");
                });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
  }
  ~FakeMlflow() {
    server_.stop();
    thread_.join();
  }
  std::string uri() const { return "http://127.0.0.1:" + std::to_string(port_); }

  bool known = false;
  std::vector<std::pair<std::string, Json>> posted;
  std::map<std::string, std::string> files;
  std::vector<std::string> missing;

 private:
  void OnPost(const std::string& what, const std::string& says) {
    server_.Post(("/api/2.0/mlflow/" + what).c_str(),
                 [this, what, says](const httplib::Request& request, httplib::Response& answer) {
                   const std::lock_guard lock(mutex_);
                   posted.emplace_back(what, ParseJson(request.body).ValueOr(Json()));
                   answer.set_content(says, "application/json");
                 });
  }

  httplib::Server server_;
  std::mutex mutex_;
  int port_ = 0;
  std::thread thread_;
};

struct Mlflow : testing::Test {
  TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  std::filesystem::path path;
  RunFacts facts;
  FakeMlflow server;

  void SetUp() override {
    auto run = RunFolder::Create(folder.path(), "made", {"protium", "run"}).ValueOrDie();
    for (int step = 1; step <= 1500; ++step) {
      ASSERT_TRUE(run->events()
                      .Append({{"event", "epoch"}, {"epoch", step}, {"step", step}, {"loss", 0.5}})
                      .ok());
    }
    ASSERT_TRUE(
        run->WriteFile("job.json", R"({"settings":[{"key":"train.epochs","value":3}]})").ok());
    ASSERT_TRUE(
        run->WriteFile("result.json", R"({"metrics":{"test":{"rmse":2.5}},"steps":9})").ok());
    path = run->path();
    ASSERT_TRUE(MakeFolder(path / "model").ok());
    ASSERT_TRUE(WriteFile(path / "model/model.json", "{}").ok());
    ASSERT_TRUE(
        WriteFile(path / "model/schema.json", R"({"input":[{"name":"a \"b\"","type":"int64"}]})")
            .ok());
    ASSERT_TRUE(run->Finish(RunState::kDone).ok());
    facts = ReadRunFacts(path).ValueOrDie();
  }

  Result<Sent> Send(bool again = false) {
    PT_LET(const auto service, Service::Make(server.uri(), {}));
    return SendToMlflow({.to = "mlflow", .uri = server.uri(), .run = path, .again = again}, facts,
                        *service);
  }
};

TEST_F(Mlflow, GetsTheRunInPiecesThatItTakes) {
  const Result<Sent> sent = Send();
  ASSERT_TRUE(sent.ok()) << sent.status().ToString();
  EXPECT_THAT(sent->where, HasSubstr("/#/experiments/7/runs/abc"));
  size_t metrics = 0, params = 0;
  for (const auto& [what, json] : server.posted) {
    if (what != "runs/log-batch") continue;
    EXPECT_LE(json.value("metrics", Json::array()).size(), 1000u);
    metrics += json.value("metrics", Json::array()).size();
    params += json.value("params", Json::array()).size();
  }
  EXPECT_EQ(metrics, 1501u);
  EXPECT_EQ(params, 1u);
  EXPECT_EQ(server.posted.front().second["name"], "made");
  EXPECT_EQ(server.posted.back().first, "runs/update");
  EXPECT_EQ(server.posted.back().second["status"], "FINISHED");
  EXPECT_EQ(server.files["7/abc/artifacts/model/model.json"], "{}");
  EXPECT_THAT(server.files["7/abc/artifacts/model/MLmodel"], HasSubstr("flavors:\n  protium:"));
  EXPECT_THAT(server.files["7/abc/artifacts/model/MLmodel"], HasSubstr(R"(a \\\"b\\\")"));
}

TEST_F(Mlflow, GetsTheTrialsOfASearchBelowIt) {
  ASSERT_TRUE(WriteFile(path / "trials.json",
                        R"({"metric": "auc", "best": 1, "trials": [
      {"trial": 1, "state": "done", "values": {"x": 3}, "value": 0.75, "best_epoch": 2},
      {"trial": 2, "state": "pruned", "values": {"x": 5}, "value": 0.25, "error": "too slow"}]})")
                  .ok());
  facts = ReadRunFacts(path).ValueOrDie();
  ASSERT_TRUE(Send().ok());
  std::vector<Json> below, metrics;
  for (const auto& [what, json] : server.posted) {
    if (what == "runs/create" && Dump(json).find("mlflow.parentRunId") != std::string::npos) {
      below.push_back(json);
    }
    for (const Json& each : json.value("metrics", Json::array())) {
      if (each["key"] == "auc") metrics.push_back(each);
    }
  }
  ASSERT_EQ(below.size(), 2u);
  EXPECT_EQ(below[1]["run_name"], "trial 2");
  EXPECT_THAT(Dump(below[1]["tags"]), HasSubstr("too slow"));
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[0]["value"], 0.75);
  EXPECT_EQ(metrics[0]["step"], 2);
}

TEST_F(Mlflow, IsNotSentTheSameRunTwiceUnasked) {
  server.known = true;
  const Result<Sent> sent = Send();
  ASSERT_FALSE(sent.ok());
  EXPECT_THAT(FaultOf(sent.status()).what, HasSubstr("already, as old"));
  EXPECT_TRUE(Send(true).ok());
}

TEST_F(Mlflow, ThatIsNotThereIsTold) {
  const auto service = Service::Make("http://127.0.0.1:9", {}).ValueOrDie();
  const Result<Sent> sent =
      SendToMlflow({.to = "mlflow", .uri = "http://127.0.0.1:9", .run = path}, facts, *service);
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(FaultOf(sent.status()).exit, Exit::kRemote);
  EXPECT_THAT(FaultOf(sent.status()).what, HasSubstr("does not answer"));
}

TEST(AddressOfAService, OfAnotherKindIsRefused) {
  for (const char* uri : {"", "http://", "https://a.b", "file:///tmp", "localhost:5000"}) {
    EXPECT_FALSE(Service::Make(uri, {}).ok()) << uri;
  }
  EXPECT_EQ(UrlPath("a b/ü%"), "a%20b/%C3%BC%25");
}

}  // namespace
}  // namespace protium
