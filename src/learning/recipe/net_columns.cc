// SPDX-License-Identifier: Apache-2.0
#include "protium/net_columns.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"

namespace protium {
namespace {

using Columns = std::vector<std::string>;

// Returns the column of vectors that `chosen` names, or the only one. `key` is the option.
Result<VectorColumn> FindVector(const std::string& net, const std::string& chosen,
                                const NetColumns& columns, const std::string& path,
                                const std::string& key) {
  Columns names;
  for (const VectorColumn& each : columns.vectors) {
    if (each.column == chosen) return each;
    names.push_back(each.column);
  }
  if (chosen.empty() && names.size() == 1) return columns.vectors.front();
  if (names.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the net " + net + " reads a column of vectors, and there is none",
                 .where = path,
                 .fix = "vectors = [{ column = \"" + key + "\", length = 64 }]"});
  }
  if (chosen.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the net " + net + " reads one column of vectors, and there are " +
                         std::to_string(names.size()),
                 .where = path + "." + key,
                 .fix = "name it: one of " + Dump(Json(names))});
  }
  return Fail({.exit = Exit::kUsage,
               .what = "\"" + chosen + "\" is not among the columns of vectors",
               .where = path + "." + key,
               .fix = Suggest(chosen, names)});
}

// For a net that reads one column of vectors and also numbers.
Status CheckBeside(const std::string& net, const NetColumns& columns, const std::string& path) {
  if (!columns.categorical.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the net " + net + " does not read categorical columns",
                 .where = path,
                 .fix = "encode them as numbers (one_hot_encoder), or leave them out"});
  }
  if (columns.vectors.size() < 2) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "the net " + net + " reads one column of vectors, not " +
                       std::to_string(columns.vectors.size()),
               .where = path,
               .fix = "leave the others out"});
}

// Height and width as given; missing ones are chosen as square as the length allows.
Result<ImageColumn> SizeOf(const CnnOptions& options, const VectorColumn& vectors,
                           const std::string& path) {
  const int64_t pixels = vectors.length / options.channels;
  int64_t height = options.height.value_or(0), width = options.width.value_or(0);
  if (height == 0 && width == 0) height = int64_t(std::lround(std::sqrt(double(pixels))));
  // At least 1, since it is a divisor below; a size that does not fit is refused after that.
  if (height == 0) height = std::max<int64_t>(1, pixels / std::max<int64_t>(1, width));
  if (width == 0) width = std::max<int64_t>(1, pixels / height);
  const std::string channels = std::to_string(options.channels);
  if (height * width * options.channels != vectors.length) {
    return Fail({.exit = Exit::kUsage,
                 .what = "lists of " + std::to_string(vectors.length) + " numbers in \"" +
                         vectors.column + "\" are not images of " + std::to_string(height) + " x " +
                         std::to_string(width) + " pixels with " + channels +
                         (options.channels == 1 ? " channel" : " channels"),
                 .where = path + ".height",
                 .fix = "set net.height, net.width and net.channels, or the length of the lists"});
  }
  return ImageColumn{vectors.column, height, width};
}

Status CheckPools(const CnnOptions& options, const ImageColumn& image, const std::string& path) {
  int64_t least = std::min(image.height, image.width);
  // Each block pools once, and drops the remainder at the edge.
  for (size_t block = 0; block < options.filters.size(); ++block) least /= options.pool;
  if (least > 0) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "images of " + std::to_string(image.height) + " x " +
                       std::to_string(image.width) + " are too small for " +
                       std::to_string(options.filters.size()) +
                       " blocks that each make them smaller by " + std::to_string(options.pool),
               .where = path + ".filters",
               .fix = "name fewer filters, or set net.pool = 1"});
}

}  // namespace

Status CheckTabular(const std::string& net, const NetColumns& columns, const std::string& path) {
  if (!columns.vectors.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the net " + net + " does not read vectors",
                 .where = path,
                 .fix = "leave vectors out, or choose a net that `protium help nets` says reads "
                        "them"});
  }
  // With `more` the columns are not final: the net checks again when it is made.
  if (columns.more || !columns.categorical.empty() || !columns.numeric.empty()) {
    return Status::OK();
  }
  return Fail({.exit = Exit::kUsage,
               .what = "the net " + net + " has no inputs",
               .where = path,
               .fix = "name columns in `categorical` or `numeric`"});
}

Status CheckDlrm(const DlrmOptions&, const NetColumns& columns, const std::string& path) {
  PT_TRY(CheckTabular("dlrm", columns, path));
  const size_t vectors = columns.categorical.size() + (columns.numeric.empty() ? 0 : 1);
  if (columns.more || (!columns.categorical.empty() && vectors > 1)) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "the net dlrm multiplies pairs of vectors, and " +
                       std::string(columns.categorical.empty() ? "numbers alone are one"
                                                               : "there is one category alone"),
               .where = path,
               .fix = columns.categorical.empty()
                          ? "name columns in `categorical`, or choose tabular_mlp"
                          : "name columns in `numeric`, or more in `categorical`"});
}

Status CheckWideAndDeep(const WideAndDeepOptions& options, const NetColumns& columns,
                        const std::string& path) {
  PT_TRY(CheckTabular("wide_and_deep", columns, path));
  const Columns& known = columns.categorical;
  for (size_t i = 0; i < options.wide_only.size(); ++i) {
    const std::string& name = options.wide_only[i];
    // With `more` the column may be one that a stage has yet to make.
    if (columns.more || std::find(known.begin(), known.end(), name) != known.end()) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "\"" + name + "\" is not among the categorical columns",
                 .where = path + ".wide_only." + std::to_string(i),
                 .fix = Suggest(name, known)});
  }
  return Status::OK();
}

Result<ImageColumn> FindImage(const CnnOptions& options, const NetColumns& columns,
                              const std::string& path) {
  PT_LET(const VectorColumn vectors, FindVector("cnn", options.image, columns, path, "image"));
  PT_TRY(CheckBeside("cnn", columns, path));
  PT_LET(ImageColumn image, SizeOf(options, vectors, path));
  PT_TRY(CheckPools(options, image, path));
  return image;
}

Result<VectorColumn> FindTokens(const TextClassifierOptions& options, const NetColumns& columns,
                                const std::string& path) {
  PT_LET(VectorColumn tokens,
         FindVector("text_classifier", options.tokens, columns, path, "tokens"));
  PT_TRY(CheckBeside("text_classifier", columns, path));
  return tokens;
}

}  // namespace protium
