// SPDX-License-Identifier: Apache-2.0
#include "weights/old_torch_file.h"

#include <fmt/format.h>

#include <cstring>

#include "base/fault.h"

namespace protium {
namespace {

using Kind = Pickled::Kind;

// 0x1950a86a20f9469cfc6c and 1001, as Python pickles them in protocol 2.
constexpr std::string_view kBegin(
    "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
    "\x80\x02M\xe9\x03.",
    21);
constexpr size_t kMostPickled = size_t{64} << 20;  // ReadPickle()'s.

// The storages that the object names, by key: the bytes of an element of each.
std::map<std::string, int64_t> Elements(const Pickle& object,
                                        const OldTorchFile::ElementBytes& element_bytes) {
  std::map<std::string, int64_t> elements;
  for (const Pickled& each : object.values) {
    if (each.kind != Kind::kPersistent || each.items.size() < 3) continue;
    if (each.items[1]->kind != Kind::kClass || each.items[2]->kind != Kind::kText) continue;
    elements.emplace(each.items[2]->text, element_bytes(each.items[1]->text));
  }
  return elements;
}

}  // namespace

bool OldTorchFile::Begins(std::string_view bytes) { return bytes.starts_with(kBegin); }

Result<OldTorchFile> OldTorchFile::Parse(std::string_view bytes,
                                         std::span<const std::string_view> known,
                                         const ElementBytes& element_bytes,
                                         const std::string& where) {
  bytes.remove_prefix(kBegin.size());
  const auto next = [&]() -> Result<Pickle> {
    PT_LET(Pickle pickle, ReadPickle(bytes.substr(0, kMostPickled), known, where));
    bytes.remove_prefix(pickle.bytes);
    return pickle;
  };
  PT_LET(const Pickle machine, next());
  PT_LET(Pickle object, next());
  PT_LET(const Pickle keys, next());
  OldTorchFile file(std::move(object), where);
  const Pickled* const little = machine.top->Find("little_endian");
  if (little == nullptr || little->kind != Kind::kBool || little->whole != 1) {
    return file.Bad("its numbers have their highest byte first");
  }
  PT_TRY(file.FindStorages(*keys.top, bytes, element_bytes));
  return file;
}

Status OldTorchFile::FindStorages(const Pickled& keys, std::string_view bytes,
                                  const ElementBytes& element_bytes) {
  const std::map<std::string, int64_t> elements = Elements(object_, element_bytes);
  if (keys.kind != Kind::kList) return Bad("there is no list of its storages");
  for (const Pickled* const key : keys.items) {
    const auto found = elements.find(key->text);
    if (key->kind != Kind::kText || found == elements.end() || found->second == 0) {
      return Bad(fmt::format("no tensor says what its storage \"{}\" holds", key->text));
    }
    uint64_t count = 0;
    if (bytes.size() < sizeof count) return Bad("it ends before its storages do");
    std::memcpy(&count, bytes.data(), sizeof count);
    bytes.remove_prefix(sizeof count);
    if (count > bytes.size() / uint64_t(found->second))
      return Bad("it ends before its storages do");
    storages_[key->text] = bytes.substr(0, count * uint64_t(found->second));
    bytes.remove_prefix(count * uint64_t(found->second));
  }
  return Status::OK();
}

Result<std::string_view> OldTorchFile::Read(const std::string& key) const {
  const auto found = storages_.find(key);
  if (found == storages_.end()) return Bad(fmt::format("it has no storage \"{}\"", key));
  return found->second;
}

Status OldTorchFile::Bad(std::string why) const {
  return Fail({.exit = Exit::kInput,
               .what = "cannot read the tensors of " + where_,
               .where = where_,
               .why = std::move(why),
               .fix = "torch.save(module.state_dict(), \"weights.pt\") writes what can be read"});
}

}  // namespace protium
