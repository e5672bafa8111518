// SPDX-License-Identifier: Apache-2.0
// Reads Python's pickles as data. A pickle is a program for a stack machine that may import and
// call anything; this reader has only the operations for plain values, the tensors of a state dict
// in protocols 2 to 5 and the modules of a TorchScript file, and calls nothing: classes, calls and
// objects remain names with their arguments, and only names that the caller expects are allowed.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace protium {

struct Pickled {
  enum class Kind {
    kNone,
    kBool,        // whole: 0 or 1
    kWhole,       // whole
    kNumber,      // number
    kText,        // text
    kTuple,       // items
    kList,        // items
    kDict,        // items: key, value, key, value, ...
    kClass,       // text: "collections.OrderedDict"
    kCall,        // text: the class or function that would be called; items: its arguments
    kObject,      // text: its class; items: its state, if it has one
    kPersistent,  // items: refers to data that the writer stored elsewhere, here as a tuple
  };
  Kind kind = Kind::kNone;
  int64_t whole = 0;
  double number = 0;
  std::string text;
  std::vector<const Pickled*> items;

  // Returns the value of a key of a dict, or nullptr.
  const Pickled* Find(std::string_view key) const;
};

// A pickle's values; `top` is the outermost. Values may contain each other in cycles: whoever walks
// them must bound the depth.
struct Pickle {
  std::deque<Pickled> values;
  const Pickled* top = nullptr;
  size_t bytes = 0;  // How many it has; others may follow.
};

// Reads a pickle. An operation other than those above, a class or function that is not among
// `known` ("module.name", or "package." for all below it) and damage are faults of Exit::kInput
// that name it and its byte; so are pickles of more than 64 MiB or four million values, and objects
// of other classes than those of a package. collections.OrderedDict() is a dict.
Result<Pickle> ReadPickle(std::string_view bytes, std::span<const std::string_view> known,
                          const std::string& where);

}  // namespace protium
