// SPDX-License-Identifier: Apache-2.0
// What happens in a run: told to whoever watches it (Program::watch), and kept in its events.jsonl,
// one JSON object a line with the key "event". Names and fields below are those of the file; a file
// may have more of both, which readers pass over. Implemented by the room run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace protium {

// A command began to work on the run; `resumed`: it takes up one that was there.
struct RunStarted {
  static constexpr std::string_view kName = "start";
  std::string run;
  bool resumed = false;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("run", run);
    visit("resumed", resumed);
  }
};

// Rows are read or made.
struct EtlProgress {
  static constexpr std::string_view kName = "etl";
  std::string name;               // "query", "write".
  int64_t rows = -1;              // So far; -1: not known.
  std::optional<double> percent;  // Of what is to be read.
  std::optional<double> held;     // Bytes in memory and in files.
  std::optional<double> spilled;  // Of those, in files.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("rows", rows);
    visit("percent", percent);
    visit("held", held);
    visit("spilled", spilled);
  }
};

// The table that everything after it reads is made.
struct EtlDone {
  static constexpr std::string_view kName = "etl_done";
  int64_t rows = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rows", rows);
  }
};

// A stage is about to learn, in the pass over the rows of that number.
struct StageFitted {
  static constexpr std::string_view kName = "fit";
  std::string stage;
  int32_t level = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("stage", stage);
    visit("level", level);
  }
};

struct RankPlaced {
  int32_t rank = 0;
  std::string host;
  int64_t pid = 0;
  std::string log;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rank", rank);
    visit("host", host);
    visit("pid", pid);
    visit("log", log);
  }
};

// Every rank of a gang has its place.
struct GangPlaced {
  static constexpr std::string_view kName = "gang_start";
  std::string task;
  int32_t attempt = 0;
  std::vector<RankPlaced> ranks;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("task", task);
    visit("attempt", attempt);
    visit("ranks", ranks);
  }
};

// A gang failed and is started again from its last checkpoint.
struct AttemptStarted {
  static constexpr std::string_view kName = "restart";
  int32_t attempt = 0;
  int32_t restarts_left = 0;
  std::string cause;
  std::string where;  // Rank and log.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("attempt", attempt);
    visit("restarts_left", restarts_left);
    visit("cause", cause);
    visit("where", where);
  }
};

struct TrainStarted {
  static constexpr std::string_view kName = "train_start";
  int64_t rows = 0;
  int64_t steps = 0;  // In all epochs.
  int64_t epochs = 0;
  int64_t step = 0;  // Where training goes on.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rows", rows);
    visit("steps", steps);
    visit("epochs", epochs);
    visit("step", step);
  }
};

// Told of the first and the last step, and a few times a second between.
struct StepDone {
  static constexpr std::string_view kName = "step";
  int64_t step = 0;
  int64_t steps = 0;
  int64_t epoch = 0;
  double loss = 0;  // The mean since it was told last.
  double rows_per_second = 0;
  double wait_share = 0;  // Of the time, waiting for other ranks.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("step", step);
    visit("steps", steps);
    visit("epoch", epoch);
    visit("loss", loss);
    visit("rows_per_second", rows_per_second);
    visit("wait_share", wait_share);
  }
};

struct EpochDone {
  static constexpr std::string_view kName = "epoch";
  int64_t epoch = 0;
  int64_t step = 0;
  double loss = 0;  // The mean of the epoch.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("epoch", epoch);
    visit("step", step);
    visit("loss", loss);
  }
};

struct Validated {
  static constexpr std::string_view kName = "validation";
  int64_t epoch = 0;
  int64_t step = 0;
  std::vector<std::pair<std::string, double>> metrics;  // Each a field; the first counts most.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("epoch", epoch);
    visit("step", step);
  }
};

struct Checkpointed {
  static constexpr std::string_view kName = "checkpoint";
  int64_t step = 0;
  int64_t epoch = 0;
  std::string path;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("step", step);
    visit("epoch", epoch);
    visit("path", path);
  }
};

// Rows were scored; where labels are known, states of metrics follow that are merged.
struct Scored {
  static constexpr std::string_view kName = "score_metrics";
  int64_t rows = -1;  // -1: not known.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rows", rows);
  }
};

struct OutputWritten {
  static constexpr std::string_view kName = "output";
  std::string path;
  int64_t rows = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("path", path);
    visit("rows", rows);
  }
};

// A gang waits for its places.
struct Waiting {
  static constexpr std::string_view kName = "waiting";
  std::string why;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("why", why);
  }
};

// Something that a user wants to know.
struct Note {
  static constexpr std::string_view kName = "note";
  std::string message;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("message", message);
  }
};

struct Warning {
  static constexpr std::string_view kName = "warning";
  std::string message;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("message", message);
  }
};

struct Failed {
  static constexpr std::string_view kName = "failed";
  int32_t exit = 0;  // protium/status.h: Exit.
  std::string what;
  std::string where;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("exit", exit);
    visit("what", what);
    visit("where", where);
  }
};

// The last event of a command; `state` is "done", "failed" or "stopped".
struct RunEnded {
  static constexpr std::string_view kName = "end";
  std::string state;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("state", state);
  }
};

// Of a name that is not among these.
struct OtherEvent {
  static constexpr std::string_view kName = "";
  std::string name;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("event", name);
  }
};

using Event =
    std::variant<RunStarted, EtlProgress, EtlDone, StageFitted, GangPlaced, AttemptStarted,
                 TrainStarted, StepDone, EpochDone, Validated, Checkpointed, Scored, OutputWritten,
                 Waiting, Note, Warning, Failed, RunEnded, OtherEvent>;

}  // namespace protium
