// SPDX-License-Identifier: Apache-2.0
// What torch.save() wrote before version 1.6 (torch/serialization.py, _legacy_save): five pickles,
// which are a magic number, the version 1001, sizes of the machine, the object, and the keys of its
// storages; then for each key in this order the number of elements in eight bytes and the elements.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "weights/pickle.h"

namespace protium {

class OldTorchFile {
 public:
  // Bytes of an element of a type of storages ("torch.FloatStorage"); 0: unknown.
  using ElementBytes = std::function<int64_t(const std::string& type)>;

  static bool Begins(std::string_view bytes);
  // Parses such a file, of which it borrows. `known` as in ReadPickle(). Damage, and numbers that
  // have their highest byte first, are faults of Exit::kInput.
  static Result<OldTorchFile> Parse(std::string_view bytes, std::span<const std::string_view> known,
                                    const ElementBytes& element_bytes, const std::string& where);

  const Pickled& top() const { return *object_.top; }
  // The elements of a storage.
  Result<std::string_view> Read(const std::string& key) const;

 private:
  OldTorchFile(Pickle object, std::string where)
      : object_(std::move(object)), where_(std::move(where)) {}
  Status FindStorages(const Pickled& keys, std::string_view bytes,
                      const ElementBytes& element_bytes);
  Status Bad(std::string why) const;

  Pickle object_;
  std::string where_;
  std::map<std::string, std::string_view> storages_;
};

}  // namespace protium
