// SPDX-License-Identifier: Apache-2.0
// Casts from text, each in two forms: an error if the text is not such a value (CAST in ANSI mode),
// or null (try_cast). java/text_values.h defines what counts as a value; DuckDB's own casts accept
// different texts.
#include <fmt/format.h>

#include "base/utf8.h"
#include "functions/row_function.h"
#include "functions/themes.h"
#include "java/text_values.h"
#include "java/zone_clock.h"

namespace protium {
namespace {

// Bytes of a value that a message repeats.
constexpr size_t kQuoted = 80;

std::string Cut(Text text) { return Shortened(text, kQuoted); }

// The form that fails, with the kind of value and the text in the error.
template <auto kRead>
auto Cast(Chunk& chunk, Text text, const char* kind) {
  auto value = kRead(text);
  if (!value) chunk.error = fmt::format("not a {}: '{}'", kind, Cut(text));
  return value;
}

// The form that returns null.
template <auto kRead>
auto Try(Chunk&, Text text) {
  return kRead(text);
}

std::optional<std::string> Decimal(Chunk& chunk, Text text) {
  return Cast<ReadDecimal>(chunk, text, "decimal");
}
std::optional<bool> Boolean(Chunk& chunk, Text text) {
  return Cast<ReadBoolean>(chunk, text, "boolean");
}
std::optional<int64_t> Whole(Chunk& chunk, Text text) {
  return Cast<ReadWhole>(chunk, text, "whole number");
}
std::optional<double> Double(Chunk& chunk, Text text) {
  return Cast<ReadNumber<double>>(chunk, text, "number");
}
std::optional<float> Float(Chunk& chunk, Text text) {
  return Cast<ReadNumber<float>>(chunk, text, "number");
}
std::optional<Day> Date(Chunk& chunk, Text text) { return Cast<ReadDay>(chunk, text, "date"); }

// Times that texts name; the zone of the last row stays open.
struct Clocks : Chunk {
  ZoneClock clock;
};

// What Spark could read and we cannot is an error even here: null would differ from Spark's result.
std::optional<Moment> ReadMoment(Clocks& clocks, Text text, bool zoned) {
  std::string why;
  const auto micros = ReadMicros(clocks.clock, text, zoned, why);
  if (!why.empty()) {
    clocks.error =
        fmt::format("cannot read the time '{}': {}; write the date before it", Cut(text), why);
  }
  return micros ? std::optional(Moment{*micros}) : std::nullopt;
}

std::optional<Moment> MomentOrError(Clocks& clocks, Text text, bool zoned) {
  const auto moment = ReadMoment(clocks, text, zoned);
  if (!moment && clocks.error.empty()) {
    clocks.error = fmt::format("not a timestamp: '{}'", Cut(text));
  }
  return moment;
}

std::optional<Moment> Timestamp(Clocks& clocks, Text text) {
  return MomentOrError(clocks, text, true);
}
std::optional<Moment> LocalTimestamp(Clocks& clocks, Text text) {
  return MomentOrError(clocks, text, false);
}
std::optional<Moment> TryTimestamp(Clocks& clocks, Text text) {
  return ReadMoment(clocks, text, true);
}
std::optional<Moment> TryLocalTimestamp(Clocks& clocks, Text text) {
  return ReadMoment(clocks, text, false);
}

constexpr RowFunction kFunctions[] = {
    AsRowFunction<&Boolean>("pt_text_to_boolean").FailsFor({0}),
    AsRowFunction<&Date>("pt_text_to_date").FailsFor({0}),
    AsRowFunction<&Decimal>("pt_text_to_digits").FailsFor({0}),
    AsRowFunction<&Double>("pt_text_to_double").FailsFor({0}),
    AsRowFunction<&Float>("pt_text_to_float").FailsFor({0}),
    AsRowFunction<&LocalTimestamp>("pt_text_to_local_timestamp").FailsFor({0}),
    AsRowFunction<&Timestamp>("pt_text_to_timestamp").FailsFor({0}),
    AsRowFunction<&Whole>("pt_text_to_whole").FailsFor({0}),
    AsRowFunction<&Try<ReadBoolean>>("pt_try_text_to_boolean"),
    AsRowFunction<&Try<ReadDay>>("pt_try_text_to_date"),
    AsRowFunction<&Try<ReadDecimal>>("pt_try_text_to_digits"),
    AsRowFunction<&Try<ReadNumber<double>>>("pt_try_text_to_double"),
    AsRowFunction<&Try<ReadNumber<float>>>("pt_try_text_to_float"),
    AsRowFunction<&TryLocalTimestamp>("pt_try_text_to_local_timestamp").FailsFor({0}),
    AsRowFunction<&TryTimestamp>("pt_try_text_to_timestamp").FailsFor({0}),
    AsRowFunction<&Try<ReadWhole>>("pt_try_text_to_whole"),
};

}  // namespace

std::span<const RowFunction> CastFunctions() { return kFunctions; }

}  // namespace protium
