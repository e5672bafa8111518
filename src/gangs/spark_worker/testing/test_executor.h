// SPDX-License-Identifier: Apache-2.0
// The executor's side of the worker protocol, for tests without Spark: what the JVM of each release
// writes, as recorded in fixtures/, and a reader of what it would read.
#pragma once

#include <arrow/api.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/subprocess.h"
#include "spark_worker/command.h"
#include "spark_worker/task_init.h"
#include "spark_worker/wire.h"

namespace protium {

// Returns a task's header, from its first number on. `init.version` is overwritten.
std::string HeaderBytes(TaskInit init, const SparkCommand& command);
// The same for a command of any bytes, and of the version that `init` names.
std::string RawHeaderBytes(const TaskInit& init);
// Returns the version that our driver sends with a task on a release of this family.
std::string FormatVersion(Family family);

struct RowsOptions {
  arrow::Compression::type codec = arrow::Compression::UNCOMPRESSED;
  std::string column = "struct";
};
// Returns rows as the executor sends them, followed by the number after them.
std::string RowBytes(const SchemaPtr& schema, const arrow::RecordBatchVector& batches,
                     const RowsOptions& options = {});

// A worker's reply to a task.
struct Answer {
  arrow::RecordBatchVector batches;
  std::string error;           // The text after -2; empty: none.
  std::vector<int64_t> times;  // All numbers after -3.
  int32_t last = 0;            // -4, -1; -2 after an error; 0 if it closed the connection.
};

// Reads one reply, to its last byte. Fails if anything else comes.
Result<Answer> ReadAnswer(ExecutorWire& wire, Family family);

// Reads from memory.
class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : left_(bytes) {}
  Status Read(void* into, int64_t bytes) override;
  std::string_view left() const { return left_; }

 private:
  std::string_view left_;
};
// Reads a header from its very first number on.
Result<TaskInit> ReadHeader(MemorySource& source);

// A worker: this test program started again, connected to this process.
class TestWorker {
 public:
  struct Options {
    bool reuse = true;
    bool tcp = false;  // Else a pair of Unix sockets.
    std::vector<std::pair<std::string, std::string>> env;
    std::string log;
  };
  static std::unique_ptr<TestWorker> Start(const Options& options);
  static std::unique_ptr<TestWorker> Start();

  // Sends and reads at the same time, as the JVM does. The test fails if the reply cannot be read.
  Answer Exchange(const std::string& bytes, Family family);
  void Send(const std::string& bytes);
  Answer Read(Family family);
  // The worker meets the end of its input, and can still reply.
  void CloseSending();
  void Close();
  // Closes and waits for the end.
  Ended End();
  Ended WaitForEnd();
  Subprocess& process() { return process_; }

 private:
  std::unique_ptr<ExecutorWire> wire_;
  Spawner spawner_;
  Subprocess process_;
};

}  // namespace protium
