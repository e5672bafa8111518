// SPDX-License-Identifier: Apache-2.0
// The model that is currently served. Another one replaces it as a whole; one that cannot be loaded
// leaves it in service.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/json.h"
#include "protium/scorer.h"
#include "serve/drift_watch.h"

namespace protium {

// The two versions of a model of which one gets a share of the other's requests.
inline constexpr const char* kStable = "stable";
inline constexpr const char* kCanary = "canary";
// How versions of a canary begin in the Open Inference Protocol; the generation follows.
inline constexpr const char* kCanaryVersions = "canary-";

// Immutable; requests hold the one that they began with.
struct Served {
  Scorer scorer;
  int64_t generation = 1;    // How many models have been served, including this one.
  Json net;                  // The name of its net; null without one.
  std::string version = {};  // kStable or kCanary; empty: there is no canary.
  std::shared_ptr<DriftWatch> drift = std::make_shared<DriftWatch>(Json());  // Of its rows.
  // Whether Scorer::gap() was noted.
  std::shared_ptr<std::atomic<bool>> gap_said = std::make_shared<std::atomic<bool>>(false);
  bool int8 = false;  // It predicts with weights of 8 bits.
};

// Any thread.
class ServedModel {
 public:
  using Load = std::function<Result<Served>(const std::filesystem::path& folder)>;

  // `load` makes the served model from a folder.
  ServedModel(std::filesystem::path folder, Load load)
      : folder_(std::move(folder)), load_(std::move(load)) {}

  const std::filesystem::path& folder() const { return folder_; }
  // Loads the folder as it is now. On failure it returns the fault, and the current model stays in
  // service.
  Status Reload();
  // Whether the folder holds another model than at the last Reload(), even if that failed.
  bool Changed() const;
  // Never null after a successful Reload().
  std::shared_ptr<const Served> Now() const;
  // Now(), which explains each prediction by so many columns (Scorer::Explaining()). Each is made
  // once: rows of several requests are scored together only by the same one.
  Result<std::shared_ptr<const Served>> Explaining(int32_t columns) const;
  // The result of the last Reload().
  Status last() const;

 private:
  struct Identity {
    dev_t device = 0;
    ino_t file = 0;
    int64_t nanoseconds = 0;  // When it was changed.
    bool operator==(const Identity&) const = default;
  };
  Identity IdentityNow() const;

  std::filesystem::path folder_;
  Load load_;
  std::mutex loading_;  // One load at a time.
  mutable std::mutex mutex_;
  std::shared_ptr<const Served> now_;
  mutable std::map<int32_t, std::shared_ptr<const Served>> explaining_;  // `now_`, by columns.
  Identity identity_;
  Status last_;
};

// Loads a model folder or an ONNX file, fed by `inputs`, into a scorer, and closes the session
// needed for that.
// `most_int8_loss` as in ServeOptions.
Result<Served> LoadServed(const std::filesystem::path& folder, const Columns& inputs = {},
                          const std::optional<double>& most_int8_loss = {});

}  // namespace protium
