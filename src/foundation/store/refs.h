// SPDX-License-Identifier: Apache-2.0
// Names that stand for one object after another: the latest weights, the best trial. A change
// states the version that it follows, so that of two at the same time one is refused.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "store/store_folder.h"

namespace protium {

struct Ref {
  std::string name;
  std::string object;   // The cause of an object.
  int64_t version = 0;  // 1 for the first; a name never has the same one twice.
};

// Several processes and threads may use the refs of a store at the same time. An object with a ref
// does not give way.
class Refs {
 public:
  explicit Refs(const StoreFolder& folder) : folder_(folder) {}

  // None if nothing has the name.
  Result<std::optional<Ref>> Get(const std::string& name) const;
  // Makes `name` stand for `object`, with the version `expected` + 1, if its version is `expected`
  // (0: it must be new). Returns whether it was. Flushed to the disk before it returns.
  Result<bool> CompareAndSet(const std::string& name, int64_t expected, const std::string& object);
  // Takes the name away from `object`; false if it stands for another one, or for none.
  Result<bool> Drop(const std::string& name, const std::string& object);
  // All of them, by name; damaged ones are left out.
  std::vector<Ref> List() const;
  // The objects that refs stand for.
  std::set<std::string> Objects() const;

 private:
  Status Change(const std::string& name, const std::function<Status(const Ref& now)>& change);
  Status Write(const Ref& ref) const;

  const StoreFolder& folder_;
};

}  // namespace protium
