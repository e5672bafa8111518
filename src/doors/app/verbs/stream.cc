// SPDX-License-Identifier: Apache-2.0
// `protium stream`: scores events as they come, until Ctrl-C or SIGTERM; and what people ask of a
// stream while it runs.
#include "app/verbs/stream.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/run/named_run.h"
#include "app/verb.h"
#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"
#include "job/read_job.h"
#include "os/file.h"
#include "os/signals.h"
#include "os/subprocess.h"
#include "run/terminal.h"
#include "stream/divided_status.h"
#include "stream/divided_stream.h"
#include "stream/engine_limits.h"
#include "stream/engine_stream.h"
#include "stream/plan_stream.h"
#include "stream/stream_run.h"
#include "stream/verify.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

const std::vector<std::string>& Words() {
  static const std::vector<std::string> words = {"status", "pause", "resume", "verify"};
  return words;
}

Result<Job> ReadStreamJob(const Arguments& arguments, const std::string& file) {
  PT_LET(Job job, ReadJob(file, arguments.Values("--set")));
  if (job.file.stream) return job;
  return Fail({.exit = Exit::kUsage,
               .what = "the job has no [stream]",
               .where = file,
               .fix = "add [stream] with source, sink and model, or: protium run " + file,
               .kept = "nothing was started"});
}

fs::path FolderOf(const Arguments& arguments, const Job& job) {
  return fs::path(arguments.Value("--streams-dir", "streams")) / job.file.name;
}

// "tag:live" is "live": what runs are found by.
FindModelFolder Finder(const Arguments& arguments) {
  return [&arguments](const std::string& name) -> Result<fs::path> {
    constexpr std::string_view kTag = "tag:";
    return FindNamedModel(arguments, name.starts_with(kTag) ? name.substr(kTag.size()) : name);
  };
}

void Say(const std::string& line) {
  if (!Terminal::Of(STDERR_FILENO).quiet) PrintNote(line + "\n");
}

StreamRequest RequestOf(const Arguments& arguments, Job job) {
  fs::path folder = FolderOf(arguments, job);
  return {.job = std::move(job),
          .folder = std::move(folder),
          .find_model = Finder(arguments),
          .runs = RunsDir(arguments),
          .note = Say,
          .once = arguments.Has("--once")};
}

Result<StreamRequest> RequestFor(const Arguments& arguments, const std::string& file) {
  PT_LET(Job job, ReadStreamJob(arguments, file));
  return RequestOf(arguments, std::move(job));
}

void SayThatItStreams(const Arguments& arguments) {
  Say(fmt::format("streaming; protium stream status {} shows its progress, Ctrl-C stops it",
                  arguments.operand(0)));
}

// What this process has written, and what the stream has.
Status PrintWritten(const Arguments& arguments, const fs::path& folder, const StreamTotals& own,
                    int64_t all_rows) {
  if (arguments.Has("--json")) {
    PT_LET(const Json status, ReadStreamStatus(folder));
    return PrintResult(Dump(status) + "\n");
  }
  return PrintResult(fmt::format(
      "{} row{} in {} batch{}, {} dead letter{}; {} rows since the stream began\n",
      Grouped(own.rows), PluralOf(own.rows), Grouped(own.batches), own.batches == 1 ? "" : "es",
      Grouped(own.dead), PluralOf(own.dead), Grouped(all_rows)));
}

// Other processes like this one, which end with it at the latest.
Result<std::vector<Subprocess>> StartOthers(const Arguments& arguments,
                                            const Invocation& invocation, Spawner& spawner,
                                            int64_t count) {
  std::vector<std::string> words;
  for (size_t i = 1; i < invocation.argv.size(); ++i) {
    const std::string& word = invocation.argv[i];
    if (word == "--instances") {
      ++i;
    } else if (!word.starts_with("--instances=")) {
      words.push_back(word);
    }
  }
  std::vector<Subprocess> others;
  while (int64_t(others.size()) < count) {
    PT_LET(Subprocess other, spawner.Start({.program = "/proc/self/exe", .args = words}));
    others.push_back(std::move(other));
  }
  return others;
}

bool HasEnded(Subprocess& process, Deadline deadline) {
  const auto ended = process.Wait(deadline);
  return !ended.ok() || ended->has_value();
}

// With `once` they end by themselves, unless `stop` is set; else they end the batches that they are
// at.
void EndOthers(std::vector<Subprocess>& others, bool once, const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kSlice{200};
  constexpr std::chrono::seconds kMost{120};
  for (Subprocess& other : others) {
    while (once && !stop.stop_requested() && !HasEnded(other, Clock::now() + kSlice)) {
    }
  }
  for (Subprocess& other : others) {
    if (!HasEnded(other, Clock::now())) other.Signal(SIGTERM);
  }
  for (Subprocess& other : others) (void)HasEnded(other, Clock::now() + kMost);
}

Status FollowDivided(const Arguments& arguments, const Invocation& invocation,
                     StreamRequest request, const std::stop_token& stop) {
  const fs::path folder = request.folder;
  PT_LET(const int64_t instances, arguments.Number("--instances", 1));
  PT_LET(const auto stream, DividedStream::Open(std::move(request), stop));
  Spawner spawner;
  PT_LET(std::vector<Subprocess> others,
         StartOthers(arguments, invocation, spawner, std::max<int64_t>(instances, 1) - 1));
  SayThatItStreams(arguments);
  const Status followed = stream->Run(stop);
  EndOthers(others, arguments.Has("--once") && followed.ok(), stop);
  PT_TRY(followed);
  const auto status = ReadStreamStatus(folder);
  return PrintWritten(arguments, folder, stream->written(),
                      status.ok() ? WholeAt(*status, "rows") : 0);
}

Status FollowEngine(const Arguments& arguments, StreamRequest request,
                    const std::stop_token& stop) {
  const fs::path folder = request.folder;
  PT_LET(const auto stream, EngineStream::Open(std::move(request), stop));
  SayThatItStreams(arguments);
  PT_TRY(stream->Run(stop));
  return PrintWritten(arguments, folder, stream->written(), stream->all_rows());
}

Status Follow(const Arguments& arguments, const Invocation& invocation) {
  // Before there are threads.
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  PT_LET(StreamRequest request, RequestFor(arguments, arguments.operand(0)));
  const bool engine = EngineRunsStream(request.job.file);
  if (request.job.file.stream->source.divided && !engine) {
    return FollowDivided(arguments, invocation, std::move(request), signals->token());
  }
  if (arguments.Has("--instances")) {
    return Fail({.exit = Exit::kUsage,
                 .what = "only a topic with divided = true can be shared by several processes",
                 .where = "--instances",
                 .fix = "source = { ..., divided = true } in [stream]",
                 .kept = "nothing was started"});
  }
  if (engine) return FollowEngine(arguments, std::move(request), signals->token());
  PT_TRY(CheckSameEngine(request.job.file, request.folder));
  const fs::path folder = request.folder;
  PT_LET(const auto run, StreamRun::Open(std::move(request), signals->token()));
  SayThatItStreams(arguments);
  const StreamTotals before = run->totals();
  PT_TRY(run->Run(signals->token()));
  const StreamTotals& now = run->totals();
  return PrintWritten(arguments, folder, now - before, now.rows);
}

Status ShowStatus(const Arguments& arguments, const fs::path& folder) {
  PT_LET(const Json status, ReadStreamStatus(folder));
  return PrintResult(arguments.Has("--json") ? Dump(status) + "\n" : StreamStatusText(status));
}

// The stream notices within a fifth of a second.
Status SetPaused(const fs::path& folder, bool paused) {
  PT_TRY(ReadStreamStatus(folder).status());
  std::error_code error;
  if (paused) PT_TRY(WriteFile(folder / kPauseFile, ""));
  if (!paused) fs::remove(folder / kPauseFile, error);
  return PrintResult(paused ? "paused: no batch starts until protium stream resume\n"
                            : "continues\n");
}

std::string InPartition(int32_t partition, const std::string& text) {
  return fmt::format("partition {}, {}", partition, text);
}

// Of a divided stream, the batches of each partition.
Result<VerifyResult> VerifyAll(const StreamRequest& request, int64_t from, int64_t to,
                               const std::stop_token& stop) {
  const auto folders = PartitionFolders(request.folder);
  if (folders.empty()) return VerifyStream(request, from, to, stop);
  VerifyResult sum;
  for (const auto& [partition, folder] : folders) {
    StreamRequest part = request;
    part.folder = folder;
    part.partition = partition;
    PT_LET(const Json status, ReadStreamStatus(folder));
    const int64_t last = std::min(to, WholeAt(status, "batches"));
    if (from >= last) continue;
    PT_LET(const VerifyResult each, VerifyStream(part, from, last, stop));
    sum.equal += each.equal;
    for (const auto& text : each.differ) sum.differ.push_back(InPartition(partition, text));
    for (const auto& text : each.unknown) sum.unknown.push_back(InPartition(partition, text));
  }
  return sum;
}

Status Verify(const Arguments& arguments, const StreamRequest& request) {
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::MakeEnding());
  PT_LET(const Json status, ReadStreamStatus(request.folder));
  PT_LET(const int64_t from, arguments.Number("--from", 0));
  PT_LET(const int64_t to, arguments.Number("--to", WholeAt(status, "batches")));
  PT_LET(const VerifyResult result, VerifyAll(request, from, to, signals->token()));
  if (arguments.Has("--json")) {
    PT_TRY(PrintResult(
        Dump({{"equal", result.equal}, {"differ", result.differ}, {"unknown", result.unknown}}) +
        "\n"));
  } else {
    std::string text = fmt::format("{} batch{} made again: the same bytes\n", Grouped(result.equal),
                                   result.equal == 1 ? "" : "es");
    for (const std::string& each : result.unknown) text += "unknown  " + each + "\n";
    for (const std::string& each : result.differ) text += "differs  " + each + "\n";
    PT_TRY(PrintResult(text));
  }
  if (result.differ.empty()) return Status::OK();
  return Fail(
      {.exit = Exit::kFailed,
       .what = fmt::format("{} batches are not what the stream wrote", result.differ.size())});
}

Status RefuseOnEngine(const std::string& what) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("a stream on Spark has no {}", what),
               .fix = what == "verify"
                          ? "stream the same files with engine = \"local\", and compare the rows"
                          : "end it with Ctrl-C; started again, it goes on from its checkpoint"});
}

Status RunStreamVerb(const Arguments& arguments, const Invocation& invocation) {
  const std::string& what = arguments.operand(0);
  if (what.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "stream needs a job file",
                 .fix = "protium stream live.toml"});
  }
  if (arguments.num_operands() == 1) {
    if (std::ranges::count(Words(), what) == 0) return Follow(arguments, invocation);
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("protium stream {} needs the stream's job", what),
                 .fix = fmt::format("protium stream {} job.toml", what)});
  }
  if (std::ranges::count(Words(), what) == 0) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("stream has no \"{}\"", what),
                 .fix = Suggest(what, Words())});
  }
  PT_LET(const StreamRequest request, RequestFor(arguments, arguments.operand(1)));
  if (what == "status") return ShowStatus(arguments, request.folder);
  if (EngineRunsStream(request.job.file)) return RefuseOnEngine(what);
  if (what == "verify") return Verify(arguments, request);
  return SetPaused(request.folder, what == "pause");
}

}  // namespace

Status ShowStreamPlan(const Arguments& arguments, Job job) {
  PT_LET(const Json plan, PlanStream(RequestOf(arguments, std::move(job))));
  return PrintResult(arguments.Has("--json") ? Dump(plan) + "\n" : StreamPlanText(plan));
}

CommandVerb StreamVerb() {
  return {
      {.name = "stream",
       .operands = {"[status|pause|resume|verify]", "[JOB]"},
       .flags = {{"--once", "", "ends when everything there has been scored", ""},
                 {"--instances", "N", "processes that share a partitioned topic (1)", ""},
                 {"--from", "BATCH", "for verify: the first batch (0)", ""},
                 {"--to", "BATCH", "for verify: the batch to stop before", ""},
                 {"--streams-dir", "DIR", "where streams keep their logs (streams)", ""},
                 RunsDirFlag(),
                 SetFlag(),
                 JsonFlag()},
       .says = "scores events as they arrive, exactly once",
       .more =
           "JOB is a job file with [stream]: a source, a sink and a model (docs/streams.md).\n"
           "\n"
           "  protium stream live.toml          until Ctrl-C or SIGTERM\n"
           "  protium stream live.toml --once   until every event there is scored\n"
           "  protium stream status live.toml   rows, rate, latency, model\n"
           "  protium stream pause live.toml    starts no batch until resume\n"
           "  protium stream resume live.toml\n"
           "  protium stream verify live.toml   computes its batches again and compares\n"
           "\n"
           "Killed at any moment and started again, it continues where it was: nothing is lost or\n"
           "written twice. When the model's tag moves, the next batch uses the new model.\n"},
      RunStreamVerb};
}

}  // namespace protium
