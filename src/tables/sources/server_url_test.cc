// SPDX-License-Identifier: Apache-2.0
#include "sources/server_url.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

TEST(ServerUrl, IsReadInParts) {
  const ServerUrl url =
      *ReadServerUrl("postgres://re%40der@db.example:5433/my%20shop?sslmode=verify-full");
  EXPECT_EQ(url.scheme, "postgresql");
  EXPECT_EQ(url.user, "re@der");
  EXPECT_EQ(url.host, "db.example");
  EXPECT_EQ(url.port, 5433);
  EXPECT_EQ(url.database, "my shop");
  ASSERT_EQ(url.options.size(), 1u);
  EXPECT_EQ(url.options[0].second, "verify-full");
  const ServerUrl bare = *ReadServerUrl("mysql://[::1]/crm");
  EXPECT_EQ(bare.host, "::1");
  EXPECT_EQ(bare.port, 0);
  EXPECT_EQ(ShowUrl(bare), "mysql://[::1]/crm");
}

TEST(ServerUrl, RefusesPasswordsWithoutRepeatingThem) {
  const Fault fault = FaultOf(ReadServerUrl("postgresql://me:canary@host/shop").status());
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(Render(fault).find("canary"), std::string::npos) << Render(fault);
  EXPECT_NE(fault.fix.find("env"), std::string::npos);
  EXPECT_FALSE(ReadServerUrl("postgresql://me@host/shop?password=canary").ok());
}

TEST(ServerUrl, SaysWhatIsWrong) {
  for (const char* text :
       {"", "shop", "oracle://h/d", "postgresql://h", "postgresql:///d", "postgresql://h:0/d",
        "postgresql://h:x/d", "postgresql://h:65536/d", "postgresql://h/d%2", "mysql://h/%00",
        "postgresql://h/d?sslmod=require"}) {
    const Status read = ReadServerUrl(text).status();
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(FaultOf(read).exit, Exit::kUsage) << text;
    EXPECT_FALSE(FaultOf(read).fix.empty()) << text;
  }
}

}  // namespace
}  // namespace protium
