// SPDX-License-Identifier: Apache-2.0
// What Spark 4.0 does not know of the SQL of Spark 4.1 and later.
#pragma once

#include <string>
#include <string_view>

namespace protium {

// Spark's SQL for Spark 4.0, which does not know a quote that is doubled inside quotes and reads
// 'it''s' as 'it' and 's' side by side: 'it''s' becomes 'it\'s', and "a""b" `a"b`. Comments and raw
// texts stay, and so does what is never closed.
std::string WithoutDoubledQuotes(std::string_view sql);

}  // namespace protium
