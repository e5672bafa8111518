// SPDX-License-Identifier: Apache-2.0
// The client against a real server, whose sc:// address stands in PROTIUM_TEST_SPARK.
#include <arrow/api.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/fault.h"
#include "os/file.h"
#include "spark/connect/session.h"

namespace protium {
namespace {

using namespace connect;  // NOLINT: the builders read like the plans they make.

class RealServer : public testing::Test {
 protected:
  void SetUp() override {
    const char* const address = std::getenv("PROTIUM_TEST_SPARK");
    if (address == nullptr || *address == '\0') {
      GTEST_SKIP() << "PROTIUM_TEST_SPARK names no server: scripts/spark-server start";
    }
    session_ = Open(address);
  }

  static std::unique_ptr<SparkSession> Open(const std::string& address) {
    const auto parsed = ParseSparkAddress(address);
    EXPECT_TRUE(parsed.ok()) << parsed.status().ToString();
    auto session = SparkSession::Open(*parsed, Call{});
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    return session.ok() ? std::move(*session) : nullptr;
  }

  std::shared_ptr<arrow::Table> Rows(const Relation& relation, ExecuteOptions options = {}) {
    auto stream = session_->Execute(relation, options, call_);
    EXPECT_TRUE(stream.ok()) << Render(protium::FaultOf(stream.status()));
    if (!stream.ok()) return nullptr;
    auto batches = Collect(**stream);
    EXPECT_TRUE(batches.ok()) << Render(protium::FaultOf(batches.status()));
    return batches.ok() ? *arrow::Table::FromRecordBatches((*stream)->schema(), *batches) : nullptr;
  }

  Status Failure(const Relation& relation) {
    auto stream = session_->Execute(relation, {}, call_);
    if (!stream.ok()) return stream.status();
    return Collect(**stream).status();
  }

  Call call_{.deadline = Clock::now() + std::chrono::seconds(120)};
  std::unique_ptr<SparkSession> session_;
};

TEST_F(RealServer, SaysItsVersion) {
  ASSERT_NE(session_, nullptr);
  EXPECT_TRUE(session_->version().starts_with("4.")) << session_->version();
}

TEST_F(RealServer, KeepsSettingsAndSaysWhichMayChange) {
  const Call call;
  ASSERT_TRUE(session_->SetConf({{"spark.protium.x", "1"}}, call).ok());
  const auto values = session_->GetConf({"spark.protium.x", "spark.protium.none"}, call);
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_EQ(values->at("spark.protium.x"), "1");
  EXPECT_FALSE(values->at("spark.protium.none").has_value());
  EXPECT_TRUE(*session_->IsModifiable("spark.sql.session.timeZone", call));
  EXPECT_FALSE(*session_->IsModifiable("spark.driver.memory", call));
}

TEST_F(RealServer, ForeseesTheSchemaThatItsBatchesHave) {
  const Relation sql = Sql(
      "select cast(1 as int) as i, 2L as l, 'x' as s, true as b, cast(1.5 as decimal(12,3)) as d, "
      "date'2024-01-02' as day, timestamp'2024-01-02 03:04:05' as t, "
      "timestamp_ntz'2024-01-02 03:04:05' as n, array(1.0D, null) as a, "
      "named_struct('x', 1, 'y', 'z') as st, map('k', 1) as m, cast('ab' as binary) as bin, "
      "cast(1 as tinyint) as i8, cast(1 as smallint) as i16, cast(1 as float) as f");
  const auto schema = session_->Schema(sql, call_);
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  const auto rows = Rows(sql);
  ASSERT_NE(rows, nullptr);
  EXPECT_TRUE((*schema)->Equals(*rows->schema())) << (*schema)->ToString();
  EXPECT_EQ(rows->num_rows(), 1);
}

TEST_F(RealServer, StreamsManyRowsEachOnce) {
  const auto rows = Rows(Sql("select id, id * 2 as d from range(0, 1000000, 1, 4)"));
  ASSERT_NE(rows, nullptr);
  ASSERT_EQ(rows->num_rows(), 1000000);
  int64_t sum = 0;
  for (const auto& chunk : rows->column(0)->chunks()) {
    const auto& ids = static_cast<const arrow::Int64Array&>(*chunk);
    for (int64_t i = 0; i < ids.length(); ++i) sum += ids.Value(i);
  }
  EXPECT_EQ(sum, int64_t{999999} * 1000000 / 2);
}

TEST_F(RealServer, GivesASchemaForNoRows) {
  const auto rows = Rows(Sql("select id, 'a' as s from range(10) where id > 99"));
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(rows->num_rows(), 0);
  EXPECT_EQ(rows->num_columns(), 2);
}

TEST_F(RealServer, NamesWhatIsWrongInSql) {
  const Status status = Failure(Sql("select nosuch from range(3)"));
  ASSERT_FALSE(status.ok());
  const Fault fault = protium::FaultOf(status);
  EXPECT_EQ(fault.exit, Exit::kUsage) << Render(fault);
  EXPECT_NE(fault.what.find("nosuch"), std::string::npos) << Render(fault);
  EXPECT_EQ(fault.what.find("SQLSTATE"), std::string::npos) << Render(fault);
}

TEST_F(RealServer, NamesWhyAJobFailed) {
  const Status status = Failure(Sql("select cast(concat('x', id) as int) as i from range(3)"));
  ASSERT_FALSE(status.ok());
  const Fault fault = protium::FaultOf(status);
  EXPECT_EQ(fault.exit, Exit::kFailed) << Render(fault);
  EXPECT_NE(fault.what.find("INT"), std::string::npos) << Render(fault);
}

}  // namespace
}  // namespace protium
