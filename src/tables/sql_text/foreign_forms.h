// SPDX-License-Identifier: Apache-2.0
// What DuckDB's grammar allows and Spark's does not, or reads differently.
#pragma once

#include "base/status.h"
#include "sql_text/spelling.h"

namespace protium {

// Refuses (kUsage, with the position and what to write instead) forms that DuckDB's parser would
// accept although Spark's refuses them or reads them differently, such as a trailing comma,
// DISTINCT ON or UNION BY NAME. They are recognised by their words alone, before anything is
// parsed.
Status RefuseForeignForms(const Spelling& sql);

}  // namespace protium
