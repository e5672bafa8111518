// SPDX-License-Identifier: Apache-2.0
// The rows of a program: its part of the table, as a file or a descriptor that it reads, and the
// table that it writes, as bytes on their way to the driver.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gang/program.h"
#include "os/fd.h"
#include "os/file.h"

namespace protium {

// The input and output of one rank's program in one attempt, below the spec's scratch folder.
class ProgramRows {
 public:
  // Reads all of the context's input, into a file if the program is to have its rows. Returns
  // kStopped as soon as `wanted` is false.
  static Result<std::unique_ptr<ProgramRows>> Read(TaskContext& context, const ProgramSpec& spec,
                                                   const std::function<bool()>& wanted);
  ~ProgramRows();

  // What to start the program with; call both before Started(). The variables are PROTIUM_INPUT or
  // PROTIUM_INPUT_FD, PROTIUM_INPUT_ROWS, PROTIUM_OUTPUT, PROTIUM_OUTPUT_FD.
  std::vector<std::pair<std::string, std::string>> variables() const;
  // {ours, the program's}
  std::vector<std::pair<int, int>> fds() const;
  // The program runs and has its own copies: closes ours, since output ends when the last one
  // closes.
  void Started();

  // Readable while the program writes to its output descriptor; -1 after that is closed.
  int output_fd() const { return output_.get(); }
  // Reads once, and emits rows of ProgramColumns() as soon as enough bytes have arrived.
  Status ReadOutput();
  // After the program's end: emits the rest of the descriptor's bytes, and the file at
  // PROTIUM_OUTPUT. Refuses a program that used both.
  Status Finish();

 private:
  explicit ProgramRows(TaskContext& context) : context_(context) {}
  Status Spool(const ProgramSpec& spec, const std::function<bool()>& wanted);
  Status OpenOutput();
  Status EmitHeld();

  TaskContext& context_;
  std::optional<TemporaryFolder> own_;
  std::filesystem::path folder_;  // Of this rank and attempt.
  std::string file_;              // Parquet; empty: none.
  UniqueFd stream_;               // An Arrow stream, at its start.
  int64_t rows_ = -1;             // -1: the program gets none.
  UniqueFd output_;
  UniqueFd writer_;  // The program's end of it.
  std::string held_;
  bool wants_output_ = false;
  bool streamed_ = false;
};

}  // namespace protium
