// SPDX-License-Identifier: Apache-2.0
#include "frame/source_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "base/digest.h"
#include "base/fault.h"
#include "frame/source_facts.h"
#include "os/file.h"
#include "sources/source.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// What sources.json holds.
struct Stored {
  std::string run;
  std::vector<std::string> keys;
  std::vector<SourceFacts> facts;
  std::vector<std::string> pinned;
  std::vector<SourcePin> pins;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("run", run);
    visit("pinned", pinned);
    visit("pins", pins);
    visit("keys", keys);
    visit("sources", facts);
  }
};

// Objects that came since are of no concern: the list says what is read.
Status CompareObjects(const Source& source, const std::vector<SourceObject>& was,
                      const std::vector<SourceObject>& now) {
  std::map<std::string, const SourceObject*> here;
  for (const SourceObject& object : now) here.emplace(object.place, &object);
  const SourceFacts facts{.source = DescribeSource(source)};
  for (const SourceObject& object : was) {
    const auto found = here.find(object.place);
    if (found == here.end()) return SourceChanged(facts, "the object " + object.place + " is gone");
    const SourceObject& other = *found->second;
    if (other.bytes != object.bytes || other.changed != object.changed) {
      return SourceChanged(
          facts,
          fmt::format("the object {} had {} bytes and was of {}; now it has {} "
                      "and is of {}",
                      object.place, object.bytes, object.changed, other.bytes, other.changed));
    }
  }
  return Status::OK();
}

Source WithPin(Source source, const SourcePin& pin) {
  source.file = pin.place;
  source.version = pin.version;
  source.as_of.clear();
  source.objects = pin.objects;
  return source;
}

}  // namespace

Result<SourceRecord> SourceRecord::Open(fs::path file, bool resume) {
  SourceRecord record(std::move(file));
  std::error_code ignored;
  if (!resume || !fs::exists(record.file_, ignored)) return record;
  PT_LET(const std::string text, ReadFile(record.file_, 64 << 20));
  PT_LET(const Json json, ParseJson(text));
  Stored stored;
  PT_TRY(FieldsFromJson(json, "sources", stored));
  record.run_ = std::move(stored.run);
  for (size_t i = 0; i < std::min(stored.pinned.size(), stored.pins.size()); ++i) {
    record.pins_.emplace(stored.pinned[i], stored.pins[i]);
  }
  for (size_t i = 0; i < std::min(stored.keys.size(), stored.facts.size()); ++i) {
    record.facts_.emplace(stored.keys[i], stored.facts[i]);
  }
  return record;
}

Status SourceRecord::Add(Engine& engine, const Plan& table, const Source& source,
                         const Call& call) {
  const std::string key = SourceKey(source);
  const auto known = facts_.find(key);
  if (known != facts_.end()) return CompareWithSource(engine, table, source, known->second, call);
  PT_LET(SourceFacts facts, ReadSourceFacts(engine, table, source, call));
  facts_.emplace(key, std::move(facts));
  return Save();
}

Status SourceRecord::AddCopies(const Source& source, const std::vector<ObjectCopy>& copies) {
  Sha256 sha256;
  for (const ObjectCopy& copy : copies) sha256.Add(copy.sha256);
  const SourceFacts now{.source = DescribeSource(source),
                        .rows = -1,
                        .sum = "sha256 " + sha256.Hex(),
                        .position = PinnedPosition(source)};
  const auto [known, fresh] = facts_.emplace(SourceKey(source), now);
  if (fresh) return Save();
  if (known->second.sum == now.sum) return Status::OK();
  return SourceChanged(known->second, "its objects have the same sizes and times, but other bytes");
}

Result<Source> SourceRecord::PinOf(Engine& engine, const Source& source, const Call& call) {
  const std::string key = SourceKey(source);
  const auto known = pins_.find(key);
  if (known == pins_.end()) {
    PT_LET(Source pinned, engine.Pin(source, Quiet(call)));
    if (SourceKey(pinned) == key) return pinned;
    pins_.emplace(key, SourcePin{pinned.file, pinned.version, pinned.objects});
    PT_TRY(Save());
    return pinned;
  }
  const SourcePin& pin = known->second;
  if (!pin.objects.empty()) {
    PT_LET(const Source now, engine.Pin(source, Quiet(call)));
    PT_TRY(CompareObjects(source, pin.objects, now.objects));
  }
  return WithPin(source, pin);
}

Result<std::string> SourceRecord::RunId() {
  if (!run_.empty()) return run_;
  std::random_device random;
  for (int i = 0; i < 4; ++i) run_ += fmt::format("{:08x}", random());
  PT_TRY(Save());
  return run_;
}

Status SourceRecord::Save() const {
  if (file_.empty()) return Status::OK();
  Stored stored{.run = run_};
  for (const auto& [key, pin] : pins_) {
    stored.pinned.push_back(key);
    stored.pins.push_back(pin);
  }
  for (const auto& [key, facts] : facts_) {
    stored.keys.push_back(key);
    stored.facts.push_back(facts);
  }
  return WriteFile(file_, Pretty(FieldsToJson(stored)));
}

}  // namespace protium
