// SPDX-License-Identifier: Apache-2.0
#include "run/progress_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>

#include "run/terminal.h"

namespace protium {

namespace {

constexpr auto kStill = std::chrono::seconds(2);

double NumberAt(const Json& event, const char* key, double otherwise) {
  const auto found = event.find(key);
  return found != event.end() && found->is_number() ? found->get<double>() : otherwise;
}

int64_t CountAt(const Json& event, const char* key, int64_t otherwise) {
  return static_cast<int64_t>(NumberAt(event, key, static_cast<double>(otherwise)));
}

// A part of a line; the highest `drop` stays longest, 0 for good.
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

std::string TextAt(const Json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::vector<std::string> ProgressState::On(const Json& event, Deadline now) {
  const std::string kind = TextAt(event, "event");
  std::vector<std::string> lines;
  if (kind == "start" || kind == "etl" || kind == "etl_done") {
    // Later plans report their scans as well; only the first phase is the ETL.
    if (phase_ != Phase::kNone && phase_ != Phase::kEtl) return {};
    lines = Enter(Phase::kEtl, now);
    OnEtl(event, now);
  } else if (kind == "fit") {
    lines = Enter(Phase::kFit, now);
    const std::string stage = TextAt(event, "stage");
    if (!stage.empty()) stage_ += (stage_.empty() ? "" : ", ") + stage;
  } else if (kind == "train_start") {
    lines = Enter(Phase::kTrain, now);
    rows_ = CountAt(event, "rows", 0);
    steps_ = CountAt(event, "steps", 0);
    epochs_ = CountAt(event, "epochs", epochs_);
    first_step_ = -1;
  } else if (kind == "step") {
    lines = Enter(Phase::kTrain, now);
    OnStep(event, now);
  } else if (kind == "validation") {
    OnValidation(event);
  } else if (kind == "epoch") {
    OnEpoch(event);
  } else if (kind == "score" || kind == "score_metrics") {
    lines = Enter(Phase::kScore, now);
    rows_ = CountAt(event, "rows", rows_);
  } else if (kind == "restart") {
    lines.push_back("restart  " + TextAt(event, "cause"));
    first_step_ = -1;
  } else if (kind == "waiting" && !TextAt(event, "why").empty()) {
    lines.push_back("waiting  " + TextAt(event, "why"));
  } else if (kind == "note" || kind == "warning") {
    lines.push_back(kind + "  " + TextAt(event, "message"));
  }
  return lines;
}

std::vector<std::string> ProgressState::Enter(Phase phase, Deadline now) {
  if (phase == phase_) return {};
  std::vector<std::string> lines = Finish(now);
  phase_ = phase;
  entered_ = now;
  rows_ = 0;
  return lines;
}

std::vector<std::string> ProgressState::Finish(Deadline now) {
  std::vector<std::string> lines;
  const bool nothing = phase_ == Phase::kNone || (phase_ == Phase::kEtl && rows_ == 0);
  if (!nothing) lines.push_back(Summary(now));
  phase_ = Phase::kNone;
  return lines;
}

void ProgressState::OnEtl(const Json& event, Deadline now) {
  rows_ = CountAt(event, "rows", rows_);
  const double percent = NumberAt(event, "percent", etl_percent_);
  if (percent != etl_percent_) etl_moved_ = now;
  etl_percent_ = percent;
  etl_held_ = NumberAt(event, "held", etl_held_);
  etl_spilled_ = NumberAt(event, "spilled", etl_spilled_);
}

void ProgressState::OnStep(const Json& event, Deadline now) {
  step_ = CountAt(event, "step", step_);
  steps_ = CountAt(event, "steps", steps_);
  loss_ = NumberAt(event, "loss", loss_);
  epoch_ended_ = false;
  rows_per_second_ = NumberAt(event, "rows_per_second", rows_per_second_);
  wait_share_ = NumberAt(event, "wait_share", wait_share_);
  const int64_t epoch = CountAt(event, "epoch", epoch_);
  if (epoch != epoch_ || losses_.empty()) {
    losses_.push_back(loss_);
  } else {
    losses_.back() = loss_;
  }
  epoch_ = epoch;
  if (first_step_ < 0 || step_ < first_step_) {
    first_step_ = step_;
    first_step_at_ = now;
  }
}

// Steps tell of themselves by the clock, so that an epoch may pass without a word of them: its end
// has the last word on the loss.
void ProgressState::OnEpoch(const Json& event) {
  step_ = CountAt(event, "step", step_);
  epoch_ = CountAt(event, "epoch", epoch_);
  loss_ = NumberAt(event, "loss", loss_);
  epoch_ended_ = true;
  if (losses_.empty()) losses_.push_back(loss_);
  losses_.back() = loss_;
}

void ProgressState::OnValidation(const Json& event) {
  validation_.clear();
  for (const auto& [key, value] : event.items()) {
    static constexpr std::string_view kPlaces[] = {"epoch", "step", "rows", "rank", "attempt"};
    const bool place = std::find(std::begin(kPlaces), std::end(kPlaces), key) != std::end(kPlaces);
    if (place || !value.is_number()) continue;
    validation_.push_back(fmt::format("{} {:.4g}", key, value.get<double>()));
  }
}

double ProgressState::SecondsIn(Deadline now) const {
  return std::chrono::duration<double>(now - entered_).count();
}

std::optional<double> ProgressState::percent() const {
  if (phase_ == Phase::kTrain && steps_ > 0) return 100.0 * double(step_) / double(steps_);
  if (phase_ == Phase::kEtl && etl_percent_ >= 0) return etl_percent_;
  return std::nullopt;
}

std::string ProgressState::Line(Deadline now, bool unicode, int32_t width) const {
  const double seconds = SecondsIn(now);
  switch (phase_) {
    case Phase::kNone:
      return {};
    case Phase::kEtl:
      return EtlLine(now);
    case Phase::kFit:
      return "fit      " + stage_ + "  " + Seconds(seconds);
    case Phase::kTrain:
      return TrainLine(now, unicode, width);
    case Phase::kScore:
      return "score    " + (rows_ > 0 ? Grouped(rows_) + " rows  " : "") + Seconds(seconds);
  }
  return {};
}

// The percentage is of what was read: it stands still while rows are sorted and joined, and what
// these hold moves.
std::string ProgressState::EtlLine(Deadline now) const {
  const double seconds = SecondsIn(now);
  const bool still = etl_held_ >= 0 && etl_percent_ > 0 && now - etl_moved_ > kStill;
  std::string line = "etl      ";
  line += rows_ > 0 ? Grouped(rows_) + " rows" : still ? "sorting and joining" : "reading tables";
  if (rows_ > 0 && seconds > 0.2) line += "  " + Short(double(rows_) / seconds) + " rows/s";
  if (etl_percent_ > 0 && !still) line += fmt::format("  {:.0f} %", etl_percent_);
  if (rows_ == 0 && etl_held_ > 0) line += "  " + Short(etl_held_) + "B held";
  if (rows_ == 0 && etl_spilled_ > 0) line += ", " + Short(etl_spilled_) + "B of it in files";
  return line + "  " + Seconds(seconds);
}

std::string ProgressState::TrainLine(Deadline now, bool unicode, int32_t width) const {
  if (step_ == 0) return "train    starting workers  " + Seconds(SecondsIn(now));
  const std::string of_epochs = epochs_ > 0 ? fmt::format("/{}", epochs_) : "";
  std::vector<Piece> pieces = {{fmt::format("train    epoch {}{}", epoch_, of_epochs)},
                               {fmt::format("  step {}/{}", step_, steps_)},
                               {fmt::format("  loss {:.4g}", loss_)}};
  if (unicode && losses_.size() > 1) {
    pieces.push_back({" " + Sparkline(losses_.data(), losses_.size(), 10), 1});
  }
  for (const std::string& each : validation_) {
    const bool first = &each == &validation_.front();
    pieces.push_back({(first ? "  " : " ") + each, first ? 5 : 2});
  }
  if (rows_per_second_ > 0) pieces.push_back({"  " + Short(rows_per_second_) + " rows/s", 4});
  pieces.push_back({fmt::format("  waiting {:.0f} %", 100 * wait_share_), 3});
  const double trained = std::chrono::duration<double>(now - first_step_at_).count();
  if (step_ > first_step_ && steps_ > step_) {
    const double left = trained / double(step_ - first_step_) * double(steps_ - step_);
    pieces.push_back({"  " + RoughSeconds(left) + " left"});
  }
  return Joined(std::move(pieces), width);
}

std::string ProgressState::Summary(Deadline now) const {
  const std::string took = Seconds(SecondsIn(now));
  if (phase_ == Phase::kTrain && step_ > 0) {
    std::string line = fmt::format("train    {} step{}", Grouped(step_), step_ == 1 ? "" : "s");
    if (rows_ > 0) line += " on " + Grouped(rows_) + " rows";
    line += fmt::format("  {}loss {:.4g}", epoch_ended_ ? "last epoch: " : "", loss_);
    for (const std::string& each : validation_) {
      line += (&each == &validation_.front() ? " validation " : " ") + each;
    }
    return line + "  " + took;
  }
  if (phase_ == Phase::kEtl) {
    return "etl      " + (rows_ > 0 ? Grouped(rows_) + " rows  " : "") + took;
  }
  return Line(now, false);
}

}  // namespace protium
