// SPDX-License-Identifier: Apache-2.0
// The keys of job files for people: what stands at a path such as "train.optimizer". Made from the
// options that job files are read into, as docs/reference and the schema are.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "catalogue/catalogue.h"

namespace protium {

// What there is to say of the key at `path`: its own line and the keys below it; of the empty path
// the groups. `program` is the command that hints name. A number or the name of an entry in the
// path ("pipeline.2.with", "tables.flights.csv") is passed over. An unknown key is a fault of
// Exit::kUsage with the nearest ones.
Result<std::string> KeysText(const Catalogue& catalogue, const std::string& path,
                             const std::string& program);

// The whole keys of which the last step, or the last steps, are `end`: "train.epochs" for "epochs".
std::vector<std::string> KeysEndingWith(const std::string& end);
// All keys that --set can name in any job, those of [tables] and of stages apart.
std::vector<std::string> KeyNames();

// The same as KeysText() for --json: a list of keys, each {"name", "type", "default", "help", ...}.
Result<Json> KeysAsJson(const Catalogue& catalogue, const std::string& path);

}  // namespace protium
