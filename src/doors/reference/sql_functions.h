// SPDX-License-Identifier: Apache-2.0
// The SQL functions for people, from the table that SQL is checked against.
#pragma once

#include <string>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Lists all functions by theme, marked if they are not exact or refused. `program` is the command
// named in the hint below them.
std::string SqlFunctionsText(const std::string& program);

// Describes one function or operator, in any case: whether it is the same on every engine, if not,
// why, and what to write instead. An unknown name is a fault of Exit::kUsage with the nearest.
Result<std::string> SqlFunctionText(const std::string& name);

// For --json: {"name", "meaning", "reason", "fix"} for all functions, or for one.
Json SqlFunctionsAsJson();
Result<Json> SqlFunctionAsJson(const std::string& name);

}  // namespace protium
