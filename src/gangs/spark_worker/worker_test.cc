// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "base/fault.h"
#include "base/json.h"
#include "os/file.h"
#include "spark_worker/error_text.h"
#include "spark_worker/marks.h"
#include "spark_worker/testing/test_executor.h"
#include "spark_worker/testing/test_tasks.h"

namespace protium {
namespace {

using testing::HasSubstr;

class Worker : public testing::TestWithParam<Family> {
 protected:
  static TaskInit Init() {
    return {.family = GetParam(), .partition = 2, .task_attempt_id = 9, .cpus = 3};
  }
  static std::string Task(const std::string& name, const std::string& config = "",
                          const SchemaPtr& output = RowSchema()) {
    return HeaderBytes(Init(), {.task = name, .config = config, .output = output});
  }
  static std::string Rows() { return RowBytes(RowSchema(), {RowBatch(0, 5), RowBatch(5, 3)}); }
};
INSTANTIATE_TEST_SUITE_P(All, Worker,
                         testing::Values(Family::kA, Family::kB, Family::kC, Family::kD),
                         [](const auto& info) {
                           return std::string(1, char('A' + int(info.param)));
                         });

TEST_P(Worker, GivesRowsBackAsTheyCame) {
  const auto worker = TestWorker::Start();
  const Answer answer = worker->Exchange(Task("same") + Rows(), GetParam());
  EXPECT_EQ(answer.error, "");
  ASSERT_EQ(answer.batches.size(), 2u);
  EXPECT_TRUE(answer.batches[0]->Equals(*RowBatch(0, 5)));
  EXPECT_TRUE(answer.batches[1]->Equals(*RowBatch(5, 3)));
  EXPECT_EQ(answer.last, kEndOfTask);
  ASSERT_GE(answer.times.size(), 5u);
  EXPECT_LE(answer.times[0], answer.times[1]);
  EXPECT_LE(answer.times[1], answer.times[2]);
  EXPECT_GT(answer.times[0], int64_t{1'600'000'000'000});
  EXPECT_EQ(worker->End().code, 0);
}

TEST_P(Worker, ServesOneTaskAfterAnother) {
  const auto worker = TestWorker::Start({.tcp = true});
  for (int i = 0; i < 3; ++i) {
    const Answer answer = worker->Exchange(Task("same") + Rows(), GetParam());
    EXPECT_EQ(answer.batches.size(), 2u);
    EXPECT_EQ(answer.last, kEndOfTask);
  }
  EXPECT_EQ(worker->End().code, 0);
}

TEST_P(Worker, SaysNothingOfNoRows) {
  const auto worker = TestWorker::Start({.reuse = false});
  const Answer answer = worker->Exchange(Task("same") + RowBytes(RowSchema(), {}), GetParam());
  EXPECT_TRUE(answer.batches.empty());
  EXPECT_EQ(answer.last, kEndOfData);  // It was not asked to be ready for more.
  EXPECT_EQ(worker->End().code, 0);
}

TEST_P(Worker, ReadsWhatATaskLeftUnread) {
  arrow::RecordBatchVector many(200, RowBatch(0, 1000));
  const auto worker = TestWorker::Start();
  Answer answer = worker->Exchange(Task("first") + RowBytes(RowSchema(), many), GetParam());
  EXPECT_EQ(answer.batches.size(), 1u);
  EXPECT_EQ(answer.last, kEndOfTask);
  answer = worker->Exchange(Task("nothing") + RowBytes(RowSchema(), many), GetParam());
  EXPECT_TRUE(answer.batches.empty());
  EXPECT_EQ(answer.last, kEndOfTask);
  EXPECT_EQ(worker->End().code, 0);
}

TEST_P(Worker, ReadsCompressedRows) {
  for (const auto codec : {arrow::Compression::ZSTD, arrow::Compression::LZ4_FRAME}) {
    const auto worker = TestWorker::Start();
    const std::string rows = RowBytes(RowSchema(), {RowBatch(0, 9000)}, {.codec = codec});
    const Answer answer = worker->Exchange(Task("same") + rows, GetParam());
    ASSERT_EQ(answer.batches.size(), 1u);
    EXPECT_TRUE(answer.batches[0]->Equals(*RowBatch(0, 9000)));
  }
}

TEST_P(Worker, TellsEveryFieldOfAFault) {
  const Fault fault{.exit = Exit::kInput, .what = "ü is wrong", .why = "b", .fix = "c"};
  const auto worker = TestWorker::Start();
  const std::string task = Task("fail", Dump(StatusToJson(Fail(fault))));
  const Answer answer = worker->Exchange(task + Rows(), GetParam());
  EXPECT_EQ(answer.batches.size(), 1u);  // Spark reads the text only after a whole stream.
  const auto back = FailureFromWorkerText(answer.error);
  ASSERT_TRUE(back.has_value()) << answer.error;
  EXPECT_EQ(StatusToJson(back->status), StatusToJson(Fail(fault)));
  EXPECT_EQ(back->role, "partition");
  EXPECT_EQ(back->rank, 2);
  EXPECT_FALSE(back->host.empty());
  EXPECT_GT(back->at, 0);
  EXPECT_EQ(worker->End().code, 1);
}

TEST_P(Worker, TellsOfExceptionsAndUnknownTasks) {
  const auto thrown = TestWorker::Start()->Exchange(Task("throw") + Rows(), GetParam());
  EXPECT_THAT(thrown.error, HasSubstr("task \"throw\" threw: thrown on purpose"));
  const auto unknown = TestWorker::Start()->Exchange(Task("sane") + Rows(), GetParam());
  EXPECT_THAT(unknown.error, HasSubstr("no task is called \"sane\""));
  EXPECT_THAT(unknown.error, HasSubstr("same"));
}

TEST_P(Worker, RefusesRowsOfAnotherSchema) {
  if (GetParam() != Family::kB) return;  // It is the same for all.
  const auto number = arrow::schema({arrow::field("n", arrow::int32()), RowSchema()->field(1)});
  const auto types = TestWorker::Start()->Exchange(Task("other", "", number) + Rows(), GetParam());
  EXPECT_THAT(types.error, HasSubstr("task \"other\" emitted column \"n\" as int64 where int32 "
                                     "is declared"));
  const auto name = arrow::schema({RowSchema()->field(0), arrow::field("t", arrow::utf8())});
  const auto names = TestWorker::Start()->Exchange(Task("other", "", name) + Rows(), GetParam());
  EXPECT_THAT(names.error, HasSubstr("column 1 as \"s\" where \"t\" is declared"));
  const auto count =
      TestWorker::Start()->Exchange(Task("other", "", TextSchema()) + Rows(), GetParam());
  EXPECT_THAT(count.error, HasSubstr("2 columns where 1 are declared"));
  const auto whole =
      arrow::schema({arrow::field("n", arrow::int64(), false), arrow::field("s", arrow::utf8())});
  const auto nulls = TestWorker::Start()->Exchange(Task("other", "", whole) + Rows(), GetParam());
  EXPECT_THAT(nulls.error, HasSubstr("nulls in column \"n\""));
}

TEST_P(Worker, LeavesTheTextOfACrash) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  for (const int signal : {SIGSEGV, SIGABRT}) {
    const auto worker =
        TestWorker::Start({.env = {{"PYTHON_FAULTHANDLER_DIR", folder.path().string()}},
                           .log = folder.path() / "log"});
    const std::string task = Task("crash", std::to_string(signal));
    const Answer answer = worker->Exchange(task + Rows(), GetParam());
    EXPECT_EQ(answer.last, 0);
    const pid_t pid = worker->process().pid();
    EXPECT_EQ(worker->End().signal, signal);
    const std::string text = ReadFile(folder.path() / std::to_string(pid)).ValueOrDie();
    const auto failure = FailureFromWorkerText("Python worker exited unexpectedly: " + text);
    ASSERT_TRUE(failure.has_value()) << text;
    EXPECT_EQ(failure->kind, RankFailure::Kind::kEnded);
    EXPECT_EQ(failure->rank, 2);
    EXPECT_THAT(failure->status.message(), HasSubstr(signal == SIGSEGV ? "SIGSEGV" : "SIGABRT"));
    EXPECT_THAT(failure->last_lines, HasSubstr("libprotium"));
    EXPECT_THAT(ReadFile(folder.path() / "log").ValueOrDie(), HasSubstr(text));
  }
}

TEST_P(Worker, KeepsItsDevicesToItself) {
  TaskInit init = Init();
  init.attempt = 4;
  init.resources["gpu"] = {.name = "gpu", .addresses = {"5", "7"}};
  const std::string task =
      HeaderBytes(init, {.task = "facts", .config = "c", .output = TextSchema()});
  const auto worker = TestWorker::Start();
  const Answer answer = worker->Exchange(task + Rows(), GetParam());
  ASSERT_EQ(answer.batches.size(), 1u) << answer.error;
  const Json facts = ParseJson(Texts(answer.batches)[0]).ValueOrDie();
  EXPECT_EQ(facts["rank"], 2);
  EXPECT_EQ(facts["attempt"], 4);
  EXPECT_EQ(facts["config"], "c");
  EXPECT_EQ(facts["devices"], Json({"gpu:5", "gpu:7"}));
  EXPECT_EQ(facts["cuda"], "5,7");
  EXPECT_EQ(facts["order"], "PCI_BUS_ID");
  EXPECT_EQ(facts["threads"], "3");
  EXPECT_EQ(facts["pid"], worker->process().pid());
  EXPECT_EQ(answer.last, kEndOfData);
  EXPECT_EQ(worker->End().code, 0);
}

TEST_P(Worker, KeepsScratchFilesWhereItsExecutorDoes) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  const std::string one = (folder.path() / "one").string(), two = (folder.path() / "two").string();
  ASSERT_TRUE(MakeFolder(one).ok() && MakeFolder(two).ok());
  ::setenv("SPARK_LOCAL_DIRS", ("/no/such/folder," + one + "," + two).c_str(), 1);
  for (const int32_t partition : {2, 3}) {
    TaskInit init = Init();
    init.partition = partition;
    const std::string task = HeaderBytes(init, {.task = "facts", .output = TextSchema()});
    const Answer answer = TestWorker::Start()->Exchange(task + Rows(), GetParam());
    ASSERT_EQ(answer.batches.size(), 1u) << answer.error;
    const Json facts = ParseJson(Texts(answer.batches)[0]).ValueOrDie();
    EXPECT_EQ(facts["scratch"], partition == 2 ? one : two);
  }
  ::unsetenv("SPARK_LOCAL_DIRS");
}

TEST_P(Worker, RefusesHeadersThatItDoesNotUnderstand) {
  TaskInit init = Init();
  init.version = "protium 0.1.0;spark=4.9.0";
  const auto unknown = TestWorker::Start()->Exchange(RawHeaderBytes(init) + Rows(), GetParam());
  EXPECT_THAT(unknown.error, HasSubstr("spark=4.9.0"));
  EXPECT_THAT(unknown.error, HasSubstr("4.0 to 4.3"));
  const auto cut = TestWorker::Start();
  cut->Send(Task("same").substr(0, 30));
  cut->CloseSending();
  EXPECT_EQ(cut->Read(GetParam()).last, 0);  // Nobody is left to read a reply.
  EXPECT_EQ(cut->WaitForEnd().code, 0);
}

TEST_P(Worker, EndsQuietlyWhenItsRowsAreNotWanted) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  const auto worker = TestWorker::Start({.log = folder.path() / "log"});
  worker->Send(Task("same") + RowBytes(RowSchema(), {RowBatch(0, 10)}).substr(0, 200));
  EXPECT_EQ(worker->End().code, 0);
  EXPECT_EQ(ReadFile(folder.path() / "log").ValueOrDie(), "");
}

class Process : public testing::Test {
 protected:
  static std::string Task(const std::string& name, const std::string& events,
                          const std::string& config = "{}") {
    return HeaderBytes({.family = Family::kC, .partition = 1, .task_attempt_id = 33},
                       {.task = name, .config = config, .output = TextSchema(), .events = events}) +
           RowBytes(RowSchema(), {RowBatch(0, 5)});
  }
  // Returns when the task has reported that it waits.
  void AwaitReport() {
    const auto path = folder_.path() / "001-33.jsonl";
    const auto until = Clock::now() + std::chrono::seconds(20);
    while (ReadFile(path).ValueOr("").empty() && Clock::now() < until) std::this_thread::yield();
  }
  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(Process, ReportsEventsAsLines) {
  const auto worker = TestWorker::Start();
  const std::string event = R"({"event":"step","loss":0.5})";
  EXPECT_EQ(worker->Exchange(Task("report", folder_.path(), event), Family::kC).error, "");
  const std::string line = R"({"type":"event","event":)" + event + "}\n";
  EXPECT_EQ(ReadFile(folder_.path() / "001-33.jsonl").ValueOrDie(), line + line);
}

TEST_F(Process, FailsWithoutItsFolderForEvents) {
  const Answer answer =
      TestWorker::Start()->Exchange(Task("report", folder_.path() / "none"), Family::kC);
  EXPECT_THAT(answer.error, HasSubstr((folder_.path() / "none").string()));
}

TEST_F(Process, StopsWhenTheDriverAsks) {
  const auto worker = TestWorker::Start();
  worker->Send(Task("wait", folder_.path()));
  AwaitReport();
  EXPECT_TRUE(WriteFile(folder_.path() / "stop", "").ok());
  const Answer answer = worker->Read(Family::kC);
  const auto failure = FailureFromWorkerText(answer.error);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(FaultOf(failure->status).what, "stopped cleanly");
  EXPECT_EQ(FaultOf(failure->status).exit, Exit::kStopped);
}

TEST_F(Process, StopsOnSigterm) {
  const auto worker = TestWorker::Start();
  worker->Send(Task("wait", folder_.path()));
  AwaitReport();
  ::kill(worker->process().pid(), SIGTERM);
  EXPECT_THAT(worker->Read(Family::kC).error, HasSubstr("stopped cleanly"));
  EXPECT_EQ(worker->End().code, 1);
}

TEST_F(Process, StopsWhenTheExecutorIsGone) {
  const auto worker = TestWorker::Start();
  worker->Send(Task("wait", folder_.path()));
  AwaitReport();
  EXPECT_EQ(worker->End().code, 0);
}

TEST_F(Process, EndsWhenIdleOnSigtermOrWhenTold) {
  const auto worker = TestWorker::Start();
  EXPECT_EQ(worker->Exchange(Task("nothing", ""), Family::kC).last, kEndOfTask);
  ::kill(worker->process().pid(), SIGTERM);
  EXPECT_EQ(worker->WaitForEnd().code, 0);
  const auto told = TestWorker::Start();
  told->Send("\xff\xff\xff\xff");
  EXPECT_EQ(told->WaitForEnd().code, 0);
}

}  // namespace
}  // namespace protium
