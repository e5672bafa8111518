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

// What rank and attempt make of the spec's folder.
class ProgramRows {
 public:
  // Reads all of the context's input: into a file, if the program is to have its rows. Ends early
  // with kStopped once `wanted` is false.
  static Result<std::unique_ptr<ProgramRows>> Read(TaskContext& context, const ProgramSpec& spec,
                                                   const std::function<bool()>& wanted);
  ~ProgramRows();

  // What the program is to be started with; both before Started().
  // PROTIUM_INPUT or PROTIUM_INPUT_FD, PROTIUM_INPUT_ROWS, PROTIUM_OUTPUT, PROTIUM_OUTPUT_FD.
  std::vector<std::pair<std::string, std::string>> variables() const;
  // {ours, the program's}
  std::vector<std::pair<int, int>> fds() const;
  // The program runs and has its own copies: ours are closed, since output ends with the last one.
  void Started();

  // Readable while the program writes to its output descriptor; -1 once that is closed.
  int output_fd() const { return output_.get(); }
  // Reads once, and emits rows of ProgramColumns() when enough has come together.
  Status ReadOutput();
  // After the program's end: emits what is left of the descriptor, and the file at PROTIUM_OUTPUT.
  // A program that used both is refused.
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
