// SPDX-License-Identifier: Apache-2.0
#include "search/search_clock.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "os/file.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

double ElapsedIn(const fs::path& table) {
  const Result<std::string> text = ReadFile(table);
  if (!text.ok()) return 0;
  const Result<Json> json = ParseJson(*text);
  return json.ok() ? NumberAt(*json, "elapsed_seconds") : 0;
}

size_t CountBegun(const fs::path& trials) {
  size_t begun = 0;
  while (fs::exists(trials / fmt::format("{:03}", begun + 1))) ++begun;
  return begun;
}

}  // namespace

SearchClock::SearchClock(const fs::path& folder, double seconds)
    : seconds_(seconds), since_(Clock::now()) {
  if (!limited() || folder.empty()) return;
  before_ = ElapsedIn(folder / "trials.json");
  begun_ = std::max(CountBegun(folder / "trials"), size_t{1});
}

double SearchClock::Elapsed() const {
  return before_ + std::chrono::duration<double>(Clock::now() - since_).count();
}

bool SearchClock::IsOver(size_t index) const {
  return limited() && index >= begun_ && Elapsed() >= seconds_;
}

}  // namespace protium
