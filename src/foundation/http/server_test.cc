// SPDX-License-Identifier: Apache-2.0
// Tests the server over real connections, and under attacks.
#include "http/server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "http/testing/test_client.h"

namespace protium {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr size_t kLargeBytes = 32 << 20;
const std::string kSecret(100'000, 's');

class Counting : public HttpStream {
 public:
  More Next(std::string& text) override {
    text = fmt::format("tick {};", ++count_);
    return count_ < 3 ? More::kAtOnce : More::kLater;
  }

 private:
  int count_ = 0;
};

// Responds with the request that it received.
class Echo : public HttpService {
 public:
  HttpAdmission Admit(const HttpRequest& head) override {
    if (head.path == "/closed") return {Refusal(401, {.what = "not you"})};
    if (head.method == "POST") return {.body_bytes = 100'000, .too_large_fix = "send less"};
    return {};
  }
  HttpResponse Respond(const HttpRequest& request, const std::string& body) override {
    if (request.path == "/throws") throw std::runtime_error("broken");
    if (request.path == "/stream") return {.stream = std::make_unique<Counting>()};
    if (request.path == "/large") return {.body = std::string(kLargeBytes, 'x')};
    if (request.path == "/secret") return {.body = kSecret};
    return {.type = "text/plain",
            .body = fmt::format("{} {} {}", request.method, request.path, body)};
  }
  std::chrono::milliseconds Drain() override { return drain; }

  std::chrono::milliseconds drain{0};
};

struct Strangers : testing::Test {
  Echo echo;
  std::unique_ptr<HttpServer> server;
  std::jthread thread;

  void Start(HttpLimits limits) {
    auto bound = HttpServer::Bind({.guard = {.host = "127.0.0.1", .verb = "test"},
                                   .first_port = 20080,
                                   .limits = limits,
                                   .headers = {{"Cache-Control", "no-store"}}});
    ASSERT_TRUE(bound.ok()) << bound.status();
    server = std::move(*bound);
    thread =
        std::jthread([this](std::stop_token stop) { EXPECT_TRUE(server->Serve(echo, stop).ok()); });
  }
  void SetUp() override { Start({.threads = 2, .streams = 2}); }
  void Restart(HttpLimits limits) {
    thread = {};
    Start(limits);
  }
  int port() const { return server->guard().port; }
  TestClient Connect() const { return TestClient(port()); }
  std::string Head(const std::string& line, const std::string& more = "") const {
    return fmt::format("{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n", line, port(), more);
  }
  // The response to a connection's only request.
  std::string Ask(const std::string& bytes) const {
    TestClient client = Connect();
    client.Send(bytes);
    return client.ReadAll(5);
  }
  std::string Get(const std::string& path, const std::string& more = "") const {
    return Ask(Head("GET " + path, more + "Connection: close\r\n"));
  }
};

TEST_F(Strangers, AreAnsweredOneRequestAfterAnother) {
  TestClient client = Connect();
  client.Send(Head("GET /a%20b") + Head("POST /c", "Content-Length: 3\r\n") + "xyz");
  EXPECT_THAT(client.ReadUntil("GET /a b "), StartsWith("HTTP/1.1 200 OK\r\n"));
  const std::string second = client.ReadUntil("POST /c xyz");
  EXPECT_THAT(second, HasSubstr("Content-Length: 11\r\nConnection: keep-alive\r\n"));
  EXPECT_THAT(second, HasSubstr("Cache-Control: no-store\r\n"));
  client.Send(Head("HEAD /d", "Connection: close\r\n"));
  EXPECT_THAT(client.ReadAll(), EndsWith("no-store\r\n\r\n"));
  EXPECT_THAT(Ask("GET /old HTTP/1.0\r\nHost: x\r\n\r\n"), EndsWith("GET /old "));
}

TEST_F(Strangers, GetNoPartOfAnAnswer) {
  for (const char* range :
       {"bytes=0-0", "bytes=164-900000", "bytes=-1", "bytes=99999999999999999999-", "bytes=5-2",
        "bytes=0-1,5-6,7-8", "bytes=18446744073709551615-", "bytes=-", "lines=1-2"}) {
    const std::string response = Get("/secret", fmt::format("Range: {}\r\n", range));
    EXPECT_THAT(response, StartsWith("HTTP/1.1 200 ")) << range;
    EXPECT_THAT(response, HasSubstr("Content-Length: 100000\r\n")) << range;
    EXPECT_TRUE(response.ends_with("\r\n\r\n" + kSecret)) << range;
  }
}

TEST_F(Strangers, SendBodiesOfTheirLimitAtMost) {
  const std::string large(200'000, ' ');
  const std::string length = "Content-Length: 200000\r\n";
  EXPECT_THAT(Ask(Head("POST /", length) + large), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(Ask(Head("POST /", length) + large), HasSubstr("send less"));
  // Announcing a large body is enough.
  TestClient waits = Connect();
  waits.Send(Head("POST /", "Content-Length: 99999999999\r\n"));
  EXPECT_THAT(waits.ReadUntil("}"), StartsWith("HTTP/1.1 413 "));
  const std::string chunks = Head("POST /", "Transfer-Encoding: chunked\r\n");
  const std::string chunk = fmt::format("{:x}\r\n{}\r\n", 60'000, std::string(60'000, 'c'));
  EXPECT_THAT(Ask(chunks + chunk + chunk + "0\r\n\r\n"), StartsWith("HTTP/1.1 413 "));
  TestClient whole = Connect();
  whole.Send(chunks + chunk + "3\r\nend\r\n0\r\n\r\n");
  EXPECT_THAT(whole.ReadUntil("ccend"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Ask(Head("GET /", "Content-Length: 5\r\n") + "abcde"), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(Ask(Head("POST /", "Content-Encoding: gzip\r\nContent-Length: 5\r\n") + "abcde"),
              StartsWith("HTTP/1.1 415 "));
}

TEST_F(Strangers, AreRefusedWhereTheyMeanTwoThings) {
  for (const char* bytes :
       {"GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "GET / HTTP/9.9\r\nHost: a\r\n\r\n", "\1\2\3 no http\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\n\n"}) {
    EXPECT_THAT(Ask(bytes), StartsWith("HTTP/1.1 400 ")) << bytes;
  }
  EXPECT_THAT(Ask("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"),
              StartsWith("HTTP/1.1 501 "));
  EXPECT_THAT(Get("/throws"), StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(Get("/"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(Strangers, SendNoMoreHeadersThanTheirLimit) {
  TestClient client = Connect();
  client.Send("GET / HTTP/1.1\r\nHost: a\r\n");
  std::string many;
  for (int i = 0; i < 1000; ++i) many += fmt::format("H{}: aaaaaaaaaaaaaaaaaaaa\r\n", i);
  client.Send(many);
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(Strangers, AreToldToGoOnOrNot) {
  TestClient client = Connect();
  const std::string expect = "Expect: 100-continue\r\nContent-Length: ";
  client.Send(Head("POST /", expect + "3\r\n"));
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("abc");
  EXPECT_THAT(client.ReadUntil("abc"), StartsWith("HTTP/1.1 200 "));
  client.Send(Head("POST /", expect + "200000\r\n"));
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(Strangers, WhoDripTheirHeadOrBodyAreLeft) {
  Restart({.threads = 2, .head = 300ms, .grace = 300ms, .bytes_per_second = 1000});
  for (const std::string& begin :
       {Head("GET /").substr(0, 30), Head("POST /", "Content-Length: 50000\r\n")}) {
    TestClient client = Connect();
    client.Send(begin);
    const auto limit = TestClient::Clock::now() + 5s;
    while (TestClient::Clock::now() < limit && !client.Closed(0.05)) client.Send("a");
    EXPECT_LT(TestClient::Clock::now(), limit) << begin;
  }
  // A body that is fast enough may take longer than the grace.
  Restart({.threads = 2, .grace = 1000ms, .bytes_per_second = 1000});
  TestClient steady = Connect();
  steady.Send(Head("POST /", "Content-Length: 9000\r\n"));
  for (int i = 0; i < 8; ++i) {
    steady.Send(std::string(1000, 'b'));
    EXPECT_FALSE(steady.Closed(0.15));
  }
  steady.Send(std::string(1000, 'b'));
  EXPECT_THAT(steady.ReadUntil("bbb"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(Strangers, WhoDoNotReadTheirAnswerAreLeft) {
  Restart({.threads = 2, .grace = 300ms});
  TestClient client(port(), 4096);
  client.Send(Head("GET /large"));
  const auto begin = TestClient::Clock::now();
  EXPECT_THAT(Get("/"), StartsWith("HTTP/1.1 200 "));
  // It receives only what is in the kernel's buffers by then.
  while (TestClient::Clock::now() - begin < 1500ms) EXPECT_THAT(Get("/"), HasSubstr(" 200 "));
  EXPECT_LT(client.ReadAll(5).size(), kLargeBytes);
  EXPECT_LT(TestClient::Clock::now() - begin, 5s);
}

TEST_F(Strangers, WhoStandInTheWayMakeRoom) {
  Restart({.threads = 2, .connections = 8});
  TestClient known = Connect();
  known.Send(Head("GET /known"));
  EXPECT_THAT(known.ReadUntil("GET /known "), StartsWith("HTTP/1.1 200 "));
  std::vector<TestClient> silent, bodies;
  for (int i = 0; i < 20; ++i) {
    silent.push_back(Connect());
    EXPECT_THAT(Get("/honest"), StartsWith("HTTP/1.1 200 ")) << i;
  }
  EXPECT_TRUE(silent.front().Closed(1));
  // Known connections outlast strangers, and are closed before any whose body is arriving.
  known.Send(Head("GET /again"));
  EXPECT_THAT(known.ReadUntil("GET /again "), StartsWith("HTTP/1.1 200 "));
  for (int i = 0; i < 20; ++i) {
    bodies.push_back(Connect());
    bodies.back().Send(Head("POST /", "Content-Length: 50000\r\nExpect: 100-continue\r\n"));
    EXPECT_THAT(bodies.back().ReadUntil("\r\n\r\n"), HasSubstr(" 100 ")) << i;
    bodies.back().Send("begun");
    EXPECT_THAT(Get("/honest"), StartsWith("HTTP/1.1 200 ")) << i;
  }
  EXPECT_TRUE(known.Closed(1));
  bodies.back().Send(std::string(49'995, 'b'));
  EXPECT_THAT(bodies.back().ReadUntil("bbb"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(Strangers, HoldNoMoreMemoryThanThereIs) {
  Restart({.threads = 2, .held_bytes = 300'000});
  std::vector<TestClient> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(Connect());
    clients.back().Send(Head("POST /", "Content-Length: 90000\r\n") + std::string(80'000, 'h'));
    const std::string honest =
        Ask(Head("POST /", "Connection: close\r\nContent-Length: 3\r\n") + "abc");
    EXPECT_THAT(honest, EndsWith("abc")) << i;
  }
  EXPECT_TRUE(clients.front().Closed(1));
  clients.back().Send(std::string(10'000, 'h'));
  EXPECT_THAT(clients.back().ReadUntil("hhh"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(Strangers, HaveAsManyStreamsAsThereMayBe) {
  TestClient one = Connect(), two = Connect();
  for (TestClient* each : {&one, &two}) {
    each->Send(Head("GET /stream"));
    EXPECT_THAT(each->ReadUntil("tick 4;"), HasSubstr("Transfer-Encoding: chunked\r\n"));
  }
  EXPECT_THAT(Get("/stream"), StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(Get("/"), StartsWith("HTTP/1.1 200 "));
  const auto begin = TestClient::Clock::now();
  thread = {};
  EXPECT_LT(TestClient::Clock::now() - begin, 3s);
  EXPECT_THAT(one.ReadAll(), EndsWith("\r\n0\r\n\r\n"));
}

TEST_F(Strangers, DoNotDelayTheEnd) {
  TestClient silent = Connect(), part = Connect(), idle = Connect();
  part.Send("GET / HT");
  idle.Send(Head("GET /idle"));
  EXPECT_THAT(idle.ReadUntil("GET /idle "), StartsWith("HTTP/1.1 200 "));
  const auto begin = TestClient::Clock::now();
  thread = {};
  EXPECT_LT(TestClient::Clock::now() - begin, 3s);
  EXPECT_FALSE(Connect().connected());
}

TEST_F(Strangers, AreAnsweredWhileTheServerDrains) {
  echo.drain = 700ms;
  thread.request_stop();
  EXPECT_THAT(Get("/drains"), StartsWith("HTTP/1.1 200 "));
  thread.join();
  EXPECT_FALSE(Connect().connected());
}

TEST_F(Strangers, TakeThePortOfNobodyElse) {
  EXPECT_FALSE(HttpServer::Bind({.guard = {.host = "127.0.0.1", .port = port()}}).ok());
  auto next = HttpServer::Bind({.guard = {.host = "127.0.0.1"}, .first_port = port()});
  ASSERT_TRUE(next.ok());
  EXPECT_NE((*next)->guard().port, port());
  EXPECT_FALSE(HttpServer::Bind({.guard = {.host = "192.0.2.1", .port = 1}}).ok());
}

}  // namespace
}  // namespace protium
