// SPDX-License-Identifier: Apache-2.0
// Clocks of time zones, by the rules of ICU's release, as Spark's are those of its Java: they may
// differ where a country changed its rules lately.
#pragma once

#include <unicode/ucal.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace protium {

// The clock of one zone at a time, that of the last Open(). Opening the same zone again costs
// nothing, so rows may do it one by one. One thread.
class ZoneClock {
 public:
  // Takes what java.time.ZoneId does: Europe/Berlin, PST, Z, +02:00, UTC+2. False if there is no
  // such zone.
  bool Open(std::string_view zone);

  // By how much the clock is ahead of UTC at a moment, in microseconds, as is the moment since
  // 1970-01-01 00:00:00. A zone must be open.
  std::optional<int64_t> Ahead(int64_t micros);

  // The same where `local` is what the clock shows (java.time.ZonedDateTime.ofLocal). When summer
  // time ends an hour comes twice: the earlier moment counts. When it begins an hour is missing:
  // the offset from before counts.
  std::optional<int64_t> AheadOfLocal(int64_t local);

 private:
  struct Close {
    void operator()(UCalendar* calendar) const { ucal_close(calendar); }
  };

  std::string zone_;
  std::optional<int64_t> fixed_;  // Of a zone that is an offset; then there is no calendar.
  std::unique_ptr<UCalendar, Close> calendar_;
};

// The microseconds since 1970 that a text names, as Spark casts it. A zone in it counts if `zoned`
// (TIMESTAMP), and has only to exist otherwise (TIMESTAMP_NTZ). `why` says what Spark could read
// and this cannot; a text that is none to Spark either leaves it empty.
std::optional<int64_t> ReadMicros(ZoneClock& clock, std::string_view text, bool zoned,
                                  std::string& why);

}  // namespace protium
