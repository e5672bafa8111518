// SPDX-License-Identifier: Apache-2.0
// Options of any type: either an aggregate with Fields(), whose type is retained, or JSON that has
// not been read yet.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "protium/fields.h"

namespace protium {

// A value type; cheap to copy.
class AnyOptions {
 public:
  AnyOptions() = default;
  // Both are implicit, so that options can be written as JSON wherever they are expected.
  AnyOptions(Json given) : given_(std::move(given)) {}
  AnyOptions(Json::initializer_list_t given) : given_(given) {}
  template <class T>
  requires fields::HasFields<T> AnyOptions(T options)
      : typed_(std::make_shared<const Holds<T>>(std::move(options))) {}

  // As they were given: only typed options are sure to be complete.
  Json ToJson() const { return typed_ ? typed_->ToJson() : given_; }

  // Options given as T are returned as they are. JSON is read, with T's defaults for whatever it
  // omits; unknown keys and values out of range are faults of Exit::kUsage below `path`.
  template <class T>
  Result<T> Read(const std::string& path) const {
    if (const auto* same = dynamic_cast<const Holds<T>*>(typed_.get())) return same->options;
    T options;
    PT_TRY(FieldsFromJson(ToJson(), path, options));
    return options;
  }

 private:
  struct Held {
    virtual ~Held() = default;
    virtual Json ToJson() const = 0;
  };
  template <class T>
  struct Holds : Held {
    explicit Holds(T given) : options(std::move(given)) {}
    Json ToJson() const override { return FieldsToJson(options); }
    T options;
  };

  Json given_ = Json::object();
  std::shared_ptr<const Held> typed_;  // Null: the options are in given_.
};

}  // namespace protium
