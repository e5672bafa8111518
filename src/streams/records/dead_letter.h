// SPDX-License-Identifier: Apache-2.0
// What is said of events that become no rows, wherever they come from.
#pragma once

#include <string>
#include <string_view>

#include "flow/flow.h"

namespace protium {

// The fault of an event that becomes no row.
Status RefuseEvent(std::string what);

// Why an event was refused, with its position if the fault has one.
std::string ReasonOf(const Status& status);

// Keeps the beginning of long texts.
DeadLetter Letter(std::string place, std::string reason, std::string_view bytes);

// The fault of NewColumns::kStop for the event at `where`.
Status StopAtNewColumn(std::string where, const std::string& column);

}  // namespace protium
