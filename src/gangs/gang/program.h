// SPDX-License-Identifier: Apache-2.0
// Any program as the ranks of a gang: a task of the house that starts a program and is to it what
// torchrun and mpirun are. docs/programs.md says what a program may rely on.
#pragma once

#include <string>
#include <vector>

#include "gang/task.h"
#include "plan/node.h"
#include "protium/fields.h"

namespace protium {

// The task's name. A program may go better a second time, since it has checkpoints of its own
// (gang/failure.h).
inline constexpr char kProgramTask[] = "program";

// Whether a gang of this task that is to have another number of workers starts again with it, and
// is not elastic: a program knows nothing of generations.
inline bool Reforms(const MapTask& task) {
  return task.role == MapTask::Role::kProgram && task.gang && task.gang->workers.bends();
}

// Whose lines are told to the driver.
enum class ProgramLogs { kAll, kRank0, kNone };
inline EnumNames<ProgramLogs> Names(ProgramLogs) {
  return {
      {{ProgramLogs::kAll, "all"}, {ProgramLogs::kRank0, "rank0"}, {ProgramLogs::kNone, "none"}}};
}

// How a rank's part of the rows reaches its program: as a Parquet file, or as an Arrow stream on a
// descriptor.
enum class ProgramInput { kNone, kParquet, kStream };
inline EnumNames<ProgramInput> Names(ProgramInput) {
  return {{{ProgramInput::kNone, "none"},
           {ProgramInput::kParquet, "parquet"},
           {ProgramInput::kStream, "stream"}}};
}

// MapTask::config, as JSON.
struct ProgramSpec {
  std::vector<std::string> words;        // The program, and its arguments.
  std::string folder;                    // Its working directory; empty: one of the rank's own,
  std::string files;                     // with a copy of what lies here; may be empty.
  std::vector<std::string> environment;  // NAME=VALUE, over the worker's.
  int32_t port = 0;                      // MASTER_PORT; 0: a free one.
  int32_t threads = 1;                   // OMP_NUM_THREADS.
  int32_t max_restarts = 0;              // As in the gang: told to the program.
  double grace = 10;                     // Seconds between SIGTERM and SIGKILL.
  ProgramLogs logs = ProgramLogs::kAll;
  ProgramInput input = ProgramInput::kNone;
  bool output = false;  // It writes a table.
  std::string scratch;  // A folder for its rows; empty: one below the system's temporary folder.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("words", words);
    visit("folder", folder);
    visit("files", files);
    visit("environment", environment);
    visit("port", port);
    visit("threads", threads);
    visit("max_restarts", max_restarts);
    visit("grace", grace);
    visit("logs", logs);
    visit("input", input);
    visit("output", output);
    visit("scratch", scratch);
  }
};

// Runs the program of config() as this rank. Returns when the programs of all ranks have ended, and
// nothing is left of what they started: when one fails, the others get SIGTERM, and SIGKILL
// `grace` seconds later; so they do after a stop. What the program prints is sent as Printed. A
// program that fails is a fault (kFailed) with its exit code or signal and its last lines, told by
// the rank that failed first; ranks whose programs failed after it say so (kRemote).
//
// With `input` each row of the gang's table reaches one program, which finds its part in
// PROTIUM_INPUT or PROTIUM_INPUT_FD. With `output` what it writes to PROTIUM_OUTPUT or
// PROTIUM_OUTPUT_FD is emitted, byte for byte.
Status ProgramTask(TaskContext& context);

// Of the task's rows: pieces of what a rank's program wrote as its table, in their order.
SchemaPtr ProgramColumns();

}  // namespace protium
