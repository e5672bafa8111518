// SPDX-License-Identifier: Apache-2.0
// Tests the server over real connections, which are read as bytes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "http/testing/test_client.h"
#include "serve/serve.h"
#include "serve/testing/test_model.h"

namespace protium {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kRow = R"({"rows": [{"x": null}]})";

struct ServedOverHttp : testing::Test {
  std::filesystem::path folder = ModelPlace();
  std::unique_ptr<ModelServer> server;
  int port = 0;
  std::jthread thread;

  void SetUp() override {
    BlockHangup();
    SaveModel(folder, 7);
    auto opened = OpenModelServer({.model = folder / "model",
                                   .most_body_bytes = 1000,
                                   .drain = std::chrono::milliseconds(2000)});
    ASSERT_TRUE(opened.ok()) << Render(FaultOf(opened.status()));
    server = std::move(*opened);
    port = std::stoi(server->address().substr(server->address().rfind(':') + 1));
    thread = std::jthread([this](std::stop_token stop) { EXPECT_TRUE(server->Serve(stop).ok()); });
  }
  void TearDown() override {
    thread = {};
    std::filesystem::remove_all(folder);
  }

  // Sends bytes, and returns all that comes until the other side closes or ten seconds have passed.
  std::string Exchange(const std::string& bytes, bool torn = false) {
    TestClient client(port);
    if (!client.connected()) return "refused";
    EXPECT_TRUE(client.Send(bytes));
    if (torn) client.Finish();
    return client.ReadAll();
  }
  std::string Post(const std::string& body, const std::string& more = "",
                   const std::string& path = "/v1/score") {
    const std::string host =
        more.find("Host:") == more.npos ? fmt::format("Host: localhost:{}\r\n", port) : "";
    return Exchange(
        fmt::format("POST {} HTTP/1.1\r\n{}{}Content-Type: application/json\r\n"
                    "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
                    path, host, more, body.size(), body));
  }
};

TEST_F(ServedOverHttp, AnswersAndRefuses) {
  EXPECT_THAT(Post(kRow), HasSubstr(R"({"predictions":[{"x__fill":7.0}]})"));
  const std::string large = Post(std::string(2000, ' '));
  EXPECT_THAT(large, StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(large, HasSubstr("more than 1000 bytes"));
  EXPECT_THAT(Post(kRow, "Host: evil.example\r\n"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(Post(kRow, "Origin: http://evil.example\r\n"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(Post(kRow, "", "/v1/none"), StartsWith("HTTP/1.1 404 "));
  const std::string head = fmt::format("POST /v1/score HTTP/1.1\r\nHost: localhost:{}\r\n", port);
  EXPECT_THAT(Exchange(head + "Content-Length: 99999999999999999999999\r\n\r\n{}", true),
              testing::Not(StartsWith("HTTP/1.1 200")));
  EXPECT_THAT(Exchange(head + "Content-Length: 500\r\n\r\n{", true),
              testing::Not(StartsWith("HTTP/1.1 200")));
  EXPECT_THAT(Exchange("\0\1\2 not http\r\n\r\n", true), testing::Not(StartsWith("HTTP/1.1 200")));
  EXPECT_THAT(Post(kRow), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServedOverHttp, AnnouncesItsEndToWhoeverAsks) {
  const std::string ready =
      fmt::format("GET /readyz HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n", port);
  EXPECT_THAT(Exchange(ready), StartsWith("HTTP/1.1 200 "));
  const auto begin = std::chrono::steady_clock::now();
  thread.request_stop();
  std::string said;
  while (!said.starts_with("HTTP/1.1 503 ") && said != "refused") said = Exchange(ready);
  EXPECT_THAT(said, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(Post(kRow), StartsWith("HTTP/1.1 200 "));
  thread.join();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(2000));
  EXPECT_EQ(Exchange(ready), "refused");
}

TEST_F(ServedOverHttp, EndsAtOnceWhereNobodyAsksWhetherItIsReady) {
  EXPECT_THAT(Post(kRow), StartsWith("HTTP/1.1 200 "));
  const auto begin = std::chrono::steady_clock::now();
  thread.request_stop();
  thread.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1800));
}

TEST_F(ServedOverHttp, RefusesMethodsAtOnceAndBodiesThatAreEncoded) {
  const std::string head = fmt::format("Host: localhost:{}\r\nContent-Length: 900\r\n", port);
  // Their bodies never arrive.
  for (const char* method : {"PUT", "PATCH", "DELETE"}) {
    EXPECT_THAT(Exchange(fmt::format("{} /v1/score HTTP/1.1\r\n{}\r\n", method, head), true),
                StartsWith("HTTP/1.1 405 "));
  }
  EXPECT_THAT(Post(kRow, "Content-Encoding: gzip\r\n"), StartsWith("HTTP/1.1 415 "));
}

TEST_F(ServedOverHttp, LosesNoRequestToAnotherModelNorToItsEnd) {
  std::atomic<int> seven = 0, nine = 0, lost = 0;
  std::atomic<bool> enough = false;
  std::vector<std::jthread> clients;
  for (int c = 0; c < 4; ++c) {
    clients.emplace_back([&] {
      while (!enough) {
        const std::string said = Post(kRow);
        const bool ended = said == "refused" || said.empty();  // Not accepted: the end has begun.
        seven += said.find(":7.0") != said.npos;
        nine += said.find(":9.0") != said.npos;
        if (ended && !enough && thread.get_stop_token().stop_requested()) return;
        lost += said.find(".0}") == said.npos;
      }
    });
  }
  std::filesystem::remove_all(folder / "run");
  SaveModel(folder, 9);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (nine < 20 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  thread.request_stop();
  thread.join();
  enough = true;
  clients.clear();
  EXPECT_GT(seven, 0);
  EXPECT_GE(nine, 20);
  EXPECT_EQ(lost, 0);
}

}  // namespace
}  // namespace protium
