// SPDX-License-Identifier: Apache-2.0
#include "onnx_runtime/net.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "base/digest.h"
#include "base/fault.h"
#include "base/unknown_name.h"
#include "onnx_runtime/library.h"
#include "os/file.h"

namespace protium {
namespace {

using ort::Owned;
using Library = std::shared_ptr<const ort::Library>;

constexpr int64_t kMostBytes = (int64_t{1} << 31) - 1;  // What Protocol Buffers can hold.
constexpr int64_t kMostRows = 64;
// Multiplications of one computation, about a tenth of a millisecond to half of one.
constexpr int64_t kWork = int64_t{1} << 21;
constexpr int kAllOptimizations = 99;
// OrtArenaAllocator, OrtMemTypeDefault.
constexpr int kArena = 1, kDefaultMemory = 0;

int64_t ProductOf(std::span<const int64_t> shape) {
  int64_t product = 1;
  for (const int64_t each : shape) product *= std::max<int64_t>(each, 0);
  return product;
}

Status Refuse(std::string what, std::string why = {}) {
  return Fail({.exit = Exit::kUsage, .what = std::move(what), .why = std::move(why)});
}

// Of an input or output as the session tells it.
Result<NetValue> ValueOf(const Library& library, ort::Session* session, size_t at, bool input) {
  NetValue value;
  ort::Allocator* allocator = nullptr;
  char* name = nullptr;
  PT_TRY(library->Call(ort::kGetDefaultAllocator, &allocator));
  PT_TRY(library->Call(input ? ort::kGetInputName : ort::kGetOutputName,
                       static_cast<const ort::Session*>(session), at, allocator, &name));
  value.name = name;
  PT_TRY(library->Call(ort::kFreeWithAllocator, allocator, static_cast<void*>(name)));
  Owned<ort::TypeInfo, ort::kReleaseTypeInfo> type(library);
  PT_TRY(library->Call(input ? ort::kGetInputTypeInfo : ort::kGetOutputTypeInfo,
                       static_cast<const ort::Session*>(session), at, type.out()));
  const ort::TensorInfo* tensor = nullptr;
  PT_TRY(library->Call(ort::kCastTypeToTensor, static_cast<const ort::TypeInfo*>(type.get()),
                       &tensor));
  if (tensor == nullptr) return value;
  int element = 0;
  size_t dimensions = 0;
  PT_TRY(library->Call(ort::kGetElementType, tensor, &element));
  PT_TRY(library->Call(ort::kGetDimensionsCount, tensor, &dimensions));
  value.element = NetElement(element);
  value.shape.resize(dimensions);
  PT_TRY(library->Call(ort::kGetDimensions, tensor, value.shape.data(), dimensions));
  value.has_shape = true;
  return value;
}

Result<std::vector<NetValue>> ValuesOf(const Library& library, ort::Session* session, bool inputs) {
  size_t count = 0;
  PT_TRY(library->Call(inputs ? ort::kGetInputCount : ort::kGetOutputCount,
                       static_cast<const ort::Session*>(session), &count));
  std::vector<NetValue> values;
  for (size_t i = 0; i < count; ++i) {
    PT_LET(values.emplace_back(), ValueOf(library, session, i, inputs));
  }
  return values;
}

// One thread: workers and requests are what runs beside each other.
Status SetOptions(const Library& library, ort::SessionOptions* options) {
  PT_TRY(library->Call(ort::kSetIntraOpThreads, options, 1));
  PT_TRY(library->Call(ort::kSetInterOpThreads, options, 1));
  PT_TRY(library->Call(ort::kSetGraphOptimization, options, kAllOptimizations));
  PT_TRY(library->Call(ort::kSetSessionLogSeverity, options, 4));
  // Otherwise the bytes decide whether they are ONNX at all.
  return library->Call(ort::kAddConfigEntry, options, "session.load_model_format", "ONNX");
}

// The name that the runtime computes for an output that a user asked for.
Result<std::string> ComputedName(const NetOutline& outline, const std::string& asked) {
  if (const auto found = outline.zip_maps.find(asked); found != outline.zip_maps.end()) {
    return found->second;
  }
  if (outline.values.contains(asked)) return asked;
  for (const NetValue& each : outline.outputs) {
    if (each.name == asked) return asked;
  }
  std::vector<std::string> known;
  for (const NetValue& each : outline.outputs) known.push_back(each.name);
  return UnknownName("output", asked, known, "");
}

// How many rows each computation has, which costs `work` and the reading of its inputs for each.
Result<int64_t> HeightOf(const std::vector<NetValue>& inputs, int64_t work) {
  int64_t height = 0;
  for (const NetValue& each : inputs) {
    if (each.element == NetElement::kNone || each.shape.empty()) {
      return Refuse(fmt::format("input \"{}\" is {}, which no column can be", each.name,
                                each.shape.empty() && each.element != NetElement::kNone
                                    ? "a single value for all rows"
                                    : "no tensor"));
    }
    const int64_t rows = each.shape.front();
    if (rows > 0 && height > 0 && rows != height) {
      return Refuse(
          fmt::format("the inputs begin with different numbers of rows, {} and {}", height, rows));
    }
    if (rows > 0) height = rows;
    work += ProductOf(std::span(each.shape).subspan(1));
  }
  if (inputs.empty()) return Refuse("the net has no inputs");
  if (height > 0) return height;
  height = kMostRows;
  while (height > 1 && height * work > kWork) height /= 2;
  return height;
}

// A fault of what lies at `where`.
Status Within(const std::string& where, const Status& status) {
  Fault fault = FaultOf(status);
  if (fault.where.find(where) == std::string::npos) {
    fault.where = fault.where.empty() ? where : where + ": " + fault.where;
  }
  return Fail(std::move(fault));
}

// Takes the place of "ONNX Runtime refuses it".
Status CannotOpen(const Status& refused) {
  Fault fault = FaultOf(refused);
  fault.what = "ONNX Runtime cannot compute this net";
  return Fail(std::move(fault));
}

// Repeats the last row until there are `height` of them.
void Pad(int64_t height, NetTensor& tensor) {
  const auto rows = size_t(tensor.shape.front());
  const size_t bytes = tensor.numbers.size() / rows, texts = tensor.texts.size() / rows;
  tensor.shape.front() = height;
  tensor.numbers.resize(bytes * size_t(height));
  for (size_t row = rows; row < size_t(height); ++row) {
    std::copy_n(tensor.numbers.begin() + int64_t((rows - 1) * bytes), bytes,
                tensor.numbers.begin() + int64_t(row * bytes));
    for (size_t i = 0; i < texts; ++i) tensor.texts.push_back(tensor.texts[(rows - 1) * texts + i]);
  }
}

template <class T>
void PutOnes(size_t count, std::vector<std::byte>& numbers) {
  const std::vector<T> ones(count, T{1});
  const auto bytes = std::as_bytes(std::span(ones));
  numbers.insert(numbers.end(), bytes.begin(), bytes.end());
}

// Adds a row of ones; texts are those of the row before.
void AddOnes(NetTensor& tensor) {
  const auto rows = size_t(tensor.shape.front());
  const size_t texts = tensor.texts.size() / rows;
  const size_t bytes = std::max<size_t>(1, BytesOf(tensor.element));
  const size_t count = tensor.numbers.size() / rows / bytes;
  tensor.shape.front() += 1;
  for (size_t i = 0; i < texts; ++i) tensor.texts.push_back(tensor.texts[i]);
  if (tensor.element == NetElement::kFloat) return PutOnes<float>(count, tensor.numbers);
  if (tensor.element == NetElement::kDouble) return PutOnes<double>(count, tensor.numbers);
  if (bytes == 1) return PutOnes<uint8_t>(count, tensor.numbers);
  if (bytes == 2) return PutOnes<uint16_t>(count, tensor.numbers);
  if (bytes == 4) return PutOnes<uint32_t>(count, tensor.numbers);
  PutOnes<uint64_t>(count, tensor.numbers);
}

bool BeginsAlike(const NetTensor& one, const NetTensor& more) {
  return std::equal(one.numbers.begin(), one.numbers.end(), more.numbers.begin()) &&
         std::equal(one.texts.begin(), one.texts.end(), more.texts.begin());
}

// The kind of this machine's processor.
std::string CpuKind() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const size_t colon = line.find(": ");
    return colon == line.npos ? "" : line.substr(colon + 2);
  }
  return "";
}

}  // namespace

struct OnnxNet::Inside {
  explicit Inside(const Library& opened) : library(opened), session(opened), memory(opened) {}

  static Result<std::shared_ptr<const Inside>> Open(std::string bytes,
                                                    std::vector<std::string> asked, int64_t work);
  Result<std::vector<std::string>> Choose(const std::vector<std::string>& asked);
  Status Start(const std::string& bytes);
  Status Learn(const std::vector<std::string>& asked, int64_t work);
  Result<Owned<ort::Value, ort::kReleaseValue>> Feed(NetTensor& tensor) const;
  Result<NetTensor> TakeOut(ort::Value* value, int64_t rows, const std::string& name) const;

  Library library;
  Owned<ort::Session, ort::kReleaseSession> session;
  Owned<ort::MemoryInfo, ort::kReleaseMemoryInfo> memory;
  NetOutline outline;
  std::string sha256;
  std::vector<NetValue> inputs;
  std::vector<NetValue> outputs;
  std::vector<std::string> computed;  // The runtime's names of `outputs`.
  int64_t height = 1;
};

// The tensor must outlive the value, unless it is of texts.
Result<Owned<ort::Value, ort::kReleaseValue>> OnnxNet::Inside::Feed(NetTensor& tensor) const {
  Owned<ort::Value, ort::kReleaseValue> value(library);
  if (tensor.element != NetElement::kString) {
    PT_TRY(library->Call(ort::kCreateTensorWithData,
                         static_cast<const ort::MemoryInfo*>(memory.get()),
                         static_cast<void*>(tensor.numbers.data()), tensor.numbers.size(),
                         static_cast<const int64_t*>(tensor.shape.data()), tensor.shape.size(),
                         int(tensor.element), value.out()));
    return value;
  }
  ort::Allocator* allocator = nullptr;
  PT_TRY(library->Call(ort::kGetDefaultAllocator, &allocator));
  PT_TRY(library->Call(ort::kCreateTensor, allocator,
                       static_cast<const int64_t*>(tensor.shape.data()), tensor.shape.size(),
                       int(tensor.element), value.out()));
  std::vector<const char*> texts;
  for (const std::string& each : tensor.texts) texts.push_back(each.c_str());
  PT_TRY(library->Call(ort::kFillStrings, value.get(),
                       static_cast<const char* const*>(texts.data()), texts.size()));
  return value;
}

// Copies the first `rows` rows of an output.
Result<NetTensor> OnnxNet::Inside::TakeOut(ort::Value* value, int64_t rows,
                                           const std::string& name) const {
  Owned<ort::TensorInfo, ort::kReleaseTensorInfo> info(library);
  NetTensor tensor;
  int element = 0;
  size_t dimensions = 0;
  PT_TRY(library->Call(ort::kGetTensorInfo, static_cast<const ort::Value*>(value), info.out()));
  const auto* const about = static_cast<const ort::TensorInfo*>(info.get());
  PT_TRY(library->Call(ort::kGetElementType, about, &element));
  PT_TRY(library->Call(ort::kGetDimensionsCount, about, &dimensions));
  tensor.element = NetElement(element);
  tensor.shape.resize(dimensions);
  PT_TRY(library->Call(ort::kGetDimensions, about, tensor.shape.data(), dimensions));
  if (tensor.shape.empty() || tensor.shape.front() != height) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("output \"{}\" does not have a value for each row", name),
                 .why = fmt::format(
                     "{} rows go in, and its first dimension is {}", height,
                     tensor.shape.empty() ? "missing" : std::to_string(tensor.shape.front()))});
  }
  const int64_t width = ProductOf(std::span(tensor.shape).subspan(1));
  tensor.shape.front() = rows;
  if (tensor.element != NetElement::kString) {
    void* data = nullptr;
    PT_TRY(library->Call(ort::kGetTensorData, value, &data));
    const auto* const first = static_cast<const std::byte*>(data);
    tensor.numbers.assign(first, first + size_t(rows * width) * BytesOf(tensor.element));
    return tensor;
  }
  size_t length = 0;
  PT_TRY(library->Call(ort::kGetStringsLength, static_cast<const ort::Value*>(value), &length));
  std::string all(length, '\0');
  std::vector<size_t> begins(size_t(height * width) + 1, length);
  PT_TRY(library->Call(ort::kGetStrings, static_cast<const ort::Value*>(value),
                       static_cast<void*>(all.data()), length, begins.data(), begins.size() - 1));
  for (size_t i = 0; i < size_t(rows * width); ++i) {
    tensor.texts.push_back(all.substr(begins[i], begins[i + 1] - begins[i]));
  }
  return tensor;
}

int64_t NetTensor::size() const { return ProductOf(shape); }

size_t BytesOf(NetElement element) {
  switch (element) {
    case NetElement::kBool:
    case NetElement::kInt8:
    case NetElement::kUint8:
      return 1;
    case NetElement::kInt16:
    case NetElement::kUint16:
      return 2;
    case NetElement::kFloat:
    case NetElement::kInt32:
    case NetElement::kUint32:
      return 4;
    case NetElement::kDouble:
    case NetElement::kInt64:
    case NetElement::kUint64:
      return 8;
    default:
      return 0;
  }
}

bool IsOnnxFile(const std::filesystem::path& path) {
  return path.extension() == ".onnx" && IsRegularFile(path);
}

Result<NetOutline> ReadNetFile(const std::filesystem::path& file) {
  PT_LET(const std::string bytes, ReadFile(file, kMostBytes));
  return ReadNetOutline(bytes, file.string());
}

Result<Json> NumericsOfOnnx() {
  PT_LET(const Library library, ort::Library::Open());
  return Json{{"onnxruntime", library->version()}, {"cpu", CpuKind()}};
}

// Finds the runtime's name of each output; returns those that the file must announce first.
Result<std::vector<std::string>> OnnxNet::Inside::Choose(const std::vector<std::string>& asked) {
  std::vector<std::string> hidden;
  for (const std::string& each : asked) {
    PT_LET(const std::string name, ComputedName(outline, each));
    const bool announced =
        std::ranges::find(outline.outputs, name, &NetValue::name) != outline.outputs.end();
    if (!announced && std::ranges::find(hidden, name) == hidden.end()) hidden.push_back(name);
    computed.push_back(name);
  }
  return hidden;
}

Status OnnxNet::Inside::Start(const std::string& bytes) {
  Owned<ort::SessionOptions, ort::kReleaseSessionOptions> options(library);
  PT_TRY(library->Call(ort::kCreateSessionOptions, options.out()));
  PT_TRY(SetOptions(library, options.get()));
  const Status made =
      library->Call(ort::kCreateSessionFromArray, static_cast<const ort::Env*>(library->env()),
                    static_cast<const void*>(bytes.data()), bytes.size(),
                    static_cast<const ort::SessionOptions*>(options.get()), session.out());
  if (!made.ok()) return CannotOpen(made);
  return library->Call(ort::kCreateCpuMemoryInfo, kArena, kDefaultMemory, memory.out());
}

// What the session knows of inputs and of the outputs asked for.
Status OnnxNet::Inside::Learn(const std::vector<std::string>& asked, int64_t work) {
  PT_LET(inputs, ValuesOf(library, session.get(), true));
  PT_LET(const auto all, ValuesOf(library, session.get(), false));
  for (size_t i = 0; i < asked.size(); ++i) {
    const auto found = std::ranges::find(all, computed[i], &NetValue::name);
    if (found == all.end()) return Refuse("output \"" + asked[i] + "\" is not computed");
    outputs.push_back(*found);
    outputs.back().name = asked[i];
  }
  return HeightOf(inputs, work > 0 ? work : outline.weights).Value(&height);
}

Result<std::shared_ptr<const OnnxNet::Inside>> OnnxNet::Inside::Open(std::string bytes,
                                                                     std::vector<std::string> asked,
                                                                     int64_t work) {
  PT_LET(NetOutline outline, ReadNetOutline(bytes, ""));
  PT_LET(const Library library, ort::Library::Open());
  auto inside = std::make_shared<Inside>(library);
  inside->sha256 = Sha256Hex(bytes);
  inside->outline = std::move(outline);
  if (asked.empty()) {
    for (const NetValue& each : inside->outline.outputs) asked.push_back(each.name);
  }
  PT_LET(const auto hidden, inside->Choose(asked));
  PT_TRY(inside->Start(WithOutputs(std::move(bytes), hidden)));
  PT_TRY(inside->Learn(asked, work));
  return std::shared_ptr<const Inside>(std::move(inside));
}

Result<OnnxNet> OnnxNet::Open(const std::filesystem::path& file,
                              const std::vector<std::string>& outputs, bool alone) {
  auto bytes = ReadFile(file, kMostBytes);
  if (!bytes.ok()) return Within(file.string(), bytes.status());
  auto inside = Inside::Open(*std::move(bytes), outputs, alone ? 2 * kWork : 0);
  if (!inside.ok()) return Within(file.string(), inside.status());
  return OnnxNet(*std::move(inside));
}

Result<OnnxNet> OnnxNet::OfBytes(std::string bytes, const std::string& where, int64_t work) {
  auto inside = Inside::Open(std::move(bytes), {}, work);
  if (!inside.ok()) return Within(where, inside.status());
  return OnnxNet(*std::move(inside));
}

const NetOutline& OnnxNet::outline() const { return inside_->outline; }
const std::string& OnnxNet::sha256() const { return inside_->sha256; }
const std::vector<NetValue>& OnnxNet::inputs() const { return inside_->inputs; }
const std::vector<NetValue>& OnnxNet::outputs() const { return inside_->outputs; }
int64_t OnnxNet::height() const { return inside_->height; }

Status OnnxNet::CheckRowsApart(std::vector<NetTensor> row,
                               const std::vector<NetTensor>& alone) const {
  if (height() == 1) return Status::OK();
  for (NetTensor& each : row) AddOnes(each);
  const auto beside = Run(std::move(row));
  if (!beside.ok()) return Status::OK();
  for (size_t i = 0; i < alone.size(); ++i) {
    if (BeginsAlike(alone[i], (*beside)[i])) continue;
    return Refuse(
        fmt::format("output \"{}\" of a row depends on the rows beside it", outputs()[i].name),
        "the graph mixes the rows of a batch, so a prediction would have no one value");
  }
  return Status::OK();
}

Result<std::vector<NetTensor>> OnnxNet::Run(std::vector<NetTensor> tensors) const {
  PT_CHECK(tensors.size() == inside_->inputs.size());
  const int64_t rows = tensors.front().shape.front();
  PT_CHECK(rows >= 1 && rows <= inside_->height);
  std::vector<Owned<ort::Value, ort::kReleaseValue>> fed;
  std::vector<const ort::Value*> values;
  std::vector<const char*> names, made_names;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Pad(inside_->height, tensors[i]);
    PT_LET(auto value, inside_->Feed(tensors[i]));
    values.push_back(value.get());
    fed.push_back(std::move(value));
    names.push_back(inside_->inputs[i].name.c_str());
  }
  for (const std::string& each : inside_->computed) made_names.push_back(each.c_str());
  std::vector<ort::Value*> made(made_names.size(), nullptr);
  const Status ran = inside_->library->Call(
      ort::kRun, inside_->session.get(), static_cast<const void*>(nullptr),
      static_cast<const char* const*>(names.data()),
      static_cast<const ort::Value* const*>(values.data()), values.size(),
      static_cast<const char* const*>(made_names.data()), made_names.size(), made.data());
  std::vector<Owned<ort::Value, ort::kReleaseValue>> owned;
  for (ort::Value* each : made) {
    owned.emplace_back(inside_->library);
    *owned.back().out() = each;
  }
  PT_TRY(ran);
  std::vector<NetTensor> outputs;
  for (size_t i = 0; i < made.size(); ++i) {
    PT_LET(outputs.emplace_back(), inside_->TakeOut(made[i], rows, inside_->outputs[i].name));
  }
  return outputs;
}

}  // namespace protium
