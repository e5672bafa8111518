// SPDX-License-Identifier: Apache-2.0
// A failed task as the one text that Spark carries to the client: a line for people, then the same
// as JSON between two marks, which the driver takes out of whatever Spark wraps round it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gang/failure.h"

namespace protium {

// One line, without `last_lines`, ending with a line break.
std::string WorkerErrorText(const RankFailure& failure);

// What a text, or a message of Spark that holds one, says; nullopt when it holds none of ours or
// one that was cut. For a crash `last_lines` are the lines that follow, the worker's backtrace.
std::optional<RankFailure> FailureFromWorkerText(std::string_view text);
std::optional<Status> StatusFromWorkerText(std::string_view text);

// The same as JSON alone, as events carry it.
Json FailureToJson(const RankFailure& failure);
Result<RankFailure> FailureFromJson(const Json& json);

inline constexpr std::string_view kBacktraceEnd = "end of the worker's backtrace";

}  // namespace protium
