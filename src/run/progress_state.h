// SPDX-License-Identifier: Apache-2.0
// What the events of a run add up to, as one line of text. Reads no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/json.h"
#include "run/events.h"

namespace protium {

class ProgressState {
 public:
  // Takes in an event. Gives the lines that stand for good from now on: a phase that ended, a gang
  // that was started again.
  std::vector<std::string> On(const Json& event, Deadline now);

  // Ends the running phase and gives its line.
  std::vector<std::string> Finish(Deadline now);

  // What is going on at this moment, in at most `width` columns if leaving out the less important
  // parts makes it fit; empty before anything began.
  std::string Line(Deadline now, bool unicode, int32_t width = 1000) const;

  // How far the running phase is, in percent, where that is known.
  std::optional<double> percent() const;

 private:
  enum class Phase { kNone, kEtl, kFit, kTrain, kScore };
  using Lines = std::vector<std::string>;

  // Each gives the lines that stand for good from then on.
  Lines Take(const RunStarted&, Deadline now) { return EnterEtl(now); }
  Lines Take(const EtlProgress& event, Deadline now);
  Lines Take(const EtlDone& event, Deadline now);
  Lines Take(const StageFitted& event, Deadline now);
  Lines Take(const TrainStarted& event, Deadline now);
  Lines Take(const StepDone& event, Deadline now);
  Lines Take(const Scored& event, Deadline now);
  Lines Take(const AttemptStarted& event, Deadline now);
  Lines Take(const Waiting& event, Deadline now);
  Lines Take(const Note& event, Deadline) { return {"note  " + event.message}; }
  Lines Take(const Warning& event, Deadline) { return {"warning  " + event.message}; }
  template <class E>
  Lines Take(const E&, Deadline) {
    return {};
  }

  Lines Enter(Phase phase, Deadline now);
  Lines EnterEtl(Deadline now);
  std::string Summary(Deadline now) const;
  std::string EtlLine(Deadline now) const;
  std::string TrainLine(Deadline now, bool unicode, int32_t width) const;
  std::vector<std::string> Metrics() const;  // "rmse 14.1", the first is the most important.
  double SecondsIn(Deadline now) const;

  RunView view_;
  Phase phase_ = Phase::kNone;
  Deadline entered_{};
  int64_t rows_ = 0;
  double etl_percent_ = -1;
  Deadline etl_moved_{};    // When the percentage last did.
  double etl_held_ = -1;    // Bytes in memory and in files; -1: unknown.
  double etl_spilled_ = 0;  // Of those, in files.
  std::string stages_;
  int64_t first_step_ = -1;  // Where this attempt began.
  Deadline first_step_at_{};
};

}  // namespace protium
