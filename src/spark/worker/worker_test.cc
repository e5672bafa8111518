// SPDX-License-Identifier: Apache-2.0
#include "spark/worker/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "base/json.h"
#include "column/stream.h"
#include "spark/test_tasks.h"
#include "spark/worker/error_text.h"
#include "spark/worker/marks.h"
#include "spark/worker/test_executor.h"

namespace protium {
namespace {

using testing::HasSubstr;

class Worker : public testing::TestWithParam<Family> {
 protected:
  std::string Task(const std::string& name, const std::string& config = "",
                   const SchemaPtr& output = RowSchema()) {
    const TaskInit init{.family = GetParam(), .partition = 2, .task_attempt_id = 9, .cpus = 3};
    return HeaderBytes(init, {.task = name, .config = config, .output = output});
  }
  std::string Rows() { return RowBytes(RowSchema(), {RowBatch(0, 5), RowBatch(5, 3)}); }
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

}  // namespace
}  // namespace protium
