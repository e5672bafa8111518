// SPDX-License-Identifier: Apache-2.0
// Finds what a table's file is from its name: the format, and for text whether it is compressed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "column/source.h"

namespace protium {

enum class Packing { kNone, kGzip, kZstd };

struct FileForm {
  Format format = Format::kParquet;
  Packing packing = Packing::kNone;
  bool operator==(const FileForm&) const = default;
};

// Goes by the ending, in any case: .csv, .tsv, .parquet, .jsonl, .ndjson, .arrow, .feather, .ipc,
// and for text also followed by .gz or .zst; nullopt for any other.
std::optional<FileForm> FormOfName(const std::string& path);

// The same, but fails with a fault of Exit::kUsage that lists the endings.
Result<FileForm> FormNamed(const std::string& path);

// Returns a table's name from that of its file: "sales" for "data/sales.csv.gz".
std::string TableNameOf(const std::string& path);

// Returns the endings of a format's files as patterns: "*.csv", "*.csv.gz", ...
std::vector<std::string> PatternsOf(Format format);

// Returns how a file is compressed, from its first bytes, whatever its name.
Packing PackingOf(std::string_view content);

}  // namespace protium
