// SPDX-License-Identifier: Apache-2.0
#include "gang/quarantine.h"

namespace protium {

int32_t Quarantine::Died(const std::string& name, const QuarantineTerms& terms,
                         Clock::time_point now) {
  Record& record = records_[name];
  const bool proven = now >= record.proven && now - record.last > terms.probation;
  record.deaths = proven ? 1 : record.deaths + 1;
  record.last = now;
  if (record.deaths < terms.deaths) return 0;
  record.until = now + terms.probation;
  record.proven = record.until + terms.probation;
  return record.deaths;
}

bool Quarantine::Holds(const std::string& name, Clock::time_point now) const {
  const auto record = records_.find(name);
  return record != records_.end() && now < record->second.until;
}

}  // namespace protium
