// SPDX-License-Identifier: Apache-2.0
// The job of own_job.h over a table that lies elsewhere, and what its tests ask.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "whole/own_job.h"

namespace protium::whole {

inline std::string JobOver(const std::string& table, const std::string& more = "") {
  return With(kMachinesJob, "machines = { csv = \"machines.csv\" }", "machines = " + table) + more;
}

inline std::string WeightsOf(const OwnJob& own) { return ReadWeightsHash(own.Model(), own.path()); }

// Whether a file in the folder or below it holds the text.
inline bool AnyFileHas(const std::filesystem::path& folder, const std::string& secret) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && Has(ReadText(entry.path()), secret)) return true;
  }
  return false;
}

inline bool HasExtension(const std::string& name) {
  return std::filesystem::exists(std::filesystem::path(PROTIUM_REPOSITORY) /
                                 ".deps/duckdb/lib/extensions" / (name + ".duckdb_extension"));
}

#define NEED_EXTENSION(name, source) \
  if (!HasExtension(name)) GTEST_SKIP() << "not here: ./dev setup --sources " source

}  // namespace protium::whole
