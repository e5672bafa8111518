// SPDX-License-Identifier: Apache-2.0
#include "weights/torch_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <optional>

#include "base/fault.h"
#include "weights/old_torch_file.h"
#include "weights/pickle.h"
#include "weights/script_modules.h"
#include "weights/zip_file.h"

// torch/serialization.py: an archive with NAME/data.pkl, whose tensors are calls of
// torch._utils._rebuild_tensor_v2(storage, offset, shape, strides, ...), and NAME/data/KEY for each
// storage, which the pickle names as ("storage", type, KEY, device, elements). Files of versions
// before 1.6 differ in where the storages lie (old_torch_file.h). torch.jit.save() writes the same
// archive with modules in place of the dict (script_modules.h), and code, which is not read.

namespace protium {
namespace {

constexpr size_t kMostDimensions = 64;
// Tensors may share a storage, as tied weights do. But each gets memory of its own sooner or later,
// and a small file could name one storage many thousand times.
constexpr int64_t kMostSharing = 16;
constexpr std::string_view kTensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kParameter = "torch._utils._rebuild_parameter";

struct StorageType {
  std::string_view name;
  std::string_view dtype;  // As in safetensors.
  int64_t bytes;
};
constexpr std::array<StorageType, 10> kStorages = {{{"torch.FloatStorage", "F32", 4},
                                                    {"torch.DoubleStorage", "F64", 8},
                                                    {"torch.HalfStorage", "F16", 2},
                                                    {"torch.BFloat16Storage", "BF16", 2},
                                                    {"torch.LongStorage", "I64", 8},
                                                    {"torch.IntStorage", "I32", 4},
                                                    {"torch.ShortStorage", "I16", 2},
                                                    {"torch.CharStorage", "I8", 1},
                                                    {"torch.ByteStorage", "U8", 1},
                                                    {"torch.BoolStorage", "BOOL", 1}}};

bool IsTensor(const Pickled& value) {
  return value.kind == Pickled::Kind::kCall && (value.text == kTensor || value.text == kParameter);
}

bool HoldsTensors(const Pickled* dict) {
  if (dict == nullptr || dict->kind != Pickled::Kind::kDict) return false;
  for (size_t i = 1; i < dict->items.size(); i += 2) {
    if (IsTensor(*dict->items[i])) return true;
  }
  return false;
}

// How a tensor lies in its storage, in elements.
struct Layout {
  int64_t offset = 0;
  std::vector<int64_t> shape, strides;
  int64_t count = 1;  // Elements of the tensor.
  bool row_major = true;
};

std::optional<std::vector<int64_t>> Counts(const Pickled& value) {
  if (value.kind != Pickled::Kind::kTuple || value.items.size() > kMostDimensions) {
    return std::nullopt;
  }
  std::vector<int64_t> counts;
  for (const Pickled* const each : value.items) {
    if (each->kind != Pickled::Kind::kWhole || each->whole < 0) return std::nullopt;
    counts.push_back(each->whole);
  }
  return counts;
}

// Computes count and row_major; returns false if the tensor is larger than its storage of
// `elements` or reaches beyond it.
bool Complete(Layout& layout, int64_t elements) {
  for (const int64_t length : layout.shape) {
    if (__builtin_mul_overflow(layout.count, length, &layout.count)) return false;
  }
  if (layout.count == 0) return true;
  int64_t last = layout.offset, expected = 1;
  for (size_t d = layout.shape.size(); d-- > 0;) {
    if (layout.shape[d] == 1) continue;
    layout.row_major = layout.row_major && layout.strides[d] == expected;
    expected *= layout.shape[d];
    int64_t reach = 0;
    if (__builtin_mul_overflow(layout.shape[d] - 1, layout.strides[d], &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return false;
    }
  }
  return layout.count <= elements && last < elements;
}

// Returns the elements in row-major order.
std::vector<std::byte> Gather(const Layout& layout, std::string_view storage, int64_t bytes) {
  std::vector<std::byte> gathered(size_t(layout.count * bytes));
  std::vector<int64_t> index(layout.shape.size());
  int64_t at = layout.offset;
  for (int64_t i = 0; i < layout.count; ++i) {
    std::memcpy(gathered.data() + i * bytes, storage.data() + at * bytes, size_t(bytes));
    for (size_t d = index.size(); d-- > 0;) {
      at += layout.strides[d];
      if (++index[d] < layout.shape[d]) break;
      at -= layout.strides[d] * layout.shape[d];
      index[d] = 0;
    }
  }
  return gathered;
}

// Returns the bytes of a storage by its key.
using FindStorage = std::function<Result<std::string_view>(const std::string& key)>;

class StateReader {
 public:
  StateReader(FindStorage find, int64_t file_bytes, const std::string& where)
      : find_(std::move(find)), file_bytes_(file_bytes), where_(where) {}

  Result<TorchState> Read(const Pickled& dict) {
    std::vector<NamedValue> values;
    for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
      const Pickled& name = *dict.items[i];
      if (name.kind != Pickled::Kind::kText) return Bad("a name", "it is not text");
      values.push_back({name.text, dict.items[i + 1]});
    }
    return Read(values);
  }

  Result<TorchState> Read(const std::vector<NamedValue>& values) {
    for (const NamedValue& each : values) PT_TRY(Add(each.name, *each.value));
    auto& tensors = state_.tensors;
    std::ranges::sort(tensors, {}, &NamedTensor::name);
    const auto twice = std::ranges::adjacent_find(tensors, {}, &NamedTensor::name);
    if (twice != tensors.end()) return Bad(twice->name, "it occurs twice");
    return std::move(state_);
  }

 private:
  Status Bad(const std::string& tensor, std::string why) const {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("cannot read {} among the tensors of the file", tensor),
                 .where = where_,
                 .why = std::move(why)});
  }

  Status Add(const std::string& name, const Pickled& value) {
    const Pickled* tensor = &value;
    // A parameter is the call of a function with its tensor.
    if (IsTensor(*tensor) && tensor->text == kParameter && !tensor->items.empty()) {
      tensor = tensor->items[0];
    }
    if (tensor->kind != Pickled::Kind::kCall || tensor->text != kTensor ||
        tensor->items.size() < 4) {
      return Bad(name, "it is not a tensor with a storage of its own");
    }
    return AddTensor(name, tensor->items);
  }

  // Compares the total size of the tensors with the size of the archive.
  Status Count(const std::string& name, int64_t bytes) {
    bytes_ += bytes;  // Each is at most the archive's size, so this ends before an overflow.
    if (bytes_ / kMostSharing <= file_bytes_) return Status::OK();
    return Bad(name, fmt::format("with it the tensors are more than {} times the file, whose "
                                 "storages they share",
                                 kMostSharing));
  }

  Status AddTensor(const std::string& name, const std::vector<const Pickled*>& parts) {
    const auto shape = Counts(*parts[2]), strides = Counts(*parts[3]);
    if (parts[0]->kind != Pickled::Kind::kPersistent || parts[1]->kind != Pickled::Kind::kWhole ||
        parts[1]->whole < 0 || !shape || !strides || shape->size() != strides->size()) {
      return Bad(name, "its storage, offset, shape and strides are not what torch.save() writes");
    }
    Layout layout{.offset = parts[1]->whole, .shape = *shape, .strides = *strides};
    const StorageType* type = nullptr;
    PT_LET(std::string_view storage, Storage(name, parts[0]->items, &type));
    if (!Complete(layout, int64_t(storage.size()) / type->bytes)) {
      return Bad(name, fmt::format("shape [{}] with strides [{}] from {} on is more than its "
                                   "storage of {} bytes holds",
                                   fmt::join(*shape, ", "), fmt::join(*strides, ", "),
                                   layout.offset, storage.size()));
    }
    PT_TRY(Count(name, layout.count * type->bytes));
    if (layout.count == 0) storage = {};
    if (layout.count > 0 && !layout.row_major) {
      state_.gathered.push_back(Gather(layout, storage, type->bytes));
    }
    const auto bytes = std::as_bytes(std::span(storage));
    NamedTensor tensor{.name = name, .dtype = std::string(type->dtype), .shape = *shape};
    if (layout.count > 0) {
      tensor.data = layout.row_major ? bytes.subspan(size_t(layout.offset * type->bytes),
                                                     size_t(layout.count * type->bytes))
                                     : std::span<const std::byte>(state_.gathered.back());
    }
    state_.tensors.push_back(std::move(tensor));
    return Status::OK();
  }

  // The bytes of ("storage", type, key, device, elements).
  Result<std::string_view> Storage(const std::string& name, const std::vector<const Pickled*>& id,
                                   const StorageType** type) {
    using Kind = Pickled::Kind;
    // Before version 1.6 a sixth says of what the storage is a part: nothing.
    const bool whole = id.size() == 5 || (id.size() == 6 && id[5]->kind == Kind::kNone);
    if (!whole || id[0]->kind != Kind::kText || id[0]->text != "storage" ||
        id[1]->kind != Kind::kClass || id[2]->kind != Kind::kText || id[4]->kind != Kind::kWhole) {
      return Bad(name, "its storage is not named as torch.save() does");
    }
    const auto found = std::ranges::find(kStorages, id[1]->text, &StorageType::name);
    if (found == kStorages.end()) return Bad(name, id[1]->text + " is not a type of tensors here");
    *type = &*found;
    // Tensors may share a storage; its checksum is verified once.
    const std::string& key = id[2]->text;
    if (!storages_.contains(key)) {
      PT_LET(storages_[key], find_(key));
    }
    const std::string_view bytes = storages_[key];
    int64_t expected = 0;
    if (__builtin_mul_overflow(id[4]->whole, found->bytes, &expected) ||
        expected != int64_t(bytes.size())) {
      return Bad(name, fmt::format("its storage has {} bytes, not {} elements of {}", bytes.size(),
                                   id[4]->whole, found->bytes));
    }
    return bytes;
  }

  const FindStorage find_;
  const int64_t file_bytes_;
  const std::string& where_;
  std::map<std::string, std::string_view> storages_;
  TorchState state_;
  int64_t bytes_ = 0;  // Of the tensors so far.
};

Status NoStateDict(const Pickled& top, const std::string& key, const std::string& where) {
  std::vector<std::string> keys;
  for (size_t i = 0; top.kind == Pickled::Kind::kDict && i < top.items.size(); i += 2) {
    if (top.items[i]->kind == Pickled::Kind::kText && keys.size() < 12) {
      keys.push_back(top.items[i]->text);
    }
  }
  return Fail({.exit = key.empty() ? Exit::kInput : Exit::kUsage,
               .what = key.empty() ? "the file holds no state dict"
                                   : fmt::format("the file holds no state dict under \"{}\"", key),
               .where = where,
               .why = keys.empty() ? "" : fmt::format("its keys are {}", fmt::join(keys, ", ")),
               .fix = "torch.save(module.state_dict(), \"weights.pt\"), or --key with the name of "
                      "the dict of tensors"});
}

Result<const Pickled*> FindDict(const Pickled& top, const std::string& key,
                                const std::string& where) {
  if (!key.empty()) {
    const Pickled* const named = top.Find(key);
    return HoldsTensors(named) ? Result<const Pickled*>(named) : NoStateDict(top, key, where);
  }
  if (HoldsTensors(&top)) return &top;
  for (const char* usual : {"state_dict", "model_state_dict", "model"}) {
    if (const Pickled* const named = top.Find(usual); HoldsTensors(named)) return named;
  }
  return NoStateDict(top, key, where);
}

// What everything in an archive lies in.
struct Folder {
  std::string name;     // "archive/"
  bool script = false;  // Of modules, not of a state dict.
};

Result<Folder> FindFolder(const ZipFile& zip, const std::string& where) {
  const auto refuse = [&](std::string what, std::string fix) {
    return Fail(
        {.exit = Exit::kInput, .what = std::move(what), .where = where, .fix = std::move(fix)});
  };
  for (const auto& [name, entry] : zip.entries()) {
    const size_t slash = name.find('/');
    if (slash == name.npos || name.substr(slash) != "/data.pkl") continue;
    Folder folder{.name = name.substr(0, slash + 1)};
    folder.script = zip.Has(folder.name + "constants.pkl");
    if (!zip.Has(folder.name + "byteorder")) return folder;
    PT_LET(const std::string_view order, zip.Read(folder.name + "byteorder"));
    if (order == "little") return folder;
    return refuse("its numbers have their highest byte first",
                  "save it again on a machine like this one");
  }
  return refuse("the archive holds no data.pkl",
                "torch.save(module.state_dict(), \"weights.pt\") writes what can be read");
}

std::vector<std::string_view> KnownNames(bool script = false) {
  std::vector<std::string_view> known = {kTensor, kParameter, "torch.Size"};
  for (const StorageType& each : kStorages) known.push_back(each.name);
  if (script) known.insert(known.end(), kScriptNames.begin(), kScriptNames.end());
  return known;
}

int64_t BytesOfElement(const std::string& type) {
  const auto found = std::ranges::find(kStorages, type, &StorageType::name);
  return found == kStorages.end() ? 0 : found->bytes;
}

Result<TorchState> ReadOldState(std::string_view bytes, const std::string& key,
                                const std::string& where) {
  PT_LET(const OldTorchFile file, OldTorchFile::Parse(bytes, KnownNames(), BytesOfElement, where));
  PT_LET(const Pickled* const dict, FindDict(file.top(), key, where));
  const auto find = [&](const std::string& storage) { return file.Read(storage); };
  return StateReader(find, int64_t(bytes.size()), where).Read(*dict);
}

// The tensors that the modules of a TorchScript file hold. Lists of tensors and what is made of
// something else are no parameters or buffers.
Result<std::vector<NamedValue>> TensorsOfModules(const Pickled& top, const std::string& key,
                                                 const std::string& where) {
  if (!key.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "--key is for files with several state dicts, and this is a TorchScript "
                         "module",
                 .where = where,
                 .fix = "leave --key out"});
  }
  PT_LET(std::vector<NamedValue> values, CallsOfModules(top, where));
  std::erase_if(values, [](const NamedValue& each) { return !IsTensor(*each.value); });
  if (!values.empty()) return values;
  return Fail({.exit = Exit::kInput,
               .what = "the TorchScript module holds no tensors",
               .where = where,
               .why = "it has none, or torch.jit.freeze() made them constants of its code",
               .fix = "save the module before it is frozen, or its state_dict()"});
}

}  // namespace

Result<TorchState> ReadTorchState(std::string_view archive, const std::string& key,
                                  const std::string& where) {
  if (OldTorchFile::Begins(archive)) return ReadOldState(archive, key, where);
  PT_LET(const ZipFile zip, ZipFile::Parse(archive, where));
  PT_LET(const Folder folder, FindFolder(zip, where));
  PT_LET(const std::string_view bytes, zip.Read(folder.name + "data.pkl"));
  PT_LET(const Pickle pickle, ReadPickle(bytes, KnownNames(folder.script), where));
  const auto find = [&](const std::string& storage) {
    return zip.Read(folder.name + "data/" + storage);
  };
  StateReader reader(find, zip.size(), where);
  if (folder.script) {
    PT_LET(const std::vector<NamedValue> values, TensorsOfModules(*pickle.top, key, where));
    return reader.Read(values);
  }
  PT_LET(const Pickled* const dict, FindDict(*pickle.top, key, where));
  return reader.Read(*dict);
}

}  // namespace protium
