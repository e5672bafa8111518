// SPDX-License-Identifier: Apache-2.0
// Tests the server over real connections, which are read as bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/call.h"
#include "http/testing/test_client.h"
#include "page/assets.h"
#include "page/page.h"
#include "page/testing/test_runs.h"

namespace protium {
namespace {

struct Served {
  explicit Served(const std::string& token = "") : token(token) {}

  std::string token;
  TestRuns runs;
  std::unique_ptr<Page> page = OpenPage({.runs = runs.path(), .token = token}).ValueOrDie();
  int port = std::stoi(page->address().substr(page->address().rfind(':') + 1));
  std::jthread thread{[this](std::stop_token stop) { EXPECT_TRUE(page->Serve(stop).ok()); }};

  TestClient Send(const std::string& target, const std::string& more = "") {
    TestClient client(port);
    EXPECT_TRUE(client.connected());
    const std::string host = more.find("Host:") == more.npos
                                 ? fmt::format("Host: 127.0.0.1:{}\r\n", port)
                                 : std::string();
    EXPECT_TRUE(client.Send(fmt::format("{} HTTP/1.1\r\n{}{}\r\n", target, host, more)));
    return client;
  }

  std::string Get(const std::string& target, const std::string& more = "") {
    return Send(target, more + "Connection: close\r\n").ReadAll();
  }
  std::string Post(const std::string& path, const std::string& more, const std::string& body) {
    TestClient client = Send("POST " + path, more + "Connection: close\r\n");
    EXPECT_TRUE(client.Send(body));
    return client.ReadAll();
  }
};

struct ServedPage : testing::Test, Served {};

TEST_F(ServedPage, AnswersWithHeadersThatKeepItClosed) {
  const std::string name = runs.Done(2).filename();
  const std::string response = Get("GET /api/v1/runs/" + name);
  EXPECT_TRUE(response.starts_with("HTTP/1.1 200"));
  EXPECT_NE(response.find(name), response.npos);
  EXPECT_NE(response.find("X-Content-Type-Options: nosniff"), response.npos);
  EXPECT_NE(response.find("default-src 'none'"), response.npos);
  EXPECT_NE(response.find("Cache-Control: no-store"), response.npos);
  EXPECT_EQ(response.find("Access-Control-Allow"), response.npos);
}

TEST_F(ServedPage, EveryScreenIsThePageItself) {
  for (const char* path : {"/", "/runs/x/training", "/compare?run=a"}) {
    const std::string response = Get(std::string("GET ") + path);
    EXPECT_TRUE(response.starts_with("HTTP/1.1 200")) << response.substr(0, 200);
    EXPECT_NE(response.find("Content-Encoding: gzip"), response.npos);
    EXPECT_NE(response.find("text/html"), response.npos);
  }
}

TEST_F(ServedPage, RefusesForeignNamesSitesAndMethods) {
  EXPECT_TRUE(Get("GET /api/v1/runs", "Host: evil.example\r\n").starts_with("HTTP/1.1 403"));
  EXPECT_TRUE(Get("GET /", "Host: evil.example\r\n").starts_with("HTTP/1.1 403"));
  EXPECT_TRUE(
      Get("GET /api/v1/runs", "Origin: http://evil.example\r\n").starts_with("HTTP/1.1 403"));
  EXPECT_TRUE(Get("PUT /api/v1/runs/x").starts_with("HTTP/1.1 405"));
  EXPECT_TRUE(Get("GET /api/v1/runs/%2e%2e%2f%2e%2e%2fetc").starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(Get("GET /../../etc/passwd").starts_with("HTTP/1.1 404"));
}

TEST_F(ServedPage, ChangesNothingWithoutAToken) {
  const std::string name = runs.Done(1).filename();
  const std::string response = Get("DELETE /api/v1/runs/" + name);
  EXPECT_TRUE(response.starts_with("HTTP/1.1 403")) << response;
  EXPECT_NE(response.find("protium ui --token"), response.npos);
  EXPECT_TRUE(Get("GET /api/v1/runs/" + name).starts_with("HTTP/1.1 200"));
}

TEST(LockedPage, ChangesRunsForWhoeverHasTheToken) {
  Served locked("00ff");
  const std::string name = locked.runs.Done(1).filename(), run = "/api/v1/runs/" + name;
  const std::string token = "Authorization: Bearer 00ff\r\n", body = R"({"tags":["best"]})";
  const std::string json = fmt::format("Content-Length: {}\r\n", body.size());
  EXPECT_TRUE(locked.Post(run + "/labels", json, body).starts_with("HTTP/1.1 401"));
  EXPECT_TRUE(locked.Post(run + "/labels", token + json + "Origin: http://evil.example\r\n", body)
                  .starts_with("HTTP/1.1 403"));
  EXPECT_TRUE(locked.Post(run + "/labels", token + json, body).starts_with("HTTP/1.1 200"));
  EXPECT_NE(locked.Get("GET " + run, token).find("\"best\""), std::string::npos);
  EXPECT_TRUE(
      locked.Post(run + "/labels", token + "Content-Length: 300000\r\n", std::string(300'000, ' '))
          .starts_with("HTTP/1.1 413"));
  EXPECT_TRUE(locked.Get("DELETE " + run).starts_with("HTTP/1.1 401"));
  EXPECT_TRUE(locked.Get("DELETE " + run, token).starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(locked.Get("GET " + run, token).starts_with("HTTP/1.1 404"));
}

TEST_F(ServedPage, SixtyFourStreamsHoldUpNobodyAndEndAtOnce) {
  auto run = runs.Begin();
  ASSERT_TRUE(run->events().Append({{"event", "note"}, {"message", "one"}}).ok());
  std::vector<TestClient> streams;
  for (int i = 0; i < 64; ++i) streams.push_back(Send("GET /api/v1/runs/" + run->id() + "/stream"));
  for (TestClient& stream : streams) {
    const std::string begun = stream.ReadUntil("event: state");
    EXPECT_NE(begun.find("\"one\""), begun.npos);
  }
  EXPECT_TRUE(Get("GET /api/v1/runs").starts_with("HTTP/1.1 200"));
  ASSERT_TRUE(run->events().Append({{"event", "note"}, {"message", "two"}}).ok());
  for (TestClient& stream : streams) {
    const std::string more = stream.ReadUntil("\"two\"");
    EXPECT_NE(more.find("\"two\""), more.npos);
    EXPECT_EQ(more.find("\"one\""), more.npos);
  }
  const auto before = Clock::now();
  thread.request_stop();
  thread.join();
  EXPECT_LT(Clock::now() - before, std::chrono::seconds(3));
}

// Returns what follows the head, which must be as long as the head says.
std::string BodyOf(const std::string& response) {
  const size_t at = response.find("Content-Length: "), end = response.find("\r\n\r\n");
  if (at == response.npos || end == response.npos) return "no answer: " + response;
  const std::string body = response.substr(end + 4);
  EXPECT_EQ(body.size(), std::stoul(response.substr(at + 16))) << response.substr(0, end);
  return body;
}

// A range beyond a response once read the memory after it, which contained the token.
TEST(LockedPage, GivesNoPartOfAnAnswerNorWhatLiesBehindIt) {
  Served locked("5ec4e75ec4e75ec4e7");
  const std::string name = locked.runs.Done(3).filename(), run = "/api/v1/runs/" + name;
  const std::string token = "Authorization: Bearer 5ec4e75ec4e75ec4e7\r\n";
  std::vector<std::string> paths = {
      "/api/v1/", "/api/v1/openapi.json", "/api/v1/runs", "/api/v1/gangs", "/metrics", "/none"};
  for (const char* what : {"", "/metrics", "/lanes", "/settings", "/plan", "/operators", "/profile",
                           "/model", "/trials", "/gang", "/executors", "/events", "/logs", "/files",
                           "/files/result.json", "/none"}) {
    paths.push_back(run + what);
  }
  for (const PageAsset& asset : PageAssets()) paths.emplace_back(asset.path);
  for (const std::string& path : paths) {
    const std::string whole = locked.Get("GET " + path, token);
    const std::string refused = locked.Get("GET " + path);
    for (const char* range :
         {"bytes=0-0", "bytes=1-", "bytes=-5", "bytes=164-900000", "bytes=65536-400000",
          "bytes=99999999999999999999-", "bytes=18446744073709551615-18446744073709551615",
          "bytes=5-2", "bytes=0-1,5-6,7-8", "bytes=-", "bytes", "lines=1-2"}) {
      const std::string header = fmt::format("Range: {}\r\n", range);
      const std::string ranged = locked.Get("GET " + path, token + header);
      EXPECT_EQ(ranged.substr(0, 15), whole.substr(0, 15)) << path << " " << range;
      EXPECT_EQ(BodyOf(ranged).size(), BodyOf(whole).size()) << path << " " << range;
      const std::string stranger = locked.Get("GET " + path, header);
      EXPECT_EQ(BodyOf(stranger), BodyOf(refused)) << path << " " << range;
      EXPECT_EQ(stranger.find(locked.token), stranger.npos) << path << " " << range;
    }
  }
}

TEST_F(ServedPage, AnotherTakesTheNextPort) {
  auto second = OpenPage({.runs = runs.path()}).ValueOrDie();
  EXPECT_NE(second->address(), page->address());
  EXPECT_FALSE(OpenPage({.runs = runs.path(), .port = port}).ok());
}

}  // namespace
}  // namespace protium
