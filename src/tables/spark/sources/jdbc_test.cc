// SPDX-License-Identifier: Apache-2.0
#include "spark/sources/jdbc.h"

#include <gtest/gtest.h>

#include "base/fault.h"
#include "spark/sources/table_read.h"

namespace protium {
namespace {

Result<connect::Options> OptionsAt(SourceKind kind, const std::string& url, size_t driver = 0) {
  const Source source{.kind = kind, .connection = {.url = url}, .table = "t"};
  return JdbcOptions(source, JdbcDriversFor(kind).at(driver), "canary");
}

TEST(Jdbc, UrlsKeepWhatSecuresThem) {
  const auto options =
      OptionsAt(SourceKind::kPostgres,
                "postgresql://me@db.example/shop?sslmode=verify-full&sslrootcert=/a%20b");
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_EQ(options->at("url"),
            "jdbc:postgresql://db.example:5432/"
            "shop?sslmode=verify-full&sslrootcert=/a%20b&connectTimeout=10");
  EXPECT_EQ(options->at("user"), "me");
  EXPECT_EQ(options->at("password"), "canary");
  EXPECT_EQ(options->at("driver"), "org.postgresql.Driver");
  EXPECT_EQ(options->at("url").find("canary"), std::string::npos);
}

TEST(Jdbc, MysqlHasWordsOfItsOwn) {
  const auto options = OptionsAt(SourceKind::kMysql,
                                 "mysql://me@[::1]:3307/crm?sslmode=verify-full&connect_timeout=3");
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  const std::string& url = options->at("url");
  EXPECT_TRUE(url.starts_with("jdbc:mysql://[::1]:3307/crm?sslMode=VERIFY_IDENTITY&")) << url;
  EXPECT_NE(url.find("connectTimeout=3000"), std::string::npos) << url;
  const Fault refused =
      FaultOf(OptionsAt(SourceKind::kMysql, "mysql://me@h/crm?sslrootcert=/ca.pem").status());
  EXPECT_EQ(refused.exit, Exit::kUsage);
  EXPECT_NE(refused.what.find("\"sslrootcert\""), std::string::npos) << refused.what;
}

TEST(Jdbc, ASocketOfThisMachineIsRefused) {
  const Fault refused =
      FaultOf(OptionsAt(SourceKind::kPostgres, "postgresql://me@%2Frun%2Fpg/shop").status());
  EXPECT_EQ(refused.exit, Exit::kUsage);
  EXPECT_NE(refused.what.find("a socket of this machine"), std::string::npos) << refused.what;
}

TEST(Jdbc, FaultsAreToldInOurWords) {
  const Source source{.kind = SourceKind::kPostgres,
                      .connection = {.url = "postgresql://me@h/shop", .password = {.env = "PW"}},
                      .table = "orders"};
  const auto fault = [&](const std::string& what, const std::string& why = "") {
    return FaultOf(JdbcFault(source, Fail({.exit = Exit::kFailed, .what = what, .why = why})));
  };
  EXPECT_EQ(fault("FATAL: password authentication failed for user \"me\"").fix,
            "the password is taken from the environment variable PW");
  EXPECT_EQ(fault("Connection refused").what, "no PostgreSQL server answers Spark");
  EXPECT_EQ(fault("relation \"orders\" does not exist").exit, Exit::kInput);
  EXPECT_EQ(fault("something else").what, "something else");
  const Status lacking = Fail({.exit = Exit::kFailed, .what = "org.postgresql.Driver"});
  EXPECT_TRUE(LacksDriver(lacking));
  EXPECT_FALSE(LacksDriver(Status::OK()));
  EXPECT_NE(FaultOf(NoDriver(source, JdbcDriversFor(source.kind)))
                .fix.find("spark.jars.packages=org.postgresql:postgresql:"),
            std::string::npos);
}

TEST(TableRead, QueriesStandInParentheses) {
  EXPECT_EQ(Nested("SELECT 1; \n"), "(SELECT 1\n)");
  EXPECT_EQ(Nested("SELECT 1 -- one"), "(SELECT 1 -- one\n)");
  EXPECT_EQ(SqlText("it's \\"), "'it''s \\'");
  EXPECT_EQ(SqlText("it's \\", true), "'it''s \\\\'");
}

}  // namespace
}  // namespace protium
