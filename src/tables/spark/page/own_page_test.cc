// SPDX-License-Identifier: Apache-2.0
// Against pages of this process; connect/real_server_test.cc uses a real one.
#include "spark/page/own_page.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "base/fault.h"
#include "base/web_address.h"
#include "connect/testing/test_server.h"
#include "http/library.h"

namespace protium {
namespace {

constexpr const char* kExecutions =
    R"([{"id":4,"successJobIds":[1],"description":"session_id: \"t\""},
        {"id":5,"successJobIds":[2,3],"description":"session_id: \"s\""},
        {"id":6,"successJobIds":[4],"description":"session_id: \"s\""},
        {"id":7,"successJobIds":[],"description":"session_id: \"s\""}])";

// A page that responds as Spark's monitoring does.
class SomePage {
 public:
  explicit SomePage(const std::string& application, const std::string& executions = kExecutions) {
    const std::string root = "/api/v1/applications/" + application;
    Answers(root, R"({"id":")" + application + "\"}");
    Answers(root + "/jobs/2", R"({"jobId":2,"stageIds":[4],"jobTags":["a_Operation_op"]})");
    Answers(root + "/jobs/3", R"({"jobId":3,"stageIds":[5],"jobTags":["a_Operation_op"]})");
    Answers(root + "/jobs/4", R"({"jobId":4,"stageIds":[6],"jobTags":["a_Operation_other"]})");
    Answers(root + "/sql", executions);
    Answers(root + "/sql/5",
            R"({"id":5,"status":"COMPLETED","nodes":[{"nodeId":0,"nodeName":"Scan"}]})");
    port = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~SomePage() {
    server_.stop();
    thread_.join();
  }
  void Answers(const std::string& path, const std::string& text) {
    server_.Get(path, [this, path, text](const httplib::Request&, httplib::Response& answer) {
      const std::lock_guard lock(mutex_);
      const bool late = late_[path]-- > 0;
      answer.set_content(late ? "[]" : text, "application/json");
    });
  }
  // Makes the next `times` responses to a path know nothing yet.
  void IsLate(const std::string& path, int times) {
    const std::lock_guard lock(mutex_);
    late_["/api/v1/applications/app-1" + path] = times;
  }
  std::string address() const { return "http://127.0.0.1:" + std::to_string(port); }

  int port = 0;

 private:
  std::mutex mutex_;
  std::map<std::string, int> late_;
  httplib::Server server_;
  std::thread thread_;
};

PageHints Hints(int port) {
  return {.application = "app-1",
          .session = "s",
          .hosts = {"127.0.0.1"},
          .port = port,
          .wait = std::chrono::milliseconds(300),
          .patience = std::chrono::milliseconds(300)};
}

TEST(SparkOwnPage, IsFoundAndTellsOfAnOperation) {
  const SomePage page("app-1");
  OwnPage own(Hints(page.port));
  own.Begin();
  const Json told = own.Read("op", true);
  EXPECT_EQ(told["page"],
            (Json{{"address", page.address()}, {"application", "app-1"}, {"session", "s"}}));
  EXPECT_EQ(told["jobs"], Json({2, 3}));
  EXPECT_EQ(told["stages"], Json({4, 5}));
  EXPECT_EQ(told["executions"], Json({5}));
  EXPECT_EQ(told["operators"][0]["name"], "Scan");
  EXPECT_FALSE(own.Read("op", false).contains("operators"));
  EXPECT_EQ(own.Read("another", true)["jobs"], Json::array());
}

TEST(SparkOwnPage, ThatIsLateIsAskedAgain) {
  SomePage page("app-1");
  PageHints hints = Hints(page.port);
  hints.wait = hints.patience = std::chrono::seconds(60);
  OwnPage own(hints);
  own.Begin();
  for (const char* path : {"/sql", "/jobs/2", "/sql/5"}) page.IsLate(path, 2);
  const Json told = own.Read("op", true);
  EXPECT_EQ(told["executions"], Json({5}));
  EXPECT_EQ(told["operators"][0]["name"], "Scan");
}

TEST(SparkOwnPage, ThatKnowsOfAnExecutionWithoutJobsIsNotWaitedFor) {
  const SomePage page(
      "app-1",
      R"([{"id":8,"status":"COMPLETED","successJobIds":[],"description":"session_id: \"s\""}])");
  PageHints hints = Hints(page.port);
  hints.wait = hints.patience = std::chrono::hours(1);
  OwnPage own(hints);
  own.Begin();
  EXPECT_EQ(own.Read("of_no_job", true)["executions"], Json::array());
}

TEST(SparkOwnPage, OfAnotherApplicationIsNotBelieved) {
  const SomePage page("app-2");
  OwnPage own(Hints(page.port));
  own.Begin();
  EXPECT_EQ(own.Read("op", true), Json::object());
}

TEST(SparkOwnPage, ThatIsNowhereIsNotTold) {
  for (const PageHints& hints : {PageHints{}, Hints(0), Hints(1)}) {
    OwnPage own(hints);
    own.Begin();
    EXPECT_EQ(own.Read("op", true), Json::object());
  }
}

// A proxy may respond only to people.
TEST(SparkOwnPage, ThatTheUserNamedIsToldThoughItDoesNotAnswer) {
  PageHints hints = Hints(0);
  hints.given = "http://127.0.0.1:1/proxy/app-1";
  OwnPage own(hints);
  own.Begin();
  const Json told = own.Read("op", true);
  EXPECT_EQ(told["page"]["address"], hints.given);
  EXPECT_EQ(told["jobs"], Json::array());
  EXPECT_FALSE(told.contains("operators"));
}

TEST(SparkOwnPage, IsLookedForWhereTheServersSettingsSay) {
  connect::TestServer server;
  server.settings = {{"spark.app.id", "app-1"},
                     {"spark.ui.port", "4050"},
                     {"spark.ui.enabled", "true"},
                     {"spark.driver.host", "driver"}};
  const auto session = server.Open();
  const PageHints hints = AskPageHints(*session, "gateway", "", {}).ValueOrDie();
  EXPECT_EQ(hints.application, "app-1");
  EXPECT_EQ(hints.session, session->id());
  EXPECT_EQ(hints.hosts, (std::vector<std::string>{"driver", "gateway"}));
  EXPECT_EQ(hints.port, 4050);
  server.settings["spark.ssl.ui.enabled"] = "true";
  EXPECT_EQ(AskPageHints(*session, "gateway", "", {})->port, 0);
  server.settings = {{"spark.app.id", "../other"}, {"spark.ui.enabled", "false"}};
  EXPECT_EQ(AskPageHints(*session, "gateway", "", {})->application, "");
}

TEST(SparkOwnPage, MustBeNamedByAnAddress) {
  connect::TestServer server;
  const auto session = server.Open();
  for (const char* given : {"javascript:alert(1)", "driver:4040", "http://me:secret@driver:4040"}) {
    const auto hints = AskPageHints(*session, "gateway", given, {});
    ASSERT_FALSE(hints.ok()) << given;
    EXPECT_EQ(FaultOf(hints.status()).exit, Exit::kUsage);
    EXPECT_EQ(FaultOf(hints.status()).where, "engine.spark.page");
  }
  EXPECT_EQ(AskPageHints(*session, "gateway", "https://proxy/app/", {})->given,
            "https://proxy/app");
}

TEST(WebAddress, IsOfHttpAndOfPlainCharacters) {
  for (const char* good :
       {"http://a:4040", "https://gateway.example/proxy/app_1/", "http://[::1]:4040"}) {
    EXPECT_TRUE(IsWebAddress(good)) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("http://"), std::string("http:///x"), std::string("ftp://a"),
        std::string("javascript:alert(1)"), std::string("http://a\"onclick=x"),
        std::string("http://a b"), std::string("http://a:b@c"), std::string("http://a\n"),
        "http://" + std::string(300, 'a')}) {
    EXPECT_FALSE(IsWebAddress(bad)) << bad;
  }
}

}  // namespace
}  // namespace protium
