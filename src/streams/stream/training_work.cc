// SPDX-License-Identifier: Apache-2.0
#include "stream/training_work.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <vector>

#include "base/fault.h"
#include "base/mentions.h"
#include "metrics/metrics.h"
#include "os/file.h"
#include "os/subprocess.h"
#include "stream/stream_model.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kLook{50};
constexpr int64_t kMostOutput = 64 << 20;

// A path as TOML writes it.
std::string Quoted(const fs::path& path) { return Dump(Json(path.string())); }

class Training {
 public:
  Training(const TrainingOrder& order, const std::stop_token& stop) : order_(order), stop_(stop) {}

  Status Run(TrainingEnded& ended) {
    std::error_code ignored;
    fs::remove_all(order_.folder, ignored);
    PT_TRY(MakeFolder(order_.folder));
    PT_TRY(CutEventsFor(ended));
    PT_TRY(Fit(ended));
    // What the stream cannot score with is refused here, and not when the tag has moved.
    PT_TRY(LoadStreamModel(ended.model).status());
    const std::string after_training = order_.sql ? order_.table : "";
    PT_LET(const Json live, Judge(order_.begun.model_folder, order_.live_table, "live"));
    PT_LET(const Json trained, Judge(ended.model, after_training, "trained"));
    PT_TRY(Decide(live, trained, ended));
    fs::remove(order_.folder / "train.parquet", ignored);
    fs::remove(order_.folder / "tail.parquet", ignored);
    return Status::OK();
  }

 private:
  Status CutEventsFor(TrainingEnded& ended) const {
    PT_LET(const CutEvents cut,
           KeptEvents(order_.events)
               .Cut(order_.begun.due.batches, order_.options.newest, order_.options.held_out,
                    order_.folder / "train.parquet", order_.folder / "tail.parquet"));
    ended.rows = cut.rows;
    ended.held_out = cut.held_out;
    return Status::OK();
  }

  Status Fit(TrainingEnded& ended) {
    std::vector<std::string> words = {"run",
                                      order_.job.string(),
                                      "--json",
                                      "--runs-dir",
                                      (order_.folder / "runs").string(),
                                      "--set",
                                      fmt::format("tables.{}={{ parquet = {} }}", order_.table,
                                                  Quoted(order_.folder / "train.parquet")),
                                      "--set",
                                      "outputs={}"};
    if (!order_.options.anew) {
      words.insert(words.end(), {"--set", "train.from=" + Quoted(order_.begun.model_folder)});
    }
    auto ran = Ask(std::move(words), "train");
    if (!ran.ok() && !order_.options.anew) return WarmFault(ran.status());
    PT_LET(const Json run, std::move(ran));
    ended.model = TextAt(run, "model");
    PT_LET(const std::string text, ReadFile(ended.model + "/model.json", kMostOutput));
    PT_LET(const Json model, ParseJson(text));
    ended.weights_sha256 = TextAt(model, "weights_sha256");
    return Status::OK();
  }

  // Indices of values that are new make another net.
  static Status WarmFault(const Status& status) {
    Fault fault = FaultOf(status);
    if (!Mentions(fault.what, {"do not fit the net"})) return status;
    fault.why = "its stages were fitted anew; anew = true begins with new weights";
    return Fail(std::move(fault));
  }

  // The metrics of a model on the held-out events.
  Result<Json> Judge(const std::string& model, const std::string& table, const char* name) {
    const std::string tail = (order_.folder / "tail.parquet").string();
    const fs::path scored = order_.folder / fmt::format("{}-scored.parquet", name);
    std::vector<std::string> words = {"predict", "--model",  model,
                                      "--json",  "--output", scored.string()};
    if (table.empty()) {
      words.insert(words.end(), {"--input", tail});
    } else {
      words.insert(words.end(), {"--table", table + "=" + tail});
    }
    PT_LET(const Json line, Ask(std::move(words), name));
    std::error_code ignored;
    fs::remove(scored, ignored);
    return line.value("metrics", Json::object()).value("test", Json::object());
  }

  Status Decide(const Json& live, const Json& trained, TrainingEnded& ended) const {
    ended.metric = order_.options.metric;
    if (ended.metric.empty() && !trained.empty()) ended.metric = trained.begin().key();
    for (const Json* each : {&live, &trained}) {
      if (each->contains(ended.metric) && (*each)[ended.metric].is_number()) continue;
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("the held-out events do not determine {}",
                                       ended.metric.empty() ? "any metric" : ended.metric),
                   .why = each == &live ? "of the live model" : "of the new model"});
    }
    PT_LET(const MetricSpec metric, FindMetric(ended.metric));
    ended.live = live[ended.metric].get<double>();
    ended.trained = trained[ended.metric].get<double>();
    ended.promoted =
        metric.higher_is_better ? ended.trained >= ended.live : ended.trained <= ended.live;
    if (!ended.promoted) ended.why = "it is worse than the live model";
    return Status::OK();
  }

  // Runs this program with other words; returns the line of JSON that it prints. What it says
  // besides is in the folder.
  Result<Json> Ask(std::vector<std::string> words, const std::string& name) {
    const fs::path out = order_.folder / (name + ".json"), log = order_.folder / (name + ".log");
    UniqueFd fd(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd) return SystemFault("make " + out.string(), errno);
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error) return SystemFault("read /proc/self/exe", error.value());
    PT_LET(Subprocess process, spawner_.Start({.program = program,
                                               .args = std::move(words),
                                               .env = {},
                                               .fds = {{fd.get(), 1}},
                                               .log = log}));
    std::optional<Ended> ended;
    while (!ended) {
      if (stop_.stop_requested()) {
        process.Kill();
        return Fail({.exit = Exit::kStopped, .what = "the training was stopped"});
      }
      PT_LET(ended, process.Wait(Clock::now() + kLook));
    }
    PT_LET(const std::string text, ReadFile(out, kMostOutput));
    const Json line = Json::parse(text, nullptr, false);
    if (ended->code == 0 && ended->signal == 0 && line.is_object()) return line;
    const Json fault = line.is_object() ? line.value("error", Json::object()) : Json::object();
    const std::string what = TextAt(fault, "what");
    return Fail({.exit = Exit::kFailed,
                 .what = what.empty() ? "a process of the training " + ended->Describe() : what,
                 .where = what.empty() ? log.string() : TextAt(fault, "where"),
                 .why = TextAt(fault, "why")});
  }

  const TrainingOrder& order_;
  const std::stop_token& stop_;
  Spawner spawner_;
};

}  // namespace

TrainingEnded Train(const TrainingOrder& order, const std::stop_token& stop) {
  TrainingEnded ended{.number = order.begun.due.number};
  const Status status = Training(order, stop).Run(ended);
  if (status.ok()) return ended;
  const Fault fault = FaultOf(status);
  ended.failed = true;
  ended.promoted = false;
  ended.why = fault.what;
  if (!fault.where.empty()) ended.why += ", at " + fault.where;
  if (!fault.why.empty()) ended.why += ": " + fault.why;
  return ended;
}

}  // namespace protium
