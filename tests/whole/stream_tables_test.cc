// SPDX-License-Identifier: Apache-2.0
// Streams whose sink is a table: killed at any moment, none of its rows is missing or there twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <random>

#include "whole/database_jobs.h"

namespace protium::whole {

namespace fs = std::filesystem;
using testing::HasSubstr;

namespace {

constexpr int kFiles = 6, kRows = 25;

// A stream that only copies ids into a table, and a job that counts them there.
class TableStream {
 public:
  // `table` is "sqlite = \"scored.db\", table = \"scored\""; `more` is behind both jobs.
  explicit TableStream(const std::string& table, const std::string& more = "") {
    own_.Write("live.toml",
               "name = \"live\"\n[stream]\nsource = { folder = \"in\", pattern = \"*.csv\" }\n"
               "sink = { " +
                   table +
                   " }\nbatch = { rows = 20, ms = 1 }\n[etl]\n"
                   "sql = \"SELECT id, x * 2 AS x, CAST('2026-11-27 12:00:00' AS TIMESTAMP) AS at "
                   "FROM events\"\n" +
                   more);
    own_.Write(
        "count.toml",
        "name = \"count\"\n[tables]\nscored = { " + table +
            " }\n[etl]\nsql = \"SELECT "
            "count(*) AS n, count(DISTINCT id) AS ids, CAST(sum(x) AS BIGINT) AS x FROM scored\"\n"
            "[outputs]\ncounted = \"counted.csv\"\n" +
            more);
    for (int file = 0; file < kFiles; ++file) {
      std::string text = "id,x\n";
      for (int i = file * kRows; i < (file + 1) * kRows; ++i)
        text += fmt::format("{},{}.5\n", i, i);
      own_.Write(fmt::format("in/{:03}.csv", file), text);
    }
  }

  OwnJob& own() { return own_; }
  std::vector<std::string> Words(const std::string& job = "live.toml") const {
    return {"stream", own_ / job, "--streams-dir", own_ / "streams", "--once"};
  }
  Outcome Once() const { return RunWithPassword(own_, kCanary, Words()); }
  // Kills the stream again and again until it is through; returns how often.
  int RunAndKill() const {
    const fs::path log = own_ / "streams/live/log.jsonl";
    std::mt19937 random(std::random_device{}());
    for (int kills = 0; kills < 100; ++kills) {
      std::vector<std::string> words = Words();
      words.insert(words.begin(), ProtiumCommand());
      Running command(words, own_.path(), {{"SHOP_PASSWORD", kCanary}});
      const auto size = [&] {
        std::error_code none;
        const auto bytes = fs::file_size(log, none);
        return none ? 0 : bytes;
      };
      const auto before = size(), more = 1 + random() % 1500;
      const bool reached = command.AwaitChange(own_.path(), [&] { return size() > before + more; });
      if (reached) command.Signal(SIGKILL);
      const Outcome ended = command.Wait();
      if (reached) continue;
      EXPECT_EQ(ended.exit, 0) << ended.err;
      return kills;
    }
    return -1;
  }
  std::string Counted() const {
    const Outcome run = RunWithPassword(
        own_, kCanary, {"run", own_ / "count.toml", "--runs-dir", own_ / "runs", "--json"});
    EXPECT_EQ(run.exit, 0) << run.err;
    for (const auto& each : fs::directory_iterator(own_ / "runs")) {
      const std::string text = ReadText(each.path() / "counted.csv");
      if (text.empty()) continue;
      fs::remove_all(each.path());
      return text.substr(text.find('\n') + 1);
    }
    return run.err;
  }

 private:
  OwnJob own_;
};

void ExpectEachOnce(const std::string& table, const std::string& more = "") {
  const TableStream stream(table, more);
  EXPECT_GT(stream.RunAndKill(), 0);
  EXPECT_EQ(stream.Counted(), "150,150,22500\n");
  // There is nothing left to do.
  const Outcome again = stream.Once();
  EXPECT_THAT(again.out, HasSubstr("0 rows in 0 batches")) << again.err;
}

}  // namespace

TEST(StreamTables, OfSqliteHaveEachRowOnce) {
  NEED_EXTENSION("sqlite_scanner", "sqlite");
  ExpectEachOnce("sqlite = \"scored.db\", table = \"scored\"");
}

TEST(StreamTables, OfDuckDbHaveEachRowOnce) {
  ExpectEachOnce("duckdb = \"scored.duckdb\", table = \"scored\"");
}

TEST(StreamTables, OfDeltaHaveEachRowOnce) {
  NEED_EXTENSION("delta", "delta");
  ExpectEachOnce("delta = \"lake/scored\"");
}

TEST(StreamTables, OfPostgresHaveEachRowOnce) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  ExpectEachOnce("postgres = \"shop\", table = \"scored\"", Shop(*server));
  EXPECT_THAT(server->Sql("SELECT count(*), max(output) FROM protium_commits"),
              HasSubstr("1|batch "));
  server->Sql("DROP TABLE scored; DROP TABLE protium_commits");
}

TEST(StreamTables, OfMariaDbHaveEachRowOnce) {
  NEED_EXTENSION("mysql_scanner", "mysql");
  NEED_SERVER(MariaDb);
  ExpectEachOnce("mysql = \"shop\", table = \"scored\"", Shop(*server));
  server->Sql("DROP TABLE scored; DROP TABLE protium_commits");
}

// The intent is logged, the rows are there, and the line that ends the batch is not.
TEST(StreamTables, KnowABatchThatIsThereAlready) {
  NEED_EXTENSION("sqlite_scanner", "sqlite");
  TableStream stream("sqlite = \"scored.db\", table = \"scored\"");
  ASSERT_EQ(stream.Once().exit, 0);
  const fs::path log = stream.own() / "streams/live/log.jsonl";
  std::string text = ReadText(log);
  text.resize(text.rfind("{\"ended\""));
  stream.own().Write("streams/live/log.jsonl", text);
  const Outcome again = stream.Once();
  EXPECT_THAT(again.err, HasSubstr("its rows are there"));
  EXPECT_EQ(stream.Counted(), "150,150,22500\n");
}

// A copy of the stream's folder is the same stream: the second process is told so.
TEST(StreamTables, RefuseAProcessThatAnotherHasOvertaken) {
  NEED_EXTENSION("sqlite_scanner", "sqlite");
  TableStream stream("sqlite = \"scored.db\", table = \"scored\"");
  ASSERT_EQ(stream.Once().exit, 0);
  const fs::path log = stream.own() / "streams/live/log.jsonl";
  const std::string text = ReadText(log);
  stream.own().Write("streams/live/log.jsonl",
                     text.substr(0, text.find('\n', text.find("ended")) + 1));
  const Outcome behind = stream.Once();
  EXPECT_EQ(behind.exit, 2) << behind.err;
  EXPECT_THAT(behind.err, HasSubstr("another process has taken over this stream"));
  EXPECT_EQ(stream.Counted(), "150,150,22500\n");
}

TEST(StreamTables, WithOtherColumnsAreRefusedBeforeAnEventIsRead) {
  NEED_EXTENSION("sqlite_scanner", "sqlite");
  TableStream stream("sqlite = \"scored.db\", table = \"scored\"");
  MakeSqlite(stream.own() / "scored.db", "CREATE TABLE scored (id bigint, y double precision);");
  const Outcome refused = stream.Once();
  EXPECT_NE(refused.exit, 0);
  EXPECT_THAT(refused.err, HasSubstr("scored"));
  EXPECT_FALSE(Has(ReadText(stream.own() / "streams/live/log.jsonl"), "began"));
}

TEST(StreamTables, AreNamedWithoutMistakes) {
  const auto refused = [](const std::string& sink) {
    const TableStream stream(sink);
    const Outcome once = stream.Once();
    EXPECT_EQ(once.exit, 2) << once.err;
    return once.err;
  };
  EXPECT_THAT(refused("sqlite = \"a.db\", folder = \"out\", table = \"t\""),
              HasSubstr("more than one place"));
  EXPECT_THAT(refused("table = \"t\""), HasSubstr("names a table, but no database"));
  EXPECT_THAT(refused("delta = \"lake\", format = \"csv\""),
              HasSubstr("a table has no format, topic or key"));
  EXPECT_THAT(refused("postgres = \"shop\", table = \"t\""), HasSubstr("shop"));
}

}  // namespace protium::whole
