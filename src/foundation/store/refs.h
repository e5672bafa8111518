// SPDX-License-Identifier: Apache-2.0
// Names that stand for one object after another: the latest weights, the best trial. A change
// states the version that it follows, so that of two at the same time one is refused.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/status.h"
#include "store/store_folder.h"

namespace protium {

struct Ref {
  std::string name;
  std::string object;   // The cause of an object.
  int64_t version = 0;  // 1 for the first.
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
  // The objects that refs stand for.
  std::set<std::string> Objects() const;

 private:
  const StoreFolder& folder_;
};

}  // namespace protium
