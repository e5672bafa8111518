// SPDX-License-Identifier: Apache-2.0
// The functions of SQL for people, from the table that SQL is checked against.
#pragma once

#include <string>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// All functions by theme, marked where they are not exact or refused. `program` is the command that
// the hint below them names.
std::string SqlFunctionsText(const std::string& program);

// One function or operator, in any case: whether it is the same on every engine, if not, why, and
// what to write instead. An unknown name is a fault of Exit::kUsage with the nearest.
Result<std::string> SqlFunctionText(const std::string& name);

// For --json: of all, or of one, {"name", "meaning", "reason", "fix"}.
Json SqlFunctionsAsJson();
Result<Json> SqlFunctionAsJson(const std::string& name);

}  // namespace protium
