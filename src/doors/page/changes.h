// SPDX-License-Identifier: Apache-2.0
// What the page may do to runs where it was started with a token: label them, remove them, and
// score rows with their models. The functions are those of `protium runs` and of Scorer.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/json.h"
#include "protium/scorer.h"

namespace protium {

// {"tags": [...], "note": "..."} becomes the run's labels, and is given back; what is not given
// stays. A tag that another run of `runs` has is refused (Exit::kUsage).
Result<Json> LabelRun(const std::filesystem::path& runs, const std::filesystem::path& run,
                      const std::string& body);

// {"removed": "NAME", "bytes"}. A run that goes on is refused, and stays whole.
Result<Json> RemoveWholeRun(const std::filesystem::path& run);

// Models that are ready to score, of the runs that were asked for last. Any thread.
class RunModels {
 public:
  // {"rows": [{...}]} of at most 1,000 rows gives {"predictions": [{...}]}, as POST /v1/score of
  // `protium serve`. The first request of a run loads its model. A run without a model, and rows
  // that do not fit it, are faults of Exit::kInput; nets that a Scorer refuses are of Exit::kUsage.
  Result<std::string> Score(const std::filesystem::path& run, const std::string& body);

 private:
  struct Ready {
    std::filesystem::path folder;
    std::filesystem::file_time_type written;  // Of model.json: another model is loaded anew.
    Scorer scorer;
  };
  Result<Scorer> ModelOf(const std::filesystem::path& run);

  std::mutex mutex_;
  std::vector<Ready> ready_;  // The one asked for last at the end.
};

}  // namespace protium
