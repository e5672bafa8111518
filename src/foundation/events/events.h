// SPDX-License-Identifier: Apache-2.0
// The events of include/protium/events.h as JSON, the form in which they travel between processes
// and are stored in events.jsonl, and those that only our own rooms read. Undeclared fields and
// events survive, because code that forwards events forwards their JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/event.h"
#include "base/json.h"
#include "protium/events.h"

namespace protium {

// Never fails, since files of other versions are read as well: a field that is missing or has
// another type retains its default, and an unknown event becomes an OtherEvent.
Event EventFromJson(const Json& json);

// Whether `json` is an event of this kind.
template <IsEvent E>
bool Is(const Json& json) {
  return TextAt(json, "event") == E::kName;
}

// Writes its metrics as fields of the event.
Json EventToJson(const Validated& event);
// Writes its value, too.
Json EventToJson(const Reported& event);

// The plan is made, and its first rows are about to be read. The file also has the fields of the
// preview (model/preview.h), and "search" if there is one.
struct PipelinePlaced {
  static constexpr std::string_view kName = "pipeline";
  Json preview = Json::object();  // Its fields are fields of the event.
  template <class Visit>
  void Fields(Visit&) {}
};
Json EventToJson(const PipelinePlaced& event);

// A table is about to be scored: what went before belongs to training.
struct ScoringStarted {
  static constexpr std::string_view kName = "score_start";
  template <class Visit>
  void Fields(Visit&) {}
};

// How an engine ran a query: its operators, and where to see more of it.
struct QueryRan {
  static constexpr std::string_view kName = "engine_plan";
  std::string name;                // As EtlProgress::name.
  Json measured = Json::object();  // "seconds", "operators" and more; fields of the event.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
  }
};
Json EventToJson(const QueryRan& event);

// What is made of a table was taken from the store, where an earlier run has kept it.
struct WorkTaken {
  static constexpr std::string_view kName = "work_taken";
  std::string what;  // "fit": what stages have learned; "rows": packed rows.
  std::string run;   // That made it.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("what", what);
    visit("run", run);
  }
};

// A table was not made, but taken from the store, where an earlier run has kept it.
struct TableTaken {
  static constexpr std::string_view kName = "table_taken";
  std::string name;  // "etl"
  std::string run;   // That made it.
  int64_t rows = 0;
  int64_t bytes = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("run", run);
    visit("rows", rows);
    visit("bytes", bytes);
  }
};

// EtlProgress of a cluster, which counts tasks.
struct ClusterProgress {
  static constexpr std::string_view kName = EtlProgress::kName;
  std::string name;
  std::optional<double> percent;
  int64_t tasks = 0;  // That are done,
  int64_t of_tasks = 0;
  int64_t running_tasks = 0;
  int64_t read_bytes = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("percent", percent);
    visit("tasks", tasks);
    visit("of_tasks", of_tasks);
    visit("running_tasks", running_tasks);
    visit("read_bytes", read_bytes);
  }
};

// A file is being sent to the cluster. Repeated as it advances.
struct Uploading {
  static constexpr std::string_view kName = "upload";
  std::string name;
  int64_t bytes = 0;  // That have arrived,
  int64_t of_bytes = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("bytes", bytes);
    visit("of_bytes", of_bytes);
  }
};

// The cluster has received what its workers lacked.
struct BundleSent {
  static constexpr std::string_view kName = "sent";
  std::string what;  // "the program", "LibTorch"
  int64_t bytes = 0;
  double seconds = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("what", what);
    visit("bytes", bytes);
    visit("seconds", seconds);
  }
};

// An elastic gang lost a member, or a newcomer before it joined.
struct RankLost {
  static constexpr std::string_view kName = "rank_lost";
  int32_t rank = 0;
  std::string why;
  bool newcomer = false;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rank", rank);
    visit("why", why);
    visit("newcomer", newcomer);
  }
};

// A newcomer to an elastic gang has its seat.
struct MemberStarted {
  static constexpr std::string_view kName = "member_start";
  int32_t rank = 0;
  int64_t pid = 0;
  std::string log;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rank", rank);
    visit("pid", pid);
    visit("log", log);
  }
};

// Another process has taken the rank of one that has ended, with all that this one held.
struct RankTakenOver {
  static constexpr std::string_view kName = "rank_taken_over";
  int32_t rank = 0;
  bool server = false;  // It holds rows of tables of ids.
  int64_t pid = 0;
  std::string log;
  std::string why;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rank", rank);
    visit("server", server);
    visit("pid", pid);
    visit("log", log);
    visit("why", why);
  }
};

// An elastic gang is called to a new generation.
struct GangChanged {
  static constexpr std::string_view kName = "gang_change";
  int64_t generation = 0;
  int64_t world = 0;
  std::vector<int32_t> members;
  bool cut = false;  // Leave at once, and not after a step.
  std::string why;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("generation", generation);
    visit("world", world);
    visit("members", members);
    visit("cut", cut);
    visit("why", why);
  }
};

// The members of a generation have caught up with each other and go on.
struct GangEntered {
  static constexpr std::string_view kName = "gang_entered";
  int64_t step = 0;
  int32_t world = 0;
  bool after_death = false;
  double pause_seconds = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("step", step);
    visit("world", world);
    visit("after_death", after_death);
    visit("pause_seconds", pause_seconds);
  }
};

// How each rank spent its time in the steps since the previous event, in seconds; lists have one
// entry per rank.
struct RankSeconds {
  static constexpr std::string_view kName = "lanes";
  int64_t step = 0;   // The last one.
  int64_t count = 0;  // Steps.
  std::vector<double> seconds;
  Json parts = Json::object();  // A list for each of kStepParts (train/step_times.h).
  std::vector<double> wait;     // The part of "reduce" in which a rank waited for others.
  std::vector<double> held;     // How long others waited for this rank, averaged over them.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("step", step);
    visit("count", count);
    visit("seconds", seconds);
    visit("parts", parts);
    visit("wait", wait);
    visit("held", held);
  }
};

// A round of the mode "server" is over (train/server_round.h).
struct ServersStepped {
  static constexpr std::string_view kName = "servers_stepped";
  int64_t step = 0;   // The last one.
  int64_t count = 0;  // Steps.
  // How many steps a shard's part of a step was begun ahead of the oldest that was not applied yet,
  // at most, and the bound on it; unset: there is none.
  int64_t most_ahead = 0;
  std::optional<int64_t> bound;
  // How many gradients were applied between the reading of the weights and the application of the
  // gradient that was computed with them: the most, and the mean.
  int64_t most_missed = 0;
  double mean_missed = 0;
  std::vector<int64_t> gradients;  // Of each worker.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("step", step);
    visit("count", count);
    visit("most_ahead", most_ahead);
    visit("bound", bound);
    visit("most_missed", most_missed);
    visit("mean_missed", mean_missed);
    visit("gradients", gradients);
  }
};

// Rows were scored: the states that the metrics are computed from, to be merged over partitions.
struct ScoredStates {
  static constexpr std::string_view kName = Scored::kName;
  Json model;
  Json diagnostics;
  std::optional<Json> baseline;
  std::optional<int64_t> unseen_rows;  // Of classes that were not seen in training.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("model", model);
    visit("diagnostics", diagnostics);
    visit("baseline", baseline);
    visit("unseen_rows", unseen_rows);
  }
};

// A rank that is a program has printed whole lines, which are safe to print again.
struct Printed {
  static constexpr std::string_view kName = "printed";
  int32_t rank = 0;
  int32_t stream = 1;  // 1 or 2.
  std::string text;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rank", rank);
    visit("stream", stream);
    visit("text", text);
  }
};
Printed PrintedOf(const Json& event);

}  // namespace protium
