// SPDX-License-Identifier: Apache-2.0
// Gangs: workers that meet through the barrier of their executors.
#include <arrow/io/file.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include <thread>

#include "base/fault.h"
#include "os/file.h"
#include "spark_worker/error_text.h"
#include "spark_worker/marks.h"
#include "spark_worker/testing/test_barrier.h"
#include "spark_worker/testing/test_executor.h"
#include "spark_worker/testing/test_tasks.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Gang : public testing::TestWithParam<std::tuple<Family, TestBarrier::Kind>> {
 protected:
  Family family() const { return std::get<0>(GetParam()); }
  SparkCommand Command(const std::string& task, int32_t world) const {
    return {.task = task,
            .config = "rank ",
            .output = TextSchema(),
            .gang = true,
            .world = world,
            .attempt = 3,
            .deadline = 20,
            .key = std::string(32, 'k'),
            .events = folder_.path(),
            .log = folder_.path()};
  }
  // Runs one worker per rank, all at once; rank r with commands[r].
  std::vector<Answer> Run(const std::vector<SparkCommand>& commands) {
    const auto world = static_cast<int32_t>(commands.size());
    const TestBarrier barrier(std::get<1>(GetParam()), world);
    std::vector<Answer> answers(commands.size());
    std::vector<std::jthread> ranks;
    for (int32_t rank = 0; rank < world; ++rank) {
      ranks.emplace_back([&, rank] {
        std::string addresses = "a:1";
        for (int32_t i = 1; i < world; ++i) addresses += ",a:1";
        const TaskInit init{.family = family(),
                            .partition = rank,
                            .barrier = true,
                            .barrier_address = barrier.address(),
                            .task_attempt_id = 40 + rank,
                            .properties = {{"addresses", addresses}}};
        const auto worker = TestWorker::Start();
        answers[size_t(rank)] = worker->Exchange(
            HeaderBytes(init, commands[size_t(rank)]) + RowBytes(RowSchema(), {}), family());
        (void)worker->End();
      });
    }
    ranks.clear();
    return answers;
  }
  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};
INSTANTIATE_TEST_SUITE_P(All, Gang,
                         testing::Values(std::tuple(Family::kA, TestBarrier::Kind::kTcp),
                                         std::tuple(Family::kB, TestBarrier::Kind::kTcp),
                                         std::tuple(Family::kB, TestBarrier::Kind::kUnix),
                                         std::tuple(Family::kC, TestBarrier::Kind::kTcp),
                                         std::tuple(Family::kC, TestBarrier::Kind::kUnix),
                                         std::tuple(Family::kD, TestBarrier::Kind::kTcp),
                                         std::tuple(Family::kD, TestBarrier::Kind::kUnix)));

TEST_P(Gang, OfSeveralRanksMeets) {
  const auto answers = Run(std::vector<SparkCommand>(3, Command("gather", 3)));
  for (const Answer& answer : answers) {
    EXPECT_EQ(answer.error, "");
    EXPECT_THAT(Texts(answer.batches), ElementsAre("rank 0", "rank 1", "rank 2"));
    EXPECT_EQ(answer.last, kEndOfData);
  }
  const std::string events = ReadFile(folder_.path() / "001-41.jsonl").ValueOrDie();
  EXPECT_THAT(events, HasSubstr(R"({"type":"start","rank":1,"world":3)"));
  EXPECT_THAT(events, HasSubstr(R"({"type":"end","rank":1,"status":{})"));
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "rank-002.log"));
}

TEST_P(Gang, OfOneRankNeedsNobody) {
  const auto answers = Run({Command("gather", 1)});
  EXPECT_EQ(answers[0].error, "");
  EXPECT_THAT(Texts(answers[0].batches), ElementsAre("rank 0"));
}

TEST_P(Gang, OfTwoAttemptsIsRefusedByAll) {
  std::vector<SparkCommand> commands(2, Command("gather", 2));
  commands[1].attempt = 4;
  for (const Answer& answer : Run(commands)) {
    EXPECT_THAT(answer.error, HasSubstr("are not one gang"));
  }
}

TEST_P(Gang, LargerThanItsStageIsRefused) {
  for (const Answer& answer : Run(std::vector<SparkCommand>(2, Command("gather", 3)))) {
    EXPECT_THAT(answer.error, HasSubstr("Spark started 2 of the gang's 3 ranks"));
  }
}

// Writes batches of RowBatch() as one row group each.
std::string WriteRows(const std::filesystem::path& path, const arrow::RecordBatchVector& batches) {
  const auto table = arrow::Table::FromRecordBatches(RowSchema(), batches).ValueOrDie();
  const auto sink = arrow::io::FileOutputStream::Open(path).ValueOrDie();
  EXPECT_TRUE(
      parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, batches[0]->num_rows())
          .ok());
  EXPECT_TRUE(sink->Close().ok());
  return path;
}

TEST_P(Gang, ReadsItsShareOfFiles) {
  if (family() != Family::kC) return;  // It is the same for all.
  const auto first = WriteRows(folder_.path() / "a.parquet", {RowBatch(0, 100), RowBatch(0, 100)});
  const auto second = WriteRows(folder_.path() / "b.parquet", {RowBatch(0, 7)});
  std::vector<SparkCommand> commands(2, Command("count", 2));
  for (SparkCommand& each : commands) {
    each.rows = RowFiles{.schema = RowSchema(), .paths = {first, second}, .rows = 207};
  }
  auto answers = Run(commands);
  EXPECT_THAT(Texts(answers[0].batches), ElementsAre("107")) << answers[0].error;
  EXPECT_THAT(Texts(answers[1].batches), ElementsAre("100")) << answers[1].error;
  for (SparkCommand& each : commands) each.rows->rows = 208;
  answers = Run(commands);
  EXPECT_THAT(answers[1].error, HasSubstr("hold 207 rows, but Spark wrote 208"));
  for (SparkCommand& each : commands) {
    each.rows = RowFiles{.schema = TextSchema(), .paths = {first}, .rows = 200};
  }
  answers = Run(commands);
  EXPECT_THAT(answers[0].error, HasSubstr("2 columns where 1 are declared"));
}

TEST(PlainTask, IsNotOfABarrierStage) {
  const std::string header = HeaderBytes(
      {.family = Family::kD, .barrier = true, .barrier_address = {.port = 1, .secret = "x"}},
      {.task = "count", .output = TextSchema()});
  const Answer answer =
      TestWorker::Start()->Exchange(header + RowBytes(RowSchema(), {}), Family::kD);
  EXPECT_THAT(answer.error, HasSubstr("without a gang"));
}

TEST(PlainTask, HasNobodyToTalkTo) {
  const std::string header =
      HeaderBytes({.family = Family::kA}, {.task = "gather", .output = TextSchema()});
  const Answer answer =
      TestWorker::Start()->Exchange(header + RowBytes(RowSchema(), {}), Family::kA);
  EXPECT_THAT(answer.error, HasSubstr("it is not in a gang"));
}

}  // namespace
}  // namespace protium
