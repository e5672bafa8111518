// SPDX-License-Identifier: Apache-2.0
#include "local/database.h"

#include <gtest/gtest.h>

#include "base/fault.h"
#include "os/file.h"
#include "sql/dialect.h"
#include "sql/duckdb/scan.h"

namespace protium {
namespace {

class Files : public testing::Test {
 protected:
  std::string Make(const std::string& name) {
    const std::string path = (folder_.path() / name).string();
    EXPECT_TRUE(WriteFile(path, "x\n1\n").ok());
    return path;
  }
  Status Read(const std::string& path) {
    PT_LET(const duck::Connection connection, database_.Connect());
    return duck::Do(connection, "SELECT * FROM read_csv('" + path + "')");
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  Database database_{{.spill = folder_.path() / "spill"}};
};

TEST_F(Files, ThatWereNotNamedAreNotOpenedByTheDatabase) {
  const std::string named = Make("named.csv"), other = Make("other.csv");
  EXPECT_TRUE(database_.Admit({named}));
  EXPECT_TRUE(Read(other).ok());
  ASSERT_TRUE(database_.Lock().ok());
  EXPECT_TRUE(Read(named).ok());
  for (const std::string& path :
       {other, folder_.path().string() + "/*.csv", folder_.path().string() + "/none/../other.csv",
        std::string("/etc/passwd")}) {
    EXPECT_NE(FaultOf(Read(path)).what.find("disabled by configuration"), std::string::npos)
        << path;
  }
}

TEST_F(Files, CannotBeNamedOnceItIsLocked) {
  const std::string named = Make("named.csv"), other = Make("other.csv");
  EXPECT_TRUE(database_.Admit({named}));
  ASSERT_TRUE(database_.Lock().ok());
  EXPECT_TRUE(database_.Admit({named}));
  EXPECT_FALSE(database_.Admit({named, other}));
  const duck::Connection connection = database_.Connect().ValueOrDie();
  for (const char* text :
       {"SET enable_external_access = true", "SET allowed_paths = ['/']",
        "SET allowed_directories = ['/']", "LOAD httpfs",
        "COPY (SELECT 1) TO '/tmp/protium-never.csv'", "ATTACH '/tmp/protium-never.db' AS never"}) {
    EXPECT_FALSE(duck::Do(connection, text).ok()) << text;
  }
}

TEST(ADatabase, IsOpenedWhenSomebodyConnects) {
  Database database{DatabaseOptions{}};
  database.BeforeNext("CREATE TABLE first AS SELECT 1 AS a");
  database.BeforeNext("CREATE TABLE second AS SELECT * FROM first");
  database.BeforeNext("CREATE TABLE third AS SELECT 1 AS a");
  EXPECT_TRUE(database.TakeBack("CREATE TABLE third AS SELECT 1 AS a"));
  EXPECT_FALSE(database.IsOpen());
  const duck::Connection connection = database.Connect().ValueOrDie();
  EXPECT_TRUE(database.IsOpen());
  EXPECT_TRUE(duck::Do(connection, "SELECT * FROM second").ok());
  EXPECT_FALSE(duck::Do(connection, "SELECT * FROM third").ok());
  EXPECT_FALSE(database.TakeBack("CREATE TABLE second AS SELECT * FROM first"));
}

TEST(ADatabase, SaysWhatToDoIfWhatItWasOpenedForFails) {
  Database database{DatabaseOptions{}};
  database.BeforeNext("ATTACH '/nowhere/at/all.duckdb' AS x (READ_ONLY)", "make it anew");
  for (int i = 0; i < 2; ++i) {
    const auto connection = database.Connect();
    ASSERT_FALSE(connection.ok());
    EXPECT_EQ(FaultOf(connection.status()).fix, "make it anew");
  }
}

TEST_F(Files, AreClosedToConnectionsThatWereMadeBeforeTheLock) {
  const std::string other = Make("other.csv");
  const duck::Connection connection = database_.Connect().ValueOrDie();
  ASSERT_TRUE(database_.Lock().ok());
  EXPECT_FALSE(duck::Do(connection, "SELECT * FROM read_csv('" + other + "')").ok());
}

TEST_F(Files, WithOddNamesAreOpened) {
  const std::string odd = Make("o'dd [1] *?.csv");
  EXPECT_TRUE(database_.Admit({odd}));
  ASSERT_TRUE(database_.Lock().ok());
  const duck::Connection connection = database_.Connect().ValueOrDie();
  const std::string pattern = QuoteText(DuckDbPath(odd), DuckDbDialect());
  EXPECT_TRUE(duck::Do(connection, "SELECT * FROM read_csv([" + pattern + "])").ok());
}

TEST_F(Files, OfItsSpillAreOpened) {
  Database small({.memory_bytes = 60 << 20, .threads = 1, .spill = folder_.path() / "spill"});
  ASSERT_TRUE(small.Lock().ok());
  const duck::Connection connection = small.Connect().ValueOrDie();
  const char* const sorted =
      "CREATE TABLE t AS SELECT md5(CAST(i AS VARCHAR)) AS m, repeat('x', 60) AS x "
      "FROM range(1500000) r(i) ORDER BY m";
  const Status status = duck::Do(connection, sorted);
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace protium
