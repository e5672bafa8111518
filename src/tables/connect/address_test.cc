// SPDX-License-Identifier: Apache-2.0
#include "connect/address.h"

#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

SparkAddress Parsed(std::string_view text, std::string_view token = "") {
  const auto address = ParseSparkAddress(text, token);
  EXPECT_TRUE(address.ok()) << address.status().ToString();
  return address.ok() ? *address : SparkAddress();
}

std::string Refusal(std::string_view text, std::string_view token = "") {
  const auto address = ParseSparkAddress(text, token);
  EXPECT_FALSE(address.ok()) << text;
  EXPECT_EQ(FaultOf(address.status()).exit, Exit::kUsage);
  return FaultOf(address.status()).what;
}

TEST(SparkAddress, TakesAHostAloneWithTheUsualPort) {
  const SparkAddress address = Parsed("sc://Spark.Example");
  EXPECT_EQ(address.target(), "spark.example:15002");
  EXPECT_FALSE(address.tls);
  EXPECT_EQ(Parsed("sc://h/").target(), "h:15002");
  EXPECT_EQ(Parsed("sc://h:7/;").target(), "h:7");
}

TEST(SparkAddress, TakesIpv6InBrackets) {
  EXPECT_EQ(Parsed("sc://[::1]").target(), "[::1]:15002");
  EXPECT_EQ(Parsed("sc://[::1]:99/;user_id=a").target(), "[::1]:99");
  EXPECT_NE(Refusal("sc://::1:99").find("several"), std::string::npos);
  EXPECT_NE(Refusal("sc://[::1").find("]"), std::string::npos);
  EXPECT_NE(Refusal("sc://[::1]99").find("\":\""), std::string::npos);
}

TEST(SparkAddress, ReadsEachParameterAndKeepsOthersAsHeaders) {
  const SparkAddress address = Parsed(
      "sc://h/;use_ssl=True;token=a%3Db;user_id=me;user_agent=us%20er;"
      "session_id=0123ABCD-0123-4123-8123-0123456789ab;X-Team=blue");
  EXPECT_TRUE(address.tls);
  EXPECT_EQ(address.token, "a=b");
  EXPECT_EQ(address.user_id, "me");
  EXPECT_EQ(address.user_agent, "us er");
  EXPECT_EQ(address.session_id, "0123abcd-0123-4123-8123-0123456789ab");
  ASSERT_EQ(address.headers.size(), 1u);
  EXPECT_EQ(address.headers[0], std::pair(std::string("x-team"), std::string("blue")));
}

TEST(SparkAddress, ATokenImpliesTlsExceptToThisMachine) {
  EXPECT_TRUE(Parsed("sc://h/;token=t").tls);
  EXPECT_FALSE(Parsed("sc://localhost/;token=t").tls);
  EXPECT_FALSE(Parsed("sc://127.0.0.1/;token=t").tls);
  EXPECT_TRUE(Parsed("sc://h", "from-environment").tls);
  EXPECT_EQ(Parsed("sc://h", "from-environment").token, "from-environment");
  EXPECT_EQ(Parsed("sc://h/;token=own", "from-environment").token, "own");
  EXPECT_NE(Refusal("sc://h/;token=t;use_ssl=false").find("plain text"), std::string::npos);
}

TEST(SparkAddress, IsShownWithoutSecrets) {
  const std::string shown = Parsed("sc://h/;token=s3cret;x-key=hidden;user_id=me").shown();
  EXPECT_EQ(shown, "sc://h:15002/;use_ssl=true;token=...;user_id=me;x-key=...");
  EXPECT_EQ(Refusal("sc://h/;token=s3cret;use_ssl=false").find("s3cret"), std::string::npos);
  EXPECT_EQ(Refusal("sc://h/;token=s3cret%").find("s3cret"), std::string::npos);
}

TEST(SparkAddress, RefusesWithTheNameOfTheParameter) {
  EXPECT_NE(Refusal("http://h").find("sc://"), std::string::npos);
  EXPECT_NE(Refusal("sc://").find("host"), std::string::npos);
  EXPECT_NE(Refusal("sc://h:0").find("port"), std::string::npos);
  EXPECT_NE(Refusal("sc://h:70000").find("70000"), std::string::npos);
  EXPECT_NE(Refusal("sc://h:1x").find("1x"), std::string::npos);
  EXPECT_NE(Refusal("sc://h/path").find("path"), std::string::npos);
  EXPECT_NE(Refusal("sc://h;token=t").find("/;"), std::string::npos);
  EXPECT_NE(Refusal("sc://h/;use_ssl=1").find("use_ssl"), std::string::npos);
  EXPECT_NE(Refusal("sc://h/;session_id=1").find("session_id"), std::string::npos);
  EXPECT_NE(Refusal("sc://h/;user_id=").find("user_id"), std::string::npos);
  EXPECT_NE(Refusal("sc://h/;user_id=a;user_id=b").find("twice"), std::string::npos);
  EXPECT_NE(Refusal("sc://h/;user_id=%zz").find("user_id"), std::string::npos);
  EXPECT_NE(Refusal("sc://h/;x%20y=1").find("x%20y"), std::string::npos);
  EXPECT_NE(Refusal("sc://h/;x=%0a").find("x"), std::string::npos);
  EXPECT_NE(Refusal("sc://h/;grpc-timeout=1").find("grpc-timeout"), std::string::npos);
}

}  // namespace
}  // namespace protium
