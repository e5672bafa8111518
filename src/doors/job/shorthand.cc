// SPDX-License-Identifier: Apache-2.0
#include "job/shorthand.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "job/file_terms.h"
#include "job/finish.h"
#include "pipeline/estimator_kind.h"
#include "protium/stage_options.h"

namespace protium {

namespace {

// Returns the position of the estimator. Two are refused when the pipeline is placed
// (Placer::Place), and already here if there is shorthand, which could mean either.
Result<std::optional<size_t>> FindEstimator(const Json& pipeline, bool shorthand) {
  const Catalogue known = BuiltInCatalogue();  // Extensions add no estimators.
  std::optional<size_t> found;
  for (size_t i = 0; i < pipeline.size(); ++i) {
    if (!IsEstimator(known, pipeline[i])) continue;
    if (found && shorthand) {
      return JobFault(
          fmt::format("pipeline.{}", i),
          "the pipeline has two estimators, so [train], [gang], net, trees and loss could mean "
          "either",
          "give each its own  train = { ... }  and  gang = { ... }");
    }
    found = i;
  }
  return found;
}

// Moves [train], [gang], net, trees or loss into the estimator. Only values in the file itself
// count as set twice: a --set may override either.
Status MoveOne(Job& job, const char* name, Json& shorthand, const Settings& as_written) {
  if (shorthand.is_string()) shorthand = Json{{"name", shorthand}};
  if (!shorthand.is_object()) return fields::Refuse(name, "a table of settings", shorthand);
  if (shorthand.empty()) return Status::OK();
  if (!job.estimator) {
    return JobFault(name,
                    fmt::format("[{}] belongs to an estimator, and the pipeline has none", name));
  }
  const std::string path = PathOfShorthand(job, name);
  if (as_written.tree.contains(name) && as_written.places.contains(path)) {
    return JobFault(path, fmt::format("{} is set twice: here and in [{}]", name, name));
  }
  Json& own = job.file.pipeline[*job.estimator][name];
  own = LaidOver(own, shorthand);
  CopyPlaces(job.settings, name, path);
  shorthand = Json::object();
  return Status::OK();
}

}  // namespace

Status MoveShorthand(Job& job, const Settings& as_written) {
  JobFile& file = job.file;
  Json* const shorthand[] = {&file.train, &file.gang, &file.net, &file.trees, &file.loss};
  const bool any = std::any_of(std::begin(shorthand), std::end(shorthand),
                               [](const Json* each) { return !each->empty(); });
  PT_LET(job.estimator, FindEstimator(file.pipeline, any));
  for (size_t i = 0; i < std::size(shorthand); ++i) {
    PT_TRY(MoveOne(job, kShorthand[i], *shorthand[i], as_written));
  }
  return Status::OK();
}

}  // namespace protium
