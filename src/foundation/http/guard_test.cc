// SPDX-License-Identifier: Apache-2.0
#include "http/guard.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

HttpRequest Asking(std::map<std::string, std::string, std::less<>> headers,
                   std::string path = "/api/v1/runs") {
  headers.emplace("host", "127.0.0.1:4040");
  return {.method = "GET", .path = std::move(path), .headers = std::move(headers)};
}

const Guard kOpen = {.host = "127.0.0.1", .port = 4040, .verb = "ui"};
const Guard kLocked = {.host = "10.0.0.1", .port = 4040, .token = "00ff", .verb = "ui"};

int StatusOf(const Guard& guard, const HttpRequest& request) {
  const auto refusal =
      guard.Check(request, request.path.starts_with("/api/") || request.path == "/metrics");
  return refusal ? refusal->status : 200;
}

TEST(WhoMayRead, AForeignNameOfThisMachineIsRefused) {
  for (const char* host : {"evil.example:4040", "127.0.0.1:80", "127.0.0.1", "", "127.0.0.1:40400",
                           "127.0.0.1.evil.example:4040"}) {
    EXPECT_EQ(StatusOf(kOpen, Asking({{"host", host}})), 403) << host;
  }
  EXPECT_EQ(StatusOf(kOpen, Asking({{"host", "LOCALHOST:4040"}})), 200);
}

TEST(WhoMayRead, APageOfAnotherSiteIsRefused) {
  EXPECT_EQ(StatusOf(kOpen, Asking({{"origin", "http://evil.example"}})), 403);
  EXPECT_EQ(StatusOf(kOpen, Asking({{"origin", "null"}})), 403);
  EXPECT_EQ(StatusOf(kOpen, Asking({{"origin", "http://127.0.0.1:4040"}})), 200);
  EXPECT_EQ(StatusOf(kOpen, Asking({{"sec-fetch-site", "cross-site"}})), 403);
  EXPECT_EQ(StatusOf(kOpen, Asking({{"sec-fetch-site", "same-origin"}})), 200);
  // A link from elsewhere may lead to the page itself.
  EXPECT_EQ(StatusOf(kOpen, Asking({{"sec-fetch-site", "cross-site"}}, "/")), 200);
}

TEST(WhoMayRead, BeyondThisMachineOnlyTheToken) {
  EXPECT_EQ(StatusOf(kLocked, Asking({})), 401);
  EXPECT_EQ(StatusOf(kLocked, Asking({{"authorization", "Bearer 00fe"}})), 401);
  EXPECT_EQ(StatusOf(kLocked, Asking({{"authorization", "Bearer 00ff"}})), 200);
  EXPECT_EQ(StatusOf(kLocked, Asking({{"cookie", "a=b; protium-4040=00ff"}})), 200);
  EXPECT_EQ(StatusOf(kLocked, Asking({{"cookie", "xprotium-4040=00ff"}})), 401);
  EXPECT_EQ(StatusOf(kLocked, Asking({}, "/metrics")), 401);
  EXPECT_EQ(StatusOf(kLocked, Asking({}, "/assets/index.js")), 200);
}

TEST(WhoMayRead, TheTokenGivesACookieThatScriptsCannotRead) {
  const HttpResponse refused = kLocked.Login(Asking({}, "/login"));
  EXPECT_EQ(refused.status, 401);
  EXPECT_TRUE(refused.headers.empty());
  const HttpResponse response = kLocked.Login(Asking({{"authorization", "Bearer 00ff"}}, "/login"));
  ASSERT_EQ(response.headers.size(), 1u);
  EXPECT_EQ(response.headers[0].first, "Set-Cookie");
  EXPECT_TRUE(
      response.headers[0].second.starts_with("protium-4040=00ff; HttpOnly; SameSite=Strict"));
}

}  // namespace
}  // namespace protium
