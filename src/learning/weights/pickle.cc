// SPDX-License-Identifier: Apache-2.0
#include "weights/pickle.h"

#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/fault.h"
#include "weights/pickle_operations.h"

// The operations: Lib/pickletools.py of CPython. Each value takes at least one byte of the pickle,
// so their number is bounded by its length.

namespace protium {
namespace {

using Kind = Pickled::Kind;

constexpr size_t kMostBytes = size_t{64} << 20;
constexpr size_t kMostValues = 4'000'000;
constexpr std::string_view kOrderedDict = "collections.OrderedDict";

// Those of a state dict have up to seven. Calls and persistent values hold a copy of theirs, which
// one tuple used again and again would make large.
constexpr size_t kMostArguments = 64;

bool IsPackage(std::string_view known) { return known.ends_with('.'); }

class PickleReader {
 public:
  PickleReader(std::string_view bytes, std::span<const std::string_view> known,
               const std::string& where)
      : bytes_(bytes), known_(known), where_(where) {}

  Result<Pickle> Read() {
    arrow::util::InitializeUTF8();
    if (bytes_.size() > kMostBytes) return Refuse("it has more than 64 MiB");
    while (true) {
      operation_ = at_;
      PT_LET(const uint64_t operation, Number(1));
      if (operation == '.') break;
      PT_TRY(Step(uint8_t(operation)));
      if (pickle_.values.size() > kMostValues) return Refuse("it has more than 4,000,000 values");
    }
    PT_LET(pickle_.top, Pop());
    pickle_.bytes = at_;
    return std::move(pickle_);
  }

 private:
  Status Refuse(std::string why, std::string fix = "") const {
    return Fail({.exit = Exit::kInput,
                 .what = "cannot read the values of " + where_,
                 .where = fmt::format("{}, byte {} of its pickle", where_, operation_),
                 .why = std::move(why),
                 .fix = std::move(fix)});
  }

  Status Step(uint8_t operation) {
    using Part = Result<bool> (PickleReader::*)(uint8_t);
    for (const Part part : {&PickleReader::Plain, &PickleReader::Memo, &PickleReader::Container,
                            &PickleReader::Fill, &PickleReader::Call}) {
      PT_LET(const bool done, (this->*part)(operation));
      if (done) return Status::OK();
    }
    return Refuse(fmt::format("operation 0x{:02x} ({}) is none that a state dict has", operation,
                              NameOfOperation(operation)),
                  "torch.save(module.state_dict(), \"weights.pt\") writes one that can be read");
  }

  Result<std::string_view> Take(uint64_t bytes) {
    if (bytes > bytes_.size() - at_) return Refuse("it ends too early");
    const std::string_view taken = bytes_.substr(at_, bytes);
    at_ += bytes;
    return taken;
  }
  Result<uint64_t> Number(size_t bytes) {
    PT_LET(const std::string_view taken, Take(bytes));
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; ++i) {
      number |= uint64_t(static_cast<unsigned char>(taken[i])) << (8 * i);
    }
    return number;
  }
  Result<std::string_view> Line() {
    const size_t end = bytes_.find('\n', at_);
    if (end == bytes_.npos) return Refuse("it ends too early");
    const std::string_view line = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return line;
  }

  bool Push(Pickled value) {
    pickle_.values.push_back(std::move(value));
    stack_.push_back(&pickle_.values.back());
    return true;
  }
  Result<Pickled*> Pop() {
    // Values below a mark belong to another value.
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) return Refuse("its stack is empty");
    Pickled* const top = stack_.back();
    stack_.pop_back();
    return top;
  }
  Result<Pickled*> Top(Kind kind) const {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()) || stack_.back()->kind != kind) {
      return Refuse("it fills what is not a list or dict");
    }
    return stack_.back();
  }
  // Removes the last mark and returns the values above it.
  Result<std::vector<const Pickled*>> PopMarked() {
    if (marks_.empty()) return Refuse("it ends a list that was not begun");
    std::vector<const Pickled*> values(stack_.begin() + int64_t(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return values;
  }

  Result<bool> Plain(uint8_t operation);
  Result<bool> Memo(uint8_t operation);
  Result<bool> Container(uint8_t operation);
  Result<bool> Fill(uint8_t operation);
  Result<bool> Call(uint8_t operation);
  Result<bool> PushLong();
  Result<bool> PushText(size_t length_bytes);
  Result<bool> PushClass(std::string_view operation, std::string_view module,
                         std::string_view name);
  Result<bool> PushClassOfTexts();
  Result<bool> PushTuple(size_t length);
  Result<bool> PushCall();
  Result<bool> PushObject();
  Result<bool> Build();
  Result<bool> Append(Kind kind, size_t many);

  std::string_view bytes_;
  std::span<const std::string_view> known_;
  const std::string& where_;
  size_t at_ = 0;
  size_t operation_ = 0;  // Where the current one begins.
  Pickle pickle_;
  std::vector<Pickled*> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, Pickled*> memo_;
};

Result<bool> PickleReader::Plain(uint8_t operation) {
  const auto whole = [&](size_t bytes) -> Result<bool> {
    PT_LET(const uint64_t number, Number(bytes));
    // Only the one of four bytes has a sign.
    const int64_t value = bytes == 4 ? int64_t(int32_t(uint32_t(number))) : int64_t(number);
    return Push({.kind = Kind::kWhole, .whole = value});
  };
  switch (operation) {
    case 0x80: {  // PROTO
      PT_LET(const uint64_t version, Number(1));
      if (version > 5) {
        return Refuse(
            fmt::format("it is of protocol {}, and 5 is the last one known here", version),
            "torch.save() writes protocol 2 unless told otherwise");
      }
      return true;
    }
    case 0x95: {  // FRAME: how many bytes may be read ahead; all of them are here.
      PT_LET(const uint64_t length, Number(8));
      if (length > bytes_.size() - at_) return Refuse("it ends too early");
      return true;
    }
    case 'N':
      return Push({});
    case 0x88:
      return Push({.kind = Kind::kBool, .whole = 1});
    case 0x89:
      return Push({.kind = Kind::kBool});
    case 'K':
      return whole(1);
    case 'M':
      return whole(2);
    case 'J':
      return whole(4);
    case 0x8a:
      return PushLong();
    case 'G': {  // BINFLOAT, the only number with its highest byte first.
      PT_LET(const uint64_t bits, Number(8));
      return Push(
          {.kind = Kind::kNumber, .number = std::bit_cast<double>(__builtin_bswap64(bits))});
    }
    case 0x8c:
      return PushText(1);
    case 'X':
      return PushText(4);
    case 0x8d:
      return PushText(8);
    default:
      return false;
  }
}

// LONG1: a whole number of up to 255 bytes; only values that fit int64_t are accepted.
Result<bool> PickleReader::PushLong() {
  PT_LET(const uint64_t length, Number(1));
  if (length > 8) return Refuse("it has a whole number beyond 64 bits");
  PT_LET(uint64_t bits, Number(length));
  const bool negative = length > 0 && length < 8 && (bits >> (8 * length - 1)) != 0;
  if (negative) bits |= ~uint64_t{0} << (8 * length);
  return Push({.kind = Kind::kWhole, .whole = int64_t(bits)});
}

Result<bool> PickleReader::PushText(size_t length_bytes) {
  PT_LET(const uint64_t length, Number(length_bytes));
  PT_LET(const std::string_view text, Take(length));
  if (!arrow::util::ValidateUTF8(text)) return Refuse("a text in it is no UTF-8");
  return Push({.kind = Kind::kText, .text = std::string(text)});
}

Result<bool> PickleReader::Memo(uint8_t operation) {
  const bool next = operation == 0x94;  // MEMOIZE: under the next number.
  const bool put = next || operation == 'q' || operation == 'r';
  if (!put && operation != 'h' && operation != 'j') return false;
  uint64_t key = memo_.size();
  if (!next) {
    PT_LET(key, Number(operation == 'q' || operation == 'h' ? 1 : 4));
  }
  if (put) {
    PT_LET(Pickled* const top, Pop());
    stack_.push_back(top);
    memo_[key] = top;
    return true;
  }
  const auto found = memo_.find(key);
  if (found == memo_.end()) return Refuse(fmt::format("it has no value {} to repeat", key));
  stack_.push_back(found->second);
  return true;
}

Result<bool> PickleReader::Container(uint8_t operation) {
  switch (operation) {
    case '(':
      marks_.push_back(stack_.size());
      return true;
    case ')':
      return Push({.kind = Kind::kTuple});
    case ']':
      return Push({.kind = Kind::kList});
    case '}':
      return Push({.kind = Kind::kDict});
    case 0x85:
      return PushTuple(1);
    case 0x86:
      return PushTuple(2);
    case 0x87:
      return PushTuple(3);
    case 't': {
      PT_LET(auto items, PopMarked());
      return Push({.kind = Kind::kTuple, .items = std::move(items)});
    }
    default:
      return false;
  }
}

Result<bool> PickleReader::PushTuple(size_t length) {
  Pickled tuple{.kind = Kind::kTuple};
  for (size_t i = 0; i < length; ++i) {
    PT_LET(const Pickled* const item, Pop());
    tuple.items.insert(tuple.items.begin(), item);
  }
  return Push(std::move(tuple));
}

Result<bool> PickleReader::Fill(uint8_t operation) {
  switch (operation) {
    case 'a':
      return Append(Kind::kList, 1);
    case 's':
      return Append(Kind::kDict, 2);
    case 'e':
      return Append(Kind::kList, 0);
    case 'u':
      return Append(Kind::kDict, 0);
    default:
      return false;
  }
}

// Moves `many` values of the stack, or with 0 those above the mark, to the list or dict below them.
Result<bool> PickleReader::Append(Kind kind, size_t many) {
  std::vector<const Pickled*> items;
  if (many == 0) {
    PT_LET(items, PopMarked());
  }
  for (size_t i = 0; i < many; ++i) {
    PT_LET(const Pickled* const item, Pop());
    items.insert(items.begin(), item);
  }
  PT_LET(Pickled* const to, Top(kind));
  if (kind == Kind::kDict && items.size() % 2 != 0) return Refuse("a key in it has no value");
  to->items.insert(to->items.end(), items.begin(), items.end());
  return true;
}

Result<bool> PickleReader::PushClass(std::string_view operation, std::string_view module,
                                     std::string_view name) {
  constexpr size_t kMostName = 200;  // Bytes of each, in a message.
  std::string full = fmt::format("{}.{}", module.substr(0, kMostName), name.substr(0, kMostName));
  const auto names = [&](std::string_view each) {
    return IsPackage(each) ? full.starts_with(each) : full == each;
  };
  if (full != kOrderedDict && std::ranges::none_of(known_, names)) {
    return Refuse(
        fmt::format("operation {} names {}, which is not a part of a state dict", operation, full),
        "torch.save(module.state_dict(), \"weights.pt\") writes the tensors alone");
  }
  return Push({.kind = Kind::kClass, .text = std::move(full)});
}

// STACK_GLOBAL: a class whose module and name are the two texts on top of the stack.
Result<bool> PickleReader::PushClassOfTexts() {
  PT_LET(const Pickled* const name, Pop());
  PT_LET(const Pickled* const module, Pop());
  if (module->kind != Kind::kText || name->kind != Kind::kText) {
    return Refuse("it names a class by what is not text");
  }
  return PushClass("0x93 (STACK_GLOBAL)", module->text, name->text);
}

// REDUCE: the call of a class or function, which remains a name.
Result<bool> PickleReader::PushCall() {
  PT_LET(const Pickled* const arguments, Pop());
  PT_LET(const Pickled* const called, Pop());
  if (called->kind != Kind::kClass || arguments->kind != Kind::kTuple) {
    return Refuse("it calls what is not a class or function");
  }
  if (arguments->items.size() > kMostArguments) return Refuse("it calls with over 64 arguments");
  if (called->text != kOrderedDict) {
    return Push({.kind = Kind::kCall, .text = called->text, .items = arguments->items});
  }
  if (!arguments->items.empty()) return Refuse("an OrderedDict in it is made of something");
  return Push({.kind = Kind::kDict});
}

// NEWOBJ: an object of a class in an expected package, without arguments.
Result<bool> PickleReader::PushObject() {
  PT_LET(const Pickled* const arguments, Pop());
  PT_LET(const Pickled* const made, Pop());
  const bool plain = arguments->kind == Kind::kTuple && arguments->items.empty();
  const auto holds = [&](std::string_view each) {
    return IsPackage(each) && made->text.starts_with(each);
  };
  if (made->kind != Kind::kClass || !plain || std::ranges::none_of(known_, holds)) {
    return Refuse("it makes an object of what is not a class of the file");
  }
  return Push({.kind = Kind::kObject, .text = made->text});
}

// BUILD: the state of an object. What it adds to a dict (_metadata) is not a weight.
Result<bool> PickleReader::Build() {
  PT_LET(const Pickled* const state, Pop());
  PT_LET(Pickled* const built, Pop());
  stack_.push_back(built);
  if (built->kind == Kind::kObject) {
    built->items = {state};
    return true;
  }
  PT_TRY(Top(Kind::kDict));
  return true;
}

Result<bool> PickleReader::Call(uint8_t operation) {
  switch (operation) {
    case 'c': {
      PT_LET(const std::string_view module, Line());
      PT_LET(const std::string_view name, Line());
      return PushClass("0x63 (GLOBAL)", module, name);
    }
    case 0x93:
      return PushClassOfTexts();
    case 'Q': {  // BINPERSID
      PT_LET(const Pickled* const id, Pop());
      if (id->items.size() > kMostArguments) return Refuse("what it stores has over 64 parts");
      return Push({.kind = Kind::kPersistent, .items = id->items});
    }
    case 'R':
      return PushCall();
    case 0x81:
      if (std::ranges::none_of(known_, IsPackage)) return false;
      return PushObject();
    case 'b':
      return Build();
    default:
      return false;
  }
}

}  // namespace

const Pickled* Pickled::Find(std::string_view key) const {
  const Pickled* found = nullptr;
  // The last one counts, as in Python.
  for (size_t i = 0; kind == Kind::kDict && i + 1 < items.size(); i += 2) {
    if (items[i]->kind == Kind::kText && items[i]->text == key) found = items[i + 1];
  }
  return found;
}

Result<Pickle> ReadPickle(std::string_view bytes, std::span<const std::string_view> known,
                          const std::string& where) {
  return PickleReader(bytes, known, where).Read();
}

}  // namespace protium
