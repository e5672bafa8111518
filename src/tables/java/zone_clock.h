// SPDX-License-Identifier: Apache-2.0
// Clocks of time zones, by the rules of the ICU release in use. Spark uses those of its Java, so
// they may differ where a country changed its rules lately.
#pragma once

#include <unicode/ucal.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace protium {

// The clock of one zone at a time, the one last opened. Opening the same zone again costs nothing,
// so it can be done for each row. Used by one thread.
class ZoneClock {
 public:
  // Accepts what java.time.ZoneId does: Europe/Berlin, PST, Z, +02:00, UTC+2. False if there is no
  // such zone.
  bool Open(std::string_view zone);

  // How far the clock is ahead of UTC at a moment, in microseconds; the moment is in microseconds
  // since 1970-01-01 00:00:00. A zone must be open.
  std::optional<int64_t> Ahead(int64_t micros);

  // The same where `local` is what the clock shows (java.time.ZonedDateTime.ofLocal). When summer
  // time ends, an hour occurs twice: the earlier moment counts. When it begins, an hour is missing:
  // the offset before the change counts.
  std::optional<int64_t> AheadOfLocal(int64_t local);

 private:
  struct Close {
    void operator()(UCalendar* calendar) const { ucal_close(calendar); }
  };

  std::string zone_;
  std::optional<int64_t> fixed_;  // For a zone that is an offset, which has no calendar.
  std::unique_ptr<UCalendar, Close> calendar_;
};

// The microseconds since 1970 that a text denotes, as Spark casts it. A zone in it counts if
// `zoned` (TIMESTAMP), and otherwise only has to exist (TIMESTAMP_NTZ). `why` says what Spark could
// read and this function cannot; it stays empty if Spark cannot read the text either.
std::optional<int64_t> ReadMicros(ZoneClock& clock, std::string_view text, bool zoned,
                                  std::string& why);

}  // namespace protium
