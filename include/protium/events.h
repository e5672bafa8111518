// SPDX-License-Identifier: Apache-2.0
// The events of a run. Program::watch receives them as they happen, and the run folder stores them
// in events.jsonl, one JSON object per line: kName under the key "event", the fields under the
// names passed to Fields(), and the wall-clock time under "time". A file may hold events and fields
// that are not declared here; readers skip them. src/foundation/events/EVENTS.md lists them all.
//
// The usual order within one command: RunStarted, EtlProgress and EtlDone, one StageFitted per
// stage, GangPlaced, TrainStarted, steps and epochs, Scored and OutputWritten, and RunEnded last. A
// search sends TrialStarted and TrialEnded for each trial before the stages of the best one. A gang
// that restarts inserts AttemptStarted and repeats everything since the checkpoint it starts from,
// so a watcher must expect `step` and `epoch` to go back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace protium {

template <class E>
struct EnumNames;

// What a task is for. Code that shows a phase or records its time uses the role; names belong to
// the user.
enum class TaskRole { kMap, kFit, kTrain, kScore, kProgram };
EnumNames<TaskRole> Names(TaskRole);

// A command started working on the run. `resumed`: it continues a run of an earlier command.
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

// The engine is working on a query or a write. Sent again as the figures change.
struct EtlProgress {
  static constexpr std::string_view kName = "etl";
  std::string name;               // "query", "write".
  int64_t rows = -1;              // Produced so far; -1: unknown.
  std::optional<double> percent;  // 0 to 100, of the input that must be read.
  std::optional<double> held;     // Bytes the engine holds, in memory and in spill files.
  std::optional<double> spilled;  // The part of `held` that lies in spill files.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("rows", rows);
    visit("percent", percent);
    visit("held", held);
    visit("spilled", spilled);
  }
};

// The training table has been evaluated and kept. `rows` includes both sides of a split.
struct EtlDone {
  static constexpr std::string_view kName = "etl_done";
  int64_t rows = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rows", rows);
  }
};

// A stage is about to learn. Stages of one level share a pass over the training rows; levels count
// from 1.
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

// One seat of a gang.
struct RankPlaced {
  int32_t rank = 0;
  std::string host;
  int64_t pid = 0;
  std::string log;                // The path of the rank's log file, if it has its own.
  std::optional<int32_t> cores;   // If the engine counts them.
  std::vector<std::string> gpus;  // The addresses of its GPUs.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rank", rank);
    visit("host", host);
    visit("cores", cores);
    visit("gpus", gpus);
    visit("pid", pid);
    visit("log", log);
  }
};

// How many workers an elastic gang may have.
struct GangRange {
  int32_t min = 1;
  int32_t max = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("min", min);
    visit("max", max);
  }
};

// Every rank of a gang has a seat. `attempt` counts from 0.
struct GangPlaced {
  static constexpr std::string_view kName = "gang_start";
  std::string task;
  TaskRole role = TaskRole::kMap;
  int32_t attempt = 0;
  std::vector<RankPlaced> ranks;
  std::optional<GangRange> bends;  // Set for an elastic gang.
  int32_t servers = 0;             // So many of the ranks, the last ones, are (GangSpec::servers).
  template <class Visit>
  void Fields(Visit& visit) {
    visit("task", task);
    visit("role", role);
    visit("attempt", attempt);
    visit("ranks", ranks);
    visit("bends", bends);
    visit("servers", servers);
  }
};

// A gang failed and starts again from its last checkpoint. `attempt` is the one about to start.
struct AttemptStarted {
  static constexpr std::string_view kName = "restart";
  int32_t attempt = 0;
  int32_t restarts_left = 0;
  std::string cause;
  std::string where;  // The rank that failed, and its log.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("attempt", attempt);
    visit("restarts_left", restarts_left);
    visit("cause", cause);
    visit("where", where);
  }
};

// The ranks have packed and exchanged their rows and are about to take the first step. Sent once
// per attempt.
struct TrainStarted {
  static constexpr std::string_view kName = "train_start";
  int64_t rows = 0;   // Training rows, over all ranks.
  int64_t steps = 0;  // Over all epochs.
  int64_t epochs = 0;
  int64_t step = 0;     // Steps already in the checkpoint; 0 without one.
  int64_t batch = 0;    // Rows per step.
  int64_t shards = 0;   // Over all ranks.
  bool packed = false;  // False: the rows packed for an earlier training are reused.
  bool trees = false;   // A step is a round of trees, and so is an epoch.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rows", rows);
    visit("steps", steps);
    visit("epochs", epochs);
    visit("batch", batch);
    visit("shards", shards);
    visit("step", step);
    visit("packed", packed);
    visit("trees", trees);
  }
};

// Sent after the first and the last step of an attempt, and in between at most twice a second.
struct StepDone {
  static constexpr std::string_view kName = "step";
  int64_t step = 0;
  int64_t steps = 0;
  int64_t epoch = 0;
  double loss = 0;             // The weighted mean over the steps since the last such event.
  double learning_rate = 0;    // Of this step, before per-parameter factors.
  double rows_per_second = 0;  // Over all ranks, since the last such event.
  // 0 to 1: share of that time, summed over ranks, that was spent waiting.
  double wait_share = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("step", step);
    visit("steps", steps);
    visit("epoch", epoch);
    visit("loss", loss);
    visit("learning_rate", learning_rate);
    visit("rows_per_second", rows_per_second);
    visit("wait_share", wait_share);
  }
};

// The end of an epoch; its Validated, if any, comes first. Epochs count from 1.
struct EpochDone {
  static constexpr std::string_view kName = "epoch";
  int64_t epoch = 0;
  int64_t step = 0;
  double loss = 0;  // The weighted mean over the whole epoch.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("epoch", epoch);
    visit("step", step);
    visit("loss", loss);
  }
};

// The metrics of an epoch on the rows held out for validation.
struct Validated {
  static constexpr std::string_view kName = "validation";
  int64_t epoch = 0;
  int64_t step = 0;
  // In the order of train.metrics. In the file each one is a field of the event itself, so Fields()
  // does not visit them.
  std::vector<std::pair<std::string, double>> metrics;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("epoch", epoch);
    visit("step", step);
  }
};

// A checkpoint is complete on disk. `epoch` is the number of finished epochs, `path` the
// checkpoint's folder.
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

// The first fit of a search trial begins. Events within a trial go to events.jsonl in the trial's
// own folder. Trials count from 1.
struct TrialStarted {
  static constexpr std::string_view kName = "trial_start";
  int64_t trial = 0;
  int64_t trials = 0;
  std::string values;  // "learning_rate 0.01, hidden [64]"
  template <class Visit>
  void Fields(Visit& visit) {
    visit("trial", trial);
    visit("trials", trials);
    visit("values", values);
  }
};

// A search trial is over and has been written to trials.json.
struct TrialEnded {
  static constexpr std::string_view kName = "trial";
  int64_t trial = 0;
  int64_t trials = 0;
  std::string values;
  std::string state;  // "done", "failed", "pruned"
  std::string metric;
  std::optional<double> value;      // As Trial::value.
  std::optional<double> deviation;  // Over folds.
  double seconds = 0;               // All its fits together.
  std::string error;                // Why it failed or was pruned.
  int64_t best = 0;                 // The best trial so far; 0: none.
  std::optional<double> best_value;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("trial", trial);
    visit("trials", trials);
    visit("values", values);
    visit("state", state);
    visit("metric", metric);
    visit("value", value);
    visit("deviation", deviation);
    visit("seconds", seconds);
    visit("error", error);
    visit("best", best);
    visit("best_value", best_value);
  }
};

// One partition has been scored. If the rows have labels, the event in the file also has mergeable
// metric states ("model", "baseline").
struct Scored {
  static constexpr std::string_view kName = "score_metrics";
  int64_t rows = -1;  // -1: unknown.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rows", rows);
  }
};

// A table has been written and has its final name.
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

// The seats that the gang needs are taken at the moment.
struct Waiting {
  static constexpr std::string_view kName = "waiting";
  std::string why;                 // Who holds them.
  std::optional<std::string> who;  // The waiting gang.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("for", who);
    visit("why", why);
  }
};

// Something the user should know but need not act on.
struct Note {
  static constexpr std::string_view kName = "note";
  std::string message;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("message", message);
  }
};

// Something the user probably wants to change.
struct Warning {
  static constexpr std::string_view kName = "warning";
  std::string message;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("message", message);
  }
};

// The command failed; the fields are those of the Fault that ended it. RunEnded follows.
struct Failed {
  static constexpr std::string_view kName = "failed";
  int32_t exit = 0;  // An Exit of protium/status.h.
  std::string what;
  std::string where;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("exit", exit);
    visit("what", what);
    visit("where", where);
  }
};

// The last event of a command that was not killed. `state` is "done", "failed" or "stopped".
struct RunEnded {
  static constexpr std::string_view kName = "end";
  std::string state;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("state", state);
  }
};

// A program's own task reported a value (TaskContext::Report). Only watchers receive it, whatever
// its name.
struct Reported {
  static constexpr std::string_view kName = "reported";
  std::string name;
  std::string value;  // JSON text; in the file it is the field "value" itself.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
  }
};

// An event with any other name: from a newer version, or one that only our own rooms read.
struct OtherEvent {
  static constexpr std::string_view kName = "";
  std::string name;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("event", name);
  }
};

using Event = std::variant<RunStarted, EtlProgress, EtlDone, StageFitted, GangPlaced,
                           AttemptStarted, TrainStarted, StepDone, EpochDone, Validated,
                           Checkpointed, TrialStarted, TrialEnded, Scored, OutputWritten, Waiting,
                           Note, Warning, Failed, RunEnded, Reported, OtherEvent>;

}  // namespace protium
