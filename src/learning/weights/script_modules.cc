// SPDX-License-Identifier: Apache-2.0
#include "weights/script_modules.h"

#include <fmt/format.h>

#include "base/fault.h"

namespace protium {
namespace {

using Kind = Pickled::Kind;

constexpr size_t kMostDepth = 64;
// One module may be an attribute of several others, and these again: names, unlike values, are not
// bounded by the pickle's length.
constexpr size_t kMostAttributes = 200'000;
constexpr size_t kMostNameBytes = 1000;

class ModuleWalk {
 public:
  explicit ModuleWalk(const std::string& where) : where_(where) {}

  Status Add(const Pickled& module, const std::string& prefix, size_t depth) {
    if (depth > kMostDepth) return Refuse(prefix, "its modules lie more than 64 deep");
    // Without a state, or with one of its own kind (__getstate__), it has no attributes by name.
    if (module.items.empty() || module.items[0]->kind != Kind::kDict) return Status::OK();
    const std::vector<const Pickled*>& state = module.items[0]->items;
    for (size_t i = 0; i + 1 < state.size(); i += 2) {
      if (++attributes_ > kMostAttributes) return Refuse(prefix, "it has over 200,000 attributes");
      PT_TRY(AddAttribute(*state[i], *state[i + 1], prefix, depth));
    }
    return Status::OK();
  }

  std::vector<NamedValue> Take() { return std::move(calls_); }

 private:
  Status AddAttribute(const Pickled& key, const Pickled& value, const std::string& prefix,
                      size_t depth) {
    if (value.kind != Kind::kObject && value.kind != Kind::kCall) return Status::OK();
    if (key.kind != Kind::kText) return Refuse(prefix, "a name in it is not text");
    if (prefix.size() + key.text.size() > kMostNameBytes) {
      return Refuse(prefix, "a name in it is longer than 1,000 bytes");
    }
    const std::string name = prefix + key.text;
    if (value.kind == Kind::kObject) return Add(value, name + ".", depth + 1);
    calls_.push_back({name, &value});
    return Status::OK();
  }

  Status Refuse(const std::string& prefix, std::string why) const {
    constexpr size_t kMostShown = 100;
    return Fail({.exit = Exit::kInput,
                 .what = "cannot read the modules of " + where_,
                 .where = prefix.empty()
                              ? where_
                              : fmt::format("{}, below {}", where_, prefix.substr(0, kMostShown)),
                 .why = std::move(why)});
  }

  const std::string& where_;
  size_t attributes_ = 0;
  std::vector<NamedValue> calls_;
};

}  // namespace

Result<std::vector<NamedValue>> CallsOfModules(const Pickled& module, const std::string& where) {
  if (module.kind != Kind::kObject) {
    return Fail({.exit = Exit::kInput,
                 .what = "the TorchScript file holds no module",
                 .where = where,
                 .fix = "torch.jit.save(module, \"net.pt\") writes one"});
  }
  ModuleWalk walk(where);
  PT_TRY(walk.Add(module, "", 1));
  return walk.Take();
}

}  // namespace protium
