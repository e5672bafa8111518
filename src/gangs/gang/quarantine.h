// SPDX-License-Identifier: Apache-2.0
// What is left out for a while because ranks died on it again and again, such as a device. Has no
// clock: the caller passes times.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/call.h"

namespace protium {

struct QuarantineTerms {
  int32_t deaths = 3;           // This many within one probation.
  Clock::duration probation{};  // How long it is left out.
};

class Quarantine {
 public:
  // A rank died on `name`. Returns the number of deaths for which it is in quarantine from now on;
  // 0 if it is not. After quarantine it is on probation for as long again: the first death puts it
  // back.
  int32_t Died(const std::string& name, const QuarantineTerms& terms, Clock::time_point now);
  bool Holds(const std::string& name, Clock::time_point now) const;

 private:
  struct Record {
    int32_t deaths = 0;
    Clock::time_point last{};    // The newest death.
    Clock::time_point until{};   // In quarantine until then,
    Clock::time_point proven{};  // and on probation until then.
  };
  std::map<std::string, Record> records_;
};

}  // namespace protium
