// SPDX-License-Identifier: Apache-2.0
// The rows of the built-in nets, and which columns these read. A job is asked before anything
// starts, and again where the net is made: only then are the columns of all stages known. Every
// fault here is of Exit::kUsage; `path` is where the net's options stand, such as "pipeline.3.net".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"

namespace protium {

// Built in the room deep, under the same names (deep/tasks.cc).
std::vector<NetRow> BuiltInNets();

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
