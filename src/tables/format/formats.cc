// SPDX-License-Identifier: Apache-2.0
#include "format/formats.h"

#include <algorithm>

#include "base/status.h"
#include "format/arrow_file.h"
#include "format/arrow_writer.h"
#include "format/csv_brought.h"
#include "format/json_lines.h"
#include "format/parquet_writer.h"
#include "format/text_writer.h"

namespace protium {
namespace {

constexpr std::string_view kParquetEndings[] = {".parquet"}, kCsvEndings[] = {".csv", ".tsv"},
                           kJsonEndings[] = {".jsonl", ".ndjson"},
                           kArrowEndings[] = {".arrow", ".feather", ".ipc"};
constexpr std::string_view kOwnTypes = "the file says its own types";

constexpr FormatKind kFormats[] = {{.format = Format::kParquet,
                                    .title = "Parquet",
                                    .endings = kParquetEndings,
                                    .engines = true,
                                    .nests = true,
                                    .bytes = true,
                                    .says_types = kOwnTypes,
                                    .open = nullptr,
                                    .write = WriteParquet},
                                   {.format = Format::kCsv,
                                    .title = "CSV",
                                    .endings = kCsvEndings,
                                    .packs = true,
                                    .engines = true,
                                    .open = OpenCsvRows,
                                    .write = WriteCsv},
                                   {.format = Format::kJsonLines,
                                    .title = "JSON lines",
                                    .endings = kJsonEndings,
                                    .packs = true,
                                    .nests = true,
                                    .says_types = "JSON says what is missing by null",
                                    .open = OpenJsonRows,
                                    .write = WriteJsonLines},
                                   {.format = Format::kArrow,
                                    .title = "Arrow",
                                    .endings = kArrowEndings,
                                    .nests = true,
                                    .bytes = true,
                                    .says_types = kOwnTypes,
                                    .open = OpenArrowRows,
                                    .write = WriteArrow}};

}  // namespace

std::span<const FormatKind> AllFormats() { return kFormats; }

const FormatKind& KindOf(Format format) {
  const auto* const found = std::ranges::find(kFormats, format, &FormatKind::format);
  PT_CHECK(found != std::end(kFormats));
  return *found;
}

}  // namespace protium
