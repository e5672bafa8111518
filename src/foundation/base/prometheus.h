// SPDX-License-Identifier: Apache-2.0
// What writers of Prometheus' text format (exposition format 0.0.4) share.
#pragma once

#include <string>

namespace protium {

// Escapes the value of a label, which stands between double quotes.
std::string LabelText(const std::string& value);

}  // namespace protium
