// SPDX-License-Identifier: Apache-2.0
// Which columns the built-in nets read. A job is asked before anything starts, and again where the
// net is made: only then are the columns of all stages known. Every fault here is of Exit::kUsage;
// `path` is where the net's options stand, such as "pipeline.3.net".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protium/fields.h"
#include "protium/nets.h"

namespace protium {

// A column of lists of numbers, such as an embedding computed elsewhere. It is one field of a row,
// under the column's name, for nets that read it by that name.
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

// The columns that a net is given, as they are known before any row is read.
struct NetColumns {
  std::vector<std::string> categorical;
  std::vector<std::string> numeric;
  std::vector<VectorColumn> vectors;  // With their lengths.
  bool more = false;  // Stages have yet to learn which others of the first two kinds they make.
};

// For a net of numbers and categories: some column of either kind, and no vectors, which it would
// not look at.
Status CheckTabular(const std::string& net, const NetColumns& columns, const std::string& path);

// As CheckTabular(); also, wide_only names categorical columns.
Status CheckWideAndDeep(const WideAndDeepOptions& options, const NetColumns& columns,
                        const std::string& path);

// Where the pixels of `cnn` are, and how they lie.
struct ImageColumn {
  std::string column;
  int64_t height = 0;
  int64_t width = 0;
};
// Refuses categorical columns, lists of another length than images of this size have, images too
// small for the pools, and a choice between several columns that was not made.
Result<ImageColumn> FindImage(const CnnOptions& options, const NetColumns& columns,
                              const std::string& path);

// The column of tokens of `text_classifier`, with its length; refuses as FindImage() does.
Result<VectorColumn> FindTokens(const TextClassifierOptions& options, const NetColumns& columns,
                                const std::string& path);

}  // namespace protium
