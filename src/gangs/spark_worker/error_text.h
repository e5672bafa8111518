// SPDX-License-Identifier: Apache-2.0
// A failed task as the one text that Spark carries to the client: a line for people, then the same
// as JSON between two marks. Spark wraps text of its own around it and may cut it; the driver takes
// the marked part out again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gang/failure.h"

namespace protium {

// The line for people and the line with the marks; without `last_lines`.
std::string WorkerErrorText(const RankFailure& failure);

// The failure in a text, or in a message of Spark that holds one; nullopt if there is none of ours,
// or if it was cut. After a crash `last_lines` are the lines that follow up to kBacktraceEnd.
std::optional<RankFailure> FailureFromWorkerText(std::string_view text);

// The failure as JSON alone.
Json FailureToJson(const RankFailure& failure);
Result<RankFailure> FailureFromJson(const Json& json);

// The line that a crashing worker writes last.
inline constexpr std::string_view kBacktraceEnd = "end of the worker's backtrace";

}  // namespace protium
