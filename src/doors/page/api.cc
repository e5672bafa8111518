// SPDX-License-Identifier: Apache-2.0
#include "page/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/fault.h"
#include "base/text.h"
#include "export/formats.h"
#include "page/event_stream.h"
#include "page/paths.h"
#include "page/run_files.h"
#include "page/run_responses.h"
#include "page/trial_responses.h"
#include "pool/place.h"
#include "pool/pool_client.h"
#include "run/event_log.h"
#include "run/summary.h"
#include "stream/look_at_streams.h"

namespace protium {

namespace {

constexpr std::string_view kRoot = "/api/v1/";
constexpr int64_t kEventsAtOnce = 1 << 20;  // Bytes of events.jsonl in a response.
constexpr size_t kMostPoints = 2000;        // Of a curve.
constexpr size_t kMostIntervals = 240;      // Of the lanes of ranks.
constexpr size_t kMostCompared = 12;
constexpr size_t kMostStreams = 500;

HttpResponse NotFound(const std::string& path) {
  return Refusal(404, {.what = fmt::format("there is nothing at \"{}\"", path),
                       .fix = "GET /api/v1/ lists what there is"});
}

HttpResponse NoSuchRun(const std::string& name) {
  return Refusal(404, {.what = fmt::format("there is no run \"{}\"", name),
                       .fix = "choose one of the list of runs"});
}

// What cannot be read is reported in the words of the fault; the page shows them in its error
// block.
HttpResponse ResultResponse(const Result<Json>& json) {
  if (json.ok()) return JsonResponse(*json);
  const Fault fault = FaultOf(json.status());
  return Refusal(fault.exit == Exit::kInput ? 404 : 500, fault);
}

// The same for a requested change, where the request itself may be wrong.
HttpResponse DoneResponse(Result<std::string> json) {
  if (json.ok()) return {.body = std::move(*json)};
  const Fault fault = FaultOf(json.status());
  const bool asked = fault.exit == Exit::kInput || fault.exit == Exit::kUsage;
  return Refusal(asked ? 400 : 500, fault);
}

HttpResponse DoneResponse(const Result<Json>& json) {
  return DoneResponse(json.ok() ? Result<std::string>(Dump(*json)) : json.status());
}

// Returns a whole number from a request, `otherwise` if the request omits it, nothing for any other
// text.
std::optional<int64_t> NumberOf(const HttpRequest& request, const char* name, int64_t otherwise) {
  const std::string& text = request.Parameter(name);
  if (text.empty()) return otherwise;
  return AllAsNumber<int64_t>(text);
}

HttpResponse NoNumber(const char* name) {
  return Refusal(400, {.what = fmt::format("\"{}\" must be a whole number", name)});
}

HttpResponse EventsResponse(LiveRun& run, const HttpRequest& request) {
  const auto from = NumberOf(request, "from", 0);
  if (!from) return NoNumber("from");
  // Checked first, so that what was written before a run ended is still read.
  const std::string state = StateOfRun(run.folder());
  const int64_t begin = *from < 0 ? EndOfEvents(run) : *from;
  const Result<EventPiece> piece = ReadEventsFrom(run.events(), begin, kEventsAtOnce);
  if (!piece.ok()) return ResultResponse(piece.status());
  Json events = Json::array();
  for (const EventAt& each : piece->events) events.push_back(each.event);
  return JsonResponse({{"events", std::move(events)},
                       {"next", piece->next},
                       {"more", piece->more},
                       {"skipped", piece->skipped},
                       {"state", state}});
}

HttpResponse StreamResponse(const std::shared_ptr<LiveRun>& run, const HttpRequest& request) {
  HttpRequest asked = request;
  // The id a reconnecting browser sends takes precedence over the address it began with.
  const std::string& last = request.Header("last-event-id");
  if (!last.empty()) {
    asked.parameters.erase("from");
    asked.parameters.emplace("from", last);
  }
  const auto from = NumberOf(asked, "from", 0);
  if (!from) return NoNumber("from");
  return {.type = "text/event-stream", .stream = StreamEvents(run, *from)};
}

HttpResponse MetricsResponse(LiveRun& run, const HttpRequest& request) {
  const auto points = NumberOf(request, "points", kMostPoints);
  if (!points || *points < 2) return NoNumber("points");
  return ResultResponse(MetricsOf(run, std::min(size_t(*points), kMostPoints)));
}

HttpResponse LanesResponse(LiveRun& run, const HttpRequest& request) {
  const auto points = NumberOf(request, "points", kMostIntervals);
  if (!points || *points < 1) return NoNumber("points");
  const size_t most = std::min(size_t(*points), kMostIntervals);
  return ResultResponse(run.WithStory([&](const RunStory& story, int64_t behind) {
    Json lanes = story.Lanes(most);
    lanes["behind_bytes"] = behind;
    return lanes;
  }));
}

HttpResponse FileResponse(const LiveRun& run, const HttpRequest& request, const std::string& path) {
  const auto from = NumberOf(request, "from", 0);
  if (!from) return NoNumber("from");
  return ResultResponse(ReadRunFile(run.folder(), path, *from));
}

HttpResponse TreeResponse(const LiveRun& run, std::string_view number) {
  const auto tree = AllAsNumber<int64_t>(number);
  return tree ? ResultResponse(TreeOf(run.folder(), *tree)) : NoNumber("tree");
}

HttpResponse LogsResponse(const LiveRun& run) {
  const Json all = ListRunFiles(run.folder());
  Json logs = Json::array();
  for (const Json& file : all["files"]) {
    const std::string& path = TextAt(file, "path");
    if (path.starts_with("logs/")) logs.push_back(file);
  }
  return JsonResponse({{"logs", std::move(logs)}});
}

std::string_view WithoutSlash(std::string_view below) {
  return below.substr(std::min<size_t>(1, below.size()));
}

}  // namespace

bool PageApi::IsData(const std::string& path) {
  return path.starts_with("/api/") || path == "/metrics";
}

HttpResponse PageApi::Respond(const HttpRequest& request) {
  std::string_view path = request.path;
  if (path == "/metrics") return Prometheus();
  if (path == "/api/v1") path = kRoot;
  if (!path.starts_with(kRoot)) return NotFound(request.path);
  path.remove_prefix(kRoot.size());
  if (path.empty()) {
    Json index = ApiIndex();
    index["changes"] = changes_;
    return JsonResponse(index);
  }
  if (path == "openapi.json") return JsonResponse(OpenApi());
  if (path == "runs") return JsonResponse(*runs_.List());
  if (path == "streams") return Streams();
  if (path.starts_with("streams/")) return Stream(std::string(path.substr(8)));
  if (path == "compare") return Compare(request);
  if (path == "gangs") return Gangs();
  if (path == "machine") return MachineOfPool();
  if (path == "applications") return Applications(request);
  if (path.starts_with("runs/")) return ResponseOfRun(request, path.substr(5));
  if (path.starts_with("applications/")) return ResponseOfApplication(request, path.substr(13));
  return NotFound(request.path);
}

PageApi::Asked PageApi::FindRun(std::string_view rest) {
  const size_t slash = std::min(rest.find('/'), rest.size());
  Asked asked{.name = std::string(rest.substr(0, slash)), .below = rest.substr(slash)};
  asked.run = runs_.Find(asked.name);
  return asked;
}

HttpResponse PageApi::ResponseOfApplication(const HttpRequest& request, std::string_view rest) {
  const auto [name, below, run] = FindRun(rest);
  if (run == nullptr) return NoSuchRun(name);
  const Result<Json> facts = OfApplication(*run, WithoutSlash(below));
  return facts.ok() && facts->is_null() ? NotFound(request.path) : ResultResponse(facts);
}

HttpResponse PageApi::Act(const HttpRequest& request, const std::string& body) {
  if (!changes_) {
    return Refusal(403, {.what = "this page was started without a token, so it only reads",
                         .fix = "protium ui --token"});
  }
  constexpr std::string_view kRuns = "/api/v1/runs/";
  if (!request.path.starts_with(kRuns)) return NotFound(request.path);
  const auto [name, what, run] = FindRun(std::string_view(request.path).substr(kRuns.size()));
  if (run == nullptr) return NoSuchRun(name);
  const bool post = request.method == "POST";
  if (post && what == "/score") return DoneResponse(models_.Score(run->folder(), body));
  if (post && what == "/labels") return DoneResponse(LabelRun(folder_, run->folder(), body));
  if (request.method == "DELETE" && what.empty())
    return DoneResponse(RemoveWholeRun(run->folder()));
  return Refusal(405, {.what = fmt::format("{} does not take {}", request.path, request.method),
                       .fix = "GET /api/v1/ lists what there is"});
}

HttpResponse PageApi::ResponseOfRun(const HttpRequest& request, std::string_view rest) {
  const auto [name, below, run] = FindRun(rest);
  const std::string_view what = WithoutSlash(below);
  if (run == nullptr) return NoSuchRun(name);
  const std::filesystem::path& folder = run->folder();
  if (what.empty()) return ResultResponse(OverviewOf(*run));
  if (what == "settings") return JsonResponse(SettingsOf(folder));
  if (what == "plan") return JsonResponse(PlanOf(folder));
  if (what == "profile") return JsonResponse(ReadJson(folder / "profile.json"));
  if (what == "model") return JsonResponse(ModelOf(folder));
  if (what == "forest") return ResultResponse(ForestOf(folder));
  if (what.starts_with("forest/")) return TreeResponse(*run, what.substr(7));
  if (what == "trials") return ResultResponse(TrialsOf(*run));
  if (what == "trials/importance") return JsonResponse(ImportanceOfTrials(folder));
  if (what == "metrics") return MetricsResponse(*run, request);
  if (what == "lanes") return LanesResponse(*run, request);
  if (what == "events") return EventsResponse(*run, request);
  if (what == "stream") return StreamResponse(run, request);
  if (what == "logs") return LogsResponse(*run);
  if (what == "files") return JsonResponse(ListRunFiles(folder));
  if (what.starts_with("files/")) return FileResponse(*run, request, std::string(what.substr(6)));
  if (what == "executors") {
    Json overview;
    const Result<Json> executors = ExecutorsOfRun(*run, overview);
    if (!executors.ok()) return ResultResponse(executors);
    const auto links = [](const RunStory& story, int64_t) { return story.executor_links(); };
    return JsonResponse(
        {{"executors", *executors}, {"links", run->WithStory(links).ValueOr(Json())}});
  }
  if (what == "operators") {
    return ResultResponse(
        run->WithStory([](const RunStory& story, int64_t) { return story.EnginePlans(); }));
  }
  if (what == "gang") {
    return ResultResponse(
        run->WithStory([](const RunStory& story, int64_t) { return story.Gangs(); }));
  }
  return NotFound(request.path);
}

void PageApi::NameRuns(Json& status) {
  for (const char* const which : {"model", "shadow"}) {
    if (!status.contains(which) || !status[which].is_object()) continue;
    // RUNS/NAME/model
    const std::filesystem::path folder = TextAt(status[which], "folder");
    const std::string run = folder.parent_path().filename().string();
    if (runs_.Find(run) != nullptr) status[which]["run"] = run;
  }
  if (!status.contains("partitions")) return;
  for (Json& each : status["partitions"]) NameRuns(each);
}

HttpResponse PageApi::Streams() {
  Json streams = ListStreams(streams_, kMostStreams);
  for (Json& each : streams) NameRuns(each);
  std::error_code ignored;
  return JsonResponse(
      {{"folder", std::filesystem::absolute(streams_, ignored).lexically_normal().string()},
       {"streams", std::move(streams)}});
}

HttpResponse PageApi::Stream(const std::string& name) {
  Result<Json> stream = LookAtStream(streams_, name);
  if (stream.ok()) NameRuns((*stream)["status"]);
  return ResultResponse(stream);
}

// The gangs of the running runs, each as last placed.
HttpResponse PageApi::Gangs() {
  Json gangs = Json::array();
  const auto list = runs_.List();
  for (const Json& each : (*list)["runs"]) {
    if (TextAt(each, "state") != "running") continue;
    const auto run = runs_.Find(TextAt(each, "run"));
    if (run == nullptr) continue;
    const auto facts = run->WithStory([](const RunStory& story, int64_t) { return story.Gangs(); });
    if (!facts.ok() || (*facts)["gangs"].empty()) continue;
    Json gang = (*facts)["gangs"].back();
    gang["run"] = each["run"];
    gangs.push_back(std::move(gang));
  }
  return JsonResponse({{"gangs", std::move(gangs)}});
}

// What the pool of this user says, its programs linked with their runs. Null: no pool runs here, or
// one that cannot be used, and why.
HttpResponse PageApi::MachineOfPool() {
  auto pool = PoolState(PoolSocket());
  if (!pool.ok()) {
    const Fault fault = FaultOf(pool.status());
    const bool none = fault.exit == Exit::kInput;
    return JsonResponse({{"pool", nullptr}, {"why", none ? "" : fault.what}});
  }
  std::map<int64_t, std::string> runs;
  for (Json& each : (*pool)["drivers"]) {
    const std::string& who = TextAt(each, "who");
    if (runs_.Find(who) != nullptr) each["run"] = runs[WholeAt(each, "pid")] = who;
  }
  for (Json& each : (*pool)["claims"]) {
    const auto run = runs.find(WholeAt(each, "pid"));
    if (run != runs.end()) each["run"] = run->second;
  }
  return JsonResponse({{"pool", std::move(*pool)}, {"why", ""}});
}

// Metrics for Prometheus to scrape: the running runs.
HttpResponse PageApi::Prometheus() {
  constexpr size_t kMostScraped = 32;
  std::vector<RunFacts> running;
  const auto list = runs_.List();
  for (const Json& each : (*list)["runs"]) {
    if (TextAt(each, "state") != "running" || running.size() == kMostScraped) continue;
    const auto run = runs_.Find(TextAt(each, "run"));
    if (run == nullptr) continue;
    Result<RunFacts> facts = ReadRunFacts(run->folder());
    if (facts.ok()) running.push_back(facts.MoveValueUnsafe());
  }
  std::vector<const RunFacts*> pointers;
  for (const RunFacts& each : running) pointers.push_back(&each);
  return {.type = "text/plain; version=0.0.4; charset=utf-8",
          .body = PrometheusText(pointers, false)};
}

HttpResponse PageApi::Compare(const HttpRequest& request) {
  std::vector<std::filesystem::path> folders;
  const auto [begin, end] = request.parameters.equal_range("run");
  for (auto each = begin; each != end; ++each) {
    const auto run = runs_.Find(each->second);
    if (run == nullptr) return NoSuchRun(each->second);
    folders.push_back(run->folder());
  }
  if (folders.size() < 2 || folders.size() > kMostCompared) {
    return Refusal(400, {.what = fmt::format("{} runs to compare; 2 to {} can be", folders.size(),
                                             kMostCompared),
                         .fix = "/api/v1/compare?run=ID&run=ID"});
  }
  return JsonResponse(DifferencesOf(folders));
}

}  // namespace protium
