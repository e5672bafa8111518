// SPDX-License-Identifier: Apache-2.0
// Tasks for the tests of this folder, and helpers that they share.
#pragma once

#include <arrow/api.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <numeric>
#include <string>
#include <vector>

#include "base/fault.h"
#include "os/temporary_folder.h"
#include "workers/workers.h"

namespace protium {

inline SchemaPtr NumberSchema() { return arrow::schema({arrow::field("x", arrow::int64())}); }
inline SchemaPtr TextSchema() { return arrow::schema({arrow::field("text", arrow::utf8())}); }

// Return `count` numbers from `first` on; one text.
std::shared_ptr<arrow::RecordBatch> NumberBatch(int64_t first, int64_t count);
std::shared_ptr<arrow::RecordBatch> TextBatch(const std::string& text);

// Returns `batches` batches of `rows` numbers each, from 0 on.
std::function<Result<BatchStreamPtr>()> Numbers(int64_t batches, int64_t rows);

// Return all numbers (texts) of all batches, sorted.
std::vector<int64_t> SortedNumbers(const arrow::RecordBatchVector& batches);
std::vector<std::string> SortedTexts(const arrow::RecordBatchVector& batches);

// Runs the task to its end.
Result<arrow::RecordBatchVector> RunTask(Workers& workers, const MapTask& task,
                                         std::function<Result<BatchStreamPtr>()> input,
                                         const Call& call = {});

// Return a task that emits texts, without a gang on two workers, or in a gang in which a rank may
// keep the others waiting for 20 s. Names and what they do: TestTasks() in test_tasks.cc.
MapTask TextTask(const std::string& name, const std::string& config = "{}");
MapTask GangTask(const std::string& name, int32_t workers, int32_t max_restarts = 0,
                 const std::string& config = "{}");

// Open descriptors and children of this process: the same before and after a test.
struct Belongings {
  size_t descriptors = 0;
  size_t children = 0;
  friend bool operator==(const Belongings&, const Belongings&) = default;
};
Belongings CountBelongings();
std::vector<pid_t> Children();

// Sleeps until the process is killed.
[[noreturn]] void Hang();

// Seconds that no test waits for.
inline constexpr double kForEver = 1e6;

// A named pipe by which workers notify a test, so that the order across processes is known.
class Bell {
 public:
  Bell();
  std::string path() const { return (folder_.path() / "bell").string(); }
  // Waits until it has been rung this often; false if that takes very long.
  bool Await(int times);

 private:
  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  UniqueFd pipe_;
};

// Makes new workers for each test and checks that they leave nothing behind.
class TestWithWorkers : public testing::Test {
 protected:
  void SetUp() override {
    before_ = CountBelongings();
    workers_ = Workers::Make({}).ValueOrDie();
  }
  void TearDown() override {
    workers_.reset();
    EXPECT_EQ(CountBelongings(), before_);
  }

  std::unique_ptr<Workers> workers_;

 private:
  Belongings before_;
};

}  // namespace protium
