// SPDX-License-Identifier: Apache-2.0
// The client against a real server.
#include <arrow/api.h>

#include "connect/testing/test_real_server.h"
#include "os/file.h"

namespace protium {
namespace {

using namespace connect;  // NOLINT: the builders read like the plans they make.

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

TEST_F(RealServer, TellsThePlanThatItExecuted) {
  std::vector<Json> plans;
  call_.events = [&](const Json& event) {
    if (event["event"] == "engine_plan") plans.push_back(event);
  };
  ASSERT_NE(Rows(Sql("select k, count(*) from (select id % 7 as k from range(1000)) group by k")),
            nullptr);
  ASSERT_EQ(plans.size(), 1u);
  std::map<std::string, Json> rows;
  for (const Json& each : plans[0]["operators"]) {
    if (each.contains("rows")) rows.emplace(each["name"], each["rows"]);
  }
  EXPECT_EQ(rows["Range"], 1000) << plans[0];
  EXPECT_EQ(rows["HashAggregate"], 7) << plans[0];
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
  const Fault fault = FaultOf(status);
  EXPECT_EQ(fault.exit, Exit::kUsage) << Render(fault);
  EXPECT_NE(fault.what.find("nosuch"), std::string::npos) << Render(fault);
  EXPECT_EQ(fault.what.find("SQLSTATE"), std::string::npos) << Render(fault);
}

TEST_F(RealServer, NamesWhyAJobFailed) {
  const Status status = Failure(Sql("select cast(concat('x', id) as int) as i from range(3)"));
  ASSERT_FALSE(status.ok());
  const Fault fault = FaultOf(status);
  EXPECT_EQ(fault.exit, Exit::kFailed) << Render(fault);
  EXPECT_NE(fault.what.find("INT"), std::string::npos) << Render(fault);
}

TEST_F(RealServer, QueriesRelationsByName) {
  const auto rows =
      Rows(Sql("select count(*) as n, sum(b.x) as s from a join b on a.id = b.id",
               {{"a", Range(0, 10, 2)},
                {"b", Project(Filter(Range(0, 100, 2), "id % 2 = 0"), {"id", "id * 10 AS x"})}}));
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ((*rows->column(0)->GetScalar(0))->ToString(), "5");
  EXPECT_EQ((*rows->column(1)->GetScalar(0))->ToString(), "200");
}

TEST_F(RealServer, TakesLocalTablesSmallAndLargeWithTheirNulls) {
  for (const int64_t count : {3, 300000}) {
    arrow::Int64Builder numbers;
    arrow::StringBuilder texts;
    arrow::TimestampBuilder times(arrow::timestamp(arrow::TimeUnit::MICRO),
                                  arrow::default_memory_pool());
    for (int64_t i = 0; i < count; ++i) {
      ASSERT_TRUE((i % 3 == 0 ? numbers.AppendNull() : numbers.Append(i)).ok());
      ASSERT_TRUE(texts.Append("row " + std::to_string(i)).ok());
      ASSERT_TRUE(times.Append(i * 1000003).ok());
    }
    const auto schema =
        arrow::schema({arrow::field("n", arrow::int64()), arrow::field("s", arrow::utf8()),
                       arrow::field("t", times.type())});
    const auto batch = arrow::RecordBatch::Make(
        schema, count, {*numbers.Finish(), *texts.Finish(), *times.Finish()});
    const auto relation = session_->LocalTable(schema, {batch}, call_);
    ASSERT_TRUE(relation.ok()) << Render(FaultOf(relation.status()));
    EXPECT_EQ(relation->has_local_relation(), count == 3);
    const auto rows = Rows(*relation);
    ASSERT_NE(rows, nullptr);
    EXPECT_TRUE((*rows->CombineChunksToBatch())->Equals(*batch, false));
  }
}

TEST_F(RealServer, WritesObservesAndReadsBack) {
  const auto folder = *TemporaryFolder::Make();
  const std::string path = folder.path() / "table";
  ExecuteOptions options;
  options.observed = std::make_shared<ObservedMetrics>();
  const auto written = session_->Command(
      Write(Observe(Range(0, 1000, 2), "seen", {"count(1) AS rows"}), {.path = path}), options,
      call_);
  ASSERT_TRUE(written.ok()) << Render(FaultOf(written.status()));
  EXPECT_EQ((*options.observed)["seen"]["rows"], 1000);
  const auto rows = Rows(*ReadParquet({path}));
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(rows->num_rows(), 1000);
  const auto again = session_->Command(Write(Range(0, 1, 1), {.path = path}), {}, call_);
  EXPECT_FALSE(again.ok());
}

TEST_F(RealServer, ReadsCsvWithTheGivenSchemaAndNulls) {
  const auto folder = *TemporaryFolder::Make();
  const std::string path = folder.path() / "t.csv";
  ASSERT_TRUE(WriteFile(path, "a;b\n1;\"x;y\"\nNA;z\n").ok());
  const auto schema =
      arrow::schema({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8())});
  const auto rows = Rows(*ReadCsv({path}, schema, {.null = "NA", .delimiter = ";"}));
  ASSERT_NE(rows, nullptr);
  ASSERT_EQ(rows->num_rows(), 2);
  EXPECT_EQ(rows->column(0)->null_count(), 1);
  EXPECT_EQ((*rows->column(1)->GetScalar(0))->ToString(), "x;y");
}

TEST_F(RealServer, KeepsViewsForTheSession) {
  ASSERT_TRUE(session_->Command(CreateView(Range(0, 7, 1), "seven"), {}, call_).ok());
  const auto rows = Rows(Table("seven"));
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(rows->num_rows(), 7);
}

TEST_F(RealServer, TakesFilesOnceAndRefusesOthersUnderTheirName) {
  const std::string bytes(3 << 20, 'p');
  const Artifact artifact{"files/program-1", bytes};
  ASSERT_TRUE(session_->AddArtifacts({artifact}, call_).ok());
  ASSERT_TRUE(session_->AddArtifacts({artifact}, call_).ok());
  EXPECT_FALSE(session_->AddArtifacts({{"files/program-1", bytes + "x"}}, call_).ok());
}

TEST_F(RealServer, EndsALongQuerySoonAfterItIsStopped) {
  const Relation query =
      Sql("select sum(hash(a.id, b.id)) from range(10000000) a, range(100000) b");
  std::stop_source stop;
  Call call = call_;
  call.stop = stop.get_token();
  // The progress event shows that it runs.
  call.events = [&](const Json&) { stop.request_stop(); };
  auto stream = session_->Execute(query, {.tags = {"long"}}, call);
  const Status status = stream.ok() ? Collect(**stream).status() : stream.status();
  EXPECT_TRUE(status.IsCancelled()) << status.ToString();
  const auto left = session_->InterruptTag("long", call_);
  ASSERT_TRUE(left.ok()) << left.status().ToString();
  EXPECT_TRUE(left->empty());
}

}  // namespace
}  // namespace protium
