// SPDX-License-Identifier: Apache-2.0
#include "stream/event_letters.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace protium {

namespace fs = std::filesystem;

namespace {

// A file that is wrong as a whole.
class OneLetter : public EventReader {
 public:
  explicit OneLetter(DeadLetter letter) : letter_(std::move(letter)) {}
  Result<EventChunk> Read(int64_t) override {
    EventChunk chunk;
    if (!letter_) return chunk;
    chunk.events.dead.push_back(*std::move(letter_));
    letter_.reset();
    chunk.records = 1;
    return chunk;
  }
  std::vector<std::string> ignored() const override { return {}; }

 private:
  std::optional<DeadLetter> letter_;
};

}  // namespace

std::string NameOf(const fs::path& path) { return path.filename().string(); }

std::unique_ptr<EventReader> DeadFile(const fs::path& path, std::string reason) {
  return std::make_unique<OneLetter>(Letter(NameOf(path), std::move(reason), path.string()));
}

FoundColumns FindColumns(const std::vector<std::string>& there, const EventForm& form) {
  FoundColumns found;
  for (const auto& field : form.columns->fields()) {
    const auto at = std::ranges::find(there, field->name());
    found.places.push_back(at == there.end() ? -1 : int(at - there.begin()));
    if (at != there.end() || !found.missing.empty()) continue;
    if (std::ranges::count(form.optional, field->name()) == 0) found.missing = field->name();
  }
  for (const std::string& name : there) {
    if (form.columns->GetFieldIndex(name) < 0) found.unknown.push_back(name);
  }
  return found;
}

Result<std::string> WhyRefused(const fs::path& path, const FoundColumns& found,
                               NewColumns new_columns) {
  if (!found.missing.empty()) return fmt::format("the file has no column \"{}\"", found.missing);
  if (found.unknown.empty()) return std::string();
  if (new_columns == NewColumns::kStop)
    return StopAtNewColumn(path.string(), found.unknown.front());
  if (new_columns == NewColumns::kIgnore) return std::string();
  return fmt::format("the file has a new column, \"{}\"", found.unknown.front());
}

}  // namespace protium
