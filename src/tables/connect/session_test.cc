// SPDX-License-Identifier: Apache-2.0
#include "connect/session.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/digest.h"
#include "connect/artifacts.h"
#include "connect/testing/test_server.h"
#include "os/file.h"

namespace protium::connect {
namespace {

const Call kCall;

TEST(Session, IsReleasedAtItsEnd) {
  TestServer server;
  server.Open().reset();
  EXPECT_EQ(server.seen().released_sessions, 1);
}

TEST(Session, OfAnotherIsLeftAsItIs) {
  TestServer server;
  const std::string id = "01234567-0123-4123-8123-0123456789ab";
  {
    const auto session = server.Open("/;session_id=" + id);
    ASSERT_NE(session, nullptr);
    EXPECT_EQ(session->id(), id);
  }
  EXPECT_EQ(server.seen().released_sessions, 0);
}

TEST(Session, InterruptsWhatRunsBeforeItEnds) {
  TestServer server;
  server.responses = MakeResult({3});
  server.scripts = {{.responses = 2, .hangs = true}};
  auto session = server.Open();
  auto stream = session->Execute(Sql("select"), {}, kCall);
  ASSERT_TRUE(stream.ok()) << stream.status().ToString();
  session.reset();
  const auto seen = server.seen();
  ASSERT_EQ(seen.interrupts.size(), 1u);
  EXPECT_EQ(seen.interrupts[0].operation_tag(), seen.executes[0].tags(0));
  EXPECT_EQ(seen.released_sessions, 1);
}

TEST(Session, SendsTheTokenAndHidesIt) {
  TestServer server;
  server.token = "s3cret";
  EXPECT_NE(server.Open("/;token=s3cret"), nullptr);
  const auto wrong = SparkSession::Open(*ParseSparkAddress(server.address() + "/;token=wr0ng", ""),
                                        kCall, TestServer::Quick());
  ASSERT_FALSE(wrong.ok());
  const Fault fault = FaultOf(wrong.status());
  EXPECT_EQ(fault.exit, Exit::kRemote);
  EXPECT_NE(fault.what.find("refused"), std::string::npos) << Render(fault);
  EXPECT_EQ(Render(fault).find("wr0ng"), std::string::npos);
}

TEST(Session, SaysSoonThatNobodyAnswers) {
  std::string address;
  {
    const TestServer gone;
    address = gone.address();
  }
  const auto session =
      SparkSession::Open(*ParseSparkAddress(address, ""), kCall, TestServer::Quick());
  ASSERT_FALSE(session.ok());
  const Fault fault = FaultOf(session.status());
  EXPECT_EQ(fault.exit, Exit::kRemote);
  EXPECT_NE(fault.what.find("no Spark Connect server answers at " + address), std::string::npos)
      << Render(fault);
}

TEST(Session, AsksAgainWhileThatMayHelp) {
  TestServer server;
  const auto session = server.Open();
  server.failures = {{grpc::StatusCode::UNAVAILABLE, "gone"}, BusyStatus(20)};
  EXPECT_TRUE(session->SetConf({{"a", "b"}}, kCall).ok());
  EXPECT_EQ(server.seen().configs, 3);
  server.failures = {{grpc::StatusCode::INTERNAL, "broken"}};
  EXPECT_FALSE(session->SetConf({{"a", "b"}}, kCall).ok());
  EXPECT_EQ(server.seen().configs, 4);
}

TEST(Session, StopsWaitingForTheNextTryWhenStopped) {
  TestServer server;
  const auto session = server.Open();
  server.failures.assign(5, BusyStatus(900));
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  const Status status = session->SetConf({{"a", "b"}}, Call{.stop = stop.get_token()});
  EXPECT_TRUE(status.IsCancelled()) << status.ToString();
}

TEST(Session, ThatADeadDriverLeftIsReleased) {
  TestServer server;
  const auto address = ParseSparkAddress(server.address(), "");
  const std::string id = "01234567-0123-4123-8123-0123456789ab";
  ASSERT_TRUE(SparkSession::EndLeftover(*address, id, kCall).ok());
  EXPECT_EQ(server.seen().released_sessions, 1);
}

// A chain of causes as in a failed job, with a worker's text at its end.
proto::FetchErrorDetailsResponse FailedJob(const std::string& worker) {
  proto::FetchErrorDetailsResponse details;
  details.set_root_error_idx(0);
  auto* job = details.add_errors();
  job->add_error_type_hierarchy("org.apache.spark.SparkException");
  job->set_message("Job aborted due to stage failure: Task 0 failed 4 times\n\tat a.B.c(B.scala)");
  job->set_cause_idx(1);
  auto* python = details.add_errors();
  python->add_error_type_hierarchy("org.apache.spark.api.python.PythonException");
  python->set_message(worker);
  python->set_cause_idx(0);  // A cycle: reading must end all the same.
  return details;
}

Status FailedWith(TestServer& server, const std::string& message) {
  server.responses = MakeResult({3});
  server.scripts = {
      {.responses = 1, .end = SparkStatus(grpc::StatusCode::INTERNAL, message, "SparkException")}};
  const auto session = server.Open();
  auto stream = session->Execute(Sql("select"), {.name = "scoring"}, kCall);
  return stream.ok() ? Collect(**stream).status() : stream.status();
}

TEST(Session, TellsTheWorkersOwnTextFirst) {
  TestServer server;
  for (const char* const text : {"rank 2: the loss is NaN\nlog line",
                                 "[PYTHON_EXCEPTION] An exception was thrown from the "
                                 "Python worker: rank 2: the loss is NaN\nlog line "
                                 "SQLSTATE: 38000"}) {
    server.details = FailedJob(text);
    const Fault fault = FaultOf(FailedWith(server, "Job aborted"));
    EXPECT_EQ(fault.what, "scoring: rank 2: the loss is NaN") << Render(fault);
    EXPECT_TRUE(fault.why.starts_with("log line")) << Render(fault);
  }
}

TEST(Session, FindsTheWorkersTextInsideOfAMessage) {
  TestServer server;
  const Fault fault = FaultOf(FailedWith(
      server,
      "Could not recover from a failed barrier ResultStage. Most recent failure reason: Stage "
      "failed because barrier task ResultTask(1, 3) finished unsuccessfully.\n"
      "org.apache.spark.api.python.PythonException: rank 3: no memory left\n"
      "\tat org.apache.spark.api.python.BasePythonRunner.x(PythonRunner.scala:1)"));
  EXPECT_EQ(fault.what, "scoring: rank 3: no memory left") << Render(fault);
}

TEST(Session, LetsTheCallerExplainFailures) {
  TestServer server;
  server.details = FailedJob("{\"what\": \"x\"}");
  server.responses = MakeResult({3});
  server.scripts = {
      {.responses = 1, .end = SparkStatus(grpc::StatusCode::INTERNAL, "Job", "SparkException")}};
  const auto session = server.Open();
  std::string heard;
  ExecuteOptions options;
  options.explain = [&](const SparkError& error) {
    heard = error.WorkerText();
    return Status::Invalid("mine");
  };
  const auto stream = session->Execute(Sql("select"), options, kCall);
  const Status status = stream.ok() ? Collect(**stream).status() : stream.status();
  EXPECT_EQ(status.message(), "mine");
  EXPECT_EQ(heard, "{\"what\": \"x\"}");
}

TEST(Artifacts, ArriveWholeInChunksFromBytesAndFiles) {
  TestServer server;
  const auto session = server.Open();
  std::string large;
  for (int i = 0; i < 3500; ++i) large.push_back(static_cast<char>(i * 7));
  const auto folder = *TemporaryFolder::Make();
  ASSERT_TRUE(WriteFile(folder.path() / "program", large).ok());
  std::vector<Json> events;
  const Call call{.events = [&](const Json& event) { events.push_back(event); }};
  ASSERT_TRUE(session
                  ->AddArtifacts({{"files/small", std::string("abc")},
                                  {"files/empty", std::string()},
                                  {"files/exact", large.substr(0, 2000)},
                                  {"files/large", large},
                                  {"files/program", folder.path() / "program"}},
                                 call)
                  .ok());
  const auto seen = server.seen();
  EXPECT_EQ(seen.artifacts.at("files/small"), "abc");
  EXPECT_EQ(seen.artifacts.at("files/empty"), "");
  EXPECT_EQ(seen.artifacts.at("files/exact"), large.substr(0, 2000));
  EXPECT_EQ(seen.artifacts.at("files/large"), large);
  EXPECT_EQ(seen.artifacts.at("files/program"), large);
  EXPECT_EQ(seen.chunks, 1 + 1 + 2 + 4 + 4);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back()["event"], "upload");
  EXPECT_EQ(events.back()["bytes"], 3500);
  const auto statuses = session->ArtifactStatuses({"files/large", "files/none"}, kCall);
  EXPECT_TRUE(statuses->at("files/large"));
  EXPECT_FALSE(statuses->at("files/none"));
}

TEST(Artifacts, ThatArriveDamagedAreAFault) {
  TestServer server;
  server.damages_artifacts = true;
  const auto session = server.Open();
  const Status status = session->AddArtifacts({{"files/a", std::string(2500, 'x')}}, kCall);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("files/a damaged"), std::string::npos) << status.ToString();
}

TEST(Artifacts, ThatCannotBeReadAreAFaultWithTheirPath) {
  TestServer server;
  const auto session = server.Open();
  const Status status =
      session->AddArtifacts({{"files/a", std::filesystem::path("/nonexistent/file")}}, kCall);
  EXPECT_EQ(FaultOf(status).exit, Exit::kInput);
  EXPECT_NE(status.message().find("/nonexistent/file"), std::string::npos);
}

TEST(Artifacts, HaveTheChecksumOfZlib) {
  EXPECT_EQ(Crc32("123456789"), 0xcbf43926u);  // The polynomial's usual check value.
}

TEST(LocalTables, TravelInThePlanWhenSmallAndAsArtifactsWhenLarge) {
  TestServer server;
  const auto session = server.Open();
  const auto schema = arrow::schema({arrow::field("x", arrow::int64())});
  auto batch = [&](int64_t rows) {
    const auto column = *arrow::MakeArrayFromScalar(arrow::Int64Scalar(7), rows);
    return arrow::RecordBatch::Make(schema, rows, {column});
  };
  const auto small = session->LocalTable(schema, {batch(10)}, kCall);
  ASSERT_TRUE(small.ok()) << small.status().ToString();
  EXPECT_TRUE(small->has_local_relation());
  const auto large = session->LocalTable(schema, {batch(500000)}, kCall);
  ASSERT_TRUE(large.ok()) << large.status().ToString();
  ASSERT_TRUE(large->has_cached_local_relation());
  const auto& hash = large->cached_local_relation().hash();
  const auto seen = server.seen();
  EXPECT_EQ(Sha256Hex(seen.artifacts.at("cache/" + hash)), hash);
  // The same rows again are known already.
  ASSERT_TRUE(session->LocalTable(schema, {batch(500000)}, kCall).ok());
  EXPECT_EQ(server.seen().chunks, seen.chunks);
}

}  // namespace
}  // namespace protium::connect
