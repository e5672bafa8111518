// SPDX-License-Identifier: Apache-2.0
#include "stream/stream_status.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/text.h"
#include "base/units.h"
#include "os/file.h"
#include "run/printable.h"
#include "run/terminal.h"
#include "stream/divided_status.h"
#include "stream/join_bounds.h"

namespace protium {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kBetween{500};
constexpr size_t kLatencies = 1000;
constexpr std::chrono::seconds kRateOver{10};

int64_t WallMs() {
  return std::chrono::duration_cast<milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

double At(std::vector<double>& sorted, double part) {
  return sorted.empty() ? 0 : sorted[size_t(part * double(sorted.size() - 1))];
}

Json ModelFacts(const NamedModel& model) {
  Json facts = {{"name", model.name()},
                {"folder", model.now()->folder.string()},
                {"sha256", model.now()->sha256}};
  if (!model.trouble().empty()) facts["trouble"] = model.trouble();
  return facts;
}

struct StreamFigure {
  const char* name;
  const char* kind;
  const char* help;
  double value;
};

void AddJoin(const Json& join, std::vector<StreamFigure>& metrics) {
  metrics.push_back({"join_waiting", "gauge", "events that wait for those of the other stream",
                     NumberAt(join, "waiting")});
  metrics.push_back({"join_kept", "gauge", "events of the other stream that are kept for these",
                     NumberAt(join, "kept")});
  metrics.push_back({"join_held", "gauge", "1 while one stream is not read, as the other is behind",
                     join.contains("held") ? 1.0 : 0.0});
}

void AddTraining(const Json& training, std::vector<StreamFigure>& metrics) {
  const auto count = [&](const char* name, const char* key, const char* help) {
    metrics.push_back({name, "counter", help, NumberAt(training, key)});
  };
  count("trainings_promoted_total", "promoted", "trainings whose model got the tag");
  count("trainings_refused_total", "refused", "trainings whose model was not promoted");
  count("trainings_failed_total", "failed", "trainings that failed");
  count("trainings_skipped_total", "skipped", "trainings that others overtook");
  const Json running = training.value("running", Json());
  metrics.push_back(
      {"training", "gauge", "1 while a model is trained", running.is_null() ? 0.0 : 1.0});
  const Json last = training.value("last", Json());
  if (!last.is_object() || last.value("failed", false)) return;
  metrics.push_back(
      {"training_rows", "gauge", "events of the last training", NumberAt(last, "rows")});
  metrics.push_back({"training_metric", "gauge", "of the new model, on the held-out events",
                     NumberAt(last, "trained")});
  metrics.push_back({"training_live_metric", "gauge", "of the live model, on the same events",
                     NumberAt(last, "live")});
}

std::string LastTrainingText(const Json& last) {
  const int64_t number = WholeAt(last, "number");
  if (last.value("failed", false)) {
    return fmt::format("          {} failed: {}\n", number, Printable(TextAt(last, "why")));
  }
  return fmt::format(
      "          {} on {} events: {} {:.6g}, live {:.6g} on {} newer ones: {}\n", number,
      Grouped(WholeAt(last, "rows")), Printable(TextAt(last, "metric")), NumberAt(last, "trained"),
      NumberAt(last, "live"), Grouped(WholeAt(last, "held_out")),
      last.value("promoted", false) ? "promoted, in " + Printable(TextAt(last, "model"))
                                    : "not promoted, " + Printable(TextAt(last, "why")));
}

std::string TrainingText(const Json& training) {
  std::string text =
      fmt::format("training  {} promoted, {} not, {} failed", WholeAt(training, "promoted"),
                  WholeAt(training, "refused"), WholeAt(training, "failed"));
  const Json running = training.value("running", Json());
  if (running.is_number()) text += fmt::format("; {} is running", running.get<int64_t>());
  if (const int64_t waiting = WholeAt(training, "waiting"); waiting > 0) {
    text += fmt::format(", {} wait{}", waiting, waiting == 1 ? "s" : "");
  }
  text += "\n";
  const Json last = training.value("last", Json());
  return last.is_object() ? text + LastTrainingText(last) : text;
}

std::string RowsText(const Json& status) {
  const int64_t batches = WholeAt(status, "batches"), dead = WholeAt(status, "dead");
  return fmt::format(
      "rows      {} in {} batch{}, {} dead letter{}\n"
      "rate      {} rows/s, waiting: {} {}\n",
      Grouped(WholeAt(status, "rows")), Grouped(batches), batches == 1 ? "" : "es", Grouped(dead),
      PluralOf(dead), Grouped(int64_t(NumberAt(status, "rows_per_second"))),
      Grouped(WholeAt(status, "waiting")), TextAt(status, "unit"));
}

// An engine writes on while no process of ours counts.
std::string EngineText(const Json& status, const Json& engine) {
  const int64_t batches = WholeAt(status, "batches"), counted = WholeAt(engine, "counted");
  const std::string others =
      counted == batches ? ""
                         : fmt::format("; those of {} more were not counted", batches - counted);
  const std::string doing = TextAt(engine, "doing");
  return fmt::format("rows      {} in {} batch{}{}\nrate      {} rows/s\nengine    {}{}\n",
                     Grouped(WholeAt(status, "rows")), Grouped(counted), counted == 1 ? "" : "es",
                     others, Grouped(int64_t(NumberAt(status, "rows_per_second"))),
                     Printable(TextAt(engine, "address")),
                     doing.empty() ? "" : ": " + Printable(doing));
}

}  // namespace

StreamStatus::StreamStatus(fs::path folder, std::string label)
    : folder_(std::move(folder)), label_(std::move(label)), since_ms_(WallMs()) {}

void StreamStatus::Wrote(int64_t rows, const StreamRows& read, SteadyClock::time_point began) {
  const auto now = SteadyClock::now();
  written_.emplace_back(now, rows);
  while (now - written_.front().first > kRateOver) written_.pop_front();
  const double made = std::chrono::duration<double, std::milli>(now - began).count();
  const double waited = read.newest_ms ? double(WallMs() - *read.newest_ms) : made;
  latencies_.push_back(std::max(waited, made));
  if (latencies_.size() > kLatencies) latencies_.pop_front();
}

void StreamStatus::Compared(const ShadowFacts& facts) {
  const double sum =
      compared_.mean_apart * double(compared_.rows) + facts.mean_apart * double(facts.rows);
  compared_.rows += facts.rows;
  compared_.differ += facts.differ;
  compared_.mean_apart = compared_.rows == 0 ? 0 : sum / double(compared_.rows);
}

void StreamStatus::Model(const NamedModel* model, const NamedModel* shadow) {
  model_ = model == nullptr ? Json() : ModelFacts(*model);
  shadow_ = shadow == nullptr ? Json() : ModelFacts(*shadow);
}

double StreamStatus::RowsPerSecond() const {
  int64_t rows = 0;
  for (const auto& [when, each] : written_) rows += each;
  if (rows == 0) return 0;
  const double seconds =
      std::chrono::duration<double>(SteadyClock::now() - written_.front().first).count();
  return double(rows) / std::max(seconds, 1.0);
}

bool StreamStatus::due() const { return SteadyClock::now() - shown_ >= kBetween; }

void StreamStatus::Show(const std::string& state, const StreamTotals& totals, const StreamLag& lag,
                        const std::string& error) {
  shown_ = SteadyClock::now();
  std::vector<double> sorted(latencies_.begin(), latencies_.end());
  std::sort(sorted.begin(), sorted.end());
  Json status = {{"state", state},
                 {"pid", ::getpid()},
                 {"since_ms", since_ms_},
                 {"at_ms", WallMs()},
                 {"batches", totals.batches},
                 {"rows", totals.rows},
                 {"dead", totals.dead},
                 {"rows_per_second", RowsPerSecond()},
                 {"latency_ms", {{"p50", At(sorted, 0.5)}, {"p99", At(sorted, 0.99)}}},
                 {"waiting", lag.waiting},
                 {"unit", lag.unit}};
  if (in_windows_ >= 0) status["in_windows"] = in_windows_;
  if (!join_.is_null()) status["join"] = join_;
  if (!model_.is_null()) status["model"] = model_;
  if (!shadow_.is_null()) {
    status["shadow"] = shadow_;
    status["shadow"]["rows"] = compared_.rows;
    status["shadow"]["differ"] = compared_.differ;
    status["shadow"]["mean_apart"] = compared_.mean_apart;
  }
  if (!training_.is_null()) status["training"] = training_;
  if (!engine_.is_null()) status["engine"] = engine_;
  if (!error.empty()) status["error"] = error;
  (void)WriteFile(folder_ / "status.json", Dump(status) + "\n");
  (void)WriteFile(folder_ / "metrics.prom", StreamMetrics(label_, status));
}

std::string StreamMetrics(const std::string& stream, const Json& status) {
  const Json latency = status.value("latency_ms", Json::object());
  const auto number = [&](const char* key) { return NumberAt(status, key); };
  std::vector<StreamFigure> metrics = {
      {"rows_total", "counter", "rows written", number("rows")},
      {"batches_total", "counter", "batches that have ended", number("batches")},
      {"dead_letters_total", "counter", "events that could not become rows", number("dead")},
      {"rows_per_second", "gauge", "rows written a second, over ten seconds",
       number("rows_per_second")},
      {"running", "gauge", "1 while it runs", TextAt(status, "state") == "running" ? 1.0 : 0.0},
      {"written_at_seconds", "gauge", "when these figures were written", number("at_ms") / 1e3}};
  const double p50 = NumberAt(latency, "p50") / 1e3, p99 = NumberAt(latency, "p99") / 1e3;
  if (status.contains("engine")) {
    metrics.push_back({"batch_p50_seconds", "gauge", "how long batches took", p50});
    metrics.push_back({"batch_p99_seconds", "gauge", "how long batches took", p99});
  } else {
    metrics.push_back(
        {"waiting", "gauge", "files or messages that are there and not read", number("waiting")});
    metrics.push_back({"latency_p50_seconds", "gauge", "from an event to its row", p50});
    metrics.push_back({"latency_p99_seconds", "gauge", "from an event to its row", p99});
  }
  if (status.contains("in_windows")) {
    metrics.push_back({"in_windows", "gauge", "events that wait for others", number("in_windows")});
  }
  if (status.contains("join")) AddJoin(status["join"], metrics);
  if (status.contains("training")) AddTraining(status["training"], metrics);
  // A label's value has no line breaks, and quotes and backslashes with a backslash before them.
  std::string label;
  for (const char each : stream) {
    if (each == '"' || each == '\\') label += '\\';
    label += each == '\n' ? ' ' : each;
  }
  std::string text;
  for (const StreamFigure& each : metrics) {
    text += fmt::format(
        "# HELP protium_stream_{0} {1}\n# TYPE protium_stream_{0} {2}\n"
        "protium_stream_{0}{{stream=\"{3}\"}} {4}\n",
        each.name, each.help, each.kind, label, each.value);
  }
  return text;
}

Result<Json> ReadStreamStatus(const fs::path& folder) {
  if (!PartitionFolders(folder).empty()) return ReadDividedStatus(folder);
  if (!IsRegularFile(folder / "status.json")) {
    return Fail({.exit = Exit::kInput,
                 .what = "no stream has run here",
                 .where = folder.string(),
                 .fix = "protium stream JOB starts one; --streams-dir says where streams are"});
  }
  PT_LET(const std::string text, ReadFile(folder / "status.json", 16 << 20));
  Json status = Json::parse(text, nullptr, false);
  if (!status.is_object()) status = Json::object();
  const bool held = IsStreamHeld(folder);
  const std::string state = TextAt(status, "state");
  if (!held && (state == "running" || state == "paused")) status["state"] = "cut off";
  return status;
}

std::string StreamStatusText(const Json& status) {
  const Json latency = status.value("latency_ms", Json::object());
  std::string text = fmt::format("state     {}", TextAt(status, "state"));
  if (TextAt(status, "state") == "running") text += fmt::format(", pid {}", WholeAt(status, "pid"));
  const Json engine = status.value("engine", Json());
  text += "\n" + (engine.is_null() ? RowsText(status) : EngineText(status, engine));
  if (const int64_t events = WholeAt(status, "in_windows", -1); events >= 0) {
    text += fmt::format("events    {} {} for others\n", Grouped(events),
                        events == 1 ? "waits" : "wait");
  }
  if (status.contains("join")) text += JoinText(status["join"]);
  text += fmt::format("latency   p50 {:.0f} ms, p99 {:.0f} ms, {}\n", NumberAt(latency, "p50"),
                      NumberAt(latency, "p99"),
                      engine.is_null() ? "from an event to its row" : "of a batch");
  for (const char* const which : {"model", "shadow"}) {
    const Json model = status.value(which, Json());
    if (!model.is_object()) continue;
    text += fmt::format("{:<10}{} ({:.12}) in {}\n", which, Printable(TextAt(model, "name")),
                        TextAt(model, "sha256"), Printable(TextAt(model, "folder")));
    if (model.contains("trouble")) {
      text += fmt::format("          kept, since {}\n", Printable(TextAt(model, "trouble")));
    }
    if (model.contains("differ")) {
      text += fmt::format("          {} of {} predictions differ, by {:.4g} on average\n",
                          Grouped(WholeAt(model, "differ")), Grouped(WholeAt(model, "rows")),
                          NumberAt(model, "mean_apart"));
    }
  }
  if (status.contains("training")) text += TrainingText(status["training"]);
  if (status.contains("partitions")) text += PartitionsText(status["partitions"]);
  if (status.contains("error")) {
    text += "error     " + Printable(TextAt(status, "error")) + "\n";
  }
  return text;
}

}  // namespace protium
