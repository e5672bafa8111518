// SPDX-License-Identifier: Apache-2.0
// Why a job would take what is kept, or not: the first thing that differs in the causes.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "store/input_hashes.h"
#include "store/manifest.h"
#include "store/refs.h"

namespace protium {

// "2026-11-26 17:02", of seconds since 1970.
std::string DateText(int64_t seconds);

// Says of one table of a job, or of what is made of it ("fit", "rows"), why it would be taken or
// made, as lines of text. `table` is what KeptForJob() (job/frames.h) says of it, `kept` all that
// the store has.
std::string WhyText(const Json& table, const std::vector<Manifest>& kept);

// What a kept table (frame/named_tables.h) was made of, and whether that has changed since:
// {"name", "version", "object", "rows", "run", "made", "inputs", "others", "varies", "plan"}.
Json DescribeNamed(const Ref& ref, const Manifest& kept, InputHashes& inputs);
// The same for people.
std::string NamedText(const Json& about);

}  // namespace protium
