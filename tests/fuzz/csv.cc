// SPDX-License-Identifier: Apache-2.0
// A CSV file as a table. The first byte chooses the options.
#include "format/csv.h"

#include "tests/fuzz/tables.h"

namespace protium {
namespace {

CsvOptions OptionsOf(uint8_t bits) {
  CsvOptions options;
  options.header = (bits & 1) == 0;
  options.delimiter = (bits & 2) != 0 ? "auto" : (bits & 4) != 0 ? ";" : ",";
  options.ragged = Ragged((bits >> 3) % 3);
  options.encoding = (bits & 32) != 0 ? Encoding::kUtf16 : Encoding::kUtf8;
  if ((bits & 64) != 0) options.null = "NA";
  if ((bits & 128) != 0) options.comment = "#";
  return options;
}

}  // namespace
}  // namespace protium

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  if (size == 0) return 0;
  const InputFile file(data + 1, size - 1);
  const CsvOptions options = OptionsOf(*data);
  ReadTable(file, Format::kCsv, options);
  // What engines that read plain files themselves ask for.
  const auto named = WithDelimiter(file.path(), options);
  if (!named.ok()) return 0;
  const auto table = InferCsv({file.path()}, *named);
  const auto brought = MustBeBrought({file.path()}, Format::kCsv, *named);
  if (!table.ok() || table->loose_numbers || !brought.ok() || *brought) return 0;
  PT_CHECK(CheckCsv({file.path()}, *named, *table->schema).ok());
  return 0;
}
