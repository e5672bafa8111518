// SPDX-License-Identifier: Apache-2.0
#include "sources/web_url.h"

#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

TEST(WebUrl, HasAServerAUserAndAPath) {
  const auto url = ReadWebUrl("https://r%40d@host.example:8081/a/b/");
  ASSERT_TRUE(url.ok()) << url.status();
  EXPECT_EQ(url->server, "https://host.example:8081");
  EXPECT_EQ(url->user, "r@d");
  EXPECT_EQ(url->path, "/a/b");
  EXPECT_EQ(ReadWebUrl("http://127.0.0.1:8081")->server, "http://127.0.0.1:8081");
  EXPECT_EQ(ReadWebUrl("http://127.0.0.1:8081/")->path, "");
}

TEST(WebUrl, WithAPasswordIsRefusedWithoutRepeatingIt) {
  const Fault fault = FaultOf(ReadWebUrl("https://me:canary@host").status());
  EXPECT_EQ(fault.what, "the URL holds a password");
  EXPECT_EQ((fault.what + fault.fix + fault.where).find("canary"), std::string::npos);
}

TEST(WebUrl, IsNothingElse) {
  for (const char* text : {"", "host:8081", "ftp://host", "http://", "http:///path",
                           "http://host/a b", "http://host?x=1", "http://%zz@host"}) {
    EXPECT_EQ(FaultOf(ReadWebUrl(text).status()).exit, Exit::kUsage) << text;
  }
}

}  // namespace
}  // namespace protium
