// SPDX-License-Identifier: Apache-2.0
// Doubled quotes inside quotes, which Spark 4.1 and later read and Spark 4.0 does not: text for
// such a server is respelt first.
#pragma once

#include <string>
#include <string_view>

namespace protium {

// Spells doubled quotes as Spark 4.0 knows them. That release reads 'it''s' as two adjacent texts,
// 'it' and 's', which it joins, silently losing the quote. Here 'it''s' becomes 'it\'s', and "a""b"
// becomes `a"b`. Comments, raw texts and quotes that are never closed stay as they are; so does the
// rest, byte for byte.
std::string WithoutDoubledQuotes(std::string_view sql);

}  // namespace protium
