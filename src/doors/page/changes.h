// SPDX-License-Identifier: Apache-2.0
// What the page can do to runs if it was started with a token: label them, remove them, and score
// rows with their models. It uses the functions of `protium runs` and of Scorer.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/json.h"
#include "protium/scorer.h"

namespace protium {

// Sets the run's labels to {"tags": [...], "note": "..."} and returns them; omitted ones are
// unchanged. A tag that another run of `runs` has is refused (Exit::kUsage).
Result<Json> LabelRun(const std::filesystem::path& runs, const std::filesystem::path& run,
                      const std::string& body);

// Returns {"removed": "NAME", "bytes"}. A run that is still going is refused and left whole.
Result<Json> RemoveWholeRun(const std::filesystem::path& run);

// Models ready to score, of the most recently requested runs. Any thread.
class RunModels {
 public:
  // Turns {"rows": [{...}]} of at most 1,000 rows into {"predictions": [{...}]}, like POST
  // /v1/score of `protium serve`. The first request for a run loads its model. A run without a
  // model, and rows that do not fit it, are faults of Exit::kInput; nets that a Scorer refuses are
  // faults of Exit::kUsage.
  Result<std::string> Score(const std::filesystem::path& run, const std::string& body);

 private:
  struct Ready {
    std::filesystem::path folder;
    // The time of model.json: another model is loaded anew.
    std::filesystem::file_time_type written;
    Scorer scorer;
  };
  Result<Scorer> ModelOf(const std::filesystem::path& run);

  std::mutex mutex_;
  std::vector<Ready> ready_;  // The most recently requested one is last.
};

}  // namespace protium
