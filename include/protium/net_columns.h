// SPDX-License-Identifier: Apache-2.0
// Which columns the built-in nets read. Checked before a job starts anything, and again where the
// net is made, since only then are the columns of all stages known. Every fault here is of
// Exit::kUsage; `path` is that of the net's options, such as "pipeline.3.net".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protium/fields.h"
#include "protium/nets.h"

namespace protium {

// A column of lists of numbers, such as an embedding computed elsewhere. It is one field of a row,
// named after the column, for nets that read it by name.
struct VectorColumn {
  std::string column;
  int64_t length = 0;  // Of every list; 0: taken from the column's fixed-size list type.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column,
          {.help = "a column of lists of numbers", .filled = "the name of a column"});
    visit("length", length,
          {.help = "length of each list; 0: taken from the column's type", .at_least = 0});
  }
};

// The columns passed to a net, as far as they are known before any row is read.
struct NetColumns {
  std::vector<std::string> categorical;
  std::vector<std::string> numeric;
  std::vector<VectorColumn> vectors;  // With their lengths.
  // Stages have yet to learn which further columns of the first two kinds they make.
  bool more = false;
};

// For a net of numbers and categories: requires a column of either kind and refuses vectors, which
// the net would ignore.
Status CheckTabular(const std::string& net, const NetColumns& columns, const std::string& path);

// Like CheckTabular(); also requires wide_only to name categorical columns.
Status CheckWideAndDeep(const WideAndDeepOptions& options, const NetColumns& columns,
                        const std::string& path);

// Like CheckTabular(); also requires two columns to multiply: categories, or one and numbers.
Status CheckDlrm(const DlrmOptions& options, const NetColumns& columns, const std::string& path);

// The column with the pixels for `cnn`, and the size of its images.
struct ImageColumn {
  std::string column;
  int64_t height = 0;
  int64_t width = 0;
};
// Refuses categorical columns, lists whose length does not match images of this size, images too
// small for the pools, and several columns to choose from if no choice was made.
Result<ImageColumn> FindImage(const CnnOptions& options, const NetColumns& columns,
                              const std::string& path);

// Finds the token column of `text_classifier` and its length; refuses as FindImage() does.
Result<VectorColumn> FindTokens(const TextClassifierOptions& options, const NetColumns& columns,
                                const std::string& path);

}  // namespace protium
