// SPDX-License-Identifier: Apache-2.0
// A Spark server with the jars of scripts/jars.lock, and jobs on it. It is of the release in
// PROTIUM_TEST_SPARK_VERSION; to use one that runs, its address goes into PROTIUM_TEST_SPARK_JARS.
#pragma once

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "column/stream.h"
#include "frame/open.h"
#include "whole/database_jobs.h"
#include "whole/own_spark.h"

namespace protium::whole {

// One Spark server serves all tests of this program; it keeps an event log.
class SparkWithJars {
 public:
  static const SparkWithJars* Start(std::string& why) {
    static std::string reason;
    static const std::unique_ptr<SparkWithJars> made = Make(reason);
    why = reason;
    return made.get();
  }

  const std::string& address() const { return address_; }
  // Whether anything that the server wrote holds the text; false for a server that we did not
  // start.
  bool AnyFileHas(const std::string& secret) const {
    return own_ != nullptr &&
           (whole::AnyFileHas(own_->state(), secret) || whole::AnyFileHas(events_.path(), secret));
  }

 private:
  static std::unique_ptr<SparkWithJars> Make(std::string& why) {
    std::unique_ptr<SparkWithJars> made(new SparkWithJars());
    if (const char* const running = std::getenv("PROTIUM_TEST_SPARK_JARS")) {
      made->address_ = running;
      return made;
    }
    const char* const version = std::getenv("PROTIUM_TEST_SPARK_VERSION");
    why = "no Spark: PROTIUM_TEST_SPARK_VERSION is not set";
    if (version == nullptr) return nullptr;
    why = "not here: scripts/spark-server fetch --version " + std::string(version) + " --jars";
    const auto jar = Repository() / ".deps/spark/jars/postgresql-42.7.14.jar";
    if (!std::filesystem::exists(jar)) return nullptr;
    const std::vector<std::string> settings = {
        "spark.eventLog.enabled=true", "spark.eventLog.dir=file://" + made->events_.path().string(),
        "spark.eventLog.compress=false",
        // Fifty tasks would read each version of a small table.
        "spark.databricks.delta.snapshotPartitions=2"};
    made->own_ = std::make_unique<OwnServer>(version, "0", "local[2]", settings,
                                             std::vector<std::string>{"--jars"});
    made->address_ = made->own_->address();
    return made;
  }

  const Scratch events_;
  std::unique_ptr<OwnServer> own_;
  std::string address_;
};

class SparkSources : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    spark_ = SparkWithJars::Start(why);
    if (spark_ == nullptr) GTEST_SKIP() << why;
    setenv("SHOP_PASSWORD", kCanary, 1);
  }

  // Runs words of the command, with the password in its environment.
  static Outcome Protium(const OwnJob& own, std::vector<std::string> words,
                         const std::string& password = kCanary) {
    words.insert(words.begin(), ProtiumCommand());
    Running command(std::move(words), own.path(), {{"SHOP_PASSWORD", password}});
    return command.Wait(std::chrono::seconds(300));
  }
  Outcome RunJob(const OwnJob& own, const std::string& password = kCanary) const {
    return Protium(
        own, {"run", own / "job.toml", "--runs-dir", own / "runs", "--engine", spark_->address()},
        password);
  }

  void ExpectNoSecret(const OwnJob& own, const Outcome& run) const {
    EXPECT_FALSE(Has(run.out + run.err, kCanary));
    EXPECT_FALSE(AnyFileHas(own.path(), kCanary));
    EXPECT_FALSE(spark_->AnyFileHas(kCanary));
  }

  // The rows of a source as it stands now, on an engine, sorted by their first column.
  static std::shared_ptr<arrow::Table> RowsOn(const std::string& engine, const Source& source) {
    auto opened = OpenEngine({.engine = engine});
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    if (!opened.ok()) return nullptr;
    const auto pinned = (*opened)->Pin(source, {});
    EXPECT_TRUE(pinned.ok()) << engine << ": " << pinned.status().ToString();
    if (!pinned.ok()) return nullptr;
    const Plan plan = MakePlan(Sql{"SELECT * FROM t ORDER BY 1", {"t"}},
                               {MakePlan(NamedTable{source.table, *pinned})});
    auto stream = (*opened)->Execute(plan, {});
    EXPECT_TRUE(stream.ok()) << engine << ": " << stream.status().ToString();
    if (!stream.ok()) return nullptr;
    auto batches = Collect(**stream);
    EXPECT_TRUE(batches.ok()) << engine << ": " << batches.status().ToString();
    if (!batches.ok()) return nullptr;
    return arrow::Table::FromRecordBatches((*stream)->schema(), *batches).ValueOrDie();
  }

  void ExpectSameRows(const Source& source) const {
    const auto here = RowsOn("local", source);
    const auto there = RowsOn(spark_->address(), source);
    ASSERT_TRUE(here != nullptr && there != nullptr);
    ASSERT_EQ(here->num_columns(), there->num_columns());
    ASSERT_GT(here->num_rows(), 0);
    const auto nan = arrow::EqualOptions::Defaults().nans_equal(true);
    for (int i = 0; i < here->num_columns(); ++i) {
      EXPECT_EQ(here->field(i)->name(), there->field(i)->name());
      EXPECT_TRUE(here->field(i)->type()->Equals(there->field(i)->type()))
          << here->field(i)->ToString() << " and on Spark " << there->field(i)->ToString();
      EXPECT_TRUE(here->column(i)->Equals(*there->column(i), nan))
          << here->field(i)->name() << ": " << here->column(i)->ToString() << " and on Spark "
          << there->column(i)->ToString();
    }
  }

  const SparkWithJars* spark_ = nullptr;
};

}  // namespace protium::whole
