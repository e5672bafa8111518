// SPDX-License-Identifier: Apache-2.0
#include "onnx_runtime/outline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/fault.h"
#include "onnx_runtime/wire.h"

namespace protium {
namespace {

constexpr size_t kLongestName = 4096;
constexpr size_t kMostValues = 100'000;
constexpr size_t kMostDimensions = 8;
constexpr int kDeepest = 8;

Status BadFile(std::string what, std::string why = {}) {
  return Fail({.exit = Exit::kInput, .what = std::move(what), .why = std::move(why)});
}

Result<std::string> TextOf(const WireField& field) {
  if (field.bytes.size() <= kLongestName) return std::string(field.bytes);
  return BadFile(fmt::format("the file has a name of {} bytes", field.bytes.size()));
}

Status CheckCount(size_t count, size_t most, const char* what) {
  if (count < most) return Status::OK();
  return BadFile(fmt::format("the file has more than {} {}", most, what));
}

// Calls visit(field) for each field of a message.
template <class Visit>
Status EachField(std::string_view message, const Visit& visit) {
  WireReader reader(message);
  while (!reader.AtEnd()) {
    PT_LET(const WireField field, reader.Next());
    PT_TRY(visit(field));
  }
  return Status::OK();
}

// A dimension without a number has a name, or nothing: any length.
Status ReadDimension(std::string_view message, std::vector<int64_t>& shape) {
  PT_TRY(CheckCount(shape.size(), kMostDimensions, "dimensions in one tensor"));
  int64_t length = kAnyLength;
  PT_TRY(EachField(message, [&](const WireField& field) {
    if (field.number == 1 && !field.is_bytes) length = int64_t(field.value);
    return Status::OK();
  }));
  if (length < kAnyLength) return BadFile("the file has a dimension of a negative length");
  shape.push_back(length);
  return Status::OK();
}

Status ReadTensorType(std::string_view message, NetValue& value) {
  return EachField(message, [&](const WireField& field) -> Status {
    if (field.number == 1) {
      const bool sane = field.value <= uint64_t(std::numeric_limits<int32_t>::max());
      value.element = sane ? NetElement(int32_t(field.value)) : NetElement::kNone;
    }
    if (field.number != 2) return Status::OK();
    value.has_shape = true;
    return EachField(field.bytes, [&](const WireField& each) {
      return each.number == 1 ? ReadDimension(each.bytes, value.shape) : Status::OK();
    });
  });
}

Result<NetValue> ReadValue(std::string_view message) {
  NetValue value;
  PT_TRY(EachField(message, [&](const WireField& field) -> Status {
    if (field.number == 1) {
      PT_LET(value.name, TextOf(field));
    }
    if (field.number != 2) return Status::OK();
    return EachField(field.bytes, [&](const WireField& type) {
      return type.number == 1 ? ReadTensorType(type.bytes, value) : Status::OK();
    });
  }));
  if (value.name.empty()) return BadFile("the file has an input or an output without a name");
  return value;
}

struct Initializer {
  std::string name;
  uint64_t numbers = 1;
};

Status AddDimension(uint64_t length, Initializer& tensor) {
  // More than a file can hold; only a measure of work, so it saturates.
  constexpr uint64_t kMost = uint64_t{1} << 40;
  tensor.numbers = length == 0 ? 0 : std::min(kMost, tensor.numbers) * std::min(kMost, length);
  tensor.numbers = std::min(tensor.numbers, kMost);
  return Status::OK();
}

Status InAnotherFile(const std::string& tensor, std::string_view file) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the weights of {} lie in another file", tensor),
               .where = std::string(file),
               .why = "a net that reads files could read any, so one file must hold all of it",
               .fix = "onnx.save(onnx.load(\"net.onnx\"), \"whole.onnx\") in Python"});
}

// The file that a key and a value of external_data name.
std::string_view LocationIn(std::string_view message) {
  std::string_view key, value;
  WireReader reader(message);
  while (!reader.AtEnd()) {
    const auto field = reader.Next();
    if (!field.ok()) break;
    if (field->number == 1) key = field->bytes;
    if (field->number == 2) value = field->bytes;
  }
  return key == "location" ? value.substr(0, kLongestName) : std::string_view();
}

Result<Initializer> ReadTensor(std::string_view message) {
  Initializer tensor;
  bool elsewhere = false;
  std::string_view location;
  PT_TRY(EachField(message, [&](const WireField& field) -> Status {
    if (field.number == 1 && !field.is_bytes) return AddDimension(field.value, tensor);
    if (field.number == 1) {
      WireReader packed(field.bytes);
      while (!packed.AtEnd()) {
        PT_LET(const uint64_t length, packed.NextNumber());
        PT_TRY(AddDimension(length, tensor));
      }
    }
    if (field.number == 8) {
      PT_LET(tensor.name, TextOf(field));
    }
    elsewhere = elsewhere || field.number == 13 || (field.number == 14 && field.value != 0);
    if (field.number == 13 && location.empty()) location = LocationIn(field.bytes);
    return Status::OK();
  }));
  if (elsewhere) return InAnotherFile(tensor.name, location);
  return tensor;
}

// Walks graphs, also those that nodes and functions hold.
class OutlineReader {
 public:
  explicit OutlineReader(NetOutline& outline) : outline_(outline) {}

  Status ReadModel(std::string_view file) {
    std::string version;
    PT_TRY(EachField(file, [&](const WireField& field) -> Status {
      switch (field.number) {
        case 1:
          outline_.ir_version = int64_t(field.value);
          return Status::OK();
        case 2:
          return TextOf(field).Value(&outline_.producer);
        case 3:
          return TextOf(field).Value(&version);
        case 7:
          graphs_ += 1;
          return ReadGraph(field.bytes, 0);
        case 8:
          return ReadOpset(field.bytes);
        case 20:
          return ReadTraining(field.bytes);
        case 25:
          return ReadFunction(field.bytes);
        default:
          return Status::OK();
      }
    }));
    if (!outline_.producer.empty() && !version.empty()) outline_.producer += " " + version;
    return Finish();
  }

 private:
  Status ReadOpset(std::string_view message) {
    PT_TRY(CheckCount(outline_.opsets.size(), 64, "operator sets"));
    std::pair<std::string, int64_t> opset;
    PT_TRY(EachField(message, [&](const WireField& field) -> Status {
      if (field.number == 1) {
        PT_LET(opset.first, TextOf(field));
      }
      if (field.number == 2) opset.second = int64_t(field.value);
      return Status::OK();
    }));
    outline_.opsets.push_back(std::move(opset));
    return Status::OK();
  }

  // Only what lies in other files matters of it: the runtime does not train.
  Status ReadTraining(std::string_view message) {
    return EachField(message, [&](const WireField& field) {
      return field.number <= 2 ? ReadGraph(field.bytes, 1) : Status::OK();
    });
  }

  Status ReadFunction(std::string_view message) {
    return EachField(message, [&](const WireField& field) -> Status {
      if (field.number == 7) return ReadNode(field.bytes, 1);
      return field.number == 11 ? ReadAttribute(field.bytes, 1) : Status::OK();
    });
  }

  Status ReadGraph(std::string_view message, int depth) {
    if (depth > kDeepest) return BadFile("the file has graphs within graphs within graphs");
    return EachField(message, [&](const WireField& field) -> Status {
      if (field.number == 1) return ReadNode(field.bytes, depth);
      if (field.number == 5) return AddInitializer(field.bytes, depth);
      if (field.number == 15) return ReadSparse(field.bytes, depth);
      if (depth > 0 || (field.number != 11 && field.number != 12)) return Status::OK();
      std::vector<NetValue>& values = field.number == 11 ? outline_.inputs : outline_.outputs;
      PT_TRY(CheckCount(values.size(), kMostValues, "inputs or outputs"));
      return ReadValue(field.bytes).Value(&values.emplace_back());
    });
  }

  void AddWeights(int64_t numbers) {
    constexpr int64_t kMost = int64_t{1} << 50;
    outline_.weights = std::min(kMost, outline_.weights + numbers);
  }

  Status AddInitializer(std::string_view message, int depth) {
    PT_LET(const Initializer tensor, ReadTensor(message));
    AddWeights(int64_t(tensor.numbers));
    if (depth > 0) return Status::OK();
    PT_TRY(CheckCount(initialized_.size(), kMostValues, "initializers"));
    initialized_.insert(tensor.name);
    return Status::OK();
  }

  Status ReadSparse(std::string_view message, int depth) {
    return EachField(message, [&](const WireField& field) {
      return field.number <= 2 ? AddInitializer(field.bytes, depth) : Status::OK();
    });
  }

  Status ReadNode(std::string_view message, int depth) {
    std::string type, domain, first_input;
    std::vector<std::string> outputs;
    PT_TRY(EachField(message, [&](const WireField& field) -> Status {
      switch (field.number) {
        case 1:
          return first_input.empty() ? TextOf(field).Value(&first_input) : Status::OK();
        case 2:
          PT_TRY(CheckCount(outputs.size(), kMostValues, "outputs of one node"));
          return TextOf(field).Value(&outputs.emplace_back());
        case 4:
          return TextOf(field).Value(&type);
        case 5:
          return ReadAttribute(field.bytes, depth);
        case 7:
          return TextOf(field).Value(&domain);
        default:
          return Status::OK();
      }
    }));
    const std::string name = domain.empty() ? type : domain + "." + type;
    PT_TRY(CheckCount(outline_.operators.size(), 10'000, "kinds of operators"));
    outline_.operators.insert(name);
    if (depth > 0) return Status::OK();
    if (name == "ai.onnx.ml.ZipMap" && !outputs.empty()) {
      outline_.zip_maps[outputs.front()] = first_input;
    }
    for (std::string& each : outputs) {
      PT_TRY(CheckCount(outline_.values.size(), 10 * kMostValues, "values"));
      if (!each.empty()) outline_.values.insert(std::move(each));
    }
    return Status::OK();
  }

  // Numbers of forests and of linear models are in attributes, not in initializers.
  Status ReadAttribute(std::string_view message, int depth) {
    return EachField(message, [&](const WireField& field) -> Status {
      switch (field.number) {
        case 5:
        case 10:
          return AddInitializer(field.bytes, 1);
        case 6:
        case 11:
          return ReadGraph(field.bytes, depth + 1);
        case 7:
          AddWeights(field.is_bytes ? int64_t(field.bytes.size() / 4) : 1);
          return Status::OK();
        case 22:
        case 23:
          return ReadSparse(field.bytes, 1);
        default:
          return Status::OK();
      }
    });
  }

  Status Finish() {
    if (graphs_ == 0) return BadFile("not an ONNX file", "it holds no graph");
    std::erase_if(outline_.inputs,
                  [&](const NetValue& each) { return initialized_.contains(each.name); });
    for (const auto* values : {&outline_.inputs, &outline_.outputs}) {
      std::set<std::string> seen;
      for (const NetValue& each : *values) {
        if (seen.insert(each.name).second) continue;
        return BadFile(fmt::format("the net has two {} named \"{}\"",
                                   values == &outline_.inputs ? "inputs" : "outputs", each.name));
      }
    }
    if (outline_.outputs.empty()) return BadFile("the net has no outputs");
    return Status::OK();
  }

  NetOutline& outline_;
  std::set<std::string> initialized_;
  int graphs_ = 0;
};

}  // namespace

std::string NameOf(NetElement element) {
  static constexpr const char* kNames[] = {"no tensor", "float32", "uint8",  "int8",   "uint16",
                                           "int16",     "int32",   "int64",  "string", "bool",
                                           "float16",   "float64", "uint32", "uint64"};
  const auto at = size_t(element);
  return at < std::size(kNames) ? kNames[at] : fmt::format("type {}", int32_t(element));
}

std::string Describe(const NetValue& value) {
  if (value.element == NetElement::kNone) return "no tensor";
  if (!value.has_shape) return NameOf(value.element) + " of any shape";
  std::vector<std::string> lengths;
  for (const int64_t each : value.shape) {
    lengths.push_back(each < 0 ? "any" : std::to_string(each));
  }
  return fmt::format("{} [{}]", NameOf(value.element), fmt::join(lengths, ", "));
}

Result<NetOutline> ReadNetOutline(std::string_view file, const std::string& where) {
  NetOutline outline;
  const Status read = OutlineReader(outline).ReadModel(file);
  if (read.ok()) return outline;
  Fault fault = FaultOf(read);
  if (!where.empty()) fault.where = fault.where.empty() ? where : where + ": " + fault.where;
  return Fail(std::move(fault));
}

std::string WithOutputs(std::string file, const std::vector<std::string>& names) {
  std::string graph;
  for (const std::string& name : names) {
    std::string value;
    AppendBytes(1, name, value);
    AppendBytes(12, value, graph);
  }
  if (!names.empty()) AppendBytes(7, graph, file);
  return file;
}

}  // namespace protium
