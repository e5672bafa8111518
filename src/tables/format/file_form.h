// SPDX-License-Identifier: Apache-2.0
// What a table's file is by its name: the format, and for text whether it is packed.
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

// By the ending, in any case: .csv, .tsv, .parquet, .jsonl, .ndjson, .arrow, .feather, .ipc, and of
// text also with .gz or .zst behind it; none for any other.
std::optional<FileForm> FormOfName(const std::string& path);

// The same, with a fault of Exit::kUsage that lists the endings.
Result<FileForm> FormNamed(const std::string& path);

// A table's name by that of its file: "sales" of "data/sales.csv.gz".
std::string TableNameOf(const std::string& path);

// The endings of the files of a format, as patterns of names: "*.csv", "*.csv.gz", ...
std::vector<std::string> PatternsOf(Format format);

// How a file is packed by its first bytes, whatever it is named.
Packing PackingOf(std::string_view content);

}  // namespace protium
