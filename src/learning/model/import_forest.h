// SPDX-License-Identifier: Apache-2.0
// A model from a forest that another program has trained.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace protium {

struct ForestToImport {
  std::filesystem::path file;       // XGBoost's JSON or LightGBM's text, whatever its name.
  std::vector<std::string> labels;  // What the columns that it predicts are called; empty: "label".
  std::vector<std::string> classes;  // In the order of its indices; empty: 0, 1, ....
};

struct ImportedForest {
  std::string weights_sha256;
  int64_t trees = 0;
  std::vector<std::string> columns;  // That a table must have.
  std::vector<std::string> notes;
};

// Whether the file begins as such a forest does; the other files that `protium import` takes do
// not. A file that cannot be read is none.
bool IsForestFile(const std::filesystem::path& file);

// Writes to `out` a model with the estimator "tree_estimator", whose columns are those of the
// forest, by name. Categories are those that the file names, or else the whole numbers that it
// calls them by. Writes as WriteModelFolder() does. Fails with Exit::kInput for a file that makes
// no sense, and with Exit::kUsage for one that no forest of ours can say.
Result<ImportedForest> ImportForest(const ForestToImport& given, const std::filesystem::path& out);

}  // namespace protium
