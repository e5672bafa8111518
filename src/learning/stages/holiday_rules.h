// SPDX-License-Identifier: Apache-2.0
// Public holidays of countries, from the rules of their laws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace protium {

// The years whose holidays are known.
inline constexpr int kFirstHolidayYear = 1995, kLastHolidayYear = 2060;

// The codes of ISO 3166 of the countries with rules, ascending.
std::vector<std::string> HolidayCountries();

// The days, since 1970-01-01, of all public holidays of a country in the years from
// kFirstHolidayYear to kLastHolidayYear, ascending and each once; empty for a country without
// rules. Holidays of the whole country only; of GB those of England. A day off in place of a
// holiday on a weekend (US, GB) is one, too. Laws may change: the rules are those of 2025.
std::vector<int32_t> HolidaysOf(const std::string& country);

}  // namespace protium
