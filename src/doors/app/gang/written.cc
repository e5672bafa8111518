// SPDX-License-Identifier: Apache-2.0
#include "app/gang/written.h"

#include <arrow/array.h>
#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "base/fault.h"
#include "os/file.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Parquet: "PAR1". Arrow's files begin with "ARROW1", its streams with the mark of a message.
Result<std::string> EndingOf(const fs::path& file) {
  std::string first(6, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(first.data(), std::streamsize(first.size()));
  if (first.starts_with("PAR1")) return ".parquet";
  if (first == "ARROW1" || first.starts_with("\xff\xff\xff\xff")) return ".arrow";
  return ".csv";
}

}  // namespace

Result<WrittenTables> WrittenTables::Make(fs::path folder) {
  PT_TRY(MakeFolder(folder));
  return WrittenTables(std::move(folder));
}

fs::path WrittenTables::PartOf(int32_t rank) const {
  return folder_ / fmt::format("rank-{:06}", rank);
}

Status WrittenTables::Add(const arrow::RecordBatch& rows) {
  const auto& ranks = static_cast<const arrow::Int32Array&>(*rows.column(0));
  const auto& pieces = static_cast<const arrow::BinaryArray&>(*rows.column(1));
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    ranks_.insert(ranks.Value(i));
    std::ofstream out(PartOf(ranks.Value(i)), std::ios::binary | std::ios::app);
    const auto piece = pieces.GetView(i);
    if (out.write(piece.data(), std::streamsize(piece.size())).flush()) continue;
    return Fail({.exit = Exit::kNoRoom,
                 .what = fmt::format("cannot write what rank {} wrote to {}", ranks.Value(i),
                                     folder_.string())});
  }
  return Status::OK();
}

Status WrittenTables::Finish() {
  if (ranks_.empty()) {
    return Fail({.what = "--output: no rank wrote a table",
                 .fix = "a program writes an Arrow stream to the descriptor PROTIUM_OUTPUT_FD, or "
                        "a Parquet or CSV file to the path PROTIUM_OUTPUT"});
  }
  std::string first;
  for (const int32_t rank : ranks_) {
    PT_LET(const std::string ending, EndingOf(PartOf(rank)));
    if (first.empty()) first = ending;
    if (ending != first) {
      return Fail({.what = fmt::format("rank {} wrote a {} table, rank {} a {} one",
                                       *ranks_.begin(), first.substr(1), rank, ending.substr(1))});
    }
    fs::path named = PartOf(rank);
    named += ending;
    std::error_code error;
    fs::rename(PartOf(rank), named, error);
    if (error) return SystemFault("rename " + named.string(), error.value());
  }
  return Status::OK();
}

}  // namespace protium
