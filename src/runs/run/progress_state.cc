// SPDX-License-Identifier: Apache-2.0
#include "run/progress_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>

#include "base/text.h"
#include "events/events.h"
#include "run/terminal.h"

namespace protium {

namespace {

constexpr auto kStill = std::chrono::seconds(2);  // A percentage that does not move for longer.

// A part of a line. If the line is too long, parts are dropped in the order of `drop`, 1 first;
// parts with 0 always stay.
struct Piece {
  std::string text;
  int drop = 0;
};

std::string Joined(std::vector<Piece> pieces, int32_t width) {
  for (int drop = 1;; ++drop) {
    std::string line;
    for (const Piece& piece : pieces) line += piece.text;
    if (drop > 5 || TextWidth(line) <= width) return line;
    std::erase_if(pieces, [&](const Piece& piece) { return piece.drop == drop; });
  }
}

Phase Shown(Phase phase) {
  if (phase == Phase::kPrepare) return Phase::kEtl;
  return phase == Phase::kStart ? Phase::kTrain : phase;
}

// In the unit of RunPhases.
double Millis(Deadline time) {
  return std::chrono::duration<double, std::milli>(time.time_since_epoch()).count();
}

}  // namespace

std::vector<std::string> ProgressState::On(const Json& json, Deadline now) {
  const Event event = EventFromJson(json);
  phases_.On(event, Millis(now));
  Lines lines = Follow(now);
  if (Is<TableTaken>(json) && TextAt(json, "name") == "etl") taken_from_ = TextAt(json, "run");
  if (Is<WorkTaken>(json)) {
    if (TextAt(json, "what") == "fit") fit_from_ = "kept from " + TextAt(json, "run") + ": ";
    if (TextAt(json, "what") == "rows") rows_from_ = ", kept from " + TextAt(json, "run");
  }
  const Lines more = std::visit([&](const auto& each) { return Take(each, now); }, event);
  lines.insert(lines.end(), more.begin(), more.end());
  view_.On(event);
  const std::string detail = with_details_ ? details_.On(event, now) : std::string();
  if (!detail.empty()) lines.push_back(detail);
  return lines;
}

// Plans of later phases report reads and writes as well.
ProgressState::Lines ProgressState::Take(const EtlProgress& event, Deadline now) {
  if (phase_ != Phase::kEtl) return {};
  if (event.rows >= 0) rows_ = event.rows;
  const double percent = event.percent.value_or(etl_percent_);
  if (percent != etl_percent_) etl_moved_ = now;
  etl_percent_ = percent;
  etl_held_ = event.held.value_or(etl_held_);
  etl_spilled_ = event.spilled.value_or(etl_spilled_);
  return {};
}

ProgressState::Lines ProgressState::Take(const EtlDone& event, Deadline) {
  if (phase_ == Phase::kEtl) rows_ = event.rows;
  return {};
}

ProgressState::Lines ProgressState::Take(const TrialStarted& event, Deadline) {
  trials_ = event.trials;
  ++running_;
  return {};
}

// One lasting line per trial: what was tried, its result, and the best so far.
ProgressState::Lines ProgressState::Take(const TrialEnded& event, Deadline) {
  trials_ = event.trials;
  running_ = std::max<int64_t>(0, running_ - 1);
  ++ended_;
  const int width = int(std::to_string(event.trials).size());
  std::string line = fmt::format("trial    {:>{}}/{}  ", event.trial, width, event.trials);
  if (event.state == "pruned") {
    line += "pruned: " + event.error;
  } else if (event.value) {
    line += event.metric + " " + Figure(*event.value, 5);
    if (event.deviation) line += fmt::format(" +- {:.2g}", *event.deviation);
    if (!event.error.empty()) line += "  not the best: " + event.error;
  } else {
    line += "failed: " + event.error;
  }
  if (!event.values.empty()) line += "  " + event.values;
  line += "  " + Seconds(event.seconds);
  if (event.best_value && event.trials > 1) {
    best_ =
        fmt::format("{} {} in trial {}", event.metric, Figure(*event.best_value, 5), event.best);
    line += event.best == event.trial ? "  the best so far" : "  best: " + best_;
  }
  return {std::move(line)};
}

ProgressState::Lines ProgressState::Take(const StageFitted& event, Deadline) {
  if (!event.stage.empty()) stages_ += (stages_.empty() ? "" : ", ") + event.stage;
  return {};
}

ProgressState::Lines ProgressState::Take(const TrainStarted& event, Deadline) {
  rows_ = event.rows;
  first_step_ = -1;
  return {};
}

// Estimates the remaining time from the first step of this attempt on: steps of an earlier one took
// no time in this one, and a restart goes back.
ProgressState::Lines ProgressState::Take(const StepDone& event, Deadline now) {
  if (first_step_ < 0 || event.step < first_step_) {
    first_step_ = event.step;
    first_step_at_ = now;
  }
  return {};
}

ProgressState::Lines ProgressState::Take(const Scored& event, Deadline) {
  scored_ = true;
  if (event.rows >= 0) rows_ = event.rows;
  return {};
}

ProgressState::Lines ProgressState::Take(const AttemptStarted& event, Deadline) {
  first_step_ = -1;
  return {"restart  " + event.cause};
}

ProgressState::Lines ProgressState::Take(const Waiting& event, Deadline) {
  return event.why.empty() ? Lines() : Lines{"waiting  " + event.why};
}

ProgressState::Lines ProgressState::Take(const OtherEvent& event, Deadline) {
  placed_ = placed_ || event.name == PipelinePlaced::kName;
  return {};
}

ProgressState::Lines ProgressState::Follow(Deadline now) {
  const std::vector<RunPart>& parts = phases_.parts();
  if (parts.empty() || parts.back().over) return {};
  const Phase phase = Shown(parts.back().phase);
  if (phase == phase_) return {};
  Lines lines = Finish(now);
  phase_ = phase;
  entered_ = now;
  rows_ = 0;
  scored_ = false;
  return lines;
}

std::vector<std::string> ProgressState::Finish(Deadline now) {
  Lines lines;
  const bool nothing =
      !phase_ || (phase_ == Phase::kEtl && rows_ == 0) || (phase_ == Phase::kScore && !scored_);
  if (!nothing) lines.push_back(Summary(now));
  phase_.reset();
  return lines;
}

std::vector<std::string> ProgressState::Metrics() const {
  std::vector<std::string> metrics;
  for (const auto& [name, value] : view_.metrics) {
    metrics.push_back(name + " " + Figure(value, 4));
  }
  return metrics;
}

double ProgressState::SecondsIn(Deadline now) const {
  return std::chrono::duration<double>(now - entered_).count();
}

// Adds up the last part of the phase and those of the same phase directly before it: starting ranks
// is a part of training, and reading the job is not a part of ETL. No event reports when ETL
// without a pipeline begins to read.
double ProgressState::SecondsOfParts(Deadline now) const {
  if (phase_ == Phase::kEtl && !placed_) return SecondsIn(now);
  const auto belongs = [this](const RunPart& part) {
    return part.phase != Phase::kPrepare && Shown(part.phase) == phase_;
  };
  const std::vector<RunPart>& parts = phases_.parts();
  auto part = std::find_if(parts.rbegin(), parts.rend(), belongs);
  if (part == parts.rend()) return SecondsIn(now);
  double millis = 0;
  for (; part != parts.rend() && belongs(*part); ++part) {
    millis += (part->over ? part->ended : Millis(now)) - part->began;
  }
  return millis / 1000;
}

std::optional<double> ProgressState::percent() const {
  if (phase_ == Phase::kTrain && view_.steps > 0)
    return 100.0 * double(view_.step) / double(view_.steps);
  if (phase_ == Phase::kEtl && etl_percent_ >= 0) return etl_percent_;
  if (phase_ == Phase::kSearch && trials_ > 0) return 100.0 * double(ended_) / double(trials_);
  return std::nullopt;
}

std::string ProgressState::Line(Deadline now, bool unicode, int32_t width) const {
  const double seconds = SecondsIn(now);
  if (!phase_) return {};
  switch (*phase_) {
    case Phase::kPrepare:
    case Phase::kEtl:
      return EtlLine(now);
    case Phase::kSearch:
      return SearchLine(now);
    case Phase::kFit:
      return "fit      " + fit_from_ + stages_ + "  " + Seconds(seconds);
    case Phase::kStart:
    case Phase::kTrain:
      return TrainLine(now, unicode, width);
    case Phase::kScore:
      return "score    " + (rows_ > 0 ? Grouped(rows_) + " rows  " : "") + Seconds(seconds);
  }
  return {};
}

// The percentage counts input that was read. It stands still while rows are sorted and joined; the
// bytes that the engine holds still change then, so they are shown instead.
std::string ProgressState::EtlLine(Deadline now) const {
  const double seconds = SecondsIn(now);
  const bool still = etl_held_ >= 0 && etl_percent_ > 0 && now - etl_moved_ > kStill;
  std::string line = "etl      ";
  line += rows_ > 0 ? Grouped(rows_) + " rows" : still ? "sorting and joining" : "reading tables";
  if (rows_ > 0 && seconds > 0.2) line += "  " + Short(double(rows_) / seconds) + " rows/s";
  if (etl_percent_ > 0 && !still) line += fmt::format("  {:.0f}%", etl_percent_);
  if (rows_ == 0 && etl_held_ > 0) line += "  " + Short(etl_held_) + "B held";
  if (rows_ == 0 && etl_spilled_ > 0) line += ", " + Short(etl_spilled_) + "B of it on disk";
  return line + "  " + Seconds(seconds);
}

// The remaining time assumes that all trials take equally long.
std::string ProgressState::SearchLine(Deadline now) const {
  std::string line = fmt::format("search   {}/{} trials", ended_, trials_);
  if (running_ > 0) line += fmt::format("  {} running", running_);
  if (!best_.empty()) line += "  best: " + best_;
  const double seconds = SecondsIn(now);
  line += "  " + Seconds(seconds);
  if (ended_ > 0 && ended_ < trials_) {
    line += "  " + RoughSeconds(seconds / double(ended_) * double(trials_ - ended_)) + " left";
  }
  return line;
}

std::string ProgressState::TrainLine(Deadline now, bool unicode, int32_t width) const {
  if (view_.step == 0) return "train    starting workers  " + Seconds(SecondsIn(now));
  const std::string of_epochs = view_.epochs > 0 ? fmt::format("/{}", view_.epochs) : "";
  const char* const what = view_.trees ? "round" : "epoch";
  std::vector<Piece> pieces = {{fmt::format("train    {} {}{}", what, view_.epoch, of_epochs)}};
  if (!view_.trees) pieces.push_back({fmt::format("  step {}/{}", view_.step, view_.steps)});
  pieces.push_back({"  loss " + Figure(view_.loss, 4)});
  const std::vector<double>& losses = view_.epoch_losses;
  if (unicode && losses.size() > 1) {
    pieces.push_back({" " + Sparkline(losses.data(), losses.size(), 10), 1});
  }
  const std::vector<std::string> metrics = Metrics();
  for (const std::string& each : metrics) {
    const bool first = &each == &metrics.front();
    pieces.push_back({(first ? "  " : " ") + each, first ? 5 : 2});
  }
  if (view_.rows_per_second > 0)
    pieces.push_back({"  " + Short(view_.rows_per_second) + " rows/s", 4});
  pieces.push_back({fmt::format("  waiting {:.0f}%", 100 * view_.wait_share), 3});
  const double trained = std::chrono::duration<double>(now - first_step_at_).count();
  if (view_.step > first_step_ && view_.steps > view_.step) {
    const double left =
        trained / double(view_.step - first_step_) * double(view_.steps - view_.step);
    pieces.push_back({"  " + RoughSeconds(left) + " left"});
  }
  return Joined(std::move(pieces), width);
}

std::string ProgressState::Summary(Deadline now) const {
  const std::string took = Seconds(SecondsOfParts(now));
  if (phase_ == Phase::kTrain && view_.step > 0) {
    std::string line = fmt::format("train    {} {}{}", Grouped(view_.step),
                                   view_.trees ? "round" : "step", PluralOf(view_.step));
    if (rows_ > 0) line += " on " + Grouped(rows_) + " rows" + rows_from_;
    line += fmt::format("  {}loss {}", view_.epoch_ended && !view_.trees ? "last epoch: " : "",
                        Figure(view_.loss, 4));
    const std::vector<std::string> metrics = Metrics();
    for (const std::string& each : metrics) {
      line += (&each == &metrics.front() ? " validation " : " ") + each;
    }
    return line + "  " + took;
  }
  if (phase_ == Phase::kEtl) {
    if (!taken_from_.empty()) {
      return "etl      kept from " + taken_from_ + ", " + Grouped(rows_) + " rows  " + took;
    }
    return "etl      " + (rows_ > 0 ? Grouped(rows_) + " rows  " : "") + took;
  }
  if (phase_ == Phase::kFit) return "fit      " + fit_from_ + stages_ + "  " + took;
  if (phase_ == Phase::kScore) {
    return "score    " + (rows_ > 0 ? Grouped(rows_) + " rows  " : "") + took;
  }
  return Line(now, false);
}

}  // namespace protium
