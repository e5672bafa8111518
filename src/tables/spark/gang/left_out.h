// SPDX-License-Identifier: Apache-2.0
// Executors and hosts that a lease leaves out for a while because ranks died there repeatedly
// (gang/quarantine.h). They are counted separately: a rank's death counts for its executor; it
// counts for the host when the previous death was on another executor of that host, so that one bad
// executor does not cost the others their host.
#pragma once

#include <map>
#include <string>

#include "base/call.h"
#include "gang/quarantine.h"
#include "spark/gang/seen_rank.h"

namespace protium {

// One thread. Outlives the attempts of a gang.
class LeftOut {
 public:
  explicit LeftOut(const GangSpec& gang);
  // Records that a rank died there, or was given up; warns of what is left out from now on.
  void Died(const SeenRank& seen, Clock::time_point now, const Call& call);
  bool Holds(const SeenRank& seen, Clock::time_point now) const;

 private:
  void Warn(const std::string& what, int32_t deaths, const Call& call) const;

  const int32_t after_;     // GangSpec::quarantine; 0: nothing is left out.
  const double probation_;  // In seconds.
  const QuarantineTerms terms_;
  Quarantine hosts_;
  Quarantine executors_;
  std::map<std::string, std::string> last_;  // By host, the executor of the last death.
};

}  // namespace protium
