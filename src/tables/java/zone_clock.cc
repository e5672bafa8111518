// SPDX-License-Identifier: Apache-2.0
#include "java/zone_clock.h"

#include "java/text_values.h"

namespace protium {
namespace {

constexpr int64_t kMicrosOfDay = int64_t{86400} * 1000000;

// Rounded down, also before 1970, because ICU's clock counts milliseconds; offsets do not change
// within one.
double AsMillis(int64_t micros) {
  const int64_t millis = micros / 1000;
  return static_cast<double>(micros % 1000 < 0 ? millis - 1 : millis);
}

}  // namespace

// ICU treats an unknown zone as UTC, so names are checked first.
bool ZoneClock::Open(std::string_view zone) {
  if ((calendar_ != nullptr || fixed_) && zone == zone_) return true;
  calendar_.reset();
  fixed_ = ReadOffset(zone);
  zone_ = zone;
  if (fixed_) {
    *fixed_ *= 1000000;
    return true;
  }
  const std::u16string wide(zone.begin(), zone.end());
  const auto length = static_cast<int32_t>(wide.size());
  UErrorCode problem = U_ZERO_ERROR;
  UChar canonical[128];
  UBool system = 0;
  ucal_getCanonicalTimeZoneID(wide.data(), length, canonical, 128, &system, &problem);
  // ICU also makes zones of offsets in spellings that Java rejects.
  if (U_FAILURE(problem) || system == 0) return false;
  calendar_.reset(ucal_open(wide.data(), length, "", UCAL_GREGORIAN, &problem));
  return U_SUCCESS(problem);
}

std::optional<int64_t> ZoneClock::Ahead(int64_t micros) {
  if (fixed_) return fixed_;
  UErrorCode problem = U_ZERO_ERROR;
  ucal_setMillis(calendar_.get(), AsMillis(micros), &problem);
  const int64_t standard = ucal_get(calendar_.get(), UCAL_ZONE_OFFSET, &problem);
  const int64_t summer = ucal_get(calendar_.get(), UCAL_DST_OFFSET, &problem);
  if (U_FAILURE(problem)) return std::nullopt;
  return (standard + summer) * 1000;
}

std::optional<int64_t> ZoneClock::AheadOfLocal(int64_t local) {
  // Takes the offsets a day before and after, assuming that a zone changes at most once in between.
  // If the clock shows `local` with the first offset, that moment is the result; otherwise with the
  // last; otherwise `local` fell into the missing hour.
  const auto first = Ahead(local - kMicrosOfDay);
  const auto last = Ahead(local + kMicrosOfDay);
  if (!first || !last) return std::nullopt;
  const auto shown = Ahead(local - *first);
  if (!shown) return std::nullopt;
  if (*shown == *first) return first;  // The clock had not been moved yet.
  const auto moved = Ahead(local - *last);
  if (!moved) return std::nullopt;
  return *moved == *last ? last : first;
}

std::optional<int64_t> ReadMicros(ZoneClock& clock, std::string_view text, bool zoned,
                                  std::string& why) {
  const auto read = ReadClockText(text, why);
  if (!read) return std::nullopt;
  if (read->zone.empty()) return read->micros;
  if (!clock.Open(read->zone)) return std::nullopt;
  if (!zoned) return read->micros;
  const auto ahead = clock.AheadOfLocal(read->micros);
  if (!ahead) return std::nullopt;
  return read->micros - *ahead;
}

}  // namespace protium
