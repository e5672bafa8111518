// SPDX-License-Identifier: Apache-2.0
// The table of formats, one row each. A new format needs a file that opens it, one that writes it,
// a row in formats.cc and a name in column/source.h.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "format/bring.h"
#include "format/file_form.h"
#include "format/file_writer.h"
#include "os/file.h"

namespace protium {

struct FormatKind {
  Format format;
  std::string_view title;                     // Its name in messages: "JSON lines".
  std::span<const std::string_view> endings;  // Of file names, in lower case; the usual one first.
  bool packs = false;           // Files may be compressed by gzip or zstd, with a second ending.
  bool engines = false;         // Engines read and write its files if they are plain.
  bool nests = false;           // Holds lists, structs and maps.
  bool bytes = false;           // Holds binaries.
  std::string_view says_types;  // What replaces the options of CSV.
  // Null if engines read every file of the format.
  Result<std::unique_ptr<BroughtRows>> (*open)(const BringSpec& spec, const BringWatch& watch);
  Result<std::unique_ptr<FileWriter>> (*write)(AtomicFile file, const SchemaPtr& schema,
                                               Packing packing);
};

std::span<const FormatKind> AllFormats();
const FormatKind& KindOf(Format format);

}  // namespace protium
