// SPDX-License-Identifier: Apache-2.0
// The text of the progress display: what to say about the phase that a run is in (run/phases.h).
// Here, reading the job counts as ETL, and starting ranks as training. The time in a summary is
// that of the phase's parts, as in result.json. Uses no clock and no terminal; progress.h has
// those.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/json.h"
#include "protium/events.h"
#include "run/event_details.h"
#include "run/phases.h"
#include "run/run_view.h"

namespace protium {

class ProgressState {
 public:
  // With `details` On() returns a line for each step, too (run/event_details.h).
  explicit ProgressState(bool details = false) : with_details_(details) {}

  // Takes an event. Returns the lasting lines to print: the summary of a phase that has ended, a
  // restart, a note.
  std::vector<std::string> On(const Json& event, Deadline now);

  // Ends the running phase and returns its summary.
  std::vector<std::string> Finish(Deadline now);

  // The live line. To fit `width` columns, less important parts are left out; empty before anything
  // has begun.
  std::string Line(Deadline now, bool unicode, int32_t width = 1000) const;

  // How much of the running phase is done, 0 to 100; nullopt if unknown.
  std::optional<double> percent() const;

 private:
  using Lines = std::vector<std::string>;

  // One overload per event that the display shows; each returns what On() does.
  Lines Take(const EtlProgress& event, Deadline now);
  Lines Take(const EtlDone& event, Deadline now);
  Lines Take(const TrialStarted& event, Deadline now);
  Lines Take(const TrialEnded& event, Deadline now);
  Lines Take(const StageFitted& event, Deadline now);
  Lines Take(const TrainStarted& event, Deadline now);
  Lines Take(const StepDone& event, Deadline now);
  Lines Take(const Scored& event, Deadline now);
  Lines Take(const AttemptStarted& event, Deadline now);
  Lines Take(const Waiting& event, Deadline now);
  Lines Take(const OtherEvent& event, Deadline now);
  Lines Take(const Note& event, Deadline) { return {"note  " + event.message}; }
  Lines Take(const Warning& event, Deadline) { return {"warning  " + event.message}; }
  template <class E>
  Lines Take(const E&, Deadline) {
    return {};
  }

  Lines Follow(Deadline now);
  std::string Summary(Deadline now) const;
  std::string EtlLine(Deadline now) const;
  std::string SearchLine(Deadline now) const;
  std::string TrainLine(Deadline now, bool unicode, int32_t width) const;
  std::vector<std::string> Metrics() const;  // "rmse 14.1"; the most important first.
  double SecondsIn(Deadline now) const;
  double SecondsOfParts(Deadline now) const;

  const bool with_details_;
  EventDetails details_;
  RunView view_;
  RunPhases phases_;
  std::optional<Phase> phase_;  // As shown; none before anything has begun.
  Deadline entered_{};          // When the phase began.
  int64_t rows_ = 0;            // Of the running phase; 0: unknown.
  std::string taken_from_;      // The run that made the ETL's table; empty: this one.
  bool scored_ = false;         // Whether rows of the phase were scored.
  bool placed_ = false;         // Whether a pipeline was placed: from then on its rows are read.
  double etl_percent_ = -1;     // -1: unknown.
  Deadline etl_moved_{};        // When etl_percent_ last changed.
  double etl_held_ = -1;        // Bytes in memory and in spill files; -1: unknown.
  double etl_spilled_ = 0;      // Of those, in spill files.
  int64_t trials_ = 0;          // Of the search.
  int64_t running_ = 0;         // Trials that have started and not ended.
  int64_t ended_ = 0;           // Trials that have ended while this phase ran.
  std::string best_;            // "rmse 14.1 in trial 3"
  std::string fit_from_;        // "kept from RUN: ", or empty.
  std::string rows_from_;       // ", kept from RUN", or empty: of packed rows.
  std::string stages_;          // "index, fill, scale"
  int64_t first_step_ = -1;     // The first step of this attempt; -1: none yet.
  Deadline first_step_at_{};
};

}  // namespace protium
