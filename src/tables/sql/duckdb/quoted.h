// SPDX-License-Identifier: Apache-2.0
// Texts and names in DuckDB's SQL.
#pragma once

#include <string>

#include "sql/dialect.h"

namespace protium {

inline std::string DuckDbText(const std::string& text) { return QuoteText(text, DuckDbDialect()); }
inline std::string DuckDbName(const std::string& name) { return QuoteName(name, DuckDbDialect()); }

}  // namespace protium
