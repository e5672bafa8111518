// SPDX-License-Identifier: Apache-2.0
// Any program as the ranks of a gang: a built-in task that starts a program, as torchrun and mpirun
// would. docs/programs.md says what a program may rely on.
#pragma once

#include <string>
#include <vector>

#include "gang/task.h"
#include "plan/node.h"
#include "protium/fields.h"

namespace protium {

// The task's name. A restart may help a program, since it has checkpoints of its own
// (gang/failure.h).
inline constexpr char kProgramTask[] = "program";

// Whether a gang of this task restarts to get another number of workers. It is not elastic, since a
// program knows nothing of generations.
inline bool Reforms(const MapTask& task) {
  return task.role == MapTask::Role::kProgram && task.gang && task.gang->workers.bends();
}

// Whose lines are sent to the driver.
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
  std::vector<std::string> words;        // The program and its arguments.
  std::string folder;                    // Its working directory; empty: the rank's own folder,
  std::string files;                     // with a copy of the files in this one, if not empty.
  std::vector<std::string> environment;  // NAME=VALUE, over the worker's.
  int32_t port = 0;                      // MASTER_PORT; 0: a free one.
  int32_t threads = 1;                   // OMP_NUM_THREADS.
  int32_t max_restarts = 0;              // As in the gang: passed to the program.
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

// Runs the program of config() as this rank. Returns when the programs of all ranks, and all that
// they started, have ended: when one fails, or after a stop, the others get SIGTERM, and SIGKILL
// `grace` seconds later. Sends what the program prints as Printed. A program that fails is an error
// (kFailed) with its exit code or signal and its last lines, reported by the rank that failed
// first; ranks whose programs failed after it return kRemote.
//
// With `input` each row of the gang's table reaches one program, which finds its part in
// PROTIUM_INPUT or PROTIUM_INPUT_FD. With `output` the task emits, byte for byte, what the program
// writes to PROTIUM_OUTPUT or PROTIUM_OUTPUT_FD.
Status ProgramTask(TaskContext& context);

// Columns of the task's rows: pieces of the table that a rank's program wrote, in order.
SchemaPtr ProgramColumns();

}  // namespace protium
