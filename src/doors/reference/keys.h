// SPDX-License-Identifier: Apache-2.0
// The keys of job files for people: what there is at a path such as "train.optimizer". Made from
// the options that job files are read into, like docs/reference and the schema.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "catalogue/catalogue.h"

namespace protium {

// Describes the key at `path`: its own line and the keys below it; for the empty path the groups.
// `program` is the command to use in hints. Skips a number or an entry's name in the path
// ("pipeline.2.with", "tables.flights.csv"). An unknown key is a fault of Exit::kUsage with the
// nearest ones.
Result<std::string> KeysText(const Catalogue& catalogue, const std::string& path,
                             const std::string& program);

// Returns the full keys whose last steps are `end`: "train.epochs" for "epochs".
std::vector<std::string> KeysEndingWith(const std::string& end);
// Returns all keys that --set can name in any job, except those of [tables] and of stages.
std::vector<std::string> KeyNames();

// The same as KeysText(), for --json: a list of keys, each {"name", "type", "default", "help",
// ...}.
Result<Json> KeysAsJson(const Catalogue& catalogue, const std::string& path);

}  // namespace protium
