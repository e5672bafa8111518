// SPDX-License-Identifier: Apache-2.0
// Results over connections that break and servers that misbehave.
#include "connect/execution.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <thread>

#include "connect/testing/test_server.h"

namespace protium::connect {
namespace {

constexpr size_t kAll = std::numeric_limits<size_t>::max();

class Execute : public testing::Test {
 protected:
  void SetUp() override { server_.responses = MakeResult({3, 4, 5}); }

  // Returns the received ids, in order.
  Result<std::vector<int64_t>> Ids() {
    if (session_ == nullptr) session_ = server_.Open();
    PT_LET(const auto stream, session_->Execute(Sql("select id"), options_, call_));
    PT_LET(const auto batches, Collect(*stream));
    std::vector<int64_t> ids;
    for (const auto& batch : batches) {
      const auto& column = static_cast<const arrow::Int64Array&>(*batch->column(0));
      for (int64_t i = 0; i < column.length(); ++i) ids.push_back(column.Value(i));
    }
    return ids;
  }

  void ExpectAll() {
    const auto ids = Ids();
    ASSERT_TRUE(ids.ok()) << Render(FaultOf(ids.status()));
    ASSERT_EQ(ids->size(), 12u);
    for (int64_t i = 0; i < 12; ++i) EXPECT_EQ((*ids)[static_cast<size_t>(i)], i);
  }

  Fault ExpectFault() {
    const auto ids = Ids();
    EXPECT_FALSE(ids.ok());
    return FaultOf(ids.status());
  }

  TestServer server_;
  std::unique_ptr<SparkSession> session_;
  ExecuteOptions options_{.name = "the query"};
  Call call_{.deadline = Clock::now() + std::chrono::seconds(60)};
};

TEST_F(Execute, GivesEachRowOnceHoweverOftenTheStreamEnds) {
  for (const grpc::Status& end :
       {grpc::Status::OK, grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone")}) {
    for (size_t step = 1; step < server_.responses.size(); ++step) {
      server_.scripts.assign(server_.responses.size(), {.responses = step, .end = end});
      ExpectAll();
      server_.scripts.clear();
    }
  }
  const auto seen = server_.seen();
  for (const auto& attach : seen.reattaches) EXPECT_FALSE(attach.last_response_id().empty());
}

TEST_F(Execute, SubmitsAgainWhatTheServerNeverReceived) {
  server_.scripts = {
      {.responses = 0, .end = {grpc::StatusCode::UNAVAILABLE, "gone"}, .known = false}};
  ExpectAll();
  const auto seen = server_.seen();
  ASSERT_EQ(seen.executes.size(), 2u);
  EXPECT_EQ(seen.executes[0].operation_id(), seen.executes[1].operation_id());
  ASSERT_EQ(seen.reattaches.size(), 1u);
  EXPECT_FALSE(seen.reattaches[0].has_last_response_id());
}

TEST_F(Execute, AttachesToWhatArrivedThoughItsAnswerWasLost) {
  server_.scripts = {{.responses = 0, .end = {grpc::StatusCode::UNAVAILABLE, "gone"}}};
  ExpectAll();
  EXPECT_EQ(server_.seen().executes.size(), 1u);
  EXPECT_EQ(server_.seen().reattaches.size(), 1u);
}

TEST_F(Execute, GivesNoRowTwiceThatIsSentTwice) {
  for (size_t repeated = 1; repeated <= 3; ++repeated) {
    server_.scripts = {{.responses = 3}, {.repeated = repeated}};
    ExpectAll();
  }
}

TEST_F(Execute, TakesAMissingBatchForAnError) {
  server_.scripts = {{.responses = 2}, {.skipped = 1}};
  EXPECT_NE(ExpectFault().what.find("row 7"), std::string::npos);
}

TEST_F(Execute, TakesAWrongNumberOfRowsForAnError) {
  server_.responses[2].mutable_arrow_batch()->set_row_count(5);
  EXPECT_NE(ExpectFault().what.find("announced 5 rows and sent 4"), std::string::npos);
}

TEST_F(Execute, NeverTakesAShortAnswerForTheWhole) {
  server_.responses.pop_back();  // The server's statement that the result is complete.
  const Fault fault = ExpectFault();
  EXPECT_NE(fault.what.find("the query"), std::string::npos) << Render(fault);
}

TEST_F(Execute, ReadsTheStatusBehindTheLastResponse) {
  server_.scripts = {{.responses = kAll, .end = {grpc::StatusCode::DATA_LOSS, "rows are damaged"}}};
  EXPECT_NE(ExpectFault().what.find("rows are damaged"), std::string::npos);
  // A connection that breaks there loses nothing.
  server_.scripts = {{.responses = kAll, .end = {grpc::StatusCode::UNAVAILABLE, "gone"}}};
  ExpectAll();
}

TEST_F(Execute, SaysThatTheServerDroppedAResultThatIsHalfRead) {
  server_.scripts = {{.responses = 2, .end = {grpc::StatusCode::UNAVAILABLE, "gone"}}};
  server_.knows_operations = false;
  const Fault fault = ExpectFault();
  EXPECT_EQ(fault.exit, Exit::kRemote);
  EXPECT_NE(fault.what.find("dropped the result"), std::string::npos) << Render(fault);
  EXPECT_EQ(server_.seen().executes.size(), 1u);
}

TEST_F(Execute, SaysThatTheServerWasStartedAnew) {
  session_ = server_.Open();
  server_.SetServerSession("second");
  const Fault fault = ExpectFault();
  EXPECT_EQ(fault.exit, Exit::kRemote);
  EXPECT_NE(fault.what.find("was restarted"), std::string::npos) << Render(fault);
}

TEST_F(Execute, SaysThatTheServerDroppedTheSession) {
  const auto gone =
      SparkStatus(grpc::StatusCode::INTERNAL, "[INVALID_HANDLE.SESSION_CLOSED] session was closed",
                  "SparkSQLException");
  server_.scripts = {{.responses = 2, .end = gone}};
  const Fault fault = ExpectFault();
  EXPECT_EQ(fault.exit, Exit::kRemote);
  EXPECT_NE(fault.what.find("no longer knows this session"), std::string::npos) << Render(fault);
}

TEST_F(Execute, GoesOnAfterTheServersPassingTroubles) {
  const grpc::Status cursor(grpc::StatusCode::INTERNAL,
                            "[INVALID_CURSOR.DISCONNECTED] another one");
  server_.scripts = {{.responses = 2, .end = cursor}, {.responses = 1, .end = BusyStatus(30)}};
  const Deadline begin = Clock::now();
  ExpectAll();
  EXPECT_GE(Clock::now() - begin, Milliseconds(30));
}

TEST_F(Execute, GivesUpOnAServerThatStaysAway) {
  server_.scripts.assign(20, {.responses = 0, .end = {grpc::StatusCode::UNAVAILABLE, "gone"}});
  const Fault fault = ExpectFault();
  EXPECT_EQ(fault.exit, Exit::kRemote);
  EXPECT_NE(fault.what.find("127.0.0.1"), std::string::npos) << Render(fault);
}

TEST_F(Execute, EndsAtOnceWhenItIsStopped) {
  server_.scripts = {{.responses = 2, .hangs = true}};
  std::stop_source stop;
  call_.stop = stop.get_token();
  session_ = server_.Open();
  auto stream = session_->Execute(Sql("select id"), options_, call_);
  ASSERT_TRUE(stream.ok()) << stream.status().ToString();
  ASSERT_TRUE((*stream)->Next().ok());
  std::jthread stopper([&] { stop.request_stop(); });
  const Deadline begin = Clock::now();
  const auto next = (*stream)->Next();
  EXPECT_TRUE(next.status().IsCancelled()) << next.status().ToString();
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(10));
  const auto seen = server_.seen();
  ASSERT_EQ(seen.interrupts.size(), 1u);
  EXPECT_EQ(seen.interrupts[0].operation_id(), seen.executes[0].operation_id());
}

TEST_F(Execute, EndsAtItsDeadline) {
  server_.scripts = {{.responses = 2, .hangs = true}};
  session_ = server_.Open();
  call_.deadline = Clock::now() + Milliseconds(300);
  const Fault fault = ExpectFault();
  EXPECT_EQ(fault.exit, Exit::kStalled) << Render(fault);
  EXPECT_EQ(server_.seen().interrupts.size(), 1u);
}

TEST_F(Execute, AttachesAgainToAStreamThatSaysNothing) {
  server_.scripts = {{.responses = 2, .hangs = true}};
  const auto parsed = ParseSparkAddress(server_.address(), "");
  SparkSessionOptions options = TestServer::Quick();
  options.stream_limit = Milliseconds(200);
  session_ = *SparkSession::Open(*parsed, Call{}, options);
  ExpectAll();
  EXPECT_EQ(server_.seen().reattaches.size(), 1u);
}

TEST_F(Execute, InterruptsWhatIsNotReadToItsEnd) {
  server_.scripts = {{.responses = 2, .hangs = true}};
  session_ = server_.Open();
  auto stream = session_->Execute(Sql("select id"), options_, call_);
  ASSERT_TRUE(stream.ok()) << stream.status().ToString();
  stream->reset();
  EXPECT_EQ(server_.seen().interrupts.size(), 1u);
  EXPECT_TRUE(server_.Await([](const auto& seen) {
    return !seen.releases.empty() && seen.releases.back().has_release_all();
  }));
}

TEST_F(Execute, ReleasesWhatWasRead) {
  ExpectAll();
  EXPECT_TRUE(server_.Await([](const auto& seen) {
    return !seen.releases.empty() && seen.releases.back().has_release_all();
  }));
  EXPECT_TRUE(server_.seen().interrupts.empty());
}

TEST_F(Execute, JoinsBatchesThatComeInChunks) {
  auto chunked = server_.responses;
  const std::string data = chunked[1].arrow_batch().data();
  chunked.insert(chunked.begin() + 2, chunked[1]);
  for (int i = 0; i < 2; ++i) {
    auto* batch = chunked[1 + static_cast<size_t>(i)].mutable_arrow_batch();
    batch->set_chunk_index(i);
    batch->set_num_chunks_in_batch(2);
    batch->set_data(i == 0 ? data.substr(0, 100) : data.substr(100));
  }
  for (size_t i = 0; i < chunked.size(); ++i) chunked[i].set_response_id("c" + std::to_string(i));
  server_.responses = chunked;
  ExpectAll();
  server_.responses[2].mutable_arrow_batch()->set_chunk_index(0);
  EXPECT_NE(ExpectFault().what.find("chunk"), std::string::npos);
}

proto::ExecutePlanResponse::Metrics::MetricValue Metric(const char* name, int64_t value,
                                                        const char* type) {
  proto::ExecutePlanResponse::Metrics::MetricValue metric;
  metric.set_name(name);
  metric.set_value(value);
  metric.set_metric_type(type);
  return metric;
}

TEST_F(Execute, TellsProgressAndThePlanAndKeepsObservedValues) {
  proto::ExecutePlanResponse progress;
  auto* stage = progress.mutable_execution_progress()->add_stages();
  stage->set_num_tasks(8);
  stage->set_num_completed_tasks(2);
  progress.set_response_id("p");
  auto* observed = server_.responses[3].add_observed_metrics();
  observed->set_name("count");
  observed->add_keys("rows");
  observed->add_values()->set_long_(12);
  auto* sorted = server_.responses[3].mutable_metrics()->add_metrics();
  sorted->set_name("Sort");
  sorted->set_plan_id(7);
  (*sorted->mutable_execution_metrics())["sortTime"] = Metric("sort time", 1500, "timing");
  (*sorted->mutable_execution_metrics())["spillSize"] = Metric("spill size", 2'500'000, "size");
  auto* stage_of = server_.responses[3].mutable_metrics()->add_metrics();
  stage_of->set_name("ShuffleQueryStage");
  stage_of->set_plan_id(8);
  stage_of->set_parent(7);
  auto* scan = server_.responses[3].mutable_metrics()->add_metrics();
  scan->set_name("Scan csv ");
  scan->set_plan_id(9);
  scan->set_parent(8);
  (*scan->mutable_execution_metrics())["numOutputRows"] =
      Metric("number of output rows", 12, "sum");
  (*scan->mutable_execution_metrics())["scanTime"] = Metric("scan time", 250'000'000, "nsTiming");
  server_.responses.insert(server_.responses.begin() + 1, progress);
  std::vector<Json> events;
  call_.events = [&](const Json& event) { events.push_back(event); };
  options_.observed = std::make_shared<ObservedMetrics>();
  std::string operation;
  options_.more = [&](const std::string& id, bool operators) -> Json {
    operation = id;
    EXPECT_FALSE(operators);
    return {{"jobs", {4}}};
  };
  ExpectAll();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(operation.size(), 36u);
  EXPECT_EQ(events[1]["jobs"], Json({4}));
  EXPECT_EQ(events[1]["event"], "engine_plan");
  EXPECT_EQ(events[1]["operators"], Json::parse(R"([
      {"name":"Sort","depth":0,"seconds":1.5,"what":"spill size 2.4 MiB"},
      {"name":"Scan csv","depth":1,"rows":12,"seconds":0.25}])"));
  EXPECT_EQ(events[0]["event"], "etl");
  EXPECT_EQ(events[0]["percent"], 25.0);
  EXPECT_FALSE(events[0].contains("rows"));
  EXPECT_EQ((*options_.observed)["count"]["rows"], 12);
}

}  // namespace
}  // namespace protium::connect
