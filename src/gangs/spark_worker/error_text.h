// SPDX-License-Identifier: Apache-2.0
// A failed task as the single text that Spark passes to the client: a line for people, then the
// same as JSON between two marks. Spark adds its own text around it and may cut it; the driver
// extracts the marked part.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gang/failure.h"

namespace protium {

// Returns the line for people and the line with the marks; without `last_lines`.
std::string WorkerErrorText(const RankFailure& failure);

// Returns the failure in a text, or in a message of Spark that contains one; nullopt if it has none
// of ours, or if it was cut. After a crash `last_lines` are the lines that follow, up to
// kBacktraceEnd.
std::optional<RankFailure> FailureFromWorkerText(std::string_view text);

// The failure as JSON alone.
Json FailureToJson(const RankFailure& failure);
Result<RankFailure> FailureFromJson(const Json& json);

// The last line that a crashing worker writes.
inline constexpr std::string_view kBacktraceEnd = "end of the worker's backtrace";

}  // namespace protium
